/* core.c -- see core.h.
 *
 * A read that an edge rests on brings along all transactions that may have
 * written its value: part.h takes reads out when one of these is missing.
 *
 * SPDX-License-Identifier: MIT */
#include "explain/core.h"

#include "evidence/proof.h"

#include <stdlib.h>

struct gathering {
    const struct history *h;
    const txn_id *owners;
    u32_vec *core;
};

txn_id *
core_owners(const struct history *h)
{
    txn_id *owners = mem_alloc(h->n_ops, sizeof *owners);
    for (txn_id t = 0; t < h->n_txns; t++)
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
            owners[op] = t;
    return owners;
}

static void
add_txn(struct gathering *g, txn_id t)
{
    if (t < g->h->n_txns && g->h->txn_counts[t])
        vec_push(g->core, t);
}

static void
add_read(struct gathering *g, op_id op)
{
    if (op == ID_NONE)
        return;
    const value_id v = g->h->op_value[op];
    add_txn(g, g->owners[op]);
    if (!history_has_several(g->h, v)) {
        add_txn(g, history_writer(g->h, v));
        return;
    }
    const struct txn_range all = history_candidates(g->h, v);
    for (size_t i = 0; i < all.n; i++)
        add_txn(g, all.at[i]);
}

static void
add_cycle(struct gathering *g, const struct cycle *c)
{
    for (size_t i = 0; i < c->edges.n; i++) {
        const struct cycle_edge *e = &c->edges.at[i];
        add_txn(g, e->from);
        add_txn(g, e->to);
        add_read(g, e->read);
        add_read(g, e->premise);
        // A path is so or wr from one to the next, by reads that are not
        // named: those transactions bring everything they read from along
        // when several may have written it, which is rare.
        for (uint32_t j = 0; j < e->path_n; j++)
            add_txn(g, c->path.at[e->path_first + j]);
    }
}

static void
add_proof(struct gathering *g, const struct proof *p)
{
    for (size_t i = 0; i < p->edges.n; i++) {
        add_txn(g, p->edges.at[i].from);
        add_txn(g, p->edges.at[i].to);
        add_txn(g, p->edges.at[i].writer);
        add_read(g, p->edges.at[i].read);
    }
    for (size_t i = 0; i < p->steps.n; i++) {
        const struct proof_step *s = &p->steps.at[i];
        if (s->kind == STEP_CHOICES || s->kind == STEP_AHEAD)
            add_read(g, s->read);
        if (s->kind == STEP_AHEAD) {
            add_txn(g, s->writer);
            add_txn(g, s->other);
        }
    }
    for (size_t i = 0; i < p->cycles.n; i++)
        add_cycle(g, &p->cycles.at[i]);
}

static int
compare_ids(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void
sort_and_unite(u32_vec *core)
{
    if (!core->n)
        return;
    qsort(core->at, core->n, sizeof *core->at, compare_ids);
    size_t n = 1;
    for (size_t i = 1; i < core->n; i++)
        if (core->at[i] != core->at[n - 1])
            core->at[n++] = core->at[i];
    core->n = n;
}

/* Add the candidates of all ambiguous reads of the transactions so far: a
 * path does not say by which read it leads on. */
static void
add_candidates(struct gathering *g)
{
    const struct history *h = g->h;
    if (!h->several.n)
        return;
    const size_t n = g->core->n;
    for (size_t i = 0; i < n; i++) {
        const txn_id t = g->core->at[i];
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
            if (op_is_external_read(h, op) &&
                history_has_several(h, h->op_value[op]))
                add_read(g, op);
    }
    sort_and_unite(g->core);
}

void
core_of_cycle(const struct history *h, const txn_id *owners,
              const struct cycle *cycle, u32_vec *core)
{
    struct gathering g = {h, owners, core};
    vec_clear(core);
    add_cycle(&g, cycle);
    sort_and_unite(core);
    add_candidates(&g);
}

void
core_of_certificate(const struct history *h, const txn_id *owners,
                    const struct certificate *c, u32_vec *core)
{
    struct gathering g = {h, owners, core};
    vec_clear(core);
    if (c->kind == EVIDENCE_CYCLE)
        add_cycle(&g, &c->cycle);
    else if (c->kind == EVIDENCE_PROOF)
        add_proof(&g, c->proof);
    sort_and_unite(core);
    add_candidates(&g);
}

void
core_of_everything(const struct history *h, u32_vec *core)
{
    vec_clear(core);
    for (txn_id t = 0; t < h->n_txns; t++)
        if (h->txn_counts[t])
            vec_push(core, t);
}
