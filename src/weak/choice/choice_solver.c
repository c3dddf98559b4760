/* choice_solver.c -- see choice_solver.h.
 *
 * A variable stands for a candidate of a read, or for a transaction that may
 * count.  One clause says that some candidate of a read is chosen if its
 * transaction counts, another that a chosen writer counts.
 *
 *   (1) vars.at[v] is the choice that variable v of the solver stands for; with
 *       read == ID_NONE it stands for 'writer' counting;
 *   (2) the variables of one read are adjacent, from first_var[read] on;
 *   (3) a read of a transaction that does not count in the model keeps its
 *       choice.
 *
 * A combination that was forbidden does not come again: its reads are known to
 * the solver, so the model chooses them, first those of transactions that
 * certainly count, then those of the writers chosen for these, which count in
 * the model because of that, and so on.
 *
 * SPDX-License-Identifier: MIT */
#include "weak/choice/choice_solver.h"

static proof_lit
to_proof(struct choice_solver *c, lit l)
{
    assert(lit_var(l) < c->vars.n); // (1)
    const struct choice choice = c->vars.at[lit_var(l)];
    const proof_lit p =
        choice.read == ID_NONE
            ? proof_counts(c->proof, choice.writer)
            : proof_choice(c->proof, choice.read, choice.writer);
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
    struct choice_solver *c = self;
    if (c->narrow) // what follows there does not follow in general
        return;
    const size_t first = c->proof->lits.n;
    for (size_t i = 0; i < n; i++)
        vec_push(&c->proof->lits, to_proof(c, lits[i]));
    proof_add_learnt(c->proof, first);
}

static const struct open_read *
open_read_of(const struct choice_solver *c, op_id read)
{
    assert(c->open.all.at[c->open_at[read]].left.read == read);
    return &c->open.all.at[c->open_at[read]];
}

static bool
may_count(const struct choice_solver *c, txn_id t)
{
    return t != TXN_INIT && c->h->txn_counts[t] == TXN_MAY_COUNT;
}

static uint32_t
add_var(struct choice_solver *c, struct choice choice, bool phase)
{
    const uint32_t v = sat_add_var(c->sat);
    assert(v == c->vars.n);
    vec_push(&c->vars, choice);
    sat_set_phase(c->sat, v, phase);
    return v;
}

/* If t counts, so does the only candidate of each of its reads. */
static void
add_consequences(struct choice_solver *c, txn_id t, u32_vec *queue)
{
    const struct history *h = c->h;
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
        const txn_id w = history_writer(h, h->op_value[op]);
        if (!op_is_external_read(h, op) ||
            history_has_several(h, h->op_value[op]) || !may_count(c, w))
            continue;
        if (c->count_var[w] == ID_NONE) {
            c->count_var[w] = add_var(c, (struct choice){ID_NONE, w}, false);
            vec_push(queue, w);
        }
        if (!c->narrow) {
            proof_add_choices(c->proof, op);
            proof_add_counts(c->proof, op, w);
        }
        const lit clause[] = {lit_make(c->count_var[t], true),
                              lit_make(c->count_var[w], false)};
        sat_add_clause(c->sat, clause, 2);
    }
}

/* The literal 't counts'. */
static lit
add_counts(struct choice_solver *c, txn_id t)
{
    assert(may_count(c, t));
    if (c->count_var[t] == ID_NONE) {
        u32_vec queue = {0};
        c->count_var[t] = add_var(c, (struct choice){ID_NONE, t}, false);
        vec_push(&queue, t);
        while (queue.n)
            add_consequences(c, vec_pop(&queue), &queue);
        vec_free(&queue);
    }
    return lit_make(c->count_var[t], false);
}

/* Add the clauses that say that a chosen writer counts. */
static void
add_writers(struct choice_solver *c, op_id read)
{
    const uint32_t first = c->first_var[read];
    for (uint32_t v = first; v < c->vars.n && c->vars.at[v].read == read; v++) {
        const txn_id w = c->vars.at[v].writer;
        if (!may_count(c, w))
            continue;
        const lit clause[] = {lit_make(v, true), add_counts(c, w)};
        if (!c->narrow)
            proof_add_counts(c->proof, read, w);
        sat_add_clause(c->sat, clause, 2);
    }
}

