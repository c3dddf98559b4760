/* strategies.c -- see strategies.h.
 *
 * What is cheap and often decides comes first.  Where reads are ambiguous, hard
 * attempts are interrupted for others that may be easy on this history: rows
 * whose names end alike are turns of one attempt.
 *
 * The last rows of weak and of strong levels decide, given time.
 *
 * SPDX-License-Identifier: MIT */
#include "check/ladder/strategies.h"

#include "base/limits/tuning.h"
#include "check/ladder/attempts.h"

/* --- facts about the history -----------------------------------------------*/

/* Whether the reads of h have more candidates in all than 'most'. */
static bool
has_candidates(const struct history *h, uint64_t most)
{
    uint64_t n = 0;
    for (op_id op = 0; n <= most && op < h->n_ops; op++)
        if (op_is_external_read(h, op) &&
            history_has_several(h, h->op_value[op]))
            n += history_candidates(h, h->op_value[op]).n;
    return n > most;
}

/* Whether keys have hardly more than one value with several writers, and this
 * many: any of them may have been the last. */
static bool
has_one_value(const struct history *h, const struct strong_options *o)
{
    const size_t values = h->several_first.n - 1;
    return h->several.n >= o->many_candidates * values &&
           values < 2 * (size_t)h->n_keys;
}

/* Whether h is so small and so ambiguous that a serial order is easier to find
 * than one of any other level, if there is one. */
static bool
is_small_and_ambiguous(const struct history *h)
{
    uint64_t reads = 0, ambiguous = 0;
    if (h->n_txns > TUNE_SMALL_TXNS)
        return false;
    for (txn_id t = 0; t < h->n_txns; t++)
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
            if (h->txn_counts[t] && op_is_external_read(h, op)) {
                reads++;
                ambiguous += history_has_several(h, h->op_value[op]);
            }
    return ambiguous > reads / TUNE_AMBIGUOUS_SHARE;
}

/* Whether an order of another level may serve: a transaction that is optional
 * may count in one order and not in another, and lists have orders. */
static bool
is_plain(const struct history *h)
{
    return !h->n_optional && !history_has_orders(h);
}

static void
find_facts(struct ladder_run *run)
{
    const struct history *h = run->h;
    const struct strong_options *o = &run->o->strong;
    if (run->has_facts)
        return;
    run->has_facts = true;
    if (level_table[run->level].needs_times || !h->several.n)
        return;
    const bool plain = is_plain(h);
    run->many_writers = estimated_order_applies(h, o);
    run->one_value =
        plain && has_one_value(h, o) && has_candidates(h, o->record_max);
    run->small_ambiguous = plain && is_small_and_ambiguous(h);
}

static bool
is_off(const struct ladder_run *run, const char *name)
{
    return run->o->strong.without & strategy_bit(name);
}

static enum decision_stage
stage_of(const struct ladder_run *run)
{
    return run->own ? decision_stage(run->own) : DECISION_BUILT;
}

/* --- when strategies apply -------------------------------------------------*/

static const char *
why_not_input_order(struct ladder_run *run)
{
    return run->weak && !run->h->several.n ? "values are unique" : NULL;
}

/* Orders that respect real time where the level may not ask for it. */
static const char *
why_not_timed_order(struct ladder_run *run)
{
    if (!run->h->txn_began)
        return "there are no times";
    if (history_has_orders(run->h))
        return "there are lists";
    return run->h->several.n ? NULL : "values are unique";
}

static const char *
why_not_strict_serial(struct ladder_run *run)
{
    const char *why = why_not_timed_order(run);
    if (why)
        return why;
    if (level_table[run->level].needs_times)
        return "the level is strict";
    return run->h->n_optional ? "counts are open" : NULL;
}

static const char *
why_not_strict_snapshot(struct ladder_run *run)
{
    return level_is_serial(run->level) ? "the level is serial"
                                       : why_not_strict_serial(run);
}

static const char *
why_not_certain(struct ladder_run *run)
{
    find_facts(run);
    if ((run->many_writers && !is_off(run, "estimated-order")) ||
        (run->one_value && !is_off(run, "replay")))
        return NULL;
    return "values have few writers";
}

