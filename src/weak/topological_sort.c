/* topological_sort.c -- topological order of a graph that is made of few
 * chains.
 *
 * Sessions are chains, which keeps the state of the sort small.  The
 * transactions that are done are a prefix of each session, so they need no
 * mark.  The depth-first search needs no stack of nodes: it notes, for each
 * session, the transaction that the session has to advance past.
 *
 *   next[s]   the first transaction of session s that is not done.
 *   stack     of requests (s, until): session s has to advance past 'until'.
 *
 * Invariants at the top of the loop:
 *
 *   (1) each session is at most once on the stack, so the stack holds at most
 *       k requests, whatever the length of the history;
 *   (2) the transaction next[s] of each request below the top cannot be done
 *       before 'until' of the request above it.
 *
 * A transaction that has to wait for one of a session that is on the stack
 * therefore closes a cycle (2), and the search ends there.
 *
 * Edges are followed backwards only, from a transaction to those it has to
 * wait for: the one before it in its session, the writers of its reads, which
 * stand in its operations, and those in 'more'.  So no graph is built.
 *
 * On the way, last[x] is the last write of key x so far.  A read of that value
 * is never a reason to wait, and its writer need not be looked up.
 *
 * SPDX-License-Identifier: MIT */
#include "weak/topological_sort.h"

#include "base/limits/tuning.h"
#include "base/paranoid.h"
#include "base/prefetch.h"

struct request {
    session_id session;
    txn_id until;
};

/* Where the search is in the edges into next[s]. */
struct progress {
    txn_id next;
    op_id op;      // operations before it need no waiting
    uint32_t edge; // index into more->from
    bool waiting;  // on the stack
    bool begun;    // op and edge are those of 'next'
    bool stale;    // a read so far was stale
};

struct search {
    const struct writer_assignment *r;
    const struct predecessors *more;
    struct topological_order *out;
    u32_vec *stale;
    uint32_t *last; // by key: a value, or, where values repeat, its writer
    struct progress *sessions;
    VEC(struct request) stack;
};

void
topological_order_free(struct topological_order *s)
{
    mem_free(s->at);
    mem_free(s->position);
    *s = (struct topological_order){0};
}

PREFETCHING void
prefetch(const struct search *s, op_id op)
{
    const struct history *h = s->r->h;
    if (op + TUNE_PREFETCH_OPS >= h->n_ops)
        return;
    __builtin_prefetch(&s->last[op_key(h, op + TUNE_PREFETCH_OPS)]);
    if (s->r->chosen && !op_is_write(h, op + TUNE_PREFETCH_OPS))
        __builtin_prefetch(&h->values[h->op_value[op + TUNE_PREFETCH_OPS]]);
}

/* Whether the external read op sees what was last written to its key.  False
 * also for a read of the initial state where its value got an id (H3). */
static inline bool
reads_last(const struct search *s, op_id op)
{
    const struct history *h = s->r->h;
    return s->last[op_key(h, op)] ==
           (s->r->chosen ? assigned_writer(s->r, op) : h->op_value[op]);
}

/* A transaction that t, the next of its session, has to wait for, or
 * TXN_NONE. */
static txn_id
find_unmet(struct search *s, struct progress *p, txn_id t)
{
    const struct history *h = s->r->h;
    if (!p->begun) {
        p->begun = true;
        p->stale = false;
        p->op = h->txn_begin[t];
        p->edge = s->more ? s->more->first[t] : 0;
    }
    for (; p->op < h->txn_end[t]; p->op++) {
        prefetch(s, p->op);
        // Both are evaluated: a branch on the first would be mispredicted half
        // of the time.
        if ((int)!op_is_external_read(h, p->op) | reads_last(s, p->op))
            continue;
        const txn_id w = assigned_writer(s->r, p->op);
        if (w != TXN_INIT && !s->out->position[w])
            return w;
        p->stale = true;
    }
    for (; s->more && p->edge < s->more->first[t + 1]; p->edge++)
        if (!s->out->position[s->more->from[p->edge]])
            return s->more->from[p->edge];
    return TXN_NONE;
}

/* Whether t has a stale read by now.  Where t had to wait, a read that was not
 * stale when it was visited may have become so. */
static bool
is_stale(const struct search *s, txn_id t)
{
    const struct history *h = s->r->h;
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
        if (op_is_external_read(h, op) && !reads_last(s, op))
            return true;
    return false;
}

static void
emit(struct search *s, struct progress *p, txn_id t)
{
    const struct history *h = s->r->h;
    if (s->stale && (p->stale || (p->waiting && is_stale(s, t))))
        vec_push(s->stale, t);
    assert(!s->out->position[t] && s->r->counts[t]);
    s->out->at[s->out->n++] = t;
    s->out->position[t] = (uint32_t)s->out->n;
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
        uint32_t none; // a target instead of a branch
        uint32_t *last = op_is_write(h, op) ? &s->last[op_key(h, op)] : &none;
        *last = s->r->chosen ? t : h->op_value[op];
    }
}

