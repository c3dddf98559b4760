/* compact_history.h -- a small problem in bytes, for bidirectional.c.
 *
 * Sessions, keys and the values of a key are few enough to have numbers of one
 * byte, so that a state of a run fits into a few words: how many transactions
 * of each session have run, and what each key holds.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STRONG_ORDER_COMPACT_HISTORY_H
#define STRONG_ORDER_COMPACT_HISTORY_H

#include "depend/dependencies.h"

enum {
    COMPACT_CHAINS = 32,  // sessions at most
    COMPACT_KEYS = 32,    // keys at most
    COMPACT_PLACES = 254, // transactions of a session at most
    COMPACT_VALUES = 254, // values of a key at most
};

// What a key holds, or is required to hold.  Written values follow.
enum { HOLDS_ANYTHING, HOLDS_INITIAL, HOLDS_FIRST_VALUE };

struct compact_cell {
    uint8_t key, value;
};

/* What a transaction does: it reads cells.at[reads .. writes), of which those
 * from 'kept' on are keys that it does not write, and it writes
 * cells.at[writes .. end). */
struct compact_txn {
    uint32_t reads, kept, writes, end;
};

struct compact_history {
    uint32_t n_chains, n_keys;
    struct compact_txn *txns; // by transaction
    VEC(struct compact_cell) cells;

    // By transaction and chain.  A transaction runs after at least after[c]
    // transactions of chain c and before that with place before[c].
    uint8_t *after, *before;
};

/* Whether p is of the kind: one point a transaction, no time line, no optional
 * transactions, and few sessions, keys and values. */
bool compact_history_suits(const struct dependencies *p);

/*   require  compact_history_suits(p) */
void compact_history_init(struct compact_history *c,
                          const struct dependencies *p);
void compact_history_free(struct compact_history *c);

#endif
