/* missed_rows.c -- see missed_rows.h.
 *
 * A statement depends on a row that it did not find if it would have answered
 * otherwise, had the row been in another state.  So the statement is run again
 * in the state of its own snapshot with that one row replaced.  Nothing is
 * parsed: joins, aggregates, subqueries and limits are alike.
 *
 * The states are made of the application's own tables, in one transaction that
 * is rolled back at the end.  Which versions a snapshot shows follows from the
 * snapshot, as the server reported it, and from who wrote and replaced each
 * version, as triggers reported it.  Invariants:
 *   (1) first the statement runs unchanged, twice.  Unless it finds exactly the
 *       versions that were recorded and answers the same both times, nothing is
 *       claimed: it depends on the time, on chance, or on a setting;
 *   (2) a row is put into the states that transactions left which overlap the
 *       statement's own, or which overlap one that does.  Others are ordered
 *       by time.  If transactions are taken to run at once, those of all others
 *       count.
 *
 * SPDX-License-Identifier: MIT */
#include "record/missed_rows.h"

#include <string.h>

enum {
    MOST_WHATS_IF = 20000,  // runs of statements, for a recording
    MOST_CHANGES = 100000,  // rows that are put into other states
    MOST_CANDIDATES = 2000, // of a statement
};

bool
missed_rows_can_go_on(const struct evaluation *e)
{
    return e->a->whats_if < MOST_WHATS_IF && e->changes < MOST_CHANGES;
}

/* Whether the statement found what was recorded (1). */
static bool
finds_recorded(const struct evaluation *e, const struct recorded_step *s,
               const struct what_if_answer *a)
{
    u32_vec recorded = {0};
    for (size_t i = 0; i < s->n; i++) {
        const struct told_fact *t = &s->told[i];
        if (t->kind == TOLD_SEEN && !tell_is_proposed(t->version))
            vec_push(&recorded,
                     strings_add(&e->a->names, t->version, strlen(t->version)));
    }
    evaluation_sort(&recorded);
    const bool same =
        a->is_known && recorded.n == a->found.n &&
        (!recorded.n || memcmp(recorded.at, a->found.at,
                               recorded.n * sizeof *recorded.at) == 0);
    vec_free(&recorded);
    return same;
}

/* The time of a transaction and of all that overlap it. */
struct neighbourhood {
    double began, ended;
};

static bool
overlaps(const struct recorded_act *a, double began, double ended)
{
    return a->txn->began <= ended && began <= a->txn->ended;
}

static struct neighbourhood
neighbourhood_of(const struct assembly *a, const struct recorded_act *x)
{
    struct neighbourhood n = {x->txn->began, x->txn->ended};
    for (size_t i = 0; i < a->acts.n; i++) {
        const struct recorded_act *y = &a->acts.at[i];
        if (!overlaps(y, x->txn->began, x->txn->ended))
            continue;
        n.began = y->txn->began < n.began ? y->txn->began : n.began;
        n.ended = y->txn->ended > n.ended ? y->txn->ended : n.ended;
    }
    return n;
}

/* A row in another state. */
struct candidate {
    uint32_t base;    // the version that the statement saw, or WATCHED_NONE
    uint32_t instead; // the version that is put there, or WATCHED_NONE
};

typedef VEC(struct candidate) candidate_vec;

static bool
is_read(const struct recorded_step *s, uint32_t version)
{
    for (size_t i = 0; i < s->reads.n; i++)
        if (s->reads.at[i] == version)
            return true;
    for (size_t i = 0; i < s->missed.n; i++)
        if (s->missed.at[i].version == version)
            return true;
    return false;
}

/* The version of a row that a step saw, or WATCHED_NONE. */
static uint32_t
find_base(const struct evaluation *e, uint32_t row, uint32_t txn,
          const struct recorded_step *s, const char *snapshot)
{
    for (uint32_t i = 0; i < e->a->versions.n; i++)
        if (e->a->versions.at[i].row == row &&
            evaluation_sees(e, i, txn, s, snapshot))
            return i;
    return WATCHED_NONE;
}

static void
add_candidate(const struct recorded_step *s, candidate_vec *all, uint32_t base,
              uint32_t instead)
{
    if (base == instead || (base != WATCHED_NONE && is_read(s, base)))
        return;
    for (size_t i = 0; i < all->n; i++)
        if (all->at[i].base == base && all->at[i].instead == instead)
            return;
    vec_push(all, ((struct candidate){base, instead}));
}

/* States that a transaction made or replaced: the versions it wrote, those it
 * removed, and absence before an insert or after a delete. */
