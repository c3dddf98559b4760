/* proof_trace.h -- writes down every clause of the solver in the search log.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STRONG_SEARCH_PROOF_TRACE_H
#define STRONG_SEARCH_PROOF_TRACE_H

#include "strong/search/search.h"

/* What the solver reports its clauses to; valid as long as s is. */
struct sat_proof proof_trace(struct order_search *s);

#endif