static const char *
why_not_replay(struct ladder_run *run)
{
    find_facts(run);
    return run->one_value ? NULL : "keys have several values, or few writers";
}

static const char *
why_not_estimated_order(struct ladder_run *run)
{
    find_facts(run);
    return run->many_writers ? NULL
                             : "values have few writers, or far too many";
}

static const char *
why_not_partial_order(struct ladder_run *run)
{
    if (!run->has_estimate)
        return "no serial order was looked for near this";
    if (run->tried_partial)
        return "it was tried";
    if (run->level == LEVEL_SER || run->h->n_optional)
        return "the level has serial orders only, or counts are open";
    return NULL;
}

/* Levels that an order of a stronger one serves, where values are unique. */
static const char *
why_not_unique(struct ladder_run *run)
{
    const struct history *h = run->h;
    if (level_table[run->level].needs_times || level_is_serial(run->level))
        return "no cheaper level implies this one";
    if (h->several.n)
        return "values repeat";
    return is_plain(h) ? NULL : "counts are open, or there are lists";
}

static const char *
why_not_unique_serial(struct ladder_run *run)
{
    const char *why = why_not_unique(run);
    if (why)
        return why;
    return run->h->n_sessions > run->o->strong.cover ? NULL
                                                     : "sessions are few";
}

static const char *
why_not_unique_snapshot(struct ladder_run *run)
{
    const char *why = why_not_unique(run);
    if (why)
        return why;
    return level_table[run->level].one_rw ? NULL : "it is for psi";
}

static const char *
why_not_weak_first(struct ladder_run *run)
{
    find_facts(run);
    return run->h->several.n ? NULL : "values are unique";
}

/* Whether a level may be decided by a serial order of a small history. */
static const char *
why_not_small(struct ladder_run *run)
{
    find_facts(run);
    if (level_is_serial(run->level))
        return "the level is serial";
    return run->small_ambiguous
               ? NULL
               : "the history is large, or few reads are ambiguous";
}

static const char *
why_not_serial_more(struct ladder_run *run)
{
    return run->serial ? NULL : "no serial search waits";
}

static const char *
why_not_snapshot(struct ladder_run *run)
{
    return run->level == LEVEL_SI ? "it is the level"
                                  : why_not_serial_more(run);
}

static const char *
why_not_weak_second(struct ladder_run *run)
{
    const char *why = why_not_serial_more(run);
    return why ? why : run->weak_turns ? "it was tried" : NULL;
}

/* Turns of the weak engine and of the level itself where the serial search has
 * ended soon. */
static const char *
why_not_own_first(struct ladder_run *run)
{
    find_facts(run);
    if (!run->small_ambiguous || is_off(run, "serial"))
        return "the history is large, or few reads are ambiguous";
    return level_table[run->level].one_rw || level_is_serial(run->level)
               ? "it has no brief search"
               : NULL;
}

static const char *
why_not_own_second(struct ladder_run *run)
{
    return stage_of(run) != DECISION_FIRST_TURN ? "no search waits" : NULL;
}

static const char *
why_not_weak_late(struct ladder_run *run)
{
    const char *why = why_not_own_first(run);
    return why ? why : run->weak_turns >= 2 ? "it was tried" : NULL;
}

static const char *
why_not_weak_late_second(struct ladder_run *run)
{
    const char *why = why_not_weak_late(run);
    return why ? why : run->weak_turns ? "it was tried" : NULL;
}

/* With very many candidates, removing them is nearly all the work, and takes
 * longer with two points a transaction. */
static const char *
why_not_serial_many(struct ladder_run *run)
{
    find_facts(run);
    if (level_is_serial(run->level) || level_table[run->level].one_rw)
        return "the level has one point per transaction";
    if (level_table[run->level].needs_times || !run->h->several.n ||
        !is_plain(run->h) || run->small_ambiguous || run->has_estimate)
        return "a serial order was tried, or would not serve";
    return has_candidates(run->h, run->o->strong.record_max)
               ? NULL
               : "candidates are not very many";
}

static const char *
why_not_certain_many(struct ladder_run *run)
{
    return run->tried_certain ? "it was tried" : why_not_serial_many(run);
}

