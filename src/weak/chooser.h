/* chooser.h -- the choice of writers, as a solver sees it; see choose.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEAK_CHOOSER_H
#define WEAK_CHOOSER_H

#include "evidence/proof.h"
#include "sat/sat.h"
#include "weak/prune.h"

typedef VEC(struct choice) choice_vec;

/* Why a combination of choices cannot be. */
struct lemma {
    choice_vec choices;
    struct cycle cycle;
};

struct chooser {
    const struct history *h;
    bool narrow; // only what pruning has left is known to the solver
    VEC(struct lemma) lemmas;
    txn_id *chosen;      // by op
    uint8_t *counts;     // by transaction: it counts in the reading
    op_id *why;          // by transaction that may count: a read from it
    txn_id *op_txn;      // by op; NULL where none may count
    uint32_t *count_var; // by transaction: its variable, or ID_NONE
    struct open_reads open;
    uint32_t *open_at;   // by op: its place in 'open'
    uint32_t *place;     // by transaction: where the guess has it, from 1
    uint32_t *first_var; // by op; ID_NONE where not known to the solver
    choice_vec vars;
    u32_vec reads; // known to the solver
    struct sat *sat;
    struct proof *proof;
};

/* Begin with a solver that knows nothing, and give it back. */
void chooser_begin(struct chooser *c);
void chooser_end(struct chooser *c);

/* Begin again with a solver that knows every candidate, and with what was
 * found out so far. */
void chooser_widen(struct chooser *c);

/* Tell the solver that the choices of a lemma cannot all be. */
void chooser_forbid(struct chooser *c, struct lemma *lemma);

/* Choose as the solver's model does, keeping a choice that it allows. */
void chooser_follow(struct chooser *c);

void lemma_free(struct lemma *lemma);

/* Append the choices that a cycle of the present reading rests on: reads with
 * several candidates that its edges or their reasons use, or by which its
 * transactions count, each once.  (grounds.c) */
void chooser_grounds(const struct chooser *c, const struct cycle *cycle,
                     choice_vec *out);

#endif
