/* statement_text.h -- the little that is read of the text of statements.
 *
 * SPDX-License-Identifier: MIT */
#ifndef RECORD_STATEMENT_TEXT_H
#define RECORD_STATEMENT_TEXT_H

#include "base/memory/arena.h"

#include <stdbool.h>
#include <stddef.h>

/* The i-th statement of a text; *is_whole tells whether it has no other one. */
const char *statement_text(const char *text, size_t i, struct arena *arena,
                           bool *is_whole);

/* A text without the blanks and comments before it. */
const char *statement_start(const char *text);

/* The cursor of a DECLARE, FETCH, MOVE or CLOSE; "" for other statements. */
const char *statement_cursor(const char *text, struct arena *arena);

/* Whether a text may change the role of its session: it has the words set, or
 * set_config, and role or authorization. */
bool statement_changes_role(const char *text);

/* Whether a statement goes back to a savepoint: "rollback [work] to ..." */
bool statement_goes_back(const char *text);

#endif
