/* pivots.c -- at si, what every execution that is not serializable has; see
 * formula.h.
 *
 * Take starts and commits as si gives them, and a dependency cycle.  The
 * transaction of it that commits first, S, is overwriter of what its
 * predecessor P read, and P started before S committed; every other edge would
 * have P commit before S. Likewise P overwrites what its own predecessor T
 * read, and T and P overlap, for else T would have committed before P started.
 * So there are a pivot P and transactions T and S, possibly the same one, with
 *
 *     T -rw-> P -rw-> S
 *
 * and neither T and P nor P and S see each other, nor do they write a common
 * key.  This is asked for here whatever the version order is.  Where no
 * transaction reads a key that it does not write and writes another, there is
 * no pivot, and the search ends before it begins.
 *
 * SPDX-License-Identifier: MIT */
#include "base/container/intmap.h"
#include "predict/formula/formula.h"

/* A transaction in one of its two roles. */
struct actor {
    uint32_t txn;
    bool is_boundary;
};

static bool
can_be(const struct formula *f, struct actor a)
{
    return a.is_boundary ? f->boundary[a.txn] != VAR_NONE
                         : !f->o->looped[a.txn];
}

/* Whether all its writes take place where it does. */
static bool
is_whole(const struct formula *f, struct actor a)
{
    return !a.is_boundary || !f->is_strict;
}

/* Whether a takes place only together with b in the base. */
static bool
rests_on(const struct formula *f, struct actor a, uint32_t b)
{
    const uint32_t last = a.is_boundary ? f->o->prev[a.txn] : a.txn;
    return last != OBS_NONE && observed_before(f->o, b, last);
}

static bool
writes_common(const struct observed *o, uint32_t a, uint32_t b)
{
    for (uint32_t w = o->write_first[a]; w < o->write_first[a + 1]; w++)
        if (observed_write(o, b, o->writes.at[w].key) != OBS_NONE)
            return true;
    return false;
}

/* Whether x and y may overlap: neither is bound to see the other. */
static bool
may_overlap(const struct formula *f, struct actor x, struct actor y)
{
    return x.txn != y.txn && can_be(f, x) && can_be(f, y) &&
           !rests_on(f, x, y.txn) && !rests_on(f, y, x.txn) &&
           !(x.is_boundary && y.is_boundary &&
             f->o->session[x.txn] == f->o->session[y.txn]) &&
           !(is_whole(f, x) && is_whole(f, y) &&
             writes_common(f->o, x.txn, y.txn));
}

/* --- conflicts ------------------------------------------------------------ */

/* A read of x, and y, who writes its key: y may overwrite what x read, while
 * the two overlap. */
struct conflict {
    uint32_t read;
    struct actor x, y;
    uint32_t write; // of y
};

/* Whether y's version follows w's where y reads from 'seen', OBS_NONE where it
 * does not read the key; it must not precede it for certain. */
static bool
may_follow(const struct observed *o, uint32_t y, uint32_t seen, uint32_t w)
{
    if (w == OBS_INIT)
        return true;
    return !observed_before(o, y, w) &&
           (seen == OBS_NONE || seen == w || !observed_before(o, seen, w));
}

/* Whether x reads something that y may overwrite; the literals by which it
 * does, where 'put'. */
static bool
put_reader(struct formula *f, const struct conflict *e, bool put)
{
    const struct obs_read *read = &f->o->reads.at[e->read];
    const uint32_t w = read->writer;
    const bool is_kept = may_follow(f->o, e->y.txn, OBS_NONE, w) &&
                         (w == OBS_INIT || !f->o->looped[w]);
    if (!e->x.is_boundary) {
        if (put)
            formula_lit(f, f->base[e->x.txn], true);
        return is_kept;
    }
    if (e->y.is_boundary) {
        if (put)
            formula_lit(f, f->boundary[e->x.txn], true);
        return true;
    }
    bool some = false;
    if (f->is_strict && is_kept &&
        e->read + 1 < f->o->read_first[read->txn + 1]) {
        some = true;
        if (put)
            formula_lit(f, f->reaches[e->read + 1], true);
    }
    for (uint32_t i = f->pick_first[e->read]; i < f->pick_first[e->read + 1];
         i++) {
        if (!may_follow(f->o, e->y.txn, OBS_NONE, f->picks.at[i].writer))
            continue;
        some = true;
        if (put)
            formula_lit(f, f->picks.at[i].var, true);
    }
    return some;
}

