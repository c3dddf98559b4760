/* random_rows.h -- small random histories of rows for the model tests.
 *
 * SPDX-License-Identifier: MIT */
#ifndef MODEL_RANDOM_ROWS_H
#define MODEL_RANDOM_ROWS_H

#include "record.h"

/* Make the record of that seed: three rows, a register, two conditions, a third
 * of the records with times. */
void random_rows(uint64_t seed, struct record *r);

#endif
