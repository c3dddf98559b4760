/* backtracking.c -- see backtracking.h.
 *
 * Where few values are written again and again, nearly every read is ambiguous
 * and clauses say little; but then many orders work, and one is found by
 * running the history step by step and going back on a dead end.  A point may
 * run when all that must precede it has, its reads find what they saw, and its
 * writes take away nothing that somebody still needs:
 *
 *   - a version whose readers are known and have not all started;
 *   - the last chance to see a value: nobody left will write it again, and an
 *     ambiguous read of it is still to come.
 *
 * A start that takes no locks, or a transaction that only reads, never stands
 * in anybody's way and runs at once, without alternatives.
 *
 * Points of open transactions need not run: if the commit does, the transaction
 * counts, and then its followers have not started yet.
 *
 * States that were left as hopeless are remembered by a hash; a clash only
 * loses solutions, and what is found is audited like any other order.  A few
 * walks are made, each with its own preferences.
 *
 * SPDX-License-Identifier: MIT */
#include "strong/order/backtracking.h"

#include "base/hash.h"
#include "base/random.h"

enum { WALKS = 4, SEEN_BITS = 21, SPEND_EVERY = 1 << 14 };

/* A step taken, with what it takes to undo it and what else could be done. */
struct step {
    uint32_t point;
    uint32_t first,
        next; // alternatives: choices.at[first ..), tried below next
    uint32_t end;
};

struct wanderer {
    const struct dependencies *p;
    const struct inference *f;
    struct random random;
    uint32_t *missing;      // by point: predecessors that have not run
    uint32_t *front;        // by chain: its next point
    version_id *now;        // by key
    dense_id *locked;       // by key, at si
    uint32_t *known_left;   // by version: readers that have not started
    uint32_t *unknown_left; // by value: ambiguous reads to come
    uint32_t *writers_left; // by value: writes to come
    uint64_t hash;          // of what has run and what is current
    uint64_t *seen;
    uint32_t left; // points to come that have to run
    VEC(struct step) steps;
    u32_vec choices;
    u32_vec undo;
};

static bool
is_txn(const struct wanderer *w, uint32_t point)
{
    return point < depend_txn_points(w->p);
}

static bool
starts(const struct wanderer *w, uint32_t point)
{
    return is_txn(w, point) && (!w->p->two_points || point % 2 == 0);
}

static bool
commits(const struct wanderer *w, uint32_t point)
{
    return is_txn(w, point) && (!w->p->two_points || point % 2 == 1);
}

/* Whether a point must run in the end. */
static bool
is_due(const struct wanderer *w, uint32_t point)
{
    return !is_txn(w, point) || depend_is_certain(w->p, point_txn(w->p, point));
}

static bool
has_run(const struct wanderer *w, uint32_t point)
{
    return w->front[w->p->g.seat[point].chain] > point;
}

/* --- may it run? ------------------------------------------------------------
 */

static bool
reads_are_served(const struct wanderer *w, dense_id t)
{
    const struct dependencies *p = w->p;
    for (read_id r = p->read_first[t]; r < p->read_first[t + 1]; r++)
        if (!version_serves(p, w->now[read_key(p, r)], r))
            return false;
    if (p->separates_writers)
        for (uint32_t i = p->write_first[t]; i < p->write_first[t + 1]; i++)
            if (w->locked[p->version_key[p->write[i]]] != DENSE_INIT)
                return false;
    return true;
}

/* Reads by t itself of version v, which start together with its commit. */
static void
count_own(const struct wanderer *w, dense_id t, version_id v, uint32_t *known,
          uint32_t *unknown)
{
    const struct dependencies *p = w->p;
    *known = *unknown = 0;
    for (read_id r = p->read_first[t];
         !p->two_points && r < p->read_first[t + 1]; r++) {
        *known += p->read_version[r] == v;
        *unknown += p->read_version[r] == VERSION_NONE &&
                    p->h->op_value[p->read_op[r]] == p->version_value[v];
    }
}

