/* item_step.c -- see item_step.h.
 *
 * SPDX-License-Identifier: MIT */
#include "collect/items/item_step.h"

#include "collect/items/item_draw.h"
#include "collect/items/item_left_out.h"
#include "driver/sql/sql.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define TABLE ITEM_TABLE
#define COLUMNS "assay_key, g, v"
#define OLD_COLUMNS "assay_key, prev_g, prev_v"

/* A step while it runs. */
struct item_run {
    struct connection *c;
    const struct workload_step *step;
    bool is_autocommit;
    struct item_state *s;
    struct jsonl_record *record;
};

/* A version of a row. */
struct item {
    uint64_t key;
    int64_t group, version;
};

void
item_state_free(struct item_state *s)
{
    result_rows_free(&s->rows);
    buf_free(&s->sql);
    buf_free(&s->where);
    vec_free(&s->deleted);
    *s = (struct item_state){0};
}

/* --- recording -------------------------------------------------------------*/

enum { CELLS = 3 };

static void
record(const struct item_run *r, const struct item *item,
       void (*how)(struct jsonl_record *, const struct jsonl_row *))
{
    if (how == jsonl_record_row_delete)
        vec_push(&r->s->deleted, item->key);
    const struct jsonl_cell cells[CELLS] = {
        {"k", (int64_t)item->key}, {"g", item->group}, {"v", item->version}};
    how(r->record, &(struct jsonl_row){TABLE, item->key, cells, CELLS});
}

/* Record that there is no such row. */
static void
record_absent(const struct item_run *r)
{
    const struct jsonl_row none = {.table = TABLE, .key = r->step->key};
    jsonl_record_row_read(r->record, &none);
}

/* The version that the step writes. */
static struct item
new_item(const struct item_run *r, uint64_t key)
{
    return (struct item){key, (int64_t)r->step->group, r->step->value};
}

/* The condition of the step, as it is recorded. */
static const char *
show_where(const struct item_run *r)
{
    struct buf *out = &r->s->where;
    const uint64_t key = r->step->key, first = key - key % ITEM_BLOCK;
    buf_clear(out);
    switch (r->step->where) {
    case ITEMS_OF_GROUP:
        buf_printf(out, "g = %" PRIu64, key);
        break;
    case ITEMS_OF_BLOCK:
        buf_printf(out, "k BETWEEN %" PRIu64 " AND %" PRIu64, first,
                   first + ITEM_BLOCK - 1);
        break;
    case ITEMS_ALL:
        buf_text(out, "TRUE");
        break;
    }
    return out->at;
}

/* --- answers ---------------------------------------------------------------*/

static enum outcome
misunderstood(const struct item_run *r, const char *expected)
{
    char message[128];
    snprintf(message, sizeof message,
             "found %zu rows of %zu columns, expected %s", r->s->rows.n,
             r->s->rows.width, expected);
    return outcome_set(r->c, OUTCOME_FAILED, "answer", message);
}

static bool
take_integer(const struct result_rows *rows, size_t row, size_t column,
             int64_t *out)
{
    const char *text = result_rows_get(rows, row, column);
    char *end;
    errno = 0;
    *out = strtoll(text, &end, 10);
    return end != text && !*end && errno == 0;
}

/* A row of the answer; false if it is something else. */
static bool
take_item(const struct item_run *r, size_t row, struct item *out)
{
    const struct result_rows *rows = &r->s->rows;
    int64_t key;
    if (rows->width < CELLS || !take_integer(rows, row, 0, &key) || key < 0 ||
        !take_integer(rows, row, 1, &out->group) ||
        !take_integer(rows, row, 2, &out->version))
        return false;
    out->key = (uint64_t)key;
    return true;
}