static const char *
why_not_serial_large(struct ladder_run *run)
{
    if (!run->h->several.n)
        return "values are unique";
    find_facts(run);
    return run->small_ambiguous && !is_off(run, "serial")
               ? "the history is small"
               : NULL;
}

static const char *
why_not_prefix(struct ladder_run *run)
{
    find_facts(run);
    return run->h->several.n ? NULL : "values are unique";
}

static const char *
why_not_build(struct ladder_run *run)
{
    return run->own ? "it was built" : NULL;
}

/* With very many candidates, removing them takes longer than the attempt. */
static const char *
why_not_input_order_psi(struct ladder_run *run)
{
    const enum decision_stage stage = stage_of(run);
    if (!level_table[run->level].one_rw)
        return "it is for psi";
    if (stage == DECISION_ENDED || decision_has_conflict(run->own))
        return "the level is violated, or the steps are spent";
    return decision_is_recorded(run->own) == (stage < DECISION_INFERRED)
               ? "inference comes first, or it was tried"
               : NULL;
}

static const char *
why_not_psi_serial(struct ladder_run *run)
{
    const char *why = why_not_input_order_psi(run);
    if (why)
        return why;
    if (run->has_estimate)
        return "it was tried";
    return is_plain(run->h) ? NULL : "counts are open, or there are lists";
}

static const char *
why_not_certain_psi(struct ladder_run *run)
{
    return run->tried_certain ? "it was tried" : why_not_psi_serial(run);
}

/* The partial order of a serial one without estimates. */
static const char *
why_not_partial_far(struct ladder_run *run)
{
    const char *why = why_not_partial_order(run);
    return why ? why : run->estimated.time ? "inference comes first" : NULL;
}

static const char *
why_not_psi_snapshot(struct ladder_run *run)
{
    if (!level_table[run->level].one_rw)
        return "it is for psi";
    if (stage_of(run) == DECISION_ENDED)
        return "the level is violated, or the steps are spent";
    return run->tried_snapshot ? "it was tried" : NULL;
}

static const char *
why_not_infer(struct ladder_run *run)
{
    return stage_of(run) > DECISION_SORTED ? "it was done" : NULL;
}

static const char *
why_not_search(struct ladder_run *run)
{
    return stage_of(run) == DECISION_ENDED
               ? "the level is violated, or the steps are spent"
               : NULL;
}

static const char *
why_not_proof(struct ladder_run *run)
{
    return run->needs_record ? NULL : "there is nothing to prove";
}

/* --- how many steps they get -----------------------------------------------*/

static uint64_t
steps_far(const struct ladder_run *run)
{
    return TUNE_ORDER_STEPS_EACH * (uint64_t)run->h->n_ops;
}

static uint64_t
steps_timed(const struct ladder_run *run)
{
    return TUNE_TIMED_STEPS + TUNE_TIMED_STEPS_EACH * (uint64_t)run->h->n_ops;
}

static uint64_t
steps_strict(const struct ladder_run *run)
{
    return TUNE_STRICT_STEPS_EACH * (uint64_t)run->h->n_ops;
}

// The weak engine takes less time for a step where operations are few, since
// its rounds are short, and more at cc.  So its first attempts at a small
// history get that many steps divided by the operations, and half of them at
// cc: some percent of what ser takes.  At rc alone, which is easy more often,
// the first attempt has more, the smaller the history is: divided by the square
// of the operations, some milliseconds for a hundred transactions.
static uint64_t
find_weak_steps(const struct ladder_run *run, uint64_t product)
{
    const uint64_t steps = product / (run->h->n_ops + 1);
    const bool causal = level_is_causal(level_highest(run->left));
    return (steps < TUNE_WEAK_STEPS ? steps : TUNE_WEAK_STEPS) /
           (causal ? 2 : 1);
}

static uint64_t
steps_weak_third(const struct ladder_run *run)
{
    return TUNE_WEAK_STEPS + TUNE_WEAK_STEPS_EACH * (uint64_t)run->h->n_ops;
}

static uint64_t
steps_weak_second(const struct ladder_run *run)
{
    return find_weak_steps(run, TUNE_WEAK_SECOND_PRODUCT);
}

