/* recorder.h -- the history of a run, written while it runs.
 *
 * One line of 'jsonl' per transaction, handed to the system as soon as the
 * transaction has ended: who kills this program loses the transactions in
 * progress and at most part of one line.  Nothing is kept in memory.
 *
 * SPDX-License-Identifier: MIT */
#ifndef COLLECT_RECORDER_H
#define COLLECT_RECORDER_H

#include "base/buf.h"
#include "base/err.h"
#include "history/history.h"

#include <pthread.h>

struct recorder {
    int fd;
    pthread_mutex_t lock;
};

bool recorder_open(struct recorder *r, const char *path, struct err *err);
bool recorder_close(struct recorder *r, struct err *err);

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

/* Add what is known at the end, 'meta' being a JSON object or NULL, and write
 * the line.  Times are in nanoseconds. */
bool record_end(struct record *t, struct recorder *r, enum txn_status status,
                int64_t began, int64_t ended, const char *meta,
                struct err *err);

void record_free(struct record *t);

#endif