static bool
writes_do_no_harm(const struct wanderer *w, dense_id t)
{
    const struct dependencies *p = w->p;
    for (uint32_t i = p->write_first[t]; i < p->write_first[t + 1]; i++) {
        const version_id v = w->now[p->version_key[p->write[i]]];
        const value_id value = p->version_value[v];
        uint32_t known, unknown;
        count_own(w, t, v, &known, &unknown);
        if (w->known_left[v] > known)
            return false;
        if (value != p->version_value[p->write[i]] && value != VALUE_INIT &&
            !w->writers_left[value] && w->unknown_left[value] > unknown)
            return false;
    }
    return true;
}

/* Whether t, if it is optional, can still count. */
static bool
may_count(const struct wanderer *w, dense_id t)
{
    const struct dependencies *p = w->p;
    if (depend_is_certain(p, t))
        return true;
    if (!depend_is_open(p, t))
        return false;
    for (dense_id next = depend_follower(p, t, DENSE_INIT); next != DENSE_INIT;
         next = depend_follower(p, t, next))
        if (has_run(w, point_start(p, next)))
            return false;
    return true;
}

static bool
may_run(const struct wanderer *w, uint32_t point)
{
    if (w->missing[point])
        return false;
    if (is_txn(w, point) && !may_count(w, point_txn(w->p, point)))
        return false;
    if (starts(w, point) && !reads_are_served(w, point_txn(w->p, point)))
        return false;
    return !commits(w, point) || writes_do_no_harm(w, point_txn(w->p, point));
}

/* Whether running it now can only help. */
static bool
is_harmless(const struct wanderer *w, uint32_t point)
{
    if (!is_txn(w, point))
        return true;
    if (!is_due(w, point))
        return false;
    const dense_id t = point_txn(w->p, point);
    return w->p->write_first[t] == w->p->write_first[t + 1] ||
           (w->p->two_points && !w->p->separates_writers && starts(w, point));
}

/* --- running and undoing
 * ------------------------------------------------------ */

static uint64_t
hash_current(const struct wanderer *w, key_id k)
{
    const version_id v = w->now[k];
    return w->known_left[v]
               ? hash_pair(v, 1)
               : hash_pair((uint64_t)k << 32 | w->p->version_value[v], 2);
}

/* Count the reads of t as started (by -1) or as to come again (by +1). */
static void
count_reads(struct wanderer *w, dense_id t, uint32_t by)
{
    const struct dependencies *p = w->p;
    for (read_id r = p->read_first[t]; r < p->read_first[t + 1]; r++) {
        const key_id k = read_key(p, r);
        w->hash ^= hash_current(w, k);
        if (p->read_version[r] != VERSION_NONE)
            w->known_left[p->read_version[r]] += by;
        else if (depend_is_certain(p, t))
            w->unknown_left[p->h->op_value[p->read_op[r]]] += by;
        w->hash ^= hash_current(w, k);
    }
}

static void
set_locks(struct wanderer *w, dense_id t, dense_id to)
{
    const struct dependencies *p = w->p;
    if (p->separates_writers)
        for (uint32_t i = p->write_first[t]; i < p->write_first[t + 1]; i++)
            w->locked[p->version_key[p->write[i]]] = to;
}

static void
pass_on(struct wanderer *w, uint32_t point, uint32_t by)
{
    const struct chains *g = &w->p->g;
    if (chains_has_next(g, point))
        w->missing[point + 1] += by;
    struct chain_walk walk = chains_out(g, point);
    for (uint32_t to; chains_next_out(g, &walk, &to);)
        w->missing[to] += by;
    w->front[g->seat[point].chain] -= by;
    w->left += is_due(w, point) ? by : 0;
    w->hash ^= hash_pair(point, 3);
}

