/* propagate.c -- unit propagation with two watched literals; see propagate.h.
 *
 * Propagation runs until neither clauses nor theory imply anything more.  The
 * theory runs only when the clauses are done, because they are cheaper.
 *
 * SPDX-License-Identifier: MIT */
#include "sat/propagate.h"

#include "base/paranoid.h"
#include "sat/clause.h"
#include "sat/decide.h"
#include "sat/validate.h"

/* Report to the proof that l holds at the root (S4). */
static void
note_unit(struct sat *s, lit l, clause_ref reason)
{
    struct var_data *v = &s->vars.at[lit_var(l)];
    if (reason == REF_NONE)
        return; // the caller knows the id of the unit clause
    v->unit_id = sat_next_id(s);
    if (!s->has_proof)
        return;
    vec_clear(&s->from);
    vec_push(&s->from, clause_id(s, reason));
    for (uint32_t i = 0; i < clause_size(s, reason); i++) {
        const lit other = clause_lits(s, reason)[i];
        if (other != l)
            vec_push(&s->from, s->vars.at[lit_var(other)].unit_id);
    }
    s->proof.derived(s->proof.self, v->unit_id, &l, 1, s->from.at, s->from.n);
}

void
sat_assign(struct sat *s, lit l, clause_ref reason, uint32_t level)
{
    assert(!s->value.at[l] && level <= sat_level(s));
    struct var_data *v = &s->vars.at[lit_var(l)];
    s->value.at[l] = 1;
    s->value.at[lit_not(l)] = -1;
    v->reason = reason;
    v->level = level;
    vec_push(&s->trail, l);
    if (level)
        return;
    if (reason == REF_THEORY)
        reason = sat_explain(s, lit_var(l));
    note_unit(s, l, reason);
}

/* The place among the literals but the first of one of highest level. */
static uint32_t
find_latest(const struct sat *s, const lit *lits, uint32_t size)
{
    uint32_t latest = 1;
    assert(size >= 2);
    for (uint32_t j = 2; j < size; j++)
        if (s->vars.at[lit_var(lits[j])].level >
            s->vars.at[lit_var(lits[latest])].level)
            latest = j;
    return latest;
}

/* Look at the clauses that watch l, which became false. */
static clause_ref
propagate_false(struct sat *s, lit l)
{
    watch_vec *ws = &s->watches.at[l];
    size_t kept = 0, i = 0;
    clause_ref conflict = REF_NONE;
    while (i < ws->n && conflict == REF_NONE) {
        const struct watch w = ws->at[i++];
        if (s->value.at[w.blocker] > 0) {
            ws->at[kept++] = w;
            continue;
        }
        uint32_t *lits = clause_lits(s, w.ref);
        const uint32_t size = clause_size(s, w.ref);
        if (lits[0] == l) {
            lits[0] = lits[1];
            lits[1] = l;
        }
        assert(lits[1] == l); // (S1)
        const lit first = lits[0];
        uint32_t j = size;
        if (s->value.at[first] <= 0)
            for (j = 2; j < size && s->value.at[lits[j]] < 0; j++)
                ;
        if (s->value.at[first] <= 0 && j < size) {
            lits[1] = lits[j];
            lits[j] = l;
            vec_push(&s->watches.at[lits[1]], ((struct watch){w.ref, first}));
            continue;
        }
        if (s->value.at[first]) {
            ws->at[kept++] = (struct watch){w.ref, first};
            if (s->value.at[first] < 0)
                conflict = w.ref;
            continue;
        }
        j = find_latest(s, lits, size);
        assert(s->value.at[lits[j]] < 0);
        const lit latest = lits[j]; // l, unless the trail is out of order
        lits[j] = l;
        lits[1] = latest;
        if (latest == l)
            ws->at[kept++] = (struct watch){w.ref, first};
        else
            vec_push(&s->watches.at[latest], ((struct watch){w.ref, first}));
        sat_assign(s, first, w.ref, s->vars.at[lit_var(latest)].level);
    }
    while (i < ws->n)
        ws->at[kept++] = ws->at[i++];
    ws->n = kept;
    return conflict;
}

/* Put two literals in front that are true, open, or false as late as can be,
 * so that the clause can be watched (S2). */
static void
order_for_watching(struct sat *s, lit *lits, size_t n)
{
    for (size_t i = 0; i < 2 && i < n; i++)
        for (size_t j = i + 1; j < n; j++) {
            const bool false_i = s->value.at[lits[i]] < 0;
            const bool false_j = s->value.at[lits[j]] < 0;
            if (false_i &&
                (!false_j || s->vars.at[lit_var(lits[j])].level >
                                 s->vars.at[lit_var(lits[i])].level)) {
                const lit swap = lits[i];
                lits[i] = lits[j];
                lits[j] = swap;
            }
        }
}

