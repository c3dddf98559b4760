/* prune.c -- see prune.h.
 *
 * Let t3 read x.  Of each chain of the clocks, which is a session unless they
 * are on a cover, only the latest writer m of x that reaches t3's start
 * matters.  These writers are called the frontier of the read.  A candidate w
 * cannot have been read if
 *
 *   - t3's start reaches w's commit, or
 *   - some m of the frontier, other than w, is certainly after w.  Within w's
 *     own session that is one comparison.
 *
 * INIT cannot have been read if there is a frontier.  A read with one candidate
 * left is decided and becomes an edge like any other.
 *
 * An optional transaction turns out to count when a decided read read from it.
 * Then it precedes its followers, and its own reads are decided like others.
 * It turns out not to count when a read of its own has no candidate left, or
 * when a follower reaches it.  Then no read can have read from it.  While it
 * is open, a choice of it is struck out by what its counting would imply: it is
 * also overwritten by what its followers reach.
 *
 * The ambiguous reads of a key are visited together, so that the chains that
 * write the key are found once.
 *
 * SPDX-License-Identifier: MIT */
#include "strong/infer/prune.h"

#include "base/container/sorted.h"
#include "depend/init_edges.h"
#include "strong/infer/prune_bounds.h"

#include <stdlib.h>

static int
compare_placed(const void *a, const void *b)
{
    const struct seat x = ((const struct placed *)a)->seat;
    const struct seat y = ((const struct placed *)b)->seat;
    if (x.chain != y.chain)
        return x.chain < y.chain ? -1 : 1;
    return x.place < y.place ? -1 : x.place > y.place;
}

static void
find_segments(struct pruning *s, key_id k)
{
    const struct dependencies *p = s->f->p;
    const struct clocks *c = &s->f->clocks;
    vec_clear(&s->versions);
    vec_clear(&s->segments);
    for (uint32_t i = p->key_first[k] + 1; i < p->key_first[k + 1]; i++) {
        const version_id v = p->key_version[i];
        vec_push(
            &s->versions,
            ((struct placed){c->seat[point_commit(p, p->version_txn[v])], v}));
    }
    if (c->cover && s->versions.n) // otherwise they are by session already
        qsort(s->versions.at, s->versions.n, sizeof *s->versions.at,
              compare_placed);
    for (uint32_t i = 0; i < s->versions.n; i++) {
        const uint32_t chain = s->versions.at[i].seat.chain;
        assert(!i ||
               compare_placed(&s->versions.at[i - 1], &s->versions.at[i]) < 0);
        if (!s->segments.n || vec_top(&s->segments).chain != chain)
            vec_push(&s->segments,
                     ((struct segment){chain, i, i, VERSION_NONE}));
        vec_top(&s->segments).end = i + 1;
    }
}

/* The last version of the segment whose commit has a place below 'limit'. */
static version_id
last_below(const struct pruning *s, const struct segment *g, uint32_t limit)
{
    uint32_t low = g->first;
    LOWER_BOUND(low, g->end, middle, s->versions.at[middle].seat.place < limit);
    assert(low >= g->first && low <= g->end);
    return low > g->first ? s->versions.at[low - 1].version : VERSION_NONE;
}

static void
find_frontier(struct pruning *s, uint32_t start)
{
    const struct clocks *c = &s->f->clocks;
    assert(start < depend_txn_points(s->f->p));
    const struct seat seat = c->seat[start];
    s->reached = false;
    for (size_t i = 0; i < s->segments.n; i++) {
        struct segment *g = &s->segments.at[i];
        const uint32_t limit =
            g->chain == seat.chain
                ? seat.place // a transaction is not in its own frontier
                : clocks_get(c, start, g->chain);
        g->frontier = limit ? last_below(s, g, limit) : VERSION_NONE;
        s->reached |= g->frontier != VERSION_NONE;
    }
}

