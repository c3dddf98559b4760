/* flaw_ops.h -- the operations that make an inconsistent read what it is.
 *
 * SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_FLAW_OPS_H
#define EXPLAIN_FLAW_OPS_H

#include "explain/reduce/reduce.h"

struct flaw_ops {
    const struct history *h;
    u32_vec txns, ops; // in ascending order, after flaw_ops_make
    u32_vec values;    // elements of lists that matter
};

/* Gather what the flaw is about. */
void flaw_ops_gather(struct flaw_ops *e, const struct flaw *f);

/* The reduced history, whose lists have only the elements that matter; should
 * the operations shown not make the flaw, with all operations of their
 * transactions.  e->ops are the operations it has. */
bool flaw_ops_make(struct flaw_ops *e, struct reduced *out, struct err *err);

/* The same with the lists as they were read.  A transaction that counts only
 * because of one that is left out is committed there. */
bool flaw_ops_complete(const struct flaw_ops *e, struct history *out,
                       struct err *err);

void flaw_ops_free(struct flaw_ops *e);

#endif
