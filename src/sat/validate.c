/* validate.c -- see validate.h.
 *
 * Slow and obvious: every clause, watch and assignment is looked at, after each
 * propagation of a paranoid build.
 *
 * SPDX-License-Identifier: MIT */
#include "sat/validate.h"

#include "base/paranoid.h"

static bool
watches(const struct sat *s, lit l, clause_ref c)
{
    const watch_vec *ws = &s->watches.at[l];
    for (size_t i = 0; i < ws->n; i++)
        if (ws->at[i].ref == c)
            return true;
    return false;
}

/* (S1), and (S2) as far as it can be seen afterwards: a clause with two false
 * watches would have been a conflict, with one it is satisfied. */
static void
check_clauses(struct sat *s)
{
    for (size_t c = 0; c < s->words.n;) {
        const uint32_t size = clause_size(s, (clause_ref)c);
        const lit *lits = clause_lits(s, (clause_ref)c);
        ENSURE(size >= 2 && c + CLAUSE_HEADER + size <= s->words.n);
        ENSURE(clause_id(s, (clause_ref)c) < s->next_id);
        ENSURE(watches(s, lits[0], (clause_ref)c)); // (S1)
        ENSURE(watches(s, lits[1], (clause_ref)c));
        const bool false_0 = s->value.at[lits[0]] < 0;
        const bool false_1 = s->value.at[lits[1]] < 0;
        ENSURE(!(false_0 && false_1)); // (S2)
        bool satisfied = false;
        for (uint32_t i = 0; i < size; i++)
            satisfied |= s->value.at[lits[i]] > 0;
        ENSURE(satisfied || (!false_0 && !false_1));
        c += CLAUSE_HEADER + size;
    }
}

static void
check_trail(struct sat *s)
{
    for (size_t i = 0; i < s->trail.n; i++) {
        const lit l = s->trail.at[i];
        const struct var_data *v = &s->vars.at[lit_var(l)];
        ENSURE(s->value.at[l] == 1 && s->value.at[lit_not(l)] == -1);
        ENSURE(v->level <= sat_level(s));
        ENSURE(v->level || v->unit_id); // (S4)
        if (v->reason >= REF_THEORY)
            continue;
        ENSURE(clause_lits(s, v->reason)[0] == l); // (S3)
        for (uint32_t j = 1; j < clause_size(s, v->reason); j++) {
            const lit other = clause_lits(s, v->reason)[j];
            ENSURE(other == l || s->value.at[other] < 0);
            ENSURE(s->vars.at[lit_var(other)].level <= v->level); // (S5)
        }
    }
}

void
sat_check(struct sat *s)
{
    if (s->vars.n > PARANOID_SIZE)
        return;
    size_t assigned = 0;
    for (size_t v = 0; v < s->vars.n; v++) {
        const lit l = lit_make((uint32_t)v, false);
        ENSURE(s->value.at[l] == -s->value.at[lit_not(l)]);
        ENSURE(s->value.at[l] || s->is_open.at[v] ||
               s->heap_at.at[v] < s->heap.n); // it can still be decided
        ENSURE(!s->seen.at[v]);
        assigned += s->value.at[l] != 0;
    }
    ENSURE(assigned == s->trail.n);
    check_clauses(s);
    check_trail(s);
}
