/* placing.h -- whether transactions, one after the other, satisfy a level.
 *
 * The definitions of doc/levels.md, for a commit order that is given.  Every
 * key has its versions in the order in which they were placed, the initial one
 * first.  A read is of the latest version with its value.
 *
 *   (C1) versions whose successor is more than 'window' places back are gone; a
 *        read of such a version is a flaw, so that nothing follows from it;
 *   (C2) the facts about the last 'window' places are kept, no others.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STREAM_VERIFY_PLACING_H
#define STREAM_VERIFY_PLACING_H

#include "level/level.h"
#include "stream/input/txn.h"

struct check_version {
    uint64_t value, place; // place 0: the initial version
    uint8_t tag;
};

struct check_key {
    VEC(struct check_version) versions; // from 'first' on
    size_t first;
    uint64_t owner, own_value; // the place of the last one that wrote it here
    uint32_t own_op;
    uint8_t own_tag;
};

/* What is kept of a place. */
struct check_place {
    uint64_t before;  // the last place of its session before; 0: none
    uint64_t sources; // index of the places that it read from
    int64_t ended;    // INT64_MAX where it is not known to have committed
    uint32_t session, n_sources;
};

struct placing {
    enum level level;
    uint64_t window;
    struct stream_names *names;
    VEC(struct check_key) keys;
    u64_vec sessions, positions; // by session: its last place and position
    uint64_t n;                  // places
    VEC(struct check_place) places;
    uint64_t places_at; // the place before the first of 'places'
    u64_vec sources;    // of these places
    uint64_t sources_at;
    int64_t latest_begin;

    // The transaction at hand, by operation: the index of the version that an
    // external read is of, or SIZE_MAX.
    VEC(size_t) read;
    u64_vec todo, seen; // of a search
};

/* Place t behind all others; if the level does not hold then, *flaw says why.
 */
bool placing_place(struct placing *c, const struct stream_txn *t,
                   struct err *flaw);

void placing_keep_names(struct placing *c, struct names_collection *collection);
void placing_free(struct placing *c);

#endif
