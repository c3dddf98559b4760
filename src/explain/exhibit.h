/* exhibit.h -- the operations that make an inconsistent read what it is.
 *
 * SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_EXHIBIT_H
#define EXPLAIN_EXHIBIT_H

#include "explain/reduce.h"

struct exhibit {
    const struct history *h;
    u32_vec txns, ops; // in ascending order, after exhibit_make
    u32_vec values;    // elements of lists that matter
};

/* Gather what the flaw is about. */
void exhibit_gather(struct exhibit *e, const struct flaw *f);

/* The reduced history, whose lists have only the elements that matter; should
 * the operations shown not make the flaw, with all operations of their
 * transactions.  e->ops are the operations it has. */
bool exhibit_make(struct exhibit *e, struct reduced *out, struct err *err);

/* The same with the lists as they were read.  Who counts only because of
 * somebody left out is committed there. */
bool exhibit_complete(const struct exhibit *e, struct history *out,
                      struct err *err);

void exhibit_free(struct exhibit *e);

#endif
