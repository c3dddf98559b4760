/* sweep.c -- see sweep.h.
 *
 * The versions of a key are placed one behind the other as their commits are
 * passed.  A read is compared with the few versions just before its own and
 * with those between its own and the reader, a version with the few before it.
 *
 * Each rule is applied where the later of its ends is passed, which is the row
 * that is in the cache.  Edges to that point count at once.  Those to points
 * that were passed before count in the next sweep.
 *
 *   (1) 'placed' has the versions of a key in the order of their commits up to
 *       now, between INIT's and the next entry, which have RANK_INIT;
 *   (2) the readers of a placed version are those that were passed.
 *
 * SPDX-License-Identifier: MIT */
#include "strong/infer/sweep.h"

#include "base/limits/tuning.h"
#include "base/prefetch.h"

enum {
    KNOWN_OWN = 16, // of 32 bits
};

#define RANK_INIT UINT32_MAX

struct placed {
    uint32_t rank;  // of its commit
    uint32_t next;  // the place of the first that it reaches, or 0
    read_id reader; // the last one that was passed, or READ_NONE
    uint32_t
        known; // bit KNOWN_OWN + i: R1 has ordered it and the i-th after it
};

/* --- edges ---------------------------------------------------------------- */

static bool
has_edge(const struct chains *g, uint32_t from, uint32_t to)
{
    struct chain_walk w = chains_in(g, to);
    for (uint32_t other; chains_next_in(g, &w, &other);)
        if (other == from)
            return true;
    return false;
}

/* Add an edge up the order, to a point that was passed. */
static void
add_up(struct sweep *s, uint32_t from, uint32_t to, struct label label)
{
    struct inference *f = s->f;
    const uint32_t i = f->rank[from], j = f->rank[to];
    if (horizon_reach(&s->horizon, i, j) ||
        (!horizon_is_near(&s->horizon, i, j) && has_edge(&f->p->g, from, to)))
        return;
    inference_add(f, from, to, label);
    if (j == s->now)
        horizon_add(&s->horizon, i);
}

/* Add an edge down the order, from a point that was passed; false with a
 * conflict. */
static bool
add_down(struct sweep *s, uint32_t from, uint32_t to, struct label label)
{
    struct inference *f = s->f;
    if (horizon_reach(&s->horizon, f->rank[to], f->rank[from])) {
        inference_contradict(f, from, to, label);
        return false;
    }
    inference_add(f, from, to, label);
    return true;
}

static bool
add(struct sweep *s, uint32_t from, uint32_t to, struct label label)
{
    assert(from != to);
    if (s->f->rank[from] > s->f->rank[to])
        return add_down(s, from, to, label);
    add_up(s, from, to, label);
    return true;
}

/* --- the rules ------------------------------------------------------------ */

/* R1 for r, which read the version 'own', against another one. */
static bool
apply_r1(struct sweep *s, read_id r, struct placed *own,
         const struct placed *other)
{
    const struct dependencies *p = s->f->p;
    if (other->rank >= s->now || !horizon_reach_last(&s->horizon, other->rank))
        return true;
    const uint32_t commit = s->f->order[other->rank];
    if (point_txn(p, commit) == p->read_txn[r])
        return true;
    const ptrdiff_t offset = KNOWN_OWN + (other - own);
    if (offset >= 0 && offset < 2 * KNOWN_OWN) { // other readers say the same
        if (own->known >> offset & 1)
            return true;
        own->known |= (uint32_t)1 << offset;
    }
    if (own->rank != RANK_INIT)
        return add(s, commit,
                   point_ww_to(p, point_txn(p, s->f->order[own->rank])),
                   (struct label){EDGE_WW, r, WW_READ});
    // Nothing is before INIT.  Where the graph has rw edges, there is one from
    // t3 to t2, and the graph had a cycle before we came here.
    assert(p->one_rw);
    inference_contradict(s->f, point_start(p, p->read_txn[r]), commit,
                         (struct label){EDGE_RW, r, p->read_version[r]});
    return false;
}

/* What r and the version that it read say about a later one that was passed,
 * where the order of the two is known: R2, or R3 at psi. */
static bool
add_overwriting(struct sweep *s, read_id r, const struct placed *later)
{
    const struct dependencies *p = s->f->p;
    const dense_id t3 = p->read_txn[r];
    const uint32_t commit = s->f->order[later->rank];
    const struct label label =
        p->one_rw ? (struct label){EDGE_WW, r, WW_UPDATE}
                  : (struct label){EDGE_RW, r, p->read_version[r]};
    if (point_txn(p, commit) == t3 ||
        (p->one_rw && !depend_writes(p, t3, read_key(p, r))))
        return true;
    return add(s, point_start(p, t3), commit, label);
}

