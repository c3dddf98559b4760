/* instance.c -- "there is a dependency cycle under this version order".
 *
 * A transaction on the cycle has a successor on it, and some transaction is on
 * it: in a finite graph that is a cycle, without any arithmetic.  The
 * successors of a transaction are
 *
 *   so  the next one of its session;
 *   wr  those that read from it: always where they are in the base, by a pick
 *       where they are boundary transactions (BY);
 *   rw  from each of its reads, any writer of a later version (OVER, LATER);
 *   ww  any writer of a version later than its own (NEXT, LATER).
 *
 * The version order may depend on the execution.  It gives each transaction of
 * the base its place.  Where a boundary transaction writes a key that it has
 * read, its version has its own place; where it writes a key that it has
 * not read, its version is as late as its reads allow: just before the first
 * transaction that overwrites what it read.  So such a write makes several
 * versions, one for each place, of which one is there (AT).
 *
 * A chain of facts per key, LATER, stands for "that version's writer or a later
 * one", which keeps the clauses few.  A transaction that reads and writes a key
 * must not pass for its own successor: from its reads it steps to the versions
 * before its own (BETWEEN) or behind it.
 *
 * Where the base is in a serial order of the observed execution, it has no
 * cycle by itself, so a boundary transaction must be on the cycle (ROOT).
 *
 * SPDX-License-Identifier: MIT */
#include "predict/formula/maker.h"

/* The index in 'sorted' of the version behind the one of w of key k. */
static uint32_t
index_behind(const struct maker *m, key_id k, uint32_t w)
{
    if (w == OBS_INIT)
        return m->first[k];
    return m->rank_base[observed_write(m->o, w, k)] + 1;
}

/* --- successors by reads -------------------------------------------------- */

/* One way in which a transaction reads and then may write a key. */
struct way {
    key_id key;
    uint32_t own;      // index of its own version, or OBS_NONE
    uint32_t from;     // the first version that its read may lead to
    uint32_t *between; // FACT_BETWEEN of versions from 'from' to 'own'
};

static void
way_init(struct way *way, struct maker *m, uint32_t r, bool as_boundary)
{
    const struct obs_read *read = &m->o->reads.at[r];
    const uint32_t w = observed_write(m->o, read->txn, read->key);
    *way = (struct way){.key = read->key, .own = OBS_NONE};
    way->from = index_behind(m, read->key, read->writer);
    for (uint32_t i = m->f->pick_first[r];
         as_boundary && i < m->f->pick_first[r + 1]; i++) {
        const uint32_t other =
            index_behind(m, read->key, m->f->picks.at[i].writer);
        way->from = other < way->from ? other : way->from;
    }
    if (w != OBS_NONE)
        way->own = (as_boundary ? m->rank_own : m->rank_base)[w];
    if (way->own == OBS_NONE || way->from >= way->own)
        return;
    way->between = mem_alloc(way->own - way->from, sizeof *way->between);
    for (uint32_t i = way->own; i > way->from;) {
        i--;
        const struct version *v = &m->sorted.at[i];
        const uint32_t var = formula_var4(m->f, FACT_BETWEEN, v->write, v->tag,
                                          m->number, 2 * r + as_boundary);
        way->between[i - way->from] = var;
        formula_lit(m->f, var, false);
        if (v->write != m->sorted.at[way->own].write)
            formula_lit(m->f, m->wrote.at[i], true);
        if (i + 1 < way->own)
            formula_lit(m->f, way->between[i + 1 - way->from], true);
        maker_add(m, RULE_BETWEEN, v->write, v->tag, 2 * r + as_boundary);
    }
}

/* Literals of "a writer of a version from index i on, but not the own one". */
static void
put_later(struct maker *m, const struct way *way, uint32_t i)
{
    const uint32_t end = m->first[way->key + 1];
    if (way->own != OBS_NONE && i <= way->own) {
        if (i < way->own)
            formula_lit(m->f, way->between[i - way->from], true);
        i = way->own + 1;
    }
    if (i < end)
        formula_lit(m->f, m->later.at[i], true);
}

