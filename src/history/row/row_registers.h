/* row_registers.h -- rows as registers, so that no engine has to know of rows.
 *
 * A row is a register whose values are its versions.  A read that fits several
 * versions -- of some of the columns, or of a row that a query did not return
 * -- asks a question that is not about one value.  For each such question a row
 * has one register more, whose value is the answer: every write of the row
 * writes it as well, and the read reads it.  The answer is a repeated value,
 * and which of its writers was read from is decided like for any other.
 *
 * This changes no verdict, because the registers of a row have the same
 * writers, so each of them puts the same constraints on the order of these
 * (doc/design/rows.md).
 *
 * The values of some columns need no separate register where they fit
 * exactly the versions with one value.  A condition that no version of a row
 * ever satisfies says nothing about that row.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_ROW_ROW_REGISTERS_H
#define HISTORY_ROW_ROW_REGISTERS_H

#include "history/row/row_log.h"

/* Pass all operations of the log to the builder.  *at is the place in the input
 * of what is wrong, where it fails. */
bool row_registers_make(struct row_log *l, struct builder *b, const char **at,
                        struct err *err);

#endif
