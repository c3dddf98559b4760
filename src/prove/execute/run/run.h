/* run.h -- one transaction, run on concrete data.
 *
 * This is the meaning of programs: three-valued logic, constraints, aborts,
 * and what a transaction observes and changes.  What the symbolic executor
 * finds is believed only after it happened here, so nothing is shared with it
 * but the IR.
 *
 * A transaction does not choose what it reads: before each statement it asks
 * for a view.  At snapshot isolation that is the same state every time, at
 * read committed the newest one, and a statement that has waited for a lock
 * sees two: it chooses rows in the old one and changes them in the new one.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PROVE_EXECUTE_RUN_RUN_H
#define PROVE_EXECUTE_RUN_RUN_H

#include "prove/execute/dataset.h"

/* A function with its arguments and generated values. */
struct instance {
    const struct function *function;
    struct datum *arguments;
    struct datum *inputs; // inputs_each for each site
    uint32_t inputs_each;
};

/* What a statement sees, without the transaction's own changes. */
struct view {
    const struct dataset *now;
    const struct dataset *before; // of a statement that waited, else NULL
    // Rows of 'before' that were deleted meanwhile, also where one with the
    // same key is there again; NULL: none.  They are not found.
    const struct dataset *lost;
};

/* Where views come from.  'number' counts the statements that were run. */
struct views {
    void *context;
    /* Give the view; false stops the transaction before the statement. */
    bool (*next)(void *context, uint32_t number, const struct statement *s,
                 struct view *out);
    /* Where it is not NULL: asked between the parts of an INSERT, for what it
     * sees of the rest: when it has evaluated what it reads, between two rows,
     * and before foreign keys are checked.  false stops the transaction. */
    bool (*later)(void *context, const struct statement *s, struct view *out);
    /* Where it is not NULL: a statement is about to run, with the variables
     * and the count of inputs used of each site as they are. */
    void (*trace)(void *context, const struct statement *s,
                  const struct datum *variables, const uint32_t *used);
};

enum run_end {
    RUN_COMMITS,
    RUN_ABORTS,    // by itself: an exception, a constraint, a division by 0
    RUN_STOPPED,   // by its views
    RUN_UNCERTAIN, // SQL leaves open what happens, or a bound was reached
};

/* A value or more that a statement showed: of a SELECT the row and FOUND, of
 * a loop all rows, of RETURN the value. */
struct observation {
    const struct statement *statement;
    size_t first, n; // in 'values'
};

/* A row that a statement read, or the whole table where it asked for rows
 * without naming a key. */
struct run_read {
    const struct statement *statement;
    uint32_t step; // how many statements had run before
    uint32_t table;
    bool whole;
    bool chosen; // to be changed or locked, and so read again after a wait
    size_t row;  // where its values begin in 'values'; only the key counts
    // Of a condition on rows: what it is, on which source of which query (NULL:
    // of an UPDATE or DELETE), with the variables as they were.
    bool condition;
    const struct expr *where;
    const struct query *query;
    uint32_t source;
    size_t variables; // where they begin in 'values'
    size_t changes;   // that the transaction had made before
};

/* Rows that a constraint looked for: those of the table that have, in some
 * columns, the values of a row that was written or removed. */
struct checking {
    uint32_t step, table, line;
    const struct columns *columns; // NULL: the row itself, by its key
    const struct columns *of;      // where the values are in the row
    size_t row;                    // where it begins in 'values'
    size_t changes;                // that the transaction had made before
};

struct lock_held {
    uint32_t table;
    enum lock mode;
    size_t row; // where its values begin in 'values'
};

struct run {
    enum run_end end;
    uint32_t aborted_at; // line
    uint32_t statements; // that were run
    struct changes changes;
    VEC(struct observation) observations;
    VEC(struct datum) values;
    VEC(struct lock_held) locks;   // rows read FOR UPDATE or FOR SHARE
    VEC(struct lock_held) refused; // rows that ON CONFLICT met
    VEC(struct run_read) readings;
    VEC(struct checking) checkings;
};

/* Run t; 'out' is all-zero or a run before it, and to be freed. */
void run_instance(const struct program *p, const struct instance *t,
                  const struct views *views, struct run *out);
void run_free(struct run *r);

/* Run t on one state. */
void run_on(const struct program *p, const struct instance *t,
            const struct dataset *state, struct run *out);

/* Whether two runs of one instance saw the same. */
bool run_same_observations(const struct run *a, const struct run *b);

/* Whether the state satisfies the constraints and the invariants. */
bool dataset_is_legal(const struct dataset *s);

#endif
