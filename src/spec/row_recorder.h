/* row_recorder.h -- run a statement about rows, and note what it read, and what
 * it wrote as triggers told.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_ROW_RECORDER_H
#define SPEC_ROW_RECORDER_H

#include "spec/statement_recorder.h"

/* Run a statement in the open transaction. */
enum outcome row_recorder_run(struct statement_recorder *p,
                              struct row_statement *s);

/* Note what triggers told during a statement without rows, or a commit. */
bool row_recorder_take_told(struct statement_recorder *p);

#endif
