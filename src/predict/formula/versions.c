/* versions.c -- the versions of keys under a version order; see instance.c.
 *
 * SPDX-License-Identifier: MIT */
#include "predict/formula/maker.h"

#include <stdlib.h>

/* --- versions ------------------------------------------------------------- */

static int
compare_versions(const void *a, const void *b)
{
    const struct version *x = a, *y = b;
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    return x->write < y->write ? -1 : x->write > y->write;
}

/* In a boundary transaction, write w takes place where 'var' holds; false where
 * it never does. */
static bool
find_done(const struct maker *m, uint32_t w, uint32_t *var)
{
    const struct obs_write *write = &m->o->writes.at[w];
    *var = m->f->boundary[write->txn];
    if (!maker_is_candidate(m, write->txn))
        return false;
    if (!m->f->is_strict)
        return true;
    if (write->reads_before >= observed_reads(m->o, write->txn))
        return false;
    *var = m->f->reaches[m->o->read_first[write->txn] + write->reads_before];
    return true;
}

static bool
reads_key(const struct observed *o, uint32_t t, key_id k)
{
    for (uint32_t r = o->read_first[t]; r < o->read_first[t + 1]; r++)
        if (o->reads.at[r].key == k)
            return true;
    return false;
}

/* --- places that depend on what is read ----------------------------------- */

/* Who, at the earliest, overwrites in the base what b reads by reading key k
 * from w; OBS_NONE: no writer. */
static uint32_t
find_next(const struct maker *m, uint32_t b, key_id k, uint32_t w)
{
    const struct observed *o = m->o;
    uint32_t next = OBS_NONE;
    for (uint32_t i = o->key_first[k]; i < o->key_first[k + 1]; i++) {
        const uint32_t v = o->writes.at[o->key_write[i]].txn;
        if (v == b || v == w ||
            (w != OBS_INIT && m->in->place[2 * v] < m->in->place[2 * w]))
            continue;
        if (next == OBS_NONE || m->in->place[2 * v] < m->in->place[2 * next])
            next = v;
    }
    return next;
}

/* A literal that makes b read what 'next' overwrites first. */
struct cause {
    uint32_t var, next;
};
typedef VEC(struct cause) cause_vec;

static void
find_causes(const struct maker *m, uint32_t b, cause_vec *out)
{
    const struct observed *o = m->o;
    const struct formula *f = m->f;
    for (uint32_t r = o->read_first[b]; r < o->read_first[b + 1]; r++) {
        const struct obs_read *read = &o->reads.at[r];
        for (uint32_t i = f->pick_first[r]; i < f->pick_first[r + 1]; i++)
            vec_push(out, ((struct cause){f->picks.at[i].var,
                                          find_next(m, b, read->key,
                                                    f->picks.at[i].writer)}));
        if (f->is_strict && r + 1 < o->read_first[b + 1])
            vec_push(out, ((struct cause){
                              f->reaches[r + 1],
                              find_next(m, b, read->key, read->writer)}));
    }
}

static uint64_t
place_before(const struct maker *m, uint32_t next)
{
    return next == OBS_NONE ? UINT64_MAX : m->in->place[2 * next];
}

/* The fact that b is just before 'next'. */
static uint32_t
add_at(struct maker *m, uint32_t b, uint32_t next, const cause_vec *causes)
{
    struct formula *f = m->f;
    const uint32_t at = formula_var(f, FACT_AT, b, next, m->number);
    formula_lit(f, at, false);
    formula_lit(f, f->boundary[b], true);
    maker_add(m, RULE_AT_BOUNDARY, b, next, 0);
    for (size_t i = 0; i < causes->n; i++) {
        const struct cause *c = &causes->at[i];
        if (place_before(m, c->next) >= place_before(m, next))
            continue;
        formula_lit(f, at, false);
        formula_lit(f, c->var, false);
        maker_add(m, RULE_AT_NOT_BEFORE, b, next, (uint32_t)i);
    }
    if (next == OBS_NONE)
        return at;
    formula_lit(f, at, false);
    for (size_t i = 0; i < causes->n; i++)
        if (causes->at[i].next == next)
            formula_lit(f, causes->at[i].var, true);
    maker_add(m, RULE_AT_CAUSE, b, next, 0);
    return at;
}

/* The places that b may have: 'next' and the fact, for each. */
static void
add_places(struct maker *m, uint32_t b, cause_vec *out)
{
    cause_vec causes = {0};
    find_causes(m, b, &causes);
    for (size_t i = 0; i <= causes.n; i++) {
        const uint32_t next = i < causes.n ? causes.at[i].next : OBS_NONE;
        bool known = false;
        for (size_t j = 0; j < out->n; j++)
            known |= out->at[j].next == next;
        if (!known)
            vec_push(out, ((struct cause){add_at(m, b, next, &causes), next}));
    }
    vec_free(&causes);
}

/* --- all versions --------------------------------------------------------- */

static void
put_version(struct maker *m, uint64_t place, uint32_t w, uint32_t tag,
            uint32_t there)
{
    vec_push(&m->sorted, ((struct version){place, w, tag, there}));
}

/* Whether every writer of k has read it, each from another one: then another
 * transaction that reads and writes k loses or comes last, and its place does
 * not matter.
 */
