/* absence_pivots.c -- the clauses about pivots, at si; see absence_view.h.
 *
 * At si, in an execution that is not serializable, some transaction P, the
 * pivot, overwrites what some T read, and some S overwrites what P read; T and
 * P overlap, and so do P and S (Fekete and others, 2005; T may be S).  Two
 * transactions that overlap write no common key, and neither sees the other.
 * Here are all pairs that may do so, found by trying everybody.
 *
 * SPDX-License-Identifier: MIT */
#include "verify/absence/absence_view.h"

/* Read r of x and the version of its key by y, each in the base or at the
 * boundary. */
struct conflict {
    uint32_t r, x, y;
    bool x_ends, y_ends; // it is a boundary transaction
};

static bool
exists(const struct absence_view *v, uint32_t t, bool ends)
{
    return ends ? v->candidate[t] : !v->looped[t];
}

/* Whether u is in the base whenever t takes place, in its role. */
static bool
needs(const struct absence_view *v, uint32_t t, bool ends, uint32_t u)
{
    const uint32_t last = ends ? view_prev(v, t) : t;
    return last != ABSENCE_NONE && (u == last || view_before(v, u, last));
}

static bool
share_a_write(const struct absence_view *v, uint32_t x, uint32_t y)
{
    for (uint32_t i = v->write_first[x]; i < v->write_first[x + 1]; i++)
        for (uint32_t j = v->write_first[y]; j < v->write_first[y + 1]; j++)
            if (v->writes.at[i].key == v->writes.at[j].key)
                return true;
    return false;
}

static bool
may_overlap(const struct absence_view *v, const struct conflict *c)
{
    if (c->x == c->y || !exists(v, c->x, c->x_ends) ||
        !exists(v, c->y, c->y_ends) || needs(v, c->x, c->x_ends, c->y) ||
        needs(v, c->y, c->y_ends, c->x))
        return false;
    if (c->x_ends && c->y_ends && v->session[c->x] == v->session[c->y])
        return false;
    // A strict boundary transaction may end before it writes.
    if (v->a->is_strict && (c->x_ends || c->y_ends))
        return true;
    return !share_a_write(v, c->x, c->y);
}

/* Whether w's version is y's or follows it for certain. */
static bool
is_behind(const struct absence_view *v, uint32_t w, uint32_t y)
{
    return w != ABSENCE_INIT && (w == y || view_before(v, y, w));
}

/* Whether y, which updates what 'seen' wrote, comes before w's version for
 * certain. */
static bool
updates_before(const struct absence_view *v, uint32_t seen, uint32_t w)
{
    return w != ABSENCE_INIT && seen != w && view_before(v, seen, w);
}

static uint32_t
read_of(const struct absence_view *v, uint32_t t, key_id k)
{
    uint32_t r = v->read_first[t];
    while (r < v->read_first[t + 1] && v->reads.at[r].key != k)
        r++;
    return r < v->read_first[t + 1] ? r : ABSENCE_NONE;
}

/* --- who reads and who writes ----------------------------------------------
 */

/* Append the literals by which x reads something that y may overwrite, where
 * 'put'; returns how many there are, or -1 where the evidence lacks one. */
static int
find_reader(struct absence_view *v, const struct conflict *c, bool put)
{
    const uint32_t observed = v->reads.at[c->r].writer;
    const bool may_keep = !is_behind(v, observed, c->y) &&
                          (observed == ABSENCE_INIT || !v->looped[observed]);
    if (!c->x_ends)
        return !may_keep ? 0 : !put || view_base(v, true, c->x) ? 1 : -1;
    if (c->y_ends)
        return !put || view_boundary(v, true, c->x) ? 1 : -1;
    int n = 0;
    if (v->a->is_strict && may_keep && !view_is_last_read(v, c->r)) {
        n++;
        if (put && !view_reaches(v, true, c->r + 1))
            return -1;
    }
    for (uint32_t i = v->a->pick_first.at[c->r];
         i < v->a->pick_first.at[c->r + 1]; i++) {
        const uint32_t w = v->a->picks.at[i];
        if (is_behind(v, w, c->y))
            continue;
        n++;
        if (put && !view_lit(v, true, FACT_PICK, c->r, w, 0, 0))
            return -1;
    }
    return n;
}

