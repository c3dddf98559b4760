/* sym_axioms.h -- the user's own level, as terms; see execute/axioms.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PROVE_ROBUST_SYMBOLIC_SYM_AXIOMS_H
#define PROVE_ROBUST_SYMBOLIC_SYM_AXIOMS_H

#include "prove/execute/axioms.h"
#include "prove/execute/interleaving.h"
#include "prove/robust/symbolic/term.h"

/* Relations among members; each is [y][x] for x, y in that relation. */
struct sym_relations {
    uint32_t n;
    term vis[INTERLEAVING_MOST][INTERLEAVING_MOST];
    term before[INTERLEAVING_MOST][INTERLEAVING_MOST];
    term so[INTERLEAVING_MOST][INTERLEAVING_MOST];
    term conflict[INTERLEAVING_MOST][INTERLEAVING_MOST];
    term ww[INTERLEAVING_MOST][INTERLEAVING_MOST];
};

/* Make unknown sessions: 'so' becomes a set of chains in the order of commits,
 * which is to be there. */
void sym_sessions(struct terms *t, struct sym_relations *r);

/* Assert all axioms of all members. */
void sym_axioms(struct terms *t, const struct axioms *a,
                const struct sym_relations *r);

#endif
