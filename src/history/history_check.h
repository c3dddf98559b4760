/* history_check.h -- whether a resolved history is what history.h says.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_HISTORY_CHECK_H
#define HISTORY_HISTORY_CHECK_H

#include "history/history.h"

/* Assert the layout of a resolved history and (H1), (H2), (H3) and (H5).  (H4)
 * is a rule for the engines.
 *
 *   time   O(operations log writers) */
void history_check(const struct history *h);

#endif
