/* choose.c -- duplicate values: is there a choice of writers?
 *
 * The levels are decided for one reading at a time, and there are as many
 * readings as combinations of candidates.  So guess a reading (replay.h) and
 * decide it.  If it fails, the cycle that shows it rests on a few choices
 * only, and every reading with those fails: that is a clause.  A solver keeps
 * the clauses and proposes choices that no clause forbids, until a reading
 * holds or the solver finds that none is left.
 *
 * Reads are made known to the solver when a cycle first rests on them; the
 * others keep the guess.  A model may allow several candidates of a read: any
 * of them will do, because clauses only forbid.
 *
 *   (1) vars.at[v] is the choice that variable v of the solver stands for;
 *   (2) the variables of one read are adjacent, from first_var[read] on.
 *
 * At first the solver knows only the candidates that pruning has left
 * (prune.h), so that it does not wander off; pruning gives no proof, however.
 * When none of those readings is left, it begins again with all candidates and
 * with the cycles found so far, and now what it derives is logged, so that
 * "none is left" comes with a proof.
 *
 * SPDX-License-Identifier: MIT */
#include "weak/choose.h"

#include "evidence/proof.h"
#include "sat/sat.h"
#include "weak/arrange.h"
#include "weak/prune.h"
#include "weak/replay.h"
#include "weak/settle.h"
#include "weak/witness.h"

enum { CYCLES_PER_ROUND = 512 };

/* Why a combination of choices cannot be. */
struct lemma {
    choice_vec choices;
    struct cycle cycle;
};

struct chooser {
    const struct history *h;
    bool narrow; // only what pruning has left is known to the solver
    VEC(struct lemma) lemmas;
    txn_id *chosen; // by op
    struct open_reads open;
    uint32_t *open_at;   // by op: its place in 'open'
    uint32_t *place;     // by transaction: where the guess has it, from 1
    uint32_t *first_var; // by op; ID_NONE where not known to the solver
    choice_vec vars;
    u32_vec reads; // known to the solver
    struct sat *sat;
    struct proof *proof;
};

/* --- what a cycle rests on ------------------------------------------------*/

static void
note_choice(const struct history *h, op_id read, txn_id writer, choice_vec *out)
{
    if (read == ID_NONE || !history_has_several(h, h->op_value[read]))
        return;
    for (size_t i = 0; i < out->n; i++)
        if (out->at[i].read == read)
            return;
    vec_push(out, ((struct choice){read, writer}));
}

/* A step of a path from a to b; if not by session order then by a read, and
 * best by one that had no choice. */
static void
note_step(const struct reading *r, txn_id a, txn_id b, choice_vec *out)
{
    const struct history *h = r->h;
    if (h->txn_session[a] == h->txn_session[b] && a < b)
        return;
    op_id read = ID_NONE;
    for (op_id op = h->txn_begin[b]; op < h->txn_end[b]; op++) {
        if (!op_is_external_read(h, op) || reading_writer(r, op) != a)
            continue;
        if (!history_has_several(h, h->op_value[op]))
            return;
        if (read == ID_NONE)
            read = op;
    }
    note_choice(h, read, a, out);
}

void
find_choices(const struct history *h, const txn_id *chosen,
             const struct cycle *cycle, choice_vec *out)
{
    const struct reading r = {h, chosen};
    for (size_t i = 0; i < cycle->edges.n; i++) {
        const struct cycle_edge *e = &cycle->edges.at[i];
        if (e->kind == EDGE_WR)
            note_choice(h, e->read, e->from, out);
        if (e->kind != EDGE_CO)
            continue;
        note_choice(h, e->read, e->to, out);
        note_choice(h, e->premise, e->from, out);
        for (uint32_t j = 1; j < e->path_n; j++)
            note_step(&r, cycle->path.at[e->path_first + j - 1],
                      cycle->path.at[e->path_first + j], out);
    }
}

/* --- the solver -----------------------------------------------------------*/

static proof_lit
to_proof(struct chooser *c, lit l)
{
    const struct choice choice = c->vars.at[lit_var(l)];
    const proof_lit p = proof_choice(c->proof, choice.read, choice.writer);
    return lit_is_negated(l) ? proof_not(p) : p;
}

static void
log_nothing(void *self, uint32_t id, const lit *lits, size_t n)
{
    (void)self, (void)id, (void)lits, (void)n;
}

static void
log_derived(void *self, uint32_t id, const lit *lits, size_t n,
            const uint32_t *from, size_t n_from)
{
    (void)id, (void)from, (void)n_from;
    struct chooser *c = self;
    if (c->narrow) // what follows there does not follow in general
        return;
    const size_t first = c->proof->lits.n;
    for (size_t i = 0; i < n; i++)
        vec_push(&c->proof->lits, to_proof(c, lits[i]));
    proof_add_learnt(c->proof, first);
}

static const struct open_read *
open_read_of(const struct chooser *c, op_id read)
{
    return &c->open.all.at[c->open_at[read]];
}

/* Make a read known to the solver: one of its candidates it is.  The solver is
 * told to allow, if it may, all that pruning has left. */
