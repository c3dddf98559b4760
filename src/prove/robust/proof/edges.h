/* edges.h -- dependencies between abstract runs, as terms.
 *
 * A dependency is on a slot.  What a transaction reads is fixed by facts about
 * rows (this one matches, that one does not, this column has that value), and
 * an edge is there when a write changes such a fact.  So an execution without
 * a cycle of these edges is serializable, although an edge less is counted
 * than by tables and columns alone:
 *
 *   rw  b writes a row that a's condition then matches differently than what a
 *       saw, or that matches before and after, in a column a uses;
 *   wr  a's write changed whether b's condition matches, or a column that b
 *       uses, and b saw it so;
 *   ww  both write the same column, or whether the row is there.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PROVE_ROBUST_PROOF_EDGES_H
#define PROVE_ROBUST_PROOF_EDGES_H

#include "prove/robust/symbolic/symbolic.h"

/* A run with the contents that it ran on and left behind. */
struct edge_end {
    const struct sym_run *run;
    const struct contents *before, *after;
};

/* Which reads count: of an interrupted transaction those before or after the
 * split, or those of which it is known which rows they are about. */
enum edge_reads { READS_ALL, READS_EARLY, READS_LATE, READS_EXACT };

term edge_rw(struct symbolic *s, const struct edge_end *a,
             enum edge_reads which, const struct edge_end *b);
term edge_wr(struct symbolic *s, const struct edge_end *a,
             const struct edge_end *b, enum edge_reads which);
term edge_ww(struct symbolic *s, const struct edge_end *a,
             const struct edge_end *b);

/* Any edge between transactions that run one after the other.  An edge from a
 * to b that leads past others which wrote the same column is left out: there is
 * a path from each of them to the next. */
term edge_next(struct symbolic *s, const struct edge_end *a,
               const struct edge_end *b);

#endif
