/* stream_check.h -- levels of a history of any length, decided in one pass.
 *
 * Memory is that of the keys and of a window of transactions.  A verdict is
 *
 *   ok        an order of all transactions was made, and every read was
 * compared with it (running_order.h); violated  a part of the history is
 * violated whatever the rest is (suspect.h); the part is an ordinary history,
 * for explanations; unknown   neither, with the place where the order failed.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STREAM_ORDER_STREAM_CHECK_H
#define STREAM_ORDER_STREAM_CHECK_H

#include "check/check.h"
#include "stream/order/pass.h"

struct stream_options {
    struct stream_source source;
    size_t window;              // transactions
    size_t least_texts;         // see names.h; 0: the default
    const char *order;          // file for the order of 'ok', or NULL: then
                                // exactly one level is checked
    struct check_options check; // levels, and how parts are checked
};

struct stream_result {
    enum level level;
    enum verdict verdict;
    char reason[256];    // why it is unknown
    struct history part; // violated: the part that shows it
    struct check check;  // violated: the result of checking 'part'
};

struct stream_check {
    VEC(struct stream_result) results; // weakest level first
    level_set skipped;                 // strict ones, without times
    struct stream_sizes sizes;
    uint64_t keys;
    bool has_times, is_cut;
    bool has_order; // options->order was written
    const struct format *format;
    struct pass_stats stats;
};

/* Check the stream.  Fails with ERR_USAGE where a level does not apply. */
bool stream_check_run(const struct stream_options *options,
                      struct stream_check *out, struct err *err);

void stream_check_free(struct stream_check *c);

#endif
