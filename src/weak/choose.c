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
 * What the solver derives is logged as it goes, so that "none is left" comes
 * with a proof.
 *
 * SPDX-License-Identifier: MIT */
#include "weak/choose.h"

#include "evidence/proof.h"
#include "sat/sat.h"
#include "weak/prune.h"
#include "weak/replay.h"
#include "weak/settle.h"
#include "weak/witness.h"

enum { CYCLES_PER_ROUND = 64 };

struct chooser {
    const struct history *h;
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
log_input(void *self, uint32_t id, const lit *lits, size_t n)
{
    (void)self, (void)id, (void)lits, (void)n;
}

static void
log_derived(void *self, uint32_t id, const lit *lits, size_t n,
            const uint32_t *from, size_t n_from)
{
    (void)id, (void)from, (void)n_from;
    struct chooser *c = self;
    const size_t first = c->proof->lits.n;
    for (size_t i = 0; i < n; i++)
        vec_push(&c->proof->lits, to_proof(c, lits[i]));
    proof_add_learnt(c->proof, first);
}

/* Make a read known to the solver: one of its candidates it is.  The solver is
 * told to allow, if it may, all that pruning has left. */
static void
add_read(struct chooser *c, op_id read)
{
    const struct open_read *r = &c->open.all.at[c->open_at[read]];
    const struct txn_range range =
        history_candidates(c->h, c->h->op_value[read]);
    VEC(lit) clause = {0};
    c->first_var[read] = (uint32_t)c->vars.n;
    for (size_t i = 0; i < range.n; i++) {
        if (range.at[i] == r->txn)
            continue;
        const uint32_t v = sat_add_var(c->sat);
        assert(v == c->vars.n);
        vec_push(&c->vars, ((struct choice){read, range.at[i]}));
        sat_set_phase(c->sat, v, c->open.alive.at[r->first + i]);
        vec_push(&clause, lit_make(v, false));
    }
    vec_push(&c->reads, read);
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

/* Forbid the combination of choices that a cycle rests on; takes the cycle. */
static void
forbid(struct chooser *c, const choice_vec *choices, struct cycle *cycle)
{
    VEC(lit) clause = {0};
    for (size_t i = 0; i < choices->n; i++) {
        if (c->first_var[choices->at[i].read] == ID_NONE)
            add_read(c, choices->at[i].read);
        vec_push(&clause, lit_make(var_of(c, choices->at[i]), true));
    }
    const size_t first = c->proof->lits.n;
    for (size_t i = 0; i < clause.n; i++)
        vec_push(&c->proof->lits, to_proof(c, clause.at[i]));
    proof_add_weak_cycle(c->proof, first, (uint32_t)c->proof->cycles.n);
    vec_push(&c->proof->cycles, *cycle);
    *cycle = (struct cycle){0};
    sat_add_clause(c->sat, clause.at, clause.n);
    vec_free(&clause);
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
        const txn_id reader = c->open.all.at[c->open_at[read]].txn;
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

/* Replace the guess for a read by the candidate that suits best of those that
 * pruning has left, where it has not left the guess. */
static void
mend_guess(struct chooser *c, const struct open_read *r)
{
    const struct txn_range range =
        history_candidates(c->h, c->h->op_value[r->op]);
    txn_id best = TXN_NONE;
    for (uint32_t i = 0; i < r->n; i++) {
        const txn_id w = range.at[i];
        if (!c->open.alive.at[r->first + i])
            continue;
        if (w == c->chosen[r->op])
            return;
        if (best == TXN_NONE || suits(c, w, r->txn) > suits(c, best, r->txn))
            best = w;
    }
    c->chosen[r->op] = best;
}

static void
guess(struct chooser *c, enum level level, u32_vec *roots)
{
    const struct history *h = c->h;
    open_reads_init(&c->open, h);
    c->open_at = mem_alloc(h->n_ops, sizeof *c->open_at);
    c->chosen = mem_alloc(h->n_ops, sizeof *c->chosen);
    for (size_t i = 0; i < c->open.all.n; i++) {
        const struct open_read *r = &c->open.all.at[i];
        c->open_at[r->op] = (uint32_t)i;
        c->chosen[r->op] = TXN_NONE;
    }
    if (!replay(h, roots, c->chosen)) {
        vec_clear(roots);
        sequence_suggest(h, roots);
    }
    c->place = mem_calloc(h->n_txns, sizeof *c->place);
    for (size_t i = 0; i < roots->n; i++)
        c->place[roots->at[i]] = (uint32_t)i + 1;
    prune(h, level, roots, &c->open);
    for (size_t i = 0; i < c->open.all.n; i++)
        mend_guess(c, &c->open.all.at[i]);
}

/* Turn the cycles of a failed reading into clauses; true where one rests on no
 * choice and so is the answer. */
static bool
learn(struct chooser *c, cycle_vec *cycles, struct certificate *out)
{
    bool certain = false;
    choice_vec choices = {0};
    for (size_t i = 0; i < cycles->n && !certain; i++) {
        vec_clear(&choices);
        find_choices(c->h, c->chosen, &cycles->at[i], &choices);
        if (choices.n) {
            forbid(c, &choices, &cycles->at[i]);
            continue;
        }
        certain = true;
        out->verdict = VERDICT_VIOLATED;
        out->kind = EVIDENCE_CYCLE;
        out->cycle = cycles->at[i];
        cycles->at[i] = (struct cycle){0};
    }
    vec_free(&choices);
    return certain;
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

static void
search(struct chooser *c, const struct weak_options *o, struct certificate *out,
       struct weak_stats *stats)
{
    u32_vec roots = {0};
    guess(c, out->level, &roots);
    for (;;) {
        stats->rounds++;
        if (try_reading(c, &roots, o, out, stats))
            break;
        const enum sat_answer answer = sat_solve(c->sat, &o->limit);
        if (answer == SAT_FALSE) {
            out->verdict = VERDICT_VIOLATED;
            out->kind = EVIDENCE_PROOF;
            out->proof = c->proof;
            c->proof = NULL;
            break;
        }
        if (answer == SAT_UNKNOWN || limit_reached(&o->limit)) {
            out->verdict = VERDICT_UNKNOWN;
            break;
        }
        follow_model(c);
    }
    if (out->verdict == VERDICT_OK)
        conclude(c, out);
    vec_free(&roots);
}

void
choose_and_settle(const struct history *h, const struct weak_options *o,
                  struct certificate *out, struct weak_stats *stats)
{
    struct chooser c = {.h = h, .sat = sat_new(), .proof = proof_new()};
    const struct sat_proof listener = {&c, log_input, log_input, log_derived};
    sat_set_proof(c.sat, &listener);
    c.first_var = mem_alloc(h->n_ops, sizeof *c.first_var);
    memset(c.first_var, 0xff, h->n_ops * sizeof *c.first_var);
    search(&c, o, out, stats);
    stats->reads += c.reads.n;
    mem_free(c.first_var);
    mem_free(c.chosen);
    mem_free(c.open_at);
    mem_free(c.place);
    open_reads_free(&c.open);
    vec_free(&c.vars);
    vec_free(&c.reads);
    sat_free(c.sat);
    proof_free(c.proof);
}
