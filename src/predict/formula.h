/* formula.h -- the question as clauses: is there a predicted execution that
 * satisfies a level and has a dependency cycle under every version order?
 *
 * Each variable stands for a fact and each clause follows from a rule, which
 * are written down beside them: a refutation is then evidence that other code
 * can check.  The parts:
 *
 *   choices.c   which executions are possible at all
 *   levels.c    what the level forbids, as far as it is easily said
 *   instance.c  "there is a cycle under this version order"
 *   core.c      what the level forbids, learnt from executions that break it
 *
 *   (F1) every clause holds for every predicted execution that satisfies the
 *        level and is not serializable, with some values of the auxiliary
 *        facts; so a refutation proves that there is none.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PREDICT_FORMULA_H
#define PREDICT_FORMULA_H

#include "predict/execution.h"
#include "sat/sat.h"

#define VAR_NONE UINT32_MAX

enum predict_fact {
    FACT_BASE,     // a transaction stays as observed
    FACT_BOUNDARY, // a transaction is a boundary transaction
    FACT_REACHES,  // strict: read a of a boundary transaction takes place
    FACT_PICK,     // read a of a boundary transaction reads from b
    FACT_FROM,     // it reads from b, or from a candidate behind b
    FACT_COUNT,    // more than b boundary transactions up to a
    FACT_UPDATED,  // a boundary transaction up to b updates key a
    // Of the cycle under version order c:
    FACT_ON,      // transaction a is on it
    FACT_BY,      // it enters the reader of a from b
    FACT_OVER,    // it leaves the reader of a to who overwrites what a read
    FACT_LATER,   // it enters the writer of version a b, or of a later one
    FACT_BETWEEN, // the same, before the version of the reader of d
    FACT_WROTE,   // it is at the writer of version a b, which is there
    FACT_NEXT,    // it leaves that transaction for a later writer of the key
    FACT_ROOT,    // boundary transaction a is on it
    FACT_AT,      // boundary transaction a is just before b
};

/* A version is a write and one of these: one of the base; one of a boundary
 * transaction at a place of its own.  Any other number is the transaction that
 * it is just before; OBS_NONE: it is the last. */
#define VERSION_BASE (UINT32_MAX - 2)
#define VERSION_OWN (UINT32_MAX - 3)

enum predict_rule {
    // What is possible.
    RULE_SESSION,   // a in the base: so is who precedes it in its session
    RULE_WRITER,    // the reader of a in the base: so is a's writer
    RULE_LOOPED,    // a is in no base
    RULE_FOLLOWS,   // a boundary: who precedes it is in the base
    RULE_EITHER,    // a not both base and boundary
    RULE_REACH,     // strict: reads take place in their order
    RULE_KEPT,      // strict: a read before the last has its writer
    RULE_LAST,      // strict: a read that takes place and is the last picks
    RULE_PICK_AT,   // strict: what picks takes place
    RULE_PICK_ENDS, // strict: and is the last
    RULE_SOME,      // relaxed: every read of a boundary transaction picks
    RULE_PICK_OF,   // relaxed: only boundary transactions pick
    RULE_CHANGED,   // relaxed: some read of a is not as observed
    RULE_PRESENT,   // who is picked is in the base
    RULE_FROM,      // facts FROM follow from picks and are nested
    RULE_NOT_FROM,
    RULE_NESTED,
    RULE_COUNT, // definition of COUNT
    // What the level forbids.
    RULE_PAIR,      // read a reads from b, so read c does not read from d
    RULE_PAIR_FROM, // nor from any candidate before d; OBS_NONE: from none
    RULE_LOST,      // read a must not read the version that base read b updates
    RULE_UPDATED,   // definition of UPDATED
    RULE_UPDATED_STILL,
    RULE_UPDATED_ONCE, // key a is updated by one boundary transaction at most
    RULE_CORE,         // the part of number a violates the level
    RULE_MISSED,       // approximately: one execution is not found
    // A cycle under version order d.
    RULE_ON,
    RULE_PLACE, // who is on the cycle takes place
    RULE_BY_ON,
    RULE_BY_READS,
    RULE_OVER_BASE,
    RULE_OVER_READS,
    RULE_OVER_KEPT,
    RULE_OVER_PICK,
    RULE_LATER,
    RULE_BETWEEN,
    RULE_WROTE_ON,
    RULE_WROTE_DONE,
    RULE_NEXT_DONE,
    RULE_NEXT_LATER,
    RULE_ROOT_ON,
    RULE_ROOT_IS,
    RULE_ROOT,
    RULE_AT_BOUNDARY,
    RULE_AT_NOT_BEFORE,
    RULE_AT_CAUSE,
};

struct fact_row {
    uint32_t kind, a, b, c, d;
};

struct rule_row {
    uint32_t kind, a, b, c, d;
};

/* One writer that a read of a boundary transaction may have. */
struct pick {
    uint32_t writer;
    uint32_t var;
    uint32_t from; // FACT_FROM; VAR_NONE for the first
};

/* A version order, and the variables of a cycle under it. */
struct instance {
    uint64_t *place; // of t as one of the base: at 2t; as a boundary: at 2t + 1
    uint32_t on;     // variable of transaction 0; the others follow
    bool by_reads;   // boundary writes of keys that were not read are placed by
                     // what else was read
    bool is_serial;  // the base is in a serial order of what was observed
};

enum { BOUNDS = 2 }; // bounds on the number of boundary transactions: 1 and 2

struct formula {
    const struct observed *o;
    enum level level;
    bool is_strict;
    struct sat *sat;

    uint32_t *base;       // by transaction
    uint32_t *boundary;   // by transaction; VAR_NONE: never one
    uint32_t *reaches;    // strict, by read; the first is the boundary's
    uint32_t *pick_first; // by read, and one more
    VEC(struct pick) picks;
    uint8_t *precedes; // psi, si: by two transactions, see levels.c; or NULL
    lit bound[BOUNDS]; // bound[i]: more than i + 1 boundary transactions
    VEC(struct instance) instances;

    lit_vec clause;             // the one being built
    bool keep;                  // write facts and rules down
    VEC(struct fact_row) facts; // by variable
    VEC(struct rule_row) rules; // by clause id, as far as given
    u32_vec scratch;
};

void formula_init(struct formula *f, const struct observed *o, enum level level,
                  bool is_strict);
void formula_free(struct formula *f);

uint32_t formula_var4(struct formula *f, enum predict_fact kind, uint32_t a,
                      uint32_t b, uint32_t c, uint32_t d);

static inline uint32_t
formula_var(struct formula *f, enum predict_fact kind, uint32_t a, uint32_t b,
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
void formula_add(struct formula *f, enum predict_rule rule, uint32_t a,
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

/* instance.c */
void formula_add_instance(struct formula *f, const uint64_t *place,
                          bool by_reads, bool is_serial);

/* The execution that the solver's model stands for; 'on' gets the transactions
 * on the cycles of all instances. */
void formula_model(const struct formula *f, struct execution *x, uint8_t *on);

/* core.c: a part of x that violates the level becomes a clause. */
void formula_add_core(struct formula *f, const struct execution *x,
                      const struct excerpt *p);

#endif
