/* level.h -- the isolation levels: one row each.
 *
 * A row says everything that is particular to a level: its names, the levels
 * that it implies, what it demands of a read, where dependencies join the
 * points of two transactions, which cycles of dependencies it forbids, which
 * commands support it, and where reports draw it.  The row is the definition in
 * doc/levels.md as data; the engines, the checker of certificates, explanations
 * and reports ask the row, or a predicate below that is computed from it.
 * tools/check-levels lists the files elsewhere that may name a level, each with
 * the reason.  tests/unit/level compares the columns with each other, and the
 * model tests compare every level with brute force.
 *
 * SPDX-License-Identifier: MIT */
#ifndef LEVEL_LEVEL_H
#define LEVEL_LEVEL_H

#include <assert.h>
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

// The level whose violations predict and prove look for.
#define LEVEL_TARGET LEVEL_SER

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

/* The commands and parts of commands that support some levels only. */
enum level_use {
    USED_BY_STORE = 1,   // the built-in store offers it
    USED_BY_GEN = 2,     // gen makes histories that satisfy it
    USED_BY_PREDICT = 4, // predict looks for executions that it allows
    USED_BY_PROVE = 8,   // prove has axioms and lemmas for it
};

/* The SQL isolation level to ask a database for that should provide a level. */
enum level_sql {
    SQL_READ_COMMITTED, // each statement reads its own snapshot
    SQL_REPEATABLE_READ,
    SQL_SERIALIZABLE
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

    unsigned uses;      // enum level_use
    enum level_sql sql; // what a database is asked for
    unsigned step;      // of the lattice, from below; levels of one step are
                        // drawn side by side
    const char *prove;  // its name in prove where that differs, or NULL
};

extern const struct level_info level_table[LEVELS];

/* --- sets ------------------------------------------------------------------*/

static inline level_set
level_bit(enum level l)
{
    return (level_set)1 << l;
}

static inline bool
level_set_has(level_set set, enum level l)
{
    return set >> l & 1;
}

/* The lowest and the highest number in a set, which is not empty.  A level has
 * a higher number than those that it implies. */
static inline enum level
level_lowest(level_set set)
{
    assert(set && set < (level_set)1 << LEVELS);
    return (enum level)__builtin_ctz(set);
}

static inline enum level
level_highest(level_set set)
{
    assert(set && set < (level_set)1 << LEVELS);
    return (enum level)(31 - __builtin_clz(set));
}

/* The levels that follow from l, l among them. */
level_set level_implied(enum level l);

static inline bool
level_implies(enum level l, enum level weaker)
{
    return level_set_has(level_implied(l), weaker);
}

/* The strongest of some levels: those that follow from no other of them. */
level_set level_strongest(level_set levels);

/* The levels that respect real time, and those that do not. */
level_set level_strict(void);
level_set level_untimed(void);

/* The levels that the weak engine decides in one go: read consistency and those
 * that are defined by a premise.  Each of them implies the ones before it. */
level_set level_weak(void);

/* Every level except read consistency, which knows no order. */
level_set level_ordered(void);

/* The levels that a command supports, and whether it supports l. */
level_set level_used_by(enum level_use use);

static inline bool
level_is_used_by(enum level l, enum level_use use)
{
    return level_table[l].uses & use;
}

/* Parse one name, brief name or alias, in any case. */
bool level_parse(const char *text, size_t len, enum level *out);

/* --- what a level demands --------------------------------------------------*/

/* Whether l demands no more than read consistency: it knows no order. */
static inline bool
level_is_orderless(enum level l)
{
    return !level_table[l].weaker;
}

/* Whether l is defined by a premise on a commit order: rc, ra or cc. */
static inline bool
level_is_weak(enum level l)
{
    return level_table[l].premise != PREMISE_NONE;
}

/* Whether l is defined by cycles of dependencies: pc and above. */
static inline bool
level_is_strong(enum level l)
{
    return !level_is_orderless(l) && !level_is_weak(l);
}

/* Whether the order of the reads of a transaction matters: rc. */
static inline bool
level_orders_reads(enum level l)
{
    return level_table[l].premise == PREMISE_EARLIER_READ;
}

/* Whether a transaction must read a key that it does not write as it did
 * before: ra and above. */
static inline bool
level_repeats_reads(enum level l)
{
    return level_is_strong(l) || level_table[l].premise >= PREMISE_DIRECT;
}

/* Whether a transaction sees what its session wrote before: ra and above. */
static inline bool
level_sees_session(enum level l)
{
    return level_is_strong(l) || level_table[l].premise >= PREMISE_DIRECT;
}

/* Whether a transaction that sees another sees what that one saw: cc and
 * above. */
static inline bool
level_is_causal(enum level l)
{
    return level_is_strong(l) || level_table[l].premise == PREMISE_CAUSAL;
}

/* Whether a transaction sees a prefix of one commit order: pc, si and ser. */
static inline bool
level_sees_prefix(enum level l)
{
    return level_is_strong(l) && !level_table[l].one_rw;
}

/* Whether transactions may see commits in different orders: psi. */
static inline bool
level_is_parallel(enum level l)
{
    return level_is_strong(l) && level_table[l].one_rw;
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

/* Whether no update of a key is lost: psi, si and ser. */
static inline bool
level_keeps_updates(enum level l)
{
    return level_is_parallel(l) || level_separates_writers(l) ||
           level_is_serial(l);
}

/* Whether reads of constraint checks bind at a level: where one order has to
 * explain all that was read. */
static inline bool
level_takes_checks(enum level l)
{
    return level_is_serial(l);
}

#endif
