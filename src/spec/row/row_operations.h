/* row_operations.h -- the operations of statements whose rows were noted.
 *
 * They are appended to a line of a history in jsonl.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_ROW_ROW_OPERATIONS_H
#define SPEC_ROW_ROW_OPERATIONS_H

#include "spec/row/row_versions.h"

/* A row, by its number, and the time of the transaction that deleted it and
 * inserted it again. */
struct row_inserted_again {
    uint32_t row;
    double began, ended;
};

struct row_writer {
    const struct watched *watched;
    struct row_versions versions;
    struct buf line;
    uint32_t txn;          // of the line, as versions count them
    uint32_t step;         // of the line: the last statement (row_note), and
    enum row_lock lock;    // how it locks
    uint32_t *written;     // by row: the last transaction that wrote it
    u32_vec undone;        // versions of rows that undone statements of the
                           // transaction wrote
    const char ***checked; // by constraint, role and version (row_checks.h)
    size_t checks_asked;   // conditions of these that the database evaluates
    // Rows that a transaction deleted and inserted again, where statements wait
    // for rows.
    VEC(struct row_inserted_again) inserted_again;
    double began, ended;  // the transaction of the line
    const char *left_out; // of the transaction of the line, or NULL
    bool reads_blind;     // updates have read the rows that they changed,
                          // also those that name no column (row_merges.h)
    char *refusal;        // why there is no history; "" if there is one
    size_t room;          // of the refusal
};

/* Refuse to write a history; return false.  The first refusal is kept. */
bool row_operations_refuse(struct row_writer *w, const char *what,
                           const char *name);

/* The operations of one statement. */
void row_operations_statement(struct row_writer *w,
                              const struct row_note *notes, size_t n);

/* The number of a version that was collected. */
uint32_t row_operations_version(struct row_writer *w, uint32_t table,
                                const struct row_seen *seen);

bool row_operations_is_same_row(const struct row_writer *w, uint32_t a,
                                uint32_t b);

/* Begin and end an operation: '["kind"' and ']'; and end one that the database
 * itself made, to check a constraint. */
void row_operations_begin(struct row_writer *w, const char *kind);
void row_operations_end(struct row_writer *w);
void row_operations_end_check(struct row_writer *w);

/* Append the name of the row that has a version. */
void row_operations_put_row(struct row_writer *w, uint32_t version);

/* Append 'row, values, {"ver": n}' of what was read. */
void row_operations_put_read(struct row_writer *w, uint32_t version);

/* Append the same of what is there from now on, with the conditions that it
 * satisfies, and what it replaced: a version, or WATCHED_NONE if that is not
 * known. */
void row_operations_put_written(struct row_writer *w, uint32_t version,
                                uint32_t replaced);

#endif
