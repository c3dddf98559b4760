/* attempts.c -- see attempts.h.
 *
 * SPDX-License-Identifier: MIT */
#include "check/ladder/attempts.h"

#include "check/convert.h"
#include "strong/order/input_order.h"
#include "strong/order/timed_order.h"

/* Adopt the certificate of a level: for the level itself, and if it holds for
 * the open levels that it implies.  Frees it. */
static void
adopt_certificate(struct ladder_run *run, struct certificate *c)
{
    for (int l = 0; l < LEVELS; l++) {
        if (!level_set_has(run->left, (enum level)l) ||
            c->verdict == VERDICT_UNKNOWN)
            continue;
        struct certificate *out = &run->certificates[l];
        if ((enum level)l == c->level) {
            *out = *c;
            *c = (struct certificate){0};
        } else if (c->verdict == VERDICT_OK) {
            certificate_free(out);
            (void)convert_certificate(run->h, c, (enum level)l, out);
        }
    }
    certificate_free(c);
}

/* --- orders that are tried -------------------------------------------------*/

void
attempt_input_order(struct ladder_run *run, struct budget *budget)
{
    struct certificate c = {.level = run->level};
    if (run->weak || budget_spend(budget, run->h->n_ops))
        (void)input_order_try(run->h, &c);
    adopt_certificate(run, &c);
}

/* Try the commits of an order that respects real time. */
static bool
try_timed(struct ladder_run *run, enum timed_reads reads, struct budget *budget)
{
    struct certificate c = {.level = run->level};
    u32_vec order = {0};
    const bool found =
        timed_order_find(run->h, reads, budget, &order) &&
        input_order_try_given(run->h, order.at, (uint32_t)order.n, &c);
    vec_free(&order);
    adopt_certificate(run, &c);
    return found;
}

void
attempt_timed_order(struct ladder_run *run, struct budget *budget)
{
    const bool is_serial = level_is_serial(run->level);
    struct budget some =
        budget_take(budget, is_serial ? budget->left : budget->left / 2);
    const bool found = try_timed(run, TIMED_SERIAL, &some);
    budget_give_back(budget, &some);
    if (!found && !is_serial)
        (void)try_timed(run,
                        run->level == LEVEL_PC ? TIMED_PREFIX : TIMED_SNAPSHOT,
                        budget);
}

void
attempt_input_order_psi(struct ladder_run *run, struct budget *budget)
{
    struct certificate c = {.level = run->level};
    budget_spend(budget, run->h->n_ops);
    (void)decision_try_psi(run->own, run->h->arrival, run->h->n_txns, &c);
    adopt_certificate(run, &c);
}

/* The level whose order is looked for beside a serial one. */
static enum level
own_order(const struct ladder_run *run)
{
    return level_table[run->level].one_rw ? LEVEL_SI : run->level;
}

static bool
replay_at(struct ladder_run *run, enum level by, struct budget *budget)
{
    struct certificate c = {.level = by};
    struct decision *d = decision_new(run->h, by, &run->o->strong, NULL);
    decision_record(d, false);
    const bool found = decision_replay(d, budget, &c);
    decision_free(d);
    adopt_certificate(run, &c);
    return found;
}

void
attempt_replay(struct ladder_run *run, struct budget *budget)
{
    if (!replay_at(run, LEVEL_SER, budget) && own_order(run) != LEVEL_SER)
        (void)replay_at(run, own_order(run), budget);
}

static bool
try_estimated(struct ladder_run *run, enum level by, struct budget *budget)
{
    struct certificate c;
    if (run->h->n_optional && by != run->level && !run->weak)
        return false; // they count in one order and not in another
    const bool found = estimated_order_try(&run->estimated, by, budget, &c);
    adopt_certificate(run, &c);
    return found;
}

void
attempt_estimated_order(struct ladder_run *run, struct budget *budget)
{
    estimated_order_init(&run->estimated, run->h, &run->o->strong);
    run->has_estimate = true;
    if (!try_estimated(run, LEVEL_SER, budget) && own_order(run) != LEVEL_SER)
        (void)try_estimated(run, own_order(run), budget);
}

/* An order in which a few transactions are not served: they may be at a level
 * below. */
void
attempt_partial_order(struct ladder_run *run, struct budget *budget)
{
    struct certificate c = {.level = run->level};
    u32_vec order = {0};
    run->tried_partial = true;
    if (estimated_order_try_partial(&run->estimated, budget, &order)) {
        const uint32_t n = (uint32_t)order.n;
        bool found = input_order_try_given(run->h, order.at, n, &c);
        if (!found && run->weak) {
            const struct weak_options weak = {.threads = run->o->threads,
                                              .budget = budget};
            weak_try_order(run->h, run->left, &order, &weak, run->certificates,
                           &run->stats->weak);
        } else if (!found && level_is_parallel(run->level) &&
                   !decision_has_conflict(run->own)) {
            (void)decision_try_psi(run->own, order.at, n, &c);
        }
    }
    vec_free(&order);
    adopt_certificate(run, &c);
}

static void
free_decision(struct decision **d)
{
    decision_free(*d);
    *d = NULL;
}

/* --- the level itself ------------------------------------------------------*/

