/* pgbench_function.h -- a transaction of a script as a function in PL/pgSQL;
 * private to this folder.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PROVE_PROGRAM_PGBENCH_PGBENCH_FUNCTION_H
#define PROVE_PROGRAM_PGBENCH_PGBENCH_FUNCTION_H

#include "prove/program/pgbench/pgbench_variable.h"

/* Append the text of the function to s->out.  The transaction is 'number' of
 * 'all' in its script, which gives the function its name. */
bool pgbench_put_function(struct pgbench *s, struct pgbench_transaction *t,
                          size_t number, size_t all);

#endif
