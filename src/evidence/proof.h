/* proof.h -- evidence of kind PROOF: every choice leads to a cycle.
 *
 * Facts are what a history leaves open.  For each pair of
 * transactions that write a common key:
 *
 *   BEFORE a b   the versions of a precede those of b, in every key that both
 *                write (were two keys to disagree, that alone is a cycle);
 *   CHOICE r w   the read r, which has several candidates or belongs to a
 *                transaction that may count, read from w, and both count;
 *   AHEAD a b    the start of a lies before the commit of b;
 *   COUNTS t     t, which may count, does.
 *
 * A transaction that may count but does not is placed after all others:
 * nothing follows from its reads and from its place in its session, so it has a
 * place in every order.  That makes BEFORE and AHEAD meaningful for it.
 *
 * A literal is a fact or its negation; not BEFORE a b is BEFORE b a, and only
 * the one with a < b is stored.  A step is a clause that holds whenever the
 * level does:
 *
 *   CHOICES      some candidate of 'read' was read, if its transaction counts;
 *   COUNTS       if 'read' read from 'writer', which may count, that counts;
 *   AHEAD        if 'read', of t, read from 'writer', and 'writer' is before
 *                'other', then t is ahead of 'other' (t is not 'other');
 *   CYCLE        not all literals that these edges rest on can be true, because
 *                then the edges close a cycle that the level forbids;
 *   WEAK_CYCLE   the same for rc, ra and cc: under the choices that the clause
 *                negates, 'cycles.at[cycle]' is a cycle of certain edges;
 *   LEARNT       follows from the clauses before it by unit propagation.
 *
 * The clauses of CHOICES, COUNTS, AHEAD and CYCLE are not stored: they follow
 * from the history, and the checker of the proof makes them.  The proof is
 * complete when unit propagation over all of it ends in a contradiction.
 *
 * SPDX-License-Identifier: MIT */
#ifndef EVIDENCE_PROOF_H
#define EVIDENCE_PROOF_H

#include "evidence/certificate.h"

enum fact_kind { FACT_BEFORE, FACT_CHOICE, FACT_AHEAD, FACT_COUNTS };

struct fact {
    enum fact_kind kind;
    // Transactions; of a CHOICE an operation and a transaction; of a COUNTS
    // the same one twice.
    uint32_t a, b;
};

typedef uint32_t proof_lit; // 2 * index of a fact, + 1 where negated

/* One edge of a CYCLE, between transactions of the history.
 *
 *   SO    nothing to show; COUNTS from, where that may count
 *   TIME  'from' ended before 'to' began
 *   WR    'to' did 'read' and read it from 'from': CHOICE read from, where the
 *         read has several candidates or 'to' may count
 *   WW    BEFORE from to; nothing where the order of a list says so
 *   RW    'from' did 'read' and read it from 'writer', which 'to' overwrites:
 *         CHOICE read writer, as above, and BEFORE writer to, as above, except
 *         where 'writer' is INIT.  With read == ID_NONE: AHEAD from to */
struct proof_edge {
    enum edge_kind kind;
    txn_id from, to;
    op_id read;
    txn_id writer;
};

enum proof_step_kind {
    STEP_CHOICES,
    STEP_COUNTS,
    STEP_AHEAD,
    STEP_CYCLE,
    STEP_WEAK_CYCLE,
    STEP_LEARNT,
};

struct proof_step {
    enum proof_step_kind kind;
    uint32_t first, n; // CYCLE: of edges; WEAK_CYCLE, LEARNT: of lits
    op_id read;        // CHOICES, COUNTS, AHEAD
    txn_id writer;     // COUNTS, AHEAD
    txn_id other;      // AHEAD
    uint32_t cycle;    // WEAK_CYCLE
};

struct proof {
    VEC(struct fact) facts;
    VEC(struct proof_step) steps;
    VEC(struct proof_edge) edges;
    VEC(proof_lit) lits;
    VEC(struct cycle) cycles;

    uint32_t *slots; // index of facts: id + 1, 0 = empty; a power of two
    size_t slots_n;
};

struct proof *proof_new(void);
void proof_free(struct proof *p);
struct proof *proof_copy(const struct proof *p);

/* The literal that states a fact; the fact is added where it is new. */
proof_lit proof_before(struct proof *p, txn_id a, txn_id b);
proof_lit proof_choice(struct proof *p, op_id read, txn_id writer);
proof_lit proof_ahead(struct proof *p, txn_id a, txn_id b);
proof_lit proof_counts(struct proof *p, txn_id t);

static inline proof_lit
proof_not(proof_lit l)
{
    return l ^ 1;
}

/* Add a step.  The edges or literals are those added to 'edges' or 'lits'
 * since they were 'first' long. */
void proof_add_choices(struct proof *p, op_id read);
void proof_add_counts(struct proof *p, op_id read, txn_id writer);
void proof_add_ahead(struct proof *p, op_id read, txn_id writer, txn_id other);
void proof_add_cycle(struct proof *p, size_t first);
void proof_add_weak_cycle(struct proof *p, size_t first, uint32_t cycle);
void proof_add_learnt(struct proof *p, size_t first);

#endif
