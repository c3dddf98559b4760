/* summary.h -- the sizes of a history, and which operations it has.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_SUMMARY_H
#define HISTORY_SUMMARY_H

#include "history/history.h"

struct summary {
    uint64_t sessions, transactions, operations, keys, values;
    uint64_t committed, aborted, indeterminate, loading;
    uint64_t indeterminate_read; // indeterminate ones that count: read from
    uint64_t indeterminate_open; // and those that may count
    uint64_t reads, writes;
    uint64_t external_reads, initial_reads, ambiguous_reads, inconsistent_reads;
    uint64_t blind_writes;    // of a key that the transaction had not read
    uint64_t several_writers; // values that more than one transaction wrote
    uint64_t list_keys;
    uint64_t smallest_txn, largest_txn;         // operations
    uint64_t shortest_session, longest_session; // transactions
    key_id hottest_key; // with most operations; ID_NONE where there are none
    uint64_t hottest_ops;
    bool has_times, has_names;
    bool is_recording; // of a run: times are nanoseconds
};

void summary_of(const struct history *h, unsigned threads, struct summary *out);

/* Only what is known without a pass over the operations: sessions,
 * transactions, operations and keys. */
void summary_sizes(const struct history *h, struct summary *out);

#endif
