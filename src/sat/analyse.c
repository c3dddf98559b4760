/* analyse.c -- see analyse.h.
 *
 * First unique implication point, then removal of literals that the others
 * imply in one step.  'from' collects the ids of all clauses used, so that a
 * proof can be cut down to what the empty clause rests on; literals false at
 * level 0 are dropped and stand in 'from' by their unit clauses (S4).
 *
 * Large problems here consist of many small ones that are nearly independent.
 * Jumping back as far as a clause allows would undo thousands of decisions for
 * a conflict of two.  So a long jump is replaced by one step, and the trail may
 * be out of order afterwards.
 *
 * A. Nadel and V. Ryvchin, "Chronological backtracking", 2018.
 * S. Moehle and A. Biere, "Backing backtracking", 2019.
 *
 * SPDX-License-Identifier: MIT */
#include "sat/analyse.h"

#include "sat/clause.h"
#include "sat/decide.h"
#include "sat/propagate.h"

static void
use_unit(struct sat *s, lit l)
{
    assert(!s->vars.at[lit_var(l)].level && s->vars.at[lit_var(l)].unit_id);
    vec_push(&s->from, s->vars.at[lit_var(l)].unit_id);
}

/* Take the literals of a clause into the analysis: those of the present level
 * are counted, earlier ones go to the learnt clause. */
static uint32_t
take(struct sat *s, clause_ref c, lit except)
{
    uint32_t present = 0;
    vec_push(&s->from, clause_id(s, c));
    for (uint32_t i = 0; i < clause_size(s, c); i++) {
        const lit l = clause_lits(s, c)[i];
        const uint32_t v = lit_var(l);
        if (l == except || s->seen.at[v])
            continue;
        assert(s->value.at[l] < 0);
        s->seen.at[v] = 1;
        vec_push(&s->to_clear, l);
        if (!s->vars.at[v].level) {
            use_unit(s, l);
            continue;
        }
        sat_heap_bump(s, v);
        if (s->vars.at[v].level == sat_level(s))
            present++;
        else
            vec_push(&s->clause, l);
    }
    return present;
}

/* Whether the reason of l consists of literals that are taken already. */
static bool
is_implied(struct sat *s, lit l)
{
    const clause_ref c = s->vars.at[lit_var(l)].reason;
    if (c == REF_NONE || c == REF_THEORY)
        return false;
    for (uint32_t i = 0; i < clause_size(s, c); i++) {
        const lit other = clause_lits(s, c)[i];
        if (lit_var(other) != lit_var(l) && !s->seen.at[lit_var(other)] &&
            s->vars.at[lit_var(other)].level)
            return false;
    }
    return true;
}

static void
minimise(struct sat *s)
{
    size_t kept = 1;
    for (size_t i = 1; i < s->clause.n; i++) {
        const lit l = s->clause.at[i];
        if (!is_implied(s, l)) {
            s->clause.at[kept++] = l;
            continue;
        }
        const clause_ref c = s->vars.at[lit_var(l)].reason;
        vec_push(&s->from, clause_id(s, c));
        for (uint32_t j = 0; j < clause_size(s, c); j++) {
            const lit other = clause_lits(s, c)[j];
            if (!s->vars.at[lit_var(other)].level)
                use_unit(s, other);
        }
    }
    s->clause.n = kept;
}

/* The number of levels among the literals; the latest but the first goes to
 * place 1, and its level is where to jump. */
static uint32_t
glue_and_second(struct sat *s)
{
    uint32_t glue = 0;
    while (s->level_mark.n <= sat_level(s))
        vec_push(&s->level_mark, 0);
    s->mark = capacity_epoch(s->mark, s->level_mark.at, s->level_mark.n);
    for (size_t i = 0; i < s->clause.n; i++) {
        const uint32_t level = s->vars.at[lit_var(s->clause.at[i])].level;
        if (s->level_mark.at[level] != s->mark) {
            s->level_mark.at[level] = s->mark;
            glue++;
        }
        if (i > 1 && level > s->vars.at[lit_var(s->clause.at[1])].level) {
            const lit swap = s->clause.at[1];
            s->clause.at[1] = s->clause.at[i];
            s->clause.at[i] = swap;
        }
    }
    return glue;
}