/* Whether a row satisfies the condition of the step. */
static bool
is_asked_for(const struct item_run *r, const struct item *item)
{
    const uint64_t key = r->step->key;
    return r->step->where == ITEMS_OF_GROUP ? item->group == (int64_t)key
           : r->step->where == ITEMS_OF_BLOCK
               ? item->key / ITEM_BLOCK == key / ITEM_BLOCK
               : true;
}

/* Record a query that returned the rows of the answer.  One that locks rows may
 * have waited for some, so it missed others in another state. */
static enum outcome
record_query(const struct item_run *r, bool locks)
{
    const size_t n = r->s->rows.n;
    struct item item;
    for (size_t i = 0; i < n; i++)
        if (!take_item(r, i, &item) || !is_asked_for(r, &item))
            return misunderstood(r, "rows that satisfy the condition");
    jsonl_record_query(r->record, TABLE, show_where(r), locks);
    for (size_t i = 0; i < n; i++) {
        take_item(r, i, &item);
        const struct jsonl_cell cells[CELLS] = {
            {"k", (int64_t)item.key}, {"g", item.group}, {"v", item.version}};
        jsonl_record_query_row(
            r->record, &(struct jsonl_row){TABLE, item.key, cells, CELLS});
    }
    jsonl_record_query_end(r->record);
    r->s->found = n;
    return OUTCOME_OK;
}

/* The only row of an answer about one key.  *found: there is one.  Firebird
 * returns a row of nulls if there is none. */
static enum outcome
take_one(const struct item_run *r, struct item *out, bool *found)
{
    const struct result_rows *rows = &r->s->rows;
    *found = rows->n && !result_rows_is_null(rows, 0, 0);
    return !*found || (rows->n == 1 && take_item(r, 0, out) &&
                       out->key == r->step->key)
               ? OUTCOME_OK
               : misunderstood(r, "one row, or none, of the key");
}

/* --- statements ------------------------------------------------------------*/

static struct buf *
begin_sql(const struct item_run *r, const char *text)
{
    buf_clear(&r->s->sql);
    buf_text(&r->s->sql, text);
    return &r->s->sql;
}

static enum outcome
run_sql(const struct item_run *r)
{
    r->c->changed = 0;
    return r->c->driver->query(r->c, r->s->sql.at, &r->s->rows);
}

static void
add_row_condition(const struct item_run *r)
{
    char row[SQL_CONDITION];
    buf_printf(&r->s->sql, " where %s", sql_find_row(r->c, r->step->key, row));
}

/* The condition of the step.  A scan is forced by an expression that no index
 * serves. */
static void
add_condition(const struct item_run *r)
{
    struct buf *sql = &r->s->sql;
    const char *plus = r->c->access == ACCESS_SCAN ? " + 0" : "";
    const uint64_t key = r->step->key, first = key - key % ITEM_BLOCK;
    if (r->step->where == ITEMS_OF_GROUP)
        buf_printf(sql, " where g%s = %" PRIu64, plus, key);
    else if (r->step->where == ITEMS_OF_BLOCK)
        buf_printf(sql, " where assay_key%s between %" PRIu64 " and %" PRIu64,
                   plus, first, first + ITEM_BLOCK - 1);
}

static void
add_lock(const struct item_run *r)
{
    const struct dialect *dialect = r->c->driver->sql;
    const char *clause = r->step->lock == ITEM_FOR_UPDATE  ? dialect->for_update
                         : r->step->lock == ITEM_FOR_SHARE ? dialect->for_share
                                                           : NULL;
    if (clause)
        buf_text(&r->s->sql, clause);
}

static enum outcome
run_read(const struct item_run *r)
{
    struct item item;
    bool found;
    begin_sql(r, "select " COLUMNS " from assay_item");
    add_row_condition(r);
    add_lock(r);
    enum outcome outcome = run_sql(r);
    if (outcome == OUTCOME_OK)
        outcome = take_one(r, &item, &found);
    if (outcome != OUTCOME_OK)
        return outcome;
    if (found)
        record(r, &item, jsonl_record_row_read);
    else
        record_absent(r);
    return OUTCOME_OK;
}

