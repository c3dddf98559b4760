/* ladder_stats.h -- who decided a level, and the cost of each attempt.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CHECK_LADDER_LADDER_STATS_H
#define CHECK_LADDER_LADDER_STATS_H

#include "strong/strong.h"
#include "weak/weak.h"

enum { LADDER_ROWS = 48 };

struct ladder_stats {
    struct weak_stats weak;
    struct strong_stats strong;
    size_t n; // attempts so far
    struct {
        const char *name;
        uint64_t steps; // of a budget
    } attempts[LADDER_ROWS];
    const char *decided_by[LEVELS]; // a strategy; NULL where undecided
};

#endif
