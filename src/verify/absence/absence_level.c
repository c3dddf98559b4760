/* absence_level.c -- what a level forbids a boundary read; see absence_view.h.
 *
 * A reader that sees v, which wrote the key, must not read a version that
 * precedes v's.  One version precedes another when its writer happens before
 * the other's; at psi and si also when its writer missed what the other one, or
 * a transaction before it, wrote, and both write a common key: then the other
 * cannot have been first.
 *
 * SPDX-License-Identifier: MIT */
#include "verify/absence/absence_view.h"

/* Whether w read a version that v, or a transaction that happens before v, has
 * overwritten. */
static bool
missed(const struct absence_view *v, uint32_t w, uint32_t other)
{
    for (uint32_t r = v->read_first[w]; r < v->read_first[w + 1]; r++) {
        const struct view_read *read = &v->reads.at[r];
        const u32_vec *writes = &v->writes_of[read->key];
        for (size_t i = 0; i < writes->n; i++) {
            const uint32_t u = v->writes.at[writes->at[i]].txn;
            if (u != read->writer && u != w &&
                (u == other || view_before(v, u, other)) &&
                view_before(v, read->writer, u))
                return true;
        }
    }
    return false;
}

static bool
precedes(const struct absence_view *v, uint32_t w, uint32_t other)
{
    if (w == ABSENCE_INIT || view_before(v, w, other))
        return true;
    return level_keeps_updates(v->a->level) && !view_before(v, other, w) &&
           missed(v, w, other);
}

/* Whether seeing p, and at cc and above all that happens before it, makes w's
 * version of k too old. */
static bool
is_too_old(const struct absence_view *v, key_id k, uint32_t w, uint32_t p)
{
    if (p == ABSENCE_INIT || p == ABSENCE_NONE)
        return false;
    const bool only_p = !level_is_causal(v->a->level);
    for (size_t i = 0; i < v->writes_of[k].n; i++) {
        const uint32_t u = v->writes.at[v->writes_of[k].at[i]].txn;
        if (u == w || !(u == p || (!only_p && view_before(v, u, p))))
            continue;
        if (only_p ? view_before(v, w, u) : precedes(v, w, u))
            return true;
    }
    return false;
}

bool
absence_view_may_read_with(const struct absence_view *v, uint32_t r, uint32_t w,
                           uint32_t other, uint32_t u)
{
    const key_id k = v->reads.at[r].key;
    if (level_orders_reads(v->a->level))
        return other > r || !is_too_old(v, k, w, u);
    return (v->reads.at[other].key != k || u == w) && !is_too_old(v, k, w, u);
}

bool
absence_view_may_read(const struct absence_view *v, uint32_t r, uint32_t w)
{
    const struct view_read *read = &v->reads.at[r];
    const uint32_t b = read->txn;
    if (w != ABSENCE_INIT && (w == b || v->looped[w] || view_before(v, b, w) ||
                              view_write_of(v, w, read->key) == ABSENCE_NONE))
        return false;
    if (v->a->is_strict && w == read->writer)
        return false;
    const uint32_t prev = view_prev(v, b);
    if (level_is_causal(v->a->level) && is_too_old(v, read->key, w, prev))
        return false;
    const bool direct =
        level_sees_session(v->a->level) && !level_is_causal(v->a->level);
    for (uint32_t p = prev; direct && p != ABSENCE_NONE; p = view_prev(v, p))
        if (is_too_old(v, read->key, w, p))
            return false;
    for (uint32_t i = v->read_first[b]; v->a->is_strict && i < r; i++) {
        const uint32_t u = v->reads.at[i].writer;
        if ((u != ABSENCE_INIT && v->looped[u]) ||
            !absence_view_may_read_with(v, r, w, i, u) ||
            !absence_view_may_read_with(v, i, u, r, w))
            return false;
    }
    return true;
}

/* --- candidates ----------------------------------------------------------- */

static bool
is_listed(const struct absence_view *v, uint32_t r, uint32_t w)
{
    for (uint32_t i = v->a->pick_first.at[r]; i < v->a->pick_first.at[r + 1];
         i++)
        if (v->a->picks.at[i] == w)
            return true;
    return false;
}

/* How many writers read r may have, which of them are not listed, and whether
 * another than the observed one is among them. */
static void
count_writers(const struct absence_view *v, uint32_t r, size_t *may,
              size_t *unlisted, bool *other)
{
    *may = *unlisted = 0;
    *other = false;
    const u32_vec *writes = &v->writes_of[v->reads.at[r].key];
    for (size_t i = 0; i <= writes->n; i++) {
        const uint32_t w =
            i < writes->n ? v->writes.at[writes->at[i]].txn : ABSENCE_INIT;
        if (!absence_view_may_read(v, r, w))
            continue;
        ++*may;
        *unlisted += !is_listed(v, r, w);
        *other |= w != v->reads.at[r].writer;
    }
}

static bool
check_txn(const struct absence_view *v, uint32_t t, struct err *err)
{
    const uint32_t prev = view_prev(v, t);
    if (prev != ABSENCE_NONE && v->looped[prev])
        return true; // never a boundary transaction
    bool all = true, some = false, changed = false, complete = true;
    for (uint32_t r = v->read_first[t]; r < v->read_first[t + 1]; r++) {
        size_t may, unlisted;
        bool other;
        count_writers(v, r, &may, &unlisted, &other);
        all &= may > 0;
        some |= may > 0;
        changed |= other;
        complete &= !unlisted;
    }
    const bool possible = v->a->is_strict ? some : all && changed;
    if (!possible || (v->candidate[t] && complete))
        return true;
    return err_set(
        err, ERR_SYNTAX,
        v->candidate[t]
            ? "transaction %u could read from a transaction that is not "
              "listed"
            : "transaction %u could be a boundary transaction, and "
              "the evidence leaves it out",
        t);
}

bool
absence_view_check_candidates(const struct absence_view *v, struct err *err)
{
    for (uint32_t t = 0; t < v->n; t++)
        if (!check_txn(v, t, err))
            return false;
    return true;
}
