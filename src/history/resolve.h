/* resolve.h -- which transactions count, and who wrote what was read.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_RESOLVE_H
#define HISTORY_RESOLVE_H

#include "history/history.h"

/* Resolve h as history.h describes (H1..H4).  Called once, by the builder. */
void history_resolve(struct history *h);

#endif
