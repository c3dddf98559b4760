/* unchecked.h -- a history without the reads of its constraint checks.
 *
 * Levels below the serializable ones do not see these reads (doc/levels.md).
 * Which transactions count and which reads have candidates may depend on them,
 * so a history that has some is resolved twice.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_UNCHECKED_H
#define HISTORY_UNCHECKED_H

#include "history/history.h"

/* Give h its 'unchecked' if it has reads of checks.  Called by the builder
 * right before h is resolved; both are resolved afterwards, each on its own. */
void history_make_unchecked(struct history *h);

/* Let 'unchecked' have what the two share, after h has changed it. */
void history_share_unchecked(struct history *h);

void history_free_unchecked(struct history *h);

#endif