static enum outcome
run_query(const struct item_run *r)
{
    begin_sql(r, "select " COLUMNS " from assay_item");
    add_condition(r);
    add_lock(r);
    const enum outcome outcome = run_sql(r);
    return outcome != OUTCOME_OK
               ? outcome
               : record_query(r, r->step->lock != ITEM_NO_LOCK);
}

/* "insert into assay_item (...) values (...)" */
static void
begin_insert(const struct item_run *r)
{
    const char *index = r->c->database->index;
    struct buf *sql = begin_sql(r, "insert into assay_item (" COLUMNS);
    const uint64_t key = r->step->key;
    buf_printf(sql, "%s) values (%" PRIu64 ", %" PRIu64 ", %" PRId64,
               index ? ", assay_alt" : "", key, r->step->group, r->step->value);
    if (sql_index_is_gin(index))
        buf_printf(sql, ", array[%" PRIu64 "]::bigint[]", key);
    else if (index)
        buf_printf(sql, ", %" PRIu64, key);
    buf_char(sql, ')');
}

/* A write that failed is recorded too: it may have had an effect. */
static enum outcome
run_insert(const struct item_run *r)
{
    const struct item item = new_item(r, r->step->key);
    begin_insert(r);
    const enum outcome outcome = run_sql(r);
    if (outcome == OUTCOME_OK)
        record_absent(r);
    record(r, &item, jsonl_record_row_insert);
    return outcome;
}

/* The assignments of an update; 'table' qualifies the old values. */
static void
add_assignments(const struct item_run *r, const char *table)
{
    buf_printf(&r->s->sql,
               " prev_g = %sg, prev_v = %sv, g = %" PRIu64 ", v = %" PRId64,
               table, table, r->step->group, r->step->value);
}

static bool
returns_updates(const struct item_run *r)
{
    return r->c->driver->sql->returning & RETURNING_UPDATES;
}

/* Run an update or upsert of one row, and read back what it replaced. *found:
 * there is such a row afterwards; *is_known: 'old' says what it replaced.  A
 * statement that is a transaction by itself cannot be followed by another. */
static enum outcome
replace_one(const struct item_run *r, bool *found, bool *is_known)
{
    if (returns_updates(r))
        buf_text(&r->s->sql, " returning " OLD_COLUMNS);
    enum outcome outcome = run_sql(r);
    const uint64_t changed = r->c->changed;
    *found = returns_updates(r) ? r->s->rows.n > 0 : changed > 0;
    *is_known = *found && (returns_updates(r) || !r->is_autocommit);
    if (outcome == OUTCOME_OK && *is_known && !returns_updates(r)) {
        begin_sql(r, "select " OLD_COLUMNS " from assay_item");
        buf_printf(&r->s->sql, " where assay_key = %" PRIu64, r->step->key);
        outcome = run_sql(r);
        if (outcome == OUTCOME_OK && r->s->rows.n != 1)
            outcome = misunderstood(r, "the row that was just written");
    }
    return outcome;
}

/* Record what an update or upsert of one row replaced and wrote. */
static enum outcome
record_replacement(const struct item_run *r, bool is_known)
{
    const struct item item = new_item(r, r->step->key);
    const bool was_absent = is_known && result_rows_is_null(&r->s->rows, 0, 2);
    struct item old;
    bool found;
    if (is_known && !was_absent) {
        const enum outcome outcome = take_one(r, &old, &found);
        if (outcome != OUTCOME_OK)
            return outcome;
        record(r, &old, jsonl_record_row_read);
    } else if (was_absent) {
        record_absent(r);
    }
    record(r, &item,
           was_absent ? jsonl_record_row_insert : jsonl_record_row_update);
    return OUTCOME_OK;
}

