/* absence_cycle.c -- the clauses about a cycle under a version order; see
 * absence_view.h.
 *
 * Take any predicted execution that is not serializable, and an order of this
 * evidence: the execution has a dependency cycle under it.  The facts about the
 * order are meant to be true as this cycle says: ON for who is on it, and the
 * others for the one step by which it leaves who is on it.  Each rule's clause
 * then holds, and that is all that is needed.
 *
 * SPDX-License-Identifier: MIT */
#include "verify/absence/absence_view.h"

#define NONE ABSENCE_NONE

static bool
on(struct absence_view *v, bool value, uint32_t t, uint32_t n)
{
    return view_lit(v, value, FACT_ON, t, 0, n, 0);
}

static bool
is_pick(const struct absence_view *v, uint32_t r, uint32_t w)
{
    for (uint32_t i = v->a->pick_first.at[r]; i < v->a->pick_first.at[r + 1];
         i++)
        if (v->a->picks.at[i] == w)
            return true;
    return false;
}

static bool
way_lit(struct absence_view *v, bool value, const struct view_way *way)
{
    return way->is_kept
               ? view_reaches(v, value, way->read + 1)
               : view_lit(v, value, FACT_PICK, way->read, way->writer, 0, 0);
}

static uint32_t
end_of_key(struct absence_view *v, uint32_t n, key_id k)
{
    return view_versions(v, n)->first[k + 1];
}

static bool
later(struct absence_view *v, bool value, uint32_t n, uint32_t i)
{
    const struct view_version *x = &view_versions(v, n)->versions.at[i];
    return view_lit(v, value, FACT_LATER, x->write, x->tag, n, 0);
}

static bool
wrote(struct absence_view *v, bool value, uint32_t n, uint32_t i)
{
    const struct view_version *x = &view_versions(v, n)->versions.at[i];
    const uint32_t t = v->writes.at[x->write].txn;
    assert(t < v->n);
    return v->candidate[t]
               ? view_lit(v, value, FACT_WROTE, x->write, x->tag, n, 0)
               : on(v, value, t, n);
}

/* --- along rw ------------------------------------------------------------- */

/* The index behind the version of k that w wrote in the base. */
static uint32_t
index_behind(struct absence_view *v, uint32_t n, key_id k, uint32_t w)
{
    if (w == ABSENCE_INIT)
        return view_versions(v, n)->first[k];
    return absence_view_find_version(v, n, view_write_of(v, w, k),
                                     VERSION_BASE) +
           1;
}

/* The last version that the reader of r itself may make of the key, as one of
 * the base or as a boundary transaction; or NONE. */
static uint32_t
own_version(struct absence_view *v, uint32_t n, uint32_t r, bool as_boundary)
{
    const struct view_order *o = view_versions(v, n);
    const struct view_read *read = &v->reads.at[r];
    const uint32_t w = view_write_of(v, read->txn, read->key);
    uint32_t found = NONE;
    for (uint32_t i = o->first[read->key];
         w != NONE && i < o->first[read->key + 1]; i++)
        if (o->versions.at[i].write == w &&
            (o->versions.at[i].tag != VERSION_BASE) == as_boundary)
            found = i;
    assert(found == NONE || found < o->first[read->key + 1]);
    return found;
}

static bool
between(struct absence_view *v, bool value, uint32_t n, uint32_t i, uint32_t r,
        bool as_boundary)
{
    const struct view_version *x = &view_versions(v, n)->versions.at[i];
    return view_lit(v, value, FACT_BETWEEN, x->write, x->tag, n,
                    2 * r + as_boundary);
}

/* A writer of a version from index i on, other than the reader of r. */
static bool
overwriter(struct absence_view *v, uint32_t n, uint32_t r, bool as_boundary,
           uint32_t i)
{
    const uint32_t own = own_version(v, n, r, as_boundary);
    if (own != NONE && i <= own) {
        if (i < own && !between(v, true, n, i, r, as_boundary))
            return false;
        i = own + 1;
    }
    return i >= end_of_key(v, n, v->reads.at[r].key) || later(v, true, n, i);
}

static bool
make_between(struct absence_view *v, const struct rule_row *rule)
{
    const uint32_t n = rule->d, r = rule->c / 2;
    const bool as_boundary = rule->c % 2;
    const uint32_t i = absence_view_find_version(v, n, rule->a, rule->b);
    if (i == NONE || r >= v->reads.n ||
        v->writes.at[rule->a].key != v->reads.at[r].key)
        return false;
    const uint32_t own = own_version(v, n, r, as_boundary);
    if (own == NONE || i >= own || !between(v, false, n, i, r, as_boundary))
        return false;
    const struct view_order *o = view_versions(v, n);
    assert(own < o->versions.n);
    if (o->versions.at[i].write != o->versions.at[own].write &&
        !wrote(v, true, n, i))
        return false;
    return i + 1 >= own || between(v, true, n, i + 1, r, as_boundary);
}

