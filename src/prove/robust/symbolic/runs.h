/* runs.h -- a symbolic run in progress; private to symbolic*.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PROVE_ROBUST_SYMBOLIC_RUNS_H
#define PROVE_ROBUST_SYMBOLIC_RUNS_H

#include "prove/robust/symbolic/symbolic.h"

struct loop {
    term exits, continues; // where control left the body early
};

struct sym_runner {
    struct symbolic *s;
    struct terms *t;
    const struct function *function; // NULL: constraints are evaluated
    struct sym_run *run;
    const struct sym_views *views;
    const struct sym_run *same;

    term live;
    term mixed;    // the statement waited, and chooses rows in the older state
    term is_early; // the step is before the split
    // Of each slot of the table that a statement which waited is about: it was
    // chosen, and another transaction has deleted it and inserted it again.
    // NULL: none.
    const term *replaced;
    struct symbol *variables;
    const struct symbol **bound; // the row of each source
    const struct symbol *aggregates;
    struct contents view; // what the statement sees; NULL where not yet asked
    struct contents old;  // what it saw before it waited
    struct loop *loop;    // around the statement
    const struct statement *statement; // that runs
    bool repeats; // abstract: any number of times, so any key may be named
    const bool *scan_writes; // abstract: tables that are written by a scan
};

/* The row of a slot as the statement sees it, own effects included. */
const struct cell_row *sym_row(struct sym_runner *r, uint32_t table,
                               uint32_t slot);
/* The same in the older state of a statement that waits. */
const struct cell_row *sym_old_row(struct sym_runner *r, uint32_t table,
                                   uint32_t slot);

/* The same in the contents that constraints are checked against. */
const struct cell_row *sym_checked_row(struct sym_runner *r, uint32_t table,
                                       uint32_t slot);

/* What a row that was chosen before the wait needs to be chosen after it. */
term sym_still_there(struct sym_runner *r, uint32_t slot, term chosen);

/* Begin a statement that takes a view; 'can_mix' when it can wait. */
void sym_begin(struct sym_runner *r, const struct statement *s, bool can_mix);
/* The same for a statement that runs a query.  A join is decided by several
 * rows together and is one step: see isolation_can_wait. */
void sym_begin_query(struct sym_runner *r, const struct statement *s);
void sym_forget_views(struct sym_runner *r); // own effects have changed

void sym_abort_if(struct sym_runner *r, term condition);
void sym_uncertain_if(struct sym_runner *r, term condition);
void sym_observe(struct sym_runner *r, const struct statement *s, term live,
                 struct symbol value);
void sym_set(struct sym_runner *r, uint32_t variable, struct symbol value);
/* What the variables of a loop over rows are where there is no row: NULL. */
void sym_set_null(struct sym_runner *r, const struct statement *s);
void sym_set_found(struct sym_runner *r, term found);

struct symbol sym_evaluate(struct sym_runner *r, const struct expr *e);
/* Whether a condition (NULL: true) is true. */
term sym_holds(struct sym_runner *r, const struct expr *e);

/* The rows of a query: for each combination of slots whether it is one, and
 * its targets. */
struct sym_rows {
    uint32_t n, width;
    term *match;          // in order: of keys, or as ORDER BY says
    struct symbol *cells; // n * width
    uint32_t *slots;      // n * n_sources
    term tied;            // the first is not the only one that could be first
    term several;         // there is more than one
};
/* 'first': leave only the first one. */
void sym_query(struct sym_runner *r, const struct query *q, bool first,
               struct sym_rows *out);
/* The first row, under the condition that there is one. */
struct symbol sym_first(struct sym_runner *r, const struct sym_rows *rows,
                        uint32_t target);
term sym_any(struct sym_runner *r, const struct sym_rows *rows);

void sym_update(struct sym_runner *r, const struct statement *s);
void sym_delete(struct sym_runner *r, const struct statement *s);
void sym_insert(struct sym_runner *r, const struct statement *s);

/* Parts of them: a copy of a row in the arena, a write that may be before the
 * split, the new value of a column, and what comes of it: RETURNING, INTO,
 * STRICT and FOUND for the slots that were changed, and for the rest. */
