/* happens_before.h -- session order and certain reads, closed transitively.
 *
 * Points are the transactions that count or may count, one chain a session.  A
 * transaction that may count and is not known to is in its session's chain, as
 * if it counted, but its reads add no edges.
 *
 * This takes memory for every transaction and every session, and is meant for
 * choices among few thousand transactions.  weak/causal.c computes the same
 * relation for millions: it visits them in order, and keeps a row only until
 * its last use.
 *
 * SPDX-License-Identifier: MIT */
#ifndef DEPEND_HAPPENS_BEFORE_H
#define DEPEND_HAPPENS_BEFORE_H

#include "graph/clock.h"
#include "history/history.h"

struct happens_before {
    uint32_t *point; // by transaction; UINT32_MAX where it does not count
    struct chains g;
    struct clocks clocks;
};

/* Build the relation.  writer[op] is whom an external read of a value with
 * several writers read from, or TXN_INIT where that is open; reads of
 * transactions with counts[t] == 0 are ignored.
 *
 * False, with nothing to free, where the relation has a cycle or its clocks
 * would take more than 'most' bytes.
 *
 *   time   O(operations + reads * sessions) */
bool happens_before_init(struct happens_before *b, const struct history *h,
                         const txn_id *writer, const uint8_t *counts,
                         size_t most);
void happens_before_free(struct happens_before *b);

/* Whether a happened before c; TXN_INIT happened before everything.
 *
 *   require  both count or may count, or a is TXN_INIT */
static inline bool
happens_before_holds(const struct happens_before *b, txn_id a, txn_id c)
{
    if (a == TXN_INIT)
        return true;
    assert(b->point[a] < b->g.n && b->point[c] < b->g.n);
    return a != c && clocks_reach(&b->clocks, b->point[a], b->point[c]);
}

#endif