static bool
make_over(struct absence_view *v, const struct rule_row *rule)
{
    const uint32_t r = rule->a, n = rule->d;
    if (r >= v->reads.n || !view_lit(v, false, FACT_OVER, r, 0, n, 0))
        return false;
    const struct view_read *read = &v->reads.at[r];
    const uint32_t t = read->txn;
    switch (rule->kind) {
    case RULE_OVER_BASE:
        return view_base(v, false, t) &&
               overwriter(v, n, r, false,
                          index_behind(v, n, read->key, read->writer));
    case RULE_OVER_READS:
        return v->a->is_strict && view_base(v, true, t) &&
               view_reaches(v, true, r);
    case RULE_OVER_KEPT:
        return v->a->is_strict && !view_is_last_read(v, r) &&
               view_reaches(v, false, r + 1) &&
               overwriter(v, n, r, true,
                          index_behind(v, n, read->key, read->writer));
    default:
        return is_pick(v, r, rule->b) &&
               view_lit(v, false, FACT_PICK, r, rule->b, 0, 0) &&
               overwriter(v, n, r, true,
                          index_behind(v, n, read->key, rule->b));
    }
}

/* --- along wr and ww ------------------------------------------------------ */

static bool
make_by(struct absence_view *v, const struct rule_row *rule)
{
    const uint32_t r = rule->a, w = rule->b, n = rule->d;
    if (r >= v->reads.n || !view_lit(v, false, FACT_BY, r, w, n, 0))
        return false;
    const struct view_read *read = &v->reads.at[r];
    if (rule->kind == RULE_BY_ON)
        return on(v, true, read->txn, n);
    if (is_pick(v, r, w) && !view_lit(v, true, FACT_PICK, r, w, 0, 0))
        return false;
    if (w != read->writer)
        return true;
    return view_base(v, true, read->txn) &&
           (!v->a->is_strict || view_is_last_read(v, r) ||
            view_reaches(v, true, r + 1));
}

/* 'kind', of a version, implies that the version is there. */
static bool
make_done(struct absence_view *v, const struct rule_row *rule,
          enum absence_fact kind)
{
    const uint32_t w = rule->a, tag = rule->b, n = rule->d;
    if (absence_view_find_version(v, n, w, tag) == NONE ||
        !view_lit(v, false, kind, w, tag, n, 0))
        return false;
    const struct view_write *write = &v->writes.at[w];
    if (tag == VERSION_BASE)
        return view_base(v, true, write->txn);
    if (tag != VERSION_OWN && !rule->c)
        return view_lit(v, true, FACT_AT, write->txn, tag, n, 0);
    return v->a->is_strict
               ? view_reaches(v, true,
                              v->read_first[write->txn] + write->reads_before)
               : view_boundary(v, true, write->txn);
}

static bool
make_version(struct absence_view *v, const struct rule_row *rule)
{
    const uint32_t n = rule->d;
    const uint32_t i = absence_view_find_version(v, n, rule->a, rule->b);
    if (i == NONE)
        return false;
    const uint32_t end = end_of_key(v, n, v->writes.at[rule->a].key);
    assert(i < end);
    switch (rule->kind) {
    case RULE_LATER:
        return later(v, false, n, i) && wrote(v, true, n, i) &&
               (i + 1 >= end || later(v, true, n, i + 1));
    case RULE_WROTE_ON:
        return view_lit(v, false, FACT_WROTE, rule->a, rule->b, n, 0) &&
               on(v, true, v->writes.at[rule->a].txn, n);
    case RULE_NEXT_LATER:
        return i + 1 < end &&
               view_lit(v, false, FACT_NEXT, rule->a, rule->b, n, 0) &&
               later(v, true, n, i + 1);
    default:
        return false;
    }
}

/* --- who is on the cycle -------------------------------------------------- */

static bool
successor_by_read(struct absence_view *v, uint32_t t, uint32_t r, uint32_t n)
{
    const struct view_read *read = &v->reads.at[r];
    if (read->writer != t && !is_pick(v, r, t))
        return true;
    return v->candidate[read->txn] ? view_lit(v, true, FACT_BY, r, t, n, 0)
                                   : on(v, true, read->txn, n);
}

static bool
successor_by_version(struct absence_view *v, uint32_t t, uint32_t i, uint32_t n)
{
    const struct view_version *x = &view_versions(v, n)->versions.at[i];
    if (i + 1 >= end_of_key(v, n, v->writes.at[x->write].key))
        return true;
    return v->candidate[t]
               ? view_lit(v, true, FACT_NEXT, x->write, x->tag, n, 0)
               : later(v, true, n, i + 1);
}

static bool
make_on(struct absence_view *v, uint32_t t, uint32_t n)
{
    if (t >= v->n || !on(v, false, t, n))
        return false;
    bool ok = view_next(v, t) == NONE || on(v, true, view_next(v, t), n);
    for (uint32_t r = 0; ok && r < v->reads.n; r++)
        ok = successor_by_read(v, t, r, n);
    for (uint32_t r = v->read_first[t]; ok && r < v->read_first[t + 1]; r++)
        ok = v->candidate[t] ? view_lit(v, true, FACT_OVER, r, 0, n, 0)
                             : overwriter(v, n, r, false,
                                          index_behind(v, n, v->reads.at[r].key,
                                                       v->reads.at[r].writer));
    const struct view_order *o = view_versions(v, n);
    for (uint32_t w = v->write_first[t]; ok && w < v->write_first[t + 1]; w++) {
        const key_id k = v->writes.at[w].key;
        for (uint32_t i = o->first[k]; ok && i < o->first[k + 1]; i++)
            ok = o->versions.at[i].write != w ||
                 successor_by_version(v, t, i, n);
    }
    return ok;
}

