/* suspect.h -- a part of a stream that may violate a level.
 *
 * A suspect is a set of transactions around the place where no order could be
 * found.  Whether the whole history is violated depends on who else wrote what
 * they read: so the input is read once more, and every other transaction that
 * wrote one of these values is added, without its reads.  Then
 *
 *   (S1) every candidate writer of a read of the part is in the part,
 *
 * whatever values repeat, and a violation of the part is one of the whole
 * history (part.h).  Where the part is the whole history, an order of it is an
 * order of the history.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STREAM_ORDER_SUSPECT_H
#define STREAM_ORDER_SUSPECT_H

#include "check/check.h"
#include "stream/input/reader.h"
#include "stream/order/part.h"

struct suspect {
    enum level level;
    stream_txns txns; // copies, by number
    bool is_whole;    // these are all transactions that may count
    char place[128];  // where the order failed, for people
    uint64_t number;

    // While the input is read again.
    struct pair_set read;
    stream_txns added;
    bool is_too_large;
};

typedef VEC(struct suspect) suspects;

/* Begin collecting writers. */
void suspect_begin(struct suspect *s, struct stream_names *names);

/* Add t, a transaction of the input, if it wrote what the part reads. */
void suspect_note(struct suspect *s, const struct stream_txn *t, size_t most);

/* Build the part with all writers. */
void suspect_history(struct suspect *s, struct stream_names *names, bool times,
                     bool is_cut, struct history *h);

void suspect_keep_names(struct suspect *s, struct names_collection *c);
void suspect_free(struct suspect *s);

#endif
