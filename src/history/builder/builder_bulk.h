/* builder_bulk.h -- many operations of registers, added to a builder together.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_BUILDER_BUILDER_BULK_H
#define HISTORY_BUILDER_BUILDER_BULK_H

#include "history/builder/builder_internal.h"

/* Add n operations of registers, or those in the queue.
 *
 *   require  no key is a list */
bool builder_bulk_add(struct builder *b, const struct raw_op *ops, size_t n,
                      struct err *err);
bool builder_bulk_flush(struct builder *b, struct err *err);

#endif
