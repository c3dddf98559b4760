/* resolve.h -- which transactions count, and who wrote the values read.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_RESOLVE_H
#define HISTORY_RESOLVE_H

#include "history/history.h"

/* Reads that came before any write of their value.  In a file in order of time
 * there are few. */
struct waiting_reads {
    VEC(struct waiting_read {
        txn_id txn;
        op_id op;
    })
    reads;
    bool too_many; // so none is noted, and every read may be one
};

enum { MOST_WAITING = 4 }; // one operation in that many

/* Note a read, if they are not too many of n_ops operations. */
void waiting_reads_note(struct waiting_reads *w, txn_id t, op_id op,
                        size_t n_ops);

/* What the builder knows already. */
struct resolve_options {
    unsigned threads;  // that may be used
    bool keep_loading; // transactions that record the initial values are known
                       // by their status, and not to be detected

    /* No value was written twice, and values[v].writer is the place in
     * h->arrival of the transaction that wrote v, or TXN_NONE.  The reads that
     * came before are in 'waiting'.  Otherwise all are TXN_NONE, and 'waiting'
     * is empty. */
    bool writers_noted;
    struct waiting_reads waiting; // which is freed
};

/* Establish (H1) to (H5) of history.h.  Called once, by the builder. */
void history_resolve(struct history *h, struct resolve_options *o);

#endif
