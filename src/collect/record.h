/* record.h -- a transaction while it runs, as the lines of 'jsonl' it becomes.
 *
 * Whoever reads what a transaction wrote must find it in the recording, also
 * when the recorder is killed at any moment.  So a transaction that writes is
 * recorded before its commit is sent, with an outcome that is not known yet,
 * and the outcome follows in a line of its own.
 *
 * SPDX-License-Identifier: MIT */
#ifndef COLLECT_RECORD_H
#define COLLECT_RECORD_H

#include "base/buf.h"
#include "history/history.h"

/* A transaction in the making; all-zero is none.  One per session, used again
 * and again. */
struct record {
    struct buf line;
    size_t ops, writes;
    uint64_t session;
    bool is_off; // count operations only, for measuring
};

// The first and the last line of a recording; one without the last was cut.
#define RECORD_FIRST "{\"recording\":\"begin\"}\n"
#define RECORD_LAST "{\"recording\":\"end\"}\n"

void record_begin(struct record *t, uint64_t session);
void record_begin_named(struct record *t, const char *session);
void record_read(struct record *t, uint64_t key, const int64_t *value);
void record_write(struct record *t, uint64_t key, int64_t value);
void record_append(struct record *t, uint64_t key, int64_t element);
void record_read_list(struct record *t, uint64_t key, const int64_t *elements,
                      size_t n);

/* The same for keys that are text; a value that looks like an integer is one,
 * and NULL is none. */
void record_text(struct record *t, bool is_write, const char *key,
                 const char *value);

/* Add what is known before the commit: the line of a transaction whose outcome
 * is to follow is complete.  Times are in nanoseconds; 'meta' is a JSON object
 * or NULL. */
void record_pending(struct record *t, int64_t began, const char *meta);

/* The outcome of what was pending, as a line of its own. */
void record_outcome(struct record *t, enum txn_status status, int64_t ended);

/* Add what is known at the end of a transaction that was not pending: the line
 * is complete. */
void record_end(struct record *t, enum txn_status status, int64_t began,
                int64_t ended, const char *meta);

void record_free(struct record *t);

#endif
