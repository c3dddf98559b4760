/* verify_weak.c -- a commit order at rc, ra or cc.
 *
 * The order is replayed once.  A read from the last writer of its key before
 * the reader satisfies every level: a transaction that precedes the reader, by
 * any premise, and writes the key, comes no later than that writer.  In
 * most histories that is all.  Where values do not repeat, the value identifies
 * the last writer.
 *
 * For the other reads, of key x by t3 from t1, no writer of x between t1 and
 * t3 may have the level's premise with t3:
 *
 *   rc   t3 read from it before;
 *   ra   t3 read from it, or it is before t3 in its session;
 *   cc   it happened before t3: a matter of clocks (verify_causal.c).
 *
 * Writers between t1 and t3 are walked through, or the premises are, whichever
 * are fewer.
 *
 * SPDX-License-Identifier: MIT */
#include "verify/verify_weak.h"

#include "base/limits/context.h"
#include "base/prefetch.h"
#include "verify/lists/verify_list_order.h"
#include "verify/verify_causal.h"

/* --- replay ---------------------------------------------------------------*/

enum { AHEAD = 24 }; // operations between a prefetch and its use

/* What was last written to each key: a value, or its writer where values
 * repeat. */
struct store {
    const struct weak_order *w;
    uint32_t *last;
};

PREFETCHING void
prefetch(const struct store *s, op_id op)
{
    const struct history *h = s->w->h;
    if (op + AHEAD < h->n_ops)
        __builtin_prefetch(&s->last[op_key(h, op + AHEAD)]);
}

static bool
reads_last(const struct store *s, op_id op)
{
    const struct history *h = s->w->h;
    const uint32_t last = s->last[op_key(h, op)];
    return s->w->chosen ? weak_order_writer(s->w, op) == last
                        : h->op_value[op] == last;
}

/* Check that t reads from transactions before it; *stale when one of them may
 * not be the last writer. */
static bool
replay_reads(const struct store *s, txn_id t, bool *stale)
{
    const struct weak_order *w = s->w;
    const struct history *h = w->h;
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
        prefetch(s, op);
        if (!op_is_external_read(h, op) || reads_last(s, op))
            continue;
        const txn_id t1 = weak_order_writer(w, op);
        if (t1 == TXN_NONE)
            return weak_order_wrong(w, t, "has a read without a chosen writer");
        if (t1 != TXN_INIT && !w->position[t1])
            return weak_order_wrong(
                w, t, "reads from a transaction that is not in it");
        if (weak_order_position(w, t1) >= w->position[t])
            return weak_order_wrong(
                w, t, "is before a transaction that it reads from");
        assert(t1 == TXN_INIT || w->position[t1]);
        *stale = true;
    }
    return true;
}

static bool
replay(struct weak_order *w)
{
    const struct history *h = w->h;
    const struct store s = {w, mem_alloc(h->n_keys, sizeof *s.last)};
    for (key_id k = 0; k < h->n_keys; k++)
        s.last[k] = w->chosen ? TXN_INIT : VALUE_INIT;
    bool fine = true;
    for (size_t i = 0; fine && i < w->order->n; i++) {
        const txn_id t = w->order->at[i];
        bool stale = false;
        context_poll_at(i);
        assert(w->position[t] == i + 1);
        fine = replay_reads(&s, t, &stale);
        if (stale)
            vec_push(&w->stale, t);
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
            if (op_is_write(h, op))
                s.last[op_key(h, op)] = w->chosen ? t : h->op_value[op];
    }
    mem_free(s.last);
    return fine;
}

/* --- rc and ra ------------------------------------------------------------*/

/* The transactions that the present one, t3, read from, and where first. */
struct sources {
    uint32_t *by; // by transaction: 1 + t3
    op_id *at;    // by transaction
    u32_vec all;  // each once
};

static void
collect_sources(const struct weak_order *w, txn_id t3, struct sources *m)
{
    const struct history *h = w->h;
    vec_clear(&m->all);
    for (op_id op = h->txn_begin[t3]; op < h->txn_end[t3]; op++) {
        if (!op_is_external_read(h, op))
            continue;
        const txn_id t = weak_order_writer(w, op);
        if (t == TXN_INIT || m->by[t] == t3 + 1)
            continue;
        assert(t != t3 && w->position[t] < w->position[t3]);
        m->by[t] = t3 + 1;
        m->at[t] = op;
        vec_push(&m->all, t);
    }
}

