/* test_infer.c -- striking out candidates by bounds leaves what striking them
 * out one by one leaves; estimated times are near the true ones.
 *
 * SPDX-License-Identifier: MIT */
#include "gen/gen.h"
#include "strong/infer/estimated_times.h"
#include "strong/infer/inference.h"
#include "strong/infer/prune.h"
#include "test.h"

#include <math.h>

struct pruned {
    struct dependencies p;
    struct inference f;
};

/* Remove the candidates of h, by bounds where they are not recorded. */
static bool
prune(struct pruned *x, const struct history *h, enum level l, bool record,
      struct strong_context *context)
{
    dependencies_init(&x->p, h, l, UINT32_MAX);
    x->p.records_removed = record;
    return inference_init(&x->f, &x->p, context) && prune_candidates(&x->f);
}

static void
pruned_free(struct pruned *x)
{
    inference_free(&x->f);
    dependencies_free(&x->p);
}

/* Whether the candidates of read r in 'some' are among those in 'all'. */
static bool
is_within(const struct pruned *some, const struct candidates *c,
          const struct pruned *all, const struct candidates *d)
{
    uint32_t j = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        const version_id v = some->p.pool.items.at[c->first + i];
        while (j < d->n && all->p.pool.items.at[d->first + j] != v)
            j++;
        if (j == d->n)
            return false;
    }
    return true;
}

/* Whether every read that bounds decide is decided one by one, too, with the
 * same writer, and the others keep all that is left. */
static bool
agree(const struct pruned *bounds, const struct pruned *single)
{
    size_t j = 0;
    for (read_id r = 0; r < single->p.n_reads; r++)
        if (bounds->p.read_version[r] != VERSION_NONE &&
            bounds->p.read_version[r] != single->p.read_version[r])
            return false;
    for (size_t i = 0; i < single->p.ambiguous.n; i++) {
        const struct candidates *c = &single->p.ambiguous.at[i];
        while (j < bounds->p.ambiguous.n &&
               bounds->p.ambiguous.at[j].read != c->read)
            j++; // the same order, and perhaps more of them
        if (j == bounds->p.ambiguous.n ||
            !is_within(single, c, bounds, &bounds->p.ambiguous.at[j]))
            return false;
    }
    return true;
}

static void
bounds_strike_out_what_single_strikes_do(void)
{
    static const enum level levels[] = {LEVEL_PC, LEVEL_SI, LEVEL_SER};
    struct strong_options options = strong_defaults;
    options.many_candidates = 2;
    uint64_t removed = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        const struct gen_shape shape = {.level = LEVEL_SER,
                                        .sessions = 3,
                                        .transactions = 200,
                                        .operations = 6,
                                        .keys = 8,
                                        .reads = 0.5,
                                        .duplicates = seed % 2 ? 1 : 0.8,
                                        .values = 1 + seed % 3,
                                        .seed = seed};
        struct history h;
        struct err err = {0};
        CHECK(gen_history(&shape, &h, &err));
        for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
            struct strong_stats stats = {0};
            struct strong_context context = {.options = &options,
                                             .stats = &stats};
            struct pruned bounds, single;
            CHECK(prune(&bounds, &h, levels[i], false, &context));
            CHECK(prune(&single, &h, levels[i], true, &context));
            CHECK(agree(&bounds, &single));
            removed += bounds.p.n_removed;
            pruned_free(&bounds);
            pruned_free(&single);
        }
        history_free(&h);
    }
    CHECK(removed > 1000);
}

/* The error of estimated times, root mean square, in transactions of each
 * session. */
static double
estimate(uint64_t sessions, uint64_t keys, uint64_t values,
         enum gen_distribution distribution)
{
    const struct gen_shape shape = {.level = LEVEL_SER,
                                    .sessions = sessions,
                                    .transactions = 16384,
                                    .operations = 8,
                                    .keys = keys,
                                    .distribution = distribution,
                                    .theta = 0.99,
                                    .reads = 0.5,
                                    .duplicates = 1,
                                    .values = values,
                                    .value_theta = 0.5,
                                    .seed = 1};
    struct history h;
    struct err err = {0};
    double squares = 0;
    CHECK(gen_history(&shape, &h, &err));
    uint32_t *time = mem_calloc(h.n_txns, sizeof *time);
    estimated_times_find(&h, time);
    for (uint32_t i = 0; i < h.n_txns; i++) {
        const double wrong = (double)time[h.arrival[i]] - i;
        squares += wrong * wrong;
    }
    const double error = sqrt(squares / h.n_txns) / (double)sessions;
    mem_free(time);
    history_free(&h);
    return error;
}

/* An even pace of the sessions is wrong by 10 to 20. */
static void
estimated_times_are_near_the_true_ones(void)
{
    CHECK(estimate(10, 1000, 10, GEN_UNIFORM) < 4); // by nearest writers
    CHECK(estimate(10, 100, 10, GEN_UNIFORM) < 4);  // by following
    CHECK(estimate(10, 1000, 2, GEN_UNIFORM) < 5);
    CHECK(estimate(50, 1000, 5, GEN_UNIFORM) < 4);
    CHECK(estimate(10, 1000, 10, GEN_ZIPF) < 4);
}

int
main(void)
{
    RUN(estimated_times_are_near_the_true_ones);
    RUN(bounds_strike_out_what_single_strikes_do);
    return test_end();
}
