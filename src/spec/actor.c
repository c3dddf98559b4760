/* actor.c -- see actor.h.
 *
 * What a statement reads is what the database returns: a select is run with
 * all columns of its table instead of those asked for, so that each value can
 * be given its key.  What it writes is in the statement where conditions name
 * primary keys and values are literals; only where they do not is the database
 * asked, before an update for the keys, and after it for the values, in the
 * same transaction.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/actor.h"

#include "base/limit.h"
#include "driver/sql.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

// Seconds: for what must end since nobody is in its way; between two looks at
// a session that is busy, as long as MariaDB keeps an old answer.
#define LONG_WAIT 120
#define LOOK_AGAIN 0.12

/* --- noting ----------------------------------------------------------------*/

static void
open_txn(struct actor *a)
{
    vec_push(&a->txns, ((struct played_txn){.began = time_now()}));
    a->is_open = true;
    a->is_gone = false;
}

static void
close_txn(struct actor *a, enum txn_status status)
{
    if (!a->is_open)
        return;
    vec_top(&a->txns).status = status;
    vec_top(&a->txns).ended = time_now();
    a->is_open = false;
}

static void
note(struct actor *a, bool is_write, const struct table *table, const char *row,
     const char *column, const char *value)
{
    struct buf key = {0};
    buf_printf(&key, "%s:%s:%s", table->name, row, column);
    const struct played_op op = {
        is_write, arena_copy(&a->arena, key.at, key.n),
        value ? arena_copy(&a->arena, value, strlen(value)) : NULL};
    buf_free(&key);
    vec_push(&vec_top(&a->txns).ops, op);
}

/* Note rows of a table, whose columns are the key and then those given. */
static void
note_rows(struct actor *a, bool is_write, const struct table *table,
          const text_vec *columns, const struct rows *rows)
{
    for (size_t i = 0; i < rows->n; i++)
        for (size_t k = 1; k < rows->width; k++)
            note(a, is_write, table, rows_get(rows, i, 0), columns->at[k - 1],
                 rows->cells.at[i * rows->width + k].is_null
                     ? NULL
                     : rows_get(rows, i, k));
}

/* --- asking ----------------------------------------------------------------*/

static enum outcome
query(struct actor *a, const char *sql, struct rows *rows)
{
    return a->connection->driver->query(a->connection, sql, rows);
}

/* "select key, columns from table " and what follows. */
static void
begin_select(struct buf *sql, const struct table *table,
             const text_vec *columns)
{
    buf_printf(sql, "select %s", table->columns.at[table->key]);
    for (size_t i = 0; i < columns->n; i++)
        buf_printf(sql, ", %s", columns->at[i]);
    buf_printf(sql, " from %s ", table->name);
}

static enum outcome
run_select(struct actor *a, const struct statement *s)
{
    text_vec columns = {0};
    struct buf sql = {0};
    struct rows rows = {0};
    for (size_t i = 0; i < s->table->columns.n; i++)
        if (i != s->table->key)
            vec_push(&columns, s->table->columns.at[i]);
    begin_select(&sql, s->table, &columns);
    buf_text(&sql, s->rest);
    const enum outcome outcome = query(a, sql.at, &rows);
    if (outcome == OUTCOME_OK)
        note_rows(a, false, s->table, &columns, &rows);
    rows_free(&rows);
    buf_free(&sql);
    vec_free(&columns);
    return outcome;
}

/* The primary keys of the rows that a condition selects. */
static enum outcome
find_keys(struct actor *a, const struct statement *s, text_vec *keys)
{
    const struct table *table = s->table;
    if (condition_keys(s->condition, table->columns.at[table->key], &a->arena,
                       keys))
        return OUTCOME_OK;
    struct buf sql = {0};
    struct rows rows = {0};
    begin_select(&sql, table, &(text_vec){0});
    if (*s->condition)
        buf_printf(&sql, "where %s", s->condition);
    const enum outcome outcome = query(a, sql.at, &rows);
    vec_clear(keys);
    for (size_t i = 0; i < rows.n; i++) {
        const char *text = rows_get(&rows, i, 0);
        vec_push(keys, arena_copy(&a->arena, text, strlen(text)));
    }
    rows_free(&rows);
    buf_free(&sql);
    return outcome;
}

