/* interleaving.c -- see interleaving.h.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/execute/interleaving.h"

#include "prove/execute/conflict.h"

#include <string.h>

void
interleaving_init(struct interleaving *e, const struct program *p,
                  const struct dataset *initial, const struct instance *members,
                  uint32_t n)
{
    assert(n <= INTERLEAVING_MOST);
    memset(e, 0, sizeof *e);
    e->program = p;
    e->initial = initial;
    e->members = members;
    e->n = n;
    dataset_init(&e->final, p);
}

void
interleaving_free(struct interleaving *e)
{
    for (uint32_t i = 0; i < INTERLEAVING_MOST; i++)
        run_free(&e->runs[i]);
    dataset_free(&e->final);
}

static bool
sees(const struct interleaving *e, uint32_t reader, uint32_t writer)
{
    return e->visible[reader] >> writer & 1;
}

/* The number of a member's function, and its level. */
static uint32_t
number_of(const struct interleaving *e, uint32_t member)
{
    return program_number(e->program, e->members[member].function);
}

static enum level
level_of(const struct interleaving *e, const struct level_choice *levels,
         uint32_t member)
{
    return isolation_of(levels, number_of(e, member));
}

/* What a reader's level says of the members before one that it sees. */
static bool
reads_well(const struct interleaving *e, enum level level, uint32_t reader)
{
    const bool prefix = level_table[level].two_points;
    for (uint32_t b = 0; b < reader; b++) {
        if (level_is_serial(level) && !sees(e, reader, b))
            return false;
        for (uint32_t a = 0; sees(e, reader, b) && a < b; a++)
            if (level != LEVEL_RA && !sees(e, reader, a) &&
                (prefix || sees(e, b, a)))
                return false;
    }
    return true;
}

/* Whether b may miss a, which committed before it. */
static bool
may_miss(const struct interleaving *e, const struct level_choice *levels,
         uint32_t a, uint32_t b)
{
    const uint32_t f = number_of(e, a), g = number_of(e, b);
    return !isolation_is_paired(levels, f, g) &&
           (!isolation_minds(levels, f, g) ||
            !conflict_between(e->program, &e->runs[a], &e->runs[b]));
}

/* Whether the user's own level allows it. */
static bool
own_holds(const struct interleaving *e, const struct axioms *own)
{
    uint32_t conflict[INTERLEAVING_MOST] = {0}, ww[INTERLEAVING_MOST] = {0};
    for (uint32_t b = 0; b < e->n; b++)
        for (uint32_t a = 0; a < e->n; a++) {
            const struct run *x = &e->runs[a], *y = &e->runs[b];
            const uint32_t bit = a == b ? 0 : (uint32_t)1 << a;
            conflict[b] |= conflict_between(e->program, x, y) ? bit : 0;
            ww[b] |= conflict_same_column(e->program, x, y) ? bit : 0;
        }
    const struct axiom_world w = {e->n, e->visible, e->session, conflict, ww};
    return axioms_hold(own, &w);
}

/* A member that runs, with its statements recorded. */
struct interrupted;

struct traced {
    const struct interleaving *e;
    uint32_t member;
    const struct dataset *state;
    struct interrupted *interrupted; // NULL: all statements see 'state'
    // InnoDB: what statements see that are not plain reads; NULL: 'state'.
    const struct dataset *latest;
    struct dataset *mixed; // room for what plain ones see
};

/* The snapshot, but for rows that the member itself has changed: they are as
 * they are now. */
static const struct dataset *
see_own_rows(const struct traced *t)
{
    const struct run *run = &t->e->runs[t->member];
    dataset_copy(t->mixed, t->state);
    for (size_t i = 0; i < run->changes.all.n; i++) {
        const uint32_t table = run->changes.all.at[i].table;
        const struct datum *row = changes_row(&run->changes, i);
        const size_t old = dataset_find(t->mixed, table, row);
        const size_t new = dataset_find(t->latest, table, row);
        if (old != SIZE_MAX)
            dataset_remove(t->mixed, table, old);
        if (new != SIZE_MAX)
            dataset_insert(t->mixed, table, dataset_row(t->latest, table, new));
    }
    return t->mixed;
}

static bool next_view(struct interrupted *v, uint32_t number,
                      const struct statement *s, struct view *out);

static bool
next_traced(void *context, uint32_t number, const struct statement *s,
            struct view *out)
{
    const struct traced *t = context;
    if (t->interrupted)
        return next_view(t->interrupted, number, s, out);
    *out = (struct view){.now = t->state};
    if (t->latest)
        out->now = s && isolation_is_plain(s) ? see_own_rows(t) : t->latest;
    return true;
}

static void
trace(void *context, const struct statement *s, const struct datum *variables,
      const uint32_t *used)
{
    const struct traced *t = context;
    t->e->trace(t->e->trace_context, t->member, s, variables, used);
}

