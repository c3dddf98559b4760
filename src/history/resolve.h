/* resolve.h -- which transactions count, and who wrote the values read.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_RESOLVE_H
#define HISTORY_RESOLVE_H

#include "history/history.h"

/* Establish (H1) to (H5) of history.h.  The transactions that record the
 * initial values are detected, or, with keep_loading, known by their status.
 * Called once, by the builder. */
void history_resolve(struct history *h, bool keep_loading);

#endif
