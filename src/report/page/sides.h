/* sides.h -- observed and predicted operations side by side: the part of a
 * report that only a predicted execution has.
 *
 * SPDX-License-Identifier: MIT */
#ifndef REPORT_PAGE_SIDES_H
#define REPORT_PAGE_SIDES_H

#include "base/buf.h"
#include "base/container/vec.h"

#include <stdbool.h>
#include <stddef.h>

/* An operation as observed and as predicted; NULL: it is not part of the
 * prediction. */
struct sides_op {
    const char *observed, *predicted;
    bool is_write, is_changed;
};

struct sides_txn {
    const char *name, *session;
    bool is_changed; // it has a changed read
    const struct sides_op *ops;
    size_t n_ops;
    size_t elided; // operations that are not listed
};

struct report_sides {
    const char *premise;    // "Had T7 read ..., ..."
    const char *notes;      // lines, or ""
    const char *prevention; // what prevents it, or ""
    const struct sides_txn *txns;
    size_t n_txns;
};

void sides_html(const struct report_sides *s, struct buf *out);
void sides_markdown(const struct report_sides *s, struct buf *out);

#endif
