/* capacity.h -- how much of everything this program can number.
 *
 * Ids and offsets have 32 bits, and some share a word with flags.  Whatever
 * grows with an input is therefore checked here before it is numbered:
 *
 *   - readers, which can say where in the input it happened, ask
 *     capacity_holds and report an error;
 *   - other code calls capacity_index or capacity_want, which stop the
 *     program with one line that names the capacity, as mem.h does when there
 *     is no memory.  A wrong verdict is never the result.
 *
 * What is not in this table is bounded by something that is: versions and
 * writers of values by operations and keys, rows and places by transactions.
 *
 * A build with ASSAY_SMALL_CAPACITIES reads the numbers from a variable, so
 * that a test can reach each of them with a small history.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BASE_LIMITS_CAPACITY_H
#define BASE_LIMITS_CAPACITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Name, the most there can be, what they are called. */
#define CAPACITY_TABLE(ROW)                                                    \
    ROW(SESSIONS, INT32_MAX, "sessions")                                       \
    ROW(TXNS, 1 << 30, "transactions")                                         \
    ROW(OPS, INT32_MAX, "operations")                                          \
    ROW(KEYS, 1 << 29, "keys")                                                 \
    ROW(VALUES, INT32_MAX, "values")                                           \
    ROW(STRINGS, UINT32_MAX - 1, "strings")                                    \
    ROW(LIST_ITEMS, UINT32_MAX - 1, "elements of lists")                       \
    ROW(POINTS, UINT32_MAX - 1, "points of the graph")                         \
    ROW(EDGES, UINT32_MAX - 2, "edges of the graph")                           \
    ROW(READS, (1 << 29) - 1, "reads from other transactions")                 \
    ROW(VARIABLES, INT32_MAX - 1, "variables of the solver")                   \
    ROW(CLAUSES, UINT32_MAX - 1, "clauses of the solver")                      \
    ROW(CLAUSE_WORDS, UINT32_MAX - 2, "words in clauses of the solver")        \
    ROW(CARRIED, UINT32_MAX - 1, "edges that the solver decides")              \
    ROW(LOG, UINT32_MAX - 1, "steps on the solver's record")                   \
    ROW(FACTS, INT32_MAX, "facts of a proof")                                  \
    ROW(PROOF, UINT32_MAX - 1, "edges or literals of a proof")                 \
    ROW(PATHS, UINT32_MAX - 1, "transactions on the paths of a cycle")         \
    ROW(EPOCHS, UINT32_MAX, "uses of a table of stamps")

enum capacity {
#define CAPACITY_NAME(name, most, what) CAPACITY_##name,
    CAPACITY_TABLE(CAPACITY_NAME)
#undef CAPACITY_NAME
        CAPACITIES
};

#ifdef ASSAY_SMALL_CAPACITIES
extern uint64_t capacity_most[CAPACITIES]; // the test's
#else
#define CAPACITY_MOST(name, most, what) [CAPACITY_##name] = (most),
static const uint64_t capacity_most[CAPACITIES] = {
    CAPACITY_TABLE(CAPACITY_MOST)};
#undef CAPACITY_MOST
#endif

/* "sessions", "transactions", ... */
const char *capacity_name(enum capacity c);

/* End the program: more is needed than there can be. */
_Noreturn void capacity_exceeded(enum capacity c);

/* Whether there can be n of them. */
static inline bool
capacity_holds(enum capacity c, uint64_t n)
{
    return n <= capacity_most[c];
}

/* There are to be n of them. */
static inline void
capacity_want(enum capacity c, uint64_t n)
{
    if (!capacity_holds(c, n))
        capacity_exceeded(c);
}

/* The index of one more, where there are n. */
static inline uint32_t
capacity_index(enum capacity c, uint64_t n)
{
    capacity_want(c, n + 1);
    return (uint32_t)n;
}

/* The next epoch of n stamps, which were made in 'epoch' or before: none of
 * them bears it.  Stamps are cleared when the epochs are used up. */
uint32_t capacity_epoch(uint32_t epoch, uint32_t *stamps, size_t n);

#endif
