/* scan_time.h -- times of ISO 8601, as nanoseconds since 1970.
 *
 *     2026-11-16T10:00:00.125Z   2026-11-16 11:00:00+01:00
 *
 * Times without a zone are taken to be of UTC.  They cannot be compared with
 * times that have one, nor with numbers, so a reader uses one clock only.
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_SCAN_SCAN_TIME_H
#define FORMAT_SCAN_SCAN_TIME_H

#include "format/scan/scan.h"

enum scan_clock {
    CLOCK_NONE, // no time has been read yet
    CLOCK_NUMBER,
    CLOCK_ZONE,  // dates with a zone
    CLOCK_LOCAL, // dates without a zone
};

/* Parse all of 'text'.  False if it is not a time between 1678 and 2261. */
bool scan_time_parse(struct span text, int64_t *out, enum scan_clock *clock);

/* Whether a time of clock 'found' can follow those of *clock, which becomes
 * 'found' if there were none. */
bool scan_clock_agrees(enum scan_clock *clock, enum scan_clock found);

#endif
