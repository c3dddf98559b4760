/* run_write.c -- UPDATE, DELETE and INSERT on concrete data.
 *
 * Rows are chosen and their new values evaluated before anything changes;
 * constraints are checked when all rows of the statement have changed.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/execute/runner.h"

#include "prove/program/access.h"

#include <string.h>

/* The rows that an UPDATE or DELETE changes, as they are now. */
struct chosen {
    VEC(const struct datum *) rows; // in the run's arena
};

static const struct datum *
keep(struct runner *r, const struct datum *row, uint32_t width)
{
    struct datum *copy = arena_alloc(&r->arena, width * sizeof *copy);
    memcpy(copy, row, width * sizeof *copy);
    return copy;
}

size_t
runner_find_again(const struct runner *r, uint32_t table,
                  const struct datum *row)
{
    assert(r->waited);
    return r->lost && dataset_find(r->lost, table, row) != SIZE_MAX
               ? SIZE_MAX
               : dataset_find(&r->fresh, table, row);
}

static void
choose(struct runner *r, const struct statement *s, struct chosen *out)
{
    for (size_t i = 0; !r->failed && i < r->mine.tables[s->table].n; i++) {
        const struct datum *row = dataset_row(&r->mine, s->table, i);
        r->bound[s->source] = row;
        if (!runner_holds(r, s->where))
            continue;
        runner_note_row(r, s, s->table, row, true);
        if (r->waited) {
            // Chosen as it was; it is tested again as it is.
            const size_t now = runner_find_again(r, s->table, row);
            if (now == SIZE_MAX)
                continue;
            row = dataset_row(&r->fresh, s->table, now);
            r->bound[s->source] = row;
            if (!runner_holds(r, s->where))
                continue;
        }
        vec_push(&out->rows, keep(r, row, r->mine.tables[s->table].width));
    }
}

/* The row with its columns set, and which ones those are. */
static const struct datum *
set_columns(struct runner *r, const struct statement *s,
            const struct datum *row, uint64_t *columns)
{
    const uint32_t width = r->mine.tables[s->table].width;
    struct datum *next = arena_alloc(&r->arena, width * sizeof *next);
    memcpy(next, row, width * sizeof *next);
    *columns = 0;
    r->bound[s->source] = row;
    for (uint32_t i = 0; i < s->n_sets; i++) {
        next[s->sets[i].column] = runner_evaluate(r, s->sets[i].value);
        *columns |= (uint64_t)1 << s->sets[i].column;
    }
    return next;
}

/* Evaluate RETURNING for one row; observe and take it. */
static void
return_row(struct runner *r, const struct statement *s, const struct datum *row)
{
    if (!s->n_returning || r->failed)
        return;
    struct datum *cells =
        arena_alloc(&r->arena, s->n_returning * sizeof *cells);
    r->bound[s->source] = row;
    for (uint32_t i = 0; i < s->n_returning; i++)
        cells[i] = runner_evaluate(r, s->returning[i].value);
    runner_observe(r, s, cells, s->n_returning);
    runner_take_row(r, s, cells);
}

/* After a wait the rest happens to the new state. */
static void
forget_wait(struct runner *r)
{
    if (!r->waited)
        return;
    const struct dataset old = r->mine;
    r->mine = r->fresh;
    r->fresh = old;
    r->waited = false;
}

static void
finish_write(struct runner *r, const struct statement *s,
             const struct datum *const *rows, size_t n)
{
    if (s->n_into && n > 1 && !r->failed)
        runner_abort(r); // PL/pgSQL allows one row
    if (s->strict && n != 1)
        runner_abort(r);
    if (s->n_into && !n)
        runner_take_row(r, s, NULL);
    for (size_t i = 0; i < n; i++)
        return_row(r, s, rows[i]);
    runner_set_found(r, n > 0);
}

/* PostgreSQL checks UNIQUE row by row.  Where a row takes the values of one
 * that changes in the same statement, it depends on the order of the rows
 * whether that fails; 'old' is NULL for a row that was not there. */
static void
check_meanwhile(struct runner *r, const struct statement *s,
                const struct chosen *new, const struct chosen *old)
{
    assert(new->rows.n == old->rows.n || r->failed);
    for (size_t i = 0; !r->failed && i < new->rows.n; i++)
        for (size_t j = 0; j < old->rows.n; j++)
            if (i != j && old->rows.at[j] &&
                runner_is_taken(r, s->table, new->rows.at[i], old->rows.at[j]))
                runner_give_up(r);
}

