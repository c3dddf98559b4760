/* jsonl_record.h -- the lines of 'jsonl', for recorders and writers.
 *
 * A recorder may be killed at any moment, and still every transaction that was
 * read from must be in the recording.  So a transaction that writes is recorded
 * before its commit is sent, with the outcome "unknown".  The outcome follows
 * on its own line.
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_JSONL_JSONL_RECORD_H
#define FORMAT_JSONL_JSONL_RECORD_H

#include "base/buf.h"
#include "history/history.h"

/* A transaction while it runs; all-zero is none.  A session reuses it for all
 * of its transactions. */
struct jsonl_record {
    struct buf line;
    size_t ops, writes;
    uint64_t session;
    bool is_off; // for measuring: operations are only counted
};

// The first and the last line of a recording.  Without the last it is
// truncated.
#define JSONL_RECORDING_BEGIN "{\"recording\":\"begin\"}\n"
#define JSONL_RECORDING_END "{\"recording\":\"end\"}\n"

void jsonl_record_begin(struct jsonl_record *t, uint64_t session);
void jsonl_record_begin_named(struct jsonl_record *t, const char *session);
void jsonl_record_read(struct jsonl_record *t, uint64_t key,
                       const int64_t *value);
void jsonl_record_write(struct jsonl_record *t, uint64_t key, int64_t value);
void jsonl_record_append(struct jsonl_record *t, uint64_t key, int64_t element);
void jsonl_record_read_list(struct jsonl_record *t, uint64_t key,
                            const int64_t *elements, size_t n);

/* The same for keys that are text.  A value that reads as an integer is
 * written as an integer; NULL is the absent value. */
void jsonl_record_text(struct jsonl_record *t, bool is_write, const char *key,
                       const char *value);

/* Complete the line of a transaction whose outcome is not known yet.  Times are
 * in nanoseconds; 'meta' is a JSON object or NULL. */
void jsonl_record_pending(struct jsonl_record *t, int64_t began,
                          const char *meta);

/* Make the line with the outcome of a pending transaction.  If it is unknown,
 * the line says that nothing more will be known: the transaction leaves its
 * session, because it may take effect after what the session does next. */
void jsonl_record_outcome(struct jsonl_record *t, enum txn_status status,
                          int64_t ended);

/* Complete the line of a transaction that was not pending. */
void jsonl_record_end(struct jsonl_record *t, enum txn_status status,
                      int64_t began, int64_t ended, const char *meta);

void jsonl_record_free(struct jsonl_record *t);

/* --- entries of a line, which the writer of whole histories shares ---------*/

/* The line that takes a transaction of unknown outcome, the last one of its
 * session, out of it (jsonl_record_outcome). */
void jsonl_put_leave(struct buf *line, const char *session);

/* The member "status", left out if the transaction committed. */
void jsonl_put_status(struct buf *line, enum txn_status status);

/* The members "start" and "end", each left out if it is not known, which is
 * INT64_MIN and INT64_MAX. */
void jsonl_put_times(struct buf *line, int64_t began, int64_t ended);

/* The member "meta", left out if it is empty, and the end of the line. */
void jsonl_put_meta_and_end(struct buf *line, const char *meta, size_t n);

#endif
