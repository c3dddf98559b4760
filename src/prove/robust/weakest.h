/* weakest.h -- the weakest levels at which programs are serializable.
 *
 * For all functions together: an anomaly at a level is one at every weaker
 * level of visibility, so levels are tried downwards from si; rc lies beside
 * them.  For each function: all begin at ser, and each in turn is given rc, or
 * else si, where the others stay as they are and all are still serializable.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PROVE_ROBUST_WEAKEST_H
#define PROVE_ROBUST_WEAKEST_H

#include "prove/robust/prove.h"

/* What came of a level. */
struct weakest_try {
    bool tried;
    enum prove_verdict verdict;
    char why[400]; // the functions of an anomaly, or why nothing is known
};

struct weakest {
    struct weakest_try levels[LEVELS]; // for all functions
    enum level *functions;             // of each
    struct weakest_try *at_rc, *at_si; // of each; tried with the others' levels
    uint32_t n;
};

/* Find them; to be freed in any case.  The limits are for each level.
 *
 *   error  as prove_level */
bool weakest_find(const struct program *p, const struct search_limits *limits,
                  double timeout, struct weakest *out, struct err *err);
void weakest_free(struct weakest *w);

/* Whether the level is proved and no weaker one is. */
bool weakest_is_lowest(const struct weakest *w, enum level level);

#endif
