/* verify_causal.c -- a commit order at cc: no read of what was overwritten by
 * something that happened before.
 *
 * The clock of a transaction has one entry per session: how many of that
 * session's transactions, counted from its first, happened before it.  Clocks
 * are computed along the order, which respects session order and reads.  Each
 * is kept until all readers and the successor in its session are computed.
 *
 * For a read of x by t3 from t1, the writers of x between t1 and t3 in the
 * order are checked one by one for having happened before t3.  Where they are
 * more than there are sessions, the last writer of x in each session that
 * happened before t3 is found by binary search instead.
 *
 * SPDX-License-Identifier: MIT */
#include "verify/verify_causal.h"

#include "base/limits/context.h"

struct clocks {
    const struct weak_order *w;
    uint32_t k;
    uint32_t *uses;     // by transaction: readers and followers to come
    uint32_t **entries; // by transaction; NULL where not kept
    VEC(uint32_t *) unused;
};

static uint32_t *
clock_new(struct clocks *c, const uint32_t *from)
{
    uint32_t *clock =
        c->unused.n ? vec_pop(&c->unused) : mem_alloc(c->k, sizeof *clock);
    if (from)
        memcpy(clock, from, c->k * sizeof *clock);
    else
        memset(clock, 0, c->k * sizeof *clock);
    return clock;
}

static void
clock_use(struct clocks *c, txn_id t)
{
    assert(c->uses[t] && c->entries[t]);
    if (--c->uses[t])
        return;
    vec_push(&c->unused, c->entries[t]);
    c->entries[t] = NULL;
}

/* Where t stands in its session, from 1. */
static uint32_t
rank(const struct history *h, txn_id t)
{
    assert(t >= h->session_first[h->txn_session[t]]);
    return t - h->session_first[h->txn_session[t]] + 1;
}

static txn_id
follows(const struct weak_order *w, txn_id t)
{
    const txn_id first = w->h->session_first[w->h->txn_session[t]];
    while (t-- > first)
        if (w->position[t])
            return t;
    return TXN_NONE;
}

static void
count_uses(struct clocks *c)
{
    const struct weak_order *w = c->w;
    for (size_t i = 0; i < w->order->n; i++) {
        const txn_id t = w->order->at[i];
        const txn_id before = follows(w, t);
        context_poll_at(i);
        if (before != TXN_NONE)
            c->uses[before]++;
        for (op_id op = w->h->txn_begin[t]; op < w->h->txn_end[t]; op++)
            if (op_is_external_read(w->h, op) &&
                weak_order_writer(w, op) != TXN_INIT)
                c->uses[weak_order_writer(w, op)]++;
    }
}

static void
learn(struct clocks *c, uint32_t *clock, txn_id from)
{
    const struct history *h = c->w->h;
    const session_id s = h->txn_session[from];
    if (clock[s] < rank(h, from)) {
        const uint32_t *other = c->entries[from];
        assert(other && other[s] < rank(h, from));
        for (uint32_t i = 0; i < c->k; i++)
            if (clock[i] < other[i])
                clock[i] = other[i];
        clock[s] = rank(h, from);
    }
    clock_use(c, from);
}

/* The clock of t. */
static uint32_t *
tick(struct clocks *c, txn_id t)
{
    const struct weak_order *w = c->w;
    const txn_id before = follows(w, t);
    uint32_t *clock =
        clock_new(c, before == TXN_NONE ? NULL : c->entries[before]);
    if (before != TXN_NONE)
        learn(c, clock, before);
    for (op_id op = w->h->txn_begin[t]; op < w->h->txn_end[t]; op++)
        if (op_is_external_read(w->h, op) &&
            weak_order_writer(w, op) != TXN_INIT)
            learn(c, clock, weak_order_writer(w, op));
    return clock;
}

/* --- reads ----------------------------------------------------------------*/

/* The last writer of x in session s among its first 'n', or TXN_NONE; 'by_id'
 * has the writers of x in ascending order. */
