/* instance.c -- "there is a dependency cycle under this version order".
 *
 * Whoever is on the cycle has a successor on it, and somebody is on it: in a
 * finite graph that is a cycle, without any arithmetic.  Versions are ordered
 * by the places of their writers.  The successors of a transaction are
 *
 *   so  the next one of its session;
 *   wr  those that read from it: always where they are in the base, by a pick
 *       where they are boundary transactions (BY);
 *   rw  from each of its reads, any writer of a later version (OVER, LATER);
 *   ww  any writer of a version later than its own (NEXT, LATER).
 *
 * A chain of facts per key, LATER, stands for "that version's writer or a later
 * one", which keeps the clauses few.  A transaction that reads and writes a key
 * must not pass for its own successor: from its reads it steps to the versions
 * before its own (BETWEEN) or behind it.
 *
 * Where the order is a serial order of the observed execution, the base has no
 * cycle under it, so a boundary transaction must be on the cycle (ROOT).
 *
 * SPDX-License-Identifier: MIT */
#include "predict/formula.h"

#include <stdlib.h>

struct maker {
    struct formula *f;
    const struct observed *o;
    const struct instance *in;
    uint32_t number;  // of the instance
    uint32_t *sorted; // writes of each key by place, as key_first says
    uint32_t *rank;   // by write: where it is in 'sorted'
    uint32_t *later;  // by the same index: FACT_LATER
    uint32_t *wrote;  // by write: FACT_WROTE, or the transaction's FACT_ON
    u32_vec *readers; // by transaction: reads that may read from it
    u32_vec successors;
};

static uint32_t
on(const struct maker *m, uint32_t t)
{
    return m->in->on + t;
}

static bool
is_candidate(const struct maker *m, uint32_t t)
{
    return m->f->boundary[t] != VAR_NONE;
}

static void
add(struct maker *m, enum predict_rule rule, uint32_t a, uint32_t b, uint32_t c)
{
    formula_add(m->f, rule, a, b, c, m->number);
}

/* --- versions ------------------------------------------------------------- */

struct placed {
    uint32_t write, place;
};

static int
compare_placed(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    return x->place < y->place ? -1 : x->place > y->place;
}

static void
sort_versions(struct maker *m)
{
    const struct observed *o = m->o;
    VEC(struct placed) all = {0};
    for (key_id k = 0; k < o->n_keys; k++) {
        vec_clear(&all);
        for (uint32_t i = o->key_first[k]; i < o->key_first[k + 1]; i++) {
            const uint32_t w = o->key_write[i];
            vec_push(&all,
                     ((struct placed){w, m->in->place[o->writes.at[w].txn]}));
        }
        if (all.n)
            qsort(all.at, all.n, sizeof *all.at, compare_placed);
        for (uint32_t i = 0; i < all.n; i++) {
            m->sorted[o->key_first[k] + i] = all.at[i].write;
            m->rank[all.at[i].write] = o->key_first[k] + i;
        }
    }
    vec_free(&all);
}

/* strict: whether a write takes place in a boundary transaction, as a literal;
 * false where it never does. */
static bool
write_reached(const struct maker *m, uint32_t w, uint32_t *var)
{
    const struct obs_write *write = &m->o->writes.at[w];
    if (write->reads_before >= observed_reads(m->o, write->txn))
        return false;
    *var = m->f->reaches[m->o->read_first[write->txn] + write->reads_before];
    return true;
}

/* The literals of "write w takes place", behind 'var' implies. */
static void
imply_done(struct maker *m, uint32_t var, uint32_t w, enum predict_rule rule)
{
    uint32_t reached;
    formula_lit(m->f, var, false);
    formula_lit(m->f, m->f->base[m->o->writes.at[w].txn], true);
    if (write_reached(m, w, &reached))
        formula_lit(m->f, reached, true);
    add(m, rule, w, 0, 0);
}

