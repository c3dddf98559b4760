/* match.h -- which rows a reading is about, evaluated again for other rows.
 *
 * A reading of a condition knows the condition and the variables as they were.
 * So it can be asked of a row that another transaction made whether it would
 * have been read, too.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PROVE_EXECUTE_MATCH_H
#define PROVE_EXECUTE_MATCH_H

#include "prove/execute/run/run.h"

/* A reading, by whom. */
struct match {
    const struct program *program;
    const struct instance *instance;
    const struct run *run;
    const struct run_read *reading;
};

/* Whether the row satisfies the condition, as far as the row alone tells:
 * parts that mention other rows or queries are taken to hold. */
bool match_holds(const struct match *m, const struct datum *row);

/* Columns of the row that the statement uses, as bits.  Those that only the
 * condition mentions are not among them, where the row alone tells whether it
 * holds. */
uint64_t match_used(const struct match *m);

/* Columns that the condition mentions. */
uint64_t match_condition(const struct match *m);

/* Whether the query takes MIN, MAX or the first row, and 'row' comes behind
 * 'other', so that it does not matter while 'other' is there. */
bool match_is_behind(const struct match *m, const struct datum *row,
                     const struct datum *other);

#endif
