/* sat.c -- conflict-driven clause learning: construction and the main loop.
 *
 * The parts: clause.c stores clauses, propagate.c propagates, analyse.c learns,
 * decide.c decides.  Restarts follow the Luby sequence.  Tens to thousands of
 * conflicts are usual here, and with so few no other policy was measurably
 * better.
 *
 * SPDX-License-Identifier: MIT */
#include "sat/sat.h"

#include "sat/analyse.h"
#include "sat/clause.h"
#include "sat/decide.h"
#include "sat/propagate.h"

enum {
    RESTART_UNIT = 64,      // conflicts
    FIRST_REDUCTION = 2000, // conflicts
    SPEND_EVERY = 64,       // conflicts or decisions, at a time
    // Steps of a budget (budget.h) that these take, about.
    PROPAGATION_STEPS = 8,
    CONFLICT_STEPS = 128,
    FAR = 8, // levels
};

struct sat *
sat_new(void)
{
    struct sat *s = mem_calloc(1, sizeof *s);
    s->far = FAR;
    s->next_id = 1;
    s->bump = 1;
    s->next_reduction = FIRST_REDUCTION;
    return s;
}

void
sat_free(struct sat *s)
{
    if (!s)
        return;
    for (size_t l = 0; l < s->watches.n; l++)
        vec_free(&s->watches.at[l]);
    vec_free(&s->watches);
    vec_free(&s->words);
    vec_free(&s->learnt);
    vec_free(&s->value);
    vec_free(&s->vars);
    vec_free(&s->phase);
    vec_free(&s->trail);
    vec_free(&s->levels);
    vec_free(&s->activity);
    vec_free(&s->heap);
    vec_free(&s->heap_at);
    vec_free(&s->assumed);
    vec_free(&s->open);
    vec_free(&s->open_times);
    vec_free(&s->is_open);
    vec_free(&s->seen);
    vec_free(&s->clause);
    vec_free(&s->theory_out);
    vec_free(&s->implied);
    vec_free(&s->to_clear);
    vec_free(&s->from);
    vec_free(&s->level_mark);
    mem_free(s);
}

void
sat_set_theory(struct sat *s, const struct theory *t)
{
    assert(!s->vars.n);
    s->theory = *t;
    s->has_theory = true;
}

void
sat_set_proof(struct sat *s, const struct sat_proof *p)
{
    assert(!s->vars.n);
    s->proof = *p;
    s->has_proof = true;
}

void
sat_set_far(struct sat *s, uint32_t levels)
{
    s->far = levels;
}

void
sat_set_budget(struct sat *s, uint64_t conflicts)
{
    s->last_conflict = conflicts ? s->stats.conflicts + conflicts : 0;
}

uint32_t
sat_add_var(struct sat *s)
{
    const uint32_t v = capacity_index(CAPACITY_VARIABLES, s->vars.n);
    vec_push(&s->vars, ((struct var_data){REF_NONE, 0, 0}));
    vec_push(&s->watches, ((watch_vec){0}));
    vec_push(&s->watches, ((watch_vec){0}));
    vec_push(&s->value, 0);
    vec_push(&s->value, 0);
    vec_push(&s->phase, 0);
    vec_push(&s->activity, 0);
    vec_push(&s->heap_at, UINT32_MAX);
    vec_push(&s->open_times, 0);
    vec_push(&s->is_open, 0);
    vec_push(&s->seen, 0);
    sat_heap_insert(s, v);
    return v;
}

size_t
sat_vars(const struct sat *s)
{
    return s->vars.n;
}

void
sat_set_phase(struct sat *s, uint32_t v, bool value)
{
    assert(v < s->vars.n);
    s->phase.at[v] = value;
}

void
sat_to_root(struct sat *s)
{
    sat_backtrack(s, 0);
}

int
sat_value(const struct sat *s, lit l)
{
    assert(lit_var(l) < s->vars.n);
    return s->value.at[l];
}

struct sat_stats
sat_get_stats(const struct sat *s)
{
    return s->stats;
}

/* Copy a clause without repeated literals and with two that are not false in
 * front, as far as there are; false if it is always true. */
static bool
tidy(struct sat *s, const lit *lits, size_t n)
{
    vec_clear(&s->clause);
    bool taut = false;
    for (size_t i = 0; i < n; i++) {
        assert(lit_var(lits[i]) < s->vars.n);
        const uint8_t mark = (uint8_t)(1 << lit_is_negated(lits[i]));
        uint8_t *seen = &s->seen.at[lit_var(lits[i])];
        taut |= *seen && *seen != mark;
        if (!*seen)
            vec_push(&s->clause, lits[i]);
        *seen |= mark;
    }
    for (size_t i = 0; i < n; i++)
        s->seen.at[lit_var(lits[i])] = 0;
    size_t front = 0;
    for (size_t i = 0; i < s->clause.n && front < 2; i++)
        if (s->value.at[s->clause.at[i]] >= 0) {
            const lit swap = s->clause.at[front];
            s->clause.at[front++] = s->clause.at[i];
            s->clause.at[i] = swap;
        }
    return !taut;
}

