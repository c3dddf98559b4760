/* record.h -- a transaction while it runs, as the line of 'jsonl' it becomes.
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
    size_t ops;
    bool is_off; // count operations only, for measuring
};

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

/* Add what is known at the end, 'meta' being a JSON object or NULL: the line is
 * complete.  Times are in nanoseconds. */
void record_end(struct record *t, enum txn_status status, int64_t began,
                int64_t ended, const char *meta);

void record_free(struct record *t);

#endif
