/* brute_predict.c -- see brute_predict.h.
 *
 * All bases, all boundary transactions, all writers of their reads; for each
 * execution all commit orders, and for psi all version orders.
 *
 * SPDX-License-Identifier: MIT */
#include "brute_predict.h"

enum {
    TXNS = BRUTE_PREDICT_TXNS,
    EVENTS = 24, // of a transaction
    INIT = -1,
};

#define WANTED                                                                 \
    (1u << LEVEL_RC | 1u << LEVEL_RA | 1u << LEVEL_CC | 1u << LEVEL_PC |       \
     1u << LEVEL_PSI | 1u << LEVEL_SI)

struct event {
    bool is_write;
    uint32_t key;
    int writer; // of a read: a transaction, or INIT
};

struct txn {
    uint32_t session;
    int n;
    struct event events[EVENTS];
};

struct brute {
    int n; // transactions
    uint32_t keys;
    bool is_strict, is_approximate;
    struct txn seen[TXNS]; // as observed
    bool base[TXNS];
    bool in[TXNS];        // in the execution being built
    struct txn now[TXNS]; // as they are in it
    bool is_unconditional;
    const uint32_t *rows;
    level_set found;
    int place[TXNS];       // in the commit order being tried
    int version[TXNS][32]; // in the version order being tried, by key
};

/* --- the history ---------------------------------------------------------- */

static int
find_writer(const struct history *h, op_id read)
{
    if (h->op_value[read] == VALUE_INIT)
        return INIT;
    for (txn_id t = 0; t < h->n_txns; t++)
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
            if (op_is_write(h, op) && h->op_value[op] == h->op_value[read])
                return (int)t;
    assert(false);
    return INIT;
}

/* Whether t writes the key of op in [first, end). */
static bool
writes_within(const struct history *h, op_id op, op_id first, op_id end)
{
    for (op_id i = first; i < end; i++)
        if (op_is_write(h, i) && op_key(h, i) == op_key(h, op))
            return true;
    return false;
}

static void
take_history(struct brute *b, const struct history *h)
{
    b->n = (int)h->n_txns;
    b->keys = h->n_keys;
    assert(b->n <= TXNS && b->keys <= 32);
    for (txn_id t = 0; t < h->n_txns; t++) {
        struct txn *x = &b->seen[t];
        x->session = h->txn_session[t];
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
            const bool is_write = op_is_write(h, op);
            if (is_write ? writes_within(h, op, op + 1, h->txn_end[t])
                         : writes_within(h, op, h->txn_begin[t], op))
                continue; // overwritten, or internal
            assert(x->n < EVENTS);
            x->events[x->n++] = (struct event){
                is_write, op_key(h, op), is_write ? INIT : find_writer(h, op)};
        }
    }
}

/* --- relations of the execution ------------------------------------------- */

static bool
writes(const struct brute *b, int t, uint32_t key)
{
    for (int i = 0; i < b->now[t].n; i++)
        if (b->now[t].events[i].is_write && b->now[t].events[i].key == key)
            return true;
    return false;
}

static bool
so(const struct brute *b, int a, int t)
{
    return b->in[a] && b->in[t] && a < t &&
           b->now[a].session == b->now[t].session;
}

static bool
wr(const struct brute *b, int a, int t)
{
    for (int i = 0; b->in[a] && b->in[t] && i < b->now[t].n; i++)
        if (!b->now[t].events[i].is_write && b->now[t].events[i].writer == a)
            return true;
    return false;
}

static void
close_over(int n, bool m[TXNS][TXNS])
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                m[i][j] |= m[i][k] && m[k][j];
}

static bool
are_reads_repeatable(const struct brute *b)
{
    for (int t = 0; t < b->n; t++)
        for (int i = 0; b->in[t] && i < b->now[t].n; i++)
            for (int j = 0; j < i; j++) {
                const struct event *x = &b->now[t].events[i];
                const struct event *y = &b->now[t].events[j];
                if (!x->is_write && !y->is_write && x->key == y->key &&
                    x->writer != y->writer)
                    return false;
            }
    return true;
}

/* --- levels with a commit order ------------------------------------------- */

/* premise(t2, t3) of doc/levels.md for event i of t3; 'happens' is (so u wr)+.
 */
static bool
premise(const struct brute *b, enum level level, int t2, int t3, int i,
        bool happens[TXNS][TXNS])
{
    const struct txn *x = &b->now[t3];
    switch (level) {
    case LEVEL_RC:
        for (int j = 0; j < i; j++)
            if (!x->events[j].is_write && x->events[j].writer == t2)
                return true;
        return false;
    case LEVEL_RA:
        return so(b, t2, t3) || wr(b, t2, t3);
    case LEVEL_CC:
        return happens[t2][t3];
    case LEVEL_SER:
        return b->place[t2] < b->place[t3];
    case LEVEL_PC:
    case LEVEL_SI:
        break;
    default:
        assert(false);
    }
    for (int t4 = 0; t4 < b->n; t4++) {
        if (!b->in[t4] || b->place[t2] > b->place[t4])
            continue;
        if (so(b, t4, t3) || wr(b, t4, t3))
            return true;
        if (level == LEVEL_SI && b->place[t4] < b->place[t3])
            for (uint32_t k = 0; k < b->keys; k++)
                if (writes(b, t4, k) && writes(b, t3, k))
                    return true;
    }
    return false;
}

