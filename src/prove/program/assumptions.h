/* assumptions.h -- special values that proofs about a program leave out.
 *
 * Numbers are those of arithmetic here, in which x + 1 is never x.  PostgreSQL
 * has values for which that is wrong:
 *   - infinity of a date: infinity + 1 is infinity;
 *   - NaN and infinity of numeric;
 *   - a text that is stored without the blanks at its end.
 * PostgreSQL orders infinity and NaN among the other values, so that a program
 * which only compares them is proved with them.  An integer or date that is too
 * large is an error of the transaction, and no part of any execution.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PROVE_PROGRAM_ASSUMPTIONS_H
#define PROVE_PROGRAM_ASSUMPTIONS_H

#include "base/buf.h"
#include "prove/program/ir.h"

/* Append what a proof assumes of data and arguments, as in "data without
 * infinity and NaN"; nothing where it assumes nothing. */
void program_assumptions(const struct program *p, struct buf *out);

#endif
