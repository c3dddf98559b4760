/* limit.h -- the limits a user sets, and asking whether they are reached.
 *
 * Long loops call limit_reached now and then; an engine that finds it true
 * gives up with the verdict 'unknown'.  Zero means no limit.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BASE_LIMIT_H
#define BASE_LIMIT_H

#include <stdbool.h>
#include <stddef.h>

struct limit {
    double deadline; // on the clock of time_now(); 0 = none
    size_t memory;   // bytes of mem_in_use(); 0 = none
};

/* Seconds on a monotonic clock; seconds of CPU time of the whole process. */
double time_now(void);
double time_cpu(void);

/* Wait that long. */
void time_pause(double seconds);

bool limit_reached(const struct limit *limit);

#endif