static void
run_point(struct wanderer *w, uint32_t point)
{
    const struct dependencies *p = w->p;
    pass_on(w, point, (uint32_t)-1);
    if (starts(w, point)) {
        count_reads(w, point_txn(p, point), (uint32_t)-1);
        set_locks(w, point_txn(p, point), point_txn(p, point));
    }
    if (!commits(w, point))
        return;
    const dense_id t = point_txn(p, point);
    for (uint32_t i = p->write_first[t]; i < p->write_first[t + 1]; i++) {
        const key_id k = p->version_key[p->write[i]];
        w->hash ^= hash_current(w, k);
        vec_push(&w->undo, w->now[k]);
        w->now[k] = p->write[i];
        w->writers_left[p->version_value[p->write[i]]]--;
        w->hash ^= hash_current(w, k);
    }
    set_locks(w, t, DENSE_INIT);
}

static void
undo_point(struct wanderer *w, uint32_t point)
{
    const struct dependencies *p = w->p;
    if (commits(w, point)) {
        const dense_id t = point_txn(p, point);
        set_locks(w, t, p->two_points ? t : DENSE_INIT);
        for (uint32_t i = p->write_first[t + 1]; i > p->write_first[t]; i--) {
            const key_id k = p->version_key[p->write[i - 1]];
            w->hash ^= hash_current(w, k);
            w->now[k] = vec_pop(&w->undo);
            w->writers_left[p->version_value[p->write[i - 1]]]++;
            w->hash ^= hash_current(w, k);
        }
    }
    if (starts(w, point)) {
        set_locks(w, point_txn(p, point), DENSE_INIT);
        count_reads(w, point_txn(p, point), 1);
    }
    pass_on(w, point, 1);
}

/* --- the walk
 * ------------------------------------------------------------------ */

/* Collect what may run now, in the order to try it; one harmless point is
 * enough. */
static void
collect(struct wanderer *w, struct step *s)
{
    const struct chains *g = &w->p->g;
    // A step adds a point of each chain at most, and WANDER_POINTS is small.
    assert(w->choices.n <= UINT32_MAX - g->n_chains);
    s->first = s->next = (uint32_t)w->choices.n;
    for (uint32_t c = 0; c < g->n_chains; c++) {
        const uint32_t point = w->front[c];
        if (point == g->first[c + 1] || !may_run(w, point))
            continue;
        if (is_harmless(w, point)) {
            w->choices.n = s->first;
            vec_push(&w->choices, point);
            break;
        }
        vec_push(&w->choices, point);
    }
    s->end = (uint32_t)w->choices.n;
    // Commits first, then by depth, with some noise.
    for (uint32_t i = s->first; i < s->end; i++)
        for (uint32_t j = i; j > s->first; j--) {
            uint32_t *a = &w->choices.at[j - 1], *b = &w->choices.at[j];
            const bool urgent =
                w->p->two_points && commits(w, *b) && !commits(w, *a);
            const bool earlier =
                w->f->rank[*b] < w->f->rank[*a] &&
                !(w->p->two_points && commits(w, *a) && !commits(w, *b));
            if (!urgent && (!earlier || random_below(&w->random, 4) == 0))
                break;
            const uint32_t swap = *a;
            *a = *b;
            *b = swap;
        }
}

/* Remember the present state; false if it was met before. */
static bool
is_new(struct wanderer *w)
{
    uint64_t *slot = &w->seen[w->hash >> (64 - SEEN_BITS)];
    if (*slot == w->hash)
        return false;
    *slot = w->hash;
    return true;
}

static void
take_back(struct wanderer *w)
{
    const struct step s = vec_pop(&w->steps);
    w->choices.n = s.first;
    if (w->steps.n)
        undo_point(w, vec_top(&w->steps).point);
}