/* Whether what depends on no choice is contradictory. */
void
attempt_certain(struct ladder_run *run, struct budget *budget)
{
    run->tried_certain = true;
    if (run->weak) {
        const struct weak_options weak = {.threads = run->o->threads,
                                          .budget = budget};
        weak_try_order(run->h, run->left, NULL, &weak, run->certificates,
                       &run->stats->weak);
        return;
    }
    struct strong_options quick = run->o->strong;
    quick.rounds = 1;
    struct certificate c = {.level = run->level};
    struct decision *d =
        decision_new(run->h, run->level, &quick, &run->stats->strong);
    decision_record(d, false);
    decision_leave_out_choices(d);
    (void)decision_advance(d, DECISION_INFERRED, budget, &c);
    decision_free(d);
    adopt_certificate(run, &c);
}

/* Build the decision of the level, unless it is there. */
static void
build_own(struct ladder_run *run)
{
    if (run->own)
        return;
    run->own = decision_new(run->h, run->level, &run->o->strong,
                            run->weak ? NULL : &run->stats->strong);
    if (run->weak)
        decision_prove_nothing(run->own); // which would say nothing about them
}

/* Advance a decision, and adopt its certificate. */
static void
advance(struct ladder_run *run, struct decision *d, enum level level,
        enum decision_stage to, struct budget *budget)
{
    struct certificate c = {.level = level};
    (void)decision_advance(d, to, budget, &c);
    adopt_certificate(run, &c);
}

static void
advance_own(struct ladder_run *run, enum decision_stage to,
            struct budget *budget)
{
    build_own(run);
    advance(run, run->own, run->level, to, budget);
    run->needs_record = !run->weak && decision_needs_record(run->own);
}

void
attempt_build(struct ladder_run *run, struct budget *budget)
{
    advance_own(run, DECISION_SORTED, budget);
}

void
attempt_own_first(struct ladder_run *run, struct budget *budget)
{
    advance_own(run, DECISION_FIRST_TURN, budget);
}

void
attempt_own_second(struct ladder_run *run, struct budget *budget)
{
    advance_own(run, DECISION_SECOND_TURN, budget);
}

void
attempt_infer(struct ladder_run *run, struct budget *budget)
{
    advance_own(run, DECISION_INFERRED, budget);
}

void
attempt_search(struct ladder_run *run, struct budget *budget)
{
    advance_own(run, DECISION_ENDED, budget);
    if (run->weak)
        free_decision(&run->own);
}

/* Decide the level once more, with a record of the removed candidates. */
void
attempt_proof(struct ladder_run *run, struct budget *budget)
{
    free_decision(&run->own);
    build_own(run);
    decision_record(run->own, true);
    advance_own(run, DECISION_ENDED, budget);
}

void
attempt_weak(struct ladder_run *run, struct budget *budget)
{
    const struct weak_options weak = {.threads = run->o->threads,
                                      .budget = budget};
    for (int l = 0; l < LEVELS; l++)
        if (level_set_has(run->left, (enum level)l))
            certificate_free(&run->certificates[l]);
    weak_check(run->h, run->left, &weak, run->certificates, &run->stats->weak);
}

void
attempt_weak_again(struct ladder_run *run, struct budget *budget)
{
    run->weak_turns++;
    attempt_weak(run, budget);
}

/* --- stronger levels -------------------------------------------------------*/

/* Look for an order of level 'by', as far as that stage. */
static void
look_at(struct ladder_run *run, enum level by, enum decision_stage to,
        struct budget *budget)
{
    struct decision *d = decision_new(run->h, by, &run->o->strong, NULL);
    decision_prove_nothing(d);
    advance(run, d, by, to, budget);
    decision_free(d);
}

void
attempt_serial(struct ladder_run *run, struct budget *budget)
{
    look_at(run, LEVEL_SER, DECISION_ENDED, budget);
}

static void
advance_serial(struct ladder_run *run, enum decision_stage to,
               struct budget *budget)
{
    const uint64_t before = budget->left;
    advance(run, run->serial, LEVEL_SER, to, budget);
    run->serial_left -= before - budget->left;
    if (decision_stage(run->serial) == DECISION_ENDED)
        free_decision(&run->serial);
}

void
attempt_serial_first(struct ladder_run *run, struct budget *budget)
{
    run->serial_left = budget->left;
    run->serial = decision_new(run->h, LEVEL_SER, &run->o->strong, NULL);
    decision_prove_nothing(run->serial);
    advance_serial(run, DECISION_FIRST_TURN, budget);
}

void
attempt_serial_second(struct ladder_run *run, struct budget *budget)
{
    advance_serial(run, DECISION_SECOND_TURN, budget);
}

void
attempt_serial_rest(struct ladder_run *run, struct budget *budget)
{
    advance_serial(run, DECISION_ENDED, budget);
}

/* A serial order that may leave out a few transactions in a later attempt. */
void
attempt_serial_partly(struct ladder_run *run, struct budget *budget)
{
    estimated_order_init_without_times(&run->estimated, run->h,
                                       &run->o->strong);
    run->has_estimate = true;
    (void)try_estimated(run, LEVEL_SER, budget);
}

/* Real time as well: its order is the easiest to find where it holds. */
void
attempt_strict_serial(struct ladder_run *run, struct budget *budget)
{
    look_at(run, LEVEL_STRICT_SER, DECISION_ENDED, budget);
}

void
attempt_strict_snapshot(struct ladder_run *run, struct budget *budget)
{
    look_at(run, LEVEL_STRICT_SI, DECISION_ENDED, budget);
}

void
attempt_snapshot(struct ladder_run *run, struct budget *budget)
{
    run->tried_snapshot = true;
    look_at(run, LEVEL_SI, DECISION_ENDED, budget);
}

void
attempt_snapshot_first(struct ladder_run *run, struct budget *budget)
{
    look_at(run, LEVEL_SI, DECISION_FIRST_TURN, budget);
}
