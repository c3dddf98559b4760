/* verify_list_flaw.c -- a list that no level allows.
 *
 * Each kind of flaw is checked for what it says, from the recorded operations
 * and lists alone.  A transaction that is not aborted and appended an element
 * that was read counts; elements have one such author (history/list).
 *
 * SPDX-License-Identifier: MIT */
#include "verify/lists/verify_list_flaw.h"

static bool
wrong(struct err *err, const char *what)
{
    return err_set(err, ERR_SYNTAX, "the inconsistent list: %s", what);
}

static bool
lies_in(const struct history *h, op_id op, txn_id t)
{
    return t < h->n_txns && op >= h->txn_begin[t] && op < h->txn_end[t];
}

static bool
appends(const struct history *h, op_id op, key_id k)
{
    return op_is_write(h, op) && op_key(h, op) == k;
}

/* Where v stands in a list, from 1; 0 where it does not. */
static size_t
place_of(struct list_seen seen, value_id v)
{
    for (size_t i = 0; i < seen.n; i++)
        if (seen.at[i] == v)
            return i + 1;
    return 0;
}

/* Whether a transaction other than t, aborted or not as asked, appends v. */
static bool
is_appended(const struct history *h, value_id v, txn_id except, bool aborted)
{
    for (txn_id t = 0; t < h->n_txns; t++)
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
            if (t != except && (h->txn_status[t] == TXN_ABORTED) == aborted &&
                op_is_write(h, op) && h->op_value[op] == v)
                return true;
    return false;
}

/* How many elements at the end are what t appended before op; *differs where
 * the end is something else. */
static size_t
own_end(const struct history *h, const struct flaw *f, struct list_seen seen,
        bool *differs)
{
    const key_id k = op_key(h, f->op);
    size_t own = 0;
    assert(lies_in(h, f->op, f->txn));
    *differs = false;
    for (op_id op = f->op; op-- > h->txn_begin[f->txn];)
        if (appends(h, op, k)) {
            *differs |=
                own >= seen.n || seen.at[seen.n - 1 - own] != h->op_value[op];
            own++;
        }
    return own;
}

/* --- the kinds ------------------------------------------------------------ */

static bool
check_twice(const struct flaw *f, struct list_seen seen, struct err *err)
{
    const size_t place = place_of(seen, f->value);
    const struct list_seen rest = {seen.at + place, seen.n - place};
    return (place && place_of(rest, f->value)) ||
           wrong(err, "it does not have that element twice");
}

/* An element that no counting transaction appended before. */
static bool
check_unserved(const struct history *h, const struct flaw *f,
               struct list_seen seen, struct err *err)
{
    const bool has_other = lies_in(h, f->other_op, f->other) &&
                           op_is_write(h, f->other_op) &&
                           h->op_value[f->other_op] == f->value;
    if (!place_of(seen, f->value))
        return wrong(err, "it does not have that element");
    if (f->kind == FLAW_FUTURE) {
        if (!has_other || f->other != f->txn)
            return wrong(err, "its transaction does not append that element");
        for (op_id op = h->txn_begin[f->txn]; op < f->op; op++)
            if (op_is_write(h, op) && h->op_value[op] == f->value)
                return wrong(err, "its transaction had appended that element");
        return !is_appended(h, f->value, f->txn, false) ||
               wrong(err, "another transaction appended that element");
    }
    if (is_appended(h, f->value, TXN_NONE, false))
        return wrong(err, "a transaction appended that element");
    return (f->kind == FLAW_THIN_AIR
                ? !is_appended(h, f->value, TXN_NONE, true)
                : has_other && h->txn_status[f->other] == TXN_ABORTED) ||
           wrong(err, "it is of another kind");
}

static bool
check_not_own(const struct history *h, const struct flaw *f,
              struct list_seen seen, struct err *err)
{
    bool differs;
    if (!own_end(h, f, seen, &differs) || !differs)
        return wrong(err, "it ends with what its transaction appended");
    return (f->other == f->txn && lies_in(h, f->other_op, f->txn) &&
            f->other_op < f->op && appends(h, f->other_op, op_key(h, f->op))) ||
           wrong(err, "there is no such append of its own");
}

