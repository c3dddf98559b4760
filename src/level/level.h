/* level.h -- the isolation levels: names, aliases and their lattice.
 *
 * SPDX-License-Identifier: MIT */
#ifndef LEVEL_LEVEL_H
#define LEVEL_LEVEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Weakest first as far as they are ordered; psi lies beside pc.
enum level {
    LEVEL_READS, // read consistency, which every other level requires
    LEVEL_RC,
    LEVEL_RA,
    LEVEL_CC,
    LEVEL_PC,
    LEVEL_PSI,
    LEVEL_SI,
    LEVEL_SER,
    LEVEL_STRICT_SI,
    LEVEL_STRICT_SER,
    LEVELS
};

typedef uint32_t level_set; // bit l = level l

struct level_info {
    const char *name, *brief; // "serializable", "ser"
    const char *title;        // "serializability"
    const char *aliases;      // other names of ours, separated by spaces
    const char *meaning;      // one line
    level_set weaker;         // the levels directly below: each follows from it
    bool needs_times;
};

extern const struct level_info level_table[LEVELS];

/* The levels that follow from l, l among them. */
level_set level_implied(enum level l);

/* Parse one name, brief name or alias, in any case. */
bool level_parse(const char *text, size_t len, enum level *out);

#endif
