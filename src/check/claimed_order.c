/* claimed_order.c -- see claimed_order.h.
 *
 * At levels with two points a transaction starts at its start timestamp and
 * commits at its commit timestamp; at the others it happens at its commit.  A
 * snapshot contains what was committed at its own timestamp: at equal
 * timestamps, commits come before starts.  Of a transaction whose two
 * timestamps are equal, which usually wrote nothing, the start comes first.
 * Where two transactions write at the same timestamp their order is open: the
 * one tried here may serve every read, but nothing contradicts the claim if it
 * does not.
 *
 * The run here finds what to say, and who wrote what a read with several
 * candidates saw.  Whether the order is a certificate is for verify/ to say.
 *
 * SPDX-License-Identifier: MIT */
#include "check/claimed_order.h"

#include "verify/verify.h"

#include <stdlib.h>

enum phase { PHASE_COMMIT, PHASE_START, PHASE_LATE_COMMIT };

struct event {
    struct stamp at;
    enum phase phase;
    txn_id txn;
};

struct claimed {
    const struct history *h;
    bool two_points, disjoint;
    VEC(struct event) events;
    const struct event *equal; // the first of two with nothing to order them
    txn_id *writer;            // by key: of the present version
    uint32_t *installed;  // by key: 1 + place of the commit of that version
    uint32_t *started;    // by transaction: 1 + place of its start
    uint8_t *committed;   // by transaction
    txn_id *session_last; // by session: the last one that has started
    struct certificate *out;
    struct buf *why;
};

static bool
writes(const struct history *h, txn_id t)
{
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
        if (op_is_write(h, op))
            return true;
    return false;
}

/* --- the order ------------------------------------------------------------ */

static int
compare_events(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    const int order = stamp_compare(x->at, y->at);
    return order                  ? order
           : x->phase != y->phase ? (x->phase < y->phase ? -1 : 1)
           : x->txn != y->txn     ? (x->txn < y->txn ? -1 : 1)
                                  : 0;
}

static void
add_events(struct claimed *c, txn_id t)
{
    assert(c->h->txn_counts[t] == TXN_COUNTS);
    const struct stamp start = c->h->txn_start_ts[t],
                       commit = c->h->txn_commit_ts[t];
    if (!c->two_points) {
        // What only reads comes after what it has seen.
        const enum phase phase = writes(c->h, t) ? PHASE_COMMIT : PHASE_START;
        vec_push(&c->events, ((struct event){commit, phase, t}));
        return;
    }
    const bool is_late = stamp_compare(start, commit) == 0;
    vec_push(&c->events, ((struct event){start, PHASE_START, t}));
    vec_push(&c->events,
             ((struct event){commit, is_late ? PHASE_LATE_COMMIT : PHASE_COMMIT,
                             t}));
}

/* Two commits in a row with equal timestamps, of transactions that write.
 * Starts see the same state in any order. */
static const struct event *
find_equal(const struct claimed *c)
{
    for (size_t i = 0; i + 1 < c->events.n; i++) {
        const struct event *x = &c->events.at[i], *y = x + 1;
        if (x->phase != PHASE_START && x->phase == y->phase &&
            stamp_compare(x->at, y->at) == 0)
            return x;
    }
    return NULL;
}

/* Order the points of all transactions that count. */
static bool
make_order(struct claimed *c)
{
    const struct history *h = c->h;
    for (txn_id t = 0; t < h->n_txns; t++) {
        if (h->txn_counts[t] != TXN_COUNTS)
            continue;
        if (stamp_is_none(h->txn_commit_ts[t]) ||
            (c->two_points && stamp_is_none(h->txn_start_ts[t]))) {
            history_show_txn(h, t, c->why);
            buf_printf(c->why, " has no %s_ts",
                       stamp_is_none(h->txn_commit_ts[t]) ? "commit" : "start");
            return false;
        }
        add_events(c, t);
    }
    if (c->events.n)
        qsort(c->events.at, c->events.n, sizeof *c->events.at, compare_events);
    c->equal = find_equal(c);
    return true;
}

/* --- the run -------------------------------------------------------------- */

/* Append a transaction with one of its timestamps. */
static void
tell_txn(struct claimed *c, txn_id t, bool at_start)
{
    history_show_txn(c->h, t, c->why);
    if (t >= c->h->n_txns)
        return;
    buf_text(c->why, at_start ? " (start_ts " : " (commit_ts ");
    stamp_show(at_start ? c->h->txn_start_ts[t] : c->h->txn_commit_ts[t],
               c->why);
    buf_char(c->why, ')');
}

/* A read is not served: say by whom it would have to be. */
static bool
contradict_read(struct claimed *c, txn_id t, op_id op)
{
    const key_id k = op_key(c->h, op);
    tell_txn(c, t, c->two_points);
    buf_text(c->why, " did ");
    history_show_op(c->h, op, c->why);
    if (c->writer[k] == TXN_INIT) {
        buf_text(c->why, ", but by the timestamps no transaction had written ");
        history_show_key(c->h, k, c->why);
    } else {
        buf_text(c->why, ", but by the timestamps ");
        tell_txn(c, c->writer[k], false);
        buf_text(c->why, " had written ");
        history_show_key(c->h, k, c->why);
        buf_text(c->why, " last");
    }
    return false;
}

