/* saturate.h -- infer edges and prune candidates until that no longer pays.
 *
 * Rules give every edge that a single undecided pair of versions forces.
 * Let t3 read x from t1, and let t2 be another writer of x:
 *
 *   R1  t2 reaches t3's start: then t2 is before t1, else t3 would precede t2;
 *   R2  t1 reaches t2: then t1 is before t2, and every reader of t1's version
 *       starts before t2 commits.
 *
 * At psi the graph has no rw edges, and R2 gives none.  Instead, if t3 writes x
 * as well:
 *
 *   R3  t1 reaches t2, or is INIT: then t3 is before t2.  Otherwise t2 would
 *       overwrite what t3 read, and reach t3.
 *
 * So two updates of the same version are a contradiction, the lost update.
 *
 * R1 and R2 are how PolySI prunes constraints (Huang et al., "Efficient
 * black-box checking of snapshot isolation in databases", VLDB 2023,
 * section 4.3), stated for single edges instead of pairs of alternatives.
 *
 * Trying every writer of x against every read costs reads times sessions, and
 * most of it infers nothing.  So only versions that are close to each other in
 * the present order are compared; how many on each side is an option.  That
 * finds nearly all edges that matter.  The search finds the rest, so it decides
 * speed and never the answer.
 *
 * Where clocks stay in the cache, window.h tries the rules key by key.  Where
 * they would not, because of many transactions or of many sessions, sweep.h
 * tries them along the order and needs no clocks.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STRONG_INFER_SATURATE_H
#define STRONG_INFER_SATURATE_H

#include "strong/infer/inference.h"

/* Saturate as far as it pays.  Returns false with a conflict, or without one
 * where the budget is spent. */
bool saturate_run(struct inference *f);

#endif