/* Read r of a transaction that may be a boundary one: a fact OVER. */
static uint32_t
add_over(struct maker *m, uint32_t r, const struct way *base)
{
    struct formula *f = m->f;
    const struct obs_read *read = &m->o->reads.at[r];
    const uint32_t t = read->txn;
    const uint32_t over = formula_var(f, FACT_OVER, r, 0, m->number);
    const uint32_t behind = index_behind(m, read->key, read->writer);
    struct way way;
    way_init(&way, m, r, true);
    formula_lit(f, over, false);
    formula_lit(f, f->base[t], false);
    put_later(m, base, behind);
    maker_add(m, RULE_OVER_BASE, r, 0, 0);
    if (f->is_strict) {
        formula_lit(f, over, false);
        formula_lit(f, f->base[t], true);
        formula_lit(f, f->reaches[r], true);
        maker_add(m, RULE_OVER_READS, r, 0, 0);
    }
    if (f->is_strict && r + 1 < m->o->read_first[t + 1]) {
        formula_lit(f, over, false);
        formula_lit(f, f->reaches[r + 1], false);
        put_later(m, &way, behind);
        maker_add(m, RULE_OVER_KEPT, r, 0, 0);
    }
    for (uint32_t i = f->pick_first[r]; i < f->pick_first[r + 1]; i++) {
        const struct pick *p = &f->picks.at[i];
        formula_lit(f, over, false);
        formula_lit(f, p->var, false);
        put_later(m, &way, index_behind(m, read->key, p->writer));
        maker_add(m, RULE_OVER_PICK, r, p->writer, 0);
    }
    mem_free(way.between);
    return over;
}

/* Collect the literals by which the cycle leaves a reader along rw. */
static void
leave_by_read(struct maker *m, uint32_t r)
{
    struct way way;
    way_init(&way, m, r, false);
    if (maker_is_candidate(m, m->o->reads.at[r].txn)) {
        vec_push(&m->successors, add_over(m, r, &way));
    } else {
        // put_later builds into the clause; move it to the successors.
        assert(!m->f->clause.n);
        put_later(m, &way, way.from);
        for (size_t i = 0; i < m->f->clause.n; i++)
            vec_push(&m->successors, lit_var(m->f->clause.at[i]));
        vec_clear(&m->f->clause);
    }
    mem_free(way.between);
}

/* --- successors by writes ------------------------------------------------- */

static void
leave_by_version(struct maker *m, uint32_t i)
{
    struct formula *f = m->f;
    const struct version *v = &m->sorted.at[i];
    const struct obs_write *write = &m->o->writes.at[v->write];
    if (i + 1 >= m->first[write->key + 1])
        return;
    if (!maker_is_candidate(m, write->txn)) {
        vec_push(&m->successors, m->later.at[i + 1]);
        return;
    }
    const uint32_t next =
        formula_var(f, FACT_NEXT, v->write, v->tag, m->number);
    maker_imply_there(m, next, i, RULE_NEXT_DONE);
    formula_lit(f, next, false);
    formula_lit(f, m->later.at[i + 1], true);
    maker_add(m, RULE_NEXT_LATER, v->write, v->tag, 0);
    vec_push(&m->successors, next);
}

/* --- successors by being read from ---------------------------------------- */

