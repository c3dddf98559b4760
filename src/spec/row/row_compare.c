/* row_compare.c -- see row_compare.h.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/row/row_compare.h"

#include "spec/row/row_dialect.h"

#include <stdio.h>
#include <string.h>

enum {
    MOST_ROWS = 20000,
    IDENTITY = 0, // columns of what is read of a table
    NAME,
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

static enum outcome
look_at(struct row_compare *c, struct connection *by, const struct watched *w,
        uint32_t table, struct result_rows *out)
{
    struct buf sql = {0};
    const struct watched_table *t = &w->tables.at[table];
    buf_text(&sql, "select ");
    w->dialect->compare->put_identity(&sql, t, "assay_x");
    buf_text(&sql, ", ");
    w->dialect->put_row(&sql, w, table, "assay_x");
    buf_printf(&sql, " from %s as assay_x order by 1 limit %d", t->name,
               MOST_ROWS + 1);
    enum outcome outcome = by->driver->query(by, sql.at, out);
    buf_free(&sql);
    if (outcome == OUTCOME_OK && out->n && out->width != WIDTH)
        outcome = refuse(c,
                         "the database answered with other columns than "
                         "were requested",
                         "");
    if (outcome == OUTCOME_OK && out->n > MOST_ROWS)
        outcome = refuse(c, "too many rows to compare, in table ", t->name);
    return outcome;
}

/* The rows that the condition of an update or delete holds for. */
static enum outcome
find(struct row_compare *c, struct connection *by,
     const struct row_statement *s)
{
    struct buf sql = {0};
    const struct watched_table *t = &s->watched->tables.at[s->table];
    buf_text(&sql, "select ");
    s->watched->dialect->compare->put_identity(&sql, t, s->alias);
    buf_printf(&sql, " from %s as %s", t->name, s->alias);
    if (*s->condition)
        buf_printf(&sql, " where (%s)", s->condition);
    buf_text(&sql, " order by 1");
    const enum outcome outcome = by->driver->query(by, sql.at, &c->found);
    buf_free(&sql);
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
        buf_printf(&sql, "insert into %s %s", d->temporary, s->proposal);
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

static enum outcome
look(struct row_compare *c, struct connection *by, const struct watched *w,
     struct result_rows *out)
{
    enum outcome outcome = OUTCOME_OK;
    for (uint32_t i = 0; outcome == OUTCOME_OK && i < w->tables.n; i++)
        if (!w->tables.at[i].refusal)
            outcome = look_at(c, by, w, i, &out[i]);
    return outcome;
}

enum outcome
row_compare_begin(struct row_compare *c, struct connection *by,
                  const struct row_statement *s)
{
    for (size_t i = 0; i < s->watched->tables.n; i++)
        vec_push(&c->before, (struct result_rows){0});
    enum outcome outcome = look(c, by, s->watched, c->before.at);
    if (outcome == OUTCOME_OK && s->table != WATCHED_NONE)
        outcome = find(c, by, s);
    if (outcome == OUTCOME_OK && s->proposed != WATCHED_NONE)
        outcome = propose(c, by, s);
    return outcome;
}

/* --- comparing -------------------------------------------------------------*/

/* Whether rows come in the order of their identities, which all differ. */
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

static void
tell(const struct row_compare *c, const struct change *h,
     const struct result_rows *after, const char *number, struct buf *notices)
{
    const struct result_rows *before = &c->before.at[h->table];
    const bool had = h->before != NONE, has = h->after != NONE;
    buf_printf(notices, "%u\n%c", h->table, had && has ? 'U' : had ? 'D' : 'I');
    if (had)
        put_version(notices, result_rows_get(before, h->before, NAME),
                    result_rows_get(before, h->before, VALUES));
    if (has)
        put_version(notices, number, result_rows_get(after, h->after, VALUES));
    buf_char(notices, 0);
}

/* Log the new versions, and tell all changes. */
static enum outcome
log_and_tell(const struct row_compare *c, struct connection *by,
             const struct row_compare_sql *d, const change_vec *changes,
             const struct result_rows *after, struct buf *notices)
{
    struct buf sql = {0}, ask = {0};
    struct result_rows numbers = {0};
    d->put_numbers(&ask, changes->n);
    enum outcome outcome = by->driver->query(by, ask.at, &numbers);
    for (size_t i = 0; outcome == OUTCOME_OK && i < changes->n; i++) {
        const struct change *h = &changes->at[i];
        const char *number = result_rows_get(&numbers, i, 0);
        if (h->after != NONE)
            d->put_logged(&sql, h->table,
                          result_rows_get(&after[h->table], h->after, IDENTITY),
                          result_rows_get(&after[h->table], h->after, VALUES),
                          number);
        tell(c, h, &after[h->table], number, notices);
    }
    if (outcome == OUTCOME_OK && sql.n)
        outcome = by->driver->query(by, sql.at, NULL);
    buf_free(&sql);
    buf_free(&ask);
    result_rows_free(&numbers);
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
    enum outcome outcome = look(c, by, w, after.at);
    for (uint32_t i = 0; outcome == OUTCOME_OK && i < w->tables.n; i++)
        if (!compare(c, s, i, &after.at[i], &changes))
            outcome = refuse(c, "it is not clear which rows changed, in table ",
                             w->tables.at[i].name);
    if (outcome == OUTCOME_OK && written > changes.n) {
        if (s->table != WATCHED_NONE)
            outcome = refuse(c,
                             "more rows were written than its condition "
                             "holds for",
                             "");
        row_statement_leave_out(s, "which rows it wrote and left as they were");
    }
    if (outcome == OUTCOME_OK && changes.n)
        outcome = log_and_tell(c, by, w->dialect->compare, &changes, after.at,
                               notices);
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
