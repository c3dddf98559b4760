/* stronger_level.c -- see stronger_level.h.
 *
 * With few keys and values nearly every read is ambiguous, hardly an edge is
 * inferred, and what finds an order is running the history by trial and error.
 * At ser a transaction has one point, and the search from both ends works.  So
 * a level below ser is first asked for a serial order, before anything is built
 * for the level itself.
 *
 * Where there is none, that may take for ever to find out.  So the search at
 * ser waits after its first turns: the caller may have another way, and si and
 * the level itself get a short one.  If all fail, it goes on for some time.
 *
 * SPDX-License-Identifier: MIT */
#include "strong/stronger_level.h"

#include "strong/order/recorded_order.h"

enum {
    SMALL_TXNS = 2500,
    SERIAL_STEPS = 700000000, // of a budget
};

bool
stronger_level_suits(const struct history *h)
{
    uint64_t reads = 0, ambiguous = 0;
    if (!h->several.n || h->n_txns > SMALL_TXNS || h->n_optional ||
        history_has_orders(h))
        return false;
    for (txn_id t = 0; t < h->n_txns; t++)
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
            if (h->txn_counts[t] && op_is_external_read(h, op)) {
                reads++;
                ambiguous += history_has_several(h, h->op_value[op]);
            }
    return ambiguous > reads / 4;
}

struct attempt {
    const struct history *h;
    const struct strong_context *context;
    struct certificate *out;
    bool ended;
};

/* Ends a search after the solver's first turn: to search for orders at three
 * levels would cost a quarter of what ser takes. */
static bool
give_up(void *self, enum strong_pause_at at)
{
    (void)self;
    (void)at;
    return true;
}

/* Try an order of level l, which is at least that of *out, with these options;
 * a violation counts at the level itself. */
static bool
try_level(const struct attempt *a, enum level l,
          const struct strong_options *options, struct budget *budget)
{
    struct certificate c;
    strong_check(a->h, l, options, budget, &c, NULL);
    if (l == a->out->level && c.verdict != VERDICT_UNKNOWN) {
        *a->out = c;
        return true;
    }
    const bool ok =
        c.verdict == VERDICT_OK && recorded_order_run_commits(a->h, &c, a->out);
    certificate_free(&c);
    return ok;
}

/* Try the levels below ser while that waits. */
static bool
try_below(void *self, enum strong_pause_at at)
{
    struct attempt *a = self;
    const struct strong_pause *pause = &a->context->options->pause;
    struct strong_options brief = *a->context->options;
    brief.recorded_order = brief.stronger_first = false;
    brief.near_candidates = brief.run_first = 0;
    brief.pause = (struct strong_pause){give_up, NULL};
    a->ended = pause->settle && pause->settle(pause->self, at);
    if (!a->ended && at == STRONG_PAUSE_SECOND)
        a->ended = try_level(a, LEVEL_SI, &brief, a->context->budget) ||
                   (a->out->level == LEVEL_PC &&
                    try_level(a, LEVEL_PC, &brief, a->context->budget));
    return a->ended;
}

bool
stronger_level_try(const struct history *h,
                   const struct strong_context *context,
                   struct certificate *out)
{
    assert(stronger_level_suits(h) && !level_is_serial(out->level));
    struct attempt a = {h, context, out, false};
    struct strong_options options = *context->options;
    struct budget *all = context->budget;
    struct budget some = {.left = SERIAL_STEPS};
    options.recorded_order = false; // strong.c has tried these
    options.near_candidates = options.run_first = 0;
    options.pause = (struct strong_pause){try_below, &a};
    if (all)
        some = budget_take(all, all->left / 2 < SERIAL_STEPS ? all->left / 2
                                                             : SERIAL_STEPS);
    const bool ok = try_level(&a, LEVEL_SER, &options, &some);
    if (all)
        budget_give_back(all, &some);
    return ok || a.ended;
}
