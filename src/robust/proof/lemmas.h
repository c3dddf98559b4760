/* lemmas.h -- how states can change while programs run, whatever they do.
 *
 * SPDX-License-Identifier: MIT */
#ifndef ROBUST_PROOF_LEMMAS_H
#define ROBUST_PROOF_LEMMAS_H

#include "robust/symbolic/symbolic.h"

struct table_lemmas {
    bool keeps_rows;    // none is ever deleted
    bool adds_no_rows;  // none is ever inserted
    uint64_t constant;  // columns that never change while the row is there
    uint64_t increases; // columns that never decrease
};

/* What the statements of all functions say of each table; to be freed with
 * mem_free. */
struct table_lemmas *lemmas_find(const struct program *p);

/* Assert that 'after' can come of 'before'. */
void lemmas_assert(struct symbolic *s, const struct table_lemmas *lemmas,
                   const struct contents *before, const struct contents *after);

#endif
