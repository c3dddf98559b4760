/* core.c -- what the level forbids, learnt from executions that violate it.
 *
 * An engine refuted the level for an execution and left evidence.  The reads
 * and writes that the evidence speaks of are a part that violates the level by
 * itself, and so does every execution that contains it.
 *
 * SPDX-License-Identifier: MIT */
#include "predict/core.h"

#include "evidence/proof.h"

/* --- the events that evidence rests on ------------------------------------ */

struct gather {
    const struct execution *x;
    const struct origin *origin;
    struct excerpt *part;
};

static uint32_t
txn_of(const struct gather *g, txn_id t)
{
    return g->origin->txns.at[t];
}

static void
need_txn(struct gather *g, txn_id t)
{
    if (t != TXN_INIT && t != TXN_NONE)
        g->part->txn[txn_of(g, t)] = 1;
}

static void
need_write_of(struct gather *g, uint32_t t, key_id k)
{
    if (t == OBS_INIT)
        return;
    const uint32_t w = observed_write(g->x->o, t, k);
    assert(w != OBS_NONE);
    g->part->txn[t] = 1;
    g->part->write[w] = 1;
}

/* A read, and the write that it reads. */
static void
need_read(struct gather *g, op_id op)
{
    if (op == ID_NONE)
        return;
    const uint32_t event = g->origin->ops.at[op];
    assert(event % 2 == 0);
    const struct obs_read *r = &g->x->o->reads.at[event / 2];
    g->part->txn[r->txn] = 1;
    g->part->read[event / 2] = 1;
    need_write_of(g, g->x->writer[event / 2], r->key);
}

/* That t writes what op read. */
static void
need_write(struct gather *g, txn_id t, op_id op)
{
    const uint32_t event = g->origin->ops.at[op];
    assert(event % 2 == 0);
    if (t != TXN_INIT)
        need_write_of(g, txn_of(g, t), g->x->o->reads.at[event / 2].key);
}

/* A read by which b read from a; none where a precedes b in its session. */
static void
need_step(struct gather *g, txn_id a, txn_id b)
{
    need_txn(g, a);
    need_txn(g, b);
    if (a == TXN_INIT)
        return;
    const struct observed *o = g->x->o;
    const uint32_t u = txn_of(g, a), v = txn_of(g, b);
    if (o->session[u] == o->session[v] && u < v)
        return;
    for (uint32_t r = o->read_first[v]; r < o->read_first[v + 1]; r++)
        if (execution_has_read(g->x, r) && g->x->writer[r] == u) {
            g->part->read[r] = 1;
            need_write_of(g, u, o->reads.at[r].key);
            return;
        }
    assert(false);
}

static void
gather_cycle(struct gather *g, const struct cycle *c)
{
    for (size_t i = 0; i < c->edges.n; i++) {
        const struct cycle_edge *e = &c->edges.at[i];
        need_txn(g, e->from);
        need_txn(g, e->to);
        need_read(g, e->read);
        need_read(g, e->premise);
        if (e->kind == EDGE_CO)
            need_write(g, e->from, e->read);
        for (uint32_t j = 0; j + 1 < e->path_n; j++)
            need_step(g, c->path.at[e->path_first + j],
                      c->path.at[e->path_first + j + 1]);
    }
}

/* A key that both write. */
static void
need_common(struct gather *g, txn_id a, txn_id b)
{
    const struct observed *o = g->x->o;
    const uint32_t u = txn_of(g, a), v = txn_of(g, b);
    for (uint32_t w = o->write_first[u]; w < o->write_first[u + 1]; w++) {
        const uint32_t other = observed_write(o, v, o->writes.at[w].key);
        if (other == OBS_NONE || !execution_has_write(g->x, w) ||
            !execution_has_write(g->x, other))
            continue;
        g->part->txn[u] = g->part->txn[v] = 1;
        g->part->write[w] = g->part->write[other] = 1;
        return;
    }
    assert(false);
}