/* What an update has made of its rows. */
static enum outcome
note_update(struct actor *a, const struct statement *s, const text_vec *keys)
{
    bool literal = true;
    const char *value;
    for (size_t i = 0; i < s->values.n; i++)
        literal = literal && is_literal(s->values.at[i], &a->arena, &value);
    for (size_t i = 0; literal && i < keys->n; i++)
        for (size_t k = 0; k < s->columns.n; k++) {
            is_literal(s->values.at[k], &a->arena, &value);
            note(a, true, s->table, keys->at[i], s->columns.at[k], value);
        }
    if (literal || !keys->n)
        return OUTCOME_OK;
    struct buf sql = {0};
    struct rows rows = {0};
    begin_select(&sql, s->table, &s->columns);
    buf_printf(&sql, "where %s in (", s->table->columns.at[s->table->key]);
    for (size_t i = 0; i < keys->n; i++)
        buf_printf(&sql, "%s'%s'", i ? ", " : "", keys->at[i]);
    buf_char(&sql, ')');
    const enum outcome outcome = query(a, sql.at, &rows);
    if (outcome == OUTCOME_OK)
        note_rows(a, true, s->table, &s->columns, &rows);
    rows_free(&rows);
    buf_free(&sql);
    return outcome;
}

static enum outcome
run_change(struct actor *a, const struct statement *s)
{
    text_vec keys = {0};
    enum outcome outcome = find_keys(a, s, &keys);
    if (outcome == OUTCOME_OK)
        outcome = query(a, s->text, NULL);
    if (outcome == OUTCOME_OK && s->kind == STATEMENT_UPDATE)
        outcome = note_update(a, s, &keys);
    for (size_t i = 0;
         outcome == OUTCOME_OK && s->kind == STATEMENT_DELETE && i < keys.n;
         i++)
        for (size_t k = 0; k < s->table->columns.n; k++)
            if (k != s->table->key)
                note(a, true, s->table, keys.at[i], s->table->columns.at[k],
                     NULL);
    vec_free(&keys);
    return outcome;
}

static enum outcome
run_insert(struct actor *a, const struct statement *s)
{
    const enum outcome outcome = query(a, s->text, NULL);
    const size_t width = s->columns.n;
    const char *key_name = s->table->columns.at[s->table->key];
    for (size_t row = 0;
         outcome == OUTCOME_OK && width && (row + 1) * width <= s->values.n;
         row++) {
        const char *key = NULL, *value;
        for (size_t k = 0; k < width; k++)
            if (strcasecmp(s->columns.at[k], key_name) == 0)
                is_literal(s->values.at[row * width + k], &a->arena, &key);
        for (size_t k = 0; key && k < width; k++)
            if (strcasecmp(s->columns.at[k], key_name) != 0 &&
                is_literal(s->values.at[row * width + k], &a->arena, &value))
                note(a, true, s->table, key, s->columns.at[k], value);
    }
    return outcome;
}

/* --- statements ------------------------------------------------------------*/

/* Begin as the database wants to be told; only PostgreSQL takes the level in
 * the same breath. */
static enum outcome
run_begin(struct actor *a, const struct statement *s)
{
    const char *scheme = a->connection->driver->scheme;
    if (strcmp(scheme, "postgresql") == 0)
        return query(a, s->text, NULL);
    if (*s->isolation && strcmp(scheme, "mariadb") == 0) {
        struct buf sql = {0};
        buf_printf(&sql, "set transaction isolation level %s", s->isolation);
        const enum outcome outcome = query(a, sql.at, NULL);
        buf_free(&sql);
        if (outcome != OUTCOME_OK)
            return outcome;
    }
    return query(a, "begin", NULL);
}

/* A statement that is neither begin, commit nor rollback. */
static enum outcome
run_plain(struct actor *a, const struct statement *s)
{
    switch (s->kind) {
    case STATEMENT_SELECT:
        return run_select(a, s);
    case STATEMENT_INSERT:
        return run_insert(a, s);
    case STATEMENT_UPDATE:
    case STATEMENT_DELETE:
        return run_change(a, s);
    default:
        return query(a, s->text, NULL);
    }
}

/* A database that has rolled back by itself would take what follows as
 * transactions of their own: nothing may follow before the next begin. */
static void
give_up(struct actor *a, enum outcome outcome)
{
    close_txn(a, outcome == OUTCOME_LOST ? TXN_INDETERMINATE : TXN_ABORTED);
    if (outcome != OUTCOME_LOST)
        query(a, "rollback", NULL);
    a->is_gone = true;
}

static void
run_statement(struct actor *a, const struct statement *s)
{
    enum outcome outcome;
    switch (s->kind) {
    case STATEMENT_BEGIN:
        if (run_begin(a, s) == OUTCOME_OK)
            open_txn(a);
        return;
    case STATEMENT_COMMIT:
        if (!a->is_open)
            return;
        outcome = query(a, "commit", NULL);
        if (outcome == OUTCOME_OK)
            close_txn(a, TXN_COMMITTED);
        else
            give_up(a, outcome);
        return;
    case STATEMENT_ROLLBACK:
        if (a->is_open)
            query(a, "rollback", NULL);
        close_txn(a, TXN_ABORTED);
        return;
    default:
        break;
    }
    if (a->is_gone)
        return;
    const bool alone = !a->is_open;
    if (alone)
        open_txn(a);
    outcome = run_plain(a, s);
    if (outcome == OUTCOME_ABORTED || outcome == OUTCOME_LOST)
        give_up(a, outcome);
    else if (alone)
        close_txn(a, outcome == OUTCOME_OK ? TXN_COMMITTED : TXN_ABORTED);
}

