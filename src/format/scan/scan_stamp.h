/* scan_stamp.h -- timestamps of servers: "448719026770149417", or with a
 * logical part after a point, "1691420095436341.61".
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_SCAN_SCAN_STAMP_H
#define FORMAT_SCAN_SCAN_STAMP_H

#include "format/scan/decimal.h"
#include "format/scan/scan.h"
#include "history/history.h"

#include <string.h>

#define SCAN_STAMP                                                             \
    "a timestamp, such as 448719026770149417 or \"1691420095.61\""

/* Parse all of the text; each part has 64 bits. */
static inline bool
scan_stamp_parse(struct span text, struct stamp *out)
{
    const char *point = text.n ? memchr(text.at, '.', text.n) : NULL;
    const size_t n = point ? (size_t)(point - text.at) : text.n;
    *out = (struct stamp){0, 0};
    return n && parse_decimal(text.at, n, &out->physical) &&
           (!point ||
            (n + 1 < text.n &&
             parse_decimal(point + 1, text.n - n - 1, &out->logical))) &&
           !stamp_is_none(*out);
}

#endif
