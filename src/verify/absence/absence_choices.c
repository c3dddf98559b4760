/* absence_choices.c -- the clauses about possible executions and about levels;
 * see absence_view.h.
 *
 * Each rule makes its clause from the history and the lists of candidates
 * alone. A rule that does not apply to its numbers makes nothing and is
 * refused.
 *
 * SPDX-License-Identifier: MIT */
#include "verify/absence/absence_view.h"

static bool
pick(struct absence_view *v, bool value, uint32_t r, uint32_t w)
{
    return view_lit(v, value, FACT_PICK, r, w, 0, 0);
}

static bool
from(struct absence_view *v, bool value, uint32_t r, uint32_t w)
{
    return view_lit(v, value, FACT_FROM, r, w, 0, 0);
}

static bool
all_picks(struct absence_view *v, uint32_t r)
{
    for (uint32_t i = v->a->pick_first.at[r]; i < v->a->pick_first.at[r + 1];
         i++)
        if (!pick(v, true, r, v->a->picks.at[i]))
            return false;
    return true;
}

/* The index of w among the candidates of r, or ABSENCE_NONE. */
static uint32_t
index_of(const struct absence_view *v, uint32_t r, uint32_t w)
{
    for (uint32_t i = v->a->pick_first.at[r]; i < v->a->pick_first.at[r + 1];
         i++)
        if (v->a->picks.at[i] == w)
            return i - v->a->pick_first.at[r];
    return ABSENCE_NONE;
}

static uint32_t
candidate_at(const struct absence_view *v, uint32_t r, uint32_t i)
{
    assert(i < v->a->pick_first.at[r + 1] - v->a->pick_first.at[r]);
    return v->a->picks.at[v->a->pick_first.at[r] + i];
}

/* --- the base and the strict way ------------------------------------------ */

static bool
make_about_txn(struct absence_view *v, const struct rule_row *rule)
{
    const uint32_t t = rule->a;
    if (t >= v->n)
        return false;
    const uint32_t prev = view_prev(v, t);
    assert(prev == ABSENCE_NONE || prev < t);
    switch (rule->kind) {
    case RULE_SESSION:
        return prev != ABSENCE_NONE && view_base(v, false, t) &&
               view_base(v, true, prev);
    case RULE_LOOPED:
        return v->looped[t] && view_base(v, false, t);
    case RULE_FOLLOWS:
        return prev != ABSENCE_NONE && view_boundary(v, false, t) &&
               view_base(v, true, prev);
    case RULE_EITHER:
        return view_boundary(v, false, t) && view_base(v, false, t);
    case RULE_CHANGED:
        if (v->a->is_strict || !view_boundary(v, false, t))
            return false;
        for (uint32_t r = v->read_first[t]; r < v->read_first[t + 1]; r++)
            if (!pick(v, false, r, v->reads.at[r].writer))
                return false;
        return true;
    default:
        return false;
    }
}

static bool
make_about_read(struct absence_view *v, const struct rule_row *rule)
{
    const uint32_t r = rule->a, w = rule->b;
    if (r >= v->reads.n)
        return false;
    const struct view_read *read = &v->reads.at[r];
    assert(read->txn < v->n);
    const bool strict = v->a->is_strict, last = view_is_last_read(v, r);
    switch (rule->kind) {
    case RULE_WRITER:
        return read->writer != ABSENCE_INIT && view_base(v, false, read->txn) &&
               view_base(v, true, read->writer);
    case RULE_REACH:
        return strict && !last && view_reaches(v, false, r + 1) &&
               view_reaches(v, true, r);
    case RULE_KEPT:
        return strict && !last && read->writer != ABSENCE_INIT &&
               view_reaches(v, false, r + 1) &&
               view_base(v, true, read->writer);
    case RULE_LAST:
        return strict && view_reaches(v, false, r) &&
               (last || view_reaches(v, true, r + 1)) && all_picks(v, r);
    case RULE_PICK_AT:
        return strict && pick(v, false, r, w) && view_reaches(v, true, r);
    case RULE_PICK_ENDS:
        return strict && !last && pick(v, false, r, w) &&
               view_reaches(v, false, r + 1);
    case RULE_SOME:
        return !strict && view_boundary(v, false, read->txn) && all_picks(v, r);
    case RULE_PICK_OF:
        return !strict && pick(v, false, r, w) &&
               view_boundary(v, true, read->txn);
    case RULE_PRESENT:
        return w != ABSENCE_INIT && pick(v, false, r, w) &&
               view_base(v, true, w);
    default:
        return false;
    }
}

/* FROM: the pick is w or a candidate listed behind it. */
static bool
make_about_from(struct absence_view *v, const struct rule_row *rule)
{
    const uint32_t r = rule->a, w = rule->b;
    if (r >= v->reads.n)
        return false;
    const uint32_t i = index_of(v, r, w);
    if (i == ABSENCE_NONE || i == 0)
        return false;
    switch (rule->kind) {
    case RULE_FROM:
        return pick(v, false, r, w) && from(v, true, r, w);
    case RULE_NOT_FROM:
        return pick(v, false, r, candidate_at(v, r, i - 1)) &&
               from(v, false, r, w);
    case RULE_NESTED:
        return i > 1 && from(v, false, r, w) &&
               from(v, true, r, candidate_at(v, r, i - 1));
    default:
        return false;
    }
}

