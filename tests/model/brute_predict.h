/* brute_predict.h -- prediction by trying everything.
 *
 * Shares nothing with src/predict, and nothing with the engines for levels: the
 * definitions are written out again for executions of a few transactions.
 *
 * SPDX-License-Identifier: MIT */
#ifndef MODEL_BRUTE_PREDICT_H
#define MODEL_BRUTE_PREDICT_H

#include "history/history.h"
#include "level/level.h"

enum { BRUTE_PREDICT_TXNS = 5 };

struct brute_question {
    bool is_strict;
    bool is_approximate;   // 'not serializable' must follow without
                           // distinguishing cases
    bool is_unconditional; // the level must also hold when boundary
                           // transactions go on to write as observed,
    const uint32_t *rows;  // and when who writes a key also writes its row,
                           // where that is given by key
};

/* Which of rc, ra, cc, pc, psi and si have a predicted execution that satisfies
 * them and is not serializable.
 *
 *   require  at most BRUTE_PREDICT_TXNS transactions, all committed; every
 *            value written once */
level_set brute_predict(const struct history *h, struct brute_question asked);

#endif
