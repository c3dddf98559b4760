/* saturate.c -- see saturate.h.
 *
 * Rules give every edge that a single undecided pair of versions forces.
 * Let t3 read x from t1, and let t2 be another writer of x:
 *
 *   R1  t2 reaches t3's start: then t2 is before t1, else t3 would precede t2;
 *   R2  t1 reaches t2: then t1 is before t2, and every reader of t1's version
 *       starts before t2 commits.
 *
 * At psi the graph has no rw edges, and R2 gives none.  Instead, if t3 writes x
 * as well:
 *
 *   R3  t1 reaches t2, or is INIT: then t3 is before t2.  Otherwise t2 would
 *       overwrite what t3 read, and reach t3.
 *
 * So two updates of the same version are a contradiction, the lost update.
 *
 * R1 and R2 are how PolySI prunes constraints (Huang et al., "Efficient
 * black-box checking of snapshot isolation in databases", VLDB 2023,
 * section 4.3), stated for single edges instead of pairs of alternatives.
 *
 * Trying every writer of x against every read costs reads times sessions, and
 * most of it infers nothing.  Instead the versions of each key are sorted by
 * the present topological order.  A read is compared with the few versions just
 * before its own and with those between its own and the reader; a version is
 * compared with the next few.  The window that this makes finds nearly all
 * edges that matter.  The search finds the rest, so the width of the window
 * decides speed and never the answer.
 *
 * A round goes over the versions of all keys with the clocks as they are, then
 * sorts and updates the clocks once.  Every edge rests on edges older than the
 * round.  Where the clocks fit into the cache it goes key by key, which is
 * simplest and 5 to 8 % faster on histories of 10,000 transactions.  Otherwise
 * it goes in the present order: what is compared lies close together there, so
 * the clocks that are looked at stay in the cache.
 * Later rounds leave out keys where the round before found nothing.
 *
 * SPDX-License-Identifier: MIT */
#include "strong/infer/saturate.h"

#include "strong/infer/prune.h"

enum {
    BETWEEN_MAX = 64, // versions between a version and its reader
    SMALL = 4000,     // points up to which rounds go on to the fixpoint
    ROUNDS = 2,       // for larger problems, unless much is ambiguous
    ROUNDS_AMBIGUOUS = 4,
    ROUNDS_MAX = 1000,
    CACHED_BYTES = 1 << 21, // clocks of this size stay in the cache
};

/* --- the window ------------------------------------------------------------
 */

struct window {
    struct inference *f;
    version_id *sorted; // the versions of each key by rank of their commit
    uint8_t *busy;      // by key: the last round inferred something there
    uint8_t *found;     // by key: this round has
    uint32_t *next;     // by key: the place of its next version in the order
};

/* R1 for r, which read from t1, against the writer t2. */
static bool
apply_r1(struct inference *f, read_id r, dense_id t1, dense_id t2)
{
    const struct dependencies *p = f->p;
    const dense_id t3 = p->read_txn[r];
    const uint32_t commit = point_commit(p, t2);
    assert(t1 != t2 && t1 != t3);
    if (t2 == t3 || !inference_reach(f, commit, point_start(p, t3)))
        return true;
    if (t1 != DENSE_INIT)
        return inference_add(f, commit, point_ww_to(p, t1),
                             (struct label){EDGE_WW, r, WW_READ});
    // Nothing is before INIT.  Where the graph has rw edges, there is one from
    // t3 to t2, and the graph had a cycle before we came here.
    assert(p->one_rw);
    f->conflict = (struct conflict){.kind = CONFLICT_EDGE,
                                    .from = point_start(p, t3),
                                    .to = commit,
                                    .label = {EDGE_RW, r, p->read_version[r]}};
    return false;
}

/* R3 for r, which read from t1 and whose transaction writes the key, against
 * the writer t2. */
static bool
apply_r3(struct inference *f, read_id r, dense_id t1, dense_id t2)
{
    const dense_id t3 = f->p->read_txn[r];
    assert(f->p->one_rw && t1 != t2 && t1 != t3); // points are transactions
    if (t2 == t3 || (t1 != DENSE_INIT && !inference_reach(f, t1, t2)))
        return true;
    return inference_add(f, t3, t2, (struct label){EDGE_WW, r, WW_UPDATE});
}

/* R1 for r, which read the version at place i among those of its key, which are
 * at[0 .. n), INIT's first.  R3, too, where r's transaction writes the key. */
