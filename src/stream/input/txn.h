/* txn.h -- one transaction of a stream.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STREAM_INPUT_TXN_H
#define STREAM_INPUT_TXN_H

#include "history/history.h"
#include "stream/input/names.h"

struct stream_op {
    uint64_t value;   // bits of an atom
    uint64_t version; // once placed: the version that it read or made
    uint32_t key;
    uint8_t tag; // of the value
    bool is_write;
    bool is_main; // a final write, or an external read
};

struct stream_txn {
    uint64_t number;   // in the order of arrival, from 0
    uint64_t position; // in its session, from 1
    uint32_t session, n_ops;
    uint8_t status; // enum txn_status
    bool is_flawed; // a read of its own write returned something else
    bool reads_dropped;
    uint32_t clock;       // the one that its times were read from
    int64_t began, ended; // INT64_MIN and INT64_MAX where not known
    int64_t rank;         // in the candidate order
    double arrived;       // followed: when it, or one behind it, was read

    // Once placed: its place, and what it replaced.
    uint64_t place, session_place, session_position, first_version;
    int64_t latest_begin;

    struct atom name; // an integer, or ATOM_STRING: name_n bytes follow the ops
    uint32_t name_n;
    struct stream_op ops[];
};

static inline struct atom
stream_value(const struct stream_op *op)
{
    return (struct atom){op->value, (enum atom_tag)op->tag};
}

static inline const char *
stream_txn_name(const struct stream_txn *t)
{
    return (const char *)(t->ops + t->n_ops);
}

/* A new transaction with these operations, all else zero.  'name' has name_n
 * bytes of text, or is NULL. */
struct stream_txn *stream_txn_new(const struct stream_op *ops, size_t n,
                                  const char *name, size_t name_n);
struct stream_txn *stream_txn_copy(const struct stream_txn *t);

/* The same with its writes only, in place of t, which is freed. */
struct stream_txn *stream_txn_without_reads(struct stream_txn *t);

/* Mark final writes and external reads, and find reads of own writes that
 * returned something else. */
void stream_txn_resolve(struct stream_txn *t);

/* Whether it records the loading of the database (doc/levels.md). */
bool stream_txn_is_loading(const struct stream_txn *t, struct atom initial);

/* Append its name, or its session and position. */
void stream_txn_show(const struct stream_names *names,
                     const struct stream_txn *t, struct buf *out);

/* Pass its values to names_keep. */
void stream_txn_keep_names(struct stream_txn *t, struct names_collection *c);

/* Read: *t is a new transaction, or NULL if that failed. */
void stream_txn_archive(struct stream_txn **t, const struct stream_names *names,
                        struct archive *a);

typedef VEC(struct stream_txn *) stream_txns;
void stream_txns_archive(stream_txns *v, size_t from,
                         const struct stream_names *names, struct archive *a);
void stream_txns_free(stream_txns *v);

/* Sort by number. */
void stream_txns_sort(stream_txns *v);

#endif
