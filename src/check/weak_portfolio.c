/* weak_portfolio.c -- see weak_portfolio.h.
 *
 * SPDX-License-Identifier: MIT */
#include "check/weak_portfolio.h"

#include "check/convert.h"
#include "strong/first_run.h"
#include "strong/near_order.h"
#include "strong/order/recorded_order.h"
#include "strong/stronger_level.h"

// Steps of a budget: for attempts of the weak engine, and for the strong engine
// at ser and pc; each gets more for each operation.
enum {
    STEPS_EACH = 100,
    STEPS_FIRST = 3000000,
    STEPS_SER_EACH = 2000,
    STEPS_SER = 700000000,
    STEPS_PC = 200000000,
    STEPS_SMALL = 1500000000, // pc with the levels that it tries first
};

// The weak engine takes less time for a step where operations are few, since
// its rounds are short, and more at cc.  So its first attempts at a small
// history get that many steps divided by the operations, and half of them at
// cc: some percent of what ser takes.  At rc alone, which is easy more often,
// the first attempt has more, the smaller the history is: divided by the square
// of the operations, some milliseconds for a hundred transactions.
enum {
    STEPS_BRIEF = 100000000,
    STEPS_SECOND = 1300000000,
};
#define STEPS_BRIEF_RC UINT64_C(1000000000000)

static level_set
undecided(const struct certificate certificates[LEVELS], level_set levels)
{
    level_set left = 0;
    for (int l = 0; l < LEVELS; l++)
        if ((levels >> l & 1) && certificates[l].verdict == VERDICT_UNKNOWN)
            left |= 1u << l;
    return left;
}

/* Settle levels up to cc by a certificate that a stronger one holds. */
static void
settle_by(const struct history *h, const struct certificate *stronger,
          level_set levels, struct certificate certificates[LEVELS])
{
    assert(level_is_strong(stronger->level));
    for (int l = 0; stronger->verdict == VERDICT_OK && l < LEVELS; l++) {
        if (!(levels >> l & 1))
            continue;
        certificate_free(&certificates[l]);
        (void)convert_certificate(h, stronger, (enum level)l, &certificates[l]);
    }
}

/* Try to settle them by the order of the input. */
static bool
settle_by_recording(const struct history *h, level_set levels,
                    struct certificate certificates[LEVELS])
{
    struct certificate prefix = {.level = LEVEL_PC};
    const bool ok = recorded_order_try(h, &prefix);
    settle_by(h, &prefix, levels, certificates);
    certificate_free(&prefix);
    return ok;
}

/* Try to settle them by running the history. */
static bool
settle_by_run(const struct history *h, const struct strong_options *strong,
              level_set levels, struct budget *budget,
              struct certificate certificates[LEVELS])
{
    struct certificate prefix = {.level = LEVEL_PC};
    const bool ok = first_run_try(h, strong, budget, &prefix);
    settle_by(h, &prefix, levels, certificates);
    certificate_free(&prefix);
    return ok;
}

/* Try to settle them by a near order of a stronger level. */
static bool
settle_by_near(const struct history *h, struct near_order *near, enum level by,
               level_set levels, struct budget *budget,
               struct certificate certificates[LEVELS])
{
    struct certificate c;
    const bool ok = near_order_try(near, by, budget, &c);
    settle_by(h, &c, levels, certificates);
    certificate_free(&c);
    return ok;
}

/* Try to settle them by an order in which a few transactions are not served:
 * as an order at pc, or by the reading that it suggests. */
static void
settle_by_excused(const struct history *h, struct near_order *near,
                  level_set levels, const struct weak_options *o,
                  struct certificate certificates[LEVELS],
                  struct weak_stats *stats)
{
    u32_vec order = {0};
    if (!h->n_optional && near_order_excuse(near, o->budget, &order)) {
        struct certificate prefix = {.level = LEVEL_PC};
        if (recorded_order_run(h, order.at, (uint32_t)order.n, &prefix))
            settle_by(h, &prefix, levels, certificates);
        else
            weak_try_order(h, levels, &order, o, certificates, stats);
        certificate_free(&prefix);
    }
    vec_free(&order);
}

/* Try what suits of all this, after what is quickly refuted. */
static void
settle_many(const struct history *h, const struct strong_options *strong,
            level_set levels, const struct weak_options *weak,
            struct certificate certificates[LEVELS], struct weak_stats *stats)
{
    weak_try_order(h, levels, NULL, weak, certificates, stats);
    const level_set left = undecided(certificates, levels);
    if (!left ||
        (first_run_suits(h, strong) &&
         settle_by_run(h, strong, left, weak->budget, certificates)) ||
        !near_order_suits(h, strong))
        return;
    struct near_order near;
    near_order_init(&near, h, strong);
    if (!settle_by_near(h, &near, LEVEL_SER, left, weak->budget,
                        certificates) &&
        !settle_by_near(h, &near, LEVEL_PC, left, weak->budget, certificates))
        settle_by_excused(h, &near, left, weak, certificates, stats);
    near_order_free(&near);
}

/* Try to settle them with the strong engine; true where that succeeds. */
static bool
settle_by_engine(const struct history *h, const struct strong_options *strong,
                 enum level by, level_set levels, struct budget *budget,
                 struct certificate certificates[LEVELS])
{
    struct certificate stronger = {0};
    strong_check(h, by, strong, budget, &stronger, NULL);
    const bool ok = stronger.verdict == VERDICT_OK;
    settle_by(h, &stronger, levels, certificates);
    certificate_free(&stronger);
    return ok;
}