static void
run_member(struct interleaving *e, uint32_t member, const struct dataset *state,
           struct interrupted *interrupted)
{
    struct traced t = {e, member, state, interrupted, NULL, NULL};
    const struct views views = {
        .context = &t, .next = next_traced, .trace = e->trace ? trace : NULL};
    run_instance(e->program, &e->members[member], &views, &e->runs[member]);
}

/* Run the members as far as they see each other; whether all commit. */
static bool
run_all(struct interleaving *e)
{
    for (uint32_t i = 0; i < e->n; i++) {
        struct dataset *view = &e->final; // rebuilt for each member
        dataset_copy(view, e->initial);
        for (uint32_t j = 0; j < i; j++)
            if (sees(e, i, j))
                changes_apply(&e->runs[j].changes, view);
        run_member(e, i, view, NULL);
        if (e->runs[i].end != RUN_COMMITS)
            return false;
    }
    dataset_copy(&e->final, e->initial);
    for (uint32_t i = 0; i < e->n; i++)
        changes_apply(&e->runs[i].changes, &e->final);
    return true;
}

static bool
run_visible(struct interleaving *e, const struct level_choice *levels)
{
    for (uint32_t i = 0; !levels->own && i < e->n; i++)
        if (!reads_well(e, level_of(e, levels, i), i))
            return false;
    if (!run_all(e))
        return false;
    if (levels->own && !own_holds(e, levels->own))
        return false;
    for (uint32_t b = 0; b < e->n; b++)
        for (uint32_t a = 0; a < b; a++)
            if (!sees(e, b, a) && !may_miss(e, levels, a, b))
                return false;
    return true;
}

/* Whether a read something that b writes; where it asked for rows without
 * naming a key, that is any row of the table. */
static bool
reads_what_is_written(const struct interleaving *e, uint32_t a, uint32_t b)
{
    const struct run *x = &e->runs[a], *y = &e->runs[b];
    for (size_t i = 0; i < x->readings.n; i++)
        for (size_t j = 0; j < y->changes.all.n; j++) {
            const struct run_read *r = &x->readings.at[i];
            if (r->table == y->changes.all.at[j].table &&
                (r->whole || dataset_same_key(&e->program->tables.at[r->table],
                                              x->values.at + r->row,
                                              changes_row(&y->changes, j))))
                return true;
        }
    return false;
}

/* Whether a serializable last member is refused: it depends on what another
 * serializable one overwrites, and overwrites what such a one has read. */
static bool
is_pivot(const struct interleaving *e, const struct level_choice *levels)
{
    const uint32_t p = e->n - 1;
    bool in = false, out = false;
    if (!level_is_serial(level_of(e, levels, p)))
        return false;
    for (uint32_t i = 0; i < p; i++) {
        if (!level_is_serial(level_of(e, levels, i)))
            continue;
        out = out || reads_what_is_written(e, p, i);
        in = in || reads_what_is_written(e, i, p);
    }
    return in && out;
}

/* Whether an UPDATE of the member changes nothing in the latest rows: then
 * InnoDB does not count it as one, and what is seen later differs. */
static bool
changes_nothing(const struct run *run, const struct dataset *latest)
{
    for (size_t i = 0; i < run->changes.all.n; i++) {
        const struct change *c = &run->changes.all.at[i];
        const struct datum *row = changes_row(&run->changes, i);
        const size_t at = dataset_find(latest, c->table, row);
        if (c->kind != CHANGE_UPDATE || at == SIZE_MAX)
            continue;
        const struct datum *old = dataset_row(latest, c->table, at);
        bool same = true;
        for (uint32_t k = 0; k < latest->tables[c->table].width; k++)
            same =
                same && (!(c->columns >> k & 1) || datum_equal(old[k], row[k]));
        if (same)
            return true;
    }
    return false;
}

/* At InnoDB's REPEATABLE READ, the last member writes the latest rows. */
static bool
run_innodb(struct interleaving *e)
{
    const uint32_t p = e->n - 1;
    struct dataset latest, mixed;
    bool ok = true;
    dataset_init(&latest, e->program);
    dataset_init(&mixed, e->program);
    dataset_copy(&latest, e->initial);
    for (uint32_t i = 0; ok && i < p; i++) {
        run_member(e, i, &latest, NULL);
        changes_apply(&e->runs[i].changes, &latest);
        ok = e->runs[i].end == RUN_COMMITS;
    }
    if (ok) {
        struct traced t = {e, p, e->initial, NULL, &latest, &mixed};
        const struct views views = {.context = &t,
                                    .next = next_traced,
                                    .trace = e->trace ? trace : NULL};
        run_instance(e->program, &e->members[p], &views, &e->runs[p]);
        ok = e->runs[p].end == RUN_COMMITS &&
             !changes_nothing(&e->runs[p], &latest);
        dataset_copy(&e->final, &latest);
        changes_apply(&e->runs[p].changes, &e->final);
    }
    dataset_free(&mixed);
    dataset_free(&latest);
    return ok;
}

