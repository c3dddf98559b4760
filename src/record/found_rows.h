/* found_rows.h -- the rows that statements found.
 *
 * SPDX-License-Identifier: MIT */
#ifndef RECORD_FOUND_ROWS_H
#define RECORD_FOUND_ROWS_H

#include "record/assembly.h"

/* Fill in what each step has read, and what is not recorded of it. */
void found_rows(struct assembly *a);

#endif
