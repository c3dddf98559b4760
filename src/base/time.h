/* time.h -- clocks.
 *
 * Clocks are for limits, for progress and for statistics.  No engine decides by
 * a clock what to do next (base/limits/budget.h).
 *
 * SPDX-License-Identifier: MIT */
#ifndef BASE_TIME_H
#define BASE_TIME_H

/* Seconds on a monotonic clock. */
double time_now(void);

/* Seconds of CPU time of the whole process. */
double time_cpu(void);

/* Seconds of CPU time of this thread. */
double time_thread(void);

/* The clock that measures the cost of work on this many threads. */
double time_work(unsigned threads);

/* Wait for this time. */
void time_pause(double seconds);

#endif
