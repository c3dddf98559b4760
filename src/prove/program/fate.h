/* fate.h -- which statements of a schema still count at its end.
 *
 * What a file makes can be dropped, replaced, renamed or rolled back by a later
 * statement.  Statements are numbered through all files.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PROVE_PROGRAM_FATE_H
#define PROVE_PROGRAM_FATE_H

#include "prove/program/parser.h"

#include <stddef.h>

enum fate {
    FATE_KEPT,
    FATE_GONE,
    FATE_DOUBT, // an index that a later DROP INDEX may mean
};

/* The fates of all statements of n trees, one tree after another; the caller
 * frees them. */
enum fate *fate_of_all(PgQuery__ParseResult *const *trees, size_t n);

/* The types of a function's parameters, which distinguish it from others of its
 * name, are the same in both. */
bool fate_same_types(const PgQuery__CreateFunctionStmt *a,
                     const PgQuery__CreateFunctionStmt *b);

#endif