static bool
is_chain(const struct observed *o, key_id k)
{
    for (uint32_t i = o->key_first[k]; i < o->key_first[k + 1]; i++)
        if (!reads_key(o, o->writes.at[o->key_write[i]].txn, k))
            return false;
    return true;
}

static bool
is_placed_by_reads(const struct maker *m, uint32_t w)
{
    const struct obs_write *write = &m->o->writes.at[w];
    const uint32_t n =
        m->o->key_first[write->key + 1] - m->o->key_first[write->key];
    return m->in->by_reads &&
           (!reads_key(m->o, write->txn, write->key) ||
            (n <= ABSENCE_PLACED && !is_chain(m->o, write->key)));
}

static void
put_versions(struct maker *m, uint32_t w, const cause_vec *places)
{
    const uint32_t t = m->o->writes.at[w].txn;
    uint32_t done;
    put_version(m, m->in->place[2 * t], w, VERSION_BASE, m->f->base[t]);
    if (!find_done(m, w, &done))
        return;
    if (!is_placed_by_reads(m, w)) {
        put_version(m, m->in->place[2 * t + 1], w, VERSION_OWN, done);
        return;
    }
    // Just before a writer, and after the one that would be there anyway.
    for (size_t i = 0; i < places->n; i++)
        put_version(m, place_before(m, places->at[i].next) - 1, w,
                    places->at[i].next, places->at[i].var);
}

static void
sort_versions(struct maker *m)
{
    const struct observed *o = m->o;
    cause_vec *places = mem_calloc(o->n + 1, sizeof *places);
    for (uint32_t w = 0; w < o->writes.n; w++) {
        const uint32_t t = o->writes.at[w].txn;
        uint32_t done;
        if (!places[t].n && is_placed_by_reads(m, w) && find_done(m, w, &done))
            add_places(m, t, &places[t]);
    }
    for (key_id k = 0; k < o->n_keys; k++) {
        m->first[k] = (uint32_t)m->sorted.n;
        for (uint32_t i = o->key_first[k]; i < o->key_first[k + 1]; i++)
            put_versions(m, o->key_write[i],
                         &places[o->writes.at[o->key_write[i]].txn]);
        if (m->sorted.n > m->first[k])
            qsort(m->sorted.at + m->first[k], m->sorted.n - m->first[k],
                  sizeof *m->sorted.at, compare_versions);
    }
    m->first[o->n_keys] = (uint32_t)m->sorted.n;
    for (uint32_t t = 0; t < o->n; t++)
        vec_free(&places[t]);
    mem_free(places);
    memset(m->rank_own, 0xff, o->writes.n * sizeof *m->rank_own);
    for (uint32_t i = 0; i < m->sorted.n; i++) {
        const struct version *v = &m->sorted.at[i];
        if (v->tag == VERSION_BASE)
            m->rank_base[v->write] = i;
        else
            m->rank_own[v->write] = i;
        vec_push(&m->versions[o->writes.at[v->write].txn], i);
    }
}

/* 'var' implies that version i is there. */
void
maker_imply_there(struct maker *m, uint32_t var, uint32_t i,
                  enum absence_rule rule)
{
    const struct version *v = &m->sorted.at[i];
    formula_lit(m->f, var, false);
    formula_lit(m->f, v->there, true);
    maker_add(m, rule, v->write, v->tag, 0);
    uint32_t done;
    if (v->tag == VERSION_BASE || v->tag == VERSION_OWN || !m->f->is_strict ||
        !find_done(m, v->write, &done))
        return;
    formula_lit(m->f, var, false);
    formula_lit(m->f, done, true);
    maker_add(m, rule, v->write, v->tag, 1);
}

static void
add_version(struct maker *m, uint32_t i)
{
    struct formula *f = m->f;
    const struct version *v = &m->sorted.at[i];
    const uint32_t t = m->o->writes.at[v->write].txn;
    if (!maker_is_candidate(m, t)) {
        vec_push(&m->wrote, maker_on(m, t));
        return;
    }
    vec_push(&m->wrote,
             formula_var(f, FACT_WROTE, v->write, v->tag, m->number));
    formula_lit(f, vec_top(&m->wrote), false);
    formula_lit(f, maker_on(m, t), true);
    maker_add(m, RULE_WROTE_ON, v->write, v->tag, 0);
    maker_imply_there(m, vec_top(&m->wrote), i, RULE_WROTE_DONE);
}

void
maker_add_versions(struct maker *m)
{
    struct formula *f = m->f;
    sort_versions(m);
    for (uint32_t i = 0; i < m->sorted.n; i++)
        add_version(m, i);
    vec_grow(&m->later, m->sorted.n);
    for (key_id k = 0; k < m->o->n_keys; k++)
        for (uint32_t i = m->first[k + 1]; i > m->first[k];) {
            i--;
            const struct version *v = &m->sorted.at[i];
            m->later.at[i] =
                formula_var(f, FACT_LATER, v->write, v->tag, m->number);
            formula_lit(f, m->later.at[i], false);
            formula_lit(f, m->wrote.at[i], true);
            if (i + 1 < m->first[k + 1])
                formula_lit(f, m->later.at[i + 1], true);
            maker_add(m, RULE_LATER, v->write, v->tag, 0);
        }
}
