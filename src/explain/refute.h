/* refute.h -- why no way to answer the open questions works.
 *
 * A refutation is a list of steps that a person can follow.  A step eliminates
 * an answer, because with it a forbidden cycle would close; when one answer to
 * a question is left, that one is taken.  Where nothing can be eliminated
 * directly, an answer is supposed, refuted by deeper steps, and eliminated.  It
 * ends in a cycle of dependencies that are certain, or in a question without
 * answers.
 *
 * SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_REFUTE_H
#define EXPLAIN_REFUTE_H

#include "explain/model.h"

enum refute_kind {
    REFUTE_ELIMINATE, // 'answer', because of the cycle; or because of the
                      // answer 'because', which is taken; or because
                      // 'question', which it makes one, has no answer left
    REFUTE_SUPPOSE,   // 'answer'; the following steps are one deeper
    REFUTE_CLOSE,     // the cycle is there, or 'question' has no answer left
    REFUTE_WRONG,     // what was supposed last is eliminated
};

struct refute_step {
    enum refute_kind kind;
    answer_id answer;
    answer_id because; // ELIMINATE, or ID_NONE
    uint32_t question; // CLOSE, ELIMINATE: ID_NONE where there is a cycle
    uint32_t first, n; // the cycle in 'cycles'
    uint32_t depth;
    bool needed;
};

struct refutation {
    VEC(struct refute_step) steps; // the last one closes everything
    dep_vec cycles;
};

enum refute_verdict { REFUTE_TOO_LONG, REFUTE_YES, REFUTE_NO };

/* Refute m; REFUTE_NO: some answers close no forbidden cycle.  Gives up after
 * looking at about 'effort' dependencies.  m is left with answers eliminated.
 */
enum refute_verdict refute_model(struct model *m, size_t effort,
                                 struct refutation *out);

void refutation_free(struct refutation *r);

#endif
