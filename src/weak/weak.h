/* weak.h -- read committed, read atomic and causal consistency, decided in
 * O(n^1.5), O(n^1.5) and O(n k) for n operations and k sessions.
 *
 * With duplicate values a level holds when some choice of writers makes it
 * hold.  That is decided exactly too, by search (writer_choice.h).
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEAK_WEAK_H
#define WEAK_WEAK_H

#include "base/limits/budget.h"
#include "evidence/certificate.h"

/* How the writers of a key are gone through at cc: as is fastest; only those
 * near the one that was read, however few there are; or as few as possible of
 * these and then all, in either of two ways. */
enum weak_walk {
    WEAK_WALK_USUAL,
    WEAK_WALK_NEAR,
    WEAK_WALK_SHORT_RUNS,
    WEAK_WALK_RUNS,
};

/* No answer depends on the last two, which are for tests. */
struct weak_options {
    unsigned threads;
    struct budget *budget; // NULL: no limit
    bool always_cover;     // causal_rows.h: not only where sessions are many
    enum weak_walk walk;
};

/* What a check cost. */
struct weak_stats {
    uint64_t stale;  // transactions that did not read what was last written
                     // in the order first tried
    uint64_t edges;  // inferred and stored
    uint64_t reads;  // with several candidates after pruning
    uint64_t rounds; // of choosing writers for them
};

/* Decide those of 'levels' that are in level_weak() and fill their rows of
 * 'out'; the other rows are left alone.  Levels share the work: an order that
 * satisfies a level satisfies the weaker ones.
 *
 * A history with inconsistent reads violates every level, and the certificate
 * is the first such read; weak_witnesses finds cycles without those reads.
 *
 *   require  h is resolved */
void weak_check(const struct history *h, level_set levels,
                const struct weak_options *o, struct certificate out[LEVELS],
                struct weak_stats *stats);

/* The same where values are repeated, by the assignment that an order of the
 * transactions suggests; undecided levels stay so.  Where 'order' is NULL it is
 * that of the input, and what depends on no choice is refuted if it can be.
 *
 *   require  h is resolved; 'order' has every transaction that counts or may
 *   time     that of deciding two assignments, for each level */
void weak_try_order(const struct history *h, level_set levels,
                    const u32_vec *order, const struct weak_options *o,
                    struct certificate out[LEVELS], struct weak_stats *stats);

typedef VEC(struct cycle) cycle_vec;

/* Fill 'out', which is empty, with witnesses against 'level': one shortest
 * cycle for each strongly connected component, of those with fewest inferred
 * edges, at most 'most' of them.  There are none where the level holds, where
 * the budget is spent, or where values are duplicate and no single cycle shows
 * the violation. */
void weak_witnesses(const struct history *h, enum level level,
                    const struct weak_options *o, size_t most, cycle_vec *out);

#endif
