/* first_run.h -- the history run like a store, before anything is inferred.
 *
 * Where values have hundreds of writers, hardly anything is certain, and to
 * strike out the writers that a read cannot have read from takes longer than
 * all the rest.  But if a key has one such value, any of its writers may have
 * been the last, and the history is mostly easy to run.  So it is run
 * (order/schedule.h): serially, which is cheapest and answers for all levels
 * below, and if that breaks something, at the level itself.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STRONG_FIRST_RUN_H
#define STRONG_FIRST_RUN_H

#include "strong/strong.h"

/* Whether the reads of h have more candidates in all than 'most'.
 *
 *   time   O(operations) */
bool first_run_has_candidates(const struct history *h, uint64_t most);

/* Whether h has so many candidates that running it first pays. */
bool first_run_suits(const struct history *h,
                     const struct strong_options *options);

/* Run h.  If an order breaks nothing, *out becomes a certificate of its level;
 * otherwise *out stays as it is, and nothing follows.
 *
 *   require  first_run_suits(); out->level is pc, psi, si or ser
 *   time     near linear */
bool first_run_try(const struct history *h,
                   const struct strong_options *options, struct budget *budget,
                   struct certificate *out);

#endif
