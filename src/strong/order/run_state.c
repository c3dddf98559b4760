/* run_state.c -- see run_state.h.
 *
 * SPDX-License-Identifier: MIT */
#include "strong/order/run_state.h"

#include "base/container/hash.h"
#include "base/paranoid.h"

static bool
is_txn(const struct run_state *s, uint32_t point)
{
    return point < depend_txn_points(s->p);
}

static bool
starts(const struct run_state *s, uint32_t point)
{
    return is_txn(s, point) && (!s->p->two_points || point % 2 == 0);
}

/* Whether a point must run in the end. */
static bool
is_due(const struct run_state *s, uint32_t point)
{
    return !is_txn(s, point) || depend_is_certain(s->p, point_txn(s->p, point));
}

/* --- what may run --------------------------------------------------------- */

static bool
reads_are_served(const struct run_state *s, dense_id t)
{
    const struct dependencies *p = s->p;
    for (read_id r = p->read_first[t]; r < p->read_first[t + 1]; r++)
        if (!version_serves(p, s->now[read_key(p, r)], r))
            return false;
    if (p->separates_writers)
        for (version_id w = p->write_first[t]; w < p->write_first[t + 1]; w++)
            if (s->locked[p->version_key[w]] != DENSE_INIT)
                return false;
    return true;
}

/* Reads by t itself of version v, which start together with its commit. */
static void
count_own(const struct run_state *s, dense_id t, version_id v, uint32_t *known,
          uint32_t *unknown)
{
    const struct dependencies *p = s->p;
    *known = *unknown = 0;
    for (read_id r = p->read_first[t];
         !p->two_points && r < p->read_first[t + 1]; r++) {
        *known += p->read_version[r] == v;
        *unknown += p->read_version[r] == VERSION_NONE &&
                    p->h->op_value[p->read_op[r]] == p->version_value[v];
    }
}

static bool
writes_lose_nothing(const struct run_state *s, dense_id t)
{
    const struct dependencies *p = s->p;
    for (version_id w = p->write_first[t]; w < p->write_first[t + 1]; w++) {
        const version_id v = s->now[p->version_key[w]];
        const value_id value = p->version_value[v];
        uint32_t known, unknown;
        count_own(s, t, v, &known, &unknown);
        if (s->known_left[v] > known)
            return false;
        if (value != p->version_value[w] && value != VALUE_INIT &&
            !s->writers_left[value] && s->unknown_left[value] > unknown)
            return false;
    }
    return true;
}

/* Whether t, if it is optional, can still count. */
static bool
may_count(const struct run_state *s, dense_id t)
{
    const struct dependencies *p = s->p;
    if (depend_is_certain(p, t))
        return true;
    if (!depend_is_open(p, t))
        return false;
    for (dense_id next = depend_follower(p, t, DENSE_INIT); next != DENSE_INIT;
         next = depend_follower(p, t, next))
        if (run_state_has_run(s, point_start(p, next)))
            return false;
    return true;
}

bool
run_state_may_run(const struct run_state *s, uint32_t point)
{
    assert(s->front[s->p->g.seat[point].chain] == point);
    if (s->missing[point])
        return false;
    if (is_txn(s, point) && !may_count(s, point_txn(s->p, point)))
        return false;
    if (starts(s, point) && !reads_are_served(s, point_txn(s->p, point)))
        return false;
    return !run_state_commits(s, point) ||
           writes_lose_nothing(s, point_txn(s->p, point));
}

bool
run_state_is_harmless(const struct run_state *s, uint32_t point)
{
    if (!is_txn(s, point))
        return true;
    if (!is_due(s, point))
        return false;
    const dense_id t = point_txn(s->p, point);
    return s->p->write_first[t] == s->p->write_first[t + 1] ||
           (s->p->two_points && !s->p->separates_writers && starts(s, point));
}

/* --- running and undoing -------------------------------------------------- */

static uint64_t
hash_current(const struct run_state *s, key_id k)
{
    const version_id v = s->now[k];
    return s->known_left[v]
               ? hash_pair(v, 1)
               : hash_pair((uint64_t)k << 32 | s->p->version_value[v], 2);
}

/* Count the reads of t as started (by -1) or as to come again (by +1). */
static void
count_reads(struct run_state *s, dense_id t, uint32_t by)
{
    const struct dependencies *p = s->p;
    for (read_id r = p->read_first[t]; r < p->read_first[t + 1]; r++) {
        const key_id k = read_key(p, r);
        s->hash ^= hash_current(s, k);
        if (p->read_version[r] != VERSION_NONE)
            s->known_left[p->read_version[r]] += by;
        else if (depend_is_certain(p, t))
            s->unknown_left[p->h->op_value[p->read_op[r]]] += by;
        s->hash ^= hash_current(s, k);
    }
}

static void
set_locks(struct run_state *s, dense_id t, dense_id to)
{
    const struct dependencies *p = s->p;
    if (p->separates_writers)
        for (version_id w = p->write_first[t]; w < p->write_first[t + 1]; w++)
            s->locked[p->version_key[w]] = to;
}

