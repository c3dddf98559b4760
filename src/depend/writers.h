/* writers.h -- the transactions that write each key, in ascending order.
 *
 * Transactions are numbered by session, so the writers of a key within one
 * session are adjacent and in session order.
 *
 * SPDX-License-Identifier: MIT */
#ifndef DEPEND_WRITERS_H
#define DEPEND_WRITERS_H

#include "history/history.h"

/* The writers of key k are at[first[k] .. first[k + 1]). */
struct writers {
    uint32_t *first;
    txn_id *at;
};

/* Collect the final writes of all counting transactions.
 *
 *   time   O(operations), memory a word per final write and per key */
void writers_init(struct writers *w, const struct history *h,
                  const uint8_t *counts);
void writers_free(struct writers *w);

/* Where the writers of each key begin, and behind the last key where they end:
 * first[0 .. n_keys], without the writers themselves. */
void writers_bounds(uint32_t *first, const struct history *h,
                    const uint8_t *counts);

/* Whether t writes k, by binary search. */
bool writers_has(const struct writers *w, key_id k, txn_id t);

#endif
