/* renumber.h -- the same history with numbers for keys and values.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_RENUMBER_H
#define HISTORY_RENUMBER_H

#include "history/history.h"

/* Make *out a copy of h in which the keys are 0, 1, 2, ... and the values 1,
 * 2, 3, ... in order of first appearance, and the initial value is 0.  Two
 * operations have the same key or value exactly when they had it in h, so
 * every verdict stays.  Lists stay lists. */
bool history_renumber(const struct history *h, struct history *out,
                      struct err *err);

#endif