static txn_id
last_of_session(const struct history *h, const txn_id *by_id, size_t length,
                session_id s, uint32_t n)
{
    const txn_id first = h->session_first[s], bound = first + n;
    size_t low = 0, high = length;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (by_id[middle] < bound)
            low = middle + 1;
        else
            high = middle;
    }
    assert(low == length || by_id[low] >= bound);
    return low && by_id[low - 1] >= first ? by_id[low - 1] : TXN_NONE;
}

static bool
check_read(const struct clocks *c, const struct versions *by_id,
           const uint32_t *clock, txn_id t3, op_id op)
{
    const struct weak_order *w = c->w;
    const struct history *h = w->h;
    const key_id x = op_key(h, op);
    const uint32_t position = weak_order_position(w, weak_order_writer(w, op));
    const uint32_t begin = weak_order_after(w, x, position);
    const uint32_t end = weak_order_after(w, x, w->position[t3] - 1);
    assert(begin <= end);
    if (end - begin <= c->k) {
        for (uint32_t i = begin; i < end; i++) {
            const txn_id t2 = w->versions.at[i];
            if (rank(h, t2) <= clock[h->txn_session[t2]])
                return weak_order_refuted(w, t3, t2);
        }
        return true;
    }
    for (session_id s = 0; s < c->k; s++) {
        const txn_id t2 =
            last_of_session(h, by_id->at + by_id->first[x],
                            by_id->first[x + 1] - by_id->first[x], s, clock[s]);
        if (t2 != TXN_NONE && w->position[t2] > position)
            return weak_order_refuted(w, t3, t2);
    }
    return true;
}

static bool
check_txn(const struct clocks *c, const struct versions *by_id,
          const uint32_t *clock, txn_id t)
{
    const struct history *h = c->w->h;
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
        if (op_is_external_read(h, op) && !check_read(c, by_id, clock, t, op))
            return false;
    return true;
}

/* The writers of each key in ascending order. */
static void
collect_by_id(const struct weak_order *w, struct versions *v)
{
    const struct history *h = w->h;
    const size_t n = w->versions.first[h->n_keys];
    v->first = mem_alloc((size_t)h->n_keys + 1, sizeof *v->first);
    memcpy(v->first, w->versions.first,
           ((size_t)h->n_keys + 1) * sizeof *v->first);
    v->at = mem_alloc(n, sizeof *v->at);
    for (txn_id t = 0; t < h->n_txns; t++) {
        context_poll_at(t);
        for (op_id op = h->txn_begin[t]; w->position[t] && op < h->txn_end[t];
             op++)
            if (op_is_final_write(h, op))
                v->at[v->first[op_key(h, op)]++] = t;
    }
    memcpy(v->first, w->versions.first,
           ((size_t)h->n_keys + 1) * sizeof *v->first);
}

bool
verify_causal(const struct weak_order *w)
{
    const struct history *h = w->h;
    assert(w->premise == PREMISE_CAUSAL && w->versions.first);
    struct clocks c = {.w = w, .k = h->n_sessions};
    struct versions by_id;
    collect_by_id(w, &by_id);
    c.uses = mem_calloc(h->n_txns, sizeof *c.uses);
    c.entries = mem_calloc(h->n_txns, sizeof *c.entries);
    count_uses(&c);
    bool fine = true;
    size_t stale = 0;
    for (size_t i = 0; fine && stale < w->stale.n; i++) {
        context_poll_at(i);
        const txn_id t = w->order->at[i];
        uint32_t *clock = tick(&c, t);
        if (w->stale.at[stale] == t) {
            fine = check_txn(&c, &by_id, clock, t);
            stale++;
        }
        assert(!c.entries[t]);
        if (c.uses[t])
            c.entries[t] = clock;
        else
            vec_push(&c.unused, clock);
    }
    assert(!fine || stale == w->stale.n);
    for (txn_id t = 0; t < h->n_txns; t++)
        mem_free(c.entries[t]);
    for (size_t i = 0; i < c.unused.n; i++)
        mem_free(c.unused.at[i]);
    vec_free(&c.unused);
    mem_free(c.entries);
    mem_free(c.uses);
    mem_free(by_id.first);
    mem_free(by_id.at);
    return fine;
}
