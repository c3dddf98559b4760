/* strong.h -- options and counters of the engines for pc, psi, si, ser,
 * strict-si and strict-ser; check/ladder has the order in which they run.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STRONG_STRONG_H
#define STRONG_STRONG_H

#include "base/err.h"
#include "base/limits/budget.h"
#include "evidence/certificate.h"

/* Each technique can be turned off, to measure what it is worth; no verdict
 * depends on any of them. */
struct strong_options {
    uint64_t without;    // strategies (check/ladder/strategies.h), by name
    bool saturate;       // infer what is certain before anything is guessed
    bool prune;          // remove candidate writers that are impossible
    bool schedule;       // first order by replaying; else by depth in the graph
    bool backtracking;   // search small ambiguous histories by trial and error
    bool leave_open;     // decide only what the order breaks
    bool step_back;      // undo one decision where a conflict could undo many
    bool bidirectional;  // search small ambiguous histories from both ends
    uint32_t record_max; // candidates of all reads, from which on the removed
                         // ones are recorded only where a proof needs them
    uint32_t many_candidates; // reads with this many are pruned by bounds
    uint32_t near_candidates; // average writers per value from which the
                              // estimated-order heuristic runs
    uint32_t near_span;       // margin: transactions of each session
    uint32_t window;  // versions on either side that saturation looks at
    uint32_t horizon; // points that saturation knows the paths between
    uint32_t rounds;  // of saturation; 0 = as many as pay
    uint32_t cover;   // sessions beyond which clocks are on a cover
    uint32_t recheck; // where one point of so many has moved, all of an order
                      // is checked again
    uint32_t init_edges; // of reads of initial values, beyond which those that
                         // follow from others are left out
};

extern const struct strong_options strong_defaults;

/* Change a number, given as NAME=N, a row of base/limits/tuning.h that has a
 * field here, within its bounds. */
bool strong_tune(const char *text, struct strong_options *o, struct err *err);
bool strong_is_tunable(const char *name);

struct strong_stats {
    uint64_t points, known_edges, inferred_edges;
    uint64_t ambiguous_before, ambiguous_after; // reads
    uint64_t candidates_removed;
    uint64_t saturation_rounds, clock_rebuilds;
    uint64_t broken_first; // reads and pairs that the first order breaks
    uint64_t search_rounds, variables, clauses, carried_edges;
    uint64_t conflicts, decisions, propagations, theory_conflicts, restarts;
    uint64_t cycles, cycle_hops, cycle_literals;
    uint64_t proof_steps, proof_edges;
    double build, saturating, ordering, searching, proving; // CPU seconds
};

#endif
