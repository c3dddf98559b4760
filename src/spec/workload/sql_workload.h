/* sql_workload.h -- SQL of users as a workload: scripts in the form of pgbench,
 * on tables that a file of SQL makes.
 *
 *     sql_workload_open   reads the files
 *     collect_run         with sql_workload's source: makes the tables,
 *                         understands all statements or refuses them, runs,
 *                         and writes the history
 *     sql_workload_close
 *
 * With a recorder that takes statements as they are (spec/spec_recorder.h), no
 * statement is understood: the sessions send the texts, and the recorder writes
 * the history.
 *
 * Sessions keep notes in memory; the history is written when all have ended,
 * because only then the database can be asked which versions of rows satisfy
 * which conditions.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_WORKLOAD_SQL_WORKLOAD_H
#define SPEC_WORKLOAD_SQL_WORKLOAD_H

#include "spec/row/row_versions.h"
#include "spec/spec_recorder.h"
#include "spec/workload/random_sql.h"
#include "spec/workload/sql_session.h"

struct sql_workload_options {
    const char *scripts; // "a.sql@3,b.sql": paths, with weights
    const char *schema;  // path of the SQL that makes the tables; NULL where
                         // the scripts are "random" (random_sql.h)
    const char *product; // then: what the target or the server is
    uint64_t sessions, seed;
    double pause; // seconds before each statement
    void *self;
    /* Something is not recorded of a statement; told once for each.  It may be
     * NULL. */
    void (*left_out)(void *self, const struct err *what);
};

struct sql_workload_script {
    struct pgbench_script script;
    uint64_t weight;
    bool *is_told; // by command: what is not recorded of it
};

struct sql_workload {
    struct sql_workload_options options;
    VEC(struct sql_workload_script) scripts;
    uint64_t weights; // the sum
    const char *schema;
    struct random_sql random;             // if the scripts are
    const struct spec_recorder *recorder; // NULL: the texts are understood
    bool has_before;        // 'before' is known, so tables may be removed
    struct watched before;  // the tables of others
    struct watched made;    // those of the schema, which are removed
    struct watched watched; // ours
    struct row_state initial;
    VEC(struct sql_session) sessions;
    struct arena arena;
    struct collect_source source;
};

/* Whether the name of a workload is one of SQL files, or of random SQL. */
bool sql_workload_is(const char *name);

bool sql_workload_open(struct sql_workload *w,
                       const struct sql_workload_options *o, struct err *err);
void sql_workload_close(struct sql_workload *w);

/* Append the statements of all scripts, in which variables are 1. */
bool sql_workload_put_text(const struct sql_workload *w, struct buf *out,
                           struct err *err);

#endif
