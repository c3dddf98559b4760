/* recording.h -- what is behind an assay_session: what its calls were given,
 * byte by byte, in memory of the session's own.
 *
 * A call of a session copies its arguments and nothing else, because its time
 * is time of the test that records.  recording_text.c makes lines of the
 * format jsonl of them when the recording is finished.
 *
 * An operation is a byte of enum recording_op and what the table there says:
 * texts with their zero byte, integers as they are in memory.
 *
 * Invariants:
 *   (1) 'bytes' has the operations of the transactions in their order, those
 *       of a transaction from its 'begin' to that of the next one;
 *   (2) the places in the order of a session never decrease;
 *   (3) after an error a session records nothing more.
 *
 * SPDX-License-Identifier: MIT */
#ifndef API_RECORDING_H
#define API_RECORDING_H

#include "api/handle.h"

enum recording_op {
    // followed by:
    RECORDING_READ_INT,   // key, integer
    RECORDING_READ_TEXT,  // key, text
    RECORDING_READ_NIL,   // key
    RECORDING_READ_LIST,  // key, number, integers
    RECORDING_WRITE_INT,  // key, integer
    RECORDING_WRITE_TEXT, // key, text
    RECORDING_WRITE_NIL,  // key
    RECORDING_APPEND_INT, // key, integer
    RECORDING_JSON,       // an operation as jsonl has it
    RECORDING_NAME,       // of the transaction
    RECORDING_META,       // a JSON object
    RECORDING_PARTIAL,    // what was not recorded
};

struct recording_txn {
    int64_t place; // in the order of all transactions
    int64_t start, end;
    size_t begin; // of its operations
    assay_outcome outcome;
    bool has_start, has_end;
};

struct assay_session {
    struct assay_recorder *r;
    struct assay_session *next;
    char *name;
    char *bytes;
    size_t n, room; // of the bytes
    struct recording_txn *txns;
    size_t n_txns, room_txns;
    bool is_open;                        // the last transaction
    bool clock;                          // of the recorder
    bool has_own_times, has_given_times; // of the clock, and of the caller
    int64_t epoch;
    assay_status failed;
    const char *why; // it failed
};

struct assay_recorder {
    struct assay *a;
    bool clock;
    int64_t epoch;        // of its times: they are short then
    pthread_mutex_t lock; // of the list
    struct assay_session *sessions;
    size_t n_sessions;
    atomic_int_fast64_t sequence; // without a clock: transactions so far
};

/* Nanoseconds of the clock that sessions use. */
int64_t recording_now(void);

/* End the open transaction, if there is one: nobody knows its outcome. */
void recording_close(struct assay_session *s);

void recording_free(struct assay_session *s);

/* Append the i-th transaction of a session as a line, with a line before it if
 * the outcome of the one before is unknown.
 *
 *   error  a text that is not UTF-8 */
bool recording_write(const struct assay_session *s, size_t i, struct buf *out,
                     struct err *err);

#endif
