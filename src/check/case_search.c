/* case_search.c -- see case_search.h.
 *
 * There are as many combinations of authors as the product of the candidates,
 * but a violation depends on few of them.  So try one combination.  If it
 * violates the level, find the rows on which that depends: a smallest set of
 * decisions that refutes the level when everything else is left open
 * (rebuild.h).  Those of them that are not branched on yet become branches,
 * and the search goes back to the last branch that this or another refutation
 * depends on, and takes its next candidate.  Independent rows are thus decided
 * one after the other, and a violation that depends on none ends the search.
 *
 *   (1) 'seen' is a whole combination, and agrees with the branches;
 *   (2) a branch has the leaves that refute the candidates before its present
 *       one, and 'core' has the rows they depend on, all branched on before;
 *   (3) reads that are left out never refute anything: with more decided, a
 *       copy that violates a level still does.
 *
 * What leads to 'unknown' (a recording that was cut, a budget) is refuted like
 * a violation, and makes the whole unknown if nothing holds.
 *
 * SPDX-License-Identifier: MIT */
#include "check/case_search.h"

#include "base/limits/tuning.h"
#include "history/builder/rebuild.h"
#include "history/list/reader_outcomes.h"

#include <stdio.h>
#include <string.h>

struct turn {
    uint32_t row, candidate, first, tried;
    uint8_t *core;   // by row, see (2)
    case_vec leaves; // see (2)
};

struct search {
    struct case_search *s;
    enum level level;
    u32_vec seen; // see (1)
    VEC(struct turn) turns;
    uint8_t *is_branch;      // by row
    enum verdict refutation; // what is being made smaller
    uint64_t patience;       // steps of a budget to see if less refutes
    uint8_t *near;           // by row: the refutation may depend on it
    u32_vec core;            // rows that it depends on
    txn_id *hints;           // by row: what may do, or TXN_UNCHOSEN
    case_vec leaves;         // of the candidate that was refuted last
    struct case_result *out;
    struct err *err;
};

void
case_result_free(struct case_result *r)
{
    vec_free(&r->seen);
    for (size_t i = 0; i < r->leaves.n; i++)
        certificate_free(&r->leaves.at[i]);
    vec_free(&r->leaves);
}

static void
free_leaves(case_vec *leaves)
{
    for (size_t i = 0; i < leaves->n; i++)
        certificate_free(&leaves->at[i]);
    vec_free(leaves);
}

/* --- refutations -----------------------------------------------------------*/

/* Decide the first n of these rows and those of the core, and leave all others
 * open. */
static void
decide(const struct search *a, const u32_vec *rows, size_t n, u32_vec *seen)
{
    assert(!seen->n);
    for (size_t i = 0; i < a->seen.n; i++)
        vec_push(seen, TXN_UNCHOSEN);
    for (size_t i = 0; i < n; i++)
        seen->at[rows->at[i]] = a->seen.at[rows->at[i]];
    for (size_t i = 0; i < a->core.n; i++)
        seen->at[a->core.at[i]] = a->seen.at[a->core.at[i]];
}

/* The level holds with some rows open: the transactions that count there may
 * count. */
static void
take_hints(struct search *a, const u32_vec *seen)
{
    const struct history *h = a->s->h;
    const struct certificate *c = &a->s->last.certificate;
    const bool two = level_table[c->level].two_points;
    assert(c->verdict == VERDICT_OK && seen->n == h->authors.n);
    uint8_t *counts = mem_calloc(h->n_txns, sizeof *counts);
    for (size_t i = 0; i < c->order.n; i++)
        counts[c->order.at[i] >> two] = 1;
    for (size_t row = 0; row < seen->n; row++) {
        const struct list_author *author = &h->authors.at[row];
        const txn_id t = h->author_items.at[author->first];
        if (seen->at[row] == TXN_UNCHOSEN && reader_outcomes_is(author))
            a->hints[row] = counts[t] ? t : TXN_NONE;
    }
    mem_free(counts);
}

/* Follow the hints where nothing is decided. */
static void
follow_hints(struct search *a)
{
    for (size_t row = 0; row < a->seen.n; row++)
        if (!a->is_branch[row] && a->hints[row] != TXN_UNCHOSEN)
            a->seen.at[row] = a->hints[row];
}

/* Whether that refutes the level in the same way, and does not take long. */
static bool
refutes(struct search *a, const u32_vec *rows, size_t n, bool *yes)
{
    u32_vec seen = {0};
    decide(a, rows, n, &seen);
    const bool ok = case_check(a->s, a->level, &seen, a->patience, a->err);
    *yes = a->refutation == VERDICT_UNKNOWN
               ? a->s->last.certificate.verdict != VERDICT_OK
               : a->s->last.certificate.verdict == a->refutation;
    if (ok && a->s->last.certificate.verdict == VERDICT_OK)
        take_hints(a, &seen);
    vec_free(&seen);
    return ok;
}

