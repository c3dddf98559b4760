/* saturate.c -- see saturate.h.
 *
 * A round infers edges and then, where reads are ambiguous, removes
 * candidates, which decides reads.  Order and clocks are brought up to date in
 * between.
 *
 * SPDX-License-Identifier: MIT */
#include "strong/infer/saturate.h"

#include "base/limits/tuning.h"
#include "strong/infer/prune.h"
#include "strong/infer/sweep.h"
#include "strong/infer/window.h"

struct saturation {
    struct inference *f;
    bool by_clocks; // key by key, else along the order
    struct window window;
    struct sweep sweep;
};

static void
saturation_init(struct saturation *s, struct inference *f)
{
    *s = (struct saturation){.f = f, .by_clocks = f->cached_clocks};
    if (s->by_clocks)
        window_init(&s->window, f);
    else
        sweep_init(&s->sweep, f);
}

static void
saturation_free(struct saturation *s)
{
    if (s->by_clocks)
        window_free(&s->window);
    else
        sweep_free(&s->sweep);
}

static bool
infer_edges(struct saturation *s)
{
    return (s->by_clocks ? window_round(&s->window) : sweep_once(&s->sweep)) &&
           inference_update(s->f);
}

static bool
prune_if_ambiguous(struct inference *f)
{
    return !f->context->options->prune || !f->p->ambiguous.n ||
           !f->has_clocks || prune_candidates(f);
}

static uint32_t
rounds_allowed(const struct saturation *s)
{
    const struct dependencies *p = s->f->p;
    if (s->f->context->options->rounds)
        return s->f->context->options->rounds;
    if (p->g.n <= TUNE_FIXPOINT_POINTS || (!s->by_clocks && !p->ambiguous.n))
        return TUNE_SATURATION_MAX;
    // Many ambiguous reads are worth more rounds: each one left is a choice.
    return p->ambiguous.n > p->n_reads / TUNE_SATURATION_SHARE
               ? TUNE_SATURATION_AMBIGUOUS
               : TUNE_SATURATION_ROUNDS;
}

/* Whether another round pays after one that gained so many edges.  The first
 * order mostly respects by itself what another round would find.  But where
 * reads are ambiguous, each edge may decide one, and where sessions are many,
 * few edges are known at first. */
static bool
pays(const struct saturation *s, uint64_t gained)
{
    const struct dependencies *p = s->f->p;
    if (p->g.n <= TUNE_FIXPOINT_POINTS)
        return gained;
    const uint64_t share = p->ambiguous.n ? TUNE_SATURATION_NEW_AMBIGUOUS
                           : p->g.n_chains >= TUNE_MANY_SESSIONS
                               ? TUNE_SATURATION_NEW_MANY
                               : TUNE_SATURATION_NEW;
    return gained * share >= p->g.edges.n;
}

/* The steps of a budget that inference has taken so far, approximately: rows of
 * clocks or of the horizon, and one visit of all versions, edges and candidates
 * in each round. */
static uint64_t
count_steps(const struct saturation *s)
{
    const struct dependencies *p = s->f->p;
    return s->f->clocks.steps + s->sweep.horizon.steps +
           s->f->context->stats->saturation_rounds *
               (p->n_versions + p->g.edges.n + p->pool.items.n);
}

static bool
run_rounds(struct saturation *s)
{
    struct inference *f = s->f;
    const struct dependencies *p = f->p;
    const uint32_t rounds = rounds_allowed(s);
    for (uint32_t i = 0; i < rounds; i++) {
        const uint64_t added = f->added, steps = count_steps(s);
        const uint64_t removed = p->n_removed;
        f->context->stats->saturation_rounds++;
        if (!infer_edges(s) || !prune_if_ambiguous(f) || !inference_update(f))
            return false;
        assert(f->conflict.kind == CONFLICT_NONE && !f->changed);
        if (!budget_spend(f->context->budget, count_steps(s) - steps))
            return false;
        if (p->n_removed == removed && !pays(s, f->added - added))
            break;
    }
    return true;
}

/* Where there are so many candidates that removals are not recorded, see first
 * whether what is certain is contradictory by itself. */
static bool
infer_before_pruning(struct saturation *s)
{
    const struct dependencies *p = s->f->p;
    return !p->ambiguous.n || p->records_removed || infer_edges(s);
}

static bool
saturate(struct inference *f)
{
    struct saturation s;
    saturation_init(&s, f);
    const bool ok = infer_before_pruning(&s) && prune_if_ambiguous(f) &&
                    inference_update(f) && run_rounds(&s);
    saturation_free(&s);
    return ok;
}

bool
saturate_run(struct inference *f)
{
    struct dependencies *p = f->p;
    if (!f->has_clocks || !f->context->options->prune)
        prune_own_writes(p);
    const bool ok = f->context->options->saturate
                        ? saturate(f)
                        : prune_if_ambiguous(f) && inference_update(f);
    struct strong_stats *stats = f->context->stats;
    stats->inferred_edges = f->added;
    stats->candidates_removed = p->n_removed;
    stats->ambiguous_after = p->ambiguous.n;
    stats->clock_rebuilds = f->clocks.rebuilds;
    return ok;
}
