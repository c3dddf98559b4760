/* level.h -- the isolation levels: one row each.
 *
 * A row says everything that is particular to a level: its names, the levels
 * that it implies, what it demands of a read, where dependencies join the
 * points of two transactions, and which cycles of dependencies it forbids.  The
 * row is the definition in doc/levels.md as data; the engines, the checker of
 * certificates, explanations and reports read it here and have no list of
 * levels of their own.  tests/unit/level compares its columns with each other,
 * and the model tests compare every level with brute force.
 *
 * SPDX-License-Identifier: MIT */
#ifndef LEVEL_LEVEL_H
#define LEVEL_LEVEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Weakest first as far as they are ordered; psi lies beside pc.
enum level {
    LEVEL_READS, // read consistency, which every other level requires
    LEVEL_RC,
    LEVEL_RA,
    LEVEL_CC,
    LEVEL_PC,
    LEVEL_PSI,
    LEVEL_SI,
    LEVEL_SER,
    LEVEL_STRICT_SI,
    LEVEL_STRICT_SER,
    LEVELS
};

typedef uint32_t level_set; // bit l = level l

/* What a commit-order level demands of a read.  Let t3 read x from t1, and let
 * t2 be another writer of x.  If the premise holds of t2 and t3, then t2 is
 * before t1 in the commit order.  (Biswas and Enea, "On the complexity of
 * checking transactional consistency", OOPSLA 2019, section 2.) */
enum level_premise {
    PREMISE_NONE,         // the level is not defined by one
    PREMISE_EARLIER_READ, // t3 read from t2 before this read, in program order
    PREMISE_DIRECT,       // t2 is so- or wr-before t3
    PREMISE_CAUSAL,       // a path of so and wr leads from t2 to t3
};

/* Dependencies between transactions.  so, wr and real time are alike at every
 * level: the earlier transaction is complete before the later one starts. */
enum level_dependency { DEPENDS_SEES, DEPENDS_WW, DEPENDS_RW, DEPENDENCIES };

/* Every transaction has a start, where it reads, and a commit, where it writes.
 * At levels with one point they coincide. */
enum level_point { POINT_START, POINT_COMMIT };

/* The points that a dependency a -> b joins: 'from' of a and 'to' of b. */
struct level_placement {
    enum level_point from, to;
};

/* Which cycles of dependencies a level forbids, as a finite automaton.  It
 * reads the dependencies of a cycle from any transaction on.  next[m][d] is the
 * mode after dependency d in mode m, or LEVEL_STUCK.  A cycle that began in
 * mode m is forbidden if it ends in one of the modes of accepts[m]. */
enum { LEVEL_MODES = 4, LEVEL_STUCK = -1 };
struct level_automaton {
    signed char next[LEVEL_MODES][DEPENDENCIES];
    unsigned char accepts[LEVEL_MODES]; // by mode of the beginning: bit m
};

struct level_info {
    const char *name, *brief; // "serializable", "ser"
    const char *title;        // "serializability"
    const char *aliases;      // other names of ours, separated by spaces
    const char *meaning;      // one line
    level_set weaker;         // the levels directly below: each follows from it
    bool needs_times;         // strict: it respects real time

    enum level_premise premise; // rc, ra and cc
    // From pc up the level holds exactly if some choice of writers and some
    // version order per key leave no forbidden cycle.
    bool two_points; // an order has a start and a commit of each transaction
    bool one_rw;     // a forbidden cycle has at most one rw
    struct level_placement place[DEPENDENCIES];

    struct level_automaton cycles;
};

extern const struct level_info level_table[LEVELS];

/* The levels that follow from l, l among them. */
level_set level_implied(enum level l);

/* The strongest of some levels: those that follow from no other of them. */
level_set level_strongest(level_set levels);

/* The levels that respect real time. */
level_set level_strict(void);

/* Parse one name, brief name or alias, in any case. */
bool level_parse(const char *text, size_t len, enum level *out);

/* Whether l is defined by a premise on a commit order: rc, ra or cc. */
static inline bool
level_is_weak(enum level l)
{
    return level_table[l].premise != PREMISE_NONE;
}

/* Whether reads of constraint checks bind at a level: where one order has to
 * explain all that was read. */
static inline bool
level_takes_checks(enum level l)
{
    return l == LEVEL_SER || l == LEVEL_STRICT_SER;
}

/* Whether l is defined by cycles of dependencies: pc and above. */
static inline bool
level_is_strong(enum level l)
{
    return l != LEVEL_READS && !level_is_weak(l);
}

/* Whether two transactions that write the same key must not overlap: si. */
static inline bool
level_separates_writers(enum level l)
{
    return level_table[l].two_points &&
           level_table[l].place[DEPENDS_WW].to == POINT_START;
}

/* Whether l forbids every cycle of whole transactions: ser. */
static inline bool
level_is_serial(enum level l)
{
    return level_is_strong(l) && !level_table[l].two_points &&
           !level_table[l].one_rw;
}

#endif
