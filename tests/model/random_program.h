/* random_program.h -- small SQL programs at random.
 *
 * SPDX-License-Identifier: MIT */
#ifndef MODEL_RANDOM_PROGRAM_H
#define MODEL_RANDOM_PROGRAM_H

#include "base/buf.h"
#include "base/random.h"

/* Write two tables t (k, v) and u (k, v), with constraints or without, and one
 * or two functions of two integers, of up to three statements each. */
void random_program(struct random *r, struct buf *out);

#endif