/* The cycle goes from w to the transaction of r, which reads from it. */
static void
leave_to_reader(struct maker *m, uint32_t w, uint32_t r)
{
    struct formula *f = m->f;
    const struct obs_read *read = &m->o->reads.at[r];
    if (!maker_is_candidate(m, read->txn)) {
        vec_push(&m->successors, maker_on(m, read->txn));
        return;
    }
    const uint32_t by = formula_var(f, FACT_BY, r, w, m->number);
    formula_lit(f, by, false);
    formula_lit(f, maker_on(m, read->txn), true);
    maker_add(m, RULE_BY_ON, r, w, 0);
    formula_lit(f, by, false);
    const struct pick *p = formula_pick(f, r, w);
    if (p)
        formula_lit(f, p->var, true);
    if (w == read->writer) {
        formula_lit(f, f->base[read->txn], true);
        if (f->is_strict && r + 1 < m->o->read_first[read->txn + 1])
            formula_lit(f, f->reaches[r + 1], true);
    }
    maker_add(m, RULE_BY_READS, r, w, 0);
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
        vec_push(&m->successors, maker_on(m, o->next[t]));
    for (size_t i = 0; i < m->readers[t].n; i++)
        leave_to_reader(m, t, m->readers[t].at[i]);
    for (uint32_t r = o->read_first[t]; r < o->read_first[t + 1]; r++)
        leave_by_read(m, r);
    for (size_t i = 0; i < m->versions[t].n; i++)
        leave_by_version(m, m->versions[t].at[i]);
    formula_lit(f, maker_on(m, t), false);
    for (size_t i = 0; i < m->successors.n; i++)
        formula_lit(f, m->successors.at[i], true);
    maker_add(m, RULE_ON, t, 0, 0);
    formula_lit(f, maker_on(m, t), false);
    formula_lit(f, f->base[t], true);
    if (maker_is_candidate(m, t))
        formula_lit(f, f->boundary[t], true);
    maker_add(m, RULE_PLACE, t, 0, 0);
}

static void
add_root(struct maker *m)
{
    struct formula *f = m->f;
    vec_clear(&m->successors);
    for (uint32_t i = 0; i < m->o->n; i++) {
        const uint32_t t = m->o->order[i];
        if (!m->in->is_serial) {
            vec_push(&m->successors, maker_on(m, t));
            continue;
        }
        if (!maker_is_candidate(m, t))
            continue;
        const uint32_t root = formula_var(f, FACT_ROOT, t, 0, m->number);
        formula_lit(f, root, false);
        formula_lit(f, maker_on(m, t), true);
        maker_add(m, RULE_ROOT_ON, t, 0, 0);
        formula_lit(f, root, false);
        formula_lit(f, f->boundary[t], true);
        maker_add(m, RULE_ROOT_IS, t, 0, 0);
        vec_push(&m->successors, root);
    }
    for (size_t i = 0; i < m->successors.n; i++)
        formula_lit(f, m->successors.at[i], true);
    maker_add(m, RULE_ROOT, 0, 0, 0);
}

static void
maker_free(struct maker *m)
{
    for (uint32_t t = 0; t < m->o->n; t++) {
        vec_free(&m->readers[t]);
        vec_free(&m->versions[t]);
    }
    mem_free(m->readers);
    mem_free(m->versions);
    mem_free(m->first);
    mem_free(m->rank_base);
    mem_free(m->rank_own);
    vec_free(&m->sorted);
    vec_free(&m->later);
    vec_free(&m->wrote);
    vec_free(&m->successors);
}

static void
make(struct maker *m)
{
    const struct observed *o = m->o;
    m->first = mem_alloc(o->n_keys + 1, sizeof *m->first);
    m->rank_base = mem_alloc(o->writes.n + 1, sizeof *m->rank_base);
    m->rank_own = mem_alloc(o->writes.n + 1, sizeof *m->rank_own);
    m->versions = mem_calloc(o->n + 1, sizeof *m->versions);
    m->readers = mem_calloc(o->n + 1, sizeof *m->readers);
    maker_add_versions(m);
    find_readers(m);
    for (uint32_t t = 0; t < o->n; t++)
        add_txn(m, t);
    add_root(m);
    maker_free(m);
}

void
formula_add_instance(struct formula *f, const uint64_t *place, bool by_reads,
                     bool is_serial)
{
    const struct observed *o = f->o;
    sat_to_root(f->sat);
    struct predict_instance in = {.place =
                                      mem_alloc(2 * o->n + 1, sizeof *in.place),
                                  .by_reads = by_reads,
                                  .is_serial = is_serial};
    memcpy(in.place, place, 2 * o->n * sizeof *place);
    const uint32_t number = (uint32_t)f->instances.n;
    for (uint32_t t = 0; t < o->n; t++) {
        const uint32_t v = formula_var(f, FACT_ON, t, 0, number);
        if (!t)
            in.on = v;
        assert(v == in.on + t);
    }
    vec_push(&f->instances, in);
    make(&(struct maker){.f = f, .o = o, .in = &in, .number = number});
}