/* --- what a refutation depends on ------------------------------------------*/

/* Rows to look for the core in, branches first: those near the evidence, or
 * all. */
static void
list_rows(const struct search *a, bool all, u32_vec *rows)
{
    vec_clear(rows);
    for (int branches = 1; branches >= 0; branches--)
        for (uint32_t row = 0; row < a->seen.n; row++)
            if (a->is_branch[row] == branches && (all || a->near[row]))
                vec_push(rows, row);
}

/* Find the smallest n such that the first n rows refute the level. */
static bool
find_last(struct search *a, const u32_vec *rows, size_t *n)
{
    size_t low = 0, high = *n; // low do not, high do
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        bool yes;
        if (!refutes(a, rows, middle, &yes))
            return false;
        *(yes ? &high : &low) = middle;
    }
    assert(high >= 1 && high <= *n);
    *n = high;
    return true;
}

/* Make a->core a small set of rows that refutes the level. */
static bool
find_core(struct search *a)
{
    u32_vec rows = {0};
    vec_clear(&a->core);
    bool near = false, enough = false;
    list_rows(a, false, &rows);
    bool ok = true;
    if (rows.n && rows.n < a->seen.n)
        ok = refutes(a, &rows, rows.n, &near);
    if (!near)
        list_rows(a, true, &rows);
    ok = ok && refutes(a, &rows, 0, &enough);
    for (size_t n = rows.n; ok && !enough && n;) {
        ok = find_last(a, &rows, &n);
        vec_push(&a->core, rows.at[--n]);
        ok = ok && refutes(a, &rows, 0, &enough);
    }
    vec_free(&rows);
    return ok;
}

/* --- the tree --------------------------------------------------------------*/

static txn_id
candidate(const struct search *a, uint32_t row, uint32_t i)
{
    const struct list_author *author = &a->s->h->authors.at[row];
    assert(i < author->n);
    return a->s->h->author_items.at[author->first + i];
}

static void
add_branch(struct search *a, uint32_t row)
{
    struct turn t = {.row = row, .tried = 1};
    assert(!a->is_branch[row]);
    while (candidate(a, row, t.candidate) != a->seen.at[row])
        t.candidate++;
    t.first = t.candidate;
    t.core = mem_calloc(a->seen.n, sizeof *t.core);
    a->is_branch[row] = 1;
    vec_push(&a->turns, t);
}

/* The level is not known to be violated whatever else is found. */
static void
give_up(struct search *a, const char *reason)
{
    a->out->verdict = VERDICT_UNKNOWN;
    snprintf(a->out->reason, sizeof a->out->reason, "%s", reason);
}

/* Make a leaf of what the last check found, with the core decided. */
static void
add_leaf(struct search *a)
{
    struct certificate *c = &a->s->last.certificate;
    if (c->verdict != VERDICT_VIOLATED)
        give_up(a, a->s->last.reason);
    for (size_t i = 0; i < a->seen.n; i++)
        vec_push(&c->seen, TXN_UNCHOSEN);
    for (size_t i = 0; i < a->core.n; i++)
        c->seen.at[a->core.at[i]] = a->seen.at[a->core.at[i]];
    vec_push(&a->leaves, *c);
    *c = (struct certificate){0};
}

static bool
core_has(const struct search *a, uint32_t row)
{
    for (size_t i = 0; i < a->core.n; i++)
        if (a->core.at[i] == row)
            return true;
    return false;
}

/* The present candidate of the last branch is refuted by a->leaves. */
static void
note_refuted(struct search *a, struct turn *t)
{
    for (size_t i = 0; i < a->core.n; i++)
        t->core[a->core.at[i]] |= a->core.at[i] != t->row;
    for (size_t i = 0; i < a->leaves.n; i++)
        vec_push(&t->leaves, a->leaves.at[i]);
    vec_free(&a->leaves);
}

/* All candidates of the last branch are refuted: that is a refutation of what
 * was decided before. */
static void
close_branch(struct search *a, struct turn *t)
{
    const struct branch b = {t->row, candidate(a, t->row, t->first)};
    vec_clear(&a->core);
    for (uint32_t row = 0; row < a->seen.n; row++)
        if (t->core[row])
            vec_push(&a->core, row);
    a->leaves.at = t->leaves.at;
    a->leaves.n = t->leaves.n;
    a->leaves.room = t->leaves.room;
    t->leaves.at = NULL;
    t->leaves.n = t->leaves.room = 0;
    assert(a->leaves.n && t->tried == a->s->h->authors.at[t->row].n);
    vec_push(&a->leaves.at[0].branches, b); // innermost first, so far
}

