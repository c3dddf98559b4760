/* reader.h -- the transactions of a stream, one at a time.
 *
 * The input is a file, stdin, or a directory of shards: one file per client
 * machine, each with whole sessions.  Shards are read so that none gets ahead
 * of the others, by the times of their transactions.
 *
 * A transaction is handed over when its outcome is known, or when it will not
 * be known: at the next transaction of its session, at the end, or after
 * 'window' further transactions.  An outcome that comes even later makes
 * 'is_late' true; then nothing that depends on outcomes is certain.
 *
 *   (R1) reading the same input again hands over the same transactions with the
 *        same numbers;
 *   (R2) the positions and ranks of a session's transactions rise in the order
 *        in which they are handed over.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STREAM_INPUT_READER_H
#define STREAM_INPUT_READER_H

#include "format/format.h"
#include "stream/input/txn.h"

/* Where a stream comes from. */
struct stream_source {
    const char *path;   // "-" is stdin
    const char *format; // "jsonl", "text" or "auto"
    const char *text;   // instead of a file: text_n bytes; or NULL
    size_t text_n;
    // It is being written: jsonl, not compressed, and shards need not be at the
    // same time; files may be added to a directory.  (R1) does not hold then.
    bool is_followed;
    // Of several readers: one file each, or a range of bytes of one file.
    uint32_t part, parts; // parts 0: all of it
};

/* Sizes of what was read. */
struct stream_sizes {
    uint64_t transactions, operations, sessions, committed, tested;
    uint64_t aborted, indeterminate, loading, reads, writes;
};

struct stream_reader;

struct stream_reader *stream_reader_open(const struct stream_source *source,
                                         struct stream_names *names,
                                         size_t window, struct err *err);

/* The next transaction, which the caller frees; *out is NULL at the end, or
 * where a followed input has none at the moment. */
bool stream_reader_next(struct stream_reader *r, struct stream_txn **out,
                        struct err *err);

/* Whether there was none at the moment. */
bool stream_reader_is_waiting(const struct stream_reader *r);

/* Take what there is as the end of a followed input. */
void stream_reader_stop(struct stream_reader *r);

/* The state of a reader of files that are followed: where it is in each, and
 * the transactions that wait.  Read into one that was just opened; its names
 * were read before.  Fails where an input is no file, or is another one. */
bool stream_reader_archive(struct stream_reader *r, struct archive *a,
                           struct err *err);

void stream_reader_close(struct stream_reader *r);

/* Pass the values of transactions that wait to names_keep. */
void stream_reader_keep_names(struct stream_reader *r,
                              struct names_collection *c);

/* The file of a session, as it was opened; NULL: unknown. */
const char *stream_reader_file(const struct stream_reader *r, uint32_t session);

const struct stream_sizes *stream_reader_sizes(const struct stream_reader *r);
const struct format *stream_reader_format(const struct stream_reader *r);

/* Some transaction had times; transactions may be missing; an outcome came too
 * late. */
bool stream_reader_has_times(const struct stream_reader *r);
bool stream_reader_is_cut(const struct stream_reader *r);
bool stream_reader_is_late(const struct stream_reader *r);

#endif