/* The same for the literals by which y writes. */
static bool
put_writer(struct formula *f, const struct conflict *e, bool put)
{
    const struct observed *o = f->o;
    const struct obs_read *read = &o->reads.at[e->read];
    const uint32_t y = e->y.txn;
    if (!e->y.is_boundary) {
        if (put)
            formula_lit(f, f->base[y], true);
        return true;
    }
    if (f->is_strict) {
        const uint32_t before = o->writes.at[e->write].reads_before;
        if (before >= observed_reads(o, y))
            return false; // it ends before it writes
        if (put)
            formula_lit(f, f->reaches[o->read_first[y] + before], true);
        return true;
    }
    const uint32_t own = observed_read(o, y, read->key);
    if (own == OBS_NONE || e->x.is_boundary) {
        if (put)
            formula_lit(f, f->boundary[y], true);
        return true;
    }
    bool some = false;
    for (uint32_t i = f->pick_first[own]; i < f->pick_first[own + 1]; i++) {
        if (!may_follow(o, y, f->picks.at[i].writer, read->writer))
            continue;
        some = true;
        if (put)
            formula_lit(f, f->picks.at[i].var, true);
    }
    return some;
}

static bool
is_conflict(struct formula *f, const struct conflict *e)
{
    const key_id k = f->o->reads.at[e->read].key;
    return (!is_whole(f, e->x) ||
            observed_write(f->o, e->x.txn, k) == OBS_NONE) &&
           may_overlap(f, e->x, e->y) && put_reader(f, e, false) &&
           put_writer(f, e, false);
}

static uint32_t
add_conflict(struct formula *f, const struct conflict *e, struct intmap *known)
{
    const uint32_t roles = 2 * e->x.is_boundary + e->y.is_boundary;
    const uint64_t name = (4 * (uint64_t)e->read + roles) * f->o->n + e->y.txn;
    bool is_new;
    const uint32_t next = (uint32_t)sat_vars(f->sat);
    const uint32_t var = intmap_add(known, name, next, &is_new);
    if (!is_new)
        return var;
    const uint32_t made =
        formula_var(f, FACT_CONFLICT, e->read, e->y.txn, roles);
    assert(made == var);
    (void)made;
    formula_lit(f, var, false);
    put_reader(f, e, true);
    formula_add(f, RULE_CONFLICT_READER, e->read, e->y.txn, roles, 0);
    formula_lit(f, var, false);
    put_writer(f, e, true);
    formula_add(f, RULE_CONFLICT_WRITER, e->read, e->y.txn, roles, 0);
    return var;
}

/* --- pivots --------------------------------------------------------------- */

typedef VEC(struct conflict) conflict_vec;

struct finder {
    struct formula *f;
    u32_vec *readers; // by key
    conflict_vec in, out;
    struct intmap known; // conflicts that have a variable
};

static void
find_out(struct finder *s, struct actor p)
{
    const struct observed *o = s->f->o;
    vec_clear(&s->out);
    for (uint32_t r = o->read_first[p.txn]; r < o->read_first[p.txn + 1]; r++) {
        const key_id k = o->reads.at[r].key;
        for (uint32_t i = o->key_first[k]; i < o->key_first[k + 1]; i++)
            for (int role = 0; role < 2; role++) {
                const uint32_t w = o->key_write[i];
                const struct conflict e = {
                    r, p, {o->writes.at[w].txn, role}, w};
                if (is_conflict(s->f, &e))
                    vec_push(&s->out, e);
            }
    }
}

