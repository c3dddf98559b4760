/* ladder_run.h -- the state of one run through the list of strategies.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CHECK_LADDER_LADDER_RUN_H
#define CHECK_LADDER_LADDER_RUN_H

#include "check/check.h"
#include "strong/decision.h"
#include "strong/estimated_order.h"

/* A run decides one strong level, or several weak ones together.
 *
 *   (L1) certificates[l] claims nothing for each l of 'left'
 *   (L2) 'own' is a decision of 'level', 'serial' one of ser, or NULL */
struct ladder_run {
    const struct history *h;
    const struct check_options *o;
    bool flawed; // there are inconsistent reads: every level is violated
    bool weak;   // the levels are weak ones
    level_set levels, left;
    enum level level; // the strong level; pc, whose order serves, for weak ones
    struct budget *budget;
    struct certificate *certificates; // by level
    struct ladder_stats *stats;

    // About the history, found when first asked for.
    bool has_facts;
    bool many_writers;    // estimated times may lead to an order
    bool one_value;       // running the history may break nothing
    bool small_ambiguous; // a serial order is the easiest to find

    // Shared by several rows.
    bool tried_certain, tried_snapshot, tried_partial;
    unsigned weak_turns; // of the weak engine, after its first
    struct estimated_order estimated;
    bool has_estimate;
    struct decision *serial, *own;
    uint64_t serial_left; // steps of 'serial'
    bool needs_record;    // violated; the proof needs the removed candidates
};

#endif
