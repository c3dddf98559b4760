/* term.h -- formulas for Z3, simplified while they are built.
 *
 * Most conditions in a symbolic run are plainly true or false (a column that
 * is NOT NULL, a statement outside of any IF), so the constructors fold
 * constants; what reaches the solver is a fraction of what is written here.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PROVE_ROBUST_SYMBOLIC_TERM_H
#define PROVE_ROBUST_SYMBOLIC_TERM_H

#include "base/err.h"
#include "base/limits/limit.h"

#include <z3.h>

typedef Z3_ast term;

struct terms {
    Z3_context z3;
    Z3_solver solver;
    Z3_model model;           // of the last check that was satisfiable
    Z3_sort integer, boolean; // 'integer' is rational in a rational context
    bool rational;
    term yes, no;
    uint32_t checks; // made so far
};

/* Load Z3 and make a context with a solver; to be freed.  In a rational one
 * numbers have fractions; nothing is divided there. */
bool terms_init(struct terms *t, bool rational, struct err *err);
void terms_free(struct terms *t);

term term_fresh(struct terms *t, const char *name, bool is_boolean);
/* An unknown function of up to 40 arguments: the same for the same name. */
term term_apply(struct terms *t, const char *name, const term *args, uint32_t n,
                bool is_boolean);
term term_number(struct terms *t, int64_t n);
term term_not(struct terms *t, term a);
term term_and(struct terms *t, term a, term b);
term term_or(struct terms *t, term a, term b);
term term_implies(struct terms *t, term a, term b);
term term_if(struct terms *t, term condition, term a, term b);
term term_equal(struct terms *t, term a, term b);
term term_less(struct terms *t, term a, term b);
term term_at_most(struct terms *t, term a, term b);
term term_add(struct terms *t, term a, term b);
term term_subtract(struct terms *t, term a, term b);
term term_multiply(struct terms *t, term a, term b);
/* Division as SQL has it, towards zero; b is not 0. */
term term_divide(struct terms *t, term a, term b);
term term_modulo(struct terms *t, term a, term b);

void term_assert(struct terms *t, term a);
void terms_push(struct terms *t);
void terms_pop(struct terms *t);

enum answer { ANSWER_UNKNOWN, ANSWER_NO, ANSWER_YES }; // 0 claims nothing

/* Whether the assertions can hold together, with as much work as takes so many
 * seconds of a processor.  The work is counted, not timed: a busy machine gives
 * the same answer. */
enum answer terms_check(struct terms *t, double seconds);

/* The assertions in SMT-LIB; valid until the next call. */
const char *terms_text(struct terms *t);

/* The value of a term in the last model. */
int64_t term_value(struct terms *t, term a);
bool term_truth(struct terms *t, term a);

#endif
