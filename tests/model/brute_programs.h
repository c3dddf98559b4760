/* brute_programs.h -- programs by trial: random data, arguments and schedules.
 *
 * SPDX-License-Identifier: MIT */
#ifndef MODEL_BRUTE_PROGRAMS_H
#define MODEL_BRUTE_PROGRAMS_H

#include "base/random.h"
#include "execute/interleaving.h"

/* Try so many random executions of k transactions at a level, each on random
 * rows with keys and values from small domains; at rc statement by statement,
 * with locks and waiting.  Return how many were anomalies. */
uint32_t brute_programs(const struct program *p, enum level level, uint32_t k,
                        uint32_t tries, struct random *random);

#endif
