/* proof.h -- proofs for any number of transactions, sessions and rows.
 *
 * If programs are not serializable at si, pc or rc, there is an execution in
 * which one transaction P is delayed (or, at rc, interrupted once) while all
 * others run one after the other, and in which P depends on itself:
 *
 *     P -rw-> X1 -> .. -> Xn -> P
 *
 * Every such cycle has a first edge from P, a last edge to P, and between them
 * edges that follow the serial order.  The solver is asked whether these can
 * hold together in abstract runs on unknown states: for one X, for X and Y,
 * and for the pieces of longer cycles, which are then put together by the
 * types of the transactions.  Where nothing is left, the programs are
 * serializable.  What is left is a candidate, not an anomaly.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PROVE_ROBUST_PROOF_PROOF_H
#define PROVE_ROBUST_PROOF_PROOF_H

#include "prove/robust/search/search.h"

enum proof_end {
    PROOF_UNABLE,    // a program is not one that proofs handle
    PROOF_DONE,      // serializable
    PROOF_CANDIDATE, // P with one or two others may form a cycle
    PROOF_LONG,      // P may be in a longer cycle
};

struct robust_proof {
    enum proof_end end;
    uint32_t p, x, y; // functions of a candidate; y UINT32_MAX: none
    uint32_t line;    // of what proofs do not handle, or know little of
    const char *what; // which is this; NULL: nothing
    uint32_t queries;
};

/* Try to prove the levels, where executions are delayed or interrupted: si, pc,
 * rc, and mixtures of rc, si and ser.
 *
 *   error  ERR_FEATURE where Z3 cannot be loaded */
bool proof_try(const struct program *p, const struct level_choice *isolation,
               const struct search_limits *limits, struct robust_proof *out,
               struct err *err);

/* The same for levels that are rules about visibility: see paths.c. */
bool proof_try_paths(const struct program *p,
                     const struct level_choice *isolation,
                     const struct search_limits *limits,
                     struct robust_proof *out, struct err *err);

/* Whether proofs handle what the functions do; 'out' says what they do not. */
struct footprint;
bool proof_is_able(const struct program *p,
                   const struct level_choice *isolation,
                   const struct footprint *footprints,
                   struct robust_proof *out);

/* Where a cycle was not excluded, find a function of it that has a loop. */
void proof_name_loop(const struct program *p,
                     const struct footprint *footprints,
                     struct robust_proof *out);

/* Check that every program keeps every invariant that is stated.
 *
 *   error  ERR_SYNTAX at the invariant, which names the program */
bool proof_check_invariants(const struct program *p,
                            const struct search_limits *limits,
                            struct err *err);

#endif