static enum outcome
run_update(const struct item_run *r, bool *found)
{
    const struct item item = new_item(r, r->step->key);
    bool is_known;
    begin_sql(r, "update assay_item set");
    add_assignments(r, "");
    add_row_condition(r);
    const enum outcome outcome = replace_one(r, found, &is_known);
    if (outcome != OUTCOME_OK)
        record(r, &item, jsonl_record_row_update);
    else if (*found)
        return record_replacement(r, is_known);
    else
        record_absent(r);
    return outcome;
}

static enum outcome
run_upsert(const struct item_run *r)
{
    const struct item item = new_item(r, r->step->key);
    const char *upsert = r->c->driver->sql->upsert;
    bool found, is_known;
    if (!upsert) {
        const enum outcome outcome = run_update(r, &found);
        return outcome == OUTCOME_OK && !found ? run_insert(r) : outcome;
    }
    begin_insert(r);
    buf_printf(&r->s->sql, " %s", upsert);
    add_assignments(r, "assay_item.");
    const enum outcome outcome = replace_one(r, &found, &is_known);
    if (outcome == OUTCOME_OK)
        return record_replacement(r, is_known);
    record(r, &item, jsonl_record_row_update);
    return outcome;
}

/* Update all rows that satisfy the condition.  Without 'returning' they are
 * found by the version that they have now. */
static enum outcome
run_update_where(const struct item_run *r)
{
    struct item item;
    begin_sql(r, "update assay_item set");
    add_assignments(r, "");
    add_condition(r);
    if (returns_updates(r))
        buf_text(&r->s->sql, " returning " OLD_COLUMNS);
    enum outcome outcome = run_sql(r);
    if (outcome == OUTCOME_OK && !returns_updates(r)) {
        const uint64_t changed = r->c->changed;
        begin_sql(r, "select " OLD_COLUMNS " from assay_item");
        buf_printf(&r->s->sql, " where g = %" PRIu64 " and v = %" PRId64,
                   r->step->group, r->step->value);
        outcome = run_sql(r);
        if (outcome == OUTCOME_OK && r->s->rows.n != changed)
            outcome = misunderstood(r, "the rows that were just written");
    }
    if (outcome == OUTCOME_OK)
        outcome = record_query(r, true);
    for (size_t i = 0; outcome == OUTCOME_OK && i < r->s->rows.n; i++) {
        take_item(r, i, &item);
        item = new_item(r, item.key);
        record(r, &item, jsonl_record_row_update);
    }
    return outcome;
}

/* Delete the row of a key where a delete does not return it.  An update that
 * changes no value finds and locks it, and says what it was. */
static enum outcome
run_delete_blind(const struct item_run *r)
{
    struct item item = {.key = r->step->key};
    bool found = false, is_known;
    begin_sql(r, "update assay_item set prev_g = g, prev_v = v");
    add_row_condition(r);
    enum outcome outcome = replace_one(r, &found, &is_known);
    if (outcome == OUTCOME_OK && found)
        outcome = take_one(r, &item, &found);
    if (outcome == OUTCOME_OK && !found) {
        record_absent(r);
        return outcome;
    }
    if (outcome != OUTCOME_OK)
        return outcome; // nothing was deleted
    record(r, &item, jsonl_record_row_read);
    begin_sql(r, "delete from assay_item");
    add_row_condition(r);
    outcome = run_sql(r);
    if (outcome == OUTCOME_OK && r->c->changed != 1)
        return misunderstood(r, "one row deleted");
    record(r, &item, jsonl_record_row_delete);
    return outcome;
}

