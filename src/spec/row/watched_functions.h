/* watched_functions.h -- functions that users have made on PostgreSQL, and what
 * calls them without naming them: operators, casts, defaults, constraints,
 * indexes and types.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_ROW_WATCHED_FUNCTIONS_H
#define SPEC_ROW_WATCHED_FUNCTIONS_H

#include "spec/row/watched.h"

/* Read their names.  Of tables that call functions it is noted that what these
 * read is not recorded; if a cast does, all tables are refused, because it
 * cannot be seen where a statement casts.
 *
 *   require  the tables of 'w' are read */
bool watched_functions_read(struct connection *c, struct watched *w,
                            struct err *err);

#endif
