/* classify.h -- the name of an anomaly, by the edges of its cycle.
 *
 * SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_CLASSIFY_H
#define EXPLAIN_CLASSIFY_H

#include "base/buf.h"
#include "explain/anomaly_kinds.h"
#include "explain/refute.h"

/* The name of what a refutation shows, and in *cycle the cycle that shows it
 * best: its place in r->steps. */
enum anomaly_kind classify_refutation(const struct history *h,
                                      const struct refutation *r,
                                      uint32_t *step);

/* Turn the cycle so that it begins where it is easiest to explain: with its rw,
 * if there is one, and at a reader. */
void classify_turn(struct dep *d, size_t n);

/* Append Elle's name for a cycle of such edges, "G-single-process". */
void classify_elle(const struct history *h, const struct dep *d, size_t n,
                   struct buf *out);

#endif