static bool
is_candidate(const struct history *h, value_id v, txn_id writer)
{
    const struct txn_range all = history_candidates(h, v);
    for (size_t i = 0; i < all.n; i++)
        if (all.at[i] == writer)
            return true;
    return false;
}

static bool
run_start(struct claimed *c, txn_id t, uint32_t place)
{
    const struct history *h = c->h;
    assert(!c->started[t]);
    c->started[t] = place + 1;
    txn_id *last = &c->session_last[h->txn_session[t]];
    if (*last != TXN_NONE && (*last > t || !c->committed[*last])) {
        tell_txn(c, t, c->two_points);
        buf_text(c->why, *last > t ? " comes after " : " overlaps ");
        tell_txn(c, *last, c->two_points && *last > t);
        buf_printf(c->why, " by the timestamps, but is %s in their session",
                   *last > t ? "earlier" : "later");
        return false;
    }
    *last = t;
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
        if (!op_is_external_read(h, op))
            continue;
        const value_id v = h->op_value[op];
        const txn_id w = c->writer[op_key(h, op)];
        const bool has_several = history_has_several(h, v);
        if (has_several ? !is_candidate(h, v, w) : history_writer(h, v) != w)
            return contradict_read(c, t, op);
        if (has_several)
            vec_push(&c->out->choices, ((struct choice){op, w}));
    }
    return true;
}

static bool
run_commit(struct claimed *c, txn_id t, uint32_t place)
{
    const struct history *h = c->h;
    if (!c->started[t]) {
        tell_txn(c, t, false);
        buf_text(c->why, " commits before it starts by the timestamps");
        return false;
    }
    assert(!c->committed[t] && c->started[t] <= place + 1);
    c->committed[t] = 1;
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
        if (!op_is_final_write(h, op))
            continue;
        const key_id k = op_key(h, op);
        if (c->disjoint && c->installed[k] > c->started[t]) {
            tell_txn(c, t, true);
            buf_text(c->why, " and ");
            tell_txn(c, c->writer[k], false);
            buf_text(c->why, " overlap by the timestamps, and both wrote ");
            history_show_key(h, k, c->why);
            return false;
        }
        c->writer[k] = t;
        c->installed[k] = place + 1;
    }
    return true;
}

static bool
run(struct claimed *c)
{
    for (uint32_t i = 0; i < c->events.n; i++) {
        const struct event *e = &c->events.at[i];
        const bool starts = !c->two_points || e->phase == PHASE_START;
        const bool commits = !c->two_points || e->phase != PHASE_START;
        if ((starts && !run_start(c, e->txn, i)) ||
            (commits && !run_commit(c, e->txn, i)))
            return false;
        vec_push(&c->out->order,
                 c->two_points ? 2 * e->txn + (commits ? 1 : 0) : e->txn);
    }
    return true;
}

/* The order does not hold. */
static enum claim
reject_order(struct claimed *c)
{
    if (!c->equal)
        return CLAIM_CONTRADICTED;
    buf_clear(c->why);
    history_show_txn(c->h, c->equal[0].txn, c->why);
    buf_text(c->why, " and ");
    history_show_txn(c->h, c->equal[1].txn, c->why);
    buf_text(c->why, " have the same commit_ts ");
    stamp_show(c->equal->at, c->why);
    assert(c->equal[0].txn != c->equal[1].txn);
    return CLAIM_OPEN;
}

/* Run the order and have it verified. */
static enum claim
try_order(struct claimed *c)
{
    struct err err = {0};
    if (!make_order(c))
        return CLAIM_NONE;
    if (!run(c))
        return reject_order(c);
    c->out->verdict = VERDICT_OK;
    c->out->kind = EVIDENCE_ORDER;
    if (verify_certificate(c->h, c->out, &err))
        return CLAIM_HOLDS;
    buf_text(c->why, err.text);
    return reject_order(c);
}

enum claim
claimed_order_try(const struct history *h, enum level level,
                  struct certificate *out, struct buf *why)
{
    assert(level_is_strong(level));
    *out = (struct certificate){.level = level};
    if (!h->txn_commit_ts || level_table[level].one_rw || h->authors.n)
        return CLAIM_NONE;
    struct claimed c = {.h = h,
                        .two_points = level_table[level].two_points,
                        .disjoint = level_separates_writers(level),
                        .out = out,
                        .why = why};
    c.writer = mem_alloc(h->n_keys, sizeof *c.writer);
    c.installed = mem_calloc(h->n_keys, sizeof *c.installed);
    c.started = mem_calloc(h->n_txns, sizeof *c.started);
    c.committed = mem_calloc(h->n_txns, sizeof *c.committed);
    c.session_last = mem_alloc(h->n_sessions, sizeof *c.session_last);
    for (key_id k = 0; k < h->n_keys; k++)
        c.writer[k] = TXN_INIT;
    for (session_id s = 0; s < h->n_sessions; s++)
        c.session_last[s] = TXN_NONE;
    const enum claim claim = try_order(&c);
    assert(claim != CLAIM_HOLDS || out->order.n == c.events.n);
    if (claim != CLAIM_HOLDS) {
        certificate_free(out);
        *out = (struct certificate){.level = level};
    }
    vec_free(&c.events);
    mem_free(c.writer);
    mem_free(c.installed);
    mem_free(c.started);
    mem_free(c.committed);
    mem_free(c.session_last);
    return claim;
}
