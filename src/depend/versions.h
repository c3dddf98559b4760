/* versions.h -- the versions of every key, and who wrote them.
 *
 * SPDX-License-Identifier: MIT */
#ifndef DEPEND_VERSIONS_H
#define DEPEND_VERSIONS_H

#include "depend/dependencies.h"

/* Fill in the versions of d: one for the initial value of each key, and one for
 * each final write of a transaction.
 *
 *   require  the transactions of d are numbered
 *   time     O(operations + keys) */
void versions_init(struct dependencies *d);
void versions_free(struct dependencies *d);

#endif
