/* strategies.h -- the ways to decide a level, as one list of rows.
 *
 * A row says when a strategy applies, how many steps it gets, and how to
 * attempt it.  ladder.c goes through the rows from the first to the last.  A
 * strategy may have several rows: it may be cheap before and dear after.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CHECK_LADDER_STRATEGIES_H
#define CHECK_LADDER_STRATEGIES_H

#include "base/err.h"
#include "check/ladder/ladder_run.h"

/* Levels that a row is for. */
enum { FOR_WEAK = 1, FOR_STRONG = 2, FOR_ALL = FOR_WEAK | FOR_STRONG };

struct strategy {
    const char *name;
    unsigned levels; // FOR_*
    bool vital;      // --without refuses it: nothing would decide
    /* Why it does not apply now, in a few words; NULL where it applies. */
    const char *(*why_not)(struct ladder_run *run);
    /* Decide what can be decided of run->left: fill in certificates. */
    void (*attempt)(struct ladder_run *run, struct budget *budget);
    /* The limit of its own steps; NULL = all that are left. */
    uint64_t (*steps)(const struct ladder_run *run);
    unsigned cost; // nanoseconds in such a step, as measured
    const char *idea;
};

extern const struct strategy strategy_table[];
extern const size_t strategy_count; // at most LADDER_ROWS

/* A technique inside the engines of strong levels. */
struct technique {
    const char *name;
    size_t offset; // of a bool in struct strong_options
    const char *idea;
};

extern const struct technique technique_table[];
extern const size_t technique_count;

/* The bit of a row's name in strong_options.without. */
uint64_t strategy_bit(const char *name);

/* Switch off the strategies and techniques of a list separated by commas. */
bool strategy_switch_off(const char *names, struct strong_options *o,
                         struct err *err);

#endif
