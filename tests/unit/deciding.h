/* deciding.h -- one strong level decided by the list of strategies, and random
 * options for that.
 *
 * SPDX-License-Identifier: MIT */
#ifndef TESTS_DECIDING_H
#define TESTS_DECIDING_H

#include "base/random.h"
#include "check/ladder/ladder.h"
#include "check/ladder/strategies.h"

/* 'budget' and 'stats' may be NULL.  The caller frees *out. */
static inline void
decide_level(const struct history *h, enum level l,
             const struct strong_options *strong, struct budget *budget,
             struct certificate *out, struct ladder_stats *stats)
{
    const struct check_options o = {.threads = 1, .strong = *strong};
    struct certificate certificates[LEVELS] = {0};
    struct ladder_stats unused;
    ladder_decide(h, &o, false, 1u << l, budget, certificates,
                  stats ? stats : &unused);
    *out = certificates[l];
}

/* Switch off a random half of all strategies and techniques, with numbers that
 * make small histories take the ways of large ones. */
static inline struct strong_options
random_strong_options(struct random *r)
{
    struct strong_options o = strong_defaults;
    for (size_t i = 0; i < strategy_count; i++)
        if (random_below(r, 2))
            o.without |= strategy_bit(strategy_table[i].name);
    for (size_t i = 0; i < technique_count; i++)
        *(bool *)((char *)&o + technique_table[i].offset) = random_below(r, 2);
    o.record_max = random_below(r, 2) ? 4000000 : (uint32_t)random_below(r, 3);
    o.many_candidates = (uint32_t)random_below(r, 4);
    o.near_candidates = 1 + (uint32_t)random_below(r, 2);
    o.near_span = (uint32_t)random_below(r, 2);
    o.window = (uint32_t)random_below(r, 4);
    o.horizon = 1u << random_below(r, 8);
    o.rounds = (uint32_t)random_below(r, 3);
    o.cover = random_below(r, 2) ? 500 : (uint32_t)random_below(r, 3);
    o.recheck = random_below(r, 4) ? 1 : 4;
    o.init_edges = random_below(r, 2) ? 0 : 20000;
    return o;
}

#endif
