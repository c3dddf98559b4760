/* ladder.c -- see ladder.h.
 *
 * SPDX-License-Identifier: MIT */
#include "check/ladder/ladder.h"

#include "base/print.h"
#include "check/ladder/strategies.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

/* --- the trace -------------------------------------------------------------*/

__attribute__((format(printf, 3, 4))) static void
trace(const struct ladder_run *run, const struct strategy *s, const char *what,
      ...)
{
    if (!run->o->log)
        return;
    char text[256];
    va_list args;
    va_start(args, what);
    print_args(text, sizeof text, what, args);
    va_end(args);
    run->o->log(run->levels, s->name, text);
}

/* What an attempt found, with the counters of the level's own decision. */
static void
trace_end(const struct ladder_run *run, const struct strategy *s,
          level_set decided, uint64_t steps)
{
    const struct strong_stats *c = &run->stats->strong;
    if (!run->o->log)
        return;
    for (int l = 0; l < LEVELS; l++)
        if (level_set_has(decided, (enum level)l))
            trace(run, s, "%s is %s", level_table[l].brief,
                  run->certificates[l].verdict == VERDICT_OK ? "ok"
                                                             : "violated");
    trace(run, s, "%s after %" PRIu64 " steps",
          decided ? "decided" : "undecided", steps);
    if (c->points)
        trace(run, s,
              "so far %" PRIu64 " inferred edges, %" PRIu64
              " ambiguous reads left, %" PRIu64 " conflicts",
              c->inferred_edges, c->ambiguous_after, c->conflicts);
}

/* --- the loop --------------------------------------------------------------*/

static const char *
find_why_not(struct ladder_run *run, const struct strategy *s)
{
    if (run->o->strong.without & strategy_bit(s->name) && !s->vital)
        return "it is switched off";
    if (run->flawed && !s->vital)
        return "a read is inconsistent";
    return s->why_not ? s->why_not(run) : NULL;
}

/* Note the levels that an attempt has decided. */
static level_set
note_decided(struct ladder_run *run, const struct strategy *s)
{
    level_set decided = 0;
    for (int l = 0; l < LEVELS; l++)
        if (level_set_has(run->left, (enum level)l) &&
            run->certificates[l].verdict != VERDICT_UNKNOWN) {
            run->stats->decided_by[l] = s->name;
            decided |= level_bit((enum level)l);
        }
    assert(!(decided & ~run->left));
    run->left &= ~decided;
    return decided;
}

/* Steps of a strategy in steps of a budget. */
static uint64_t
charge(const struct strategy *s, uint64_t steps)
{
    return steps > UINT64_MAX / s->cost ? UINT64_MAX
                                        : steps * s->cost / BUDGET_STEP_NS;
}

/* The steps of its own that a strategy may take. */
static uint64_t
find_steps(const struct ladder_run *run, const struct strategy *s)
{
    const uint64_t left = run->budget->left;
    const uint64_t can = left > UINT64_MAX / BUDGET_STEP_NS
                             ? left
                             : left * BUDGET_STEP_NS / s->cost;
    const uint64_t most = s->steps ? s->steps(run) : UINT64_MAX;
    return most < can ? most : can;
}

static void
attempt(struct ladder_run *run, const struct strategy *s)
{
    struct ladder_stats *stats = run->stats;
    struct budget some = {find_steps(run, s), run->budget->until};
    const uint64_t before = some.left;
    if (s->steps)
        trace(run, s, "begins, with at most %" PRIu64 " steps",
              charge(s, before));
    else
        trace(run, s, "begins");
    s->attempt(run, &some);
    assert(some.left <= before);
    const uint64_t steps = charge(s, before - some.left);
    budget_spend(run->budget, steps);
    assert(stats->n < LADDER_ROWS);
    stats->attempts[stats->n].name = s->name;
    stats->attempts[stats->n++].steps = steps;
    trace_end(run, s, note_decided(run, s), steps);
}

void
ladder_decide(const struct history *h, const struct check_options *o,
              bool flawed, level_set levels, struct budget *budget,
              struct certificate certificates[LEVELS],
              struct ladder_stats *stats)
{
    struct budget all = {.left = UINT64_MAX};
    struct ladder_run run = {.h = h,
                             .o = o,
                             .flawed = flawed,
                             .weak = (levels & level_weak()) != 0,
                             .levels = levels,
                             .left = levels,
                             .budget = budget ? budget : &all,
                             .certificates = certificates,
                             .stats = stats};
    assert(run.weak ? !(levels & ~level_weak()) : !(levels & (levels - 1)));
    run.level = run.weak ? LEVEL_PC : level_lowest(levels);
    *stats = (struct ladder_stats){0};
    for (int l = 0; l < LEVELS; l++)
        if (level_set_has(levels, (enum level)l))
            certificates[l] = (struct certificate){.level = (enum level)l};
    for (size_t i = 0; run.left && i < strategy_count; i++) {
        const struct strategy *s = &strategy_table[i];
        if (!(s->levels & (run.weak ? FOR_WEAK : FOR_STRONG)))
            continue;
        const char *why = find_why_not(&run, s);
        if (why)
            trace(&run, s, "does not apply: %s", why);
        else
            attempt(&run, s);
    }
    for (int l = 0; l < LEVELS; l++)
        assert(!level_set_has(levels, (enum level)l) ||
               certificates[l].level == (enum level)l);
    decision_free(run.serial);
    decision_free(run.own);
    if (run.has_estimate)
        estimated_order_free(&run.estimated);
}
