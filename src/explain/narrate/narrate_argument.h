/* narrate_argument.h -- numbered sentences that refer to each other.
 *
 * SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_NARRATE_NARRATE_ARGUMENT_H
#define EXPLAIN_NARRATE_NARRATE_ARGUMENT_H

#include "explain/narrate/narrate.h"

/* A refutation while it is put into sentences. */
struct narrate_argument {
    struct narration *t;
    const struct model *m;
    const struct refutation *r;
    uint32_t *number_of; // by step of r: the number of its sentence, 0 = none
};

/* End the sentence: it becomes a step of the anomaly. */
void narrate_argument_push(struct narrate_argument *s, uint32_t depth,
                           uint32_t edge);

/* Append the numbers of the sentences that d rests on: " (2, 3)". */
void narrate_argument_steps(struct narrate_argument *s, const struct dep *d);

/* Append the number of the sentence that answered a question: " (2)". */
void narrate_argument_number(struct narrate_argument *s, answer_id a);

/* Append the dependencies of a cycle as clauses, without the one that is
 * assumed, which has just been stated. */
void narrate_argument_clauses(struct narrate_argument *s, const struct dep *d,
                              size_t n, answer_id assumed);

/* Append why 'late' cannot have written before 'early': the cycle that this
 * would close. */
void narrate_argument_rejected(struct narrate_argument *s,
                               const struct refute_step *step, txn_id late,
                               txn_id early);

#endif
