/* internal.h -- the state of the solver, which the files of this layer share.
 *
 * Clauses lie in one array of 32-bit words and are named by the index of
 * their header:
 *
 *     size | glue and flags | id | literals ...
 *
 * Invariants between calls of propagate:
 *   (S1) the first two literals of a clause are watched: watches[l] lists the
 *        clauses to look at when l becomes FALSE;
 *   (S2) a watched literal is false only if the other one is true, and is
 *        true at the same or a lower level, or the false one comes later in
 *        the trail;
 *   (S3) the literal that a clause implied is its first;
 *   (S4) every variable assigned at level 0 has the id of a unit clause that
 *        says so in unit_id;
 *   (S5) the level of an implied literal is the highest of those it follows
 *        from, and may be lower than that of literals before it in the trail.
 *
 * Backtracking keeps literals of low levels wherever they are in the trail,
 * and they are propagated again (S2, S5).
 *
 * SPDX-License-Identifier: MIT */
#ifndef SAT_INTERNAL_H
#define SAT_INTERNAL_H

#include "base/limits/capacity.h"
#include "sat/sat.h"

typedef uint32_t clause_ref;

enum { CLAUSE_HEADER = 3 };
// The second word: flags, and below them the glue.
#define CLAUSE_LEARNT (1u << 31)
#define CLAUSE_DEAD (1u << 30)
#define CLAUSE_GLUE (CLAUSE_DEAD - 1)

#define REF_NONE UINT32_MAX         // decided, or a fact
#define REF_THEORY (UINT32_MAX - 1) // implied by the theory, reason not asked

struct watch {
    clause_ref ref;
    lit blocker; // some literal of the clause; if true, no need to look
};
typedef VEC(struct watch) watch_vec;

struct var_data {
    clause_ref reason;
    uint32_t level, unit_id;
};

struct sat {
    struct theory theory;
    struct sat_proof proof;
    bool has_theory, has_proof;
    uint32_t far; // levels
    bool refuted;
    uint32_t next_id;

    u32_vec words;          // all clauses
    VEC(clause_ref) learnt; // the redundant ones
    VEC(watch_vec) watches; // by literal
    VEC(int8_t) value;      // by literal: 1, -1, 0
    VEC(struct var_data) vars;
    VEC(uint8_t) phase; // by variable: the sign to try, 1 = true

    lit_vec trail;
    u32_vec levels;     // where each level begins in the trail
    size_t head;        // propagated so far
    size_t theory_head; // assigned to the theory so far

    // Decisions: a heap by activity, and the variables the theory left open.
    VEC(double) activity;
    double bump;
    u32_vec heap;
    VEC(uint32_t) heap_at; // by variable: its place, or UINT32_MAX
    lit_vec assumed;       // the i-th is decided at level i + 1
    u32_vec open;
    VEC(uint8_t) open_times; // by variable: how often it had to be decided
    VEC(uint8_t) is_open;
    size_t open_next;

    // Scratch of the analysis.
    VEC(uint8_t) seen;
    lit_vec clause, theory_out, implied, to_clear;
    u32_vec from;
    u32_vec level_mark;
    uint32_t mark;

    uint64_t next_reduction, next_restart;
    uint64_t last_conflict; // stop there; 0 = never
    struct sat_stats stats;
};

static inline uint32_t *
clause_lits(struct sat *s, clause_ref c)
{
    assert(c < s->words.n);
    return s->words.at + c + CLAUSE_HEADER;
}

static inline uint32_t
clause_size(const struct sat *s, clause_ref c)
{
    assert(c < s->words.n);
    return s->words.at[c];
}

static inline uint32_t
clause_id(const struct sat *s, clause_ref c)
{
    return s->words.at[c + 2];
}

static inline uint32_t
sat_next_id(struct sat *s)
{
    capacity_want(CAPACITY_CLAUSES, s->next_id);
    return s->next_id++;
}

static inline uint32_t
sat_level(const struct sat *s)
{
    return (uint32_t)s->levels.n;
}

#endif
