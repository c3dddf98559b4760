/* sequence.h -- a sequence of functions as one formula; private to this folder.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PROVE_ROBUST_SEARCH_SEQUENCE_H
#define PROVE_ROBUST_SEARCH_SEQUENCE_H

#include "prove/robust/search/search.h"
#include "prove/robust/symbolic/sym_axioms.h"
#include "prove/robust/symbolic/symbolic.h"

enum { INPUTS_EACH = 16 }; // of each site, in one transaction

/* A sequence in symbols. */
struct sequence {
    const struct anomaly_search *search;
    const struct program *program;
    const struct level_choice *isolation;
    enum shape shape;
    uint32_t n;
    uint32_t functions[INTERLEAVING_MOST]; // numbers
    struct terms terms;
    struct symbolic symbolic;
    struct contents initial, final;
    struct sym_run runs[INTERLEAVING_MOST];
    term visible[INTERLEAVING_MOST][INTERLEAVING_MOST]; // [reader][writer]
    struct sym_relations relations; // of the user's own level
    term split, waits;
    bool failed;    // with an error
    VEC(term) told; // ways through the functions whose anomaly was collected
};

void sequence_require(struct sequence *q, term condition);
bool sequence_is_paired(const struct sequence *q, uint32_t a, uint32_t b);

/* Run the members on symbols in the shape that is set, from any initial
 * contents, as their levels allow. */
void sequence_build(struct sequence *q);

/* Keep all numbers small, for models that people read, and let nothing wait. */
void sequence_keep_small(struct sequence *q);

/* What the model says of a value. */
struct datum sequence_value(struct sequence *q, struct symbol x,
                            enum value_type type);
/* Run on concrete data what the model says; whether it happens and is allowed.
 */
bool sequence_happens(struct sequence *q, struct finding *out);

#endif
