/* row_syntax.h -- statements of other databases in the words of PostgreSQL, for
 * its parser.
 *
 * Everything stays at the same byte, so what the parser says about places holds
 * for the statement as it is written, and that is what is run.
 *
 *     `t`                              "t"
 *     replace into                     insert into
 *     insert or ignore, insert ignore  insert
 *     on duplicate key update ...      on conflict do nothing
 *     lock in share mode               for share
 *     a == b                           a = b
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_ROW_ROW_SYNTAX_H
#define SPEC_ROW_ROW_SYNTAX_H

#include "spec/row/row_dialect.h"

struct row_syntax {
    const char *text;
    bool replaces; // a row that is in the way
    bool ignores;  // a row that a constraint keeps out
};

/* Translate a statement; false, with a refusal, if it has something that the
 * two databases read in different ways. */
bool row_syntax_translate(const struct row_dialect *dialect,
                          struct arena *arena, const char *text,
                          struct row_syntax *out, struct refusal *refusal);

#endif
