/* row_checks.h -- what unique indexes and foreign keys read.
 *
 * The database checks them in the latest state, not in a snapshot, and locks
 * what it found, so what a check has read stays so until its transaction ends:
 *
 *     a row was added, with values of a unique index   no other row has them
 *     a row was added that refers to another           that row is there
 *     a row was removed that can be referred to        no row refers to it
 *
 * A change of these values is both.  A check that fails has read the opposite.
 * A check comes after the statement, or,
 * if it is deferred, at the end of the transaction.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_ROW_ROW_CHECKS_H
#define SPEC_ROW_ROW_CHECKS_H

#include "spec/row/row_operations.h"

/* Ask what each version has in the columns of each constraint.  False with a
 * refusal of the versions, if the database cannot say. */
bool row_checks_ask(struct row_writer *w);

/* Add the conditions of the checks of some notes, and note in 'is_used' which
 * tables they are about.  The notes are those of a statement, or of a
 * transaction for the checks that are deferred. */
void row_checks_collect(struct row_writer *w, const struct row_note *notes,
                        size_t n, bool is_deferred, bool *is_used);

/* Write what they have read. */
void row_checks_write(struct row_writer *w, const struct row_note *notes,
                      size_t n, bool is_deferred);

void row_checks_free(struct row_writer *w);

#endif
