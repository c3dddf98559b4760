/* lemmas.h -- how states can change while programs run, whatever they do.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PROVE_ROBUST_PROOF_LEMMAS_H
#define PROVE_ROBUST_PROOF_LEMMAS_H

#include "prove/robust/search/search.h"
#include "prove/robust/symbolic/symbolic.h"

struct table_lemmas {
    bool deletes;       // some statement does
    bool keeps_rows;    // but the row is there again when the function ends
    bool adds_no_rows;  // none is ever inserted
    uint64_t constant;  // columns that never change while the row is there
    uint64_t increases; // columns that never decrease
    uint64_t decreases; // columns that never increase
};

/* What the statements of all functions say of each table; to be freed with
 * mem_free. */
struct table_lemmas *lemmas_find(const struct program *p);

/* Ask the solver of which tables rows are deleted only to be inserted again.
 *
 *   error  ERR_FEATURE where Z3 cannot be loaded */
bool lemmas_ask(const struct program *p, const struct search_limits *limits,
                struct table_lemmas *all, struct err *err);

/* Assert that 'after' can come of 'before'. */
void lemmas_assert(struct symbolic *s, const struct table_lemmas *lemmas,
                   const struct contents *before, const struct contents *after);

#endif