/* R3 at psi for r, which is passed now, and the last read of the same version
 * before it, where both transactions write the key. */
static bool
infer_from_updates(struct sweep *s, read_id r)
{
    const struct dependencies *p = s->f->p;
    const key_id k = read_key(p, r);
    const dense_id t = p->read_txn[r];
    if (!depend_writes(p, t, k))
        return true;
    read_id other = s->passed[r];
    while (other != READ_NONE && (p->read_txn[other] == t ||
                                  !depend_writes(p, p->read_txn[other], k)))
        other = s->passed[other];
    return other == READ_NONE ||
           (add(s, p->read_txn[other], t,
                (struct label){EDGE_WW, other, WW_UPDATE}) &&
            add(s, t, p->read_txn[other],
                (struct label){EDGE_WW, r, WW_UPDATE}));
}

/* All rules for a read whose start is passed now. */
static bool
infer_from_read(struct sweep *s, read_id r)
{
    const struct dependencies *p = s->f->p;
    const version_id v = p->read_version[r];
    // Where the graph has rw edges, it has those of reads of INIT.
    if (v == VERSION_NONE || (version_is_init(p, v) && !p->one_rw))
        return true;
    struct placed *own = &s->placed[s->place[v]];
    s->passed[r] = own->reader;
    own->reader = r;
    if (own->rank != RANK_INIT) {
        const struct placed *x = own - 1;
        for (uint32_t d = s->f->context->options->window;
             d && x->rank != RANK_INIT; d--, x--)
            if (!apply_r1(s, r, own, x))
                return false;
    }
    const struct placed *y = own + 1;
    for (uint32_t d = TUNE_VERSIONS_BETWEEN; d && y->rank != RANK_INIT;
         d--, y++)
        if (!apply_r1(s, r, own, y))
            return false;
    return (!own->next || add_overwriting(s, r, &s->placed[own->next])) &&
           (!p->one_rw || infer_from_updates(s, r));
}

/* Whether the order of a placed version and of one that commits now, by t2, is
 * certain. */
static bool
is_before(const struct sweep *s, const struct placed *x)
{
    const struct dependencies *p = s->f->p;
    if (x->rank == RANK_INIT)
        return true;
    if (!p->two_points || p->ww_to_commit)
        return horizon_reach_last(&s->horizon, x->rank);
    const dense_id t1 = point_txn(p, s->f->order[x->rank]);
    return horizon_reach_last(&s->horizon, s->f->rank[point_ww_from(p, t1)]);
}

/* R2 and R3 for the version 'later', whose commit is passed now, and one before
 * it that is known to be before it. */
static bool
infer_from_pair(struct sweep *s, const struct placed *x,
                const struct placed *later)
{
    const struct dependencies *p = s->f->p;
    const uint32_t commit = s->f->order[s->now];
    if (p->separates_writers &&
        !add(s, s->f->order[x->rank], point_start(p, point_txn(p, commit)),
             (struct label){EDGE_WW, READ_NONE, WW_PATH}))
        return false;
    for (read_id r = x->reader; r != READ_NONE; r = s->passed[r]) {
        const uint32_t start = s->f->rank[point_start(p, p->read_txn[r])];
        if (start < s->now && !horizon_reach_last(&s->horizon, start) &&
            !add_overwriting(s, r, later))
            return false;
    }
    return true;
}

/* Place a version whose commit is passed now, and apply all rules. */
static bool
infer_from_write(struct sweep *s, version_id v)
{
    const bool by_init = s->f->p->one_rw; // R3 applies to reads of INIT
    const uint32_t place = s->key_end[s->f->p->version_key[v]]++;
    s->placed[place] = (struct placed){s->now, 0, READ_NONE, 0};
    s->placed[place + 1].rank = RANK_INIT; // (1)
    s->place[v] = place;
    struct placed *x = &s->placed[place] - 1;
    for (uint32_t d = s->f->context->options->window; d; d--, x--) {
        const bool is_init = x->rank == RANK_INIT;
        if (is_init && !by_init)
            break;
        if ((!x->next || by_init) && is_before(s, x)) {
            x->next = x->next ? x->next : place;
            if (!infer_from_pair(s, x, &s->placed[place]))
                return false;
        }
        if (is_init)
            break;
    }
    return true;
}

