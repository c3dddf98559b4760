/* dataset.h -- the contents of all tables, and changes to them.
 *
 * The rows of a table lie in one array, ordered by primary key, so that two
 * states are equal when their arrays are.  A transaction's effect is a list of
 * changes, at most one for a row; applying it to a state that the transaction
 * did not see gives the last-writer-wins result for each column.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PROVE_EXECUTE_DATASET_H
#define PROVE_EXECUTE_DATASET_H

#include "prove/program/ir.h"

struct rows {
    struct datum *at; // n * width
    size_t n, room;   // in rows
    uint32_t width;   // columns
};

struct dataset {
    const struct program *program;
    struct rows *tables;
};

enum change_kind { CHANGE_INSERT, CHANGE_UPDATE, CHANGE_DELETE };

struct change {
    enum change_kind kind;
    uint32_t table;
    uint64_t columns; // of an update: those that are set, as bits
    size_t row;       // where its values begin in 'cells'; keys are always set
    uint32_t line;    // of the last statement that made it
    bool existed;     // the row was there before the transaction
    uint64_t moved;   // of an update: columns whose values it changed, as bits
};

struct changes {
    VEC(struct change) all;
    // Rows that were inserted and deleted again: they change nothing, but
    // others meet them while the transaction runs.
    VEC(struct change) undone;
    // Every change by itself, in the order in which they were made.
    VEC(struct change) log;
    VEC(struct datum) cells;
};

static inline bool
datum_equal(struct datum a, struct datum b)
{
    return a.null == b.null && (a.null || a.number == b.number);
}

/* Whether nobody can tell two values apart for certain. */
static inline bool
datum_seems_equal(struct datum a, struct datum b)
{
    return a.opaque || b.opaque || datum_equal(a, b);
}

static inline struct datum *
dataset_row(const struct dataset *s, uint32_t table, size_t row)
{
    assert(row < s->tables[table].n);
    return s->tables[table].at + row * s->tables[table].width;
}

void dataset_init(struct dataset *s, const struct program *p);
void dataset_copy(struct dataset *to,
                  const struct dataset *from); // to: initialised
void dataset_free(struct dataset *s);
/* Whether nobody can tell them apart for certain. */
bool dataset_equal(const struct dataset *a, const struct dataset *b);

/* The number of the row with the same key as the given row; SIZE_MAX where
 * there is none. */
size_t dataset_find(const struct dataset *s, uint32_t table,
                    const struct datum *row);

/* Add a row whose key is not there, or remove the row of a key that is. */
void dataset_insert(struct dataset *s, uint32_t table, const struct datum *row);
void dataset_remove(struct dataset *s, uint32_t table, size_t row);

/* Whether two rows of a table have the same key. */
bool dataset_same_key(const struct table *t, const struct datum *a,
                      const struct datum *b);

/* Whether two rows have no NULL and equal values in as many columns. */
bool dataset_same_values(const struct columns *ca, const struct datum *a,
                         const struct columns *cb, const struct datum *b);

/* Note a change on top of what is noted for the row already.  'old' is the row
 * that an update found, or NULL. */
void changes_add(struct changes *c, const struct program *p, uint32_t table,
                 enum change_kind kind, uint64_t columns, uint32_t line,
                 const struct datum *row, const struct datum *old);

/* What the first n changes have made of a row together; false where they leave
 * it as it was. */
bool changes_until(const struct changes *c, const struct program *p, size_t n,
                   uint32_t table, const struct datum *row, struct change *out);

/* Apply changes; an update of a row that is not there is dropped. */
void changes_apply(const struct changes *c, struct dataset *s);
const struct datum *changes_row(const struct changes *c, size_t i);
/* Whether a row that was there was deleted and inserted again. */
bool changes_replace(const struct changes *c);
void changes_clear(struct changes *c);
void changes_free(struct changes *c);

#endif
