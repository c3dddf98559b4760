/* proof_facts.c -- see proof_facts.h.
 *
 * SPDX-License-Identifier: MIT */
#include "strong/search/proof_facts.h"

#include "base/container/sorted.h"

#include <stdlib.h>

/* Prove that writer t1 is before writer t2, because t1 reaches t2 below
 * 'limit'; or, returning false, that it is if t1 counts, because a follower of
 * t1 reaches t2. */
static bool
prove_before(struct proof_builder *b, dense_id t1, dense_id t2, uint32_t limit)
{
    const struct dependencies *p = b->p;
    const uint32_t from = point_ww_from(p, t1), commit = point_commit(p, t2);
    dense_id next = DENSE_INIT;
    const bool direct =
        t1 < p->n_certain || proof_builder_has_path(b, from, commit, limit);
    if (!direct) {
        do {
            next = depend_follower(p, t1, next);
            assert(next != DENSE_INIT);
        } while (
            !proof_builder_has_path(b, point_start(p, next), commit, limit));
    }
    proof_builder_begin_cycle(b);
    proof_builder_assume(b, commit, point_ww_to(p, t1),
                         (struct label){EDGE_WW, READ_NONE, WW_PATH});
    if (direct) {
        proof_builder_add_path(b, from, commit, limit);
    } else {
        proof_builder_assume(b, point_commit(p, t1), point_start(p, next),
                             (struct label){EDGE_SO, READ_NONE, 0});
        proof_builder_add_path(b, point_start(p, next), commit, limit);
    }
    proof_builder_end_cycle(b);
    return direct;
}

void
proof_facts_need_read(struct proof_builder *b, read_id r)
{
    const struct dependencies *p = b->p;
    if (b->chosen[r] ||
        (p->read_txn[r] < p->n_certain &&
         !history_has_several(p->h, p->h->op_value[p->read_op[r]])))
        return;
    assert(r < p->n_reads);
    b->chosen[r] = 1;
    vec_push(&b->reads, r);
}

/* Prove that the optional transaction t counts, or does not, if that is
 * certain. */
static void
prove_counting(struct proof_builder *b, dense_id t)
{
    const struct dependencies *p = b->p;
    assert(t >= p->n_certain && t < p->n_txns);
    const struct optional *o = &p->optional[t - p->n_certain];
    if (o->counting == COUNTING_OPEN)
        return;
    if (o->read != READ_NONE) {
        proof_facts_need_read(b, o->read);
        if (o->counting == COUNTING_YES)
            proof_add_counts(b->proof, p->read_op[o->read], p->name[t]);
        return;
    }
    const uint32_t commit = point_commit(p, t);
    const uint32_t start = point_start(p, o->follower);
    proof_builder_begin_cycle(b);
    proof_builder_assume(b, commit, start,
                         (struct label){EDGE_SO, READ_NONE, 0});
    proof_builder_add_path(b, start, commit, o->edges);
    proof_builder_end_cycle(b);
}

static void
prove_removed(struct proof_builder *b, uint32_t index)
{
    const struct dependencies *p = b->p;
    assert(index < p->removed.n);
    const struct removed_candidate *s = &p->removed.at[index];
    const uint32_t start = point_start(p, p->read_txn[s->read]);
    const dense_id w = p->version_txn[s->version];
    if (w != DENSE_INIT && w >= p->n_certain)
        proof_add_counts(b->proof, p->read_op[s->read], p->name[w]);
    if (s->by == VERSION_MISSING) {
        prove_counting(b, w);
        return;
    }
    proof_builder_begin_cycle(b);
    if (s->by == VERSION_NONE) {
        const uint32_t commit = point_commit(p, w);
        proof_builder_assume(b, commit, start,
                             (struct label){EDGE_WR, s->read, s->version});
        proof_builder_add_path(b, start, commit, s->edges);
        proof_builder_end_cycle(b);
        return;
    }
    const dense_id m = p->version_txn[s->by];
    proof_builder_assume(b, start, point_commit(p, m),
                         (struct label){EDGE_RW, s->read, s->version});
    proof_builder_add_path(b, point_commit(p, m), start, s->edges);
    proof_builder_end_cycle(b);
    if (w != DENSE_INIT && !prove_before(b, w, m, s->edges))
        vec_push(&b->assumed, index);
}