/* Whether t3 read from t2, in time for 'op'. */
static bool
has_read_from(const struct weak_order *w, const struct sources *m, txn_id t3,
              txn_id t2, op_id op)
{
    return m->by[t2] == t3 + 1 &&
           (w->premise == PREMISE_DIRECT || m->at[t2] < op_place(w->h, op));
}

static bool
check_stale_read(const struct weak_order *w, const struct sources *m, txn_id t3,
                 op_id op)
{
    const key_id x = op_key(w->h, op);
    const uint32_t position = weak_order_position(w, weak_order_writer(w, op));
    const struct versions *v = &w->versions;
    const uint32_t begin = weak_order_after(w, x, position);
    const uint32_t end = weak_order_after(w, x, w->position[t3] - 1);
    assert(begin <= end); // what was read is before the reader
    if (end - begin <= m->all.n) {
        for (uint32_t i = begin; i < end; i++)
            if (has_read_from(w, m, t3, v->at[i], op))
                return weak_order_refuted(w, t3, v->at[i]);
        return true;
    }
    for (size_t i = 0; i < m->all.n; i++) {
        const txn_id t2 = m->all.at[i];
        if (w->position[t2] <= position || !has_read_from(w, m, t3, t2, op))
            continue;
        const uint32_t place = weak_order_after(w, x, w->position[t2] - 1);
        if (place < v->first[x + 1] && v->at[place] == t2)
            return weak_order_refuted(w, t3, t2);
    }
    return true;
}

static bool
check_stale_reads(const struct weak_order *w)
{
    const struct history *h = w->h;
    struct sources m = {0};
    m.by = mem_calloc(h->n_txns, sizeof *m.by);
    m.at = mem_alloc(h->n_txns, sizeof *m.at);
    bool fine = true;
    for (size_t i = 0; fine && i < w->stale.n; i++) {
        const txn_id t = w->stale.at[i];
        collect_sources(w, t, &m);
        for (op_id op = h->txn_begin[t]; fine && op < h->txn_end[t]; op++)
            if (op_is_external_read(h, op))
                fine = check_stale_read(w, &m, t, op);
    }
    mem_free(m.by);
    mem_free(m.at);
    vec_free(&m.all);
    return fine;
}

/* ra: a read sees its own session's last write of the key, or a later one. */
static bool
check_sessions(const struct weak_order *w)
{
    const struct history *h = w->h;
    txn_id *last = mem_calloc(h->n_keys, sizeof *last); // 1 + transaction
    bool fine = true;
    for (txn_id t = 0; fine && t < h->n_txns; t++) {
        context_poll_at(t);
        if (!w->position[t])
            continue;
        const txn_id first = h->session_first[h->txn_session[t]];
        for (op_id op = h->txn_begin[t]; fine && op < h->txn_end[t]; op++) {
            const txn_id own = last[op_key(h, op)];
            if (own > first && op_is_external_read(h, op) &&
                weak_order_position(w, weak_order_writer(w, op)) <
                    w->position[own - 1])
                fine = weak_order_refuted(w, t, own - 1);
        }
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
            if (op_is_write(h, op))
                last[op_key(h, op)] = t + 1;
    }
    mem_free(last);
    return fine;
}

/* --- all together ---------------------------------------------------------*/

static bool
check_premises(struct weak_order *w)
{
    assert(w->stale.n <= w->order->n && w->premise != PREMISE_NONE);
    if (!w->stale.n)
        return true;
    weak_order_collect_versions(w);
    if (w->premise == PREMISE_CAUSAL)
        return verify_causal(w);
    return check_stale_reads(w) &&
           (w->premise != PREMISE_DIRECT || check_sessions(w));
}

bool
verify_weak_order(const struct history *h, const struct certificate *c,
                  struct err *err)
{
    struct weak_order w;
    const bool fine = weak_order_init(&w, h, c, err) && replay(&w) &&
                      verify_list_order_check(h, &c->order, false, err) &&
                      check_premises(&w);
    weak_order_free(&w);
    assert(fine || err->kind != ERR_NONE);
    return fine;
}
