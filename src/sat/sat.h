/* sat.h -- an incremental CDCL solver with an optional theory.
 *
 *     struct sat *s = sat_new();
 *     const uint32_t x = sat_add_var(s), y = sat_add_var(s);
 *     sat_add_clause(s, (lit[]){lit_make(x, false), lit_make(y, true)}, 2);
 *     if (sat_solve(s, &budget) == SAT_TRUE) ... sat_value(s, l) ...
 *
 * Variables and clauses may be added between calls of sat_solve; what was
 * learnt stays.  Everything is deterministic.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SAT_SAT_H
#define SAT_SAT_H

#include "base/limits/budget.h"
#include "sat/theory.h"

struct sat;

enum sat_answer {
    SAT_UNKNOWN, // the budget is spent
    SAT_TRUE,    // sat_value gives a model, until something is added
    SAT_FALSE,   // no model, and none after anything that may be added; of
                 // sat_solve_under: none under the assumptions
};

/* Listens to what the solver infers.  Every clause has an id, larger than
 * those of the clauses it was inferred from; ids begin at 1. */
struct sat_proof {
    void *self;

    /* Clause 'id' was added. */
    void (*input)(void *self, uint32_t id, const lit *lits, size_t n);

    /* The theory's conflict or reason became clause 'id'.  Called before the
     * theory is called again. */
    void (*lemma)(void *self, uint32_t id, const lit *lits, size_t n);

    /* Clause 'id' follows from the clauses 'from' by unit propagation. */
    void (*derived)(void *self, uint32_t id, const lit *lits, size_t n,
                    const uint32_t *from, size_t n_from);
};

struct sat_stats {
    uint64_t decisions, propagations, conflicts, theory_conflicts;
    uint64_t restarts, reductions, learnt_literals;
    uint64_t asked; // calls of the theory for advice
};

struct sat *sat_new(void);
void sat_free(struct sat *s);

/* Before the first variable; s keeps the structs, not their owners. */
void sat_set_theory(struct sat *s, const struct theory *t);
void sat_set_proof(struct sat *s, const struct sat_proof *p);

/* Go back by one level after a conflict, and not to where it is resolved, where
 * that is more levels away than this (default: 8). */
void sat_set_far(struct sat *s, uint32_t levels);

/* Answer SAT_UNKNOWN after so many more conflicts; 0 = no such limit. */
void sat_set_budget(struct sat *s, uint64_t conflicts);

uint32_t sat_add_var(struct sat *s);
size_t sat_vars(const struct sat *s);

/* Prefer this sign the first time v is decided. */
void sat_set_phase(struct sat *s, uint32_t v, bool value);

/* Add a clause and return its id.  Undoes the last model. */
uint32_t sat_add_clause(struct sat *s, const lit *lits, size_t n);

/* Give up the last model: back to what holds in every model.  The theory must
 * not be changed under an assignment, so call this first. */
void sat_to_root(struct sat *s);

enum sat_answer sat_solve(struct sat *s, struct budget *budget);

/* The same, but only models in which the n assumptions hold; they are forgotten
 * afterwards. */
enum sat_answer sat_solve_under(struct sat *s, const lit *assumptions, size_t n,
                                struct budget *budget);

/* Whether there is no model under any assumptions. */
bool sat_is_refuted(const struct sat *s);

/* 1 true, -1 false, 0 open: in the model, or for certain after sat_to_root. */
int sat_value(const struct sat *s, lit l);

struct sat_stats sat_get_stats(const struct sat *s);

#endif