static void
gather_edge(struct gather *g, const struct proof_edge *e)
{
    need_txn(g, e->from);
    need_txn(g, e->to);
    need_read(g, e->read);
    if (e->kind == EDGE_RW && e->read != ID_NONE)
        need_write(g, e->to, e->read);
    if (e->kind == EDGE_WW && e->from != TXN_INIT)
        need_common(g, e->from, e->to);
}

static void
gather_proof(struct gather *g, const struct proof *p)
{
    for (size_t i = 0; i < p->steps.n; i++) {
        const struct proof_step *s = &p->steps.at[i];
        if (s->kind == STEP_AHEAD) {
            need_read(g, s->read);
            need_write(g, s->other, s->read);
        } else if (s->kind == STEP_WEAK_CYCLE) {
            gather_cycle(g, &p->cycles.at[s->cycle]);
        } else if (s->kind == STEP_CYCLE) {
            for (uint32_t e = s->first; e < s->first + s->n; e++)
                gather_edge(g, &p->edges.at[e]);
        }
    }
}

void
core_gather(const struct execution *x, const struct certificate *c,
            const struct origin *origin, struct excerpt *part)
{
    struct gather g = {x, origin, part};
    assert(c->verdict == VERDICT_VIOLATED);
    if (c->kind == EVIDENCE_CYCLE)
        gather_cycle(&g, &c->cycle);
    else if (c->kind == EVIDENCE_PROOF)
        gather_proof(&g, c->proof);
    else
        assert(false); // every read has its writer
}

/* --- the clause ----------------------------------------------------------- */

/* Whether base transaction t is there in any case when the rest of the part
 * is. */
static bool
is_implied(const struct formula *f, const struct execution *x,
           const struct excerpt *p, uint32_t t)
{
    const struct observed *o = f->o;
    for (uint32_t u = 0; u < o->n; u++) {
        if (!p->txn[u] || u == t)
            continue;
        if (x->role[u] == ROLE_BASE && observed_before(o, t, u))
            return true;
        if (x->role[u] != ROLE_BOUNDARY)
            continue;
        if (o->prev[u] != OBS_NONE && observed_before(o, t, o->prev[u]))
            return true;
        for (uint32_t r = o->read_first[u]; r < o->read_first[u + 1]; r++)
            if (p->read[r] && x->writer[r] != OBS_INIT &&
                observed_before(o, t, x->writer[r]))
                return true;
    }
    return false;
}

static void
add_boundary(struct formula *f, const struct execution *x,
             const struct excerpt *p, uint32_t t)
{
    const struct observed *o = f->o;
    bool said = false;
    uint32_t reached = VAR_NONE; // strict: the furthest that must take place
    for (uint32_t r = o->read_first[t]; r < o->read_first[t + 1]; r++) {
        if (!p->read[r])
            continue;
        const bool is_kept =
            f->is_strict && r + 1 < o->read_first[t] + x->reads[t];
        if (is_kept) {
            reached = f->reaches[r + 1];
            continue;
        }
        formula_lit(f, formula_pick(f, r, x->writer[r])->var, false);
        said = true;
        reached = VAR_NONE; // the last one implies those before
    }
    for (uint32_t w = o->write_first[t];
         f->is_strict && !said && w < o->write_first[t + 1]; w++) {
        const uint32_t r = o->read_first[t] + o->writes.at[w].reads_before;
        // Variables of later reads are larger (choices.c).
        if (p->write[w] && (reached == VAR_NONE || f->reaches[r] > reached))
            reached = f->reaches[r];
    }
    if (reached != VAR_NONE)
        formula_lit(f, reached, false);
    else if (!said)
        formula_lit(f, f->boundary[t], false);
}

void
formula_add_core(struct formula *f, const struct execution *x,
                 const struct excerpt *p)
{
    for (uint32_t t = 0; t < f->o->n; t++) {
        if (!p->txn[t])
            continue;
        assert(x->role[t] != ROLE_OUT);
        if (x->role[t] == ROLE_BOUNDARY)
            add_boundary(f, x, p, t);
        else if (!is_implied(f, x, p, t))
            formula_lit(f, f->base[t], false);
    }
    formula_add(f, RULE_CORE, 0, 0, 0, 0);
}
