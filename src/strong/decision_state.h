/* decision_state.h -- what a decision consists of; private to decision.c and to
 * estimated_order.c, which changes the problem before it is decided.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STRONG_DECISION_STATE_H
#define STRONG_DECISION_STATE_H

#include "strong/decision.h"
#include "strong/infer/inference.h"
#include "strong/search/search.h"

struct decision {
    enum decision_stage stage;
    struct strong_context context;
    struct budget budget; // of the present attempt; 'context' refers to it
    struct strong_stats unused; // where the caller does not count
    struct dependencies p;
    struct inference f;

    // From DECISION_ORDERED on: the first order, what it breaks, and the
    // search in turns of the solver and of order searches.
    struct order_check a;
    uint32_t *order;
    broken_vec broken;
    struct order_search s;
    bool has_order, has_search;
    unsigned efforts; // of the search from both ends
    enum sat_answer answer;
    bool found; // 'order' is the answer
};

#endif