static void
run_step(struct actor *a, const char *sql)
{
    text_vec parts = {0};
    statements_split(sql, &a->arena, &parts);
    for (size_t i = 0; i < parts.n; i++) {
        struct statement s;
        statement_parse(parts.at[i], a->tables, &a->arena, &s);
        run_statement(a, &s);
        statement_free(&s);
    }
    vec_free(&parts);
}

/* --- the thread ------------------------------------------------------------*/

static void *
live(void *arg)
{
    struct actor *a = arg;
    pthread_mutex_lock(&a->lock);
    while (!a->is_over) {
        if (!a->sql) {
            pthread_cond_wait(&a->changes, &a->lock);
            continue;
        }
        const char *sql = a->sql;
        pthread_mutex_unlock(&a->lock);
        run_step(a, sql);
        pthread_mutex_lock(&a->lock);
        a->sql = NULL;
        a->is_busy = false;
        pthread_cond_broadcast(&a->changes);
    }
    pthread_mutex_unlock(&a->lock);
    return NULL;
}

static void
hang_up(struct actor *a)
{
    a->connection->driver->disconnect(a->connection);
    if (a->observer)
        a->observer->driver->disconnect(a->observer);
    a->connection = a->observer = NULL;
}

bool
actor_open(struct actor *a, struct database *db, uint32_t session, size_t node,
           const table_vec *tables, struct err *err)
{
    *a = (struct actor){.tables = tables};
    if (!db->driver->connect(db, session, node, &a->connection, err))
        return false;
    struct err ignored = {0};
    if (db->driver->sql->waits)
        db->driver->connect(db, session, node, &a->observer, &ignored);
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->changes, NULL);
    if (pthread_create(&a->thread, NULL, live, a) == 0)
        return true;
    hang_up(a);
    return err_set(err, ERR_IO, "cannot start a thread");
}

void
actor_act(struct actor *a, const char *sql)
{
    pthread_mutex_lock(&a->lock);
    assert(!a->is_busy);
    a->sql = sql;
    a->is_busy = true;
    pthread_cond_broadcast(&a->changes);
    pthread_mutex_unlock(&a->lock);
}

bool
actor_await(struct actor *a, double seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    const double at = (double)until.tv_nsec + seconds * 1e9;
    until.tv_sec += (time_t)(at / 1e9);
    until.tv_nsec = (long)(at - (double)(time_t)(at / 1e9) * 1e9);
    pthread_mutex_lock(&a->lock);
    int status = 0;
    while (a->is_busy && status == 0)
        status = pthread_cond_timedwait(&a->changes, &a->lock, &until);
    const bool idle = !a->is_busy;
    pthread_mutex_unlock(&a->lock);
    return idle;
}

/* What the database says about a session that is busy. */
static bool
waits_for_lock(struct actor *a, bool *is_known)
{
    char id[24];
    struct buf sql = {0};
    struct rows rows = {0};
    snprintf(id, sizeof id, "%" PRIu64, a->connection->server_id);
    sql_fill(&sql, a->observer->driver->sql->waits, id);
    *is_known =
        a->observer->driver->query(a->observer, sql.at, &rows) == OUTCOME_OK &&
        rows.n;
    const bool waits = *is_known && strcmp(rows_get(&rows, 0, 0), "0") != 0;
    rows_free(&rows);
    buf_free(&sql);
    return waits;
}

bool
actor_settle(struct actor *a, double patience)
{
    if (!a->observer)
        return actor_await(a, a->connection->driver->sql->waits ? patience
                                                                : LONG_WAIT);
    bool is_known = true;
    const double until = time_now() + LONG_WAIT;
    while (!actor_await(a, LOOK_AGAIN))
        if (waits_for_lock(a, &is_known) || time_now() > until)
            return false;
        else if (!is_known)
            return actor_await(a, patience);
    return true;
}

void
actor_rest(struct actor *a)
{
    if (a->is_open)
        query(a, "rollback", NULL);
    close_txn(a, TXN_ABORTED);
}

void
actor_close(struct actor *a)
{
    if (!a->connection)
        return;
    pthread_mutex_lock(&a->lock);
    a->is_over = true;
    pthread_cond_broadcast(&a->changes);
    pthread_mutex_unlock(&a->lock);
    pthread_join(a->thread, NULL);
    pthread_cond_destroy(&a->changes);
    pthread_mutex_destroy(&a->lock);
    hang_up(a);
}

void
actor_free(struct actor *a)
{
    for (size_t i = 0; i < a->txns.n; i++)
        vec_free(&a->txns.at[i].ops);
    vec_free(&a->txns);
    arena_free(&a->arena);
}