/* Delete the row of a key. */
static enum outcome
run_delete(const struct item_run *r)
{
    struct item item = {.key = r->step->key};
    bool found = false;
    if (!(r->c->driver->sql->returning &
          (RETURNING_DELETES | RETURNING_ONE_DELETE)))
        return run_delete_blind(r);
    begin_sql(r, "delete from assay_item");
    add_row_condition(r);
    buf_text(&r->s->sql, " returning " COLUMNS);
    enum outcome outcome = run_sql(r);
    if (outcome == OUTCOME_OK)
        outcome = take_one(r, &item, &found);
    else
        record(r, &item, jsonl_record_row_delete);
    if (outcome != OUTCOME_OK)
        return outcome;
    if (found) {
        record(r, &item, jsonl_record_row_read);
        record(r, &item, jsonl_record_row_delete);
    } else {
        record_absent(r);
    }
    return OUTCOME_OK;
}

/* Search the rows that satisfy the condition, and delete them one by one. */
static enum outcome
run_delete_found(const struct item_run *r)
{
    VEC(uint64_t) keys = {0};
    struct item item;
    enum outcome outcome = run_query(r);
    for (size_t i = 0; outcome == OUTCOME_OK && i < r->s->rows.n; i++) {
        take_item(r, i, &item);
        vec_push(&keys, item.key);
    }
    for (size_t i = 0; outcome == OUTCOME_OK && i < keys.n; i++) {
        const struct workload_step one = {.kind = STEP_ITEM_DELETE,
                                          .key = keys.at[i]};
        struct item_run each = *r;
        each.step = &one;
        outcome = run_delete(&each);
    }
    vec_free(&keys);
    return outcome;
}

/* Delete all rows that satisfy the condition. */
static enum outcome
run_delete_where(const struct item_run *r)
{
    struct item item;
    if (!(r->c->driver->sql->returning & RETURNING_DELETES))
        return run_delete_found(r);
    begin_sql(r, "delete from assay_item");
    add_condition(r);
    buf_text(&r->s->sql, " returning " COLUMNS);
    enum outcome outcome = run_sql(r);
    if (outcome == OUTCOME_OK)
        outcome = record_query(r, true);
    for (size_t i = 0; outcome == OUTCOME_OK && i < r->s->rows.n; i++) {
        take_item(r, i, &item);
        record(r, &item, jsonl_record_row_delete);
    }
    return outcome;
}

/* --- steps -----------------------------------------------------------------*/

/* Set a savepoint, or roll back to it, which undoes what was recorded since. */
static enum outcome
run_savepoint(const struct item_run *r)
{
    if (!r->c->driver->sql->has_savepoints)
        return OUTCOME_OK;
    if (r->step->kind == STEP_SAVEPOINT) {
        r->s->savepoint = jsonl_record_mark(r->record);
        return r->c->driver->query(r->c, "savepoint a", NULL);
    }
    const enum outcome outcome =
        r->c->driver->query(r->c, "rollback to savepoint a", NULL);
    if (outcome == OUTCOME_OK)
        jsonl_record_rewind(r->record, r->s->savepoint);
    return outcome;
}

enum outcome
item_step_run(struct connection *c, const struct workload_step *step,
              bool is_autocommit, struct item_state *s,
              struct jsonl_record *record_of)
{
    const struct item_run r = {c, step, is_autocommit, s, record_of};
    bool found;
    if (item_is_left_out(c, step, s))
        return OUTCOME_OK;
    switch (step->kind) {
    case STEP_ITEM_READ:
        return run_read(&r);
    case STEP_ITEM_QUERY:
        return run_query(&r);
    case STEP_ITEM_INSERT:
        return run_insert(&r);
    case STEP_ITEM_UPSERT:
        return run_upsert(&r);
    case STEP_ITEM_UPDATE:
        return run_update(&r, &found);
    case STEP_ITEM_DELETE:
        return run_delete(&r);
    case STEP_ITEM_UPDATE_WHERE:
        return run_update_where(&r);
    case STEP_ITEM_DELETE_WHERE:
        return run_delete_where(&r);
    case STEP_SAVEPOINT:
    case STEP_ROLLBACK_TO:
        return run_savepoint(&r);
    default:
        break;
    }
    assert(!"a step on rows");
    return OUTCOME_FAILED;
}