/* Count a point as run (by -1) or as to come again (by +1). */
static void
count_point(struct run_state *s, uint32_t point, uint32_t by)
{
    const struct chains *g = &s->p->g;
    if (chains_has_next(g, point))
        s->missing[point + 1] += by;
    struct chain_walk walk = chains_out(g, point);
    for (uint32_t to; chains_next_out(g, &walk, &to);)
        s->missing[to] += by;
    s->front[g->seat[point].chain] -= by;
    s->left += is_due(s, point) ? by : 0;
    s->hash ^= hash_pair(point, 3);
}

void
run_state_run(struct run_state *s, uint32_t point)
{
    const struct dependencies *p = s->p;
    assert(!s->missing[point] && !run_state_has_run(s, point));
    count_point(s, point, (uint32_t)-1);
    if (starts(s, point)) {
        count_reads(s, point_txn(p, point), (uint32_t)-1);
        set_locks(s, point_txn(p, point), point_txn(p, point));
    }
    if (!run_state_commits(s, point))
        return;
    const dense_id t = point_txn(p, point);
    for (version_id w = p->write_first[t]; w < p->write_first[t + 1]; w++) {
        const key_id k = p->version_key[w];
        s->hash ^= hash_current(s, k);
        vec_push(&s->overwritten, s->now[k]);
        s->now[k] = w;
        assert(s->writers_left[p->version_value[w]]);
        s->writers_left[p->version_value[w]]--;
        s->hash ^= hash_current(s, k);
    }
    set_locks(s, t, DENSE_INIT);
}

void
run_state_undo(struct run_state *s, uint32_t point)
{
    const struct dependencies *p = s->p;
    assert(run_state_has_run(s, point));
    if (run_state_commits(s, point)) {
        const dense_id t = point_txn(p, point);
        set_locks(s, t, p->two_points ? t : DENSE_INIT);
        for (version_id w = p->write_first[t + 1]; w-- > p->write_first[t];) {
            const key_id k = p->version_key[w];
            s->hash ^= hash_current(s, k);
            assert(s->now[k] == w); // the last commit is undone
            s->now[k] = vec_pop(&s->overwritten);
            s->writers_left[p->version_value[w]]++;
            s->hash ^= hash_current(s, k);
        }
    }
    if (starts(s, point)) {
        set_locks(s, point_txn(p, point), DENSE_INIT);
        count_reads(s, point_txn(p, point), 1);
    }
    count_point(s, point, 1);
}

/* --- all of it ------------------------------------------------------------ */

void
run_state_init(struct run_state *s, const struct dependencies *p)
{
    *s = (struct run_state){.p = p};
    const struct chains *g = &p->g;
    s->missing = mem_alloc(g->n, sizeof *s->missing);
    for (uint32_t i = 0; i < g->n; i++)
        s->missing[i] = chains_has_previous(g, i);
    for (size_t e = 0; e < g->edges.n; e++)
        s->missing[g->edges.at[e].to]++;
    s->front = mem_alloc(g->n_chains, sizeof *s->front);
    memcpy(s->front, g->first, g->n_chains * sizeof *s->front);
    s->now = mem_alloc(p->h->n_keys, sizeof *s->now);
    depend_begin(p, s->now);
    s->locked = mem_alloc(p->h->n_keys, sizeof *s->locked);
    memset(s->locked, 0xff, p->h->n_keys * sizeof *s->locked);
    s->known_left = mem_calloc(p->n_versions, sizeof *s->known_left);
    s->unknown_left = mem_calloc(p->h->n_values, sizeof *s->unknown_left);
    s->writers_left = mem_calloc(p->h->n_values, sizeof *s->writers_left);
    for (read_id r = 0; r < p->n_reads; r++)
        if (p->read_version[r] != VERSION_NONE)
            s->known_left[p->read_version[r]]++;
        else if (depend_is_certain(p, p->read_txn[r]))
            s->unknown_left[p->h->op_value[p->read_op[r]]]++;
    for (version_id v = 0; v < p->n_versions; v++)
        if (!version_is_init(p, v))
            s->writers_left[p->version_value[v]]++;
    for (uint32_t i = 0; i < g->n; i++)
        s->left += is_due(s, i);
    PARANOID(run_state_check_initial(s));
}

void
run_state_free(struct run_state *s)
{
    mem_free(s->missing);
    mem_free(s->front);
    mem_free(s->now);
    mem_free(s->locked);
    mem_free(s->known_left);
    mem_free(s->unknown_left);
    mem_free(s->writers_left);
    vec_free(&s->overwritten);
    *s = (struct run_state){0};
}

void
run_state_check_initial(const struct run_state *s)
{
    const struct dependencies *p = s->p;
    uint64_t missing = 0, readers = 0;
    for (uint32_t i = 0; i < p->g.n; i++) {
        ENSURE(!run_state_has_run(s, i));
        missing += s->missing[i];
    }
    ENSURE(missing == p->g.edges.n + p->g.n - p->g.n_chains);
    for (key_id k = 0; k < p->h->n_keys; k++)
        ENSURE(s->now[k] == version_of_init(p, k) &&
               s->locked[k] == DENSE_INIT);
    for (version_id v = 0; v < p->n_versions; v++)
        readers += s->known_left[v];
    ENSURE(readers <= p->n_reads && !s->overwritten.n && !s->hash);
}
