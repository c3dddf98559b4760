/* verify_flaw.c -- an inconsistent read.
 *
 * A read of a transaction that counts is inconsistent when its transaction
 * wrote the key before and the value is not that of the last such write; or
 * when it did not, and no write can have served the value: it is not initial,
 * and no other transaction that counts or may count has it as its last write of
 * the key.  For lists see verify_list_flaw.c.
 *
 * That is checked from the recorded operations alone.  The kind of flaw is then
 * checked as far as it says more.
 *
 * SPDX-License-Identifier: MIT */
#include "verify/verify_flaw.h"

#include "verify/lists/verify_list_flaw.h"

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
    assert(end >= h->txn_begin[t] && end <= h->txn_end[t]);
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
        if (u == t || h->txn_counts[u] == TXN_LEFT_OUT)
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

/* A read whose own value is at fault. */
static bool
check_value(const struct history *h, const struct flaw *f, struct err *err)
{
    const key_id k = op_key(h, f->op);
    assert(lies_in(h, f->op, f->txn) && !op_is_write(h, f->op));
    const op_id own = last_write(h, f->txn, k, f->op);
    if (own != ID_NONE ? h->op_value[own] == f->value
                       : is_served(h, f->value, k, f->txn))
        return wrong(err, "it is consistent");
    const bool has_other = lies_in(h, f->other_op, f->other) &&
                           op_is_write(h, f->other_op) &&
                           op_key(h, f->other_op) == k;
    assert(own == ID_NONE || own < f->op);
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
    if (f->txn >= h->n_txns || h->txn_counts[f->txn] != TXN_COUNTS ||
        !lies_in(h, f->op, f->txn) || op_is_write(h, f->op))
        return wrong(err, "there is no such read");
    if (op_is_ignored(h, f->op))
        return wrong(err, "a constraint check read it, which this level does "
                          "not see");
    if (f->kind == FLAW_THIN_AIR && h->is_cut)
        return wrong(err, "its writer may be in the part of the recording "
                          "that was cut off");
    if (op_is_of_list(h, f->op))
        return verify_list_flaw(h, f, err);
    if (f->value != h->op_value[f->op])
        return wrong(err, "it read another value");
    return check_value(h, f, err);
}