static bool
refute(struct sat *s, clause_ref conflict)
{
    s->refuted = true;
    if (s->has_proof && conflict != REF_NONE) {
        vec_clear(&s->from);
        vec_push(&s->from, clause_id(s, conflict));
        for (uint32_t i = 0; i < clause_size(s, conflict); i++)
            use_unit(s, clause_lits(s, conflict)[i]);
        s->proof.derived(s->proof.self, sat_next_id(s), NULL, 0, s->from.at,
                         s->from.n);
    }
    return false;
}

/* The present level may be above the conflict when a theory speaks late. */
static void
go_to_conflict_level(struct sat *s, clause_ref c)
{
    uint32_t level = 0;
    for (uint32_t i = 0; i < clause_size(s, c); i++) {
        const uint32_t other = s->vars.at[lit_var(clause_lits(s, c)[i])].level;
        level = other > level ? other : level;
    }
    sat_clause_watch_latest(s, c);
    sat_backtrack(s, level);
}

/* Go back to where the learnt clause implies something, or, if that is far, by
 * one level only: most of what was decided in between has nothing to do with
 * the conflict, and would be decided the same way again. */
static void
go_back(struct sat *s, uint32_t level)
{
    assert(level < sat_level(s));
    const bool is_far = sat_level(s) - level > s->far;
    sat_backtrack(s, is_far ? sat_level(s) - 1 : level);
}

static void
learn(struct sat *s)
{
    const uint32_t id = sat_next_id(s);
    s->stats.learnt_literals += s->clause.n;
    if (s->has_proof)
        s->proof.derived(s->proof.self, id, s->clause.at, s->clause.n,
                         s->from.at, s->from.n);
    const lit first = s->clause.at[0];
    if (s->clause.n == 1) {
        go_back(s, 0);
        s->vars.at[lit_var(first)].unit_id = id;
        sat_assign(s, first, REF_NONE, 0);
        return;
    }
    const uint32_t glue = glue_and_second(s);
    const uint32_t level = s->vars.at[lit_var(s->clause.at[1])].level;
    go_back(s, level);
    assert(!s->value.at[first]); // the clause is asserting
    sat_assign(s, first,
               sat_clause_add(s, s->clause.at, s->clause.n, id, true, glue),
               level);
}

bool
sat_analyse(struct sat *s, clause_ref conflict)
{
    if (s->refuted) // the theory by itself: its lemma was the empty clause
        return refute(s, REF_NONE);
    go_to_conflict_level(s, conflict);
    if (!sat_level(s))
        return refute(s, conflict);
    // The theory explains its literals first, because that adds clauses.
    // The theory is only asked about literals of the present level, which is
    // all that the walk below resolves on.
    for (size_t i = s->trail.n; i > s->levels.at[sat_level(s) - 1]; i--)
        (void)sat_explain(s, lit_var(s->trail.at[i - 1]));
    vec_clear(&s->from);
    vec_clear(&s->to_clear);
    vec_clear(&s->clause);
    vec_push(&s->clause, 0); // room for the asserting literal
    uint32_t present = take(s, conflict, UINT32_MAX);
    assert(present);
    size_t at = s->trail.n;
    lit l = 0;
    for (;;) {
        do
            l = s->trail.at[--at];
        while (!s->seen.at[lit_var(l)] ||
               s->vars.at[lit_var(l)].level != sat_level(s));
        if (--present == 0)
            break;
        assert(s->vars.at[lit_var(l)].reason < REF_THEORY);
        present += take(s, s->vars.at[lit_var(l)].reason, l);
    }
    assert(s->value.at[l] > 0); // the first unique implication point
    s->clause.at[0] = lit_not(l);
    minimise(s);
    for (size_t i = 0; i < s->to_clear.n; i++)
        s->seen.at[lit_var(s->to_clear.at[i])] = 0;
    learn(s);
    return true;
}