/* Make the session of t advance past t; false where that closed a cycle. */
static bool
advance(struct search *s, txn_id t)
{
    const struct history *h = s->r->h;
    vec_push(&s->stack, ((struct request){h->txn_session[t], t}));
    s->sessions[h->txn_session[t]].waiting = true;
    while (s->stack.n) {
        assert(s->stack.n <= h->n_sessions); // (1)
        const struct request top = vec_top(&s->stack);
        struct progress *p = &s->sessions[top.session];
        if (p->next > top.until) {
            p->waiting = false;
            (void)vec_pop(&s->stack);
            continue;
        }
        const txn_id u = p->next;
        const txn_id unmet = s->r->counts[u] ? find_unmet(s, p, u) : TXN_NONE;
        if (unmet != TXN_NONE) {
            struct progress *q = &s->sessions[h->txn_session[unmet]];
            assert(q->next <= unmet);
            if (q->waiting)
                return false; // (2)
            q->waiting = true;
            vec_push(&s->stack,
                     ((struct request){h->txn_session[unmet], unmet}));
            continue;
        }
        if (s->r->counts[u])
            emit(s, p, u);
        p->begun = false;
        p->next++;
    }
    return true;
}

/* The usual case: t is the next of its session and need not wait. */
static bool
step(struct search *s, txn_id t)
{
    struct progress *p = &s->sessions[s->r->h->txn_session[t]];
    if (p->next != t || find_unmet(s, p, t) != TXN_NONE)
        return false;
    emit(s, p, t);
    p->begun = false;
    p->next++;
    return true;
}

bool
topological_sort_find(const struct writer_assignment *r,
                      const struct predecessors *more, const u32_vec *roots,
                      struct topological_order *out, u32_vec *stale)
{
    const struct history *h = r->h;
    struct search s = {.r = r, .more = more, .out = out, .stale = stale};
    s.last = mem_alloc(h->n_keys, sizeof *s.last);
    for (key_id k = 0; k < h->n_keys; k++)
        s.last[k] = r->chosen ? TXN_INIT : VALUE_INIT;
    s.sessions = mem_calloc(h->n_sessions, sizeof *s.sessions);
    for (session_id i = 0; i < h->n_sessions; i++)
        s.sessions[i].next = h->session_first[i];
    *out = (struct topological_order){0};
    out->at = mem_alloc(roots->n, sizeof *out->at);
    out->position = mem_calloc(h->n_txns, sizeof *out->position);

    bool acyclic = true;
    for (size_t i = 0; acyclic && i < roots->n; i++)
        if (!out->position[roots->at[i]] && r->counts[roots->at[i]] &&
            !step(&s, roots->at[i]))
            acyclic = advance(&s, roots->at[i]);
    assert(!acyclic || h->n_optional || out->n == roots->n);
    if (acyclic)
        PARANOID(topological_order_check(out, r, more));

    vec_free(&s.stack);
    mem_free(s.sessions);
    mem_free(s.last);
    return acyclic;
}

void
topological_order_check(const struct topological_order *s,
                        const struct writer_assignment *r,
                        const struct predecessors *more)
{
    const struct history *h = r->h;
    size_t n = 0;
    for (txn_id t = 0; t < h->n_txns; t++) {
        const uint32_t place = s->position[t];
        ENSURE((place != 0) == (r->counts[t] != 0));
        if (!place)
            continue;
        n++;
        ENSURE(place <= s->n && s->at[place - 1] == t);
        const txn_id before = assignment_session_before(r, t);
        ENSURE(before == TXN_NONE || s->position[before] < place);
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
            ENSURE(!op_is_external_read(h, op) ||
                   topological_order_position(s, assigned_writer(r, op)) <
                       place);
        for (uint32_t i = more ? more->first[t] : 0;
             more && i < more->first[t + 1]; i++)
            ENSURE(s->position[more->from[i]] < place);
    }
    ENSURE(n == s->n);
}

/* --- the order of the input ------------------------------------------------*/

/* Whether the input lists one session after the other, several of them. */
static bool
is_by_session(const struct history *h)
{
    for (uint32_t i = 1; i < h->n_txns; i++)
        if (h->arrival[i] < h->arrival[i - 1])
            return false;
    return h->n_sessions > 1;
}

/* The relative place of the i-th of n transactions, as a number below
 * 'whole'. */
static size_t
relative_place(uint64_t i, uint64_t n, uint64_t whole)
{
    assert(i < n);
    return (size_t)((2 * i + 1) * whole / (2 * n));
}

/* Append the transactions that count or may count by their relative place in
 * their sessions: a counting sort. */
static void
interleave_sessions(const struct history *h, u32_vec *roots)
{
    const size_t n = h->n_txns;
    uint32_t *next = mem_calloc(n + 1, sizeof *next);
    for (session_id s = 0; s < h->n_sessions; s++) {
        const txn_id first = h->session_first[s];
        const uint32_t length = h->session_first[s + 1] - first;
        for (uint32_t i = 0; i < length; i++)
            next[relative_place(i, length, n) + 1] +=
                h->txn_counts[first + i] != 0;
    }
    for (size_t i = 0; i < n; i++)
        next[i + 1] += next[i];
    vec_grow(roots, next[n]);
    for (session_id s = 0; s < h->n_sessions; s++) {
        const txn_id first = h->session_first[s];
        const uint32_t length = h->session_first[s + 1] - first;
        for (uint32_t i = 0; i < length; i++)
            if (h->txn_counts[first + i])
                roots->at[next[relative_place(i, length, n)]++] = first + i;
    }
    assert(next[n - 1] == roots->n);
    mem_free(next);
}

void
topological_sort_suggest(const struct history *h, u32_vec *roots)
{
    if (is_by_session(h)) {
        interleave_sessions(h, roots);
        return;
    }
    vec_reserve(roots, h->n_txns);
    for (uint32_t i = 0; i < h->n_txns; i++)
        if (h->txn_counts[h->arrival[i]])
            vec_push(roots, h->arrival[i]);
}
