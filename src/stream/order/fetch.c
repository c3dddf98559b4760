/* fetch.c -- see fetch.h.
 *
 * A depth-first search, with its stack in 'needed'.  Each transaction on the
 * stack needs the one above it.  A cycle of needs ends the search.
 *
 * SPDX-License-Identifier: MIT */
#include "stream/order/fetch.h"

#include "stream/order/reorder.h"

enum { DEEPEST = 256, MOST_MOVES = 64 }; // for one transaction

/* The first transaction of t's session in the queue, if t is not that one. */
static struct stream_txn *
find_predecessor(const struct stream_pass *p, const struct stream_txn *t)
{
    for (size_t i = p->ahead_at; i < p->ahead.n; i++)
        if (p->ahead.at[i]->session == t->session)
            return p->ahead.at[i] == t ? NULL : p->ahead.at[i];
    return NULL;
}

static bool
writes(const struct stream_txn *t, const struct stream_op *read)
{
    for (uint32_t i = 0; i < t->n_ops; i++)
        if (t->ops[i].is_write && t->ops[i].is_main &&
            t->ops[i].key == read->key &&
            atom_equal(stream_value(&t->ops[i]), stream_value(read)))
            return true;
    return false;
}

/* A committed writer of what t reads, in the queue, where nothing that is
 * placed serves the read. */
static struct stream_txn *
find_writer(const struct stream_pass *p, const struct stream_txn *t,
            const struct stream_op *read)
{
    uint64_t place, last;
    if (atom_equal(stream_value(read),
                   running_order_value(&p->order, read->key)) ||
        running_order_find(&p->order, read, &place, &last))
        return NULL;
    for (size_t i = p->ahead_at; i < p->ahead.n; i++)
        if (p->ahead.at[i] != t && p->ahead.at[i]->status == TXN_COMMITTED &&
            writes(p->ahead.at[i], read))
            return p->ahead.at[i];
    return NULL;
}

/* A transaction of the queue that has to come before t. */
static struct stream_txn *
find_needed(const struct stream_pass *p, const struct stream_txn *t)
{
    struct stream_txn *needed = find_predecessor(p, t);
    for (uint32_t i = 0; i < t->n_ops && !needed; i++)
        if (t->ops[i].is_main && !t->ops[i].is_write)
            needed = find_writer(p, t, &t->ops[i]);
    return needed;
}

static bool
has(const stream_txns *v, const struct stream_txn *t)
{
    for (size_t i = 0; i < v->n; i++)
        if (v->at[i] == t)
            return true;
    return false;
}

/* Place t as the order is, or after moving others. */
static bool
place(struct stream_pass *p, struct stream_txn *t)
{
    for (int moves = 0; moves < MOST_MOVES; moves++) {
        if (running_order_place(&p->order, t, p->level))
            return true;
        if (!level_is_serial(p->level))
            return false;
        const enum reordered result = reorder(p, t);
        if (result != REORDERED_OTHERS)
            return result == REORDERED_ALL;
    }
    return false;
}

bool
fetch(struct stream_pass *p)
{
    stream_txns needed = {0};
    vec_push(&needed, p->ahead.at[p->ahead_at]);
    while (needed.n && needed.n < DEEPEST) {
        struct stream_txn *t = vec_top(&needed);
        struct stream_txn *first =
            t->status == TXN_COMMITTED ? find_needed(p, t) : NULL;
        if (first && (first->status != TXN_COMMITTED || has(&needed, first)))
            break;
        if (first) {
            vec_push(&needed, first);
            continue;
        }
        if (!place(p, t))
            break;
        pass_leave_queue(p, t);
        needed.n--;
        p->stats.fetched += needed.n > 0;
    }
    const bool ok = !needed.n;
    vec_free(&needed);
    return ok;
}
