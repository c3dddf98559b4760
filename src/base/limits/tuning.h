/* tuning.h -- every number that the engines of check, strong and weak go by.
 *
 * No verdict depends on any of them: they say when an attempt pays, how long it
 * may take, and how much is looked at.  A row has a name, the number, the least
 * and the most that make sense, the meaning, and the section of bench/run that
 * a change has to be measured with.  tools/check-style refuses such numbers
 * elsewhere in these engines.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BASE_LIMITS_TUNING_H
#define BASE_LIMITS_TUNING_H

#include <stddef.h>
#include <stdint.h>

// clang-format off
#define TUNING_TABLE(ROW) \
    ROW(WEAK_STEPS_EACH, 100, 1, 100000, "steps per operation of the third attempt of the weak engine", "shapes") \
    ROW(WEAK_STEPS, 3000000, 1000, 1000000000, "steps of that attempt besides", "shapes") \
    ROW(ORDER_STEPS_EACH, 2000, 1, 1000000, "steps per operation of a search for an order of a stronger level", "sessions") \
    ROW(SERIAL_STEPS, 700000000, 1000, 2000000000, "steps of a search for a serial order, for weak levels", "shapes") \
    ROW(SERIAL_STEPS_SMALL, 200000000, 1000, 2000000000, "the same for a small ambiguous history", "ambiguous") \
    ROW(PREFIX_STEPS, 200000000, 1000, 2000000000, "steps of a search for an order of pc, for weak levels", "shapes") \
    ROW(PREFIX_STEPS_SMALL, 1500000000, 1000, 2000000000, "the same for small ambiguous histories", "ambiguous") \
    ROW(WEAK_BRIEF_PRODUCT, 100000000, 1000, 2000000000, "steps times operations of the first attempt of the weak engine", "ambiguous") \
    ROW(WEAK_SECOND_PRODUCT, 1300000000, 1000, 2000000000, "the same for the second attempt", "ambiguous") \
    ROW(WEAK_BRIEF_RC_MILLIONS, 1000000, 1, 2000000000, "millions of steps times operations squared, of the first attempt at rc alone", "ambiguous") \
    ROW(SMALL_TXNS, 2500, 1, 100000, "transactions of a small history, for which a serial order is tried first", "shapes") \
    ROW(CASE_STEPS, 5000000, 1000, 1000000000, "steps of an attempt to refute with fewer decisions", "rows") \
    ROW(CASE_EAGERNESS, 4, 1, 100, "times the cost of a refutation that making it smaller may take", "rows") \
    ROW(BUILD_STEPS, 4, 1, 100, "steps per operation and edge of building a problem", "strong") \
    ROW(BACKTRACK_POINTS, 5000, 1, 1000000, "points of a problem up to which order searches run", "ambiguous") \
    ROW(AMBIGUOUS_SHARE, 4, 1, 100, "order searches run if one read of so many is ambiguous", "ambiguous") \
    ROW(WALK_FIRST, 50000, 1, 100000000, "steps of a backtracking walk before the solver, and after the search from both ends", "ambiguous") \
    ROW(WALK_NEXT, 150000, 1, 100000000, "steps of a walk where nothing searches from both ends", "ambiguous") \
    ROW(WALK_LAST, 5000000, 1, 100000000, "steps of the last walks", "ambiguous") \
    ROW(CONFLICTS_FIRST, 300, 1, 1000000, "conflicts of the first turn of the solver", "ambiguous") \
    ROW(CONFLICTS_NEXT, 3000, 1, 1000000, "conflicts of the next turn; four times as many each time", "ambiguous") \
    ROW(MANY_BROKEN, 1000, 1, 1000000, "broken reads from which on the edges are laid out as arrays", "sessions") \
    ROW(VERSIONS_SEARCHED, 256, 1, 100000, "versions of a key up to which all of them are looked at", "strong") \
    ROW(PSI_LEMMAS, 256, 1, 100000, "lemmas per proposed version order", "strong") \
    ROW(PSI_STEPS, 8, 1, 100, "steps per operation of proposing a version order", "strong") \
    ROW(MOVED_STEPS, 8, 1, 100, "steps per point that moved", "sessions") \
    ROW(DIRTY_SHARE, 2, 1, 100, "all keys are checked if one version of so many is of a changed key", "sessions") \
    ROW(SCHEDULE_TRIALS, 8, 1, 1000, "trials per point of the schedule", "strong") \
    ROW(SCHEDULE_HELPED, 64, 1, 10000, "waiting points that the schedule looks at", "strong") \
    ROW(BACKTRACK_SEEN_BITS, 21, 8, 30, "bits of the table of states that were seen", "ambiguous") \
    ROW(BACKTRACK_SPEND, 1 << 14, 1, 1 << 20, "steps that are charged at a time", "ambiguous") \
    ROW(TIMED_OPEN, 256, 1, 100000, "open transactions that the search in real time looks at", "timed") \
    ROW(TIMED_STALLED, 50000, 1, 1000000000, "steps after which it ends if no run has come further", "timed") \
    ROW(TIMED_STEPS_EACH, 40, 1, 100000, "steps per operation of the search in real time", "timed") \
    ROW(TIMED_STEPS, 1000000, 1, 1000000000, "more steps of it, however small the history", "timed") \
    ROW(STRICT_STEPS_EACH, 600, 1, 100000, "steps per operation of a search at a strict level for a weaker one", "timed") \
    ROW(INPUT_ORDER_STEPS_EACH, 16, 1, 1000, "versions per operation that the input order looks at", "formats") \
    ROW(PREFETCH_OPS, 24, 1, 100, "operations between a prefetch and its use", "formats") \
    ROW(ORDER_MOVES, 8, 1, 100, "moves per version beyond which versions are sorted from scratch", "sessions") \
    ROW(BIDIRECTIONAL_STATES, 1 << 14, 1, 1 << 24, "states per side in the first effort", "ambiguous") \
    ROW(BIDIRECTIONAL_TRIES, 4, 1, 100, "runs with different hashes", "ambiguous") \
    ROW(BIDIRECTIONAL_SPEND, 1 << 12, 1, 1 << 20, "states that are charged at a time", "ambiguous") \
    ROW(BIDIRECTIONAL_STEPS, 4, 1, 1000, "steps per state", "ambiguous") \
    ROW(BIDIRECTIONAL_EFFORTS, 3, 1, 10, "efforts, each four times the one before", "ambiguous") \
    ROW(BIDIRECTIONAL_BYTES, 1 << 28, 1 << 20, 1 << 30, "bytes of both sides, at most", "ambiguous") \
    ROW(ESTIMATE_AVERAGED, 5, 1, 1000, "transactions on either side that the last round averages", "shapes") \
    ROW(ESTIMATE_ROUNDS, 2, 1, 100, "rounds per width", "shapes") \
    ROW(ESTIMATE_SAMPLES, 16, 1, 1000, "transactions on either side that a round samples", "shapes") \
    ROW(ESTIMATE_VERSIONS, 64, 1, 10000, "versions on either side that a read looks at", "shapes") \
    ROW(ESTIMATE_REACH, 8, 1, 100, "expected errors within which a writer is looked for", "shapes") \
    ROW(ESTIMATE_FRACTION, 8, 1, 100, "parts of a place that sorting tells apart", "shapes") \
    ROW(ESTIMATE_FOLLOWED, 64, 1, 1000, "transactions on either side, after sessions were followed", "shapes") \
    ROW(ESTIMATE_SMALL_PERCENT, 50, 1, 100, "percent of the expected error below which a round has moved little", "shapes") \
    ROW(CLOCK_BYTES_EACH, 256, 1, 100000, "more bytes of clocks per point and operation", "sessions") \
    ROW(CLOCK_BYTES, 64 << 20, 1 << 10, 1 << 30, "bytes of clocks beyond which the search does without", "sessions") \
    ROW(COVER_POINTS, 8, 1, 1000, "a cover is made anew after one new edge for so many points", "sessions") \
    ROW(CACHED_BYTES, 1 << 21, 1 << 10, 1 << 30, "bytes of clocks that stay in the cache", "strong") \
    ROW(FOLLOW_WINDOW, 16, 1, 1000, "transactions of a session in a window", "shapes") \
    ROW(FOLLOW_RANGE, 30, 1, 1000, "transactions of each session by which a window is shifted", "shapes") \
    ROW(FOLLOW_BLUR, 2, 1, 100, "transactions of each session by which times are inexact", "shapes") \
    ROW(FOLLOW_BINS, 2, 1, 100, "shifts per transaction of each session", "shapes") \
    ROW(FOLLOW_STRAY, 12, 1, 100, "logarithm of the least likelihood of a jump", "shapes") \
    ROW(FOLLOW_NEAR_PERCENT, 63, 1, 100, "percent of reads within the life of a version", "shapes") \
    ROW(FOLLOW_FAR_PERCENT, 32, 1, 100, "percent of reads within the two lives after that", "shapes") \
    ROW(VERSIONS_BETWEEN, 64, 1, 10000, "versions between a version and its reader that rules look at", "strong") \
    ROW(PREFETCH_POINTS, 4, 1, 100, "points between a prefetch and its use", "sessions") \
    ROW(FIXPOINT_POINTS, 4000, 1, 1000000, "points up to which saturation goes on to the fixpoint", "ambiguous") \
    ROW(SATURATION_ROUNDS, 2, 1, 1000, "rounds for larger problems", "strong") \
    ROW(SATURATION_AMBIGUOUS, 4, 1, 1000, "rounds where much is ambiguous", "strong") \
    ROW(SATURATION_SHARE, 50, 1, 10000, "much is ambiguous if one read of so many is", "strong") \
    ROW(SATURATION_MAX, 1000, 1, 100000, "rounds at most", "strong") \
    ROW(SATURATION_NEW, 8, 1, 1000, "a round pays if one edge of so many is new", "strong") \
    ROW(SATURATION_NEW_MANY, 20, 1, 1000, "the same with many sessions", "sessions") \
    ROW(MANY_SESSIONS, 100, 1, 100000, "sessions that are many", "sessions") \
    ROW(SATURATION_NEW_AMBIGUOUS, 100, 1, 10000, "the same where much is ambiguous", "strong") \
    ROW(NEAR_STEPS_EACH, 200, 1, 100000, "steps per operation of an attempt near estimated times", "shapes") \
    ROW(NEAR_KEPT, 8, 1, 1000, "candidates of a read within the margin, on average", "shapes") \
    ROW(PARTIAL_ROUNDS, 6, 1, 100, "times that transactions are left out of a partial order", "shapes") \
    ROW(PARTIAL_CONFLICT, 64, 1, 10000, "transactions in one conflict of a partial order", "shapes") \
    ROW(CYCLE_SEARCH_WORK, 1 << 24, 1, 1 << 30, "edges to visit in a component", "weak") \
    ROW(COMMIT_STEPS, 4, 1, 100, "steps per operation of a pass over the history", "weak") \
    ROW(STALE_FEW, 16, 0, 1000000, "stale transactions, with one of STALE_SHARE, up to which cycles are looked for near them", "weak") \
    ROW(STALE_SHARE, 64, 1, 1000000, "transactions per stale one more", "weak") \
    ROW(LOOKUP_FACTOR, 8, 1, 1000, "factor of sizes from which on writes are looked up", "weak") \
    ROW(FEW_OPS, 64, 1, 10000, "operations of a transaction that are always visited", "weak") \
    ROW(TXNS_PER_THREAD, 1 << 16, 1, 1 << 24, "transactions below which threads do not pay", "formats") \
    ROW(OPEN_WRITERS, 8, 1, 100, "writers of a key that are kept apart because they stay open", "weak") \
    ROW(CHOICE_ROUNDS, 12, 1, 1000, "rounds of pruning", "shapes") \
    ROW(CHOICE_CLOCK_BYTES, 1 << 27, 1 << 10, 1 << 30, "bytes of clocks beyond which nothing is pruned", "shapes") \
    ROW(CHOICE_WORK, 1 << 26, 1, 1 << 30, "steps of pruning in all", "shapes") \
    ROW(CHOICE_CYCLES, 512, 1, 100000, "cycles per round of choosing", "shapes") \
    ROW(CHOICE_EDGE_STEPS, 2, 1, 100, "steps per edge that the search for cycles visits", "shapes") \
    ROW(CAUSAL_FEW, 12, 1, 1000, "writers of a key before the one that was read, up to which all are looked at", "weak") \
    ROW(CAUSAL_NEAR, 64, 1, 10000, "writers on either side of it that are looked at", "weak") \
    ROW(CAUSAL_FAR, 256, 1, 100000, "reads with far writers after which near ones are not looked at", "weak") \
    ROW(CAUSAL_SHORT, 8, 1, 1000, "writers per run of a key up to which runs are short", "weak") \
    ROW(CAUSAL_SPEND, 1 << 12, 1, 1 << 20, "transactions between two charges of the budget", "weak") \
    ROW(CAUSAL_SESSIONS, 1000, 1, 1000000, "sessions beyond which chains are not sessions", "sessions") \
    ROW(PREFETCH_LATER, 8, 1, 100, "reads that were put off between a prefetch and its use", "formats") \
    ROW(OPS_PER_THREAD, 1 << 18, 1, 1 << 28, "operations that are worth a thread", "formats") \
    ROW(RECORD_MAX, 4000000, 0, 2000000000, "candidates of all reads from which on removed ones are recorded only for a proof", "shapes") \
    ROW(MANY_CANDIDATES, 64, 0, 1000000000, "candidates of a read from which on bounds prune them", "shapes") \
    ROW(NEAR_CANDIDATES, 10, 1, 1000000000, "writers per value, on average, from which on times are estimated", "shapes") \
    ROW(NEAR_SPAN, 20, 0, 100000, "transactions of each session within which writers are near", "shapes") \
    ROW(WINDOW, 2, 0, 1000, "versions on either side that saturation looks at", "strong") \
    ROW(HORIZON, 2048, 1, 1000000, "points between which saturation knows the paths; a power of two", "sessions") \
    ROW(ROUNDS, 0, 0, 1000, "rounds of saturation; 0: as many as pay", "strong") \
    ROW(COVER, 500, 0, 1000000000, "sessions beyond which clocks are on chains of their own", "sessions") \
    ROW(RECHECK, 4, 1, 1000000000, "all of an order is checked again if one point of so many has moved", "sessions") \
    ROW(INIT_EDGES, 20000, 0, 1000000000, "edges from reads of initial values beyond which implied ones are left out", "sessions")
// clang-format on

enum tuning {
#define ROW(name, number, low, high, meaning, bench) TUNE_##name = (number),
    TUNING_TABLE(ROW)
#undef ROW
};

struct tuning_row {
    const char *name;
    int64_t number, low, high;
    const char *meaning;
    const char *bench; // a section of bench/run
};

extern const struct tuning_row tuning_table[];
extern const size_t tuning_count;

#endif
