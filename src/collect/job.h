/* job.h -- procedures of applications, run on a connection and recorded.
 *
 * A cell's key in the history is "table:row:column".  Its value is the number
 * and the transaction that wrote it, "7#12", so that a read names the writer it
 * is, however often 7 was written; or, where values are to repeat, the number
 * alone.  What a cell holds in the beginning is null; where values repeat, so
 * is whatever equals it.
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

/* Run a procedure between begin and commit.  Returns false where it decided to
 * roll back; *outcome is that of the first access that failed. */
bool job_run(const struct job_tables *tables, struct connection *c,
             struct app_txn *txn, size_t procedure, struct jsonl_record *record,
             enum outcome *outcome);

#endif