static bool
run_delayed(struct interleaving *e, const struct level_choice *levels)
{
    const uint32_t p = e->n - 1;
    for (uint32_t i = 0; i < e->n; i++)
        e->visible[i] = i < p ? ((uint32_t)1 << i) - 1 : 0;
    if (!(levels->innodb ? run_innodb(e) : run_all(e)))
        return false;
    for (uint32_t i = 0; i < p; i++) {
        if (isolation_is_paired(levels, number_of(e, i), number_of(e, p)))
            return false;
        if (level_of(e, levels, p) != LEVEL_PC &&
            conflict_between(e->program, &e->runs[i], &e->runs[p]))
            return false;
    }
    return !is_pivot(e, levels);
}

/* The views of an interrupted member: the initial state before the split, and
 * then 'after', or both 'before' and 'after' for a statement that waits. */
struct interrupted {
    const struct dataset *initial, *after, *before; // before NULL: no waiting
    uint32_t split, stop;                           // stop: run no further
    bool waited; // the statement at the split is one that can wait
};

static bool
next_view(struct interrupted *v, uint32_t number, const struct statement *s,
          struct view *out)
{
    if (number >= v->stop)
        return false;
    *out = (struct view){.now = number < v->split ? v->initial : v->after};
    if (v->before && number == v->split && s && isolation_can_wait(s)) {
        out->before = v->before;
        v->waited = true;
    }
    return true;
}

static bool
next_interrupted(void *context, uint32_t number, const struct statement *s,
                 struct view *out)
{
    return next_view(context, number, s, out);
}

/* Whether the statement at the split has to wait for the last of the others:
 * in the state before that one it changes or locks something that conflicts.
 * The statements before the split do not.  Rows that were replaced meanwhile
 * PostgreSQL does not find again; such executions are left out. */
static bool
has_to_wait(const struct interleaving *e, const struct dataset *before)
{
    struct run run = {0};
    struct interrupted v = {e->initial, before,       NULL,
                            e->split,   e->split + 1, false};
    const struct views views = {.context = &v, .next = next_interrupted};
    run_instance(e->program, &e->members[0], &views, &run);
    // Where it would abort with the new values, it has found the row first.
    const bool waits = run.end != RUN_UNCERTAIN &&
                       !changes_replace(&e->runs[e->n - 1].changes) &&
                       conflict_blocks(e->program, &run, &e->runs[e->n - 1]);
    run_free(&run);
    return waits;
}

static bool
run_interrupted(struct interleaving *e, const struct level_choice *levels)
{
    struct dataset after, before;
    struct run prefix = {0};
    dataset_init(&after, e->program);
    dataset_init(&before, e->program);
    dataset_copy(&after, e->initial);
    bool ok = true;
    for (uint32_t i = 1; i < e->n; i++)
        ok = ok &&
             !isolation_is_paired(levels, number_of(e, 0), number_of(e, i));
    for (uint32_t i = 1; ok && i < e->n; i++) {
        dataset_copy(&before, &after);
        run_member(e, i, &after, NULL);
        changes_apply(&e->runs[i].changes, &after);
        ok = e->runs[i].end == RUN_COMMITS;
    }
    struct interrupted v = {e->initial, &after,   e->waits ? &before : NULL,
                            e->split,   e->split, false};
    const struct views views = {.context = &v, .next = next_interrupted};
    if (ok) {
        run_instance(e->program, &e->members[0], &views, &prefix);
        ok = prefix.end == RUN_STOPPED;
    }
    for (uint32_t i = 1; ok && i < e->n; i++)
        ok = !conflict_blocks(e->program, &prefix, &e->runs[i]);
    if (ok) {
        v.stop = UINT32_MAX;
        run_member(e, 0, NULL, &v);
        ok = e->runs[0].end == RUN_COMMITS && v.waited == e->waits;
    }
    if (ok && e->waits)
        ok = e->n > 1 && has_to_wait(e, &before);
    dataset_copy(&e->final, &after);
    changes_apply(&e->runs[0].changes, &e->final);
    run_free(&prefix);
    dataset_free(&before);
    dataset_free(&after);
    return ok;
}

bool
interleaving_run(struct interleaving *e, const struct level_choice *levels)
{
    assert(e->n >= 1);
    return e->shape == SHAPE_INTERRUPTED ? run_interrupted(e, levels)
           : e->shape == SHAPE_DELAYED   ? run_delayed(e, levels)
                                         : run_visible(e, levels);
}
