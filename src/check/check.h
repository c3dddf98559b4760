/* check.h -- from a history and levels to verdicts that were verified.
 *
 * The one place that knows which engine decides which level.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CHECK_CHECK_H
#define CHECK_CHECK_H

#include "base/limits/limit.h"
#include "check/claimed_order.h"
#include "check/ladder/ladder_stats.h"

struct level_result;

/* What a caller may hear while levels are decided.  Calls come from several
 * threads where there are several; each function may be NULL. */
struct check_observer {
    void *self;
    /* Work for a level begins: "deciding", "verifying". */
    void (*phase)(void *self, enum level level, const char *phase);
    /* A level holds or is violated, and that will not change. */
    void (*decided)(void *self, const struct level_result *r);
};

/* A strategy for these levels begins, does not apply, or has found something.
 * Called from several threads where there are several; NULL: not called. */
typedef void check_log(level_set levels, const char *strategy,
                       const char *text);

struct check_options {
    level_set levels; // LEVEL_SET_ALL: strict levels only where there are times
    unsigned threads;
    struct limits limits;      // of the user: seconds for each level
    double spent;              // of those of the first level, by reading
    uint64_t work;             // steps of a budget for each level; 0 = no end
    const struct limit *until; // when to give up by itself; may be NULL
    bool verify;               // check every certificate with independent code
    bool is_part;              // of a history that is tested: it may be empty
    size_t most_flaws;
    struct strong_options strong;
    check_log *log;
    bool ask_z3; // at pc, si, ser and the strict levels, too
    struct check_observer observer;
};

struct level_result {
    enum level level;
    // Whose certificate decides it: its own, or, where a limit was reached,
    // that of a level from which the verdict follows.
    enum level by;
    double seconds; // CPU time of the engine; levels decided together share it
    double verify_seconds;
    bool verified;
    struct certificate certificate; // with the verdict
    // Why it is unknown, or how far it holds (history/partial.h); "" where it
    // is not known, or holds without a reservation.
    char reason[256];
    enum claim claim;           // what the order of the timestamps is worth
    char claim_reason[384];     // what contradicts it, or is missing from it
    uint64_t work;              // steps of a budget it took, about
    struct limit_stop stop;     // which limit was reached, if one was
    double spent;               // of the limit of time
    struct ladder_stats ladder; // who decided, and the cost of each attempt
};

struct check {
    VEC(struct level_result) results; // weakest level first
    flaw_vec flaws;                   // inconsistent reads, the first of them
    size_t n_flaws;                   // how many there are
    bool all;                         // every level is to be checked
    level_set skipped;                // of those, strict ones without times
};

/* Check h against every level of options->levels.  A level that reaches one of
 * the user's limits is unknown, unless it follows from another one.
 *
 * Fails with ERR_USAGE where a level does not apply: strict levels need times.
 * A certificate that does not verify is a bug in this program: then it fails
 * with ERR_INTERNAL, and no verdict is given.  The same goes for a second
 * opinion that differs. */
bool check_history(const struct history *h, const struct check_options *options,
                   struct check *out, struct err *err);

/* Violated if any level is, else unknown if any is, else ok. */
enum verdict check_worst(const struct check *c);

/* The strongest of the levels that hold: none of them follows from another. */
level_set check_strongest(const struct check *c);

/* The result where a limit was reached before there was a history. */
void check_nothing(const struct check_options *options,
                   const struct limit_stop *stop, struct check *out);

/* The certificate that decides r, a row of c. */
const struct certificate *check_evidence(const struct check *c,
                                         const struct level_result *r);

void check_free(struct check *c);

#endif