struct symbol *sym_copy_row(struct sym_runner *r, uint32_t table,
                            const struct symbol *row);
void sym_note_write(struct sym_runner *r, struct effect *e, term when);
void sym_write_column(struct sym_runner *r, struct effect *e, uint32_t column,
                      term when, struct symbol value);
void sym_update_column(struct sym_runner *r, struct effect *e, uint32_t column,
                       term when, struct symbol old, struct symbol value);
/* UNIQUE is checked row by row: nobody knows what happens where a row takes the
 * values of one that changes in the same statement. */
void sym_check_meanwhile(struct sym_runner *r, uint32_t table,
                         const term *changed, const term *updated,
                         struct symbol *const *rows, struct symbol *const *old);
void sym_finish(struct sym_runner *r, const struct statement *s,
                const term *changed, struct symbol *const *rows, uint32_t n,
                term rest);

/* The columns that an UPDATE sets, as bits. */
uint64_t sym_columns_set(const struct statement *s);
/* Abort where a row of which the columns 'set' are new breaks a constraint; own
 * effects are visible. */
void sym_check_row(struct sym_runner *r, uint32_t table, uint32_t slot,
                   term when, uint64_t set);
/* Abort where a row still points to one that was removed. */
void sym_check_removed(struct sym_runner *r, uint32_t table,
                       const struct symbol *row, term when);
/* The same for a row that is no slot, and is inserted. */
void sym_check_unnamed(struct sym_runner *r, uint32_t table,
                       const struct symbol *row, term when);
/* Abstract: constraints are checked for rows that are no slots, too; of these
 * checks nothing is known. */
void sym_check_rest(struct sym_runner *r, const struct statement *s, term when);

/* The condition that a row breaks NOT NULL or CHECK. */
term sym_breaks_checks(struct sym_runner *r, const struct table *t,
                       const struct symbol *row);

/* Whether the run notes what it reads. */
static inline bool
sym_notes_reads(const struct sym_runner *r)
{
    return r->s->abstract || r->s->notes_reads;
}

/* Run the body under a condition; afterwards control is where the body left
 * it normally or with CONTINUE, or where it did not enter. */
void sym_iterate(struct sym_runner *r, const struct statement *s, term enters,
                 struct loop *loop);
/* An expression of PL/pgSQL, which is a statement where it reads tables. */
struct symbol sym_evaluate_alone(struct sym_runner *r,
                                 const struct statement *s,
                                 const struct expr *e);

/* Abstract runs of loops and INSERT .. SELECT: sym_loop.c. */
enum { SYM_SHOWN = 2 }; // iterations that are run
void sym_repeat(struct sym_runner *r, const struct statement *s);
/* Some row of those that there are; 'is_one' says whether it is one. */
const struct symbol *sym_some_row(struct sym_runner *r,
                                  const struct sym_rows *rows, term *is_one);
/* Any number of iterations that are not run: sym_skip.c. */
void sym_skip(struct sym_runner *r, const struct statement *s);
/* How many steps an INSERT takes. */
uint32_t sym_insert_steps(const struct program *p, const struct statement *s);

/* Abstract runs: sym_abstract.c. */
bool sym_look_up(struct sym_runner *r, const struct expr *where,
                 uint32_t source);
void sym_name_key(struct sym_runner *r, uint32_t table,
                  const struct symbol *row, term when);
const struct cell_row *sym_ghost(struct sym_runner *r, uint32_t table);

/* What is read: sym_note.c. */
struct sym_read *sym_note_read(struct sym_runner *r, uint32_t table);
/* The last read was that of a constraint, and so of the latest contents, too.
 */
void sym_note_latest(struct sym_runner *r);
void sym_note_query(struct sym_runner *r, const struct query *q);
void sym_note_write_read(struct sym_runner *r, const struct statement *s);
void sym_note_constraint(struct sym_runner *r, uint32_t table,
                         const struct columns *columns);
void sym_note_values(struct sym_runner *r, uint32_t table,
                     const struct columns *columns, const struct symbol *row,
                     const struct columns *from);

#endif
