/* levels.c -- what a level forbids a boundary transaction; see formula.h.
 *
 * All of it rests on one fact: when the reader sees a transaction v that wrote
 * the key, v's version must precede the one read; if the one read happens
 * before v, it cannot.  What a reader sees by session order, or by reads that
 * are not changed, removes candidates; what it sees by picking one writer
 * removes picks of its other reads.
 *
 * At psi and si, two transactions that update a key must not read the same
 * version of it.  Where all writers of a key are such updates, one after the
 * other, a second boundary transaction that updates it always loses.
 *
 * SPDX-License-Identifier: MIT */
#include "predict/formula/formula.h"

/* --- candidates that are too old ------------------------------------------ */

/* Whether some writer of k that is behind w, as 'is_behind' says, is p or
 * happens before it. */
static bool
is_overwritten_as(const struct formula *f, key_id k, uint32_t w, uint32_t p,
                  bool (*is_behind)(const struct formula *f, uint32_t w,
                                    uint32_t v))
{
    const struct observed *o = f->o;
    if (p == OBS_NONE || p == OBS_INIT)
        return false;
    for (uint32_t s = 0; s < o->n_sessions; s++) {
        const uint32_t seen = clocks_get(&o->clocks, p, s);
        if (!seen)
            continue;
        const uint32_t v =
            observed_last_writer(o, k, o->chains.first[s] + seen - 1);
        if (v != OBS_NONE && v != w && is_behind(f, w, v))
            return true;
    }
    return false;
}

static bool
happens_before(const struct formula *f, uint32_t w, uint32_t v)
{
    return observed_before(f->o, w, v);
}

/* psi and si: whether w, had it written a key after v, would have missed what v
 * saw or wrote. */
static bool
must_precede(const struct formula *f, uint32_t w, uint32_t v)
{
    const struct observed *o = f->o;
    if (!f->precedes)
        return false;
    uint8_t *known = &f->precedes[(size_t)w * o->n + v];
    if (*known)
        return *known == 1;
    *known = 2;
    for (uint32_t r = o->read_first[w]; r < o->read_first[w + 1]; r++)
        if (is_overwritten_as(f, o->reads.at[r].key, o->reads.at[r].writer, v,
                              happens_before))
            *known = 1;
    return *known == 1;
}

/* Of two writers of a key, whether w's version precedes v's whenever both are
 * in the base. */
static bool
precedes(const struct formula *f, uint32_t w, uint32_t v)
{
    return observed_before(f->o, w, v) ||
           (!observed_before(f->o, v, w) && must_precede(f, w, v));
}

/* Whether some writer of k behind w is p or happens before it. */
static bool
is_overwritten(const struct formula *f, key_id k, uint32_t w, uint32_t p)
{
    return is_overwritten_as(f, k, w, p, precedes);
}

/* The same for p itself. */
static bool
is_overwritten_by(const struct observed *o, key_id k, uint32_t w, uint32_t p)
{
    return p != OBS_NONE && p != OBS_INIT && p != w &&
           observed_write(o, p, k) != OBS_NONE && observed_before(o, w, p);
}

bool
formula_is_stale_with(const struct formula *f, uint32_t r, uint32_t w,
                      uint32_t other, uint32_t u)
{
    const struct observed *o = f->o;
    const key_id k = o->reads.at[r].key;
    if (level_orders_reads(f->level))
        return other < r && is_overwritten_by(o, k, w, u);
    if (o->reads.at[other].key == k && u != w)
        return true;
    return level_is_causal(f->level) ? is_overwritten(f, k, w, u)
                                     : is_overwritten_by(o, k, w, u);
}

/* By session order alone. */
static bool
is_stale_by_session(const struct formula *f, uint32_t r, uint32_t w)
{
    const struct observed *o = f->o;
    const struct obs_read *read = &o->reads.at[r];
    const uint32_t prev = o->prev[read->txn];
    if (!level_sees_session(f->level) || prev == OBS_NONE)
        return false;
    if (!level_is_causal(f->level))
        return is_overwritten_by(o, read->key, w,
                                 observed_last_writer(o, read->key, prev));
    return is_overwritten(f, read->key, w, prev);
}

bool
formula_is_stale(const struct formula *f, uint32_t r, uint32_t w)
{
    const struct observed *o = f->o;
    if (is_stale_by_session(f, r, w))
        return true;
    for (uint32_t i = o->read_first[o->reads.at[r].txn]; f->is_strict && i < r;
         i++) {
        const uint32_t u = o->reads.at[i].writer;
        if ((u != OBS_INIT && o->looped[u]) ||
            formula_is_stale_with(f, r, w, i, u) ||
            formula_is_stale_with(f, i, u, r, w))
            return true;
    }
    return false;
}

/* --- picks that exclude each other ---------------------------------------- */

/* Read r picks p: which candidates of 'other' does that exclude? */
static void
add_pair(struct formula *f, uint32_t r, const struct pick *p, uint32_t other)
{
    const uint32_t first = f->pick_first[other], end = f->pick_first[other + 1];
    uint32_t i = first;
    while (i < end &&
           formula_is_stale_with(f, other, f->picks.at[i].writer, r, p->writer))
        i++;
    if (i > first) {
        formula_lit(f, p->var, false);
        if (i < end)
            formula_lit(f, f->picks.at[i].from, true);
        formula_add(f, RULE_PAIR_FROM, r, p->writer, other,
                    i < end ? f->picks.at[i].writer : OBS_NONE);
    }
    for (; i < end; i++) {
        const struct pick *q = &f->picks.at[i];
        if (!formula_is_stale_with(f, other, q->writer, r, p->writer))
            continue;
        formula_lit(f, p->var, false);
        formula_lit(f, q->var, false);
        formula_add(f, RULE_PAIR, r, p->writer, other, q->writer);
    }
}