/* Whether the commit order in 'place' satisfies the level's axiom. */
static bool
order_satisfies(const struct brute *b, enum level level,
                bool happens[TXNS][TXNS])
{
    for (int t3 = 0; t3 < b->n; t3++)
        for (int i = 0; b->in[t3] && i < b->now[t3].n; i++) {
            const struct event *e = &b->now[t3].events[i];
            if (e->is_write)
                continue;
            for (int t2 = 0; t2 < b->n; t2++)
                if (b->in[t2] && t2 != e->writer && t2 != t3 &&
                    writes(b, t2, e->key) &&
                    (e->writer == INIT || b->place[t2] > b->place[e->writer]) &&
                    premise(b, level, t2, t3, i, happens))
                    return false;
        }
    return true;
}

/* Try every way to put the remaining transactions at places from n on. */
static bool
try_orders(struct brute *b, enum level level, int n, bool happens[TXNS][TXNS])
{
    bool all = true, found = false;
    for (int t = 0; t < b->n && !found; t++) {
        if (!b->in[t] || b->place[t] >= 0)
            continue;
        all = false;
        bool first = true; // of those that are left
        for (int u = 0; u < b->n; u++)
            first &= !(b->in[u] && b->place[u] < 0 && happens[u][t]);
        if (!first)
            continue;
        b->place[t] = n;
        found = try_orders(b, level, n + 1, happens);
        b->place[t] = -1;
    }
    return found || (all && order_satisfies(b, level, happens));
}

/* --- psi ------------------------------------------------------------------ */

static bool
rw(const struct brute *b, int a, int t)
{
    for (int i = 0; b->in[a] && b->in[t] && a != t && i < b->now[a].n; i++) {
        const struct event *e = &b->now[a].events[i];
        if (!e->is_write && writes(b, t, e->key) && t != e->writer &&
            (e->writer == INIT ||
             b->version[e->writer][e->key] < b->version[t][e->key]))
            return true;
    }
    return false;
}

static bool
versions_satisfy(const struct brute *b)
{
    bool m[TXNS][TXNS] = {{0}};
    for (int i = 0; i < b->n; i++)
        for (int j = 0; j < b->n; j++) {
            m[i][j] = so(b, i, j) || wr(b, i, j);
            for (uint32_t k = 0; k < b->keys; k++)
                m[i][j] |= b->in[i] && b->in[j] && i != j && writes(b, i, k) &&
                           writes(b, j, k) &&
                           b->version[i][k] < b->version[j][k];
        }
    close_over(b->n, m);
    for (int i = 0; i < b->n; i++) {
        if (m[i][i])
            return false;
        for (int j = 0; j < b->n; j++)
            if (m[i][j] && rw(b, j, i))
                return false;
    }
    return true;
}

/* Try every order of the versions of keys from k on, n of which are placed. */
static bool
try_versions(struct brute *b, uint32_t k, int n)
{
    if (k == b->keys)
        return versions_satisfy(b);
    bool all = true, found = false;
    for (int t = 0; t < b->n && !found; t++) {
        if (!b->in[t] || !writes(b, t, k) || b->version[t][k] >= 0)
            continue;
        all = false;
        b->version[t][k] = n;
        found = try_versions(b, k, n + 1);
        b->version[t][k] = -1;
    }
    return found || (all && try_versions(b, k + 1, 0));
}

/* --- one execution -------------------------------------------------------- */

static bool
satisfies(struct brute *b, enum level level)
{
    bool happens[TXNS][TXNS];
    for (int i = 0; i < b->n; i++)
        for (int j = 0; j < b->n; j++)
            happens[i][j] = so(b, i, j) || wr(b, i, j);
    close_over(b->n, happens);
    for (int i = 0; i < b->n; i++)
        if (happens[i][i])
            return false;
    memset(b->place, -1, sizeof b->place);
    memset(b->version, -1, sizeof b->version);
    if (level == LEVEL_PSI)
        return are_reads_repeatable(b) && try_versions(b, 0, 0);
    return try_orders(b, level, 0, happens);
}

/* What the read of 'key' by t from w says about v, which writes the key too,
 * where m is known: true if that is new. */
static bool
infer(const struct brute *b, bool m[TXNS][TXNS], int t, uint32_t key, int w,
      int v)
{
    if (!b->in[v] || v == w || v == t || !writes(b, v, key))
        return false;
    if ((w == INIT || m[w][v]) && !m[t][v])
        return m[t][v] = true;
    if (w != INIT && m[v][t] && !m[v][w])
        return m[v][w] = true;
    return false;
}

/* Whether session order, reads and what follows from them for the order of
 * versions is a cycle. */
