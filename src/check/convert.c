/* convert.c -- see convert.h.
 *
 * An order serves every weaker level; only the points differ: si and pc have a
 * start and a commit for each transaction, the others one point.
 *
 * A proof at pc, psi or si serves every stronger level as it is, because its
 * cycles are cycles there too.  A cycle at rc, ra or cc becomes a proof: that
 * t2 comes before t1, since t3 read a key of both from t1 and saw t2, is a
 * its own cycle if one supposes that t1 comes before t2.
 *
 *     t3 --rw--> t2 --so, wr--> ... --so, wr--> t3
 *
 * With these the cycle itself consists of so, wr and ww.
 *
 * SPDX-License-Identifier: MIT */
#include "check/convert.h"

#include "evidence/proof.h"

/* --- orders ----------------------------------------------------------------
 */

static bool
convert_order(const struct certificate *c, struct certificate *out)
{
    const bool from_two = level_table[c->level].two_points;
    const bool to_two = level_table[out->level].two_points;
    assert(level_implies(c->level, out->level));
    if (level_is_orderless(c->level))
        return false;
    for (size_t i = 0; i < c->order.n && !level_is_orderless(out->level); i++) {
        const point_id p = c->order.at[i];
        if (from_two == to_two) {
            vec_push(&out->order, p);
        } else if (to_two) {
            vec_push(&out->order, 2 * p);
            vec_push(&out->order, 2 * p + 1);
        } else if (p % 2) { // a commit
            vec_push(&out->order, p / 2);
        }
    }
    for (size_t i = 0; i < c->choices.n && !level_is_orderless(out->level); i++)
        vec_push(&out->choices, c->choices.at[i]);
    return true;
}

/* --- cycles ----------------------------------------------------------------
 */

static txn_id
owner(const struct history *h, op_id op)
{
    txn_id t = 0;
    while (t < h->n_txns && (op < h->txn_begin[t] || op >= h->txn_end[t]))
        t++;
    return t < h->n_txns ? t : TXN_NONE;
}

/* A read of b from a that has no choice, or ID_NONE. */
static op_id
find_read(const struct history *h, txn_id a, txn_id b)
{
    for (op_id op = h->txn_begin[b]; op < h->txn_end[b]; op++)
        if (op_is_external_read(h, op) &&
            !history_has_several(h, h->op_value[op]) &&
            history_writer(h, h->op_value[op]) == a)
            return op;
    return ID_NONE;
}

/* Add the edge from a to b by session order or a read. */
static bool
add_step(const struct history *h, txn_id a, txn_id b, struct proof *p)
{
    struct proof_edge e = {EDGE_SO, a, b, ID_NONE, TXN_NONE};
    assert(a != b && b < h->n_txns);
    if (a != TXN_INIT && (h->txn_session[a] != h->txn_session[b] || a > b)) {
        e.kind = EDGE_WR;
        e.read = find_read(h, a, b);
        if (e.read == ID_NONE)
            return false;
    }
    vec_push(&p->edges, e);
    return true;
}

/* Prove an inferred edge. */
static bool
prove_inferred(const struct history *h, const struct cycle *cycle,
               const struct cycle_edge *e, struct proof *p)
{
    const size_t first = p->edges.n;
    const txn_id t3 = owner(h, e->read), t2 = e->from;
    if (t3 == TXN_NONE || t2 == TXN_INIT ||
        history_has_several(h, h->op_value[e->read]))
        return false;
    vec_push(&p->edges, ((struct proof_edge){EDGE_RW, t3, t2, e->read, e->to}));
    bool ok = e->path_n || add_step(h, t2, t3, p);
    for (uint32_t i = 1; ok && i < e->path_n; i++)
        ok = add_step(h, cycle->path.at[e->path_first + i - 1],
                      cycle->path.at[e->path_first + i], p);
    assert(!ok || p->edges.n >= first + 2);
    if (ok)
        proof_add_cycle(p, first);
    return ok;
}

static bool
prove_cycle(const struct history *h, const struct cycle *cycle, struct proof *p)
{
    assert(cycle->edges.n);
    bool closed = false; // by an edge into INIT, which is a cycle by itself
    for (size_t i = 0; i < cycle->edges.n; i++) {
        const struct cycle_edge *e = &cycle->edges.at[i];
        if (e->kind == EDGE_CO && !prove_inferred(h, cycle, e, p))
            return false;
        closed |= e->kind == EDGE_CO && e->to == TXN_INIT;
    }
    const size_t first = p->edges.n;
    for (size_t i = 0; !closed && i < cycle->edges.n; i++) {
        const struct cycle_edge *e = &cycle->edges.at[i];
        if (e->kind == EDGE_SO || e->kind == EDGE_WR) {
            if (!add_step(h, e->from, e->to, p))
                return false;
        } else {
            vec_push(&p->edges, ((struct proof_edge){EDGE_WW, e->from, e->to,
                                                     ID_NONE, TXN_NONE}));
        }
    }
    if (!closed)
        proof_add_cycle(p, first);
    return true;
}

/* Copy a cycle; at cc the premises are paths. */
static void
copy_cycle(const struct history *h, const struct cycle *from, enum level to,
           struct cycle *out)
{
    for (size_t i = 0; i < from->path.n; i++)
        vec_push(&out->path, from->path.at[i]);
    for (size_t i = 0; i < from->edges.n; i++) {
        struct cycle_edge e = from->edges.at[i];
        if (e.kind == EDGE_CO && level_table[to].premise == PREMISE_CAUSAL &&
            !e.path_n) {
            e.path_first = capacity_index(CAPACITY_PATHS, out->path.n);
            e.path_n = 2;
            vec_push(&out->path, e.from);
            vec_push(&out->path, owner(h, e.read));
        }
        vec_push(&out->edges, e);
    }
}

/* --- all of it -------------------------------------------------------------
 */

static bool
convert_violation(const struct history *h, const struct certificate *c,
                  struct certificate *out)
{
    const bool from_weak = !level_is_strong(c->level);
    const bool to_weak = !level_is_strong(out->level);
    assert(level_implies(out->level, c->level));
    switch (c->kind) {
    case EVIDENCE_FLAW:
        out->flaw = c->flaw;
        return true;
    case EVIDENCE_PROOF:
        if (from_weak)
            return false;
        out->proof = proof_copy(c->proof);
        return true;
    case EVIDENCE_CYCLE:
        if (to_weak) {
            copy_cycle(h, &c->cycle, out->level, &out->cycle);
            return true;
        }
        out->kind = EVIDENCE_PROOF;
        out->proof = proof_new();
        return prove_cycle(h, &c->cycle, out->proof);
    default:
        return false;
    }
}

bool
convert_certificate(const struct history *h, const struct certificate *c,
                    enum level to, struct certificate *out)
{
    *out = (struct certificate){
        .level = to, .verdict = c->verdict, .kind = c->kind};
    for (size_t i = 0; i < c->seen.n; i++)
        vec_push(&out->seen, c->seen.at[i]);
    const bool ok = c->verdict == VERDICT_OK ? convert_order(c, out)
                                             : convert_violation(h, c, out);
    if (!ok)
        certificate_free(out);
    assert(!ok || (out->level == to && out->verdict == c->verdict));
    return ok;
}
