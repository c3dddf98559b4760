/* row_compare.c -- see row_compare.h.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/row/row_compare.h"

#include "spec/row/row_book.h"
#include "spec/row/row_dialect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_ROWS = 20000,
    MOST_NAMED = 100, // rows that are looked at by their identities
    IDENTITY = 0,     // columns of what is read of a table
    VALUES,
    WIDTH
};

/* A row that was changed; 'before' and 'after' are rows of the two states, or
 * NONE. */
struct change {
    uint32_t table;
    size_t before, after;
};

#define NONE SIZE_MAX

typedef VEC(struct change) change_vec;

static enum outcome
refuse(struct row_compare *c, const char *why, const char *name)
{
    if (!c->refusal[0])
        snprintf(c->refusal, sizeof c->refusal, "%.120s%.60s", why, name);
    return OUTCOME_FAILED;
}

/* --- looking ---------------------------------------------------------------*/

/* A row of an answer. */
struct place {
    const char *identity;
    size_t row;
};

static int
compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return strcmp(x->identity, y->identity);
}

/* Sort rows by their identities: cheaper here than in the database, whose
 * answers are short most of the time. */
static void
sort_rows(struct result_rows *rows)
{
    if (rows->n < 2)
        return;
    struct place *places = mem_alloc(rows->n, sizeof *places);
    for (size_t i = 0; i < rows->n; i++)
        places[i] = (struct place){result_rows_get(rows, i, IDENTITY), i};
    qsort(places, rows->n, sizeof *places, compare_places);
    struct result_cell *cells = mem_alloc(rows->cells.n, sizeof *cells);
    for (size_t i = 0; i < rows->n; i++)
        memcpy(&cells[i * rows->width],
               &rows->cells.at[places[i].row * rows->width],
               rows->width * sizeof *cells);
    memcpy(rows->cells.at, cells, rows->cells.n * sizeof *cells);
    mem_free(cells);
    mem_free(places);
}

/* Look at rows of a table: at all, or at those of which a condition is true. */
static enum outcome
look_at(struct row_compare *c, struct connection *by, const struct watched *w,
        uint32_t table, const char *alias, const char *condition,
        struct result_rows *out)
{
    struct buf sql = {0};
    const struct watched_table *t = &w->tables.at[table];
    buf_text(&sql, "select ");
    w->dialect->put_row(&sql, w, table, alias);
    buf_printf(&sql, " from %s as %s", t->name, alias);
    if (*condition)
        buf_printf(&sql, " where (%s)", condition);
    buf_printf(&sql, " limit %d", MOST_ROWS + 1);
    enum outcome outcome = by->driver->query(by, sql.at, out);
    buf_free(&sql);
    if (outcome == OUTCOME_OK && out->n && out->width != WIDTH)
        outcome = refuse(c,
                         "the database answered with other columns than "
                         "were requested",
                         "");
    if (outcome == OUTCOME_OK && out->n > MOST_ROWS)
        outcome = refuse(c, "too many rows to compare, in table ", t->name);
    if (outcome == OUTCOME_OK)
        sort_rows(out);
    return outcome;
}

static enum outcome
run(struct connection *by, struct buf *sql, struct result_rows *out)
{
    const enum outcome outcome = by->driver->query(by, sql->at, out);
    buf_clear(sql);
    return outcome;
}

/* The rows that an insert is about to add.  A row without a key gets one that
 * is new. */
static enum outcome
propose(struct row_compare *c, struct connection *by,
        const struct row_statement *s)
{
    const struct row_compare_sql *d = s->watched->dialect->compare;
    const struct watched_table *t = &s->watched->tables.at[s->proposed];
    struct buf sql = {0};
    d->put_temporary(&sql, t);
    enum outcome outcome = run(by, &sql, NULL);
    if (outcome == OUTCOME_OK) {
        buf_printf(&sql, "%s insert into %s %s", s->proposal_with, d->temporary,
                   s->proposal);
        outcome = run(by, &sql, NULL);
    }
    if (outcome == OUTCOME_OK) {
        buf_text(&sql, "select ");
        d->put_values(&sql, t, "assay_x");
        buf_printf(&sql, " from %s as assay_x", d->temporary);
        for (size_t i = 0; i < t->keys.n; i++) {
            buf_text(&sql, i ? " and " : " where ");
            watched_put_name(&sql, t->keys.at[i]);
            buf_text(&sql, " is not null");
        }
        outcome = run(by, &sql, &c->proposed);
    }
    buf_free(&sql);
    return outcome;
}

/* Whether only the rows that its condition holds for have to be looked at. */
static bool
is_narrow(const struct row_statement *s)
{
    return s->keeps_keys || s->only_deletes;
}

