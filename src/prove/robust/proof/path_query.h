/* path_query.h -- whether functions can form a path; private to proofs.
 *
 * For what a path is see paths.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PROVE_ROBUST_PROOF_PATH_QUERY_H
#define PROVE_ROBUST_PROOF_PATH_QUERY_H

#include "prove/program/access.h"
#include "prove/robust/proof/footprint.h"
#include "prove/robust/proof/proof.h"

enum { PATH_MOST = 5 }; // members

struct path_prover {
    const struct program *program;
    const struct level_choice *isolation;
    const struct search_limits *limits;
    struct footprint *footprints;
    struct access *accesses;
    struct robust_proof *out;
    struct err *err;
    bool failed;
    bool whole; // a row is always as one transaction left it
    bool *back; // [a * n + b]: an rw edge from a back to b can be
    bool *edge; // [a * n + b]: any edge can be
    uint32_t n;
};

/* A fork: of three members the second sees and depends on the first, and does
 * not see the third, which commits before both and overwrites what it read. */
enum asked { ASKED_BACK, ASKED_EDGE, ASKED_CYCLE, ASKED_PATH, ASKED_FORK };

/* Whether this can be; when in doubt, it can. */
bool path_can_be(struct path_prover *v, const uint32_t *functions, uint32_t n,
                 enum asked asked);

#endif