static void
add_read(struct chooser *c, op_id read)
{
    const struct open_read *r = open_read_of(c, read);
    const struct txn_range range =
        history_candidates(c->h, c->h->op_value[read]);
    VEC(lit) clause = {0};
    c->first_var[read] = (uint32_t)c->vars.n;
    for (size_t i = 0; i < range.n; i++) {
        const bool alive = c->open.alive.at[r->first + i];
        if (range.at[i] == r->txn || (c->narrow && !alive))
            continue;
        const uint32_t v = sat_add_var(c->sat);
        assert(v == c->vars.n);
        vec_push(&c->vars, ((struct choice){read, range.at[i]}));
        sat_set_phase(c->sat, v, alive);
        vec_push(&clause, lit_make(v, false));
    }
    vec_push(&c->reads, read);
    if (!c->narrow)
        proof_add_choices(c->proof, read);
    sat_add_clause(c->sat, clause.at, clause.n);
    vec_free(&clause);
}

static uint32_t
var_of(const struct chooser *c, struct choice choice)
{
    uint32_t v = c->first_var[choice.read];
    while (c->vars.at[v].writer != choice.writer)
        v++;
    return v;
}

/* Tell the solver that the choices of a lemma cannot all be.  What has one
 * candidate left is no choice to a narrow solver. */
static void
forbid(struct chooser *c, struct lemma *lemma)
{
    VEC(lit) clause = {0};
    for (size_t i = 0; i < lemma->choices.n; i++) {
        const struct choice choice = lemma->choices.at[i];
        if (c->narrow && open_read_of(c, choice.read)->left == 1)
            continue;
        if (c->first_var[choice.read] == ID_NONE)
            add_read(c, choice.read);
        vec_push(&clause, lit_make(var_of(c, choice), true));
    }
    if (!c->narrow) {
        const size_t first = c->proof->lits.n;
        for (size_t i = 0; i < clause.n; i++)
            vec_push(&c->proof->lits, to_proof(c, clause.at[i]));
        proof_add_weak_cycle(c->proof, first, (uint32_t)c->proof->cycles.n);
        vec_push(&c->proof->cycles, lemma->cycle);
        lemma->cycle = (struct cycle){0};
    }
    sat_add_clause(c->sat, clause.at, clause.n);
    vec_free(&clause);
}

static void
lemma_free(struct lemma *lemma)
{
    vec_free(&lemma->choices);
    cycle_free(&lemma->cycle);
}

static void
solver_free(struct chooser *c)
{
    sat_free(c->sat);
    vec_free(&c->vars);
    vec_free(&c->reads);
}

static void
solver_new(struct chooser *c)
{
    const struct sat_proof listener = {c, log_nothing, log_nothing,
                                       log_derived};
    c->sat = sat_new();
    sat_set_proof(c->sat, &listener);
    memset(c->first_var, 0xff, c->h->n_ops * sizeof *c->first_var);
}

/* Begin again with a solver that knows every candidate, and with what was
 * found out so far. */
static void
widen(struct chooser *c)
{
    solver_free(c);
    c->narrow = false;
    solver_new(c);
    for (size_t i = 0; i < c->lemmas.n; i++)
        forbid(c, &c->lemmas.at[i]);
}

/* How well a candidate suits a reader: best is the last one before the reader
 * in the order of the guess, then those before that, then those after it. */
static int64_t
suits(const struct chooser *c, txn_id writer, txn_id reader)
{
    const int64_t w = writer == TXN_INIT ? 0 : c->place[writer];
    return w < c->place[reader] ? w : -w;
}

/* Follow the solver's model, keeping a choice that it allows. */
static void
follow_model(struct chooser *c)
{
    for (size_t i = 0; i < c->reads.n; i++) {
        const op_id read = c->reads.at[i];
        const txn_id reader = open_read_of(c, read)->txn;
        const struct choice now = {read, c->chosen[read]};
        if (sat_value(c->sat, lit_make(var_of(c, now), false)) > 0)
            continue;
        txn_id best = TXN_NONE;
        for (uint32_t v = c->first_var[read];
             v < c->vars.n && c->vars.at[v].read == read; v++) {
            const txn_id w = c->vars.at[v].writer;
            if (sat_value(c->sat, lit_make(v, false)) > 0 &&
                (best == TXN_NONE ||
                 suits(c, w, reader) > suits(c, best, reader)))
                best = w;
        }
        assert(best != TXN_NONE);
        c->chosen[read] = best;
    }
}

/* --- rounds ---------------------------------------------------------------*/

/* Rearrange the order so that it respects what is certain, session order, the
 * reads that have one candidate left, and the edges of the level that those
 * force; and choose by that order.  Reads that are still open pass for reads
 * from INIT, which forces nothing among transactions. */
static void
mend_order(struct chooser *c, enum level level, const struct weak_options *o,
           u32_vec *roots)
{
    const struct reading certain = {c->h, c->chosen};
    struct groundwork g;
    struct edges edges = {0};
    struct predecessors more;
    groundwork_init(&g, &certain, roots);
    if (!g.cyclic)
        (void)collect_edges(&g, level, o, &edges);
    edges_group(&edges, c->h, &more);
    arrange(c->h, &c->open, &more, roots, c->chosen);
    predecessors_free(&more);
    edges_free(&edges);
    groundwork_free(&g);
}