static void
add_versions(struct maker *m)
{
    struct formula *f = m->f;
    for (uint32_t w = 0; w < m->o->writes.n; w++) {
        const uint32_t t = m->o->writes.at[w].txn;
        m->wrote[w] = on(m, t);
        if (!f->is_strict || !is_candidate(m, t))
            continue;
        m->wrote[w] = formula_var(f, FACT_WROTE, w, 0, m->number);
        formula_lit(f, m->wrote[w], false);
        formula_lit(f, on(m, t), true);
        add(m, RULE_WROTE_ON, w, 0, 0);
        imply_done(m, m->wrote[w], w, RULE_WROTE_DONE);
    }
    for (key_id k = 0; k < m->o->n_keys; k++)
        for (uint32_t i = m->o->key_first[k + 1]; i > m->o->key_first[k];) {
            i--;
            const bool is_last = i + 1 == m->o->key_first[k + 1];
            m->later[i] =
                formula_var(f, FACT_LATER, m->sorted[i], 0, m->number);
            formula_lit(f, m->later[i], false);
            formula_lit(f, m->wrote[m->sorted[i]], true);
            if (!is_last)
                formula_lit(f, m->later[i + 1], true);
            add(m, RULE_LATER, m->sorted[i], 0, 0);
        }
}

/* The index in 'sorted' of the version behind the one of w of key k. */
static uint32_t
index_behind(const struct maker *m, key_id k, uint32_t w)
{
    if (w == OBS_INIT)
        return m->o->key_first[k];
    return m->rank[observed_write(m->o, w, k)] + 1;
}

/* --- successors by reads -------------------------------------------------- */

/* Versions of k from index i on, but that of t itself: literals to 'out'.
 * between[i] caches, for versions before its own. */
static void
put_later(struct maker *m, uint32_t t, key_id k, uint32_t i, uint32_t own,
          uint32_t *between)
{
    const uint32_t end = m->o->key_first[k + 1];
    if (own == OBS_NONE || i > m->rank[own]) {
        if (i < end)
            formula_lit(m->f, m->later[i], true);
        return;
    }
    (void)t;
    if (i < m->rank[own])
        formula_lit(m->f, between[i - m->o->key_first[k]], true);
    if (m->rank[own] + 1 < end)
        formula_lit(m->f, m->later[m->rank[own] + 1], true);
}

/* FACT_BETWEEN for the versions from index 'from' on and before write own. */
static uint32_t *
add_between(struct maker *m, key_id k, uint32_t from, uint32_t own)
{
    const uint32_t first = m->o->key_first[k];
    uint32_t *between = NULL;
    if (own == OBS_NONE || from >= m->rank[own])
        return NULL;
    between = mem_alloc(m->rank[own] - first + 1, sizeof *between);
    for (uint32_t i = m->rank[own]; i > from;) {
        i--;
        between[i - first] =
            formula_var(m->f, FACT_BETWEEN, m->sorted[i], own, m->number);
        formula_lit(m->f, between[i - first], false);
        formula_lit(m->f, m->wrote[m->sorted[i]], true);
        if (i + 1 < m->rank[own])
            formula_lit(m->f, between[i + 1 - first], true);
        add(m, RULE_BETWEEN, m->sorted[i], own, 0);
    }
    return between;
}

/* The first version that read r may lead to. */
static uint32_t
first_behind(const struct maker *m, uint32_t r)
{
    const struct obs_read *read = &m->o->reads.at[r];
    uint32_t least = index_behind(m, read->key, read->writer);
    for (uint32_t i = m->f->pick_first[r]; i < m->f->pick_first[r + 1]; i++) {
        const uint32_t other =
            index_behind(m, read->key, m->f->picks.at[i].writer);
        least = other < least ? other : least;
    }
    return least;
}

