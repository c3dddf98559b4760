/* shape.h -- the tables of an anomaly and the shape of its transactions, from
 * its reduced history (doc/formats/jsonl.md).
 *
 * SPDX-License-Identifier: MIT */
#ifndef CAMPAIGN_SHAPE_H
#define CAMPAIGN_SHAPE_H

#include "base/buf.h"
#include "base/container/vec.h"

typedef VEC(char *) shape_texts; // sorted, each one once

/* All-zero is empty. */
struct anomaly_shape {
    shape_texts tables, transactions;
};

/* Add all transactions of a history. */
void shape_read(struct anomaly_shape *s, const char *text, size_t n);

/* Add the name of a table. */
void shape_table(struct anomaly_shape *s, const char *name, size_t n);

/* Append "acct,branch", and "read+update|delete". */
void shape_tables(const struct anomaly_shape *s, struct buf *out);
void shape_transactions(const struct anomaly_shape *s, struct buf *out);

void shape_free(struct anomaly_shape *s);

#endif
