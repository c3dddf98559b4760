/* quantity.h -- numbers with units, as people write them.
 *
 * One parser for everything a user can give: options, faults, and the
 * parameters of targets.  A number has digits, perhaps a fraction, and perhaps
 * a unit: '250', '1.5k', '10ms', '512MiB', '25%'.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BASE_QUANTITY_H
#define BASE_QUANTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum quantity_kind {
    QUANTITY_COUNT,   // k, M, G, T: powers of 1000
    QUANTITY_BYTES,   // k, M, G, T, also with B or iB: powers of 1024
    QUANTITY_SECONDS, // us, ms, s, m or min, h; plain numbers are seconds
    QUANTITY_SHARE,   // %, or a number such as 0.25
    QUANTITY_REAL,    // no unit
};

/* The units of a kind, for messages and help: "k, M, G or T"; "" if none. */
const char *quantity_units(enum quantity_kind kind);

/* Parse the first n bytes of text, all of them.  False if they are no such
 * number, and *out is left alone. */
bool quantity_parse(const char *text, size_t n, enum quantity_kind kind,
                    double *out);

/* The same where only a whole number will do; exact up to 2^64 - 1. */
bool quantity_parse_whole(const char *text, size_t n, enum quantity_kind kind,
                          uint64_t *out);

#endif