static bool
is_ruled_out(const struct dependencies *p, dense_id t)
{
    return t >= p->n_certain &&
           p->optional[t - p->n_certain].counting == COUNTING_NO;
}

/* Whether w, if it counts, is certainly before m. */
static bool
is_before(const struct inference *f, dense_id w, dense_id m)
{
    const struct dependencies *p = f->p;
    const uint32_t commit = point_commit(p, m);
    if (inference_reach(f, point_ww_from(p, w), commit))
        return true;
    if (!depend_is_open(p, w))
        return false;
    for (dense_id t = depend_follower(p, w, DENSE_INIT); t != DENSE_INIT;
         t = depend_follower(p, w, t))
        if (inference_reach(f, point_start(p, t), commit))
            return true;
    return false;
}

/* Why the read starting at 'start' cannot have read w: true with *by set. */
static bool
is_out(const struct pruning *s, uint32_t start, version_id w, version_id *by)
{
    const struct dependencies *p = s->f->p;
    assert(w < p->n_versions);
    *by = VERSION_NONE;
    const dense_id t = p->version_txn[w];
    if (t == DENSE_INIT) {
        for (size_t i = 0; i < s->segments.n && *by == VERSION_NONE; i++)
            *by = s->segments.at[i].frontier;
        return s->reached;
    }
    if (is_ruled_out(p, t)) {
        *by = VERSION_MISSING;
        return true;
    }
    if (inference_reach(s->f, start, point_commit(p, t)))
        return true;
    const uint32_t session = // where a segment is one
        s->f->clocks.cover ? UINT32_MAX : p->g.seat[point_commit(p, t)].chain;
    for (size_t i = 0; s->reached && i < s->segments.n; i++) {
        const version_id m = s->segments.at[i].frontier;
        if (m == VERSION_NONE || m == w)
            continue;
        if (s->segments.at[i].chain == session
                ? m > w
                : is_before(s->f, t, p->version_txn[m])) {
            *by = m;
            return true;
        }
    }
    return false;
}

/* t counts, because r read from it. */
static void
set_counting(struct dependencies *p, dense_id t, read_id r)
{
    assert(depend_is_open(p, t) && p->read_version[r] != VERSION_NONE);
    p->optional[t - p->n_certain] = (struct optional){
        .counting = COUNTING_YES, .read = r, .edges = (uint32_t)p->g.edges.n};
    for (dense_id next = depend_follower(p, t, DENSE_INIT); next != DENSE_INIT;
         next = depend_follower(p, t, next))
        depend_add_edge(p, point_commit(p, t), point_start(p, next),
                        (struct label){EDGE_SO, r, p->read_version[r]});
}

/* r can only have read v: make it an edge. */
static void
decide_read(struct pruning *s, read_id r, version_id v)
{
    struct inference *f = s->f;
    struct dependencies *p = f->p;
    assert(p->read_version[r] == VERSION_NONE);
    assert(!depend_is_open(p, p->read_txn[r]));
    const size_t before = p->g.edges.n;
    depend_fix(p, r, v);
    if (version_is_init(p, v))
        init_edges_add(p, r);
    else
        depend_add_edge(p, point_commit(p, p->version_txn[v]),
                        point_start(p, p->read_txn[r]),
                        (struct label){EDGE_WR, r, v});
    if (depend_is_open(p, p->version_txn[v])) {
        set_counting(p, p->version_txn[v], r);
        s->found_counting = true;
    }
    inference_note_edges(f, before);
}

struct own_candidates {
    const struct dependencies *d;
    dense_id reader;
};

static bool
is_own(void *context, version_id w)
{
    const struct own_candidates *o = context;
    return o->d->version_txn[w] == o->reader;
}

void
prune_own_writes(struct dependencies *p)
{
    for (size_t i = 0; i < p->ambiguous.n; i++) {
        struct candidates *c = &p->ambiguous.at[i];
        struct own_candidates own = {p, p->read_txn[c->read]};
        candidates_filter(&p->pool, c, is_own, &own);
    }
}

