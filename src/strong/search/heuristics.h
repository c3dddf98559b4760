/* heuristics.h -- which variable the solver decides, and how.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STRONG_SEARCH_HEURISTICS_H
#define STRONG_SEARCH_HEURISTICS_H

#include "strong/search/search.h"

/* The theory that the solver calls: acyclicity, with advice on decisions.
 * Valid as long as s is. */
struct theory heuristics_theory(struct order_search *s);

#endif