static bool
infer_from_reader(struct inference *f, const version_id *at, uint32_t n,
                  uint32_t i, read_id r, bool updates)
{
    const struct dependencies *p = f->p;
    const dense_id t1 = p->version_txn[at[i]];
    const uint32_t d = f->context->options->window;
    for (uint32_t j = i; i && j-- > 1 && j + d >= i;)
        if (!apply_r1(f, r, t1, p->version_txn[at[j]]))
            return false;
    if (!i && !p->one_rw)
        return true; // the graph has these edges
    const uint32_t start = f->rank[point_start(p, p->read_txn[r])];
    for (uint32_t j = i + 1; j < n && j <= i + BETWEEN_MAX; j++) {
        const dense_id t2 = p->version_txn[at[j]];
        const bool after = f->rank[point_commit(p, t2)] > start;
        if (updates && !apply_r3(f, r, t1, t2))
            return false;
        if (after)
            break;
        if (!apply_r1(f, r, t1, t2))
            return false;
    }
    return true;
}

/* The same for all readers of the version at place i. */
static bool
infer_from_readers(struct inference *f, const version_id *at, uint32_t n,
                   uint32_t i)
{
    const struct dependencies *p = f->p;
    const dense_id t1 = p->version_txn[at[i]];
    read_id other = READ_NONE; // whose transaction writes the key, too
    assert(i < n && (i == 0) == version_is_init(p, at[i]));
    for (read_id r = p->reader[at[i]]; r != READ_NONE; r = p->next_reader[r]) {
        const bool updates = p->one_rw && depend_writes(p, p->read_txn[r],
                                                        p->version_key[at[i]]);
        if (!infer_from_reader(f, at, n, i, r, updates))
            return false;
        if (updates && other != READ_NONE &&
            (!apply_r3(f, r, t1, p->read_txn[other]) ||
             !apply_r3(f, other, t1, p->read_txn[r])))
            return false;
        other = updates ? r : other;
    }
    return true;
}

/* R2 for the version at place i: find the next one that it reaches. */
static bool
infer_from_writer(struct inference *f, const version_id *at, uint32_t n,
                  uint32_t i)
{
    const struct dependencies *p = f->p;
    const dense_id t1 = p->version_txn[at[i]];
    assert(i && i < n && !p->one_rw);
    const uint32_t from = point_ww_from(p, t1);
    const uint32_t end = i + f->context->options->window + 1;
    for (uint32_t j = i + 1; j < n && j < end; j++) {
        const dense_id t2 = p->version_txn[at[j]];
        const uint32_t commit = point_commit(p, t2);
        if (!inference_reach(f, from, commit))
            continue;
        if (p->separates_writers &&
            !inference_add(f, point_commit(p, t1), point_start(p, t2),
                           (struct label){EDGE_WW, READ_NONE, WW_PATH}))
            return false;
        for (read_id r = p->reader[at[i]]; r != READ_NONE;
             r = p->next_reader[r])
            if (p->read_txn[r] != t2 &&
                !inference_add(f, point_start(p, p->read_txn[r]), commit,
                               (struct label){EDGE_RW, r, at[i]}))
                return false;
        return true;
    }
    return true;
}

/* All rules for the version at place i among those of its key. */
static bool
infer_from_version(struct inference *f, const version_id *at, uint32_t n,
                   uint32_t i)
{
    return infer_from_readers(f, at, n, i) &&
           (!i || f->p->one_rw || infer_from_writer(f, at, n, i));
}

/* The same for places [first, end) of key k, where the last round inferred
 * something. */
static bool
infer_from_places(struct window *w, key_id k, uint32_t first, uint32_t end)
{
    const uint32_t *start = w->f->p->key_first;
    const uint32_t n = start[k + 1] - start[k];
    const uint64_t added = w->f->added;
    bool ok = true;
    assert(first <= end && end <= n);
    for (uint32_t i = first; w->busy[k] && ok && i < end; i++)
        ok = infer_from_version(w->f, w->sorted + start[k], n, i);
    w->found[k] |= w->f->added > added;
    return ok;
}

static bool
infer_by_key(struct window *w)
{
    const uint32_t *start = w->f->p->key_first;
    for (key_id k = 0; k < w->f->p->h->n_keys; k++)
        if (!infer_from_places(w, k, 0, start[k + 1] - start[k]))
            return false;
    return true;
}

static bool
infer_by_order(struct window *w)
{
    const struct dependencies *p = w->f->p;
    for (key_id k = 0; k < p->h->n_keys; k++) {
        w->next[k] = 1;
        if (!infer_from_places(w, k, 0, 1))
            return false;
    }
    for (uint32_t i = 0; i < p->g.n; i++) {
        const uint32_t point = w->f->order[i];
        if (point >= depend_txn_points(p) ||
            point != point_commit(p, point_txn(p, point)))
            continue;
        const dense_id t = point_txn(p, point);
        for (uint32_t j = p->write_first[t]; j < p->write_first[t + 1]; j++) {
            const key_id k = p->version_key[p->write[j]];
            const uint32_t place = w->next[k]++;
            assert(w->sorted[p->key_first[k] + place] == p->write[j]);
            if (!infer_from_places(w, k, place, place + 1))
                return false;
        }
    }
    return true;
}

