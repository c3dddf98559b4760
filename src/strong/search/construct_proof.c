/* construct_proof.c -- see construct_proof.h.
 *
 * A proof of a refuted search consists of the facts that its input clauses rest
 * on and of the learnt clauses that the empty clause rests on.  Clauses that
 * the empty one does not rest on are left out.
 *
 * SPDX-License-Identifier: MIT */
#include "strong/search/construct_proof.h"

#include "strong/search/proof_facts.h"

static proof_lit
translate_lit(struct proof_builder *b, lit l)
{
    const struct dependencies *p = b->p;
    const struct search_variable *v = &b->g->variables.at[lit_var(l)];
    const bool negated = lit_is_negated(l);
    proof_lit x;
    if (v->kind == VARIABLE_PAIR)
        x = proof_before(b->proof, p->name[v->a], p->name[v->b]);
    else if (v->kind == VARIABLE_CHOICE)
        x = proof_choice(b->proof, p->read_op[v->a],
                         proof_builder_name(b, p->version_txn[v->b]));
    else if (v->kind == VARIABLE_COUNTS)
        x = proof_counts(b->proof, p->name[v->a]);
    else
        x = proof_ahead(b->proof, p->name[v->a], p->name[v->b]);
    return negated ? proof_not(x) : x;
}

/* Mark the clauses that the empty one rests on, by id. */
static uint8_t *
mark_clauses(const struct search_log *g)
{
    assert(g->empty && g->empty < g->entries.n);
    uint8_t *used = mem_calloc(g->entries.n, sizeof *used);
    used[g->empty] = 1;
    for (uint32_t id = g->empty; id; id--) {
        const struct log_entry *e = &g->entries.at[id];
        if (!used[id] || e->kind != ENTRY_DERIVED)
            continue;
        for (uint32_t i = 0; i < e->n_from; i++) {
            assert(g->from.at[e->from + i] < id); // ids grow
            used[g->from.at[e->from + i]] = 1;
        }
    }
    return used;
}

static void
prove_hop(struct proof_builder *b, const struct logged_hop *h)
{
    proof_builder_add_hop(b, *h);
    // An assumed edge may rest on a read that pruning decided.
    if (h->edge == EDGE_NONE && h->label.read != READ_NONE &&
        b->p->read_version[h->label.read] != VERSION_NONE)
        proof_facts_need_read(b, h->label.read);
}

static void
prove_entry(struct proof_builder *b, const struct log_entry *e)
{
    const struct dependencies *p = b->p;
    const struct search_log *g = b->g;
    switch (e->kind) {
    case ENTRY_CHOICES:
        proof_facts_need_read(b, e->a);
        break;
    case ENTRY_COUNTS:
        proof_add_counts(b->proof, p->read_op[e->a],
                         proof_builder_name(b, p->version_txn[e->b]));
        break;
    case ENTRY_AHEAD:
        proof_add_ahead(b->proof, p->read_op[e->a],
                        proof_builder_name(b, p->version_txn[e->b]),
                        p->name[e->c]);
        break;
    case ENTRY_EDGE:
    case ENTRY_CYCLE:
        // Candidates first: proving them uses the same scratch.
        for (uint32_t i = 0; i < e->b; i++) {
            proof_builder_begin_cycle(b);
            prove_hop(b, &g->hops.at[e->a + i]);
        }
        proof_builder_begin_cycle(b);
        for (uint32_t i = 0; i < e->b; i++)
            proof_builder_add_hop(b, g->hops.at[e->a + i]);
        if (e->kind == ENTRY_EDGE)
            proof_builder_add_path(b, g->hops.at[e->a].to,
                                   g->hops.at[e->a].from,
                                   (uint32_t)p->labels.n);
        proof_builder_end_cycle(b);
        break;
    case ENTRY_DERIVED:
        break;
    }
    proof_facts_prove_reads(b);
}

static void
add_learnt(struct proof_builder *b, const struct log_entry *e)
{
    const size_t first = b->proof->lits.n;
    for (uint32_t i = 0; i < e->b; i++)
        vec_push(&b->proof->lits, translate_lit(b, b->g->lits.at[e->a + i]));
    proof_add_learnt(b->proof, first);
}

/* --- entry points --------------------------------------------------------- */

struct proof *
construct_proof_of_conflict(const struct inference *f)
{
    struct proof_builder b;
    proof_builder_init(&b, f, NULL);
    const struct conflict *c = &f->conflict;
    const uint32_t limit = (uint32_t)f->p->labels.n;
    switch (c->kind) {
    case CONFLICT_CYCLE:
        proof_builder_begin_cycle(&b);
        for (size_t i = 0; i < c->cycle.n; i++)
            proof_builder_add_known_hop(&b, c->cycle.at[i]);
        proof_builder_end_cycle(&b);
        break;
    case CONFLICT_EDGE:
        proof_builder_begin_cycle(&b);
        proof_builder_assume(&b, c->from, c->to, c->label);
        proof_builder_add_path(&b, c->to, c->from, limit);
        proof_builder_end_cycle(&b);
        proof_facts_prove_edge(&b, c->from, c->to, c->label, limit);
        break;
    case CONFLICT_READ:
        proof_facts_need_read(&b, c->read);
        break;
    case CONFLICT_NONE:
        assert(false);
    }
    proof_facts_prove_reads(&b);
    proof_facts_prove_edges(&b);
    proof_facts_add_assumed(&b);
    return proof_builder_finish(&b);
}

struct proof *
construct_proof_of_search(const struct inference *f, const struct search_log *g)
{
    struct proof_builder b;
    proof_builder_init(&b, f, g);
    uint8_t *used = mark_clauses(g);
    for (uint32_t id = 1; id <= g->empty; id++)
        if (used[id])
            prove_entry(&b, &g->entries.at[id]);
    proof_facts_prove_edges(&b);
    proof_facts_add_assumed(&b);
    for (uint32_t id = 1; id <= g->empty; id++)
        if (used[id] && g->entries.at[id].kind == ENTRY_DERIVED)
            add_learnt(&b, &g->entries.at[id]);
    mem_free(used);
    return proof_builder_finish(&b);
}