static bool
is_plainly_cyclic(const struct brute *b)
{
    bool m[TXNS][TXNS];
    for (int i = 0; i < b->n; i++)
        for (int j = 0; j < b->n; j++)
            m[i][j] = so(b, i, j) || wr(b, i, j);
    for (bool more = true; more;) {
        more = false;
        close_over(b->n, m);
        for (int t = 0; t < b->n; t++)
            for (int i = 0; b->in[t] && i < b->now[t].n; i++)
                for (int v = 0; v < b->n; v++)
                    more |= !b->now[t].events[i].is_write &&
                            infer(b, m, t, b->now[t].events[i].key,
                                  b->now[t].events[i].writer, v);
    }
    for (int i = 0; i < b->n; i++)
        if (m[i][i])
            return true;
    return false;
}

/* Let boundary transactions go on to write what they were observed to, and let
 * all write rows; these are keys behind the others. */
static void
complete(struct brute *b, uint32_t keys)
{
    for (int t = 0; t < b->n; t++) {
        struct txn *x = &b->now[t];
        for (int i = b->in[t] ? x->n : EVENTS; i < b->seen[t].n; i++)
            if (b->seen[t].events[i].is_write)
                x->events[x->n++] = b->seen[t].events[i];
        for (int i = 0, n = x->n; b->rows && b->in[t] && i < n; i++)
            if (x->events[i].is_write &&
                !writes(b, t, keys + b->rows[x->events[i].key]))
                x->events[x->n++] = (struct event){
                    true, keys + b->rows[x->events[i].key], INIT};
        assert(x->n <= EVENTS);
    }
    b->keys = keys + (b->rows ? keys : 0);
}

/* Whether the level holds, in all that is asked for. */
static bool
holds(struct brute *b, enum level level)
{
    if (!satisfies(b, level))
        return false;
    if (!b->is_unconditional)
        return true;
    struct brute whole = *b;
    complete(&whole, b->keys);
    return satisfies(&whole, level);
}

static void
judge(struct brute *b)
{
    if (b->is_approximate ? !is_plainly_cyclic(b) : satisfies(b, LEVEL_SER))
        return;
    for (int l = LEVEL_RC; l <= LEVEL_SI; l++)
        if (!(b->found >> l & 1) && holds(b, (enum level)l))
            b->found |= 1u << l;
}

/* --- all executions ------------------------------------------------------- */

static void extend(struct brute *b, int t);

/* Give event i of boundary transaction t every writer it may have. */
static void
choose(struct brute *b, int t, int i, bool changed)
{
    struct txn *x = &b->now[t];
    while (i < b->seen[t].n && b->seen[t].events[i].is_write) {
        x->events[i] = b->seen[t].events[i];
        i++;
    }
    if (i == b->seen[t].n) {
        x->n = i;
        if (!b->is_strict && changed)
            extend(b, t + 1);
        return;
    }
    const struct event seen = b->seen[t].events[i];
    for (int w = INIT; w < b->n; w++) {
        bool offers = w == INIT;
        for (int j = 0; w != INIT && b->base[w] && j < b->seen[w].n; j++)
            offers |= b->seen[w].events[j].is_write &&
                      b->seen[w].events[j].key == seen.key;
        if (!offers)
            continue;
        x->events[i] = seen;
        x->events[i].writer = w;
        if (!b->is_strict) {
            choose(b, t, i + 1, changed || w != seen.writer);
        } else if (w != seen.writer) {
            x->n = i + 1;
            extend(b, t + 1);
        } else {
            choose(b, t, i + 1, false);
        }
        x->events[i] = seen;
        x->events[i].writer = w;
    }
}

/* Transactions below t are settled, with respect to the base. */
static void
extend(struct brute *b, int t)
{
    if ((b->found & WANTED) == WANTED)
        return;
    while (t < b->n && b->base[t])
        t++;
    if (t >= b->n) {
        judge(b);
        return;
    }
    b->in[t] = false;
    extend(b, t + 1);
    const bool follows = t == 0 ||
                         b->seen[t - 1].session != b->seen[t].session ||
                         b->base[t - 1];
    if (!follows)
        return;
    b->in[t] = true;
    b->now[t].session = b->seen[t].session;
    choose(b, t, 0, false);
    b->in[t] = false;
}

static bool
is_closed(const struct brute *b)
{
    for (int t = 0; t < b->n; t++) {
        if (!b->base[t])
            continue;
        if (t && b->seen[t - 1].session == b->seen[t].session &&
            !b->base[t - 1])
            return false;
        for (int i = 0; i < b->seen[t].n; i++) {
            const struct event *e = &b->seen[t].events[i];
            if (!e->is_write && e->writer != INIT && !b->base[e->writer])
                return false;
        }
    }
    return true;
}

level_set
brute_predict(const struct history *h, struct brute_question asked)
{
    struct brute b = {.is_strict = asked.is_strict,
                      .is_approximate = asked.is_approximate,
                      .is_unconditional = asked.is_unconditional,
                      .rows = asked.rows};
    take_history(&b, h);
    for (unsigned set = 0; set < 1u << b.n; set++) {
        for (int t = 0; t < b.n; t++) {
            b.base[t] = b.in[t] = set >> t & 1;
            b.now[t] = b.seen[t];
        }
        if (is_closed(&b))
            extend(&b, 0);
    }
    return b.found & WANTED;
}
