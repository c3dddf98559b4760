/* verify_flaw.c -- an inconsistent read.
 *
 * A read of a transaction that counts is inconsistent when its transaction
 * wrote the key before and the value is not that of the last such write; or
 * when it did not, and nobody can have served the value: it is not initial, and
 * no other transaction that counts has it as its last write of the key.  A list
 * is inconsistent as such when it has an element twice, an element that nobody
 * can have appended, or when neither it nor another begins with the other.
 *
 * That is checked from the recorded operations alone.  The kind of flaw is then
 * checked as far as it says more.
 *
 * SPDX-License-Identifier: MIT */
#include "verify/verify.h"

static bool
wrong(struct err *err, const char *what)
{
    return err_set(err, ERR_SYNTAX, "the inconsistent read: %s", what);
}

static bool
lies_in(const struct history *h, op_id op, txn_id t)
{
    return t < h->n_txns && op >= h->txn_begin[t] && op < h->txn_end[t];
}

/* The last write of key k by t before 'end', or ID_NONE. */
static op_id
last_write(const struct history *h, txn_id t, key_id k, op_id end)
{
    for (op_id op = end; op-- > h->txn_begin[t];)
        if (op_is_write(h, op) && op_key(h, op) == k)
            return op;
    return ID_NONE;
}

static bool
is_initial(const struct history *h, value_id v)
{
    return v == VALUE_INIT || atom_equal(history_value_atom(h, v), h->initial);
}

/* Whether a transaction other than t can have served a read of v. */
static bool
is_served(const struct history *h, value_id v, key_id k, txn_id t)
{
    if (is_initial(h, v))
        return true;
    for (txn_id u = 0; u < h->n_txns; u++) {
        if (u == t || !h->txn_counts[u])
            continue;
        const op_id w = last_write(h, u, k, h->txn_end[u]);
        if (w != ID_NONE && h->op_value[w] == v)
            return true;
    }
    return false;
}

/* Whether some transaction, aborted or not as asked, writes v at all. */
static bool
is_written(const struct history *h, value_id v, bool aborted)
{
    for (txn_id t = 0; t < h->n_txns; t++)
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
            if ((h->txn_status[t] == TXN_ABORTED) == aborted &&
                op_is_write(h, op) && h->op_value[op] == v)
                return true;
    return false;
}

static bool
has_element(struct list_seen seen, value_id v, size_t times)
{
    for (size_t i = 0; i < seen.n; i++)
        if (seen.at[i] == v && --times == 0)
            return true;
    return false;
}

/* Whether one list begins with the other. */
static bool
are_compatible(struct list_seen a, struct list_seen b)
{
    const size_t n = a.n < b.n ? a.n : b.n;
    return !n || memcmp(a.at, b.at, n * sizeof *a.at) == 0;
}

/* An element other than the last that nobody can have appended. */
static bool
check_element(const struct history *h, const struct flaw *f, struct err *err)
{
    if (!has_element(history_list_seen(h, f->op), f->value, 1))
        return wrong(err, "the list does not have that element");
    if (is_written(h, f->value, false))
        return wrong(err, "somebody appended that element");
    return true;
}

static bool
check_incompatible(const struct history *h, const struct flaw *f,
                   struct err *err)
{
    if (f->other_op == ID_NONE)
        return wrong(err, "the other list is missing");
    if (!lies_in(h, f->other_op, f->other) || op_is_write(h, f->other_op) ||
        op_key(h, f->op) != op_key(h, f->other_op))
        return wrong(err, "the other operation does not read that list");
    if (!h->txn_counts[f->other])
        return wrong(err, "who read the other list does not count");
    if (are_compatible(history_list_seen(h, f->op),
                       history_list_seen(h, f->other_op)))
        return wrong(err, "one of the lists begins with the other");
    return true;
}

/* A read whose own value is at fault. */
static bool
check_value(const struct history *h, const struct flaw *f, struct err *err)
{
    const key_id k = op_key(h, f->op);
    const op_id own = last_write(h, f->txn, k, f->op);
    if (own != ID_NONE ? h->op_value[own] == f->value
                       : is_served(h, f->value, k, f->txn))
        return wrong(err, "it is consistent");
    const bool has_other = lies_in(h, f->other_op, f->other) &&
                           op_is_write(h, f->other_op) &&
                           op_key(h, f->other_op) == k;
    const bool same = has_other && h->op_value[f->other_op] == f->value;
    bool fits = false;
    switch (f->kind) {
    case FLAW_THIN_AIR:
        fits =
            !is_written(h, f->value, true) && !is_written(h, f->value, false);
        break;
    case FLAW_ABORTED:
        fits = same && h->txn_status[f->other] == TXN_ABORTED;
        break;
    case FLAW_FUTURE:
        fits = same && f->other == f->txn && f->other_op > f->op;
        break;
    case FLAW_NOT_OWN:
        fits = own != ID_NONE && f->other_op == own;
        break;
    case FLAW_NOT_LATEST:
        fits = f->other == f->txn
                   ? own != ID_NONE && f->other_op == own
                   : same && h->txn_status[f->other] != TXN_ABORTED;
        break;
    default:
        break;
    }
    return fits || wrong(err, "it is of another kind");
}

bool
verify_flaw(const struct history *h, const struct flaw *f, struct err *err)
{
    if (f->txn >= h->n_txns || !h->txn_counts[f->txn] ||
        !lies_in(h, f->op, f->txn) || op_is_write(h, f->op))
        return wrong(err, "there is no such read");
    if (f->kind == FLAW_THIN_AIR && h->is_cut)
        return wrong(err, "its writer may be in the part of the recording "
                          "that was cut off");
    if (f->kind == FLAW_DUPLICATE)
        return has_element(history_list_seen(h, f->op), f->value, 2) ||
               wrong(err, "the list does not have that element twice");
    if (f->kind == FLAW_INCOMPATIBLE)
        return check_incompatible(h, f, err);
    if (f->value != h->op_value[f->op])
        return check_element(h, f, err);
    return check_value(h, f, err);
}
