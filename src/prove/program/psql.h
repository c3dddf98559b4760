/* psql.h -- what psql reads in a file of SQL and the server does not.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PROVE_PROGRAM_PSQL_H
#define PROVE_PROGRAM_PSQL_H

#include "base/memory/arena.h"

#include <stdbool.h>

/* Whether a file defines tables or functions, or has commands that psql has and
 * pgbench has not: then it is a schema and no script of pgbench, whatever its
 * first statement is. */
bool psql_defines(const char *text);

/* The first \if outside of quotes; NULL where there is none. */
const char *psql_find_branch(const char *text);

/* The text with blanks for commands of psql (lines that begin with a backslash
 * outside of quotes) and for the rows of COPY .. FROM stdin; every line keeps
 * its number. */
const char *psql_without_commands(struct arena *arena, const char *text);

#endif