/* --- the sweep ------------------------------------------------------------ */

/* Writes first: the edges that they give count for the reads. */
static bool
infer_at(struct sweep *s, uint32_t point)
{
    const struct dependencies *p = s->f->p;
    if (point >= depend_txn_points(p))
        return true;
    const dense_id t = point_txn(p, point);
    if (point == point_commit(p, t))
        for (version_id v = p->write_first[t]; v < p->write_first[t + 1]; v++)
            if (!infer_from_write(s, v))
                return false;
    if (point == point_start(p, t))
        for (read_id r = p->read_first[t]; r < p->read_first[t + 1]; r++)
            if (!infer_from_read(s, r))
                return false;
    return true;
}

/* Fetch what the points that come next will need. */
PREFETCHING void
prefetch(const struct sweep *s)
{
    const struct dependencies *p = s->f->p;
    const struct chains *g = &p->g;
    const uint32_t n = depend_txn_points(p);
    if (s->now + 4 * TUNE_PREFETCH_POINTS >= n)
        return;
    const uint32_t farthest = s->f->order[s->now + 4 * TUNE_PREFETCH_POINTS];
    const uint32_t far = s->f->order[s->now + 3 * TUNE_PREFETCH_POINTS];
    const uint32_t near = s->f->order[s->now + 2 * TUNE_PREFETCH_POINTS];
    const uint32_t next = s->f->order[s->now + TUNE_PREFETCH_POINTS];
    if (farthest >= n || far >= n || near >= n || next >= n)
        return; // of the time line
    const dense_id t = point_txn(p, near), later = point_txn(p, far);
    const dense_id sooner = point_txn(p, next);
    __builtin_prefetch(&p->read_first[point_txn(p, farthest)]);
    __builtin_prefetch(&p->write_first[point_txn(p, farthest)]);
    __builtin_prefetch(&g->in_first[far]);
    __builtin_prefetch(&g->in_from[g->in_first[near]]);
    for (read_id r = p->read_first[sooner]; r < p->read_first[sooner + 1]; r++)
        if (p->read_version[r] != VERSION_NONE)
            __builtin_prefetch(&s->placed[s->place[p->read_version[r]]]);
    __builtin_prefetch(&p->read_version[p->read_first[later]]);
    __builtin_prefetch(&p->version_key[p->write_first[later]]);
    for (read_id r = p->read_first[t]; r < p->read_first[t + 1]; r++)
        if (p->read_version[r] != VERSION_NONE)
            __builtin_prefetch(&s->place[p->read_version[r]]);
    for (version_id v = p->write_first[t]; v < p->write_first[t + 1]; v++)
        __builtin_prefetch(&s->placed[s->key_end[p->version_key[v]]]);
}

bool
sweep_once(struct sweep *s)
{
    struct inference *f = s->f;
    const struct dependencies *p = f->p;
    assert(!f->unsorted);
    for (key_id k = 0; k < p->h->n_keys; k++) {
        s->placed[p->key_first[k]] =
            (struct placed){RANK_INIT, 0, READ_NONE, 0};
        s->placed[p->key_first[k] + 1].rank = RANK_INIT;
        s->place[version_of_init(p, k)] = p->key_first[k];
        s->key_end[k] = p->key_first[k] + 1;
    }
    chains_freeze(&f->p->g);
    horizon_begin(&s->horizon, f->rank);
    for (s->now = 0; s->now < p->g.n; s->now++) {
        prefetch(s);
        horizon_pass(&s->horizon, f->order[s->now]);
        if (!infer_at(s, f->order[s->now]))
            return false;
    }
    return true;
}

void
sweep_init(struct sweep *s, struct inference *f)
{
    const struct dependencies *p = f->p;
    *s = (struct sweep){.f = f};
    horizon_init(&s->horizon, &p->g, f->context->options->horizon);
    s->place = mem_alloc(p->n_versions, sizeof *s->place);
    s->passed = mem_alloc(p->n_reads, sizeof *s->passed);
    s->placed = mem_alloc((size_t)p->n_versions + 1, sizeof *s->placed);
    s->key_end = mem_alloc(p->h->n_keys, sizeof *s->key_end);
}

void
sweep_free(struct sweep *s)
{
    horizon_free(&s->horizon);
    mem_free(s->place);
    mem_free(s->passed);
    mem_free(s->placed);
    mem_free(s->key_end);
}
