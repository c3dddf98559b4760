/* session_merge.c -- see session_merge.h.
 *
 * The sessions are merged: of those whose next transaction is ready, the one
 * advances whose next transaction comes first in the old order.  Where none is
 * ready, the rule is broken for the first one.  The writers chosen here come
 * before their readers, so they close no cycle with each other and with session
 * order, unless the rule was broken.
 *
 * SPDX-License-Identifier: MIT */
#include "weak/choice/session_merge.h"

struct merge {
    const struct history *h;
    const struct open_reads *open;
    const struct predecessors *more;
    uint32_t *old;      // by transaction: its place in the old order
    uint32_t *position; // by transaction: its new place, from 1; 0 = none yet
    txn_id *next;       // by session
    uint32_t *open_at;  // by op, where it is open
};

static bool
is_placed(const struct merge *a, txn_id t)
{
    return t == TXN_INIT || a->position[t];
}

/* Whether a writer that the external read op may be of is placed. */
static bool
has_writer(const struct merge *a, op_id op)
{
    const struct history *h = a->h;
    const value_id v = h->op_value[op];
    if (!history_has_several(h, v))
        return is_placed(a, history_writer(h, v));
    const struct open_read *r = &a->open->all.at[a->open_at[op]];
    const struct txn_range left = open_reads_left(a->open, r);
    for (size_t i = 0; i < left.n; i++)
        if (is_placed(a, left.at[i]))
            return true;
    return false;
}

static bool
is_ready(const struct merge *a, txn_id t)
{
    const struct history *h = a->h;
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
        if (op_is_external_read(h, op) && !has_writer(a, op))
            return false;
    for (uint32_t i = a->more->first[t]; i < a->more->first[t + 1]; i++)
        if (!a->position[a->more->from[i]])
            return false;
    return true;
}

/* The last candidate that is placed; INIT where none is and it is one; else
 * the first. */
static txn_id
choose(const struct merge *a, const struct open_read *r)
{
    const struct txn_range left = open_reads_left(a->open, r);
    txn_id best = TXN_NONE;
    uint32_t best_position = 0;
    for (size_t i = 0; i < left.n; i++) {
        const txn_id w = left.at[i];
        const uint32_t position = w == TXN_INIT ? 0 : a->position[w];
        if (best == TXN_NONE || position > best_position ||
            (w == TXN_INIT && !best_position)) {
            best = w;
            best_position = position;
        }
    }
    assert(best != TXN_NONE);
    return best;
}

static void
place(struct merge *a, txn_id t, u32_vec *order, txn_id *chosen)
{
    const struct history *h = a->h;
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
        if (op_is_external_read(h, op) &&
            history_has_several(h, h->op_value[op]))
            chosen[op] = choose(a, &a->open->all.at[a->open_at[op]]);
    assert(!a->position[t]);
    vec_push(order, t);
    a->position[t] = (uint32_t)order->n;
}

/* The session that goes on, or ID_NONE at the end. */
static session_id
find_session(const struct merge *a)
{
    const struct history *h = a->h;
    session_id ready = ID_NONE, first = ID_NONE;
    for (session_id s = 0; s < h->n_sessions; s++) {
        const txn_id t = a->next[s];
        if (t == h->session_first[s + 1])
            continue;
        if (!h->txn_counts[t])
            return s;
        if (first == ID_NONE || a->old[t] < a->old[a->next[first]])
            first = s;
        if ((ready == ID_NONE || a->old[t] < a->old[a->next[ready]]) &&
            is_ready(a, t))
            ready = s;
    }
    return ready != ID_NONE ? ready : first;
}

void
session_merge(const struct history *h, const struct open_reads *open,
              const struct predecessors *more, u32_vec *order, txn_id *chosen)
{
    struct merge a = {.h = h, .open = open, .more = more};
    a.old = mem_calloc(h->n_txns, sizeof *a.old);
    for (size_t i = 0; i < order->n; i++)
        a.old[order->at[i]] = (uint32_t)i;
    vec_clear(order);
    a.position = mem_calloc(h->n_txns, sizeof *a.position);
    a.next = mem_alloc(h->n_sessions, sizeof *a.next);
    for (session_id s = 0; s < h->n_sessions; s++)
        a.next[s] = h->session_first[s];
    a.open_at = mem_alloc(h->n_ops, sizeof *a.open_at);
    for (size_t i = 0; i < open->all.n; i++)
        a.open_at[open->all.at[i].left.read] = (uint32_t)i;

    for (session_id s = find_session(&a); s != ID_NONE; s = find_session(&a)) {
        const txn_id t = a.next[s]++;
        if (h->txn_counts[t])
            place(&a, t, order, chosen);
    }
    for (session_id s = 0; s < h->n_sessions; s++)
        assert(a.next[s] == h->session_first[s + 1]);

    mem_free(a.old);
    mem_free(a.position);
    mem_free(a.next);
    mem_free(a.open_at);
}