void
runner_update(struct runner *r, const struct statement *s)
{
    struct chosen chosen = {0}, old = {0};
    runner_begin(r, s);
    choose(r, s, &chosen);
    runner_note_condition(r, s, NULL, s->source, s->where);
    uint64_t columns = 0;
    for (size_t i = 0; i < chosen.rows.n; i++) {
        vec_push(&old.rows, chosen.rows.at[i]);
        chosen.rows.at[i] = set_columns(r, s, chosen.rows.at[i], &columns);
    }
    forget_wait(r);
    for (size_t i = 0; !r->failed && i < chosen.rows.n; i++) {
        const struct datum *row = chosen.rows.at[i];
        const size_t at = dataset_find(&r->mine, s->table, row);
        memcpy(dataset_row(&r->mine, s->table, at), row,
               r->mine.tables[s->table].width * sizeof *row);
        changes_add(&r->out->changes, r->program, s->table, CHANGE_UPDATE,
                    columns, s->line, row, old.rows.at[i]);
    }
    for (size_t i = 0; !r->failed && i < chosen.rows.n; i++)
        runner_check_values(r, s->table, chosen.rows.at[i], columns);
    for (size_t i = 0; !r->failed && i < chosen.rows.n; i++)
        runner_check_parents(r, s->table, chosen.rows.at[i], columns);
    check_meanwhile(r, s, &chosen, &old);
    finish_write(r, s, chosen.rows.at, chosen.rows.n);
    vec_free(&old.rows);
    vec_free(&chosen.rows);
}

void
runner_delete(struct runner *r, const struct statement *s)
{
    struct chosen chosen = {0};
    runner_begin(r, s);
    choose(r, s, &chosen);
    runner_note_condition(r, s, NULL, s->source, s->where);
    forget_wait(r);
    for (size_t i = 0; !r->failed && i < chosen.rows.n; i++) {
        const struct datum *row = chosen.rows.at[i];
        dataset_remove(&r->mine, s->table,
                       dataset_find(&r->mine, s->table, row));
        changes_add(&r->out->changes, r->program, s->table, CHANGE_DELETE, 0,
                    s->line, row, NULL);
    }
    for (size_t i = 0; !r->failed && i < chosen.rows.n; i++)
        runner_check_removed(r, s->table, chosen.rows.at[i]);
    finish_write(r, s, chosen.rows.at, chosen.rows.n);
    vec_free(&chosen.rows);
}

/* ON CONFLICT: the row that is there may be updated; the row that counts as
 * changed, or NULL. */
static const struct datum *
meet_row(struct runner *r, const struct statement *s, const struct datum *row,
         const struct datum *there)
{
    const uint32_t width = r->mine.tables[s->table].width;
    struct lock_held met = {s->table, LOCK_NONE, r->out->values.n};
    for (uint32_t i = 0; i < width; i++)
        vec_push(&r->out->values, row[i]);
    vec_push(&r->out->refused, met);
    if (s->on_conflict == CONFLICT_NOTHING)
        return NULL;
    met.mode = LOCK_UPDATE; // also where it is not updated
    vec_push(&r->out->locks, met);
    r->bound[s->source] = there;
    r->bound[s->excluded] = row;
    if (!runner_holds(r, s->where))
        return NULL;
    uint64_t columns;
    const struct datum *next = set_columns(r, s, there, &columns);
    memcpy(dataset_row(&r->mine, s->table,
                       dataset_find(&r->mine, s->table, there)),
           next, width * sizeof *next);
    changes_add(&r->out->changes, r->program, s->table, CHANGE_UPDATE, columns,
                s->line, next, there);
    return next;
}

/* Whether a row with this key is among those. */
static bool
is_among(const struct table *t, const struct datum *row,
         const struct chosen *those)
{
    for (size_t i = 0; i < those->rows.n; i++)
        if (dataset_same_key(t, row, those->rows.at[i]))
            return true;
    return false;
}

