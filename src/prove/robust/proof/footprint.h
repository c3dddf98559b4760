/* footprint.h -- how many rows of each table a function names.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PROVE_ROBUST_PROOF_FOOTPRINT_H
#define PROVE_ROBUST_PROOF_FOOTPRINT_H

#include "prove/program/ir.h"

struct footprint {
    uint32_t *lookups; // of each table: different keys that are named
    bool *scans;       // of each table: rows are asked for without a key
    bool *scan_writes; // of each table: and changed
    uint32_t repeats;  // the line of a loop or INSERT .. SELECT, or 0
    uint32_t mixed;    // the line of a write or lock with a subquery, of a
                       // lock of several tables or in a loop, or 0
};

void footprint_init(struct footprint *f, const struct program *p,
                    const struct function *function);
void footprint_free(struct footprint *f);

/* Whether the condition names the key of the source's row by values alone,
 * not by other rows. */
bool footprint_is_lookup(const struct expr *where, uint32_t source,
                         const struct table *t, const struct expr **keys);

#endif
