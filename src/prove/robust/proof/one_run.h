/* one_run.h -- what no run of a function can do to the data.
 *
 * One step from any state is enough for a property that holds between any two
 * states: the function runs on the rows that it names and on a few more, which
 * stand for any others.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PROVE_ROBUST_PROOF_ONE_RUN_H
#define PROVE_ROBUST_PROOF_ONE_RUN_H

#include "prove/robust/search/search.h"
#include "prove/robust/symbolic/symbolic.h"

struct one_run {
    const struct function *function;
    const uint32_t *more_slots; // of each table: rows beside those it names
    // Whether the property is violated between the two contents.
    term (*violated)(struct symbolic *s, const struct contents *before,
                     const struct contents *after, const void *property);
    const void *property;
    const char *what; // the violation, for the log of the proof
};

/* Whether no run that commits violates the property, for certain.
 *
 *   error  ERR_FEATURE where Z3 cannot be loaded */
bool one_run_never(const struct program *p, const struct one_run *question,
                   const struct search_limits *limits, bool *never,
                   struct err *err);

#endif