static void
drop_branch(struct search *a)
{
    struct turn *t = &vec_top(&a->turns);
    assert(a->is_branch[t->row]);
    a->is_branch[t->row] = 0;
    free_leaves(&t->leaves);
    mem_free(t->core);
    a->turns.n--;
}

/* Go back to the last branch that the refutation depends on and that has
 * another candidate; false where there is none. */
static bool
go_back(struct search *a)
{
    while (a->turns.n) {
        struct turn *t = &vec_top(&a->turns);
        if (core_has(a, t->row)) {
            note_refuted(a, t);
            const uint32_t n = a->s->h->authors.at[t->row].n;
            if (t->tried < n) {
                t->tried++;
                t->candidate = (t->candidate + 1) % n;
                a->seen.at[t->row] = candidate(a, t->row, t->candidate);
                return true;
            }
            close_branch(a, t);
        }
        drop_branch(a);
    }
    return false;
}

/* The combination is refuted: find out by what, and go on to another one.
 * *more: there is one. */
static bool
learn(struct search *a, bool *more)
{
    a->refutation = a->s->last.certificate.verdict;
    // What is not known is not known, however long it takes.
    a->patience =
        a->refutation == VERDICT_UNKNOWN
            ? 0
            : TUNE_CASE_STEPS +
                  TUNE_CASE_EAGERNESS * (a->s->last.work + a->s->h->n_ops);
    u32_vec seen = {0};
    bool ok = find_core(a);
    if (ok && a->s->last.certificate.verdict == VERDICT_UNKNOWN) {
        // Nothing less does, or it takes longer to see.
        decide(a, NULL, 0, &seen);
        ok = case_check(a->s, a->level, &seen, 0, a->err);
        vec_free(&seen);
    }
    for (size_t i = 0; ok && i < a->core.n; i++)
        if (!a->is_branch[a->core.at[i]])
            add_branch(a, a->core.at[i]);
    if (ok) {
        add_leaf(a);
        *more = go_back(a);
        follow_hints(a);
    }
    if (ok && *more && case_is_out_of_budget(a->s)) {
        give_up(a, CASES_NOT_ALL);
        *more = false;
    }
    return ok;
}

static void
reverse_branches(case_vec *leaves)
{
    for (size_t i = 0; i < leaves->n; i++) {
        struct branch *at = leaves->at[i].branches.at;
        const size_t n = leaves->at[i].branches.n;
        for (size_t j = 0; j < n / 2; j++) {
            const struct branch b = at[j];
            at[j] = at[n - 1 - j];
            at[n - 1 - j] = b;
        }
    }
}

static void
conclude(struct search *a, bool more)
{
    struct case_result *out = a->out;
    if (more) {
        out->verdict = VERDICT_OK;
        out->reason[0] = 0;
        for (size_t i = 0; i < a->seen.n; i++)
            vec_push(&out->seen, a->seen.at[i]);
    } else if (out->verdict == VERDICT_VIOLATED) {
        reverse_branches(&a->leaves);
        for (size_t i = 0; i < a->leaves.n; i++)
            vec_push(&out->leaves, a->leaves.at[i]);
        vec_free(&a->leaves);
    }
}

bool
case_search(struct case_search *s, enum level level, const u32_vec *seen,
            struct case_result *out, struct err *err)
{
    *out = (struct case_result){.verdict = VERDICT_VIOLATED};
    struct search a = {.s = s, .level = level, .out = out, .err = err};
    a.is_branch = mem_calloc(s->h->authors.n, sizeof *a.is_branch);
    a.near = mem_calloc(s->h->authors.n, sizeof *a.near);
    a.hints = mem_alloc(s->h->authors.n, sizeof *a.hints);
    for (size_t i = 0; i < s->h->authors.n; i++)
        a.hints[i] = TXN_UNCHOSEN;
    for (size_t i = 0; i < seen->n; i++)
        vec_push(&a.seen, seen->at[i]);
    bool ok, more = true;
    assert(a.seen.n == s->h->authors.n);
    do {
        s->near = a.near;
        ok = case_check(s, level, &a.seen, 0, err);
        s->near = NULL;
        if (!ok || s->last.certificate.verdict == VERDICT_OK)
            break;
        ok = learn(&a, &more);
    } while (ok && more);
    if (ok)
        conclude(&a, more);
    while (a.turns.n)
        drop_branch(&a);
    free_leaves(&a.leaves);
    vec_free(&a.turns);
    vec_free(&a.seen);
    vec_free(&a.core);
    mem_free(a.is_branch);
    mem_free(a.near);
    mem_free(a.hints);
    return ok;
}