static void
add_candidates(const struct evaluation *e, uint32_t other, uint32_t txn,
               const struct recorded_step *s, const char *snapshot,
               candidate_vec *all)
{
    for (uint32_t i = 0; i < e->a->versions.n; i++) {
        const struct recorded_version *v = &e->a->versions.at[i];
        const bool is_made = v->maker == other && !v->is_undone;
        const bool is_removed = v->remover == other;
        if (!is_made && !is_removed)
            continue;
        const uint32_t base = find_base(e, v->row, txn, s, snapshot);
        add_candidate(s, all, base, i);
        if ((is_made && v->row == i) || (is_removed && v->is_deleted))
            add_candidate(s, all, base, WATCHED_NONE);
    }
}

/* Whether the last statement failed because a unique or an exclusion constraint
 * does not allow two rows together. */
static bool
is_forbidden(const struct evaluation *e)
{
    return strcmp(e->c->code, "23505") == 0 || strcmp(e->c->code, "23P01") == 0;
}

/* Replace one row, run the statement, and put the row back.  *differs tells
 * whether the answer is another one; false if the state cannot be made.  A
 * state that a constraint forbids is one that no statement can see. */
static bool
try_candidate(struct evaluation *e, const struct candidate *c,
              const struct what_if_answer *usual, struct what_if_answer *other,
              bool *differs)
{
    const uint32_t before =
        c->instead == WATCHED_NONE ? 0 : e->there.at[c->instead];
    bool ok = evaluation_query(e, "savepoint assay_row", NULL) &&
              (c->base == WATCHED_NONE || evaluation_take_out(e, c->base));
    const bool is_made =
        ok && (c->instead == WATCHED_NONE || evaluation_put_in(e, c->instead));
    const bool is_possible = is_made || !ok || !is_forbidden(e);
    ok = ok && (is_made ? evaluation_run(e, other) : !is_possible);
    *differs = ok && is_made &&
               (usual->text.n != other->text.n ||
                memcmp(usual->text.at, other->text.at, usual->text.n));
    ok =
        evaluation_query(e, "rollback to assay_row; release assay_row", NULL) &&
        ok;
    if (c->instead != WATCHED_NONE)
        e->there.at[c->instead] = before;
    return ok;
}

static bool
try_candidates(struct evaluation *e, struct recorded_step *s,
               const candidate_vec *all, const struct what_if_answer *usual)
{
    struct what_if_answer other = {0};
    bool ok = all->n <= MOST_CANDIDATES;
    for (size_t i = 0; ok && i < all->n; i++) {
        const struct candidate *c = &all->at[i];
        bool differs;
        if (c->base != WATCHED_NONE && is_read(s, c->base))
            continue; // another state of the row has shown it
        ok = e->a->whats_if < MOST_WHATS_IF && e->changes < MOST_CHANGES &&
             try_candidate(e, c, usual, &other, &differs);
        if (ok && differs)
            vec_push(&s->missed,
                     ((struct missed_row){c->base != WATCHED_NONE ? c->base
                                                                  : c->instead,
                                          c->base == WATCHED_NONE}));
    }
    buf_free(&other.text);
    vec_free(&other.found);
    return ok;
}

bool
missed_rows(struct evaluation *e, uint32_t txn, struct recorded_step *s,
            const char *snapshot)
{
    const struct recorded_act *act = &e->a->acts.at[txn - 1];
    struct what_if_answer usual = {0}, again = {0};
    candidate_vec all = {0};
    bool ok = evaluation_make_state(e, txn, s, snapshot) &&
              evaluation_run(e, &usual) && usual.is_ok &&
              finds_recorded(e, s, &usual) && evaluation_run(e, &again) &&
              usual.text.n == again.text.n &&
              memcmp(usual.text.at, again.text.at, usual.text.n) == 0;
    const struct neighbourhood near = neighbourhood_of(e->a, act); // (2)
    for (uint32_t i = 1; ok && i <= e->a->acts.n; i++) {
        const struct recorded_act *other = &e->a->acts.at[i - 1];
        if (i != txn && other->xid && other->status == TXN_COMMITTED &&
            (e->a->at_once || overlaps(other, near.began, near.ended)))
            add_candidates(e, i, txn, s, snapshot, &all);
    }
    ok = ok && try_candidates(e, s, &all, &usual);
    vec_free(&all);
    buf_free(&usual.text);
    vec_free(&usual.found);
    buf_free(&again.text);
    vec_free(&again.found);
    return ok;
}