static uint64_t
steps_weak_first(const struct ladder_run *run)
{
    if (!run->small_ambiguous || is_off(run, "serial"))
        return steps_weak_third(run);
    const bool ordered = level_orders_reads(level_lowest(run->left)) &&
                         level_orders_reads(level_highest(run->left));
    const uint64_t product = ordered ? UINT64_C(1000000) *
                                           TUNE_WEAK_BRIEF_RC_MILLIONS /
                                           (run->h->n_ops + 1)
                                     : TUNE_WEAK_BRIEF_PRODUCT;
    return find_weak_steps(run, product > TUNE_WEAK_BRIEF_PRODUCT
                                    ? product
                                    : TUNE_WEAK_BRIEF_PRODUCT);
}

static uint64_t
at_most_half(const struct ladder_run *run, uint64_t steps)
{
    const uint64_t half = run->budget->left / 2;
    return half < steps ? half : steps;
}

static uint64_t
steps_serial_first(const struct ladder_run *run)
{
    return at_most_half(run, TUNE_SERIAL_STEPS_SMALL);
}

static uint64_t
steps_serial_more(const struct ladder_run *run)
{
    return run->serial_left;
}

static uint64_t
steps_serial_large(const struct ladder_run *run)
{
    return TUNE_SERIAL_STEPS + steps_far(run);
}

static uint64_t
steps_prefix(const struct ladder_run *run)
{
    return run->small_ambiguous && !is_off(run, "serial")
               ? at_most_half(run, TUNE_PREFIX_STEPS_SMALL)
               : TUNE_PREFIX_STEPS + steps_far(run);
}

/* --- the list --------------------------------------------------------------*/

