/* points.c -- see points.h.
 *
 * The moments of database_level.h are points of the theory of acyclicity.  Two
 * kinds of variables carry edges between them, with either sign:
 *   - of two transactions with conflicting locks of a row: which one commits
 *     first.  The other one locks the row after that;
 *   - of a moment and a transaction: the moment is before the commit.
 * A read is then a clause for each other writer of its key: that one commits
 * before the writer that is read from, or after the read.
 *
 * The clauses also speak of transactions that do not take place.  That excludes
 * nothing: these can follow all others, one after the other, as they were
 * observed.
 *
 * SPDX-License-Identifier: MIT */
#include "predict/database/points.h"

#include <stdlib.h>

enum { MOST_CLAUSES = 20000000 };

static lit
positive(uint32_t var)
{
    return lit_make(var, false);
}

static uint32_t
commit_of(const struct points *p, uint32_t t)
{
    return moments_commit(&p->moments, t);
}

void
points_init(struct points *p, struct formula *f,
            const struct database_level *on)
{
    const struct observed *o = f->o;
    *p = (struct points){.is_too_large = false};
    moments_init(&p->moments, o, on);
    uint32_t *lengths = mem_calloc(o->n_sessions + 1, sizeof *lengths);
    for (uint32_t t = 0; t < o->n; t++)
        lengths[o->session[t]] += p->moments.first[t + 1] - p->moments.first[t];
    chains_init(&p->chains, lengths, o->n_sessions);
    mem_free(lengths);
    uint32_t *order = mem_alloc(p->moments.n + 1, sizeof *order), n = 0;
    for (uint32_t i = 0; i < o->n; i++)
        for (uint32_t q = p->moments.first[o->order[i]];
             q < p->moments.first[o->order[i] + 1]; q++)
            order[n++] = q;
    assert(n == p->moments.n);
    acyc_init(&p->acyc, &p->chains, order);
    mem_free(order);
    struct theory theory = acyc_theory(&p->acyc);
    theory.advise = NULL;
    sat_set_theory(f->sat, &theory);
}

static bool
is_same_session(const struct points *p, uint32_t t, uint32_t u)
{
    return p->moments.o->session[t] == p->moments.o->session[u];
}

/* --- which of two transactions commits first ------------------------------ */

/* The variable that t commits before u, where t < u; they are of different
 * sessions. */
static uint32_t
pair_of(struct points *p, struct formula *f, uint32_t t, uint32_t u)
{
    assert(t < u && !is_same_session(p, t, u));
    const uint64_t key = (uint64_t)t << 32 | u;
    uint32_t var = intmap_find(&p->pairs, key);
    if (var != UINT32_MAX)
        return var;
    bool added;
    var = formula_var(f, FACT_WISH, 0, 0, 0);
    intmap_add(&p->pairs, key, var, &added);
    sat_set_phase(f->sat, var, p->moments.o->place[t] < p->moments.o->place[u]);
    acyc_carry(&p->acyc, positive(var), commit_of(p, t), commit_of(p, u), 0);
    acyc_carry(&p->acyc, lit_not(positive(var)), commit_of(p, u),
               commit_of(p, t), 0);
    return var;
}

/* The literal that a moment is before the commit of v. */
static lit
before_of(struct points *p, struct formula *f, uint32_t point, uint32_t v)
{
    const uint64_t key = (uint64_t)point << 32 | v;
    uint32_t var = intmap_find(&p->before, key);
    if (var != UINT32_MAX)
        return positive(var);
    bool added;
    var = formula_var(f, FACT_WISH, 0, 0, 0);
    intmap_add(&p->before, key, var, &added);
    acyc_carry(&p->acyc, positive(var), point, commit_of(p, v), 0);
    acyc_carry(&p->acyc, lit_not(positive(var)), commit_of(p, v), point, 0);
    return positive(var);
}

/* Locks of a row that conflict: a holds one of them until its commit, and b
 * takes the other one later, where 'l' holds. */
static void
carry_wait(struct points *p, lit l, const struct moment_lock *a,
           const struct moment_lock *b)
{
    const bool fails = a->writes && moments_fails(&p->moments, b->txn);
    acyc_carry(&p->acyc, l, commit_of(p, a->txn),
               fails ? p->moments.first[b->txn] : b->point, 0);
}

/* Locks that do not conflict: a, which writes the row, does not commit between
 * the snapshot of b and its lock (S4). */
static void
exclude_change(struct points *p, struct formula *f, const struct moment_lock *a,
               const struct moment_lock *b)
{
    if (!a->writes || !moments_fails(&p->moments, b->txn))
        return;
    vec_push(&f->clause, before_of(p, f, b->point, a->txn));
    vec_push(&f->clause,
             lit_not(before_of(p, f, p->moments.first[b->txn], a->txn)));
    formula_add(f, RULE_MISSED, 0, 0, 0, 0);
}

