/* printing.h -- a statement that is being printed; private to print*.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PROVE_EXECUTE_PRINTING_H
#define PROVE_EXECUTE_PRINTING_H

#include "prove/execute/print/print.h"

struct printing {
    struct buf *out;
    const struct program *program;
    const struct table *table;       // whose constraint this is, or NULL
    const struct instance *instance; // otherwise
    const struct datum *variables;
    const uint32_t *used;
    uint32_t *more;                 // inputs printed of each site
    bool plain;                     // one table only: names need no table
    bool innodb;                    // in the words of MariaDB
    const struct query *query;      // whose targets are printed
    const struct statement *upsert; // the refused row has a name of its own
};

/* The table of a source, or the one whose constraint is printed. */
const struct table *print_table_of(const struct printing *p, uint32_t source);
void print_expr(struct printing *p, const struct expr *e);
void print_query(struct printing *p, const struct query *q);

#endif
