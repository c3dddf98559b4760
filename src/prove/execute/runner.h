/* runner.h -- a transaction in progress; private to this folder.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PROVE_EXECUTE_RUNNER_H
#define PROVE_EXECUTE_RUNNER_H

#include "prove/execute/run/run.h"

struct runner {
    const struct program *program;
    const struct instance *instance; // NULL: only constraints are evaluated
    const struct views *views;
    struct run *out;

    struct dataset mine;  // what the statement sees, with own changes
    struct dataset fresh; // of a statement that waited: the new rows
    const struct dataset *lost;
    bool waited;
    bool failed; // the rest does nothing; out->end says why

    struct datum *variables;
    const struct datum **bound;     // the row of each source
    const struct datum *aggregates; // of the query whose targets are evaluated
    uint32_t *used;                 // inputs of each site
    struct arena arena;             // of query results
    const struct statement *statement; // that runs
};

/* The rows of a query. */
struct result {
    struct datum *cells; // n * n_targets, in order
    size_t n;
    uint32_t width;
    bool tied; // the first row is not the only one that could be first
};

/* Stop: the transaction aborts, or SQL does not say what happens. */
void runner_abort(struct runner *r);
void runner_give_up(struct runner *r);

struct datum runner_evaluate(struct runner *r, const struct expr *e);
bool runner_holds(struct runner *r, const struct expr *e); // NULL: true
void runner_query(struct runner *r, const struct query *q, struct result *out);

/* Take the view for a statement that reads or writes tables. */
void runner_begin(struct runner *r, const struct statement *s);
void runner_observe(struct runner *r, const struct statement *s,
                    const struct datum *values, size_t n);
/* Note which rows a statement has read: one, or those a condition is about.
 * 'chosen': the statement changes or locks it. */
void runner_note_row(struct runner *r, const struct statement *s,
                     uint32_t table, const struct datum *row, bool chosen);
void runner_note_condition(struct runner *r, const struct statement *s,
                           const struct query *q, uint32_t source,
                           const struct expr *where);
/* Note what a constraint looks for; see struct checking. */
void runner_note_check(struct runner *r, uint32_t table,
                       const struct columns *columns, const struct datum *row,
                       uint32_t width, const struct columns *of);
void runner_set_found(struct runner *r, bool found);
/* Put a row (NULL: no row) into the variables of the statement. */
void runner_take_row(struct runner *r, const struct statement *s,
                     const struct datum *cells);

/* After a wait, the number of the row among those that are there now; SIZE_MAX
 * where it is gone. */
size_t runner_find_again(const struct runner *r, uint32_t table,
                         const struct datum *row);

void runner_update(struct runner *r, const struct statement *s);
void runner_delete(struct runner *r, const struct statement *s);
void runner_insert(struct runner *r, const struct statement *s);

/* Whether the row keeps NOT NULL and CHECK, which hold when they are not
 * false. */
bool runner_keeps_checks(struct runner *r, uint32_t table,
                         const struct datum *row);

/* Abort unless a row of which the columns 'set' are new keeps NOT NULL, CHECK
 * and UNIQUE; unless the rows that it refers to are there; or unless no row
 * refers to one that was removed. */
void runner_check_values(struct runner *r, uint32_t table,
                         const struct datum *row, uint64_t set);
void runner_check_parents(struct runner *r, uint32_t table,
                          const struct datum *row, uint64_t set);
void runner_check_removed(struct runner *r, uint32_t table,
                          const struct datum *row);
/* Whether two rows have the same unique values. */
bool runner_is_taken(const struct runner *r, uint32_t table,
                     const struct datum *a, const struct datum *b);

#endif
