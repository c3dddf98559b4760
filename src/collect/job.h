/* job.h -- run a procedure of an application on a connection and record it.
 *
 * A cell's key in the history is "table:row:column".  Its value is the number
 * and the transaction that wrote it, "7#12", so a read identifies its writer
 * however often 7 was written.  If values are to repeat, the value is the
 * number alone.  The initial value of a cell is null; if values repeat, every
 * value equal to the initial one is null.
 *
 * SPDX-License-Identifier: MIT */
#ifndef COLLECT_JOB_H
#define COLLECT_JOB_H

#include "app/app.h"
#include "driver/driver.h"
#include "format/jsonl/jsonl_record.h"

/* The tables of an application of a given size. */
struct job_tables {
    const struct app *app;
    uint64_t units;
    double pause; // seconds before each access
    size_t n;
    struct table_shape shapes[APP_TABLES];
    const char *columns[APP_TABLES][APP_COLUMNS];
    int64_t initial[APP_TABLES][APP_COLUMNS];
};

void job_tables_init(struct job_tables *t, const struct app *app,
                     uint64_t units, bool values_repeat);

/* Make all tables. */
bool job_tables_load(const struct job_tables *t, struct database *db,
                     struct err *err);

/* Run a procedure between begin and commit.  Returns false if it decided to
 * roll back.  *outcome is the outcome of the first access that failed. */
bool job_run(const struct job_tables *tables, struct connection *c,
             struct app_txn *txn, size_t procedure, struct jsonl_record *record,
             enum outcome *outcome);

#endif
