/* core.c -- what the level forbids, learnt from executions that violate it.
 *
 * An engine refuted the level for an execution and left evidence.  The reads
 * and writes that the evidence speaks of are a part that violates the level by
 * itself, and so does every execution that contains it.
 *
 * SPDX-License-Identifier: MIT */
#include "predict/formula/core.h"

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

/* A write of v that takes place and conflicts with write w, or OBS_NONE. */
static uint32_t
find_conflict(const struct execution *x, uint32_t w, uint32_t v)
{
    const struct observed *o = x->o;
    const key_id k = o->writes.at[w].key;
    const uint32_t same = observed_write(o, v, k);
    if (same != OBS_NONE && execution_has_write(x, same))
        return same;
    for (uint32_t i = o->write_first[v]; i < o->write_first[v + 1]; i++)
        if (x->by_rows && o->rows[o->writes.at[i].key] == o->rows[k] &&
            execution_has_write(x, i))
            return i;
    return OBS_NONE;
}

/* A key, or row, that both write. */
static void
need_common(struct gather *g, txn_id a, txn_id b)
{
    const struct observed *o = g->x->o;
    const uint32_t u = txn_of(g, a), v = txn_of(g, b);
    for (uint32_t w = o->write_first[u]; w < o->write_first[u + 1]; w++) {
        const uint32_t other = find_conflict(g->x, w, v);
        if (other == OBS_NONE || !execution_has_write(g->x, w))
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

/* A part, in which boundary transaction 'who' may be replaced by 'by'. */
struct core {
    struct formula *f;
    const struct execution *x;
    const struct excerpt *p;
    uint32_t who, by;
    bool goes_on; // boundary transactions make all writes in any case
};

/* Whether base transaction t is there in any case when the rest of the part
 * is. */
static bool
is_implied(const struct core *c, uint32_t t)
{
    const struct observed *o = c->f->o;
    for (uint32_t u = 0; u < o->n; u++) {
        if (!c->p->txn[u] || u == t)
            continue;
        if (c->x->role[u] == ROLE_BASE && observed_before(o, t, u))
            return true;
        if (c->x->role[u] != ROLE_BOUNDARY)
            continue;
        const uint32_t prev = o->prev[u == c->who ? c->by : u];
        if (prev != OBS_NONE && observed_before(o, t, prev))
            return true;
        for (uint32_t r = o->read_first[u]; r < o->read_first[u + 1]; r++)
            if (c->p->read[r] && c->x->writer[r] != OBS_INIT &&
                observed_before(o, t, c->x->writer[r]))
                return true;
    }
    return false;
}

/* The literals of "boundary transaction u does in the part what t does": false
 * where it cannot. */
static bool
put_boundary(const struct core *c, uint32_t t, uint32_t u)
{
    struct formula *f = c->f;
    const struct execution *x = c->x;
    const struct excerpt *p = c->p;
    const struct observed *o = f->o;
    uint32_t last = o->read_first[u]; // strict: reads up to it take place
    bool picked = false;
    for (uint32_t r = o->read_first[t]; r < o->read_first[t + 1]; r++) {
        if (!p->read[r])
            continue;
        const uint32_t same =
            t == u ? r : observed_read(o, u, o->reads.at[r].key);
        if (same == OBS_NONE)
            return false;
        const bool is_kept =
            f->is_strict && r + 1 < o->read_first[t] + x->reads[t];
        if (is_kept) {
            if (o->reads.at[same].writer != x->writer[r] ||
                same + 1 >= o->read_first[u + 1])
                return false;
            last = same + 1 > last ? same + 1 : last;
            continue;
        }
        const struct pick *pick = formula_pick(f, same, x->writer[r]);
        if (!pick)
            return false;
        formula_lit(f, pick->var, false);
        picked = true;
    }
    for (uint32_t w = o->write_first[t]; w < o->write_first[t + 1]; w++) {
        if (!p->write[w])
            continue;
        const uint32_t same = observed_write(o, u, o->writes.at[w].key);
        if (same == OBS_NONE)
            return false;
        if (c->goes_on)
            continue;
        const uint32_t r = o->read_first[u] + o->writes.at[same].reads_before;
        if (f->is_strict && r >= o->read_first[u + 1])
            return false;
        last = r > last ? r : last;
    }
    // A pick implies that all before it takes place, if it is the same one.
    if (!picked || (f->is_strict && t != u))
        formula_lit(f, f->is_strict ? f->reaches[last] : f->boundary[u], false);
    return true;
}

static bool
put_core(const struct core *c)
{
    struct formula *f = c->f;
    for (uint32_t t = 0; t < f->o->n; t++) {
        if (!c->p->txn[t])
            continue;
        assert(c->x->role[t] != ROLE_OUT);
        if (c->x->role[t] == ROLE_BASE) {
            if (!is_implied(c, t))
                formula_lit(f, f->base[t], false);
        } else if (!put_boundary(c, t, t == c->who ? c->by : t)) {
            vec_clear(&f->clause);
            return false;
        }
    }
    return true;
}

/* Whether the part rests on a transaction of t's session. */
static bool
needs_session(const struct core *c, uint32_t t)
{
    const struct observed *o = c->f->o;
    for (uint32_t u = 0; u < o->n; u++)
        if (u != t && c->p->txn[u] && o->session[u] == o->session[t])
            return true;
    return false;
}

/* Add the clause of put_core. */
static void
end_core(const struct core *c, uint32_t t, uint32_t u)
{
    if (c->goes_on)
        formula_lit(c->f, c->f->unconditional, false);
    formula_add(c->f, c->goes_on ? RULE_MISSED : RULE_CORE, t, u, 0, 0);
}

/* What boundary transaction t must not do, others must not do in its place. */
static void
add_others(struct core *c, uint32_t t)
{
    const struct observed *o = c->f->o;
    if (!level_sees_session(c->f->level) || needs_session(c, t))
        return;
    c->who = t;
    for (uint32_t u = 0; u < o->n; u++) {
        c->by = u;
        if (u == t || c->p->txn[u] || c->f->boundary[u] == VAR_NONE ||
            !put_core(c))
            continue;
        end_core(c, t, u);
    }
    c->who = OBS_NONE;
}

void
formula_add_core(struct formula *f, const struct execution *x,
                 const struct excerpt *p)
{
    struct core c = {f, x, p, OBS_NONE, OBS_NONE, x->goes_on || x->by_rows};
    assert(!c.goes_on || f->unconditional != VAR_NONE);
    const bool ok = put_core(&c);
    assert(ok);
    (void)ok;
    end_core(&c, OBS_NONE, OBS_NONE);
    for (uint32_t t = 0; t < f->o->n; t++)
        if (p->txn[t] && x->role[t] == ROLE_BOUNDARY)
            add_others(&c, t);
}
