/* pgbench_script.h -- a pgbench script to be run: its commands, one after
 * another, with the values that variables have by then.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PROVE_PROGRAM_PGBENCH_PGBENCH_SCRIPT_H
#define PROVE_PROGRAM_PGBENCH_PGBENCH_SCRIPT_H

#include "prove/program/pgbench/pgbench_expression.h"

struct pgbench_script {
    struct pgbench read; // its commands, and the path for messages
    struct arena arena;
};

/* Read a script; errors have its path and the line.  Every variable must be
 * set by \set or \gset, or be one of 'given', which ends with NULL. */
bool pgbench_script_read(struct pgbench_script *s, const char *path,
                         const char *text, const char *const *given,
                         struct err *err);
void pgbench_script_free(struct pgbench_script *s);

/* Append the SQL of a command.  Variables without a value, for which there is
 * an error otherwise, are 'missing', if that is not NULL. */
bool pgbench_script_fill(const struct pgbench_script *s, size_t command,
                         const struct pgbench_bindings *b, const char *missing,
                         struct buf *sql, struct err *err);

/* Run a command that is not SQL; *next is the one to continue with. */
bool pgbench_script_step(const struct pgbench_script *s, size_t command,
                         struct pgbench_bindings *b, struct random *random,
                         size_t *next, struct err *err);

#endif