/* Read r of a transaction that may be a boundary one: a fact OVER. */
static uint32_t
add_over(struct maker *m, uint32_t r, uint32_t own, uint32_t *between)
{
    struct formula *f = m->f;
    const struct obs_read *read = &m->o->reads.at[r];
    const uint32_t t = read->txn;
    const uint32_t over = formula_var(f, FACT_OVER, r, 0, m->number);
    const uint32_t behind = index_behind(m, read->key, read->writer);
    formula_lit(f, over, false);
    formula_lit(f, f->base[t], false);
    put_later(m, t, read->key, behind, own, between);
    add(m, RULE_OVER_BASE, r, 0, 0);
    if (f->is_strict) {
        formula_lit(f, over, false);
        formula_lit(f, f->base[t], true);
        formula_lit(f, f->reaches[r], true);
        add(m, RULE_OVER_READS, r, 0, 0);
    }
    if (f->is_strict && r + 1 < m->o->read_first[t + 1]) {
        formula_lit(f, over, false);
        formula_lit(f, f->reaches[r + 1], false);
        put_later(m, t, read->key, behind, own, between);
        add(m, RULE_OVER_KEPT, r, 0, 0);
    }
    for (uint32_t i = f->pick_first[r]; i < f->pick_first[r + 1]; i++) {
        const struct pick *p = &f->picks.at[i];
        formula_lit(f, over, false);
        formula_lit(f, p->var, false);
        put_later(m, t, read->key, index_behind(m, read->key, p->writer), own,
                  between);
        add(m, RULE_OVER_PICK, r, p->writer, 0);
    }
    return over;
}

/* Collect the literals by which the cycle leaves t along rw. */
static void
leave_by_read(struct maker *m, uint32_t r)
{
    const struct obs_read *read = &m->o->reads.at[r];
    const uint32_t own = observed_write(m->o, read->txn, read->key);
    const bool candidate = is_candidate(m, read->txn);
    const uint32_t from = candidate ? first_behind(m, r)
                                    : index_behind(m, read->key, read->writer);
    uint32_t *between = add_between(m, read->key, from, own);
    if (candidate) {
        vec_push(&m->successors, add_over(m, r, own, between));
    } else {
        // put_later builds into the clause; move it to the successors.
        assert(!m->f->clause.n);
        put_later(m, read->txn, read->key, from, own, between);
        for (size_t i = 0; i < m->f->clause.n; i++)
            vec_push(&m->successors, lit_var(m->f->clause.at[i]));
        vec_clear(&m->f->clause);
    }
    mem_free(between);
}

/* --- successors by writes ------------------------------------------------- */

static void
leave_by_write(struct maker *m, uint32_t w)
{
    struct formula *f = m->f;
    const struct obs_write *write = &m->o->writes.at[w];
    const uint32_t i = m->rank[w] + 1;
    if (i >= m->o->key_first[write->key + 1])
        return;
    if (!f->is_strict || !is_candidate(m, write->txn)) {
        vec_push(&m->successors, m->later[i]);
        return;
    }
    const uint32_t next = formula_var(f, FACT_NEXT, w, 0, m->number);
    imply_done(m, next, w, RULE_NEXT_DONE);
    formula_lit(f, next, false);
    formula_lit(f, m->later[i], true);
    add(m, RULE_NEXT_LATER, w, 0, 0);
    vec_push(&m->successors, next);
}

/* --- successors by being read from ---------------------------------------- */

/* The cycle goes from w to the transaction of r, which reads from it. */
static void
leave_to_reader(struct maker *m, uint32_t w, uint32_t r)
{
    struct formula *f = m->f;
    const struct obs_read *read = &m->o->reads.at[r];
    if (!is_candidate(m, read->txn)) {
        vec_push(&m->successors, on(m, read->txn));
        return;
    }
    const uint32_t by = formula_var(f, FACT_BY, r, w, m->number);
    formula_lit(f, by, false);
    formula_lit(f, on(m, read->txn), true);
    add(m, RULE_BY_ON, r, w, 0);
    formula_lit(f, by, false);
    const struct pick *p = formula_pick(f, r, w);
    if (p)
        formula_lit(f, p->var, true);
    if (w == read->writer) {
        formula_lit(f, f->base[read->txn], true);
        if (f->is_strict && r + 1 < m->o->read_first[read->txn + 1])
            formula_lit(f, f->reaches[r + 1], true);
    }
    add(m, RULE_BY_READS, r, w, 0);
    vec_push(&m->successors, by);
}

