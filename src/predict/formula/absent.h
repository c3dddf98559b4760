/* absent.h -- from a refutation to evidence of absence.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PREDICT_FORMULA_ABSENT_H
#define PREDICT_FORMULA_ABSENT_H

#include "check/check.h"
#include "predict/formula/formula.h"

struct recorded {
    uint32_t first, n;           // literals
    uint32_t first_from, n_from; // clauses it was derived from
    uint8_t kind;                // enum absence_kind; RULE: an input
};

/* What the solver has inferred, clause by clause. */
struct recorder {
    struct sat_proof listener;
    VEC(struct recorded) clauses; // by id; the first is none
    lit_vec lits;
    u32_vec from;
};

/* Before the first variable of f. */
void recorder_init(struct recorder *r, struct formula *f);
void recorder_free(struct recorder *r);

/* Turn what r recorded into evidence, as far as the refutation rests on it.
 *
 *   require  f is refuted */
bool absent_make(const struct recorder *r, const struct formula *f,
                 struct absence *out, struct err *err);

#endif