/* t does not count, because its own read r has no candidate left, or because
 * 'follower' reaches it. */
static void
rule_out(struct pruning *s, dense_id t, read_id r, dense_id follower)
{
    struct dependencies *p = s->f->p;
    assert(depend_is_open(p, t));
    assert((r == READ_NONE) != (follower == DENSE_INIT)); // one reason
    p->optional[t - p->n_certain] =
        (struct optional){.counting = COUNTING_NO,
                          .read = r,
                          .follower = follower,
                          .edges = (uint32_t)p->g.edges.n};
    s->found_counting = true;
}

/* Rule out the optional transactions that a follower reaches. */
static void
rule_out_by_followers(struct pruning *s)
{
    const struct dependencies *p = s->f->p;
    for (dense_id t = p->n_certain; t < p->n_txns; t++)
        for (dense_id next = depend_follower(p, t, DENSE_INIT);
             depend_is_open(p, t) && next != DENSE_INIT;
             next = depend_follower(p, t, next))
            if (inference_reach(s->f, point_start(p, next), point_commit(p, t)))
                rule_out(s, t, READ_NONE, next);
}

/* Whether the present read cannot have read w; if so, note why. */
static bool
strike(void *context, version_id w)
{
    struct pruning *s = context;
    struct dependencies *p = s->f->p;
    if (p->version_txn[w] == p->read_txn[s->read])
        return true; // a transaction does not read its own write
    version_id by = VERSION_NONE;
    if (!is_out(s, s->start, w, &by))
        return false;
    p->n_struck++;
    if (p->records_struck)
        vec_push(&p->struck,
                 ((struct struck){s->read, w, by, (uint32_t)p->g.edges.n}));
    return true;
}

/* Strike out candidates of c; false if none is left. */
static bool
prune_read(struct pruning *s, struct candidates *c)
{
    struct dependencies *p = s->f->p;
    s->read = c->read;
    s->start = point_start(p, p->read_txn[c->read]);
    find_frontier(s, s->start);
    if (prune_bounds_suit(s, c))
        prune_bounds_apply(s, c);
    else
        candidates_filter(&p->pool, c, strike, s);
    if (c->n)
        return true;
    if (depend_is_open(p, p->read_txn[c->read])) {
        rule_out(s, p->read_txn[c->read], c->read, DENSE_INIT);
        return true;
    }
    s->f->conflict = (struct conflict){.kind = CONFLICT_READ, .read = c->read};
    return false;
}

/* One pass over all ambiguous reads. */
static bool
prune_reads(struct pruning *s)
{
    struct dependencies *p = s->f->p;
    key_id key = ID_NONE;
    size_t kept = 0, i = 0;
    bool ok = true;
    for (; ok && i < p->ambiguous.n; i++) {
        struct candidates *c = &p->ambiguous.at[i];
        if (is_ruled_out(p, p->read_txn[c->read]))
            continue;
        if (read_key(p, c->read) != key) {
            key = read_key(p, c->read);
            find_segments(s, key);
        }
        ok = prune_read(s, c);
        const bool open = depend_is_open(p, p->read_txn[c->read]);
        if (ok && c->n == 1 && !open)
            decide_read(s, c->read, p->pool.items.at[c->first]);
        else if (!ok || c->n)
            p->ambiguous.at[kept++] = *c;
    }
    while (i < p->ambiguous.n)
        p->ambiguous.at[kept++] = p->ambiguous.at[i++];
    assert(kept <= p->ambiguous.n);
    p->ambiguous.n = kept;
    return ok;
}

bool
prune_candidates(struct inference *f)
{
    assert(f->has_clocks && !f->changed); // (I3)
    struct pruning s = {.f = f};
    bool ok = true;
    do {
        s.found_counting = false;
        rule_out_by_followers(&s);
        ok = prune_reads(&s);
    } while (ok && s.found_counting);
    vec_free(&s.versions);
    vec_free(&s.segments);
    return ok;
}
