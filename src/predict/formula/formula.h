/* formula.h -- the question as clauses: is there a predicted execution that
 * satisfies a level and has a dependency cycle under every version order?
 *
 * Each variable stands for a fact and each clause follows from a rule, which
 * are written down beside them: a refutation is then evidence that other code
 * can check.  The parts:
 *
 *   formula.c   variables and clauses
 *   choices.c   which executions are possible at all
 *   levels.c    what the level forbids, as far as it is easily said
 *   pivots.c    at si, two conflicts in a row that must be there
 *   instance.c  "there is a cycle under this version order"
 *   core.c      what the level forbids, learnt from executions that break it
 *
 *   (F1) every clause holds for every predicted execution that satisfies the
 *        level and is not serializable, with some values of the auxiliary
 *        facts; so a refutation proves that there is none.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PREDICT_FORMULA_FORMULA_H
#define PREDICT_FORMULA_FORMULA_H

#include "evidence/absence.h"
#include "predict/execution/execution.h"
#include "sat/sat.h"

#define VAR_NONE UINT32_MAX

/* One writer that a read of a boundary transaction may have. */
struct pick {
    uint32_t writer;
    uint32_t var;
    uint32_t from; // FACT_FROM; VAR_NONE for the first
};

/* A version order, and the variables of a cycle under it. */
struct predict_instance {
    uint64_t *place; // of t as one of the base: at 2t; as a boundary: at 2t + 1
    uint32_t on;     // variable of transaction 0; the others follow
    bool by_reads;   // boundary writes of keys that were not read are placed by
                     // what else was read
    bool is_serial;  // the base is in a serial order of what was observed
};

/* Which transactions may be boundary ones: one in 'every', from the first on,
 * in the observed order; 0: all. */
struct sample {
    uint32_t every, first;
    bool at_pivots; // si: and of these, those in a conflict of a pivot
};

enum { BOUNDS = 2 }; // bounds on the number of boundary transactions: 1 and 2

struct formula {
    const struct observed *o;
    enum level level;
    bool is_strict;
    struct sample sample;
    uint8_t *at_pivots; // by transaction, where the sample is so; or NULL
    struct sat *sat;

    uint32_t *base;       // by transaction
    uint32_t *boundary;   // by transaction; VAR_NONE: never one
    uint32_t *reaches;    // strict, by read; the first is the boundary's
    uint32_t *pick_first; // by read, and one more
    VEC(struct pick) picks;
    uint8_t *precedes; // psi, si: by two transactions, see levels.c; or NULL
    uint32_t unconditional; // psi, si: the level also holds if boundary
                            // transactions go on to write what they were
                            // observed to write, and if rows count as keys; or
                            // VAR_NONE.  No proof rests on it
    lit bound[BOUNDS];      // bound[i]: more than i + 1 boundary transactions
    VEC(struct predict_instance) instances;

    lit_vec clause;             // the one being built
    bool keep;                  // write facts and rules down
    VEC(struct fact_row) facts; // by variable
    VEC(struct rule_row) rules; // by clause id, as far as given
    u32_vec scratch;
};

void formula_init(struct formula *f, const struct observed *o, enum level level,
                  bool is_strict);
void formula_free(struct formula *f);

uint32_t formula_var4(struct formula *f, enum absence_fact kind, uint32_t a,
                      uint32_t b, uint32_t c, uint32_t d);

static inline uint32_t
formula_var(struct formula *f, enum absence_fact kind, uint32_t a, uint32_t b,
            uint32_t c)
{
    return formula_var4(f, kind, a, b, c, 0);
}

/* Build a clause: its literals, then its rule. */
static inline void
formula_lit(struct formula *f, uint32_t var, bool value)
{
    vec_push(&f->clause, lit_make(var, !value));
}
void formula_add(struct formula *f, enum absence_rule rule, uint32_t a,
                 uint32_t b, uint32_t c, uint32_t d);

/* The pick of writer w by read r, or NULL. */
const struct pick *formula_pick(const struct formula *f, uint32_t r,
                                uint32_t w);

/* choices.c */
void formula_add_choices(struct formula *f);

/* levels.c: whether read r of a boundary transaction cannot read from w at the
 * level, whatever else is chosen; nor if another of its reads reads from u. */
bool formula_is_stale(const struct formula *f, uint32_t r, uint32_t w);
bool formula_is_stale_with(const struct formula *f, uint32_t r, uint32_t w,
                           uint32_t other, uint32_t u);
void formula_add_levels(struct formula *f);

/* pivots.c, at si: mark who, as a boundary transaction, is in a conflict of a
 * pivot, as far as the candidates of reads say; and the clauses. */
void formula_mark_pivots(struct formula *f, uint8_t *marks);
void formula_add_pivots(struct formula *f);

/* instance.c */
void formula_add_instance(struct formula *f, const uint64_t *place,
                          bool by_reads, bool is_serial);

/* The execution that the solver's model stands for; 'on' gets the transactions
 * on the cycles of all instances. */
void formula_model(const struct formula *f, struct execution *x, uint8_t *on);

/* core.c: a part of x that violates the level becomes a clause; where x is a
 * trial, one that is about unconditional executions. */
void formula_add_core(struct formula *f, const struct execution *x,
                      const struct excerpt *p);

#endif