/* --- two engines in turn ---------------------------------------------------*/

struct attempt {
    const struct history *h;
    const struct weak_options *weak;
    struct budget *all;
    level_set left;
    struct certificate *certificates;
    struct weak_stats *stats;
};

/* Try the weak engine with some steps; true where nothing is left. */
static bool
try_weak(struct attempt *a, uint64_t steps)
{
    struct budget some = budget_take(a->all, steps);
    struct weak_options weak = *a->weak;
    weak.budget = &some;
    for (int l = 0; l < LEVELS; l++)
        if (a->left >> l & 1)
            certificate_free(&a->certificates[l]);
    weak_check(a->h, a->left, &weak, a->certificates, a->stats);
    budget_give_back(a->all, &some);
    a->left = undecided(a->certificates, a->left);
    return !a->left;
}

static uint64_t
find_steps(const struct attempt *a, uint64_t product)
{
    const uint64_t steps = product / (a->h->n_ops + 1);
    const bool causal = a->left >> LEVEL_CC & 1;
    return (steps < STEPS_FIRST ? steps : STEPS_FIRST) / (causal ? 2 : 1);
}

/* The steps of the first attempt. */
static uint64_t
find_brief_steps(const struct attempt *a)
{
    const uint64_t product = a->left == 1u << LEVEL_RC
                                 ? STEPS_BRIEF_RC / (a->h->n_ops + 1)
                                 : STEPS_BRIEF;
    return find_steps(a, product > STEPS_BRIEF ? product : STEPS_BRIEF);
}

/* Try it for longer, while the strong engine waits. */
static bool
try_weak_again(void *self, enum strong_pause_at at)
{
    struct attempt *a = self;
    return try_weak(a, at == STRONG_PAUSE_FIRST
                           ? find_steps(a, STEPS_SECOND)
                           : STEPS_FIRST + STEPS_EACH * (uint64_t)a->h->n_ops);
}

/* Try a small history at pc, which tries si and ser before; returns what is
 * left.  They are easier than weak levels there, unless these are easy. */
static level_set
settle_small(const struct history *h, const struct strong_options *strong,
             level_set levels, const struct weak_options *weak,
             struct budget *all, struct certificate certificates[LEVELS],
             struct weak_stats *stats)
{
    struct attempt a = {h, weak, all, levels, certificates, stats};
    if (try_weak(&a, find_brief_steps(&a)))
        return 0;
    struct strong_options waiting = *strong;
    waiting.pause = (struct strong_pause){try_weak_again, &a};
    struct budget some = budget_take(
        all, all->left / 2 < STEPS_SMALL ? all->left / 2 : STEPS_SMALL);
    const bool ok =
        settle_by_engine(h, &waiting, LEVEL_PC, a.left, &some, certificates);
    budget_give_back(all, &some);
    return ok ? 0 : a.left;
}

/* Try the weak engine for some time and then stronger levels; returns what is
 * left. */
static level_set
settle_large(const struct history *h, const struct strong_options *strong,
             level_set levels, const struct weak_options *weak,
             struct budget *all, struct certificate certificates[LEVELS],
             struct weak_stats *stats)
{
    static const struct {
        enum level level;
        uint64_t steps;
    } stronger[] = {{LEVEL_SER, STEPS_SER}, {LEVEL_PC, STEPS_PC}};
    struct attempt a = {h, weak, all, levels, certificates, stats};
    if (try_weak(&a, STEPS_FIRST + STEPS_EACH * (uint64_t)h->n_ops))
        return 0;
    for (size_t i = 0; i < sizeof stronger / sizeof *stronger; i++) {
        struct budget some = budget_take(
            all, stronger[i].steps + STEPS_SER_EACH * (uint64_t)h->n_ops);
        const bool ok = settle_by_engine(h, strong, stronger[i].level, a.left,
                                         &some, certificates);
        budget_give_back(all, &some);
        if (ok)
            return 0;
    }
    return a.left;
}

void
weak_portfolio_check(const struct history *h, const struct check_options *o,
                     bool has_flaws, level_set levels, struct budget *all,
                     struct certificate certificates[LEVELS],
                     struct weak_stats *stats)
{
    struct weak_options weak = {.threads = o->threads, .budget = all};
    if (!h->several.n || has_flaws) {
        weak_check(h, levels, &weak, certificates, stats);
        return;
    }
    if (o->strong.recorded_order &&
        settle_by_recording(h, levels, certificates))
        return;
    level_set left = levels;
    if (near_order_suits(h, &o->strong) || first_run_suits(h, &o->strong)) {
        settle_many(h, &o->strong, levels, &weak, certificates, stats);
        left = undecided(certificates, levels);
        if (!left)
            return;
    }
    struct strong_options strong = o->strong;
    strong.near_candidates = strong.run_first = 0; // these were tried
    const bool small = strong.stronger_first && stronger_level_suits(h);
    left = (small ? settle_small : settle_large)(h, &strong, left, &weak, all,
                                                 certificates, stats);
    for (int l = 0; l < LEVELS; l++)
        if (left >> l & 1)
            certificate_free(&certificates[l]);
    if (left)
        weak_check(h, left, &weak, certificates, stats);
}
