/* shrink.h -- the smallest history that still fails.
 *
 * SPDX-License-Identifier: MIT */
#ifndef MODEL_SHRINK_H
#define MODEL_SHRINK_H

#include "record.h"

/* Make r smaller as long as fails(r, about) stays true: without transactions,
 * operations, elements of lists, with plainer outcomes, without times.  Nothing
 * can be left out of the result by itself.
 *
 *   require  fails(r, about) */
void shrink(struct record *r, bool (*fails)(const struct record *, void *),
            void *about);

#endif
