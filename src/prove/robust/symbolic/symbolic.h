/* symbolic.h -- transactions run on symbols: every branch at once.
 *
 * A table is a fixed number of slots.  A slot stands for one row: its key is
 * the same in all states, and in each state it is alive or not and has
 * columns.  A run executes every statement under the condition that control
 * reaches it ('live'); variables and columns become "if live then new else
 * old".  Loops over rows are unrolled over the slots; in an abstract run only
 * some iterations are run, see sym_loop.c.
 *
 * What a run produces are terms: what it writes, what it observes, when it
 * aborts.  Nothing is asserted but what must be true of every execution in
 * question (an inserted key is the key of some slot).
 *
 * SPDX-License-Identifier: MIT */
#ifndef PROVE_ROBUST_SYMBOLIC_SYMBOLIC_H
#define PROVE_ROBUST_SYMBOLIC_SYMBOLIC_H

#include "base/memory/arena.h"
#include "prove/program/ir.h"
#include "prove/robust/symbolic/term.h"

/* A value: a boolean or an integer, and whether it is NULL.  In the search also
 * whether it is opaque: then it is not NULL, and which value it is the
 * interpreter cannot say.  A proof needs no such mark, since it holds for every
 * value. */
struct symbol {
    term null, value;
    term opaque; // NULL: no
};

/* A slot in one state. */
struct cell_row {
    term alive;
    struct symbol *columns;
};

/* All tables in one state: rows[table][slot]. */
struct contents {
    struct cell_row **rows;
};

struct symbolic {
    struct terms *terms;
    const struct program *program;
    uint32_t *slots;    // of each table
    uint32_t loop_most; // iterations of a loop that is not over rows
    /* Abstract: the slots are some of the rows, and queries that name no key
     * also see a 'ghost' that stands for the rest; see sym_abstract.c. */
    bool abstract;
    /* Runs note what they read, so that edges.h can be asked; abstract runs
     * always do. */
    bool notes_reads;
    /* What runs see need not be a state that satisfies constraints and
     * invariants, and its rows may mix columns of several writers; see paths.c.
     */
    bool loose, coarse;
    struct arena arena;
};

/* The effect on a slot: which parts are written, and with what. */
struct effect {
    term sets_alive, alive;
    term *sets; // of each column
    struct symbol *columns;
    term *moves;         // of each column: an update gave it another value
    term locked, shared; // read FOR UPDATE, FOR SHARE
    term refused;        // met by ON CONFLICT
    // The same before the split of the views, as far as locks need it.
    term early, early_locked, early_shared;
    term chosen; // in the older state, by a statement that waits
    term fresh;  // the run inserted the row, and it was not there before
};

struct seen {
    const struct statement *statement;
    term live;
    struct symbol value;
};

/* What a statement read of a table, in an abstract run.  'first' is the row
 * that was chosen by ORDER BY, MIN or MAX: rows behind it do not matter. */
struct sym_read {
    const struct statement *statement;
    uint32_t table, source;
    const struct expr *where; // NULL: every row
    uint64_t used;            // columns that the result depends on, as bits
    uint64_t sorts;           // those of them that ORDER BY mentions
    bool coarse;              // 'where' and more cannot be evaluated again
    term live, early;
    struct symbol *variables;        // as they were
    const struct cell_row **rows;    // of each slot, as they were seen
    term *only;                      // of each slot: whether it was asked for
    const struct aggregate *extreme; // MIN or MAX, or NULL
    const struct query *order;       // ORDER BY .. LIMIT 1, or NULL
    struct symbol *best;             // the extreme, or what the first sorts by
    term none;                       // there was no row
    // A constraint's read: rows with these values in these columns.
    const struct columns *columns; // NULL: none
    struct symbol *values;         // of each of them
};

struct given_input {
    uint32_t site;
    term live;
    struct symbol value;
};

struct step {
    const struct statement *statement; // NULL: the commit
    term live;
};