static void
find_in(struct finder *s, struct actor p)
{
    const struct observed *o = s->f->o;
    vec_clear(&s->in);
    for (uint32_t w = o->write_first[p.txn]; w < o->write_first[p.txn + 1];
         w++) {
        const u32_vec *readers = &s->readers[o->writes.at[w].key];
        for (size_t i = 0; i < readers->n; i++)
            for (int role = 0; role < 2; role++) {
                const uint32_t r = readers->at[i];
                const struct conflict e = {r, {o->reads.at[r].txn, role}, p, w};
                if (is_conflict(s->f, &e))
                    vec_push(&s->in, e);
            }
    }
}

static void
add_conflicts(struct finder *s, const conflict_vec *conflicts, uint32_t pivot,
              enum absence_rule rule, struct actor p)
{
    u32_vec vars = {0};
    for (size_t i = 0; i < conflicts->n; i++)
        vec_push(&vars, add_conflict(s->f, &conflicts->at[i], &s->known));
    formula_lit(s->f, pivot, false);
    for (size_t i = 0; i < vars.n; i++)
        formula_lit(s->f, vars.at[i], true);
    formula_add(s->f, rule, p.txn, p.is_boundary, 0, 0);
    vec_free(&vars);
}

/* Find the conflicts of p; whether it can be a pivot. */
static bool
find_pivot(struct finder *s, struct actor p)
{
    if (!can_be(s->f, p))
        return false;
    find_out(s, p);
    if (s->out.n)
        find_in(s, p);
    return s->out.n && s->in.n;
}

static void
finder_init(struct finder *s, struct formula *f)
{
    const struct observed *o = f->o;
    *s = (struct finder){.f = f};
    s->readers = mem_calloc(o->n_keys + 1, sizeof *s->readers);
    for (uint32_t r = 0; r < o->reads.n; r++)
        vec_push(&s->readers[o->reads.at[r].key], r);
}

static void
finder_free(struct finder *s)
{
    for (key_id k = 0; k < s->f->o->n_keys; k++)
        vec_free(&s->readers[k]);
    mem_free(s->readers);
    vec_free(&s->in);
    vec_free(&s->out);
    intmap_free(&s->known);
}

static void
mark(const conflict_vec *conflicts, uint8_t *marks)
{
    for (size_t i = 0; i < conflicts->n; i++) {
        const struct conflict *c = &conflicts->at[i];
        if (c->x.is_boundary)
            marks[c->x.txn] = 1;
        if (c->y.is_boundary)
            marks[c->y.txn] = 1;
    }
}

void
formula_mark_pivots(struct formula *f, uint8_t *marks)
{
    struct finder s;
    finder_init(&s, f);
    for (uint32_t t = 0; t < f->o->n; t++)
        for (int role = 0; role < 2; role++)
            if (find_pivot(&s, (struct actor){t, role})) {
                mark(&s.in, marks);
                mark(&s.out, marks);
            }
    finder_free(&s);
}

static uint32_t
add_pivot(struct finder *s, struct actor p)
{
    const uint32_t pivot =
        formula_var(s->f, FACT_PIVOT, p.txn, p.is_boundary, 0);
    add_conflicts(s, &s->in, pivot, RULE_PIVOT_IN, p);
    add_conflicts(s, &s->out, pivot, RULE_PIVOT_OUT, p);
    return pivot;
}

void
formula_add_pivots(struct formula *f)
{
    struct finder s;
    u32_vec pivots = {0};
    finder_init(&s, f);
    for (uint32_t t = 0; t < f->o->n; t++)
        for (int role = 0; role < 2; role++) {
            const struct actor p = {t, role};
            if (find_pivot(&s, p))
                vec_push(&pivots, add_pivot(&s, p));
        }
    for (size_t i = 0; i < pivots.n; i++)
        formula_lit(f, pivots.at[i], true);
    formula_add(f, RULE_PIVOT, 0, 0, 0, 0);
    vec_free(&pivots);
    finder_free(&s);
}
