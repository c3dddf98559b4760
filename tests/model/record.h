/* record.h -- a small history as it was recorded, before anything is worked
 * out.
 *
 * Sessions, outcomes, operations and times, and nothing else.  The generator
 * makes one, the oracle judges it, the shrinker makes it smaller, and
 * record_build turns it into the history that the engines see.  The oracle
 * thereby shares neither data nor code with them.
 *
 * A register holds integers; 0 is its initial value.  A list begins empty and
 * its elements are positive.  A row holds the number of a version's values, and
 * 0 while it is absent (record_rows.h).
 *
 * SPDX-License-Identifier: MIT */
#ifndef MODEL_RECORD_H
#define MODEL_RECORD_H

#include "base/buf.h"
#include "history/history.h"

struct record_key {
    char name[16];
    bool is_list, is_row;
    int64_t initial; // of a row
};

/* What a read of rows asks for. */
enum record_question {
    ASKS_VALUE,  // all columns of a row, or a register or list
    ASKS_COLUMN, // column v of a row
    ASKS_ROW,    // whether there is a row
    ASKS_QUERY,  // which rows match a condition
};

struct record_op {
    bool is_write;           // of a list: it appends
    uint32_t key;            // index of a record_key
    int64_t value;           // written, read or appended
    uint32_t items, items_n; // a read of a list: record.items from there
    enum record_question asks;
    uint32_t condition; // of a query; its items are rows and their values
    bool is_check;      // a read of rows: by a constraint check
    bool is_unordered;  // a query: rows that it missed were read in no order
    // A write of a row: its number, which it keeps when others are left out,
    // and that of the write which it names as the one before, or one of these.
    uint32_t serial, prev;
};

#define PREV_NONE 0u
#define PREV_INITIAL 1u // numbers are greater

struct record_txn {
    uint32_t session;
    enum txn_status status; // committed, aborted or indeterminate
    int64_t began, ended;   // where record.times is set
    uint32_t ops, ops_n;    // record.ops from there
};

struct record {
    VEC(struct record_key) keys;
    VEC(struct record_txn) txns; // by time; in each session, in its order
    VEC(struct record_op) ops;
    VEC(int64_t) items; // of lists that were read
    bool times;
    bool is_cut;         // transactions may be missing
    bool initial_is_nil; // how record_build writes the initial value: nil or 0
    bool has_rows;
    bool names_versions;   // every version of a row has a name of its own
    bool names_conditions; // versions tell which conditions they satisfy
};

void record_free(struct record *r);
void record_copy(const struct record *from, struct record *to);

/* The key of that name, added where it is new; registers are called x, y, z,
 * and lists l, m, n, by the generator. */
uint32_t record_key(struct record *r, const char *name, bool is_list);

/* Add a transaction, or an operation to the last one. */
void record_begin(struct record *r, uint32_t session, enum txn_status status);
void record_write(struct record *r, uint32_t key, int64_t value);
void record_read(struct record *r, uint32_t key, int64_t value);
void record_read_list(struct record *r, uint32_t key, const int64_t *items,
                      size_t n);

/* Make the record that a text in the notation of doc/formats/hist.md says, as
 * far as small histories need it: keys are letters and digits, values
 * are integers or '?'.  A mistake ends the program. */
void record_parse(struct record *r, const char *text);

/* Append the record in that notation, on one line. */
void record_show(const struct record *r, struct buf *out);

/* The history that the engines see. */
void record_build(const struct record *r, struct history *h);

/* The other way: what was recorded in h, without anything that was worked out
 * since.  Values get other names. */
void record_take(const struct history *h, struct record *r);

#endif