static void
insert_row(struct runner *r, const struct statement *s, const struct datum *row,
           struct chosen *done, struct chosen *old)
{
    const struct table *t = &r->program->tables.at[s->table];
    for (uint32_t i = 0; i < t->primary.n; i++)
        if (row[t->primary.at[i]].null)
            runner_abort(r);
    if (r->failed)
        return;
    // A row that is refused must keep these as well.
    if (s->on_conflict != CONFLICT_ABORTS &&
        !runner_keeps_checks(r, s->table, row)) {
        runner_abort(r);
        return;
    }
    const size_t at = dataset_find(&r->mine, s->table, row);
    const struct datum *there = NULL;
    runner_note_check(r, s->table, NULL, row, t->n_columns, NULL);
    if (at != SIZE_MAX) {
        there = keep(r, dataset_row(&r->mine, s->table, at), t->n_columns);
        // A row is not updated a second time by one statement.
        if (s->on_conflict == CONFLICT_ABORTS ||
            (s->on_conflict == CONFLICT_UPDATES && is_among(t, row, done)))
            runner_abort(r);
        else
            row = meet_row(r, s, row, there);
    } else {
        dataset_insert(&r->mine, s->table, row);
        changes_add(&r->out->changes, r->program, s->table, CHANGE_INSERT, 0,
                    s->line, row, NULL);
    }
    if (row && !r->failed) {
        vec_push(&done->rows, row);
        vec_push(&old->rows, there);
    }
}

/* The rows that an INSERT is to insert, evaluated before any is. */
static void
rows_to_insert(struct runner *r, const struct statement *s, struct chosen *out)
{
    const uint32_t width = r->mine.tables[s->table].width;
    struct result result = {.n = 1};
    if (s->query)
        runner_query(r, s->query, &result);
    for (size_t k = 0; k < result.n; k++)
        for (uint32_t i = 0; i < s->n_rows && !r->failed; i++) {
            struct datum *row = arena_alloc(&r->arena, width * sizeof *row);
            const struct expr **values = s->values + (size_t)i * width;
            for (uint32_t c = 0; c < width; c++) {
                // The columns that a query gives are its targets.
                uint32_t target = UINT32_MAX;
                for (uint32_t j = 0; s->query && j < s->query->n_targets; j++)
                    if (s->insert_targets[j] == c)
                        target = j;
                row[c] = target == UINT32_MAX
                             ? runner_evaluate(r, values[c])
                             : result.cells[k * result.width + target];
            }
            vec_push(&out->rows, row);
        }
}

/* Go on with an INSERT, which can have waited.  What ON CONFLICT reads in
 * queries would be older. */
static void
see_latest(struct runner *r, const struct statement *s)
{
    struct view view;
    if (r->failed || !r->views->later)
        return;
    if (!r->views->later(r->views->context, s, &view)) {
        r->out->end = RUN_STOPPED;
        r->failed = true;
        return;
    }
    dataset_copy(&r->mine, view.now);
    changes_apply(&r->out->changes, &r->mine);
}

void
runner_insert(struct runner *r, const struct statement *s)
{
    const struct table *t = &r->program->tables.at[s->table];
    struct chosen rows = {0}, done = {0}, old = {0};
    runner_begin(r, s);
    rows_to_insert(r, s, &rows);
    for (size_t i = 0; !r->failed && i < rows.rows.n; i++) {
        if (i || statement_has_query(s, t))
            see_latest(r, s);
        const size_t n = done.rows.n;
        insert_row(r, s, rows.rows.at[i], &done, &old);
        // In which order a query gives the rows is not known.
        if (!r->failed && done.rows.n > n && !s->query)
            runner_check_values(r, s->table, done.rows.at[n], UINT64_MAX);
    }
    for (size_t i = 0; !r->failed && s->query && i < done.rows.n; i++)
        runner_check_values(r, s->table, done.rows.at[i], UINT64_MAX);
    if (t->n_foreign && done.rows.n)
        see_latest(r, s);
    for (size_t i = 0; !r->failed && i < done.rows.n; i++)
        runner_check_parents(r, s->table, done.rows.at[i], UINT64_MAX);
    check_meanwhile(r, s, &done, &old);
    finish_write(r, s, done.rows.at, done.rows.n);
    vec_free(&rows.rows);
    vec_free(&done.rows);
    vec_free(&old.rows);
}