/* The clause in s->clause is false for certain. */
static void
refute_by(struct sat *s, uint32_t id)
{
    assert(!sat_level(s));
    s->refuted = true;
    if (!s->has_proof || !s->clause.n)
        return;
    vec_clear(&s->from);
    vec_push(&s->from, id);
    for (size_t i = 0; i < s->clause.n; i++)
        vec_push(&s->from, s->vars.at[lit_var(s->clause.at[i])].unit_id);
    s->proof.derived(s->proof.self, sat_next_id(s), NULL, 0, s->from.at,
                     s->from.n);
}

uint32_t
sat_add_clause(struct sat *s, const lit *lits, size_t n)
{
    sat_backtrack(s, 0);
    const uint32_t id = sat_next_id(s);
    if (s->has_proof)
        s->proof.input(s->proof.self, id, lits, n);
    if (s->refuted || !tidy(s, lits, n))
        return id;
    if (!s->clause.n || s->value.at[s->clause.at[0]] < 0) {
        refute_by(s, id);
        return id;
    }
    const lit first = s->clause.at[0];
    if (s->clause.n == 1) {
        if (!s->value.at[first]) {
            s->vars.at[lit_var(first)].unit_id = id;
            sat_assign(s, first, REF_NONE, 0);
        }
        return id;
    }
    const clause_ref c =
        sat_clause_add(s, s->clause.at, s->clause.n, id, false, 0);
    if (!s->value.at[first] && s->value.at[s->clause.at[1]] < 0)
        sat_assign(s, first, c, 0);
    return id;
}

/* The i-th member of 1 1 2 1 1 2 4 1 1 2 ...; i from 1. */
static uint64_t
luby(uint64_t i)
{
    for (;;) {
        uint64_t k = 1;
        while ((UINT64_C(1) << k) - 1 < i)
            k++;
        if ((UINT64_C(1) << k) - 1 == i)
            return UINT64_C(1) << (k - 1);
        i -= (UINT64_C(1) << (k - 1)) - 1;
    }
}

static void
after_conflict(struct sat *s)
{
    s->stats.conflicts++;
    s->bump /= 0.95;
}

/* Restart or reduce where it is time. */
static void
housekeeping(struct sat *s)
{
    if (s->stats.conflicts >= s->next_restart) {
        s->next_restart =
            s->stats.conflicts + RESTART_UNIT * luby(++s->stats.restarts);
        sat_backtrack(s, 0);
    }
    if (s->stats.conflicts >= s->next_reduction) {
        s->next_reduction = s->stats.conflicts + FIRST_REDUCTION +
                            300 * (s->stats.reductions + 1);
        sat_clause_reduce(s);
    }
}

/* The steps taken so far. */
static uint64_t
count_steps(const struct sat *s)
{
    return s->stats.propagations * PROPAGATION_STEPS +
           s->stats.conflicts * CONFLICT_STEPS + s->stats.decisions +
           s->stats.asked;
}

static enum sat_answer
search(struct sat *s, struct budget *budget)
{
    s->next_restart = s->stats.conflicts + RESTART_UNIT;
    s->head = 0;        // new clauses may have assigned literals, and the
    s->theory_head = 0; // theory may have new edges for them
    uint32_t countdown = SPEND_EVERY;
    uint64_t spent = count_steps(s);
    while (!s->refuted) {
        const clause_ref conflict = sat_propagate(s);
        if (s->refuted)
            break;
        if (--countdown == 0) {
            countdown = SPEND_EVERY;
            const uint64_t steps = count_steps(s) - spent;
            spent += steps;
            if (!budget_spend(budget, steps))
                return SAT_UNKNOWN;
        }
        if (conflict != REF_NONE) {
            after_conflict(s);
            if (s->last_conflict && s->stats.conflicts > s->last_conflict)
                return SAT_UNKNOWN;
            if (!sat_analyse(s, conflict))
                break;
            continue;
        }
        housekeeping(s);
        if (s->head < s->trail.n) // a restart kept literals (S5)
            continue;
        if (sat_level(s) < s->assumed.n) {
            if (!sat_assume(s))
                break;
        } else if (!sat_decide(s)) {
            return SAT_TRUE;
        }
    }
    return SAT_FALSE;
}

enum sat_answer
sat_solve_under(struct sat *s, const lit *assumptions, size_t n,
                struct budget *budget)
{
    sat_backtrack(s, 0);
    vec_clear(&s->assumed);
    for (size_t i = 0; i < n; i++)
        vec_push(&s->assumed, assumptions[i]);
    return search(s, budget);
}

enum sat_answer
sat_solve(struct sat *s, struct budget *budget)
{
    return sat_solve_under(s, NULL, 0, budget);
}

bool
sat_is_refuted(const struct sat *s)
{
    return s->refuted;
}
