/* item_draw.h -- workloads of rows: what the next transaction does.
 *
 * Rows have a key, a group, and a version, which no other write has.  Keys are
 * in blocks, and a row is in one of the groups of its block.  So a query by
 * group or block is about few rows, and the same rows are asked about in few
 * ways.
 *
 * SPDX-License-Identifier: MIT */
#ifndef COLLECT_ITEMS_ITEM_DRAW_H
#define COLLECT_ITEMS_ITEM_DRAW_H

#include "collect/workload.h"

enum {
    ITEM_BLOCK = 8,  // keys in a block
    ITEM_GROUPS = 2, // groups in a block
    ITEM_FEW = 2,    // rows of a group; more are many
};

/* Draw which features the next transaction uses; return whether it only
 * reads. */
bool item_draw_features(struct workload *w);

/* Insert, update, upsert and delete, by key and by condition; read and search.
 */
void item_draw_rows(struct workload *w, bool reads_only, step_vec *out);

/* Search a group, and insert a row into it if there are few, else delete them.
 * Two such transactions can each miss the row of the other, as two votes of a
 * caller do who has one vote. */
void item_draw_phantom(struct workload *w, bool reads_only, step_vec *out);

/* Insert a row that was never there, and read the one that the other session
 * of the pair inserts in the same round, in either order. */
void item_draw_fresh(struct workload *w, bool reads_only, step_vec *out);

#endif
