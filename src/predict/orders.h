/* orders.h -- version orders to look for cycles under.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PREDICT_ORDERS_H
#define PREDICT_ORDERS_H

#include "predict/execution_search.h"

/* Add the version order that has the base in its observed order and boundary
 * transactions at their slots. */
void orders_add_slots(struct execution_search *s);

/* The model is serializable, as 'order' of its transactions shows: add a
 * version order under which it has no cycle. */
void orders_add(struct execution_search *s, const u32_vec *order);

#endif