static void
add_pairs(struct formula *f, uint32_t t)
{
    const struct observed *o = f->o;
    for (uint32_t r = o->read_first[t]; r < o->read_first[t + 1]; r++)
        for (uint32_t i = f->pick_first[r]; i < f->pick_first[r + 1]; i++)
            for (uint32_t other = o->read_first[t];
                 other < o->read_first[t + 1]; other++)
                if (other != r)
                    add_pair(f, r, &f->picks.at[i], other);
}

/* --- updates, at psi and si ------------------------------------------------*/

static bool
is_update(const struct observed *o, uint32_t r)
{
    return observed_write(o, o->reads.at[r].txn, o->reads.at[r].key) !=
           OBS_NONE;
}

/* Reads of transactions that also write the key, by key. */
struct updates {
    uint32_t *first;
    u32_vec reads;
};

static void
updates_init(struct updates *u, const struct observed *o)
{
    *u = (struct updates){.first = mem_calloc(o->n_keys + 2, sizeof *u->first)};
    for (uint32_t r = 0; r < o->reads.n; r++)
        if (is_update(o, r))
            u->first[o->reads.at[r].key + 2]++;
    for (uint32_t k = 2; k < o->n_keys + 2; k++)
        u->first[k] += u->first[k - 1];
    vec_grow(&u->reads, u->first[o->n_keys + 1]);
    for (uint32_t r = 0; r < o->reads.n; r++)
        if (is_update(o, r))
            u->reads.at[u->first[o->reads.at[r].key + 1]++] = r;
}

static void
updates_free(struct updates *u)
{
    mem_free(u->first);
    vec_free(&u->reads);
}

/* Boundary reads against transactions of the base that read the same. */
static void
add_lost(struct formula *f, const struct updates *u, key_id k)
{
    const struct observed *o = f->o;
    for (uint32_t i = u->first[k]; i < u->first[k + 1]; i++) {
        const struct obs_read *base = &o->reads.at[u->reads.at[i]];
        if (o->looped[base->txn])
            continue;
        for (uint32_t j = u->first[k]; j < u->first[k + 1]; j++) {
            const uint32_t r = u->reads.at[j];
            const struct pick *p = formula_pick(f, r, base->writer);
            if (!p || o->reads.at[r].txn == base->txn)
                continue;
            formula_lit(f, p->var, false);
            formula_lit(f, f->base[base->txn], false);
            if (f->is_strict) // its write comes later
                formula_lit(f, f->unconditional, false);
            formula_add(f, f->is_strict ? RULE_MISSED : RULE_LOST, r,
                        u->reads.at[i], 0, 0);
        }
    }
}

/* Whether the writers of k update it one after the other. */
static bool
is_chain(const struct observed *o, const struct updates *u, key_id k)
{
    const uint32_t n = o->key_first[k + 1] - o->key_first[k];
    if (u->first[k + 1] - u->first[k] != n)
        return false;
    for (uint32_t i = u->first[k]; i < u->first[k + 1]; i++) {
        const struct obs_read *a = &o->reads.at[u->reads.at[i]];
        if (o->looped[a->txn])
            return false;
        for (uint32_t j = u->first[k]; j < i; j++) {
            const struct obs_read *b = &o->reads.at[u->reads.at[j]];
            if (a->txn == b->txn || a->writer == b->writer)
                return false;
        }
    }
    return true;
}

/* At most one boundary transaction updates k. */
static void
add_one(struct formula *f, const struct updates *u, key_id k)
{
    const struct observed *o = f->o;
    uint32_t before = VAR_NONE; // some one up to here does
    for (uint32_t i = u->first[k]; i < u->first[k + 1]; i++) {
        const uint32_t t = o->reads.at[u->reads.at[i]].txn;
        if (f->boundary[t] == VAR_NONE)
            continue;
        const uint32_t now = formula_var(f, FACT_UPDATED, k, t, 0);
        formula_lit(f, f->boundary[t], false);
        formula_lit(f, now, true);
        formula_add(f, RULE_UPDATED, k, t, 0, 0);
        if (before != VAR_NONE) {
            formula_lit(f, before, false);
            formula_lit(f, now, true);
            formula_add(f, RULE_UPDATED_STILL, k, t, 0, 0);
            formula_lit(f, before, false);
            formula_lit(f, f->boundary[t], false);
            formula_add(f, RULE_UPDATED_ONCE, k, t, 0, 0);
        }
        before = now;
    }
}

static void
add_updates(struct formula *f)
{
    const struct observed *o = f->o;
    struct updates u;
    updates_init(&u, o);
    for (key_id k = 0; k < o->n_keys; k++) {
        add_lost(f, &u, k);
        if (!f->is_strict && is_chain(o, &u, k))
            add_one(f, &u, k);
    }
    updates_free(&u);
}

void
formula_add_levels(struct formula *f)
{
    // Where it is strict, one read picks: there are no pairs.
    for (uint32_t t = 0; !f->is_strict && t < f->o->n; t++)
        if (f->boundary[t] != VAR_NONE)
            add_pairs(f, t);
    if (level_keeps_updates(f->level) &&
        (!f->is_strict || f->unconditional != VAR_NONE))
        add_updates(f);
}
