/* writer_choice.c -- see writer_choice.h.
 *
 * An assignment can be decided in polynomial time, but there are as many
 * assignments as combinations of candidates.  So the search is lazy, as in
 * satisfiability modulo theories: guess an assignment and decide it.  The first
 * guess takes the order of the input for the order of commits
 * (suggested_assignment.h); the next one runs the sessions against a store
 * (initial_assignment.h).  Between the two, what depends on no choice is
 * refuted if it can be.  If a guess fails, the cycle depends on a few choices
 * only, and every assignment with these fails; their negation is a clause.  A
 * SAT solver keeps the clauses and proposes choices that satisfy them, until an
 * assignment holds or no model is left.
 *
 * The solver learns of a read when a cycle first depends on it; all others keep
 * the guess.  A model may allow several candidates of a read.  Any of them is
 * as good, because clauses only forbid.
 *
 * A transaction that may count does in an assignment where one that counts
 * reads from it.  So a choice of writers also determines which transactions
 * count.
 *
 * At first the solver knows only the candidates that pruning has left
 * (open_reads.h), which keeps its proposals close to the guess.  Pruning gives
 * no proof, however.  When none of those assignments is left, a new solver
 * begins with all candidates and with the cycles found so far.  What that one
 * derives is logged, so that a violation comes with a proof.
 *
 * SPDX-License-Identifier: MIT */
#include "weak/choice/writer_choice.h"

#include "base/limits/tuning.h"
#include "weak/choice/choice_premises.h"
#include "weak/choice/counting.h"
#include "weak/choice/initial_assignment.h"
#include "weak/choice/session_merge.h"
#include "weak/choice/suggested_assignment.h"
#include "weak/commit_order.h"
#include "weak/witness.h"

/* Rearrange the order so that it respects what is certain (session order, the
 * reads that have one candidate left, and the edges of the level that these
 * force), and choose by that order.  Reads that are still open are taken as
 * reads from INIT, which force nothing among transactions. */
static void
repair_order(struct choice_solver *c, enum level level,
             const struct weak_options *o, u32_vec *roots)
{
    const struct writer_assignment certain = {c->h, c->chosen, c->counts};
    struct ordered_assignment g;
    struct edges edges = {0};
    struct predecessors more;
    counting_find(c->h, c->chosen, c->counts, c->why);
    ordered_assignment_init(&g, &certain, roots, o->threads);
    if (!g.cyclic)
        (void)commit_order_edges(&g, level, o, &edges);
    edges_group(&edges, c->h, &more);
    session_merge(c->h, &c->open, &more, roots, c->chosen);
    predecessors_free(&more);
    edges_free(&edges);
    ordered_assignment_free(&g);
}

/* Choose the one candidate that a read has left, or INIT where it has more. */
static void
choose_certain(struct choice_solver *c, const struct open_read *r)
{
    const struct txn_range left = open_reads_left(&c->open, r);
    c->chosen[r->left.read] = left.n == 1 ? left.at[0] : TXN_INIT;
}

static void
guess(struct choice_solver *c, enum level level, const struct weak_options *o,
      u32_vec *roots)
{
    const struct history *h = c->h;
    c->place = mem_calloc(h->n_txns, sizeof *c->place);
    c->open_at = mem_alloc(h->n_ops, sizeof *c->open_at);
    for (size_t i = 0; i < c->open.all.n; i++)
        c->open_at[c->open.all.at[i].left.read] = (uint32_t)i;
    if (!initial_assignment_guess(h, roots, NULL)) {
        vec_clear(roots);
        topological_sort_suggest(h, roots);
    }
    open_reads_prune(h, level, &c->open);
    for (size_t i = 0; i < c->open.all.n; i++)
        choose_certain(c, &c->open.all.at[i]);
    repair_order(c, level, o, roots);
    for (size_t i = 0; i < roots->n; i++)
        c->place[roots->at[i]] = (uint32_t)i + 1;
}

/* Turn the cycles of a failed assignment into clauses; true where one depends
 * on no choice, and so is the evidence. */
static bool
learn(struct choice_solver *c, cycle_vec *cycles, struct certificate *out)
{
    for (size_t i = 0; i < cycles->n; i++) {
        struct lemma lemma = {.cycle = cycles->at[i]};
        cycles->at[i] = (struct cycle){0};
        choice_premises_find(c, &lemma.cycle, &lemma.choices);
        if (!lemma.choices.n) {
            out->verdict = VERDICT_VIOLATED;
            out->kind = EVIDENCE_CYCLE;
            out->cycle = lemma.cycle;
            return true;
        }
        vec_push(&c->lemmas, lemma);
        choice_solver_forbid(c, &vec_top(&c->lemmas));
    }
    return false;
}

