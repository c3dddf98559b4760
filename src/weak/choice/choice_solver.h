/* choice_solver.h -- the choice of writers as a satisfiability problem; see
 * writer_choice.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEAK_CHOICE_CHOICE_SOLVER_H
#define WEAK_CHOICE_CHOICE_SOLVER_H

#include "evidence/proof.h"
#include "sat/sat.h"
#include "weak/choice/open_reads.h"

typedef VEC(struct choice) choice_vec;

/* A combination of choices that is impossible, and the cycle that shows it. */
struct lemma {
    choice_vec choices;
    struct cycle cycle;
};

struct choice_solver {
    const struct history *h;
    bool narrow; // the solver knows only the candidates that pruning has left
    VEC(struct lemma) lemmas;
    txn_id *chosen;      // by op
    uint8_t *counts;     // by transaction: it counts in the assignment
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

/* Create a solver that knows nothing, and free it. */
void choice_solver_begin(struct choice_solver *c);
void choice_solver_end(struct choice_solver *c);

/* Replace the solver by one that knows every candidate and the lemmas found so
 * far. */
void choice_solver_widen(struct choice_solver *c);

/* Add the clause that forbids the choices of a lemma together. */
void choice_solver_forbid(struct choice_solver *c, struct lemma *lemma);

/* Choose as the solver's model does.  A choice that the model allows stays. */
void choice_solver_follow(struct choice_solver *c);

void choice_solver_free_lemma(struct lemma *lemma);

#endif
