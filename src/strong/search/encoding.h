/* encoding.h -- questions about the order as variables, clauses and edges.
 *
 *   PAIR     two writers of a key: which is first.  Either literal carries the
 *            ww edge and the rw edges of all readers of the earlier version.
 *   CHOICE   a candidate of an ambiguous read.  Carries the wr edge; for INIT,
 *            the rw edges to the first writers.
 *   COUNTS   an open transaction counts.  Carries the edges to its followers.
 *            Choosing it for a read implies it, and it implies that its own
 *            reads are served.
 *   AHEAD    a reader's start is before a writer's commit: the rw edge that
 *            only a choice together with a pair implies.
 *
 * A literal carries an edge if the edge must hold when the literal is true; the
 * theory (acyc.h) keeps the edges of true literals acyclic.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STRONG_SEARCH_ENCODING_H
#define STRONG_SEARCH_ENCODING_H

#include "strong/search/search.h"

/* The literal 'a is before b', of two writers of key k, with its edges.  With
 * may_stay_open, it need not be decided where the order agrees with one of its
 * signs. */
lit encoding_before(struct order_search *s, dense_id a, dense_id b, key_id k,
                    bool may_stay_open);

/* The variables of an ambiguous read's candidates, in the order of the pool:
 * the first of them.  'place' is that of the read in p->ambiguous. */
uint32_t encoding_choices(struct order_search *s, uint32_t place);

/* If r reads w, which 'choice' says, and w is before t2, then r's start is
 * before t2's commit. */
void encoding_add_ahead(struct order_search *s, read_id r, lit choice,
                        version_id w, dense_id t2);

/* Whether t counts in the present assignment. */
bool encoding_counts(const struct order_search *s, dense_id t);

/* Add a clause, and record in the log what it says. */
void encoding_add_clause(struct order_search *s, struct log_entry e,
                         const lit *lits, size_t n);

#endif
