/* input_order.h -- an order of transactions taken as it is.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEAK_INPUT_ORDER_H
#define WEAK_INPUT_ORDER_H

#include "weak/topological_sort.h"

/* What topological_sort_find gives for these roots, without further edges, if
 * the order of the roots respects session order and the assignment; false
 * otherwise, and 'out' and 'stale' are as they were.
 *
 *   require  no read has several candidates
 *   memory   one word a key for each thread, one a read whose key its thread
 *            has not seen a write of */
bool input_order_take(const struct writer_assignment *r, const u32_vec *roots,
                      unsigned threads, struct topological_order *out,
                      u32_vec *stale);

#endif
