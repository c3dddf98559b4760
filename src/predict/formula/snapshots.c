/* snapshots.c -- see snapshots.h.
 *
 * At pc and si every transaction has a start and a commit, and reads lay an
 * order on them: a writer commits before its reader starts, and the reader
 * starts before a transaction that overwrites what it read commits
 * (doc/levels.md).  These edges must be acyclic.  Here they are given to the
 * theory of acyclicity, each with the fact that it rests on: that its reader is
 * in the base, that a boundary transaction keeps a read, or that it picks a
 * writer.
 *
 * Overwriters are only those that certainly are: that happen after the writer.
 * The order of other versions, and what boundary transactions write, is left
 * to the engines.
 *
 * SPDX-License-Identifier: MIT */
#include "predict/formula/snapshots.h"

static uint32_t
start_of(uint32_t t)
{
    return 2 * t;
}

static uint32_t
commit_of(uint32_t t)
{
    return 2 * t + 1;
}

void
snapshots_init(struct snapshots *s, struct formula *f)
{
    const struct observed *o = f->o;
    uint32_t *lengths = mem_calloc(o->n_sessions + 1, sizeof *lengths);
    for (uint32_t t = 0; t < o->n; t++)
        lengths[o->session[t]] += 2;
    chains_init(&s->points, lengths, o->n_sessions);
    mem_free(lengths);
    uint32_t *order = mem_alloc(2 * o->n + 1, sizeof *order);
    for (uint32_t i = 0; i < o->n; i++) {
        order[2 * i] = start_of(o->order[i]);
        order[2 * i + 1] = commit_of(o->order[i]);
    }
    acyc_init(&s->acyc, &s->points, order);
    mem_free(order);
    struct theory theory = acyc_theory(&s->acyc);
    theory.advise = NULL; // small proposals matter more
    sat_set_theory(f->sat, &theory);
}

/* --- edges ---------------------------------------------------------------- */

/* Append the transactions that are the first of their session to overwrite what
 * w wrote to k, unless another one of these happens before them. */
static void
find_overwriters(const struct observed *o, key_id k, uint32_t w, uint32_t t,
                 u32_vec *out)
{
    vec_clear(out);
    uint32_t session = OBS_NONE;
    for (uint32_t i = o->key_first[k]; i < o->key_first[k + 1]; i++) {
        const uint32_t v = o->writes.at[o->key_write[i]].txn;
        if (v == w || v == t || o->looped[v] || o->session[v] == session ||
            !observed_before(o, w, v))
            continue;
        session = o->session[v]; // writes of a key are in the order of sessions
        vec_push(out, v);
    }
    size_t kept = 0;
    for (size_t i = 0; i < out->n; i++) {
        bool is_first = true;
        for (size_t j = 0; j < out->n; j++)
            is_first &= j == i || !observed_before(o, out->at[j], out->at[i]);
        if (is_first)
            out->at[kept++] = out->at[i];
    }
    out->n = kept;
}

/* Where 'var' holds, t reads k from w. */
static void
carry_read(struct snapshots *s, const struct observed *o, uint32_t var,
           uint32_t t, key_id k, uint32_t w, u32_vec *overwriters)
{
    const lit l = lit_make(var, false);
    const bool is_known =
        w == OBS_INIT || (o->session[w] == o->session[t] && w < t);
    if (!is_known)
        acyc_carry(&s->acyc, l, commit_of(w), start_of(t), 0);
    find_overwriters(o, k, w, t, overwriters);
    for (size_t i = 0; i < overwriters->n; i++) {
        const uint32_t v = overwriters->at[i];
        if (o->session[v] != o->session[t] || v < t)
            acyc_carry(&s->acyc, l, start_of(t), commit_of(v), 0);
    }
}

void
snapshots_carry(struct snapshots *s, struct formula *f)
{
    const struct observed *o = f->o;
    u32_vec overwriters = {0};
    for (uint32_t r = 0; r < o->reads.n; r++) {
        const struct obs_read *read = &o->reads.at[r];
        const uint32_t t = read->txn;
        if (!o->looped[t])
            carry_read(s, o, f->base[t], t, read->key, read->writer,
                       &overwriters);
        if (f->boundary[t] == VAR_NONE)
            continue;
        if (f->is_strict && r + 1 < o->read_first[t + 1])
            carry_read(s, o, f->reaches[r + 1], t, read->key, read->writer,
                       &overwriters);
        for (uint32_t i = f->pick_first[r]; i < f->pick_first[r + 1]; i++)
            carry_read(s, o, f->picks.at[i].var, t, read->key,
                       f->picks.at[i].writer, &overwriters);
    }
    vec_free(&overwriters);
}

void
snapshots_free(struct snapshots *s)
{
    acyc_free(&s->acyc);
    chains_free(&s->points);
}