/* Make a clause of what the theory said: the negations of the literals in
 * theory_out, after 'implied' where that is not UINT32_MAX. */
static clause_ref
add_lemma(struct sat *s, lit implied)
{
    vec_clear(&s->clause);
    if (implied != UINT32_MAX)
        vec_push(&s->clause, implied);
    for (size_t i = 0; i < s->theory_out.n; i++) {
        assert(s->value.at[s->theory_out.at[i]] > 0);
        vec_push(&s->clause, lit_not(s->theory_out.at[i]));
    }
    const uint32_t id = sat_next_id(s);
    if (s->has_proof)
        s->proof.lemma(s->proof.self, id, s->clause.at, s->clause.n);
    if (implied == UINT32_MAX)
        order_for_watching(s, s->clause.at, s->clause.n);
    else if (s->clause.n > 1)
        order_for_watching(s, s->clause.at + 1, s->clause.n - 1);
    if (s->clause.n == 0) { // the theory alone is contradictory
        s->refuted = true;
        return REF_NONE;
    }
    if (s->clause.n == 1) // a unit is stored as one literal twice
        vec_push(&s->clause, s->clause.at[0]);
    return sat_clause_add(s, s->clause.at, s->clause.n, id, true, 2);
}

clause_ref
sat_explain(struct sat *s, uint32_t var)
{
    struct var_data *v = &s->vars.at[var];
    if (v->reason != REF_THEORY)
        return v->reason;
    const lit l = lit_make(var, s->value.at[lit_make(var, false)] < 0);
    vec_clear(&s->theory_out);
    s->theory.explain(s->theory.self, l, &s->theory_out);
    const clause_ref c = add_lemma(s, l);
    s->vars.at[var].reason = c;
    return c;
}

/* Let the theory propagate.  Returns false with *conflict set where it finds
 * one. */
static bool
propagate_theory(struct sat *s, clause_ref *conflict)
{
    assert(s->head == s->trail.n && s->theory_head <= s->trail.n);
    for (; s->theory_head < s->trail.n; s->theory_head++)
        s->theory.assign(s->theory.self, s->trail.at[s->theory_head]);
    vec_clear(&s->implied);
    if (!s->theory.propagate(s->theory.self, &s->implied)) {
        s->stats.theory_conflicts++;
        vec_clear(&s->theory_out);
        for (size_t i = 0; i < s->implied.n; i++)
            vec_push(&s->theory_out, s->implied.at[i]);
        *conflict = add_lemma(s, UINT32_MAX);
        return false;
    }
    for (size_t i = 0; i < s->implied.n; i++) {
        const lit l = s->implied.at[i];
        if (!s->value.at[l]) {
            sat_assign(s, l, REF_THEORY, sat_level(s));
        } else if (s->value.at[l] < 0) {
            vec_clear(&s->theory_out);
            s->theory.explain(s->theory.self, l, &s->theory_out);
            *conflict = add_lemma(s, l);
            return false;
        }
    }
    return true;
}

clause_ref
sat_propagate(struct sat *s)
{
    clause_ref conflict = REF_NONE;
    for (;;) {
        while (s->head < s->trail.n) {
            s->stats.propagations++;
            conflict = propagate_false(s, lit_not(s->trail.at[s->head++]));
            if (conflict != REF_NONE)
                return conflict;
        }
        PARANOID(sat_check(s));
        if (!s->has_theory)
            return REF_NONE;
        const size_t before = s->trail.n;
        if (!propagate_theory(s, &conflict) || s->trail.n == before)
            return conflict;
    }
}

void
sat_backtrack(struct sat *s, uint32_t level)
{
    if (level >= sat_level(s))
        return;
    assert(s->levels.at[level] <= s->trail.n);
    const size_t keep = s->levels.at[level];
    size_t kept = keep;
    for (size_t i = keep; i < s->trail.n; i++) {
        const lit l = s->trail.at[i];
        const uint32_t v = lit_var(l);
        if (s->vars.at[v].level <= level) {
            s->trail.at[kept++] = l; // (S5)
            continue;
        }
        s->value.at[l] = s->value.at[lit_not(l)] = 0;
        s->phase.at[v] = !lit_is_negated(l);
        if (!s->is_open.at[v])
            sat_heap_insert(s, v);
    }
    s->trail.n = kept;
    s->levels.n = level;
    s->head = keep;
    if (s->theory_head > keep)
        s->theory_head = keep;
    if (s->has_theory)
        s->theory.backtrack(s->theory.self, level);
}