/* Look at all tables that a statement may change. */
static enum outcome
look(struct row_compare *c, struct connection *by,
     const struct row_statement *s, struct result_rows *out)
{
    const struct watched *w = s->watched;
    enum outcome outcome = OUTCOME_OK;
    for (uint32_t i = 0; outcome == OUTCOME_OK && i < w->tables.n; i++)
        if (!w->tables.at[i].refusal &&
            (s->changed == WATCHED_NONE || s->changed == i))
            outcome = look_at(c, by, w, i, "assay_x", "", &out[i]);
    return outcome;
}

/* Look again at the rows that an update has found. */
static enum outcome
look_again(struct row_compare *c, struct connection *by,
           const struct row_statement *s, struct result_rows *out)
{
    const struct result_rows *found = &c->before.at[s->table];
    struct buf among = {0};
    enum outcome outcome = OUTCOME_OK;
    buf_text(&among, "");
    if (found->n && found->n <= MOST_NAMED)
        s->watched->dialect->compare->put_among(
            &among, &s->watched->tables.at[s->table], "assay_x", found);
    if (found->n && !s->only_deletes)
        outcome = look_at(c, by, s->watched, s->table, "assay_x",
                          among.n ? among.at : "", out);
    buf_free(&among);
    return outcome;
}

enum outcome
row_compare_begin(struct row_compare *c, struct connection *by,
                  const struct row_statement *s)
{
    for (size_t i = 0; i < s->watched->tables.n; i++)
        vec_push(&c->before, (struct result_rows){0});
    enum outcome outcome = OUTCOME_OK;
    if (is_narrow(s))
        return look_at(c, by, s->watched, s->table, s->alias, s->condition,
                       &c->before.at[s->table]);
    outcome = look(c, by, s, c->before.at);
    if (outcome == OUTCOME_OK && s->table != WATCHED_NONE)
        outcome = look_at(c, by, s->watched, s->table, s->alias, s->condition,
                          &c->found);
    if (outcome == OUTCOME_OK && s->proposed != WATCHED_NONE)
        outcome = propose(c, by, s);
    return outcome;
}

/* --- comparing -------------------------------------------------------------*/

/* Whether rows are in the order of their identities, which all differ. */
static bool
is_sorted(const struct result_rows *rows)
{
    for (size_t i = 1; i < rows->n; i++)
        if (strcmp(result_rows_get(rows, i - 1, IDENTITY),
                   result_rows_get(rows, i, IDENTITY)) >= 0)
            return false;
    return true;
}