// clang-format off
const struct strategy strategy_table[] = {
    {"input-order", FOR_ALL, false, why_not_input_order, attempt_input_order, NULL, 2,
     "the order of the input, or of the ends of transactions, as an order of commits"},
    {"certain", FOR_ALL, false, why_not_certain, attempt_certain, NULL, 20,
     "a contradiction among reads that have one candidate writer"},
    {"timed-order", FOR_ALL, false, why_not_timed_order, attempt_timed_order, steps_timed, 40,
     "an order of commits that respects real time, found by running the history"},
    {"strict-serial", FOR_ALL, false, why_not_strict_serial, attempt_strict_serial, steps_strict, 20,
     "a serial order that respects real time, by the search of strict-ser"},
    {"strict-snapshot", FOR_ALL, false, why_not_strict_snapshot, attempt_strict_snapshot, steps_strict, 20,
     "an order of snapshot isolation that respects real time"},
    {"replay", FOR_ALL, false, why_not_replay, attempt_replay, NULL, 25,
     "the history run on a store, before anything is inferred"},
    {"estimated-order", FOR_ALL, false, why_not_estimated_order, attempt_estimated_order, NULL, 60,
     "an order near estimated times, where values have many writers"},
    {"partial-order", FOR_WEAK, false, why_not_partial_order, attempt_partial_order, NULL, 30,
     "a serial order of all transactions but those in a conflict"},
    {"unique-serial", FOR_STRONG, false, why_not_unique_serial, attempt_serial, steps_far, 35,
     "a serial order, where values are unique and sessions are many"},
    {"unique-snapshot", FOR_STRONG, false, why_not_unique_snapshot, attempt_snapshot, steps_far, 35,
     "an order of snapshot isolation for psi, where values are unique"},
    {"weak-first", FOR_WEAK, false, why_not_weak_first, attempt_weak, steps_weak_first, 20,
     "a choice of writers for the weak levels, with few steps"},
    {"serial", FOR_ALL, false, why_not_small, attempt_serial_first, steps_serial_first, 15,
     "a serial order of a small ambiguous history, in turns with what follows"},
    {"weak-second", FOR_WEAK, false, why_not_weak_second, attempt_weak_again, steps_weak_second, 5,
     "the same with more steps"},
    {"serial", FOR_ALL, false, why_not_serial_more, attempt_serial_second, steps_serial_more, 15,
     "order searches after the solver's first conflicts"},
    {"weak-third", FOR_WEAK, false, why_not_serial_more, attempt_weak_again, steps_weak_third, 5,
     "the same with still more steps"},
    {"snapshot", FOR_ALL, false, why_not_snapshot, attempt_snapshot_first, NULL, 15,
     "a brief search for an order of snapshot isolation"},
    {"own-level", FOR_ALL, false, why_not_own_first, attempt_own_first, NULL, 15,
     "a brief search at the level itself; pc for weak levels"},
    {"serial", FOR_ALL, false, why_not_serial_more, attempt_serial_rest, steps_serial_more, 15,
     "the rest of the serial search"},
    {"weak-second", FOR_WEAK, false, why_not_weak_late_second, attempt_weak_again, steps_weak_second, 5,
     "where the serial search has ended soon"},
    {"own-level", FOR_WEAK, false, why_not_own_second, attempt_own_second, NULL, 15,
     "its second turn"},
    {"weak-third", FOR_WEAK, false, why_not_weak_late, attempt_weak_again, steps_weak_third, 5,
     "where the serial search has ended soon"},
    {"certain", FOR_STRONG, false, why_not_certain_many, attempt_certain, NULL, 20,
     "before a serial order of very many candidates"},
    {"serial-many", FOR_STRONG, false, why_not_serial_many, attempt_serial, steps_far, 30,
     "a serial order at pc and si, where reads have millions of candidates"},
    {"serial-large", FOR_WEAK, false, why_not_serial_large, attempt_serial, steps_serial_large, 30,
     "a serial order for the weak levels of a large history"},
    {"prefix", FOR_WEAK, false, why_not_prefix, attempt_search, steps_prefix, 30,
     "an order of prefix consistency for the weak levels"},
    {"weak", FOR_WEAK, true, NULL, attempt_weak, NULL, 10,
     "the weak levels by their axioms, to the end"},
    {"build", FOR_STRONG, true, why_not_build, attempt_build, NULL, 15,
     "the problem of the level itself"},
    {"input-psi", FOR_STRONG, false, why_not_input_order_psi, attempt_input_order_psi, NULL, 5,
     "the order of the input as an order of versions at psi, with very many candidates"},
    {"certain", FOR_STRONG, false, why_not_certain_psi, attempt_certain, NULL, 20,
     "the same for psi"},
    {"psi-serial", FOR_STRONG, false, why_not_psi_serial, attempt_serial_partly, NULL, 15,
     "a serial order at psi, where reads have millions of candidates"},
    {"partial-order", FOR_STRONG, false, why_not_partial_far, attempt_partial_order, NULL, 30,
     "a serial order of all transactions but those in a conflict"},
    {"infer", FOR_STRONG, true, why_not_infer, attempt_infer, NULL, 30,
     "certain edges, and candidates that are impossible"},
    {"input-psi", FOR_STRONG, false, why_not_input_order_psi, attempt_input_order_psi, NULL, 5,
     "the order of the input as an order of versions at psi"},
    {"partial-order", FOR_STRONG, false, why_not_partial_order, attempt_partial_order, NULL, 30,
     "after inference, where times are estimated"},
    {"psi-snapshot", FOR_STRONG, false, why_not_psi_snapshot, attempt_snapshot, NULL, 30,
     "an order of snapshot isolation for psi"},
    {"search", FOR_STRONG, true, why_not_search, attempt_search, NULL, 15,
     "an order, or a refutation, by conflict-driven search"},
    {"proof", FOR_STRONG, true, why_not_proof, attempt_proof, NULL, 30,
     "once more, with a record of removed candidates, which the proof needs"},
};
// clang-format on
const size_t strategy_count = sizeof strategy_table / sizeof *strategy_table;
_Static_assert(sizeof strategy_table / sizeof *strategy_table <= LADDER_ROWS,
               "room for the statistics of each row");

#define AT(field) offsetof(struct strong_options, field)
const struct technique technique_table[] = {
    {"saturation", AT(saturate), "infer certain edges before the search"},
    {"pruning", AT(prune), "remove candidate writers that are impossible"},
    {"schedule", AT(schedule), "find the first order by replaying"},
    {"backtracking", AT(backtracking),
     "search small ambiguous histories by backtracking"},
    {"bidirectional", AT(bidirectional), "search them from both ends"},
    {"leave-open", AT(leave_open),
     "decide only edges that the current order violates"},
    {"step-back", AT(step_back),
     "backtrack one level if a conflict would allow more"},
};
const size_t technique_count = sizeof technique_table / sizeof *technique_table;
