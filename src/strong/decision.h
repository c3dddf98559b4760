/* decision.h -- one level decided in stages that can be interrupted: build,
 * sort, infer, find a first order, search.
 *
 * The caller chooses how far to go and with how many steps, may do something
 * else, and goes on later.  A decision without a record of removed candidates
 * finds orders and proves nothing.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STRONG_DECISION_H
#define STRONG_DECISION_H

#include "strong/strong.h"

enum decision_stage {
    DECISION_BUILT,
    DECISION_SORTED,      // the known graph is sorted, or has a cycle
    DECISION_INFERRED,    // all certain edges are known; no conflict
    DECISION_ORDERED,     // a first order was found, and it breaks something
    DECISION_FIRST_TURN,  // the solver had its first conflicts
    DECISION_SECOND_TURN, // order searches had their first efforts
    DECISION_ENDED,       // decided, or out of steps
};

struct decision;

/* Build the problem of h at level l.  'stats' may be NULL. */
struct decision *decision_new(const struct history *h, enum level l,
                              const struct strong_options *options,
                              struct strong_stats *stats);
void decision_free(struct decision *d); // d may be NULL

/* Change a problem that was just built: record removed candidates or not; let
 * it prove nothing; or leave out all reads with several candidates. */
void decision_record(struct decision *d, bool record);
void decision_prove_nothing(struct decision *d);
void decision_leave_out_choices(struct decision *d);

/* Go on to that stage, or to the end.  True at the end: *out, which must claim
 * nothing before, has the verdict, unless the steps are spent or the proof
 * needs a record of the removed candidates. */
bool decision_advance(struct decision *d, enum decision_stage to,
                      struct budget *budget, struct certificate *out);

enum decision_stage decision_stage(const struct decision *d);
bool decision_has_conflict(const struct decision *d); // once it is sorted
bool decision_is_recorded(const struct decision *d);
bool decision_needs_record(const struct decision *d);

/* Run the history before anything is inferred.  True with *out the certificate
 * where that breaks nothing.
 *
 *   require  d is built, and the level is not psi */
bool decision_replay(struct decision *d, struct budget *budget,
                     struct certificate *out);

/* Take the transactions in a given order as the order of versions at psi.  True
 * with *out the certificate where that satisfies the level.
 *
 *   require  d is sorted without a conflict, and the level is psi */
bool decision_try_psi(const struct decision *d, const txn_id *order, uint32_t n,
                      struct certificate *out);

#endif