/* The row with that identity; rows->n if there is none. */
static size_t
find_row(const struct result_rows *rows, const char *identity)
{
    size_t low = 0, high = rows->n;
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        const int order =
            strcmp(result_rows_get(rows, mid, IDENTITY), identity);
        if (order == 0)
            return mid;
        if (order < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return rows->n;
}

/* The changes of the rows that an update or delete has found.  Only a delete
 * removes rows, and it removes all. */
static bool
compare_found(const struct row_compare *c, const struct row_statement *s,
              const struct result_rows *after, uint64_t written,
              change_vec *out)
{
    const struct result_rows *before = &c->before.at[s->table];
    bool ok = is_sorted(before) && is_sorted(after) &&
              (!s->only_deletes || written == before->n);
    for (size_t i = 0; ok && i < before->n; i++) {
        const size_t now =
            find_row(after, result_rows_get(before, i, IDENTITY));
        ok = s->only_deletes || now < after->n;
        vec_push(out,
                 ((struct change){s->table, i, s->only_deletes ? NONE : now}));
    }
    return ok;
}

/* The changes of one table. */
static bool
compare(const struct row_compare *c, const struct row_statement *s,
        uint32_t table, const struct result_rows *after, change_vec *out)
{
    const struct result_rows *before = &c->before.at[table];
    const bool has_condition = s->table == table;
    bool ok = is_sorted(before) && is_sorted(after) && is_sorted(&c->found);
    for (size_t i = 0; ok && i < before->n; i++) {
        const char *identity = result_rows_get(before, i, IDENTITY);
        const size_t now = find_row(after, identity);
        const bool is_there = now < after->n;
        const bool is_same =
            is_there && strcmp(result_rows_get(before, i, VALUES),
                               result_rows_get(after, now, VALUES)) == 0;
        const bool is_found =
            has_condition && find_row(&c->found, identity) < c->found.n;
        ok = is_same || !has_condition || is_found;
        if (!is_same || is_found)
            vec_push(out, ((struct change){table, i, is_there ? now : NONE}));
    }
    for (size_t i = 0; ok && i < after->n; i++)
        if (find_row(before, result_rows_get(after, i, IDENTITY)) == before->n)
            vec_push(out, ((struct change){table, NONE, i}));
    return ok;
}

/* --- telling ---------------------------------------------------------------*/

static void
put_version(struct buf *out, const char *name, const char *values)
{
    buf_printf(out, "\n%s\n%s", name, values);
}

/* Tell one change, and log the new version if it has to be. */
static enum outcome
tell(const struct row_compare *c, struct connection *by,
     const struct watched *w, const struct change *h,
     const struct result_rows *after, struct buf *log, struct buf *notices)
{
    const struct result_rows *before = &c->before.at[h->table];
    const bool had = h->before != NONE, has = h->after != NONE;
    struct buf name = {0};
    enum outcome outcome = OUTCOME_OK;
    buf_printf(notices, "%u\n%c", h->table, had && has ? 'U' : had ? 'D' : 'I');
    if (had) {
        const char *values = result_rows_get(before, h->before, VALUES);
        outcome = row_book_name(w, by, h->table,
                                result_rows_get(before, h->before, IDENTITY),
                                values, &name);
        put_version(notices, name.at, values);
    }
    if (has) {
        const char *identity = result_rows_get(after, h->after, IDENTITY);
        const char *values = result_rows_get(after, h->after, VALUES);
        bool is_repeated;
        const uint32_t number =
            row_book_add(w->book, h->table, identity, values, &is_repeated);
        if (is_repeated)
            w->dialect->compare->put_logged(log, h->table, identity, values,
                                            number);
        buf_clear(&name);
        buf_printf(&name, "%u", number);
        put_version(notices, name.at, values);
    }
    buf_char(notices, 0);
    buf_free(&name);
    return outcome;
}

static enum outcome
tell_all(const struct row_compare *c, struct connection *by,
         const struct watched *w, const change_vec *changes,
         const struct result_rows *after, struct buf *notices)
{
    struct buf log = {0};
    enum outcome outcome = OUTCOME_OK;
    for (size_t i = 0; outcome == OUTCOME_OK && i < changes->n; i++)
        outcome = tell(c, by, w, &changes->at[i], &after[changes->at[i].table],
                       &log, notices);
    if (outcome == OUTCOME_OK && log.n)
        outcome = by->driver->query(by, log.at, NULL);
    buf_free(&log);
    return outcome;
}

/* Find out what a statement that wrote so many rows has changed. */
static enum outcome
find_changes(struct row_compare *c, struct connection *by,
             const struct row_statement *s, uint64_t written,
             struct result_rows *after, change_vec *changes)
{
    const struct watched *w = s->watched;
    enum outcome outcome = is_narrow(s) ? look_again(c, by, s, &after[s->table])
                                        : look(c, by, s, after);
    for (uint32_t i = 0; outcome == OUTCOME_OK && i < w->tables.n; i++) {
        if (is_narrow(s) && i != s->table)
            continue;
        if (is_narrow(s) ? !compare_found(c, s, &after[i], written, changes)
                         : !compare(c, s, i, &after[i], changes))
            outcome = refuse(c, "it is not clear which rows changed, in table ",
                             w->tables.at[i].name);
    }
    return outcome;
}

enum outcome
row_compare_end(struct row_compare *c, struct connection *by,
                struct row_statement *s, struct buf *notices)
{
    const struct watched *w = s->watched;
    const uint64_t written = by->changed;
    VEC(struct result_rows) after = {0};
    change_vec changes = {0};
    for (size_t i = 0; i < w->tables.n; i++)
        vec_push(&after, (struct result_rows){0});
    enum outcome outcome = find_changes(c, by, s, written, after.at, &changes);
    if (outcome == OUTCOME_OK && written > changes.n) {
        if (s->table != WATCHED_NONE)
            outcome = refuse(c,
                             "more rows were written than its condition "
                             "holds for",
                             "");
        row_statement_leave_out(s, "which rows it wrote and left as they were");
    }
    if (outcome == OUTCOME_OK)
        outcome = tell_all(c, by, w, &changes, after.at, notices);
    for (size_t i = 0; outcome == OUTCOME_OK && i < c->proposed.n; i++) {
        buf_printf(notices, "%u\nP\n\n%s", s->proposed,
                   result_rows_get(&c->proposed, i, 0));
        buf_char(notices, 0);
    }
    for (size_t i = 0; i < after.n; i++)
        result_rows_free(&after.at[i]);
    vec_free(&after);
    vec_free(&changes);
    return outcome;
}

void
row_compare_free(struct row_compare *c)
{
    for (size_t i = 0; i < c->before.n; i++)
        result_rows_free(&c->before.at[i]);
    vec_free(&c->before);
    result_rows_free(&c->found);
    result_rows_free(&c->proposed);
}