/* What a list has of the appends of one transaction. */
struct list_flaw_check {
    size_t n, there; // appends in all; of these in the list
    bool together;   // those that are there, in program order
    bool from_first; // those that are there are the first ones
    size_t end;      // the place of the last one there
};

static struct list_flaw_check
find_run(const struct history *h, txn_id t, key_id k, struct list_seen seen)
{
    struct list_flaw_check r = {.together = true, .from_first = true};
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
        if (!appends(h, op, k))
            continue;
        const size_t place = place_of(seen, h->op_value[op]);
        if (place) {
            r.together &= !r.there || place == r.end + 1;
            r.from_first &= r.there == r.n;
            r.end = place;
            r.there++;
        }
        r.n++;
    }
    assert(r.there <= r.n && r.end <= seen.n);
    return r;
}

/* A run of another transaction that is not all there and together. */
static bool
check_run(const struct history *h, const struct flaw *f, struct list_seen seen,
          struct err *err)
{
    const key_id k = op_key(h, f->op);
    if (!lies_in(h, f->other_op, f->other) || f->other == f->txn ||
        !appends(h, f->other_op, k) || h->op_value[f->other_op] != f->value ||
        h->txn_status[f->other] == TXN_ABORTED)
        return wrong(err, "there is no such append");
    const struct list_flaw_check r = find_run(h, f->other, k, seen);
    assert(r.n); // the other operation is one of them
    if (!r.there || (r.there == r.n && r.together))
        return wrong(err, "it has all of that transaction, or nothing");
    for (op_id op = h->txn_begin[f->other]; op < h->txn_end[f->other]; op++)
        if (appends(h, op, k) &&
            is_appended(h, h->op_value[op], f->other, false))
            return wrong(err,
                         "another transaction appended one of the elements");
    bool differs;
    const size_t own = own_end(h, f, seen, &differs);
    const bool missing = !place_of(seen, f->value);
    const bool inside = r.from_first && r.together && r.end + own == seen.n;
    return (f->kind == FLAW_DIRTY_WRITE   ? r.there == r.n
            : f->kind == FLAW_LOST_APPEND ? missing
                                          : missing && inside) ||
           wrong(err, "it is of another kind");
}

static bool
check_incompatible(const struct history *h, const struct flaw *f,
                   struct list_seen a, struct err *err)
{
    if (f->other_op == ID_NONE)
        return wrong(err, "the other list is missing");
    if (!lies_in(h, f->other_op, f->other) || op_is_write(h, f->other_op) ||
        op_key(h, f->op) != op_key(h, f->other_op))
        return wrong(err, "the other operation does not read that list");
    if (!h->txn_counts[f->other])
        return wrong(err, "the reader of the other list does not count");
    const struct list_seen b = history_list_seen(h, f->other_op);
    const size_t n = a.n < b.n ? a.n : b.n;
    return (n && memcmp(a.at, b.at, n * sizeof *a.at) != 0) ||
           wrong(err, "one of the lists begins with the other");
}

bool
verify_list_flaw(const struct history *h, const struct flaw *f, struct err *err)
{
    const struct list_seen seen = history_list_seen(h, f->op);
    assert(op_is_of_list(h, f->op) && lies_in(h, f->op, f->txn));
    if (op_is_implied(h, f->op))
        return wrong(err, "that read was not recorded");
    switch (f->kind) {
    case FLAW_DUPLICATE:
        return check_twice(f, seen, err);
    case FLAW_THIN_AIR:
    case FLAW_ABORTED:
    case FLAW_FUTURE:
        return check_unserved(h, f, seen, err);
    case FLAW_NOT_OWN:
        return check_not_own(h, f, seen, err);
    case FLAW_NOT_LATEST:
    case FLAW_DIRTY_WRITE:
    case FLAW_LOST_APPEND:
        return check_run(h, f, seen, err);
    case FLAW_INCOMPATIBLE:
        return check_incompatible(h, f, seen, err);
    default:
        return wrong(err, "it is of no kind");
    }
}
