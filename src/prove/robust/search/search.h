/* search.h -- looking for an anomaly among a few transactions and rows.
 *
 * A sequence of functions is run on symbols in the shape that the level calls
 * for.  A model is a candidate; it is run again on concrete data, in that
 * shape and in every serial order.  Where no order explains it, and 'check'
 * finds its history allowed by the level and not serializable (record.h), it
 * is an anomaly, and a fact as far as the interpreter is right.  Where an order
 * does, the solver is told to differ from it, and goes on.
 *
 * Where a cycle of dependencies is enough, it has to be there when the model is
 * run, and 'check' has to find the history allowed by the level.
 *
 * For the shapes see interleaving.h.  At si, pc and rc it is enough to look at
 * one transaction that is delayed or interrupted.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PROVE_ROBUST_SEARCH_SEARCH_H
#define PROVE_ROBUST_SEARCH_SEARCH_H

#include "base/err.h"
#include "base/limits/limit.h"
#include "prove/execute/interleaving.h"
#include "prove/robust/proof/proof_log.h"

struct search_limits {
    uint32_t members; // at most
    // And of sequences in which each member can depend on the one before, where
    // one is delayed or interrupted; at most 'members': no others.
    uint32_t chained;
    uint32_t slots; // rows a table, at most
    double seconds; // of work for a query of the solver
    struct limit all;
    struct proof_log *log; // where a proof's queries are kept; NULL: nowhere
    // A cycle of dependencies is an anomaly, whether or not anybody can observe
    // it (dependency.h).
    bool graph;
};

enum finding_kind { FINDING_NONE, FINDING_ANOMALY, FINDING_UNKNOWN };

struct finding {
    enum finding_kind kind;
    const struct level_choice *isolation; // borrowed
    enum shape shape;
    struct dataset initial;
    uint32_t n;
    struct instance members[INTERLEAVING_MOST];
    struct interleaving interleaving; // what happened
    struct arena arena;
    bool graph; // dependencies form a cycle; a serial order may explain it

    // What it took.
    uint32_t sequences, queries, rounds, slots;
    uint32_t gave_up;     // sequences that were not decided
    uint32_t mismatches;  // models that did not happen when they were run
    uint32_t unconfirmed; // anomalies that 'check' did not see (record.h)
};

/* Several anomalies, each allocated for itself. */
struct findings {
    VEC(struct finding *) all;
};

/* What is looked at, and how. */
struct anomaly_search {
    const struct program *program;
    const struct level_choice *isolation;
    const struct search_limits *limits;
    struct findings *each; // NULL: the first anomaly is enough
};

/* Look for an anomaly in all sequences of functions; to be freed in any case.
 * A delayed member comes last, an interrupted one first.
 *
 *   error  ERR_FEATURE where Z3 cannot be loaded */
bool search_all(const struct program *p, const struct level_choice *isolation,
                const struct search_limits *limits, struct finding *out,
                struct err *err);

/* Collect anomalies instead: of each sequence one for each way through its
 * functions, and of sequences that have a part with an anomaly none.  'out'
 * says what it took, and is UNKNOWN where something was left undecided. */
bool search_each(const struct program *p, const struct level_choice *isolation,
                 const struct search_limits *limits, struct findings *each,
                 struct finding *out, struct err *err);

/* The same in one sequence, in one shape. */
bool search_sequence(const struct anomaly_search *search, enum shape shape,
                     const struct function *const *functions, uint32_t n,
                     uint32_t slots, struct finding *out, struct err *err);

void finding_free(struct finding *f);
void findings_free(struct findings *f);

#endif
