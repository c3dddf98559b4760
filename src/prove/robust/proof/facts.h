/* facts.h -- what is known of the arguments of two transactions; private to
 * proofs.
 *
 * For each parameter of P and each of another function: which relations of the
 * two values have turned up.  On the way along a cycle these sets grow until
 * nothing new turns up; what they leave out, no member of the cycle can be.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PROVE_ROBUST_PROOF_FACTS_H
#define PROVE_ROBUST_PROOF_FACTS_H

#include "prove/robust/symbolic/symbolic.h"

struct facts {
    const struct function *p, *other;
    bool any;            // some member of that function has turned up
    unsigned char *seen; // [parameter of p * other's + parameter of other]
    int64_t step;        // differences may be multiples of it; 1: of no number
};

/* Nothing has turned up; to be freed. */
void facts_init(struct facts *f, const struct program *program,
                const struct function *p, const struct function *other);
void facts_free(struct facts *f);

/* Whether the arguments are related in ways that have turned up. */
term facts_hold(const struct facts *f, struct terms *t, const struct sym_run *p,
                const struct sym_run *other);
/* Add those of the last model, or all there are. */
void facts_add(struct facts *f, struct terms *t, const struct sym_run *p,
               const struct sym_run *other);
void facts_add_all(struct facts *f);
/* Whether there are no others. */
bool facts_are_all(const struct facts *f);

#endif
