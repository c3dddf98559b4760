/* flow.h -- what an application does after statements that found some rows.
 *
 * A trial sends what was recorded, also where a statement finds rows that it
 * did not find then.  Other requests of the same endpoint show what the
 * application does in that case.
 *
 * SPDX-License-Identifier: MIT */
#ifndef AUDIT_FLOW_H
#define AUDIT_FLOW_H

#include "audit/sent.h"
#include "base/container/strings.h"
#include "base/container/vec.h"

/* A statement about rows: its number in the transaction, its shape, and how
 * many rows it found. */
struct flow_statement {
    uint32_t number, shape, found;
};

typedef VEC(struct flow_statement) flow_vec;

struct flow {
    flow_vec *txns; // by transaction
    uint32_t *endpoint;
    txn_id n;
    struct strings texts;
};

enum flow_answer {
    FLOW_UNKNOWN,
    FLOW_SAME,  // a request of the endpoint found as many and went on likewise
    FLOW_OTHER, // those that found as many all went on in another way
};

/* For transactions that predictions name (predict_input.h). */
void flow_init(struct flow *f, const struct history *h);
void flow_free(struct flow *f);

/* What requests of the endpoint of t do behind t's i-th statement if it finds
 * 'found' rows.  *next is the statement that others send then, or "COMMIT". */
enum flow_answer flow_ask(const struct flow *f, txn_id t, size_t i,
                          uint32_t found, const char **next);

#endif
