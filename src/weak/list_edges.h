/* list_edges.h -- what observed lists make certain.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEAK_LIST_EDGES_H
#define WEAK_LIST_EDGES_H

#include "weak/edges.h"

/* Add the edges that hold at every level because of lists that were read: who
 * appended an element comes before who appended the next one, and whoever
 * appended something that no read saw comes after who appended the last that
 * one did.
 *
 *   time   O(operations + elements), nothing where there are no lists */
void list_edges_add(const struct history *h, struct edges *out);

#endif
