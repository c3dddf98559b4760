/* choices.c -- which predicted executions are possible; see formula.h.
 *
 * A transaction is in the base, a boundary transaction, or out.  In the strict
 * way a boundary transaction ends with its one changed read, so the reads that
 * take place are a prefix and the last of them picks another writer.  In the
 * relaxed way each of its reads picks, possibly what it had.
 *
 * Candidates of a read are sorted by their place in the observed order.  FROM
 * facts nest over them: they make sure that a read picks once, and let clauses
 * speak of all candidates up to one.
 *
 * SPDX-License-Identifier: MIT */
#include "predict/formula/formula.h"

#include <stdlib.h>

/* --- the base ------------------------------------------------------------- */

static void
add_base(struct formula *f)
{
    const struct observed *o = f->o;
    for (uint32_t i = 0; i < o->n; i++) {
        const uint32_t t = o->order[i];
        f->base[t] = formula_var(f, FACT_BASE, t, 0, 0);
        sat_set_phase(f->sat, f->base[t], true);
    }
    for (uint32_t t = 0; t < o->n; t++) {
        if (o->looped[t]) {
            formula_lit(f, f->base[t], false);
            formula_add(f, RULE_LOOPED, t, 0, 0, 0);
            continue;
        }
        if (o->prev[t] != OBS_NONE) {
            formula_lit(f, f->base[t], false);
            formula_lit(f, f->base[o->prev[t]], true);
            formula_add(f, RULE_SESSION, t, 0, 0, 0);
        }
        for (uint32_t r = o->read_first[t]; r < o->read_first[t + 1]; r++) {
            if (o->reads.at[r].writer == OBS_INIT)
                continue;
            formula_lit(f, f->base[t], false);
            formula_lit(f, f->base[o->reads.at[r].writer], true);
            formula_add(f, RULE_WRITER, r, 0, 0, 0);
        }
    }
}

/* --- candidates ----------------------------------------------------------- */

struct ranked {
    uint32_t writer, place; // INIT: place 0, the others from 1
};

static int
compare_ranked(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    return x->place < y->place ? -1 : x->place > y->place;
}

static bool
may_pick(const struct formula *f, uint32_t r, uint32_t w)
{
    const struct observed *o = f->o;
    const struct obs_read *read = &o->reads.at[r];
    if (f->is_strict && w == read->writer)
        return false;
    if (op_is_fixed(o->h, read->op) && w != read->writer)
        return false;
    if (w != OBS_INIT &&
        (w == read->txn || o->looped[w] || observed_before(o, read->txn, w)))
        return false;
    return !formula_is_stale(f, r, w);
}

/* Append the writers that read r may pick, in the observed order. */
static void
find_candidates(struct formula *f, uint32_t r)
{
    const struct observed *o = f->o;
    const key_id k = o->reads.at[r].key;
    VEC(struct ranked) found = {0};
    if (may_pick(f, r, OBS_INIT))
        vec_push(&found, ((struct ranked){OBS_INIT, 0}));
    for (uint32_t i = o->key_first[k]; i < o->key_first[k + 1]; i++) {
        const uint32_t w = o->writes.at[o->key_write[i]].txn;
        if (may_pick(f, r, w))
            vec_push(&found, ((struct ranked){w, o->place[w] + 1}));
    }
    if (found.n)
        qsort(found.at, found.n, sizeof *found.at, compare_ranked);
    for (size_t i = 0; i < found.n; i++)
        vec_push(&f->picks,
                 ((struct pick){found.at[i].writer, VAR_NONE, VAR_NONE}));
    vec_free(&found);
}

/* Whether t can be a boundary transaction, given the candidates of its reads:
 * all must have some that are relaxed, one is enough where it is strict. */
static bool
may_be_boundary(const struct formula *f, uint32_t t)
{
    const struct observed *o = f->o;
    if (o->prev[t] != OBS_NONE && o->looped[o->prev[t]])
        return false;
    bool some = false, all = true, changed = false;
    for (uint32_t r = o->read_first[t]; r < o->read_first[t + 1]; r++) {
        const uint32_t n = f->pick_first[r + 1] - f->pick_first[r];
        some |= n > 0;
        all &= n > 0;
        changed |= n > 1 || (n == 1 && f->picks.at[f->pick_first[r]].writer !=
                                           o->reads.at[r].writer);
    }
    return f->is_strict ? some : all && changed;
}