/* Whether the base, in its places, is a serial order of what was observed. */
static bool
is_serial(const struct absence_view *v, const uint64_t *place)
{
    for (uint32_t r = 0; r < v->reads.n; r++) {
        const struct view_read *x = &v->reads.at[r];
        const uint64_t here = place[2 * x->txn];
        const bool init = x->writer == ABSENCE_INIT;
        if (!init && place[2 * x->writer] >= here)
            return false;
        for (size_t i = 0; i < v->writes_of[x->key].n; i++) {
            const uint32_t u = v->writes.at[v->writes_of[x->key].at[i]].txn;
            if (u != x->writer && u != x->txn && place[2 * u] <= here &&
                (init || place[2 * u] >= place[2 * x->writer]))
                return false;
        }
    }
    for (uint32_t t = 0; t < v->n; t++)
        if (view_prev(v, t) != NONE && place[2 * (t - 1)] >= place[2 * t])
            return false;
    return true;
}

static bool
make_root(struct absence_view *v, uint32_t n)
{
    const struct absence_order *o = &v->a->orders.at[n];
    assert(n < v->a->orders.n && o->place);
    if (o->is_serial && !is_serial(v, o->place))
        return false;
    for (uint32_t t = 0; t < v->n; t++)
        if (o->is_serial
                ? v->candidate[t] && !view_lit(v, true, FACT_ROOT, t, 0, n, 0)
                : !on(v, true, t, n))
            return false;
    return true;
}

static bool
make_about_txn(struct absence_view *v, const struct rule_row *rule)
{
    const uint32_t t = rule->a, n = rule->d;
    if (t >= v->n)
        return false;
    switch (rule->kind) {
    case RULE_PLACE:
        return on(v, false, t, n) && view_base(v, true, t) &&
               (!v->candidate[t] || view_boundary(v, true, t));
    case RULE_ROOT_ON:
        return view_lit(v, false, FACT_ROOT, t, 0, n, 0) && on(v, true, t, n);
    case RULE_ROOT_IS:
        return view_lit(v, false, FACT_ROOT, t, 0, n, 0) &&
               view_boundary(v, true, t);
    default:
        return false;
    }
}

/* AT: boundary transaction b is just before 'next', the first to overwrite
 * anything that it read. */
static bool
make_at(struct absence_view *v, const struct rule_row *rule)
{
    const uint32_t b = rule->a, next = rule->b, n = rule->d;
    if (b >= v->n || (next != NONE && next >= v->n) ||
        !view_lit(v, false, FACT_AT, b, next, n, 0))
        return false;
    if (rule->kind == RULE_AT_BOUNDARY)
        return view_boundary(v, true, b);
    const uint64_t *place = v->a->orders.at[n].place;
    view_way_vec ways = {0};
    absence_view_find_ways(v, place, b, &ways);
    bool ok = true;
    if (rule->kind == RULE_AT_NOT_BEFORE)
        ok = rule->c < ways.n &&
             absence_view_place_before(place, ways.at[rule->c].next) <
                 absence_view_place_before(place, next) &&
             way_lit(v, false, &ways.at[rule->c]);
    else
        for (size_t i = 0; ok && i < ways.n; i++)
            ok = next != NONE &&
                 (ways.at[i].next != next || way_lit(v, true, &ways.at[i]));
    vec_free(&ways);
    return ok && (rule->kind != RULE_AT_CAUSE || next != NONE);
}

bool
absence_view_make_cycle(struct absence_view *v, const struct rule_row *rule)
{
    if (rule->d >= v->a->orders.n)
        return false;
    switch (rule->kind) {
    case RULE_ON:
        return make_on(v, rule->a, rule->d);
    case RULE_ROOT:
        return make_root(v, rule->d);
    case RULE_BY_ON:
    case RULE_BY_READS:
        return make_by(v, rule);
    case RULE_OVER_BASE:
    case RULE_OVER_READS:
    case RULE_OVER_KEPT:
    case RULE_OVER_PICK:
        return make_over(v, rule);
    case RULE_BETWEEN:
        return make_between(v, rule);
    case RULE_WROTE_DONE:
        return make_done(v, rule, FACT_WROTE);
    case RULE_NEXT_DONE:
        return make_done(v, rule, FACT_NEXT);
    case RULE_LATER:
    case RULE_WROTE_ON:
    case RULE_NEXT_LATER:
        return make_version(v, rule);
    case RULE_AT_BOUNDARY:
    case RULE_AT_NOT_BEFORE:
    case RULE_AT_CAUSE:
        return make_at(v, rule);
    default:
        return make_about_txn(v, rule);
    }
}