/* One run of an instance. */
struct sym_run {
    const struct function *function;
    struct symbol *arguments;
    VEC(struct given_input) inputs;
    struct effect **effects; // [table][slot]
    VEC(struct seen) observations;
    VEC(struct step) steps; // statements that take a view, as unrolled
    VEC(struct sym_read) reads;
    term aborts, uncertain;
    term writes_rest; // abstract: rows that are no slots, in skipped
                      // iterations also of slots
};

/* Where the views of a run come from. */
struct sym_views {
    const struct contents *before;
    const struct contents *after;       // NULL: always 'before'
    const struct contents *waited_from; // NULL: nothing waits
    // Where it is not NULL: what PRIMARY KEY, UNIQUE and references to removed
    // rows are checked against, which is more than the run sees.
    const struct contents *latest;
    bool innodb; // plain reads see 'before', other statements 'after'
    term split;  // the number of the first step that sees 'after'
    term waits;  // the step at the split chooses rows in 'waited_from'
};

void symbolic_init(struct symbolic *s, struct terms *t, const struct program *p,
                   uint32_t slots);
void symbolic_free(struct symbolic *s);

/* Unknown contents that satisfy all constraints and invariants. */
void contents_init(struct symbolic *s, struct contents *c);
/* The same rows in another state: equal keys, unknown columns. */
void contents_init_like(struct symbolic *s, const struct contents *keys,
                        struct contents *c);
/* The contents after a run's effects, where 'when' holds. */
struct contents contents_after(struct symbolic *s, const struct contents *c,
                               const struct sym_run *run, term when);

/* An unknown instance of a function. */
void sym_instance(struct symbolic *s, struct sym_run *run,
                  const struct function *f);
/* Run it.  The inputs of 'same', an earlier run of the instance, are used
 * again where it is not NULL. */
void sym_execute(struct symbolic *s, struct sym_run *run,
                 const struct sym_views *views, const struct sym_run *same);
void sym_run_free(struct sym_run *run);
/* How many steps an abstract run that can be interrupted takes, without the
 * commit. */
uint32_t sym_steps(const struct program *p, const struct block *body);

/* Terms that relate two runs; see execute/conflict.h.  'keys' are any
 * contents, of which the keys are used.  'latest': b's constraints were checked
 * against the latest contents, so that a row it inserts, a unique value and a
 * removed row meet only what is still there. */
term sym_conflict(struct symbolic *s, const struct sym_run *a,
                  const struct sym_run *b, const struct contents *keys,
                  bool latest);
term sym_blocks(struct symbolic *s, const struct sym_run *p,
                const struct sym_run *x, const struct contents *keys);
term sym_writes(struct symbolic *s, const struct sym_run *run, uint32_t table,
                uint32_t slot);
/* Whether both set the same column of a row, or whether it is there. */
term sym_write_same(struct symbolic *s, const struct sym_run *a,
                    const struct sym_run *b);
/* Whether the generated keys of two runs (or of one) differ, and whether those
 * of a run are keys of no row that is there. */
term sym_keys_differ(struct symbolic *s, const struct sym_run *a,
                     const struct sym_run *b);
term sym_keys_are_new(struct symbolic *s, const struct sym_run *run,
                      const struct contents *c);
/* Whether two runs of one instance see something different. */
term sym_differ(struct symbolic *s, const struct sym_run *a,
                const struct sym_run *b);
term contents_differ(struct symbolic *s, const struct contents *a,
                     const struct contents *b);

/* Whether nobody can tell two values apart for certain. */
term symbol_seems_same(struct terms *t, struct symbol a, struct symbol b);
term symbol_opaque(struct terms *t, struct symbol a); // false for NULL
term symbol_same(struct terms *t, struct symbol a, struct symbol b);
struct symbol symbol_if(struct terms *t, term condition, struct symbol a,
                        struct symbol b);
struct symbol symbol_fresh(struct terms *t, const char *name,
                           enum value_type type, bool not_null);

/* Whether two slots' columns have no NULL and equal values. */
term symbolic_columns_match(struct terms *t, const struct columns *ca,
                            const struct symbol *a, const struct columns *cb,
                            const struct symbol *b);

#endif