/* --- the level ------------------------------------------------------------ */

static bool
make_pair(struct absence_view *v, const struct rule_row *rule)
{
    const uint32_t r = rule->a, w = rule->b, other = rule->c, u = rule->d;
    if (r >= v->reads.n || other >= v->reads.n || r == other ||
        v->reads.at[r].txn != v->reads.at[other].txn || v->a->is_strict ||
        !pick(v, false, r, w))
        return false;
    if (rule->kind == RULE_PAIR)
        return !absence_view_may_read_with(v, other, u, r, w) &&
               pick(v, false, other, u);
    const uint32_t all =
        v->a->pick_first.at[other + 1] - v->a->pick_first.at[other];
    const uint32_t n = u == ABSENCE_NONE ? all : index_of(v, other, u);
    if (n == ABSENCE_NONE)
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (absence_view_may_read_with(v, other, candidate_at(v, other, i), r,
                                       w))
            return false;
    assert(n <= all);
    return u == ABSENCE_NONE || from(v, true, other, u);
}

static bool
is_update(const struct absence_view *v, uint32_t r)
{
    return view_write_of(v, v->reads.at[r].txn, v->reads.at[r].key) !=
           ABSENCE_NONE;
}

static bool
excludes_lost_updates(const struct absence_view *v)
{
    return !v->a->is_strict && level_keeps_updates(v->a->level);
}

/* Two transactions that update a key read the same version of it. */
static bool
make_lost(struct absence_view *v, const struct rule_row *rule)
{
    const uint32_t r = rule->a, other = rule->b;
    if (!excludes_lost_updates(v) || r >= v->reads.n || other >= v->reads.n)
        return false;
    const struct view_read *x = &v->reads.at[r], *y = &v->reads.at[other];
    return x->key == y->key && x->txn != y->txn && is_update(v, r) &&
           is_update(v, other) && pick(v, false, r, y->writer) &&
           view_base(v, false, y->txn);
}

/* Whether the writers of k update it one after the other. */
static bool
is_chain(const struct absence_view *v, key_id k)
{
    for (size_t i = 0; i < v->writes.n; i++) {
        const uint32_t t = v->writes.at[i].txn;
        uint32_t reads = 0;
        if (v->writes.at[i].key != k)
            continue;
        for (uint32_t r = v->read_first[t]; r < v->read_first[t + 1]; r++) {
            if (v->reads.at[r].key != k)
                continue;
            reads++;
            for (size_t s = 0; s < v->reads.n; s++)
                if (s != r && v->reads.at[s].key == k &&
                    is_update(v, (uint32_t)s) &&
                    v->reads.at[s].writer == v->reads.at[r].writer)
                    return false;
        }
        if (reads != 1 || v->looped[t])
            return false;
    }
    return true;
}

/* The candidate before t, in order of transactions, that updates k. */
static uint32_t
find_updater_before(const struct absence_view *v, key_id k, uint32_t t)
{
    while (t--)
        if (v->candidate[t] && view_reads_key(v, t, k) &&
            view_write_of(v, t, k) != ABSENCE_NONE)
            return t;
    return ABSENCE_NONE;
}

/* UPDATED: a boundary transaction up to t updates k. */
static bool
make_updated(struct absence_view *v, const struct rule_row *rule)
{
    const key_id k = rule->a;
    const uint32_t t = rule->b;
    if (!excludes_lost_updates(v) || t >= v->n || !view_reads_key(v, t, k) ||
        view_write_of(v, t, k) == ABSENCE_NONE)
        return false;
    if (rule->kind == RULE_UPDATED)
        return view_boundary(v, false, t) &&
               view_lit(v, true, FACT_UPDATED, k, t, 0, 0);
    const uint32_t before = find_updater_before(v, k, t);
    assert(before == ABSENCE_NONE || before < t);
    if (before == ABSENCE_NONE ||
        !view_lit(v, false, FACT_UPDATED, k, before, 0, 0))
        return false;
    return rule->kind == RULE_UPDATED_STILL
               ? view_lit(v, true, FACT_UPDATED, k, t, 0, 0)
               : is_chain(v, k) && view_boundary(v, false, t);
}

bool
absence_view_make_choice(struct absence_view *v, const struct rule_row *rule)
{
    switch (rule->kind) {
    case RULE_SESSION:
    case RULE_LOOPED:
    case RULE_FOLLOWS:
    case RULE_EITHER:
    case RULE_CHANGED:
        return make_about_txn(v, rule);
    case RULE_FROM:
    case RULE_NOT_FROM:
    case RULE_NESTED:
        return make_about_from(v, rule);
    case RULE_PAIR:
    case RULE_PAIR_FROM:
        return make_pair(v, rule);
    case RULE_LOST:
        return make_lost(v, rule);
    case RULE_UPDATED:
    case RULE_UPDATED_STILL:
    case RULE_UPDATED_ONCE:
        return make_updated(v, rule);
    case RULE_PIVOT:
    case RULE_PIVOT_IN:
    case RULE_PIVOT_OUT:
    case RULE_CONFLICT_READER:
    case RULE_CONFLICT_WRITER:
        return absence_view_make_pivot(v, rule);
    default:
        return make_about_read(v, rule);
    }
}