static bool
window_round(struct window *w)
{
    const uint32_t n_keys = w->f->p->h->n_keys;
    depend_arrange(w->f->p, w->f->order, w->sorted);
    memset(w->found, 0, n_keys);
    const bool cached = clocks_bytes(&w->f->p->g) <= CACHED_BYTES;
    const bool ok = cached ? infer_by_key(w) : infer_by_order(w);
    memcpy(w->busy, w->found, n_keys);
    return ok;
}

/* --- rounds -----------------------------------------------------------------
 */

static uint32_t
rounds_allowed(const struct inference *f)
{
    const struct dependencies *p = f->p;
    if (f->context->options->rounds)
        return f->context->options->rounds;
    if (p->g.n <= SMALL || f->clocks.cover)
        return ROUNDS_MAX;
    // Many ambiguous reads are worth more rounds: each one left is a choice.
    return p->ambiguous.n > p->n_reads / 50 ? ROUNDS_AMBIGUOUS : ROUNDS;
}

static bool
prune_if_ambiguous(struct inference *f)
{
    return !f->context->options->prune || !f->p->ambiguous.n ||
           !f->has_clocks || prune_candidates(f);
}

/* Whether another round pays after one that gained so many edges.  The first
 * order mostly respects by itself what another round would find.  But where
 * reads are ambiguous, each edge may decide one, and where sessions are many,
 * few edges are known at first. */
static bool
pays(const struct inference *f, uint64_t gained)
{
    const struct dependencies *p = f->p;
    if (p->g.n <= SMALL)
        return gained;
    return gained * (p->ambiguous.n || f->clocks.cover ? 100 : 6) >=
           p->g.edges.n;
}

/* The steps of a budget that inference has taken so far, approximately: rows of
 * clocks, and one visit of all versions, edges and candidates in each round. */
static uint64_t
count_steps(const struct inference *f)
{
    const struct dependencies *p = f->p;
    return f->clocks.steps +
           f->context->stats->saturation_rounds *
               (p->n_versions + p->g.edges.n + p->pool.items.n);
}

static bool
run_rounds(struct inference *f, struct window *w)
{
    const struct dependencies *p = f->p;
    const uint32_t rounds = rounds_allowed(f);
    for (uint32_t i = 0; i < rounds && f->has_clocks; i++) {
        const uint64_t added = f->added, steps = count_steps(f);
        const uint64_t struck = p->n_struck;
        f->context->stats->saturation_rounds++;
        if (!window_round(w) || !inference_update(f) ||
            !prune_if_ambiguous(f) || !inference_update(f))
            return false;
        const uint64_t gained = f->added - added;
        assert(f->conflict.kind == CONFLICT_NONE && !f->changed);
        if (!budget_spend(f->context->budget, count_steps(f) - steps))
            return false;
        if (p->n_struck == struck && !pays(f, gained))
            break;
    }
    return true;
}

/* Where there are so many candidates that strikes are not recorded, see first
 * whether what is certain is contradictory by itself. */
static bool
infer_before_pruning(struct window *w)
{
    const struct dependencies *p = w->f->p;
    if (!p->ambiguous.n || p->records_struck ||
        !w->f->context->options->saturate)
        return true;
    memset(w->busy, 1, p->h->n_keys);
    return window_round(w) && inference_update(w->f);
}

bool
saturate_run(struct inference *f)
{
    struct dependencies *p = f->p;
    if (!f->has_clocks || !f->context->options->prune)
        prune_own_writes(p);
    if (!f->has_clocks)
        return true;
    struct window w = {.f = f};
    w.sorted = mem_alloc(p->n_versions, sizeof *w.sorted);
    w.busy = mem_alloc(p->h->n_keys, sizeof *w.busy);
    w.found = mem_alloc(p->h->n_keys, sizeof *w.found);
    w.next = mem_alloc(p->h->n_keys, sizeof *w.next);
    bool ok = infer_before_pruning(&w) && prune_if_ambiguous(f) &&
              inference_update(f);
    memset(w.busy, 1, p->h->n_keys);
    if (ok && f->context->options->saturate)
        ok = run_rounds(f, &w);
    mem_free(w.busy);
    mem_free(w.found);
    mem_free(w.next);
    mem_free(w.sorted);
    struct strong_stats *stats = f->context->stats;
    stats->inferred_edges = f->added;
    stats->candidates_struck = p->n_struck;
    stats->ambiguous_after = p->ambiguous.n;
    stats->clock_rebuilds = f->clocks.rebuilds;
    return ok;
}
