/* row_trace.h -- random serial executions on a few rows, as they would be
 * recorded, and as registers by the definition (doc/predict.md, "Rows").
 *
 * Shares nothing with src/history/row.
 *
 * SPDX-License-Identifier: MIT */
#ifndef MODEL_ROW_TRACE_H
#define MODEL_ROW_TRACE_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    TRACE_TXNS = 4,
    TRACE_STATEMENTS = 4,
    TRACE_ROWS = 2,
    TRACE_VALUES = 3, // of the one column; a row with -1 is absent
    TRACE_ABSENT = -1
};

enum trace_kind {
    TRACE_GET,   // a row by its key
    TRACE_LOCK,  // the same, FOR UPDATE
    TRACE_QUERY, // rows with a value above 'number'
    TRACE_SET,   // update of a row that is there, to 'number'; reads it
    TRACE_ADD,   // insert of a row that is absent
    TRACE_DROP   // delete of a row that is there; reads it
};

struct trace_statement {
    enum trace_kind kind;
    int row, number;
};

struct trace_txn {
    struct trace_statement at[TRACE_STATEMENTS];
    int n;
};

struct trace {
    int initial[TRACE_ROWS];
    struct trace_txn txns[TRACE_TXNS];
    int n;
};

/* A trace in which every statement fits the serial execution. */
void trace_random(struct trace *t, uint64_t seed);

/* The same as JSON lines: as a recorder writes it, one session; and as
 * registers with a value for each write, each transaction a session.  Where
 * 'with_locks', the first says which operations are of which statement, and
 * what these lock. */
void trace_recorded(const struct trace *t, bool with_locks, struct buf *out);
void trace_registers(const struct trace *t, struct buf *out);

#endif
