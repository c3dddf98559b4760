/* verify_order.c -- replays an order of points at pc, si, ser and the strict
 * levels.
 *
 * The order is walked once, as a store would run it: a start reads, a commit
 * installs.  Nothing is assumed of the order but what is checked here:
 *
 *   - every point of every transaction that counts, once, and of no other but
 *     those that may count; a start before its commit; a session's transactions
 *     one after the other;
 *   - every external read finds the value it saw, written by the writer that
 *     the certificate names where there are several;
 *   - si: the writer of a version starts after the version before it was
 *     installed;
 *   - strict: no transaction starts before the commit of one that ended before
 *     it
 * began;
 *   - lists: elements are appended in the order that was observed.
 *
 * Linear in operations; it runs after every check, so it has to be.
 *
 * SPDX-License-Identifier: MIT */
#include "verify/verify_order.h"

#include "base/limits/context.h"
#include "verify/lists/verify_list_order.h"

struct replay {
    const struct history *h;
    const struct certificate *c;
    bool two_points, disjoint, strict;
    uint32_t *started;    // by transaction: 1 + place of its start, 0 = not yet
    uint8_t *committed;   // by transaction
    txn_id *writer;       // by key: of the present version
    value_id *value;      // by key: the present value
    uint32_t *installed;  // by key, at si: 1 + place of the last commit
    txn_id *chosen;       // by operation; NULL where there are no choices
    txn_id *session_last; // by session: the last transaction to start, or NONE
    int64_t latest_begin; // of all that have started
    struct err *err;
};

static bool
wrong(struct replay *r, txn_id t, const char *what)
{
    struct buf name = {0};
    history_show_txn(r->h, t, &name);
    err_set(r->err, ERR_SYNTAX, "in the order, %s %s", name.at, what);
    buf_free(&name);
    return false;
}

/* --- reads and writes ----------------------------------------------------- */

/* Whether the present version of the key of op serves it. */
static bool
is_served(const struct replay *r, op_id op)
{
    const struct history *h = r->h;
    const key_id k = op_key(h, op);
    const value_id v = h->op_value[op];
    const txn_id w = r->writer[k];
    assert(op_is_external_read(h, op));
    assert(w == TXN_INIT || r->committed[w]);
    if (!history_has_several(h, v))
        return history_writer(h, v) == w;
    if (!r->chosen || r->chosen[op] != w)
        return false;
    return w == TXN_INIT ? history_candidates(h, v).at[0] == TXN_INIT
                         : r->value[k] == v;
}

static bool
start(struct replay *r, txn_id t, uint32_t place)
{
    const struct history *h = r->h;
    if (r->started[t])
        return wrong(r, t, "starts twice");
    assert(!r->committed[t]);
    r->started[t] = place + 1;
    const txn_id before = r->session_last[h->txn_session[t]];
    if (before != TXN_NONE && (before > t || !r->committed[before]))
        return wrong(r, t,
                     "comes before an earlier transaction of its session");
    assert(before == TXN_NONE || h->txn_session[before] == h->txn_session[t]);
    r->session_last[h->txn_session[t]] = t;
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
        if (op_is_external_read(h, op) && !is_served(r, op))
            return wrong(r, t, "reads a version that is not current");
    return true;
}

static bool
commit(struct replay *r, txn_id t, uint32_t place)
{
    const struct history *h = r->h;
    if (!r->started[t] || r->committed[t])
        return wrong(r, t, "commits without a start, or twice");
    r->committed[t] = 1;
    assert(r->started[t] <= place + 1);
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
        if (!op_is_final_write(h, op))
            continue;
        const key_id k = op_key(h, op);
        if (r->disjoint && r->installed[k] > r->started[t])
            return wrong(r, t, "overlaps another writer of a key");
        r->writer[k] = t;
        r->value[k] = h->op_value[op];
        if (r->disjoint)
            r->installed[k] = place + 1;
    }
    return true;
}

/* --- time ----------------------------------------------------------------- */

/* At a commit of t: no transaction that began after t ended has started. */
static bool
respects_end(struct replay *r, txn_id t)
{
    const struct history *h = r->h;
    assert(r->strict && h->txn_ended);
    if (h->txn_status[t] == TXN_COMMITTED && h->txn_ended[t] < r->latest_begin)
        return wrong(r, t,
                     "commits after a transaction that began after its end");
    return true;
}

