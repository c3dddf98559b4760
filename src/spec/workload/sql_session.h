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
};

/* Run all commands of a script, up to the first statement that fails.  Fails
 * if the script cannot be run, or if it is not known what a statement did. */
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
