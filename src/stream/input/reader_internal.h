/* reader_internal.h -- what the reader and its two notations share.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STREAM_INPUT_READER_INTERNAL_H
#define STREAM_INPUT_READER_INTERNAL_H

#include "format/scan/scan_json.h"
#include "format/scan/scan_time.h"
#include "stream/input/lines.h"
#include "stream/input/reader.h"

/* A transaction whose outcome may follow. */
struct pending {
    struct stream_txn *txn; // NULL: none
    uint64_t since;         // transactions read before it
};

struct reader_session {
    uint64_t n;             // transactions
    uint32_t shard;         // index + 1; 0: not seen yet
    uint32_t left;          // transactions that left it
    int64_t rank;           // of its last transaction
    int64_t last;           // text: number of its last transaction
    bool was_released;      // its pending one was handed over
    struct pending pending; // its last transaction
};

/* One file. */
struct shard {
    struct stream_lines lines;
    const struct notation *notation;
    char *path;    // owned; NULL: borrowed by 'lines'
    bool is_over;  // at its end
    int64_t clock; // the latest end so far

    // jsonl
    enum scan_clock times;
    bool is_recording, is_complete;
    uint64_t n_objects;

    // text: the transaction whose lines are being read
    bool is_open;
    uint32_t session;
    int64_t number;
};

struct stream_reader {
    struct stream_names *names;
    size_t window;
    VEC(struct shard) shards;
    VEC(struct reader_session) sessions; // by number
    VEC(struct stream_op) ops;           // of the transaction at hand
    stream_txns ready;                   // to be handed over
    size_t ready_at;
    VEC(uint32_t) waiting; // sessions with a pending one, oldest first
    size_t waiting_at;
    bool has_times, is_cut, is_late;
    bool is_merged; // there are several shards, here or in other parts
    bool is_followed, is_waiting, is_stopped;
    uint64_t n_read, n_calls, n_looks;
    const char *directory; // followed: where files may be added; borrowed
    struct stream_sizes sizes;
};

/* How one format is read. */
struct notation {
    const struct format *format;
    struct atom initial;
    /* Read one line of a shard. */
    bool (*line)(struct stream_reader *r, struct shard *s, const char *line,
                 size_t n, struct err *err);
    /* The shard has ended. */
    bool (*end)(struct stream_reader *r, struct shard *s, struct err *err);
};

extern const struct notation notation_jsonl, notation_text;

/* A new shard, all zero. */
struct shard *reader_add_shard(struct stream_reader *r);

/* The session of that name, which belongs to one shard. */
bool reader_session(struct stream_reader *r, struct shard *s, struct atom name,
                    uint32_t *out, struct err *err);

/* A new transaction of a session, with the operations in r->ops. */
struct stream_txn *reader_begin(struct stream_reader *r, uint32_t session,
                                const char *name, size_t name_n);

/* Hand it over: its outcome and times are known. */
void reader_hand_over(struct stream_reader *r, struct shard *s,
                      struct stream_txn *t);

/* Let it wait for its outcome. */
void reader_wait(struct stream_reader *r, struct stream_txn *t);

/* Hand over the pending transaction of a session, if there is one. */
void reader_release(struct stream_reader *r, struct shard *s, uint32_t session);

/* Take the pending transaction out of its session, and hand it over. */
void reader_leave(struct stream_reader *r, struct shard *s, uint32_t session);

#endif
