/* sql_session.h -- a session of a workload of SQL: it runs scripts, and notes
 * what their statements read and wrote.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_WORKLOAD_SQL_SESSION_H
#define SPEC_WORKLOAD_SQL_SESSION_H

#include "base/container/strings.h"
#include "collect/collect.h"
#include "prove/program/pgbench/pgbench_script.h"
#include "spec/spec_recorder.h"
#include "spec/step_runner.h"
#include "spec/workload/script_places.h"

/* A statement with the values that its variables had. */
struct sql_text {
    struct spec_statement statement;
    const struct pgbench_script *script;
    size_t command;
};

/* A command whose transaction was rolled back, because what it did could not be
 * recorded. */
struct sql_undone {
    const struct pgbench_script *script;
    size_t command;
    uint64_t times;
    char why[200]; // the first time
};

struct sql_session {
    const struct watched *watched; // NULL: the texts are not understood
    // Takes the statements as they are; NULL: nothing is recorded, or by text.
    const struct spec_recorder *recorder;
    size_t number, connections; // from 1; how many connections it has had
    double pause;               // seconds before each statement
    struct step_runner runner;
    struct script_places places;
    char failure[300]; // the first statement that the database refused
    struct random random;
    struct pgbench_bindings bindings;
    struct strings texts;              // of statements so far
    VEC(struct sql_text *) statements; // by number of the text
    struct arena arena;
    struct buf sql;
    struct result_rows answer;
    VEC(struct sql_undone) undone;
};

/* Run all commands of a script, up to the first statement that fails.  Where it
 * is not known what a statement did, its transaction is rolled back and noted
 * in s->undone.  Fails if that came too late, or if the script cannot be run.
 */
bool sql_session_run(struct sql_session *s, const struct pgbench_script *script,
                     struct connection *c, struct collect_pass *out,
                     struct err *err);

/* Understand a command of SQL, in which variables without a value are 1;
 * errors have its line.  The caller frees *out. */
bool sql_session_understand(const struct watched *w, struct arena *arena,
                            const struct pgbench_script *script, size_t command,
                            struct spec_statement *out, struct err *err);

void sql_session_free(struct sql_session *s);

#endif