/* The same for the literals by which y writes. */
static int
find_writer(struct absence_view *v, const struct conflict *c, bool put)
{
    const struct view_read *read = &v->reads.at[c->r];
    const uint32_t first = v->read_first[c->y];
    if (!c->y_ends)
        return !put || view_base(v, true, c->y) ? 1 : -1;
    if (v->a->is_strict) {
        const uint32_t at =
            first +
            v->writes.at[view_write_of(v, c->y, read->key)].reads_before;
        if (at >= v->read_first[c->y + 1])
            return 0;
        return !put || view_reaches(v, true, at) ? 1 : -1;
    }
    const uint32_t own = read_of(v, c->y, read->key);
    if (own == ABSENCE_NONE || c->x_ends)
        return !put || view_boundary(v, true, c->y) ? 1 : -1;
    int n = 0;
    for (uint32_t i = v->a->pick_first.at[own];
         i < v->a->pick_first.at[own + 1]; i++) {
        const uint32_t seen = v->a->picks.at[i];
        if (updates_before(v, seen, read->writer))
            continue;
        n++;
        if (put && !view_lit(v, true, FACT_PICK, own, seen, 0, 0))
            return -1;
    }
    return n;
}

static bool
is_conflict(struct absence_view *v, const struct conflict *c)
{
    const key_id k = v->reads.at[c->r].key;
    if (view_write_of(v, c->y, k) == ABSENCE_NONE || !may_overlap(v, c))
        return false;
    const bool updates = view_write_of(v, c->x, k) != ABSENCE_NONE;
    if (updates && !(v->a->is_strict && c->x_ends))
        return false;
    return find_reader(v, c, false) > 0 && find_writer(v, c, false) > 0;
}

/* --- pivots --------------------------------------------------------------- */

static bool
put_conflict(struct absence_view *v, bool value, const struct conflict *c)
{
    return view_lit(v, value, FACT_CONFLICT, c->r, c->y,
                    2 * c->x_ends + c->y_ends, 0);
}

/* Append the conflicts by which the cycle leaves p, or how many there are. */
static int
find_out(struct absence_view *v, uint32_t p, bool ends, bool put)
{
    int n = 0;
    for (uint32_t r = v->read_first[p]; r < v->read_first[p + 1]; r++) {
        const u32_vec *writes = &v->writes_of[v->reads.at[r].key];
        for (size_t i = 0; i < 2 * writes->n; i++) {
            const struct conflict c = {
                r, p, v->writes.at[writes->at[i / 2]].txn, ends, i % 2};
            if (!is_conflict(v, &c))
                continue;
            n++;
            if (put && !put_conflict(v, true, &c))
                return -1;
        }
    }
    return n;
}

static int
find_in(struct absence_view *v, uint32_t p, bool ends, bool put)
{
    int n = 0;
    for (uint32_t r = 0; r < v->reads.n; r++) {
        if (view_write_of(v, p, v->reads.at[r].key) == ABSENCE_NONE)
            continue;
        for (int role = 0; role < 2; role++) {
            const struct conflict c = {r, v->reads.at[r].txn, p, role, ends};
            if (!is_conflict(v, &c))
                continue;
            n++;
            if (put && !put_conflict(v, true, &c))
                return -1;
        }
    }
    return n;
}

/* Some transaction is the pivot. */
static bool
make_some_pivot(struct absence_view *v)
{
    for (uint32_t p = 0; p < v->n; p++)
        for (int role = 0; role < 2; role++)
            if (exists(v, p, role) && find_out(v, p, role, false) > 0 &&
                find_in(v, p, role, false) > 0 &&
                !view_lit(v, true, FACT_PIVOT, p, (uint32_t)role, 0, 0))
                return false;
    return true;
}

static bool
make_conflict(struct absence_view *v, const struct rule_row *rule)
{
    if (rule->a >= v->reads.n || rule->b >= v->n || rule->c > 3)
        return false;
    const struct conflict c = {rule->a, v->reads.at[rule->a].txn, rule->b,
                               rule->c >> 1, rule->c & 1};
    return is_conflict(v, &c) && put_conflict(v, false, &c) &&
           (rule->kind == RULE_CONFLICT_READER ? find_reader
                                               : find_writer)(v, &c, true) > 0;
}

bool
absence_view_make_pivot(struct absence_view *v, const struct rule_row *rule)
{
    if (!level_separates_writers(v->a->level))
        return false;
    switch (rule->kind) {
    case RULE_PIVOT:
        return make_some_pivot(v);
    case RULE_PIVOT_IN:
    case RULE_PIVOT_OUT:
        return rule->a < v->n && rule->b < 2 &&
               view_lit(v, false, FACT_PIVOT, rule->a, rule->b, 0, 0) &&
               (rule->kind == RULE_PIVOT_IN ? find_in : find_out)(
                   v, rule->a, rule->b, true) >= 0;
    default:
        return make_conflict(v, rule);
    }
}
