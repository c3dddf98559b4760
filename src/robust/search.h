/* search.h -- looking for an anomaly among a few transactions and rows.
 *
 * A sequence of functions is run on symbols in the shape that the level calls
 * for.  A model is a candidate; it is run again on concrete data, in that
 * shape and in every serial order.  Where no order explains it, and 'check'
 * finds its history allowed by the level and not serializable (record.h), it
 * is an anomaly, and a fact as far as the interpreter is right.  Where an order
 * does, the solver is told to differ from it, and goes on.
 *
 * Shapes: at si and pc one transaction is delayed, that is, its snapshot is
 * from before all others, which run one after the other, and it commits last;
 * at rc it is interrupted once; at ec, cc and psi the members are in the order
 * of their commits, and what each sees is free.
 *
 * SPDX-License-Identifier: MIT */
#ifndef ROBUST_SEARCH_H
#define ROBUST_SEARCH_H

#include "base/err.h"
#include "base/limit.h"
#include "execute/interleaving.h"

struct search_limits {
    uint32_t members; // at most
    uint32_t slots;   // rows a table, at most
    double seconds;   // a query of the solver
    struct limit all;
};

enum finding_kind { FINDING_NONE, FINDING_ANOMALY, FINDING_UNKNOWN };

struct finding {
    enum finding_kind kind;
    enum level level;
    struct dataset initial;
    uint32_t n;
    struct instance members[INTERLEAVING_MOST];
    struct interleaving interleaving; // what happened
    struct arena arena;

    // What it took.
    uint32_t sequences, queries, rounds, slots;
    uint32_t gave_up;     // sequences that were not decided
    uint32_t mismatches;  // models that did not happen when they were run
    uint32_t unconfirmed; // anomalies that 'check' did not see (record.h)
};

/* Look for an anomaly in all sequences of functions; to be freed in any case.
 * The delayed or interrupted member comes last at si and pc, first at rc.
 *
 *   error  ERR_FEATURE where Z3 cannot be loaded */
bool search_all(const struct program *p, enum level level,
                const struct search_limits *limits, struct finding *out,
                struct err *err);

/* The same in one sequence. */
bool search_sequence(const struct program *p, enum level level,
                     const struct function *const *functions, uint32_t n,
                     uint32_t slots, const struct search_limits *limits,
                     struct finding *out, struct err *err);

void finding_free(struct finding *f);

#endif
