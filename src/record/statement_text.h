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

/* Whether a text may change the role of its session: it has the words set, or
 * set_config, and role or authorization. */
bool statement_changes_role(const char *text);

/* Whether a statement goes back to a savepoint: "rollback [work] to ..." */
bool statement_goes_back(const char *text);

#endif
