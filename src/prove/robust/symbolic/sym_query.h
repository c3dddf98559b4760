/* sym_query.h -- a query that is being built; private to sym_*.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PROVE_ROBUST_SYMBOLIC_SYM_QUERY_H
#define PROVE_ROBUST_SYMBOLIC_SYM_QUERY_H

#include "prove/robust/symbolic/runs.h"

/* What is being built. */
struct building {
    struct sym_runner *r;
    const struct query *q;
    struct sym_rows *rows;
    struct symbol *order;  // n * n_order
    struct symbol *values; // n * n_aggregates: their arguments
    uint32_t at;
    const struct cell_row **ghosts; // of each source, or NULL
    struct symbol *totals;          // of the aggregates
};

/* Whether the row of source i is the one that stands for the rest. */
bool sym_is_ghost(const struct building *b, uint32_t i, uint32_t slot);

/* The one row of a query with aggregates. */
void sym_aggregate(struct building *b);
/* Only rows up to the minimum, or from the maximum on, matter to the read. */
void sym_note_extreme(struct building *b, size_t read);

#endif
