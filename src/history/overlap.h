/* overlap.h -- which transactions ran at the same time and touched the same
 * keys, and so how often each anomaly could have shown.
 *
 * A level holds of every history without conflicts, so a verdict 'ok' is worth
 * as much as the conflicts that it survived.  A chance of an anomaly is a
 * constellation in which a database without any isolation could have shown it:
 * for a lost update, two overlapping transactions that both read and wrote a
 * key.
 *
 * Aborted transactions take part: many were aborted to prevent an anomaly, and
 * a database without isolation would have let them commit.
 *
 * Where the history has no times, any two transactions of different sessions
 * may have overlapped, and are counted as if they had.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_OVERLAP_H
#define HISTORY_OVERLAP_H

#include "history/history.h"

enum overlap_chance {
    CHANCE_ABORTED_READ, // pairs: one read a key that an aborted one wrote
    CHANCE_INTERMEDIATE, // pairs: one read a key that one wrote twice
    CHANCE_FRACTURED,    // pairs: one read two keys that one wrote
    CHANCE_SESSION,      // reads of a key that the session used before
    CHANCE_LONG_FORK,    // readers of keys that two others wrote
    CHANCE_LOST_UPDATE,  // pairs that both read and wrote a key
    CHANCE_WRITE_SKEW,   // pairs: each read a key that the other one wrote
    CHANCES
};

struct overlap {
    bool has_times;
    bool is_partial;       // the counts are at least these: work was bounded
    uint64_t committed;    // transactions with an operation (tested.h)
    uint64_t transactions; // that were compared
    uint64_t pairs;        // that overlapped
    uint64_t conflicts;    // of these: with a key in common that one wrote
    uint64_t chances[CHANCES];
};

/* Count, in at most 'work' steps; a step compares two operations or so. */
void overlap_count(const struct history *h, uint64_t work, struct overlap *out);

#endif