static void
find_readers(struct maker *m)
{
    const struct formula *f = m->f;
    for (uint32_t r = 0; r < m->o->reads.n; r++) {
        const uint32_t w = m->o->reads.at[r].writer;
        if (w != OBS_INIT)
            vec_push(&m->readers[w], r);
        for (uint32_t i = f->pick_first[r]; i < f->pick_first[r + 1]; i++)
            if (f->picks.at[i].writer != OBS_INIT && f->picks.at[i].writer != w)
                vec_push(&m->readers[f->picks.at[i].writer], r);
    }
}

/* --- all of it ------------------------------------------------------------ */

static void
add_txn(struct maker *m, uint32_t t)
{
    struct formula *f = m->f;
    const struct observed *o = m->o;
    vec_clear(&m->successors);
    if (o->next[t] != OBS_NONE)
        vec_push(&m->successors, on(m, o->next[t]));
    for (size_t i = 0; i < m->readers[t].n; i++)
        leave_to_reader(m, t, m->readers[t].at[i]);
    for (uint32_t r = o->read_first[t]; r < o->read_first[t + 1]; r++)
        leave_by_read(m, r);
    for (uint32_t w = o->write_first[t]; w < o->write_first[t + 1]; w++)
        leave_by_write(m, w);
    formula_lit(f, on(m, t), false);
    for (size_t i = 0; i < m->successors.n; i++)
        formula_lit(f, m->successors.at[i], true);
    add(m, RULE_ON, t, 0, 0);
    formula_lit(f, on(m, t), false);
    formula_lit(f, f->base[t], true);
    if (is_candidate(m, t))
        formula_lit(f, f->boundary[t], true);
    add(m, RULE_PLACE, t, 0, 0);
}

static void
add_root(struct maker *m)
{
    struct formula *f = m->f;
    vec_clear(&m->successors);
    for (uint32_t i = 0; i < m->o->n; i++) {
        const uint32_t t = m->o->order[i];
        if (!m->in->is_serial) {
            vec_push(&m->successors, on(m, t));
            continue;
        }
        if (!is_candidate(m, t))
            continue;
        const uint32_t root = formula_var(f, FACT_ROOT, t, 0, m->number);
        formula_lit(f, root, false);
        formula_lit(f, on(m, t), true);
        add(m, RULE_ROOT_ON, t, 0, 0);
        formula_lit(f, root, false);
        formula_lit(f, f->boundary[t], true);
        add(m, RULE_ROOT_IS, t, 0, 0);
        vec_push(&m->successors, root);
    }
    for (size_t i = 0; i < m->successors.n; i++)
        formula_lit(f, m->successors.at[i], true);
    add(m, RULE_ROOT, 0, 0, 0);
}

void
formula_add_instance(struct formula *f, const uint32_t *place, bool is_serial)
{
    const struct observed *o = f->o;
    sat_to_root(f->sat);
    struct instance in = {.place = mem_alloc(o->n + 1, sizeof *in.place),
                          .is_serial = is_serial};
    memcpy(in.place, place, o->n * sizeof *place);
    const uint32_t number = (uint32_t)f->instances.n;
    for (uint32_t t = 0; t < o->n; t++) {
        const uint32_t v = formula_var(f, FACT_ON, t, 0, number);
        if (!t)
            in.on = v;
        assert(v == in.on + t);
    }
    vec_push(&f->instances, in);
    struct maker m = {.f = f, .o = o, .in = &in, .number = number};
    m.sorted = mem_alloc(o->writes.n + 1, sizeof *m.sorted);
    m.rank = mem_alloc(o->writes.n + 1, sizeof *m.rank);
    m.later = mem_alloc(o->writes.n + 1, sizeof *m.later);
    m.wrote = mem_alloc(o->writes.n + 1, sizeof *m.wrote);
    m.readers = mem_calloc(o->n + 1, sizeof *m.readers);
    sort_versions(&m);
    add_versions(&m);
    find_readers(&m);
    for (uint32_t t = 0; t < o->n; t++)
        add_txn(&m, t);
    add_root(&m);
    for (uint32_t t = 0; t < o->n; t++)
        vec_free(&m.readers[t]);
    mem_free(m.readers);
    mem_free(m.sorted);
    mem_free(m.rank);
    mem_free(m.later);
    mem_free(m.wrote);
    vec_free(&m.successors);
}
