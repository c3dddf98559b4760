/* sql_function.h -- functions and settings that statements may use; a name
 * means the same in all databases that have it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_ROW_SQL_FUNCTION_H
#define SPEC_ROW_SQL_FUNCTION_H

#include <stdbool.h>

enum sql_function {
    SQL_FUNCTION_UNKNOWN,
    SQL_FUNCTION_PURE, // its value depends on its arguments only
    SQL_FUNCTION_LOCK, // takes or releases an advisory lock
    SQL_FUNCTION_FREE, // reads no table; its value may change
};

enum sql_function sql_function_kind(const char *name);

/* Whether a call does something besides returning a value: it takes a lock or a
 * number, or sends a message. */
bool sql_function_acts(const char *name);

/* Whether a setting can change how a statement is run, but not its meaning. */
bool sql_function_is_setting(const char *name);

#endif
