/* shrink.c -- see shrink.h.
 *
 * A step is one change, given by a number; all numbers are tried until none
 * leaves a history that still fails.
 *
 * SPDX-License-Identifier: MIT */
#include "shrink.h"

static void
drop_op(struct record *r, size_t i)
{
    memmove(r->ops.at + i, r->ops.at + i + 1,
            (r->ops.n - i - 1) * sizeof *r->ops.at);
    r->ops.n--;
    for (size_t t = 0; t < r->txns.n; t++) {
        struct record_txn *txn = &r->txns.at[t];
        if (txn->ops > i)
            txn->ops--;
        else if (i < txn->ops + txn->ops_n)
            txn->ops_n--;
    }
}

static void
drop_txn(struct record *r, size_t t)
{
    while (r->txns.at[t].ops_n)
        drop_op(r, r->txns.at[t].ops);
    memmove(r->txns.at + t, r->txns.at + t + 1,
            (r->txns.n - t - 1) * sizeof *r->txns.at);
    r->txns.n--;
}

/* Leave the i-th of all elements out that reads saw; false after the last. */
static bool
drop_item(struct record *r, size_t i)
{
    for (size_t j = 0; j < r->ops.n; j++) {
        struct record_op *op = &r->ops.at[j];
        if (i >= op->items_n) {
            i -= op->items_n;
            continue;
        }
        int64_t *items = r->items.at + op->items;
        memmove(items + i, items + i + 1,
                (op->items_n - i - 1) * sizeof *items);
        op->items_n--;
        return true;
    }
    return false;
}

/* Move a transaction into a session of its own. */
static bool
move_txn(struct record *r, size_t t)
{
    uint32_t last = 0;
    bool alone = true;
    for (size_t i = 0; i < r->txns.n; i++) {
        alone &= i == t || r->txns.at[i].session != r->txns.at[t].session;
        if (r->txns.at[i].session > last)
            last = r->txns.at[i].session;
    }
    r->txns.at[t].session = last + 1;
    return !alone;
}

/* Do the change of that number; false where there are no more. */
static bool
change(struct record *r, size_t number, bool *changed)
{
    const size_t txns = r->txns.n, ops = r->ops.n;
    *changed = true;
    if (number < txns) {
        drop_txn(r, number);
        return true;
    }
    number -= txns;
    if (number < ops) {
        drop_op(r, number);
        return true;
    }
    number -= ops;
    if (number < txns) {
        *changed = r->txns.at[number].status != TXN_COMMITTED;
        r->txns.at[number].status = TXN_COMMITTED;
        return true;
    }
    number -= txns;
    if (number < txns) {
        *changed = move_txn(r, number);
        return true;
    }
    number -= txns;
    if (number < ops) {
        *changed = r->ops.at[number].prev != PREV_NONE;
        r->ops.at[number].prev = PREV_NONE;
        return true;
    }
    number -= ops;
    if (number == 0) {
        *changed = r->times;
        r->times = false;
        return true;
    }
    return drop_item(r, number - 1);
}

void
shrink(struct record *r, bool (*fails)(const struct record *, void *),
       void *about)
{
    for (size_t number = 0;;) {
        struct record smaller;
        bool changed;
        record_copy(r, &smaller);
        if (!change(&smaller, number, &changed)) {
            record_free(&smaller);
            return;
        }
        if (changed && fails(&smaller, about)) {
            record_free(r);
            *r = smaller;
            number = 0;
        } else {
            record_free(&smaller);
            number++;
        }
    }
}