/* Whether t is in the sample of transactions that may be boundary ones. */
static bool
is_sampled(const struct formula *f, uint32_t t)
{
    if (f->at_pivots && !f->at_pivots[t])
        return false;
    return !f->sample.every ||
           f->o->place[t] % f->sample.every == f->sample.first;
}

static void
find_boundaries(struct formula *f)
{
    const struct observed *o = f->o;
    for (uint32_t t = 0; t < o->n; t++) {
        const size_t first = f->picks.n;
        for (uint32_t r = o->read_first[t]; r < o->read_first[t + 1]; r++) {
            f->pick_first[r] = (uint32_t)f->picks.n;
            if (is_sampled(f, t))
                find_candidates(f, r);
            f->pick_first[r + 1] = (uint32_t)f->picks.n;
        }
        f->boundary[t] = 0;
        if (may_be_boundary(f, t))
            continue;
        f->boundary[t] = VAR_NONE;
        f->picks.n = first;
        for (uint32_t r = o->read_first[t]; r < o->read_first[t + 1]; r++)
            f->pick_first[r] = (uint32_t)first;
    }
    f->pick_first[o->reads.n] = (uint32_t)f->picks.n;
}

/* --- boundary transactions ------------------------------------------------ */

static void
add_picks(struct formula *f, uint32_t r)
{
    const uint32_t first = f->pick_first[r], end = f->pick_first[r + 1];
    for (uint32_t i = first; i < end; i++) {
        struct pick *p = &f->picks.at[i];
        p->var = formula_var(f, FACT_PICK, r, p->writer, 0);
        if (p->writer == f->o->reads.at[r].writer)
            sat_set_phase(f->sat, p->var, true);
        if (i > first)
            p->from = formula_var(f, FACT_FROM, r, p->writer, 0);
        if (p->writer != OBS_INIT) {
            formula_lit(f, p->var, false);
            formula_lit(f, f->base[p->writer], true);
            formula_add(f, RULE_PRESENT, r, p->writer, 0, 0);
        }
    }
    for (uint32_t i = first + 1; i < end; i++) {
        const struct pick *p = &f->picks.at[i];
        formula_lit(f, p->var, false);
        formula_lit(f, p->from, true);
        formula_add(f, RULE_FROM, r, p->writer, 0, 0);
        formula_lit(f, p[-1].var, false);
        formula_lit(f, p->from, false);
        formula_add(f, RULE_NOT_FROM, r, p->writer, 0, 0);
        if (i == first + 1)
            continue;
        formula_lit(f, p->from, false);
        formula_lit(f, p[-1].from, true);
        formula_add(f, RULE_NESTED, r, p->writer, 0, 0);
    }
}

/* The reads of t take place in their order; the last one picks. */
static void
add_strict_read(struct formula *f, uint32_t t, uint32_t r)
{
    const struct observed *o = f->o;
    const bool is_last = r + 1 == o->read_first[t + 1];
    const uint32_t next = is_last ? VAR_NONE : f->reaches[r + 1];
    const uint32_t writer = o->reads.at[r].writer;
    if (!is_last) {
        formula_lit(f, next, false);
        formula_lit(f, f->reaches[r], true);
        formula_add(f, RULE_REACH, r, 0, 0, 0);
        if (writer != OBS_INIT) {
            formula_lit(f, next, false);
            formula_lit(f, f->base[writer], true);
            formula_add(f, RULE_KEPT, r, 0, 0, 0);
        }
    }
    formula_lit(f, f->reaches[r], false);
    if (!is_last)
        formula_lit(f, next, true);
    for (uint32_t i = f->pick_first[r]; i < f->pick_first[r + 1]; i++)
        formula_lit(f, f->picks.at[i].var, true);
    formula_add(f, RULE_LAST, r, 0, 0, 0);
    for (uint32_t i = f->pick_first[r]; i < f->pick_first[r + 1]; i++) {
        const struct pick *p = &f->picks.at[i];
        formula_lit(f, p->var, false);
        formula_lit(f, f->reaches[r], true);
        formula_add(f, RULE_PICK_AT, r, p->writer, 0, 0);
        if (is_last)
            continue;
        formula_lit(f, p->var, false);
        formula_lit(f, next, false);
        formula_add(f, RULE_PICK_ENDS, r, p->writer, 0, 0);
    }
}

