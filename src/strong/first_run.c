/* first_run.c -- see first_run.h.
 *
 * SPDX-License-Identifier: MIT */
#include "strong/first_run.h"

#include "strong/decide.h"
#include "strong/order/recorded_order.h"

bool
first_run_has_candidates(const struct history *h, uint64_t most)
{
    uint64_t n = 0;
    for (op_id op = 0; n <= most && op < h->n_ops; op++)
        if (op_is_external_read(h, op) &&
            history_has_several(h, h->op_value[op]))
            n += history_candidates(h, h->op_value[op]).n;
    return n > most;
}

bool
first_run_suits(const struct history *h, const struct strong_options *options)
{
    if (!options->run_first || !h->several.n || h->n_optional ||
        history_has_orders(h))
        return false; // one that is optional may count in one order only
    const size_t values = h->several_first.n - 1;
    return h->several.n >= options->many_candidates * values &&
           values < 2 * (size_t)h->n_keys &&
           first_run_has_candidates(h, options->run_first);
}

/* Run h at level 'by', whose order settles that of *out. */
static bool
run_at(const struct history *h, enum level by,
       const struct strong_options *options, struct budget *budget,
       struct certificate *out)
{
    struct strong_stats stats = {0};
    struct strong_context context = {
        .options = options, .budget = budget, .stats = &stats};
    struct certificate c = {.level = by};
    struct dependencies p;
    struct inference f;
    decide_build(&p, h, by, &context);
    bool ok = inference_init(&f, &p, &context) && decide_by_run(&f, &c);
    inference_free(&f);
    dependencies_free(&p);
    if (ok && by == out->level) {
        *out = c;
        return true;
    }
    ok = ok && recorded_order_run_commits(h, &c, out);
    certificate_free(&c);
    return ok;
}

bool
first_run_try(const struct history *h, const struct strong_options *options,
              struct budget *budget, struct certificate *out)
{
    assert(first_run_suits(h, options) && !level_table[out->level].needs_times);
    const enum level own =
        level_table[out->level].one_rw ? LEVEL_SI : out->level;
    return run_at(h, LEVEL_SER, options, budget, out) ||
           (own != LEVEL_SER && run_at(h, own, options, budget, out));
}
