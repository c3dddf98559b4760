/* item_left_out.h -- steps on rows that are drawn and not run.
 *
 * SPDX-License-Identifier: MIT */
#ifndef COLLECT_ITEMS_ITEM_LEFT_OUT_H
#define COLLECT_ITEMS_ITEM_LEFT_OUT_H

#include "collect/items/item_step.h"

/* Whether the answer to an earlier step, or what the transaction deleted, says
 * not to run this one. */
bool item_is_left_out(const struct connection *c,
                      const struct workload_step *step,
                      const struct item_state *s);

#endif
