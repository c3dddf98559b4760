/* job.c -- see job.h.
 *
 * SPDX-License-Identifier: MIT */
#include "collect/job.h"

#include "base/limits/limit.h"

#include <inttypes.h>
#include <stdio.h>

void
job_tables_init(struct job_tables *t, const struct app *app, uint64_t units,
                bool values_repeat)
{
    *t = (struct job_tables){.app = app, .units = units};
    for (; t->n < APP_TABLES && app->tables[t->n].name; t->n++) {
        const struct app_table *from = &app->tables[t->n];
        size_t columns = 0;
        for (; columns < APP_COLUMNS && from->columns[columns].name;
             columns++) {
            t->columns[t->n][columns] = from->columns[columns].name;
            t->initial[t->n][columns] = from->columns[columns].initial;
        }
        t->shapes[t->n] =
            (struct table_shape){.name = from->name,
                                 .columns = t->columns[t->n],
                                 .initial = t->initial[t->n],
                                 .n_columns = columns,
                                 .rows = app_rows(app, t->n, units),
                                 .has_authors = !values_repeat};
    }
}

bool
job_tables_load(const struct job_tables *t, struct database *db,
                struct err *err)
{
    bool ok = true;
    for (size_t i = 0; ok && i < t->n; i++)
        ok = db->driver->load_table(db, &t->shapes[i], err);
    return ok;
}

/* --- access ----------------------------------------------------------------*/

struct job {
    const struct job_tables *tables;
    struct connection *connection;
    struct jsonl_record *record;
    int64_t author; // the number of the transaction
    enum outcome outcome;
};

static bool
is_initial(const struct cell_place *at, const struct driver_read *value)
{
    if (!value->has_value)
        return true;
    return at->table->has_authors
               ? value->author == 0
               : at->row < at->table->rows &&
                     value->value == at->table->initial[at->column];
}

static void
note(const struct job *j, bool is_write, const struct cell_place *at,
     const struct driver_read *value)
{
    char key[96], text[48];
    snprintf(key, sizeof key, "%s:%" PRIu64 ":%s", at->table->name, at->row,
             at->table->columns[at->column]);
    if (at->table->has_authors)
        snprintf(text, sizeof text, "%" PRId64 "#%" PRId64, value->value,
                 value->author);
    else
        snprintf(text, sizeof text, "%" PRId64, value->value);
    jsonl_record_text(j->record, is_write, key,
                      is_initial(at, value) ? NULL : text);
}

static bool
read_cell(void *self, size_t table, uint64_t row, size_t column, int64_t *value)
{
    struct job *j = self;
    const struct cell_place at = {&j->tables->shapes[table], row, column};
    struct driver_read reading;
    time_pause(j->tables->pause);
    j->outcome = j->connection->driver->read_cell(j->connection, &at, &reading);
    if (j->outcome != OUTCOME_OK)
        return false;
    note(j, false, &at, &reading);
    if (reading.has_value)
        *value = reading.value;
    return true;
}

static bool
write_cell(void *self, size_t table, uint64_t row, size_t column, int64_t value)
{
    struct job *j = self;
    const struct cell_place at = {&j->tables->shapes[table], row, column};
    bool is_missing;
    time_pause(j->tables->pause);
    j->outcome = j->connection->driver->write_cell(j->connection, &at, value,
                                                   j->author, &is_missing);
    if (!is_missing)
        note(j, true, &at, &(struct driver_read){true, value, j->author});
    return j->outcome == OUTCOME_OK;
}

bool
job_run(const struct job_tables *tables, struct connection *c,
        struct app_txn *txn, size_t procedure, struct jsonl_record *record,
        enum outcome *outcome)
{
    struct job j = {tables, c, record, app_fresh(txn), OUTCOME_OK};
    const struct app_access access = {&j, read_cell, write_cell};
    txn->app = tables->app;
    txn->access = &access;
    txn->units = tables->units;
    const bool commits = tables->app->procedures[procedure].run(txn);
    *outcome = j.outcome;
    return commits;
}