static void
add_relaxed_read(struct formula *f, uint32_t t, uint32_t r)
{
    formula_lit(f, f->boundary[t], false);
    for (uint32_t i = f->pick_first[r]; i < f->pick_first[r + 1]; i++)
        formula_lit(f, f->picks.at[i].var, true);
    formula_add(f, RULE_SOME, r, 0, 0, 0);
    for (uint32_t i = f->pick_first[r]; i < f->pick_first[r + 1]; i++) {
        formula_lit(f, f->picks.at[i].var, false);
        formula_lit(f, f->boundary[t], true);
        formula_add(f, RULE_PICK_OF, r, f->picks.at[i].writer, 0, 0);
    }
}

/* Some read of t is not as observed. */
static void
add_changed(struct formula *f, uint32_t t)
{
    const struct observed *o = f->o;
    bool never_all = false;
    formula_lit(f, f->boundary[t], false);
    for (uint32_t r = o->read_first[t]; r < o->read_first[t + 1]; r++) {
        const struct pick *p = formula_pick(f, r, o->reads.at[r].writer);
        never_all |= !p;
        if (p)
            formula_lit(f, p->var, false);
    }
    if (never_all)
        vec_clear(&f->clause);
    else
        formula_add(f, RULE_CHANGED, t, 0, 0, 0);
}

static void
add_boundary(struct formula *f, uint32_t t)
{
    const struct observed *o = f->o;
    f->boundary[t] = formula_var(f, FACT_BOUNDARY, t, 0, 0);
    formula_lit(f, f->boundary[t], false);
    formula_lit(f, f->base[t], false);
    formula_add(f, RULE_EITHER, t, 0, 0, 0);
    if (o->prev[t] != OBS_NONE) {
        formula_lit(f, f->boundary[t], false);
        formula_lit(f, f->base[o->prev[t]], true);
        formula_add(f, RULE_FOLLOWS, t, 0, 0, 0);
    }
    for (uint32_t r = o->read_first[t]; r < o->read_first[t + 1]; r++) {
        f->reaches[r] = f->boundary[t];
        if (f->is_strict && r > o->read_first[t])
            f->reaches[r] = formula_var(f, FACT_REACHES, r, 0, 0);
        add_picks(f, r);
    }
    for (uint32_t r = o->read_first[t]; r < o->read_first[t + 1]; r++)
        (f->is_strict ? add_strict_read : add_relaxed_read)(f, t, r);
    if (!f->is_strict)
        add_changed(f, t);
}

/* Count boundary transactions as far as the bounds need. */
static void
add_bounds(struct formula *f)
{
    const struct observed *o = f->o;
    lit last[BOUNDS + 1];
    bool has_last = false;
    for (uint32_t i = 0; i < o->n; i++) {
        const uint32_t t = o->order[i];
        if (f->boundary[t] == VAR_NONE)
            continue;
        for (uint32_t j = BOUNDS + 1; j; j--) {
            // c: more than j - 1 boundary transactions up to here
            const lit c =
                lit_make(formula_var(f, FACT_COUNT, t, j - 1, 0), false);
            vec_push(&f->clause, lit_make(f->boundary[t], true));
            if (j > 1 && has_last)
                vec_push(&f->clause, lit_not(last[j - 2]));
            vec_push(&f->clause, c);
            if (j == 1 || has_last)
                formula_add(f, RULE_COUNT, t, j - 1, 0, 0);
            vec_clear(&f->clause);
            if (has_last) {
                vec_push(&f->clause, lit_not(last[j - 1]));
                vec_push(&f->clause, c);
                formula_add(f, RULE_COUNT, t, j - 1, 1, 0);
            }
            last[j - 1] = c;
        }
        has_last = true;
    }
    for (uint32_t j = 0; has_last && j < BOUNDS; j++)
        f->bound[j] = last[j + 1];
    for (uint32_t j = 0; !has_last && j < BOUNDS; j++)
        f->bound[j] = lit_make(formula_var(f, FACT_COUNT, 0, j, 0), false);
}

void
formula_add_choices(struct formula *f)
{
    const struct observed *o = f->o;
    add_base(f);
    find_boundaries(f);
    if (f->sample.at_pivots) {
        uint8_t *marks = mem_calloc(o->n + 1, sizeof *marks);
        formula_mark_pivots(f, marks);
        f->at_pivots = marks;
        vec_clear(&f->picks);
        find_boundaries(f); // once more, among these
    }
    for (uint32_t i = 0; i < o->n; i++)
        if (f->boundary[o->order[i]] != VAR_NONE)
            add_boundary(f, o->order[i]);
    add_bounds(f);
}
