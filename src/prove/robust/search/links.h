/* links.h -- which functions can follow each other in a cycle; private.
 *
 * Of the executions with a delayed or interrupted member P, only those are
 * worth a search in which every other member depends on P and P on it, perhaps
 * through others: P -> X1 -> .. -> Xn -> P.  Whether one function can depend on
 * another so is asked of the solver once, on tables of the size that the search
 * looks at, between states of which nothing is known.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PROVE_ROBUST_SEARCH_LINKS_H
#define PROVE_ROBUST_SEARCH_LINKS_H

#include "prove/robust/search/search.h"

struct links;

/* For tables of 'rows' rows; the levels are ones with a delayed or interrupted
 * member. */
struct links *links_new(const struct anomaly_search *search, uint32_t rows,
                        struct err *err);
void links_free(struct links *l);

/* Whether every member of the sequence, of which P is the first, is on the way
 * from P to P.  Members that are not can be left out of an execution, so that a
 * shorter sequence stands for it. */
bool links_connect(struct links *l, const uint32_t *at, uint32_t n);

/* Whether each member can depend on the one before it, two links at a time. */
bool links_chain(struct links *l, const uint32_t *at, uint32_t n);

/* The solver could not be loaded; the error is set. */
bool links_failed(const struct links *l);

#endif
