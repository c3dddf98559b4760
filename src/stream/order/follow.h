/* follow.h -- one level of a stream that is being written.
 *
 * A pass (pass.h) over an input that has no end.  A transaction is placed when
 * it has waited for a while for others that come before it.  Where no order is
 * found, the part around it is checked, and the pass goes on without the reads
 * of that transaction.
 *
 *   (F1) A part holds copies of transactions of the window, the aborted and
 *        indeterminate ones that wrote what they read, and for each value that
 *        they read and that was written before the window, one transaction that
 *        writes it.  Its violation is one of the stream, provided that no value
 *        was written to a key twice: nothing else is known of what is
 *        forgotten.
 *   (F2) A read that nothing known has served is dropped from a part: its
 *        writer may come later, or was forgotten.  So such a place is counted
 *        as unresolved, and the level is not 'ok'.
 *   (F3) Memory is that of keys, sessions, the window, and transactions of
 *        unknown outcome.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STREAM_ORDER_FOLLOW_H
#define STREAM_ORDER_FOLLOW_H

#include "stream/order/stream_check.h"

/* What a violation of a part rests on; the reason of its result. */
#define FOLLOW_ASSUMES "provided that no value is written to a key twice"

/* What is known so far. */
struct follow_state {
    const struct stream_sizes *sizes;
    uint64_t keys;
    uint64_t violations, unresolved; // places where no order was found
    char place[128];                 // of the last unresolved one
    uint64_t waiting;                // transactions that are not placed yet
    double lag;                      // seconds since the oldest of them came
    uint64_t checkpoints;            // written by this run
    struct err checkpoint_err;       // why the last one was not
};

struct follow_options {
    struct stream_source source;
    size_t window;
    double settle;              // seconds
    const char *checkpoint;     // to go on from, if it is there; or NULL
    double checkpoint_every;    // seconds between writing it
    enum level level;           // not a strict one
    struct check_options check; // how parts are checked
    void *self;
    /* A violation was found: 'part' violates the level, as c says. */
    bool (*violated)(void *self, const struct history *part,
                     const struct check *c, const char *place, struct err *err);
    /* Called several times a second; false: the input ends here. */
    bool (*go_on)(void *self, const struct follow_state *s);
};

struct follow_result {
    enum verdict verdict; // of all that was read
    char reason[256];     // why it is unknown
    struct stream_sizes sizes;
    struct follow_state state;
};

bool follow_run(const struct follow_options *o, struct follow_result *out,
                struct err *err);

#endif
