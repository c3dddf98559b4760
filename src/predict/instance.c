/* instance.c -- "there is a dependency cycle under this version order".
 *
 * Whoever is on the cycle has a successor on it, and somebody is on it: in a
 * finite graph that is a cycle, without any arithmetic.  The successors of a
 * transaction are
 *
 *   so  the next one of its session;
 *   wr  those that read from it: always where they are in the base, by a pick
 *       where they are boundary transactions (BY);
 *   rw  from each of its reads, any writer of a later version (OVER, LATER);
 *   ww  any writer of a version later than its own (NEXT, LATER).
 *
 * The version order may depend on the execution.  It gives each transaction of
 * the base its place.  Where a boundary transaction writes a key that it has
 * read, its version has a place of its own; where it writes a key that it has
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
#include "predict/formula.h"

#include <stdlib.h>

/* Writers of a key, for boundary transactions that read and write it to be
 * placed by what they read. */
enum { MOST_PLACED = 64 };

struct version {
    uint64_t place;
    uint32_t write;
    uint32_t tag;   // VERSION_BASE, VERSION_OWN, or who it is just before
    uint32_t there; // the fact that it is there
};

struct maker {
    struct formula *f;
    const struct observed *o;
    const struct instance *in;
    uint32_t number;            // of the instance
    uint32_t *first;            // by key: where its versions begin
    VEC(struct version) sorted; // versions, by key and place
    uint32_t *rank_base;        // by write: where its version of the base is
    uint32_t *rank_own;         // the last one as a boundary, or OBS_NONE
    u32_vec later, wrote;       // by version: FACT_LATER; FACT_WROTE or ON
    u32_vec *versions;          // by transaction
    u32_vec *readers;           // by transaction: reads that may be from it
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

static int
compare_versions(const void *a, const void *b)
{
    const struct version *x = a, *y = b;
    return x->place < y->place ? -1 : x->place > y->place;
}

/* In a boundary transaction, write w takes place where 'var' holds; false where
 * it never does. */
static bool
find_done(const struct maker *m, uint32_t w, uint32_t *var)
{
    const struct obs_write *write = &m->o->writes.at[w];
    *var = m->f->boundary[write->txn];
    if (!is_candidate(m, write->txn))
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
 * from w; OBS_NONE: nobody. */
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
    add(m, RULE_AT_BOUNDARY, b, next, 0);
    for (size_t i = 0; i < causes->n; i++) {
        const struct cause *c = &causes->at[i];
        if (place_before(m, c->next) >= place_before(m, next))
            continue;
        formula_lit(f, at, false);
        formula_lit(f, c->var, false);
        add(m, RULE_AT_NOT_BEFORE, b, next, c->var);
    }
    if (next == OBS_NONE)
        return at;
    formula_lit(f, at, false);
    for (size_t i = 0; i < causes->n; i++)
        if (causes->at[i].next == next)
            formula_lit(f, causes->at[i].var, true);
    add(m, RULE_AT_CAUSE, b, next, 0);
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

/* Whether every writer of k has read it, each from another one: then whoever
 * else reads and writes k loses or comes last, and its place does not matter.
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
            (n <= MOST_PLACED && !is_chain(m->o, write->key)));
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
    // Just before somebody, and after him who would be there anyway.
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
static void
imply_done(struct maker *m, uint32_t var, uint32_t i, enum predict_rule rule)
{
    const struct version *v = &m->sorted.at[i];
    formula_lit(m->f, var, false);
    formula_lit(m->f, v->there, true);
    add(m, rule, v->write, v->tag, 0);
    uint32_t done;
    if (v->tag == VERSION_BASE || v->tag == VERSION_OWN || !m->f->is_strict ||
        !find_done(m, v->write, &done))
        return;
    formula_lit(m->f, var, false);
    formula_lit(m->f, done, true);
    add(m, rule, v->write, v->tag, 1);
}

static void
add_version(struct maker *m, uint32_t i)
{
    struct formula *f = m->f;
    const struct version *v = &m->sorted.at[i];
    const uint32_t t = m->o->writes.at[v->write].txn;
    if (!is_candidate(m, t)) {
        vec_push(&m->wrote, on(m, t));
        return;
    }
    vec_push(&m->wrote,
             formula_var(f, FACT_WROTE, v->write, v->tag, m->number));
    formula_lit(f, vec_top(&m->wrote), false);
    formula_lit(f, on(m, t), true);
    add(m, RULE_WROTE_ON, v->write, v->tag, 0);
    imply_done(m, vec_top(&m->wrote), i, RULE_WROTE_DONE);
}

static void
add_versions(struct maker *m)
{
    struct formula *f = m->f;
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
            add(m, RULE_LATER, v->write, v->tag, 0);
        }
}

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
        add(m, RULE_BETWEEN, v->write, v->tag, 2 * r + as_boundary);
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
        put_later(m, &way, behind);
        add(m, RULE_OVER_KEPT, r, 0, 0);
    }
    for (uint32_t i = f->pick_first[r]; i < f->pick_first[r + 1]; i++) {
        const struct pick *p = &f->picks.at[i];
        formula_lit(f, over, false);
        formula_lit(f, p->var, false);
        put_later(m, &way, index_behind(m, read->key, p->writer));
        add(m, RULE_OVER_PICK, r, p->writer, 0);
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
    if (is_candidate(m, m->o->reads.at[r].txn)) {
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
    if (!is_candidate(m, write->txn)) {
        vec_push(&m->successors, m->later.at[i + 1]);
        return;
    }
    const uint32_t next =
        formula_var(f, FACT_NEXT, v->write, v->tag, m->number);
    imply_done(m, next, i, RULE_NEXT_DONE);
    formula_lit(f, next, false);
    formula_lit(f, m->later.at[i + 1], true);
    add(m, RULE_NEXT_LATER, v->write, v->tag, 0);
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
    for (size_t i = 0; i < m->versions[t].n; i++)
        leave_by_version(m, m->versions[t].at[i]);
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
    sort_versions(m);
    add_versions(m);
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
    struct instance in = {.place = mem_alloc(2 * o->n + 1, sizeof *in.place),
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