/* State which candidates r has, and prove the removed ones impossible. */
static void
prove_candidates(struct proof_builder *b, read_id r)
{
    const struct dependencies *p = b->p;
    proof_add_choices(b->proof, p->read_op[r]);
    if (p->read_txn[r] >= p->n_certain)
        prove_counting(b, p->read_txn[r]);
    size_t low = 0;
    LOWER_BOUND(low, p->removed.n, middle,
                p->removed.at[b->removed[middle]].read < r);
    for (; low < p->removed.n && p->removed.at[b->removed[low]].read == r;
         low++)
        prove_removed(b, b->removed[low]);
}

void
proof_facts_prove_reads(struct proof_builder *b)
{
    while (b->reads.n)
        prove_candidates(b, vec_pop(&b->reads));
}

/* Prove that t3, which read a version and writes its key, is before t2, which
 * overwrites that version (rule R3, at psi). */
static void
prove_update(struct proof_builder *b, dense_id t3, dense_id t2, read_id r,
             uint32_t limit)
{
    const struct dependencies *p = b->p;
    const version_id v = p->read_version[r];
    assert(p->one_rw && p->read_txn[r] == t3); // points are transactions
    if (!version_is_init(p, v))
        (void)prove_before(b, p->version_txn[v], t2, limit);
    proof_builder_begin_cycle(b);
    proof_builder_assume(b, t2, t3,
                         (struct label){EDGE_WW, READ_NONE, WW_PATH});
    proof_builder_assume(b, t3, t2, (struct label){EDGE_RW, r, v});
    proof_builder_end_cycle(b);
}

void
proof_facts_prove_edge(struct proof_builder *b, uint32_t from, uint32_t to,
                       struct label label, uint32_t limit)
{
    const struct dependencies *p = b->p;
    if (label.kind == EDGE_TIME ||
        (label.kind == EDGE_WW && label.version == WW_LIST))
        return;
    if (label.read != READ_NONE)
        proof_facts_need_read(b, label.read);
    if (label.kind == EDGE_SO && label.read != READ_NONE) {
        prove_counting(b, point_txn(p, from));
    } else if (label.kind == EDGE_RW && !version_is_init(p, label.version)) {
        (void)prove_before(b, p->version_txn[label.version], point_txn(p, to),
                           limit);
    } else if (label.kind == EDGE_WW && label.version == WW_PATH) {
        (void)prove_before(b, point_txn(p, from), point_txn(p, to), limit);
    } else if (label.kind == EDGE_WW && label.version == WW_UPDATE) {
        prove_update(b, from, to, label.read, limit);
    } else if (label.kind == EDGE_WW) { // rule R1
        const uint32_t start = point_start(p, p->read_txn[label.read]);
        proof_builder_begin_cycle(b);
        proof_builder_assume(
            b, start, from,
            (struct label){EDGE_RW, label.read, p->read_version[label.read]});
        proof_builder_add_path(b, from, start, limit);
        proof_builder_end_cycle(b);
    }
    proof_facts_prove_reads(b);
}

void
proof_facts_prove_edges(struct proof_builder *b)
{
    while (b->highest) {
        const uint32_t e = --b->highest;
        if (!b->needed[e])
            continue;
        const struct chain_edge *edge = &b->p->g.edges.at[e];
        proof_facts_prove_edge(b, edge->from, edge->to, b->p->labels.at[e], e);
        assert(b->highest <= e && !b->reads.n); // (D1)
    }
}

static int
compare_indices(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

void
proof_facts_add_assumed(struct proof_builder *b)
{
    const struct dependencies *p = b->p;
    if (b->assumed.n)
        qsort(b->assumed.at, b->assumed.n, sizeof *b->assumed.at,
              compare_indices);
    for (size_t i = 0; i < b->assumed.n; i++) {
        const struct removed_candidate *s = &p->removed.at[b->assumed.at[i]];
        const size_t first = b->proof->lits.n;
        vec_push(&b->proof->lits,
                 proof_not(proof_choice(
                     b->proof, p->read_op[s->read],
                     proof_builder_name(b, p->version_txn[s->version]))));
        proof_add_learnt(b->proof, first);
    }
}