/* Make a read known to the solver: one of its candidates is chosen if its
 * transaction counts.  The initial phases allow all candidates that pruning has
 * left. */
static void
add_read(struct choice_solver *c, op_id read)
{
    const struct open_read *r = open_read_of(c, read);
    const struct txn_range left = open_reads_left(&c->open, r);
    const struct txn_range range =
        c->narrow ? left : history_candidates(c->h, c->h->op_value[read]);
    VEC(lit) clause = {0};
    size_t next = 0; // of those that are left, which are in the same order
    assert(c->first_var[read] == ID_NONE);
    c->first_var[read] = (uint32_t)c->vars.n;
    for (size_t i = 0; i < range.n; i++) {
        if (range.at[i] == r->txn)
            continue;
        const bool is_left = next < left.n && left.at[next] == range.at[i];
        next += is_left;
        const uint32_t v =
            add_var(c, (struct choice){read, range.at[i]}, is_left);
        vec_push(&clause, lit_make(v, false));
    }
    assert(next == left.n);
    vec_push(&c->reads, read);
    if (may_count(c, r->txn))
        vec_push(&clause, lit_not(add_counts(c, r->txn)));
    if (!c->narrow)
        proof_add_choices(c->proof, read);
    sat_add_clause(c->sat, clause.at, clause.n);
    vec_free(&clause);
    if (c->h->n_optional)
        add_writers(c, read);
}

static uint32_t
var_of(const struct choice_solver *c, struct choice choice)
{
    uint32_t v = c->first_var[choice.read];
    while (c->vars.at[v].writer != choice.writer)
        v++;
    assert(v < c->vars.n && c->vars.at[v].read == choice.read); // (2)
    return v;
}

/* Whether a narrow solver has nothing to choose: one candidate is left, and
 * both transactions certainly count. */
static bool
is_decided(const struct choice_solver *c, struct choice choice)
{
    const struct open_read *r = open_read_of(c, choice.read);
    return r->left.n == 1 && !may_count(c, r->txn) &&
           !may_count(c, choice.writer);
}

void
choice_solver_forbid(struct choice_solver *c, struct lemma *lemma)
{
    VEC(lit) clause = {0};
    for (size_t i = 0; i < lemma->choices.n; i++) {
        const struct choice choice = lemma->choices.at[i];
        if (c->narrow && is_decided(c, choice))
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

void
choice_solver_free_lemma(struct lemma *lemma)
{
    vec_free(&lemma->choices);
    cycle_free(&lemma->cycle);
}

void
choice_solver_end(struct choice_solver *c)
{
    sat_free(c->sat);
    vec_free(&c->vars);
    vec_free(&c->reads);
}

void
choice_solver_begin(struct choice_solver *c)
{
    const struct sat_proof listener = {c, log_nothing, log_nothing,
                                       log_derived};
    c->sat = sat_new();
    sat_set_proof(c->sat, &listener);
    memset(c->first_var, 0xff, c->h->n_ops * sizeof *c->first_var);
    memset(c->count_var, 0xff, c->h->n_txns * sizeof *c->count_var);
}

void
choice_solver_widen(struct choice_solver *c)
{
    assert(c->narrow);
    choice_solver_end(c);
    c->narrow = false;
    choice_solver_begin(c);
    for (size_t i = 0; i < c->lemmas.n; i++)
        choice_solver_forbid(c, &c->lemmas.at[i]);
}

/* A preference among candidates: best is the last one before the reader in the
 * order of the guess, then those before that, then those after the reader. */
static int64_t
preference(const struct choice_solver *c, txn_id writer, txn_id reader)
{
    const int64_t w = writer == TXN_INIT ? 0 : c->place[writer];
    return w < c->place[reader] ? w : -w;
}

void
choice_solver_follow(struct choice_solver *c)
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
                 preference(c, w, reader) > preference(c, best, reader)))
                best = w;
        }
        assert(best != TXN_NONE || may_count(c, reader)); // (3)
        if (best != TXN_NONE)
            c->chosen[read] = best;
    }
}
