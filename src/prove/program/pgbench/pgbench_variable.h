/* pgbench_variable.h -- what the variables of a script are for a transaction;
 * private to this folder.
 *
 * A variable is a parameter where it is drawn at random or never set, assigned
 * where \set computes it, and the column of a row where \gset took it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PROVE_PROGRAM_PGBENCH_PGBENCH_VARIABLE_H
#define PROVE_PROGRAM_PGBENCH_PGBENCH_VARIABLE_H

#include "prove/program/pgbench/pgbench_command.h"

/* A transaction: commands first to last, and those before it that set what it
 * uses. */
struct pgbench_transaction {
    size_t first, last;
    VEC(const char *) parameters; // names of variables
    VEC(const char *) assigned;
    bool *needed; // of commands before 'first'
};

/* The next ":name" in a text, or NULL. */
const char *pgbench_next_variable(const char *at, const char *end);

/* The last command from 'first' on and before 'number' whose \gset sets the
 * variable; SIZE_MAX where there is none. */
size_t pgbench_provider(const struct pgbench *s, size_t first, size_t number,
                        const char *name, size_t n);

/* Find the variables of the transaction, and which commands before it set
 * them. */
void pgbench_find_needs(struct pgbench *s, struct pgbench_transaction *t);

/* An error where a variable stands inside of quotes: pgbench replaces it there,
 * too, and what comes of that is not understood. */
bool pgbench_check_quotes(struct pgbench *s);

/* An error where a parameter is set in a way that is not understood. */
bool pgbench_check_variable(struct pgbench *s,
                            const struct pgbench_transaction *t,
                            const char *name);

#endif
