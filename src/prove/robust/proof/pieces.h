/* pieces.h -- whether pieces of a cycle can hold together; private to proofs.
 *
 * P, X and Y run on unknown states, between which the lemmas hold: P on the
 * first one, X and Y on later ones, and at rc the rest of P on the last.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PROVE_ROBUST_PROOF_PIECES_H
#define PROVE_ROBUST_PROOF_PIECES_H

#include "prove/program/access.h"
#include "prove/robust/proof/facts.h"
#include "prove/robust/proof/footprint.h"
#include "prove/robust/proof/lemmas.h"
#include "prove/robust/proof/proof.h"

/* What is known of the programs before any query. */
struct prover {
    const struct program *program;
    const struct level_choice *isolation;
    enum level level; // P's; that of a serializable P is si, see is_refused
    const struct search_limits *limits;
    struct table_lemmas *lemmas;
    struct footprint *footprints;
    struct access *accesses;
    struct robust_proof *out;
    struct err *err;
    bool failed;
    uint32_t split; // rc: before which step P is interrupted
    // What is known of the arguments of P and X; NULL: nothing.  And what is of
    // those of P and the last member: others are asked for, and added.
    const struct facts *known;
    struct facts *told;
    // Tables have this many rows, all of them slots, and P is interrupted
    // anywhere; 0: tables of any size, in abstract runs.
    uint32_t rows;
};

/* The pieces of a cycle that a query asks for. */
enum piece { PIECE_FIRST = 1, PIECE_MIDDLE = 2, PIECE_LAST = 4 };

/* Whether the pieces can hold together; when in doubt, they can.  Without a Y
 * it is UINT32_MAX, and X has the last edge, too. */
bool piece_can_be(struct prover *v, uint32_t p, uint32_t x, uint32_t y,
                  uint32_t pieces);

#endif
