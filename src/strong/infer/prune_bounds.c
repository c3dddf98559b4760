/* prune_bounds.c -- see prune_bounds.h.
 *
 * A value that is written again and again has thousands of candidates for each
 * read of it.  Both reasons to remove one are monotone within a session: if
 * the read's transaction reaches a writer, it reaches the later ones, and if a
 * writer is overwritten before the read, so are the earlier ones.  So those of
 * a session that are left are neighbours, and their bounds are found by
 * bisection.  As long as most candidates are left, the read keeps sharing the
 * list of its value: candidates that are out and still listed do no harm.
 *
 *   (1) candidates are in ascending order of versions, INIT's first;
 *   (2) without a cover the versions of a segment are ascending, too, and those
 *       of other segments lie before or behind all of them.
 *
 * SPDX-License-Identifier: MIT */
#include "strong/infer/prune_bounds.h"

#include "base/container/sorted.h"

/* The versions of a segment that are left: 'first' to 'end', by id. */
struct version_range {
    version_id first, end;
};

/* The first index in [low, high) of s->versions with a place from 'limit' on.
 */
static uint32_t
first_from(const struct pruning *s, uint32_t low, uint32_t high, uint32_t limit)
{
    LOWER_BOUND(low, high, middle, s->versions.at[middle].seat.place < limit);
    return low;
}

/* The first index in [low, high) whose commit the read's start reaches. */
static uint32_t
first_reached(const struct pruning *s, uint32_t low, uint32_t high)
{
    const struct dependencies *p = s->f->p;
    const struct placed *at = s->versions.at;
    LOWER_BOUND(
        low, high, middle,
        !inference_reach(s->f, s->start,
                         point_commit(p, p->version_txn[at[middle].version])));
    return low;
}

/* The place in segment g below which commits are overwritten before the read:
 * by its own frontier, or by one that they reach. */
static uint32_t
overwritten_below(const struct pruning *s, const struct segment *g)
{
    const struct dependencies *p = s->f->p;
    // What has to reach the other writer is the start, except at pc.
    const uint32_t more = p->two_points && !p->ww_to_commit;
    uint32_t limit = 0;
    for (size_t i = 0; i < s->segments.n; i++) {
        const struct segment *m = &s->segments.at[i];
        if (m->frontier == VERSION_NONE)
            continue;
        const uint32_t commit = point_commit(p, p->version_txn[m->frontier]);
        uint32_t below = s->f->clocks.seat[commit].place;
        if (m != g) {
            below = clocks_get(&s->f->clocks, commit, g->chain);
            below += below ? more : 0;
        }
        limit = below > limit ? below : limit;
    }
    return limit;
}

/* The version at index i of s->versions, or where i is the end of segment g,
 * the id behind its last one. */
static version_id
find_id(const struct pruning *s, const struct segment *g, uint32_t i)
{
    assert(i >= g->first && i <= g->end && g->first < g->end);
    return i < g->end ? s->versions.at[i].version
                      : s->versions.at[g->end - 1].version + 1;
}

static struct version_range
find_left(const struct pruning *s, const struct segment *g)
{
    const uint32_t first =
        first_from(s, g->first, g->end, overwritten_below(s, g));
    const uint32_t end = first_reached(s, first, g->end);
    return (struct version_range){find_id(s, g, first), find_id(s, g, end)};
}

/* The number of items below v in the ascending list at[0 .. n). */
static uint32_t
count_below(const uint32_t *at, uint32_t n, version_id v)
{
    uint32_t low = 0;
    LOWER_BOUND(low, n, middle, at[middle] < v);
    return low;
}

/* Whether the read's own transaction is among the writers. */
static bool
has_own(const struct pruning *s, const struct candidates *c)
{
    const struct dependencies *p = s->f->p;
    const dense_id t = p->read_txn[s->read];
    for (version_id v = p->write_first[t]; v < p->write_first[t + 1]; v++)
        if (p->version_key[v] == read_key(p, s->read))
            return p->version_value[v] == p->h->op_value[p->read_op[s->read]] &&
                   c->first < p->pool.shared;
    return false;
}

bool
prune_bounds_suit(const struct pruning *s, const struct candidates *c)
{
    const struct dependencies *p = s->f->p;
    return c->n >= s->f->context->options->many_candidates &&
           c->n >= 2 * s->segments.n && !p->records_removed &&
           p->n_txns == p->n_certain && !s->f->clocks.cover;
}

void
prune_bounds_apply(struct pruning *s, struct candidates *c)
{
    struct dependencies *p = s->f->p;
    const struct candidates all = *c;
    const uint32_t *at = p->pool.items.at + all.first;
    const bool init = version_is_init(p, at[0]), keeps_init = !s->reached;
    u32_vec bounds = {0};
    uint32_t left = init && keeps_init;
    for (size_t i = 0; i < s->segments.n; i++) {
        const struct version_range r = find_left(s, &s->segments.at[i]);
        const uint32_t first = count_below(at, all.n, r.first);
        const uint32_t end = count_below(at, all.n, r.end);
        assert(first <= end && end <= all.n);
        left += end - first;
        vec_push(&bounds, first);
        vec_push(&bounds, end);
    }
    if (left <= all.n / 2 || has_own(s, &all)) {
        p->n_removed += all.n - left - has_own(s, &all);
        candidates_truncate(&p->pool, c, 0);
        if (init && keeps_init)
            candidates_append(&p->pool, c, p->pool.items.at[all.first]);
        for (size_t i = 0; i < bounds.n; i += 2)
            for (uint32_t j = bounds.at[i]; j < bounds.at[i + 1]; j++)
                candidates_append(&p->pool, c, p->pool.items.at[all.first + j]);
        assert(c->n == left);
    }
    vec_free(&bounds);
}