static void
carry_locks(struct points *p, struct formula *f)
{
    const size_t n = p->moments.locks.n;
    const struct moment_lock *locks = p->moments.locks.at;
    size_t made = 0;
    for (size_t i = 0; i < n && !p->is_too_large; i++)
        for (size_t j = i + 1; j < n && locks[j].row == locks[i].row; j++) {
            const struct moment_lock *a = &locks[i], *b = &locks[j];
            if (is_same_session(p, a->txn, b->txn))
                continue;
            assert(a->txn < b->txn);
            p->is_too_large |= ++made > MOST_CLAUSES;
            if (!database_level_conflicts(a->mode, b->mode)) {
                exclude_change(p, f, a, b);
                exclude_change(p, f, b, a);
                continue;
            }
            const lit first = positive(pair_of(p, f, a->txn, b->txn));
            carry_wait(p, first, a, b);
            carry_wait(p, lit_not(first), b, a);
        }
}

/* --- reads ---------------------------------------------------------------- */

/* Where 'guard' holds, v is not between w and a read of t: add the clause. */
static void
exclude_between(struct points *p, struct formula *f, uint32_t guard,
                uint32_t point, uint32_t t, uint32_t w, uint32_t v)
{
    const bool is_mine = is_same_session(p, t, v);
    if (is_mine && v > t)
        return;
    if (w != OBS_INIT && is_same_session(p, v, w)) {
        if (v < w)
            return;
    }
    vec_push(&f->clause, lit_not(positive(guard)));
    if (!is_mine)
        vec_push(&f->clause, before_of(p, f, point, v));
    if (w != OBS_INIT && !is_same_session(p, v, w)) {
        const uint32_t a = v < w ? v : w, b = v < w ? w : v;
        const lit first = positive(pair_of(p, f, a, b));
        vec_push(&f->clause, v < w ? first : lit_not(first));
    }
    formula_add(f, RULE_MISSED, 0, 0, 0, 0);
}

/* Where 'guard' holds, read r reads from w. */
static void
carry_read(struct points *p, struct formula *f, uint32_t guard, uint32_t r,
           uint32_t w, size_t *made)
{
    const struct observed *o = f->o;
    const key_id k = o->reads.at[r].key;
    const uint32_t t = o->reads.at[r].txn;
    const uint32_t point = moments_snapshot(&p->moments, r);
    if (w != OBS_INIT && !is_same_session(p, w, t))
        acyc_carry(&p->acyc, positive(guard), commit_of(p, w), point, 0);
    for (uint32_t i = o->key_first[k]; i < o->key_first[k + 1]; i++) {
        const uint32_t v = o->writes.at[o->key_write[i]].txn;
        if (v != w && v != t)
            exclude_between(p, f, guard, point, t, w, v);
        p->is_too_large |= ++*made > MOST_CLAUSES;
    }
}

void
points_carry(struct points *p, struct formula *f)
{
    const struct observed *o = f->o;
    size_t made = 0;
    carry_locks(p, f);
    for (uint32_t r = 0; r < o->reads.n && !p->is_too_large; r++) {
        const struct obs_read *read = &o->reads.at[r];
        carry_read(p, f, f->base[read->txn], r, read->writer, &made);
        if (f->boundary[read->txn] == VAR_NONE)
            continue;
        for (uint32_t i = f->pick_first[r];
             i < f->pick_first[r + 1] && !p->is_too_large; i++)
            carry_read(p, f, f->picks.at[i].var, r, f->picks.at[i].writer,
                       &made);
    }
}

void
points_free(struct points *p)
{
    acyc_free(&p->acyc);
    chains_free(&p->chains);
    intmap_free(&p->pairs);
    intmap_free(&p->before);
    moments_free(&p->moments);
}

/* --- the model ------------------------------------------------------------ */

void
points_order(const struct points *p, const struct execution *x, u32_vec *out)
{
    const struct moments *m = &p->moments;
    uint32_t *txn = mem_alloc(m->n + 1, sizeof *txn);
    for (uint32_t t = 0; t < m->o->n; t++)
        for (uint32_t q = m->first[t]; q < m->first[t + 1]; q++)
            txn[q] = t;
    vec_clear(out);
    for (uint32_t i = 0; i < m->n; i++)
        if (x->role[txn[p->acyc.order.at[i]]] != ROLE_OUT)
            vec_push(out, p->acyc.order.at[i]);
    mem_free(txn);
}
