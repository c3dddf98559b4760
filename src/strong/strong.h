/* strong.h -- deciding pc, psi, si, ser, strict-si and strict-ser.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STRONG_STRONG_H
#define STRONG_STRONG_H

#include "base/limits/budget.h"
#include "evidence/certificate.h"

/* A search that has not succeeded soon asks its caller, and later once more,
 * whether to go on.  True ends it, because the caller has found what it needs.
 * NULL: it does not ask. */
enum strong_pause_at { STRONG_PAUSE_FIRST, STRONG_PAUSE_SECOND };
struct strong_pause {
    bool (*settle)(void *self, enum strong_pause_at at);
    void *self;
};

/* Each optimisation can be turned off, to measure what it is worth; no answer
 * depends on any of them. */
struct strong_options {
    bool recorded_order; // try the order of the input first
    bool saturate;       // infer what is certain before anything is guessed
    bool prune;        // strike out writers that an ambiguous read cannot have
    bool schedule;     // first order by replaying; else by depth in the graph
    bool backtracking; // run small ambiguous histories by trial and error
    bool leave_open;   // decide only what the order breaks
    bool phases;       // remember the signs of variables
    bool restarts;
    bool step_back;      // undo one decision where a conflict could undo many
    bool bidirectional;  // run them from both ends at once
    bool psi_by_si;      // try si before psi
    bool stronger_first; // try ser before pc, psi and si, where it is easier
    bool record_struck;  // record strikes at once, not in a second run
    uint32_t many_candidates; // of a read, that are pruned by bounds
    uint32_t near_candidates; // of a value, on average, from which orders near
                              // estimated times are tried; 0 = never
    uint32_t run_first; // candidates of all reads, beyond which the history is
                        // run before anything is inferred; 0 = never
    uint32_t near_span; // how near: so many transactions of each session
    uint32_t window;    // versions on either side that saturation looks at
    uint32_t horizon;   // points that saturation knows the paths between
    uint32_t rounds;    // of saturation; 0 = as many as pay
    uint32_t cover;     // sessions beyond which clocks are on a cover
    uint32_t recheck;   // where one point of so many has moved, all of an order
                        // is checked again
    uint32_t init_edges; // of reads of initial values, beyond which those that
                         // follow from others are left out
    struct strong_pause pause;
};

extern const struct strong_options strong_defaults;

struct strong_stats {
    uint64_t points, known_edges, inferred_edges;
    uint64_t ambiguous_before, ambiguous_after; // reads
    uint64_t candidates_struck;
    uint64_t saturation_rounds, clock_rebuilds;
    uint64_t broken_first; // reads and pairs that the first order breaks
    uint64_t search_rounds, variables, clauses, carried_edges;
    uint64_t conflicts, decisions, propagations, theory_conflicts, restarts;
    uint64_t cycles, cycle_hops, cycle_literals;
    uint64_t proof_steps, proof_edges;
    double build, saturating, ordering, searching, proving; // CPU seconds
};

/* Decide whether h, whose inconsistent reads are left out, satisfies l.
 *
 * Fills *out with the verdict and its evidence: EVIDENCE_ORDER, EVIDENCE_PROOF,
 * or, where the budget is spent, nothing.  The caller frees it.  'stats' may be
 * NULL.
 *
 *   require  l is one of the six; h has times where l is strict
 *   time     near linear in operations times sessions, unless the history
 *            leaves many questions open: the problem is NP-complete */
void strong_check(const struct history *h, enum level l,
                  const struct strong_options *options, struct budget *budget,
                  struct certificate *out, struct strong_stats *stats);

#endif
