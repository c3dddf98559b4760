/* home.h -- the part of a history that one rank reads, as records for the ranks
 * that own its keys.
 *
 * The input is divided by session where it is a directory: each rank reads some
 * of its files.  One file is divided into ranges of bytes.  A transaction has a
 * place in the candidate order, (label, id): its time of end where there are
 * times, and otherwise its place in the input.  Places of a session rise, which
 * home_check_sessions finds out across ranks.
 *
 * A record is a final write or an external read of a committed transaction.  It
 * has 32 bytes.  No hash stands for a key or a value: a text is replaced by its
 * number at the rank that owns the text.
 *
 * SPDX-License-Identifier: MIT */
#ifndef MPI_HOME_H
#define MPI_HOME_H

#include "mpi/exchange.h"
#include "stream/input/reader.h"

struct record {
    uint64_t key, value; // bits of atoms; of texts: their numbers
    int64_t label;
    uint64_t id; // the fields below; comparing ids compares transactions
};

// Bits of an id, from the top: rank, number, write, tags of key and value.
enum {
    RECORD_RANK = 47,
    RECORD_NUMBER = 7,
    RECORD_WRITE = 6,
    RECORD_KEY = 3,
    RECORD_TAG = 7
};

/* A place in the candidate order; 'id' as in a record, which is never zero, or
 * zero: none. */
struct place {
    int64_t label;
    uint64_t id;
};

static inline uint64_t
record_txn(uint64_t id)
{
    return id >> RECORD_NUMBER;
}

static inline bool
place_is_before(const struct place *a, const struct place *b)
{
    return a->label != b->label ? a->label < b->label
                                : record_txn(a->id) < record_txn(b->id);
}

static inline bool
record_is_write(const struct record *r)
{
    return r->id >> RECORD_WRITE & 1;
}

static inline uint8_t
record_key_tag(const struct record *r)
{
    return r->id >> RECORD_KEY & RECORD_TAG;
}

static inline uint8_t
record_value_tag(const struct record *r)
{
    return r->id & RECORD_TAG;
}

/* The first and the last transaction of a session on this rank. */
struct home_session {
    int64_t first_label, last_label;
    int64_t least, most; // numbers of transactions, where the format has them
    bool is_seen;
};

/* What is kept of a transaction. */
struct home_txn {
    int64_t label;
    uint32_t session; // HOME_NONE: it is not committed
};
#define HOME_NONE UINT32_MAX

struct home {
    struct exchange *exchange;
    struct stream_source source;
    bool is_directory;

    struct stream_names names;
    const struct format *format;
    byte_vec *boxes;   // records, by owner
    byte_vec *numbers; // text: of transactions, by number
    VEC(struct home_session) sessions;
    VEC(const char *) files;   // of sessions; directory only
    VEC(struct home_txn) txns; // by number
    struct stream_sizes sizes;
    bool has_times;
    char odd[EXCHANGE_TEXT]; // why the fast path does not apply; "": it does
    struct err err;          // what the reader has found
    struct stream_reader *reader;
};

/* Read this rank's part.  Not collective. */
void home_read(struct home *h);

/* Replace the numbers of texts by those that hold for all ranks.  False: a rank
 * has no memory. */
bool home_number_texts(struct home *h, char why[EXCHANGE_TEXT]);

/* Compare the sessions of all ranks: their number, and whether their places
 * rise from rank to rank.  h->odd is set on all ranks where they do not, and
 * h->err where a session is in two files. */
bool home_check_sessions(struct home *h, uint64_t *n, char why[EXCHANGE_TEXT]);

/* In 'text', a number belongs to one transaction.  h->odd is set on a rank that
 * finds it in two. */
bool home_check_numbers(struct home *h, char why[EXCHANGE_TEXT]);

/* The transaction before each of these in its session; 'ids' are of this rank
 * and rise.  False: one of them may be on another rank. */
bool home_predecessors(const struct home *h, const u64_vec *ids,
                       struct place *out);

void home_free(struct home *h);

#endif