/* Choose the one candidate that a read has left, or INIT where it has more. */
static void
choose_certain(struct chooser *c, const struct open_read *r)
{
    const struct txn_range range =
        history_candidates(c->h, c->h->op_value[r->op]);
    c->chosen[r->op] = TXN_INIT;
    for (uint32_t i = 0; r->left == 1 && i < r->n; i++)
        if (c->open.alive.at[r->first + i])
            c->chosen[r->op] = range.at[i];
}

static void
guess(struct chooser *c, enum level level, const struct weak_options *o,
      u32_vec *roots)
{
    const struct history *h = c->h;
    open_reads_init(&c->open, h);
    c->chosen = mem_alloc(h->n_ops, sizeof *c->chosen);
    c->place = mem_calloc(h->n_txns, sizeof *c->place);
    c->open_at = mem_alloc(h->n_ops, sizeof *c->open_at);
    for (size_t i = 0; i < c->open.all.n; i++)
        c->open_at[c->open.all.at[i].op] = (uint32_t)i;
    if (!replay(h, roots, NULL)) {
        vec_clear(roots);
        sequence_suggest(h, roots);
    }
    prune(h, level, roots, &c->open);
    for (size_t i = 0; i < c->open.all.n; i++)
        choose_certain(c, &c->open.all.at[i]);
    mend_order(c, level, o, roots);
    for (size_t i = 0; i < roots->n; i++)
        c->place[roots->at[i]] = (uint32_t)i + 1;
}

/* Turn the cycles of a failed reading into clauses; true where one rests on no
 * choice and so is the answer. */
static bool
learn(struct chooser *c, cycle_vec *cycles, struct certificate *out)
{
    for (size_t i = 0; i < cycles->n; i++) {
        struct lemma lemma = {.cycle = cycles->at[i]};
        cycles->at[i] = (struct cycle){0};
        find_choices(c->h, c->chosen, &lemma.cycle, &lemma.choices);
        if (!lemma.choices.n) {
            out->verdict = VERDICT_VIOLATED;
            out->kind = EVIDENCE_CYCLE;
            out->cycle = lemma.cycle;
            return true;
        }
        vec_push(&c->lemmas, lemma);
        forbid(c, &vec_top(&c->lemmas));
    }
    return false;
}

/* Decide the reading that is chosen now; true when that is the end. */
static bool
try_reading(struct chooser *c, const u32_vec *roots,
            const struct weak_options *o, struct certificate *out,
            struct weak_stats *stats)
{
    const struct reading r = {c->h, c->chosen};
    struct groundwork g;
    struct edges edges = {0};
    cycle_vec cycles = {0};
    groundwork_init(&g, &r, roots);
    out->verdict = settle(&g, out->level, o, &out->order, &edges, stats);
    bool end = out->verdict != VERDICT_VIOLATED;
    if (!end) {
        find_witnesses(&g, out->level, &edges, true, CYCLES_PER_ROUND, &cycles);
        end = learn(c, &cycles, out);
    }
    for (size_t i = 0; i < cycles.n; i++)
        cycle_free(&cycles.at[i]);
    vec_free(&cycles);
    edges_free(&edges);
    groundwork_free(&g);
    return end;
}

/* Note the choices of the reading that holds. */
static void
conclude(const struct chooser *c, struct certificate *out)
{
    out->kind = EVIDENCE_ORDER;
    for (size_t i = 0; i < c->open.all.n; i++) {
        const op_id op = c->open.all.at[i].op;
        vec_push(&out->choices, ((struct choice){op, c->chosen[op]}));
    }
}

/* Ask the solver for a reading that is not forbidden. */
static enum sat_answer
solve(struct chooser *c, const struct weak_options *o)
{
    enum sat_answer answer = sat_solve(c->sat, o->budget);
    if (answer == SAT_FALSE && c->narrow) {
        widen(c);
        answer = sat_solve(c->sat, o->budget);
    }
    if (answer == SAT_TRUE)
        follow_model(c);
    return answer;
}

static void
search(struct chooser *c, const struct weak_options *o, struct certificate *out,
       struct weak_stats *stats)
{
    u32_vec roots = {0};
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
        conclude(c, out);
    vec_free(&roots);
}

void
choose_and_settle(const struct history *h, const struct weak_options *o,
                  struct certificate *out, struct weak_stats *stats)
{
    struct chooser c = {.h = h, .narrow = true, .proof = proof_new()};
    c.first_var = mem_alloc(h->n_ops, sizeof *c.first_var);
    solver_new(&c);
    search(&c, o, out, stats);
    stats->reads += c.reads.n;
    solver_free(&c);
    for (size_t i = 0; i < c.lemmas.n; i++)
        lemma_free(&c.lemmas.at[i]);
    vec_free(&c.lemmas);
    mem_free(c.first_var);
    mem_free(c.chosen);
    mem_free(c.open_at);
    mem_free(c.place);
    open_reads_free(&c.open);
    proof_free(c.proof);
}
