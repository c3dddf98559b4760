/* counters.h -- the counters and times of the engines, for --stats.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CLI_COUNTERS_H
#define CLI_COUNTERS_H

#include "check/check.h"

/* Print the counters that are not zero on stderr, one per line. */
void counters_show(const struct level_result *r);
void counters_show_time(const char *name, double seconds);

#endif