static void
note_begin(struct replay *r, txn_id t)
{
    if (r->h->txn_began[t] > r->latest_begin)
        r->latest_begin = r->h->txn_began[t];
}

/* --- the walk ------------------------------------------------------------- */

static bool
replay_point(struct replay *r, uint32_t place)
{
    const point_id p = r->c->order.at[place];
    const txn_id t = r->two_points ? p / 2 : p;
    if (t >= r->h->n_txns || r->h->txn_counts[t] == TXN_LEFT_OUT)
        return err_set(
            r->err, ERR_SYNTAX,
            "the order has a point of a transaction that does not count");
    const bool starts = !r->two_points || p % 2 == 0;
    const bool commits = !r->two_points || p % 2 == 1;
    assert(starts || commits);
    if (starts && !start(r, t, place))
        return false;
    if (commits && r->strict && !respects_end(r, t))
        return false;
    if (starts && r->strict)
        note_begin(r, t);
    return !commits || commit(r, t, place);
}

/* Note the choices; each must be for a read with several candidates. */
static bool
note_choices(struct replay *r)
{
    const struct history *h = r->h;
    if (!r->c->choices.n)
        return true;
    r->chosen = mem_alloc(h->n_ops, sizeof *r->chosen);
    memset(r->chosen, 0xff, h->n_ops * sizeof *r->chosen);
    for (size_t i = 0; i < r->c->choices.n; i++) {
        const struct choice *c = &r->c->choices.at[i];
        if (c->read >= h->n_ops || !op_is_external_read(h, c->read) ||
            !history_has_several(h, h->op_value[c->read]))
            return err_set(r->err, ERR_SYNTAX,
                           "a choice for a read that has one candidate");
        // A read that was repeated has one choice for all of them.
        r->chosen[c->read] = c->writer;
    }
    return true;
}

static bool
replay_all(struct replay *r)
{
    const struct history *h = r->h;
    if (!note_choices(r))
        return false;
    for (uint32_t i = 0; i < r->c->order.n; i++) {
        context_poll_at(i);
        if (!replay_point(r, i))
            return false;
    }
    for (txn_id t = 0; t < h->n_txns; t++)
        if (h->txn_counts[t] == TXN_COUNTS ? !r->committed[t]
                                           : r->started[t] && !r->committed[t])
            return wrong(r, t, "is missing");
    return verify_list_order_check(h, &r->c->order, r->two_points, r->err);
}

bool
verify_strong_order(const struct history *h, const struct certificate *c,
                    struct err *err)
{
    assert(level_sees_prefix(c->level));
    struct replay r = {.h = h, .c = c, .err = err, .latest_begin = INT64_MIN};
    r.disjoint = level_separates_writers(c->level);
    r.two_points = level_table[c->level].two_points;
    r.strict = level_table[c->level].needs_times;
    if (r.strict && !h->txn_began)
        return err_set(err, ERR_SYNTAX, "the history has no times");
    r.started = mem_calloc(h->n_txns, sizeof *r.started);
    r.committed = mem_calloc(h->n_txns, sizeof *r.committed);
    r.writer = mem_alloc(h->n_keys, sizeof *r.writer);
    r.value = mem_calloc(h->n_keys, sizeof *r.value);
    r.installed = mem_calloc(r.disjoint ? h->n_keys : 0, sizeof *r.installed);
    r.session_last = mem_alloc(h->n_sessions, sizeof *r.session_last);
    for (key_id k = 0; k < h->n_keys; k++)
        r.writer[k] = TXN_INIT;
    for (session_id s = 0; s < h->n_sessions; s++)
        r.session_last[s] = TXN_NONE;
    assert(!r.disjoint || r.two_points);
    const bool ok = replay_all(&r);
    assert(ok || err->kind != ERR_NONE);
    mem_free(r.started);
    mem_free(r.committed);
    mem_free(r.writer);
    mem_free(r.value);
    mem_free(r.installed);
    mem_free(r.chosen);
    mem_free(r.session_last);
    return ok;
}
