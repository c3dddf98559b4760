/* pass.h -- one pass over a stream: an order is made of it as it comes.
 *
 * Transactions come in the order of their ends where these are known, corrected
 * by what the clocks are apart (skew.h), within a queue of 'window'
 * transactions, and are placed one after the other (running_order.h).  Where
 * one does not fit, those that it needs are placed before it (fetch.h), and
 * others are moved (reorder.h).  Where that fails, a window around it is taken
 * back and given to the engines, which propose another order; each proposal is
 * placed like everything else, so a wrong one does no harm.  The window grows
 * until it is the largest that is kept.
 *
 * Where that fails, too, the strongest level that is left is given up, with a
 * suspect, and the pass goes on with the next one.  An order for a level is one
 * for every weaker level.
 *
 *   (P1) at the end, the levels that were not given up hold: the transactions
 *        that count were all placed, in an order that satisfies them;
 *   (P2) an indeterminate transaction is placed only in a window, as a writer
 *        that a read needs; those that are left do not count.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STREAM_ORDER_PASS_H
#define STREAM_ORDER_PASS_H

#include "stream/order/skew.h"
#include "stream/order/suspect.h"

// Windows that an order keeps.  Four are needed to take back one, and to place
// two and a pool of another one; the others are for moves (reorder.h).
enum { PASS_DEPTH = 16 };

/* What a pass does with an input that is followed, which may have nothing at
 * the moment. */
struct pass_live {
    void *self;
    double settle; // seconds for which others may come before a transaction
    /* Called several times a second; false: the input ends here. */
    bool (*go_on)(void *self);
    /* No order was found: take the suspect.  The reads of its transaction are
     * dropped then, which only removes demands, and the pass goes on. */
    bool (*failed)(void *self, struct suspect *s, struct err *err);
};

struct pass_stats {
    uint64_t windows, window_txns, largest; // repaired
    uint64_t
        fetched;    // placed earlier than ranked, because another one needed it
    uint64_t moves; // of placed transactions, so that another one fits
};

struct stream_pass {
    struct stream_names *names;
    struct stream_reader *reader;
    struct running_order order;
    size_t window;
    const struct check_options *check;

    stream_txns ahead; // by rank; from ahead_at on
    size_t ahead_at;
    bool is_read; // to the end
    struct skew skew;
    uint64_t n_taken;   // into the queue
    bool has_one_clock; // ranks are not corrected: levels in real time
    stream_txns pool;   // indeterminate, not placed
    const struct pass_live *live; // or NULL
    stream_txns aborted;          // live: the latest ones
    bool has_forgotten;           // live: a transaction, or reads of one
    double looked;                // live: when go_on was called

    level_set levels; // not given up
    enum level level; // the strongest of them, at which transactions are placed
    suspects suspects;
    suspects *earlier; // of another pass: their values are in use, too
    struct pass_stats stats;
};

/* Begin: the levels are those of one chain: rc, ra, cc, pc, psi, si and ser, or
 * the strict ones.  p->level is set. */
void pass_begin(struct stream_pass *p);

/* Make the pass over all that the reader has.  Afterwards p->levels hold, and
 * there is a suspect for each of the others. */
bool pass_run(struct stream_pass *p, struct err *err);

void pass_free(struct stream_pass *p);

/* Drop the texts of values that nothing refers to. */
void pass_collect_names(struct stream_pass *p);

/* Remove a transaction from the queue: it was placed. */
void pass_leave_queue(struct stream_pass *p, const struct stream_txn *t);

#endif
