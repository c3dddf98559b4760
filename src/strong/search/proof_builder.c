/* proof_builder.c -- see proof_builder.h.
 *
 * SPDX-License-Identifier: MIT */
#include "strong/search/proof_builder.h"

#include <stdlib.h>

txn_id
proof_builder_name(const struct proof_builder *b, dense_id t)
{
    return t == DENSE_INIT ? TXN_INIT : b->p->name[t];
}

void
proof_builder_begin_cycle(struct proof_builder *b)
{
    vec_clear(&b->cycle);
}

static void
need_edge(struct proof_builder *b, uint32_t e)
{
    assert(e < b->p->labels.n);
    b->needed[e] = 1;
    if (e + 1 > b->highest)
        b->highest = e + 1;
}

void
proof_builder_add_hop(struct proof_builder *b, struct logged_hop h)
{
    if (h.edge != EDGE_NONE)
        need_edge(b, h.edge);
    vec_push(&b->cycle, h);
}

void
proof_builder_assume(struct proof_builder *b, uint32_t from, uint32_t to,
                     struct label label)
{
    proof_builder_add_hop(b, (struct logged_hop){from, to, EDGE_NONE, label});
}

void
proof_builder_add_known_hop(struct proof_builder *b, struct hop h)
{
    const struct label chain = {EDGE_SO, READ_NONE, 0};
    proof_builder_add_hop(
        b, (struct logged_hop){h.from, h.to, h.edge,
                               h.edge == EDGE_NONE ? chain
                                                   : b->p->labels.at[h.edge]});
}

bool
proof_builder_has_path(struct proof_builder *b, uint32_t u, uint32_t v,
                       uint32_t limit)
{
    // What was inferred rests on paths up the order in which the last sweep
    // was made, and clocks do not know what that sweep has added.
    const struct clocks none = {.g = &b->p->g};
    const bool fresh = b->f->has_clocks && !b->f->changed;
    vec_clear(&b->path);
    return clocks_path(fresh ? &b->f->clocks : &none, &b->finder, u, v, limit,
                       &b->path);
}

void
proof_builder_add_path(struct proof_builder *b, uint32_t u, uint32_t v,
                       uint32_t limit)
{
    const bool found = proof_builder_has_path(b, u, v, limit);
    assert(found);
    (void)found;
    for (size_t i = 0; i < b->path.n; i++)
        proof_builder_add_known_hop(b, b->path.at[i]);
}

static bool
is_instant(const struct proof_builder *b, uint32_t point)
{
    return point >= depend_txn_points(b->p);
}

/* The edge of a proof for a hop between transactions. */
static struct proof_edge
translate(const struct proof_builder *b, const struct logged_hop *h)
{
    const struct dependencies *p = b->p;
    struct proof_edge e = {(enum edge_kind)h->label.kind,
                           proof_builder_name(b, point_txn(p, h->from)),
                           proof_builder_name(b, point_txn(p, h->to)), ID_NONE,
                           TXN_NONE};
    if ((e.kind == EDGE_WR || e.kind == EDGE_RW) &&
        h->label.read != READ_NONE) {
        e.read = p->read_op[h->label.read];
        e.writer = proof_builder_name(b, p->version_txn[h->label.version]);
    }
    return e;
}

void
proof_builder_end_cycle(struct proof_builder *b)
{
    const size_t n = b->cycle.n, first = b->proof->edges.n;
    assert(n && b->cycle.at[0].from == vec_top(&b->cycle).to);
    size_t begin = 0;
    while (is_instant(b, b->cycle.at[begin].from))
        begin++;
    uint32_t entry = 0; // where the time line was entered from
    for (size_t i = 0; i < n; i++) {
        struct logged_hop h = b->cycle.at[(begin + i) % n];
        if (is_instant(b, h.to)) {
            if (!is_instant(b, h.from))
                entry = h.from;
            continue;
        }
        if (is_instant(b, h.from))
            h.from = entry;
        const struct proof_edge e = translate(b, &h);
        if (e.from == e.to)
            continue;
        if (e.kind == EDGE_SO && b->proof->edges.n > first &&
            vec_top(&b->proof->edges).kind == EDGE_SO)
            vec_top(&b->proof->edges).to = e.to;
        else
            vec_push(&b->proof->edges, e);
    }
    proof_add_cycle(b->proof, first);
}

/* --- all of it ------------------------------------------------------------ */

struct removed_key {
    read_id read;
    uint32_t index;
};

static int
compare_removed(const void *a, const void *b)
{
    const struct removed_key *x = a, *y = b;
    if (x->read != y->read)
        return x->read < y->read ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

void
proof_builder_init(struct proof_builder *b, const struct inference *f,
                   const struct search_log *g)
{
    const struct dependencies *p = f->p;
    assert(p->removed.n == p->n_removed); // all of them are on record
    *b = (struct proof_builder){.p = p, .f = f, .g = g, .proof = proof_new()};
    path_finder_init(&b->finder, &p->g);
    b->finder.rank = f->rank;
    b->needed = mem_calloc(p->labels.n, sizeof *b->needed);
    b->chosen = mem_calloc(p->n_reads, sizeof *b->chosen);
    const size_t n = p->removed.n;
    struct removed_key *keys = mem_alloc(n, sizeof *keys);
    for (uint32_t i = 0; i < n; i++)
        keys[i] = (struct removed_key){p->removed.at[i].read, i};
    qsort(keys, n, sizeof *keys, compare_removed);
    b->removed = mem_alloc(n, sizeof *b->removed);
    for (size_t i = 0; i < n; i++)
        b->removed[i] = keys[i].index;
    mem_free(keys);
}

struct proof *
proof_builder_finish(struct proof_builder *b)
{
    assert(!b->reads.n && !b->highest); // everything needed is proved
    path_finder_free(&b->finder);
    mem_free(b->needed);
    mem_free(b->chosen);
    mem_free(b->removed);
    vec_free(&b->path);
    vec_free(&b->cycle);
    vec_free(&b->reads);
    vec_free(&b->assumed);
    b->f->context->stats->proof_steps = b->proof->steps.n;
    b->f->context->stats->proof_edges = b->proof->edges.n;
    return b->proof;
}
