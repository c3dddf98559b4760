/* narrate_edges.h -- dependencies as edges between the transactions of an
 * anomaly.
 *
 * SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_NARRATE_NARRATE_EDGES_H
#define EXPLAIN_NARRATE_NARRATE_EDGES_H

#include "explain/narrate/narrate.h"

/* The last write of key k by t, or ID_NONE. */
op_id narrate_final_write(const struct history *h, txn_id t, key_id k);

/* Whether the dependency rests on an order of versions that was inferred. */
bool narrate_edge_is_inferred(const struct dep *d);

/* The index of the edge for d, which is added where it is new. */
uint32_t narrate_edge_add(struct narration *t, const struct dep *d,
                          bool inferred);

#endif