/* Decide the assignment that is chosen now; true where the search is over. */
static bool
try_reading(struct choice_solver *c, const u32_vec *roots,
            const struct weak_options *o, struct certificate *out,
            struct weak_stats *stats)
{
    assert(!out->order.n || out->verdict == VERDICT_UNKNOWN);
    const struct writer_assignment r = {c->h, c->chosen, c->counts};
    struct ordered_assignment g;
    struct edges edges = {0};
    cycle_vec cycles = {0};
    counting_find(c->h, c->chosen, c->counts, c->why);
    ordered_assignment_init(&g, &r, roots, o->threads);
    out->verdict =
        commit_order_decide(&g, out->level, o, &out->order, &edges, stats);
    bool end = out->verdict != VERDICT_VIOLATED;
    if (!end) {
        const uint64_t visited = witness_find(&g, out->level, &edges, true,
                                              TUNE_CHOICE_CYCLES, &cycles);
        budget_spend(o->budget, TUNE_CHOICE_EDGE_STEPS * visited);
        end = learn(c, &cycles, out);
    }
    for (size_t i = 0; i < cycles.n; i++)
        cycle_free(&cycles.at[i]);
    vec_free(&cycles);
    edges_free(&edges);
    ordered_assignment_free(&g);
    return end;
}

/* Ask the solver for an assignment that is not forbidden. */
static enum sat_answer
solve(struct choice_solver *c, const struct weak_options *o)
{
    enum sat_answer answer = sat_solve(c->sat, o->budget);
    if (answer == SAT_FALSE && c->narrow) {
        choice_solver_widen(c);
        answer = sat_solve(c->sat, o->budget);
    }
    if (answer == SAT_TRUE)
        choice_solver_follow(c);
    return answer;
}

static void
search(struct choice_solver *c, const struct weak_options *o,
       struct certificate *out, struct weak_stats *stats)
{
    u32_vec roots = {0};
    topological_sort_suggest(c->h, &roots);
    if (suggested_assignment_try(c->h, &roots, SUGGESTED_ALL, o, out, stats)) {
        vec_free(&roots);
        return;
    }
    vec_clear(&roots);
    c->chosen = mem_alloc(c->h->n_ops, sizeof *c->chosen);
    open_reads_init(&c->open, c->h);
    enum sat_answer answer = SAT_TRUE;
    guess(c, out->level, o, &roots);
    while (answer == SAT_TRUE) {
        stats->rounds++;
        if (try_reading(c, &roots, o, out, stats))
            break;
        out->verdict = VERDICT_UNKNOWN;
        answer = budget_is_spent(o->budget) ? SAT_UNKNOWN : solve(c, o);
    }
    if (answer == SAT_FALSE) {
        out->verdict = VERDICT_VIOLATED;
        out->kind = EVIDENCE_PROOF;
        out->proof = c->proof;
        c->proof = NULL;
    }
    if (out->verdict == VERDICT_OK)
        suggested_assignment_conclude(c->h, c->chosen, c->counts, out);
    vec_free(&roots);
}

static void
prepare_counting(struct choice_solver *c)
{
    const struct history *h = c->h;
    c->why = mem_alloc(h->n_txns, sizeof *c->why);
    c->op_txn = mem_alloc(h->n_ops, sizeof *c->op_txn);
    for (txn_id t = 0; t < h->n_txns; t++)
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
            c->op_txn[op] = t;
}

void
writer_choice_decide(const struct history *h, const struct weak_options *o,
                     struct certificate *out, struct weak_stats *stats)
{
    assert(h->several.n && out->verdict == VERDICT_UNKNOWN);
    struct choice_solver c = {.h = h, .narrow = true, .proof = proof_new()};
    c.first_var = mem_alloc(h->n_ops, sizeof *c.first_var);
    c.counts = mem_calloc(h->n_txns, sizeof *c.counts);
    c.count_var = mem_alloc(h->n_txns, sizeof *c.count_var);
    if (h->n_optional)
        prepare_counting(&c);
    choice_solver_begin(&c);
    search(&c, o, out, stats);
    stats->reads += c.reads.n;
    choice_solver_end(&c);
    for (size_t i = 0; i < c.lemmas.n; i++)
        choice_solver_free_lemma(&c.lemmas.at[i]);
    vec_free(&c.lemmas);
    mem_free(c.first_var);
    mem_free(c.counts);
    mem_free(c.why);
    mem_free(c.op_txn);
    mem_free(c.count_var);
    mem_free(c.chosen);
    mem_free(c.open_at);
    mem_free(c.place);
    open_reads_free(&c.open);
    proof_free(c.proof);
}
