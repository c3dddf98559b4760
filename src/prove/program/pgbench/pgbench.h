/* pgbench.h -- pgbench scripts as functions.
 *
 * A script is what people have who write no functions: SQL statements between
 * BEGIN and COMMIT, with variables.  It is rewritten as the text of functions
 * in PL/pgSQL, one for each transaction, whose statements stand on the lines
 * they have in the script; then everything else is as for functions.
 *
 *   - a variable that is drawn at random, or never set, is a parameter; a
 *     transaction with values outside of the range that was drawn from aborts,
 *     and so is no part of any execution;
 *   - \set of anything else is an assignment, \gset is SELECT INTO STRICT;
 *   - a query without \gset shows its rows.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PROVE_PROGRAM_PGBENCH_PGBENCH_H
#define PROVE_PROGRAM_PGBENCH_PGBENCH_H

#include "base/err.h"
#include "base/memory/arena.h"

#include <stdbool.h>

/* Whether the text is a script: it begins with a backslash or a statement that
 * defines nothing. */
bool pgbench_is(const char *text);

/* The text of its functions, in the arena; NULL with an error that has the
 * line.  'path' gives the functions their names. */
const char *pgbench_functions(struct arena *arena, const char *path,
                              const char *text, struct err *err);

#endif
