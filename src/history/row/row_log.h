/* row_log.h -- what a recording says about rows, as it says it.
 *
 * A row is a table and a primary key.  Every insert, update and delete makes a
 * version: values of all columns of the table, or absent.  A read saw a
 * version, or that there was none; a query saw the rows of a table that match a
 * condition.
 *
 * What a query says about the rows that it did not return depends on all
 * versions of them.  So a log takes the whole recording first, and
 * row_registers.h turns it into operations.  It also takes the other
 * operations of a transaction that follow its first one on a row, to keep the
 * order.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_ROW_ROW_LOG_H
#define HISTORY_ROW_ROW_LOG_H

#include "history/builder/builder.h"
#include "history/row/predicate.h"

typedef uint32_t row_id;

struct row_table {
    uint32_t name;               // in names
    bool is_known;               // it has a version, so its columns are known
    uint32_t columns, columns_n; // row_log.columns, in ascending order
};

struct row {
    uint32_t table;
    uint32_t name;    // in names: as reports show it
    uint32_t initial; // its content before the first transaction
};

/* The values that a version has or a read saw. */
struct row_content {
    bool is_absent;
    uint32_t cells, cells_n;         // row_log.cells, by column
    uint32_t ver;                    // in names: the version's name, or ID_NONE
    uint32_t prev;                   // the same of the version before
    bool has_satisfied;              // it says which conditions hold
    uint32_t satisfied, satisfied_n; // row_log.satisfied: their names
};

#define ROW_ABSENT 0u                  // the content of an absent version
#define ROW_PREV_NULL (UINT32_MAX - 1) // prev: there was no version before

enum row_entry_kind { ROW_WRITE, ROW_READ, ROW_RETURNED, ROW_QUERY, ROW_OTHER };

struct row_entry {
    enum row_entry_kind kind;
    bool is_insert;   // a write: as it was recorded; it means the same
    bool is_check;    // a read of a constraint check
    uint32_t marks;   // lock and statement (history.h, OP_MARKS)
    txn_id txn;       // as the builder numbers it
    row_id row;       // written, read or returned
    uint32_t content; // of the row
    uint32_t about;   // a query: row_log.queries; another operation: others
    const char *at;   // in the input, for messages
};

/* The rows that a query returned are the entries right before it. */
struct row_query {
    uint32_t table;
    uint32_t condition; // row_log.conditions
    uint32_t returned;  // how many
    bool is_check;      // a constraint check asked
    bool is_unordered;  // reads of rows that it did not return have no order
};

/* A condition, or the name of one whose truth the versions record. */
struct row_condition {
    uint32_t text; // in names; a name has no other
    bool is_named;
    struct predicate predicate;
};

/* An operation on a register or a list. */
struct row_other {
    bool is_write, is_list;
    struct atom key, value;
    uint32_t items, items_n; // row_log.items: the list that was read
};

struct row_log {
    struct strings names;     // tables, columns, text, names of versions
    struct strings row_names; // a row's number is that of its JSON text
    struct strings table_names, condition_names;
    VEC(struct row) rows;
    VEC(struct row_table) tables;
    u32_vec columns;
    VEC(struct row_content) contents;
    VEC(struct row_cell) cells;
    u32_vec satisfied;
    VEC(struct row_entry) entries;
    VEC(struct row_query) queries;
    VEC(struct row_condition) conditions;
    VEC(struct row_other) others;
    VEC(struct atom) items;
};

struct row_log *row_log_new(void);
void row_log_free(struct row_log *l);

uint32_t row_log_table(struct row_log *l, const char *name, size_t n);

/* The row of a table whose key has this JSON text: an integer, a string or an
 * array of these.  'word' is true for what may be shown without quotes. */
row_id row_log_row(struct row_log *l, uint32_t table, const char *key, size_t n,
                   bool word);

/* Whether a name can be shown without quotes. */
bool row_log_is_word(const char *text, size_t n);

/* Begin a content, add its cells, and end it. */
uint32_t row_log_content(struct row_log *l);
void row_log_cell(struct row_log *l, uint32_t content, struct row_cell cell);
bool row_log_end_content(struct row_log *l, uint32_t content, struct err *err);

/* Say that this content is one of a version, which has all columns of its
 * table.  False where other versions have other columns. */
bool row_log_is_version(struct row_log *l, row_id row, uint32_t content,
                        struct err *err);

/* The condition with this text, or of this name. */
bool row_log_condition(struct row_log *l, const char *text, size_t n,
                       bool is_named, uint32_t *out, size_t *where,
                       struct err *err);

static inline struct row_cells
row_log_cells(const struct row_log *l, uint32_t content)
{
    assert(content < l->contents.n);
    const struct row_content *c = &l->contents.at[content];
    const struct row_cell *at = c->cells_n ? l->cells.at + c->cells : NULL;
    return (struct row_cells){at, c->cells_n};
}

#endif
