/* names.h -- what others call isolation levels, and which of ours fits.
 *
 * Every level here respects session order.  Adya's PL-1 to PL-3, 1SR and
 * Elle's plain names do not: such a name fits one of our levels only when
 * session order is ignored, and is refused with a hint otherwise.
 *
 * SPDX-License-Identifier: MIT */
#ifndef LEVEL_NAMES_H
#define LEVEL_NAMES_H

#include "base/err.h"
#include "level/level.h"

enum name_fit {
    FIT_SAME,             // another name of the level
    FIT_WITHOUT_SESSIONS, // the level, with session order ignored
    FIT_CLOSEST,          // no level here is the same; this one comes closest
};

struct level_name {
    const char *name;  // one word for -l, or words for people
    const char *whose; // "Adya", "Elle", "PostgreSQL", ...
    enum name_fit fit;
    enum level level;
    const char *note; // how it differs; "" where it does not
};

extern const struct level_name level_names[]; // ends in a row without a name

/* Parse a comma-separated list of names, in any case.  "all" stands for every
 * level from rc up, the strict ones among them, and sets LEVEL_SET_ALL.
 * Without session_order, names of levels without it are understood too. */
bool level_parse_list(const char *text, bool session_order, level_set *out,
                      struct err *err);

// In a level_set: strict levels are wanted only where there are times.
#define LEVEL_SET_ALL (1u << 31)

#endif