static bool
walk(struct wanderer *w, uint64_t budget)
{
    struct step s = {0};
    collect(w, &s);
    vec_push(&w->steps, s);
    while (w->steps.n && budget--) {
        struct step *top = &vec_top(&w->steps);
        if (budget % SPEND_EVERY == 0 &&
            !budget_spend(w->f->context->budget,
                          SPEND_EVERY * (uint64_t)w->p->g.n_chains))
            return false;
        if (top->next == top->end) {
            take_back(w);
            continue;
        }
        top->point = w->choices.at[top->next++];
        run_point(w, top->point);
        if (!w->left)
            return true;
        if (!is_new(w)) {
            undo_point(w, top->point);
            continue;
        }
        collect(w, &s);
        vec_push(&w->steps, s);
    }
    return false;
}

static void
begin(struct wanderer *w)
{
    const struct dependencies *p = w->p;
    const struct chains *g = &p->g;
    w->missing = mem_alloc(g->n, sizeof *w->missing);
    for (uint32_t i = 0; i < g->n; i++)
        w->missing[i] = chains_has_previous(g, i);
    for (size_t e = 0; e < g->edges.n; e++)
        w->missing[g->edges.at[e].to]++;
    w->front = mem_alloc(g->n_chains, sizeof *w->front);
    memcpy(w->front, g->first, g->n_chains * sizeof *w->front);
    w->now = mem_alloc(p->h->n_keys, sizeof *w->now);
    memcpy(w->now, p->key_first, p->h->n_keys * sizeof *w->now);
    w->locked = mem_alloc(p->h->n_keys, sizeof *w->locked);
    memset(w->locked, 0xff, p->h->n_keys * sizeof *w->locked);
    w->known_left = mem_calloc(p->n_versions, sizeof *w->known_left);
    w->unknown_left = mem_calloc(p->h->n_values, sizeof *w->unknown_left);
    w->writers_left = mem_calloc(p->h->n_values, sizeof *w->writers_left);
    for (read_id r = 0; r < p->n_reads; r++)
        if (p->read_version[r] != VERSION_NONE)
            w->known_left[p->read_version[r]]++;
        else if (depend_is_certain(p, p->read_txn[r]))
            w->unknown_left[p->h->op_value[p->read_op[r]]]++;
    for (version_id v = 0; v < p->n_versions; v++)
        if (!version_is_init(p, v))
            w->writers_left[p->version_value[v]]++;
    w->seen = mem_calloc((size_t)1 << SEEN_BITS, sizeof *w->seen);
    for (uint32_t i = 0; i < g->n; i++)
        w->left += is_due(w, i);
}

/* Tell the order that the walk has found. */
static void
tell(const struct wanderer *w, uint32_t *out, uint8_t *counting)
{
    const struct dependencies *p = w->p;
    uint32_t n = 0;
    for (size_t i = 0; i < w->steps.n; i++)
        out[n++] = w->steps.at[i].point;
    for (uint32_t i = 0; n < p->g.n && i < p->g.n; i++)
        if (!has_run(w, i))
            out[n++] = i;
    for (dense_id t = p->n_certain; t < p->n_txns; t++)
        counting[t - p->n_certain] = has_run(w, point_commit(p, t));
}

static void
end(struct wanderer *w)
{
    mem_free(w->missing);
    mem_free(w->front);
    mem_free(w->now);
    mem_free(w->locked);
    mem_free(w->known_left);
    mem_free(w->unknown_left);
    mem_free(w->writers_left);
    mem_free(w->seen);
    vec_free(&w->steps);
    vec_free(&w->choices);
    vec_free(&w->undo);
}

bool
backtracking_search(const struct inference *f, uint64_t steps, uint32_t *out,
                    uint8_t *counting)
{
    const struct dependencies *p = f->p;
    bool found = false, exhausted = false;
    for (uint64_t i = 0; !found && !exhausted && p->g.n && i < WALKS; i++) {
        struct wanderer w = {.p = p, .f = f};
        random_seed(&w.random, i);
        begin(&w);
        found = walk(&w, steps / WALKS);
        exhausted = !found && !w.steps.n; // there is nothing to be found
        if (found)
            tell(&w, out, counting);
        end(&w);
        if (budget_is_spent(f->context->budget))
            break;
    }
    return found;
}
