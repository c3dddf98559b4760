/* recording.h -- what is behind an assay_session: transactions as lines of the
 * format jsonl, in memory of the session's own.
 *
 * Invariants:
 *   (1) the line of a transaction is complete, or 'is_open' is set and the
 *       line is the last one of the session;
 *   (2) the places in the order of a session never decrease;
 *   (3) after an error a session records nothing more.
 *
 * SPDX-License-Identifier: MIT */
#ifndef API_RECORDING_H
#define API_RECORDING_H

#include "api/handle.h"

/* Where the lines of a transaction begin, and its place in the order. */
struct recording_txn {
    int64_t place;
    size_t begin;
};

struct assay_session {
    struct assay_recorder *r;
    struct assay_session *next;
    char *name;     // as a JSON string
    char *text;     // the lines
    size_t n, room; // of the text
    char *more;     // members of the open transaction: id and meta
    size_t n_more, room_more;
    struct recording_txn *txns;
    size_t n_txns, room_txns;
    bool is_open, has_ops, has_start;
    bool was_unknown; // the transaction before is indeterminate
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

/* Name a session whose text is empty.  False with an error of the thread if the
 * name cannot be recorded. */
bool recording_set_name(struct assay_session *s, const char *name);

/* Nanoseconds of the clock that sessions use. */
int64_t recording_now(void);

/* End the open transaction, if there is one: nobody knows its outcome. */
void recording_close(struct assay_session *s);

void recording_free(struct assay_session *s);

#endif
