/* strong.c -- the pipeline of the strong levels; see strong.h.
 *
 *     try the recorded order ->
 *     where values have many writers: refute what is certain -> run the
 *     history -> try near orders ->
 *     where values are unique: try a stronger level that is cheaper ->
 *     build the problem -> infer -> try a near order with excuses ->
 *     find a first order -> search -> certificate
 *
 * A level that is decided early skips the rest.  doc/design/strong.md says why
 * the stages come in this order and what each was measured to be worth.
 *
 * SPDX-License-Identifier: MIT */
#include "strong/strong.h"

#include "base/limits/limit.h"
#include "strong/decide.h"
#include "strong/first_run.h"
#include "strong/near_order.h"
#include "strong/order/recorded_order.h"
#include "strong/order/recorded_psi.h"
#include "strong/stronger_level.h"

enum {
    RECORD_MAX = 4000000, // candidates up to which strikes are recorded at once
};

const struct strong_options strong_defaults = {
    .recorded_order = true,
    .saturate = true,
    .prune = true,
    .schedule = true,
    .backtracking = true,
    .leave_open = true,
    .phases = true,
    .restarts = true,
    .step_back = true,
    .bidirectional = true,
    .psi_by_si = true,
    .stronger_first = true,
    .record_struck = true,
    .many_candidates = 64,
    .near_candidates = 10,
    .run_first = RECORD_MAX,
    .near_span = 20,
    .window = 2,
    .horizon = 2048,
    .rounds = 0,
    .cover = 500,
    .recheck = 4,
    .init_edges = 20000,
};

/* --- orders that are tried -------------------------------------------------*/

/* Try the order of the input at psi, where si does not hold in it. */
static bool
try_recorded_psi(const struct inference *f, struct certificate *out)
{
    const double began = time_cpu();
    const bool found =
        f->context->options->recorded_order && f->p->one_rw &&
        recorded_psi_try(f, f->p->h->arrival, f->p->h->n_txns, out);
    f->context->stats->ordering += time_cpu() - began;
    return found;
}

/* Try a near order of level 'by', which settles that of *out. */
static bool
try_near(struct near_order *o, const struct history *h, enum level by,
         struct strong_context *context, struct certificate *out)
{
    if (h->n_optional && by != out->level)
        return false; // they count in one order and not in another
    struct certificate c;
    bool ok = near_order_try(o, by, context->budget, &c);
    if (ok && by == out->level) {
        *out = c;
        return true;
    }
    ok = ok && recorded_order_run_commits(h, &c, out);
    certificate_free(&c);
    return ok;
}

/* Try an order in which a few transactions are not served: they may be at this
 * level. */
static bool
try_excused(struct near_order *o, const struct inference *f,
            struct certificate *out)
{
    const struct history *h = f->p->h;
    u32_vec order = {0};
    bool ok = out->level != LEVEL_SER && !h->n_optional &&
              near_order_excuse(o, f->context->budget, &order);
    if (ok)
        ok = recorded_order_run(h, order.at, (uint32_t)order.n, out) ||
             (f->p->one_rw &&
              recorded_psi_try(f, order.at, (uint32_t)order.n, out));
    vec_free(&order);
    return ok;
}

/* Whether what is certain without any choice is contradictory, as far as one
 * round of inference tells.  Then *out says so. */
static bool
refute_certain(const struct history *h, enum level l,
               struct strong_context *context, struct certificate *out)
{
    const struct strong_options *options = context->options;
    if (context->tried_certain)
        return false;
    struct strong_options quick = *options;
    struct dependencies p;
    struct inference f;
    quick.rounds = 1;
    context->options = &quick;
    decide_build(&p, h, l, context);
    vec_clear(&p.ambiguous);
    (void)inference_init(&f, &p, context);
    (void)decide_infer(&f, out);
    inference_free(&f);
    dependencies_free(&p);
    context->options = options;
    context->needs_record = false;
    context->tried_certain = true;
    return out->verdict == VERDICT_VIOLATED;
}

/* Decide psi without its own inference, where there are very many candidates:
 * by what is certain, or by an order in which nearly all transactions are
 * serial. */
static bool
try_psi_by_ser(const struct inference *f, struct certificate *out)
{
    const struct history *h = f->p->h;
    struct strong_context *context = f->context;
    if (!f->p->one_rw || !context->options->psi_by_si || h->n_optional ||
        history_has_orders(h))
        return false;
    if (refute_certain(h, out->level, context, out))
        return true;
    struct near_order far;
    near_order_init_far(&far, h, context->options);
    const bool found =
        try_near(&far, h, LEVEL_SER, context, out) || try_excused(&far, f, out);
    near_order_free(&far);
    return found;
}

/* With unique values, try to find an order at a stronger level, where that is
 * cheaper: a serial one where sessions are many, because there are half as many
 * points and more is inferred; at psi one of si. */
static bool
try_stronger(const struct history *h, struct strong_context *context,
             struct certificate *out)
{
    const struct strong_options *options = context->options;
    const struct level_info *level = &level_table[out->level];
    if (level->needs_times || level_is_serial(out->level) || h->several.n ||
        h->n_optional || history_has_orders(h))
        return false;
    const bool by_ser = h->n_sessions > options->cover;
    context->tried_si = level->one_rw && options->psi_by_si;
    if (!by_ser && !context->tried_si)
        return false;
    struct near_order far;
    near_order_init_far(&far, h, options);
    const bool found =
        (by_ser && try_near(&far, h, LEVEL_SER, context, out)) ||
        (context->tried_si && try_near(&far, h, LEVEL_SI, context, out));
    near_order_free(&far);
    return found;
}

static bool
is_below_ser(enum level l)
{
    return !level_is_serial(l) && !level_table[l].needs_times;
}

/* With very many candidates, try a serial order at pc and si: striking them out
 * is nearly all the work, and takes longer with two points a transaction.  At
 * psi try_psi_by_ser does so. */
static bool
try_serial(const struct history *h, struct strong_context *context,
           struct certificate *out)
{
    if (!h->several.n || level_table[out->level].one_rw || h->n_optional ||
        history_has_orders(h) || !first_run_has_candidates(h, RECORD_MAX))
        return false;
    if (refute_certain(h, out->level, context, out))
        return true;
    struct near_order far;
    near_order_init_far(&far, h, context->options);
    const bool found = try_near(&far, h, LEVEL_SER, context, out);
    near_order_free(&far);
    return found;
}

/* --- the pipeline ----------------------------------------------------------*/

/* Decide a problem once; the caller frees f.  'near' may be NULL. */
static void
decide(struct inference *f, struct dependencies *p, struct near_order *near,
       struct strong_context *context, struct certificate *out)
{
    struct strong_stats *stats = context->stats;
    double began = time_cpu();
    const bool ok = inference_init(f, p, context);
    stats->saturating = time_cpu() - began;
    // With very many candidates, pruning them takes longer than the attempt.
    if (ok && !p->records_struck &&
        (try_recorded_psi(f, out) || (!near && try_psi_by_ser(f, out))))
        return;
    if (!decide_infer(f, out) ||
        (p->records_struck && try_recorded_psi(f, out)))
        return;
    began = time_cpu();
    const bool found = near && try_excused(near, f, out);
    stats->ordering += time_cpu() - began;
    if (!found)
        decide_search(f, out);
}

/* Decide by what is certain and by search. */
static void
decide_all(const struct history *h, enum level l, struct near_order *near,
           struct strong_context *context, struct certificate *out)
{
    do {
        // Where very many reads are ambiguous, the record of struck candidates
        // would be the largest thing in memory, and only a proof needs it.  So
        // it is left out at first, and made in a second run if need be.
        const bool record = context->needs_record;
        context->needs_record = false;
        struct dependencies p;
        struct inference f;
        decide_build(&p, h, l, context);
        p.records_struck = record || (context->options->record_struck &&
                                      p.n_candidates <= RECORD_MAX);
        decide(&f, &p, record ? NULL : near, context, out);
        inference_free(&f);
        dependencies_free(&p);
    } while (context->needs_record);
}

void
strong_check(const struct history *h, enum level l,
             const struct strong_options *options, struct budget *budget,
             struct certificate *out, struct strong_stats *stats)
{
    struct strong_stats own;
    if (!stats)
        stats = &own;
    *stats = (struct strong_stats){0};
    *out = (struct certificate){
        .level = l, .verdict = VERDICT_UNKNOWN, .kind = EVIDENCE_NONE};
    struct strong_context context = {.options =
                                         options ? options : &strong_defaults,
                                     .budget = budget,
                                     .stats = stats};
    double began = time_cpu();
    if (context.options->recorded_order && budget_spend(budget, h->n_ops) &&
        recorded_order_try(h, out)) {
        stats->ordering = time_cpu() - began;
        return;
    }
    const bool timed = level_table[l].needs_times;
    const bool near_suits = !timed && near_order_suits(h, context.options);
    const bool run_suits = !timed && first_run_suits(h, context.options);
    if ((near_suits || run_suits) && refute_certain(h, l, &context, out))
        return;
    bool found = run_suits && first_run_try(h, context.options, budget, out);
    const bool suits = near_suits && !found;
    struct near_order near;
    if (suits) {
        near_order_init(&near, h, context.options);
        found = try_near(&near, h, LEVEL_SER, &context, out) ||
                (l != LEVEL_SER &&
                 try_near(&near, h, level_table[l].one_rw ? LEVEL_SI : l,
                          &context, out));
    }
    found = found || try_stronger(h, &context, out);
    if (!found && context.options->stronger_first && is_below_ser(l))
        found = stronger_level_suits(h)
                    ? stronger_level_try(h, &context, out)
                    : !suits && try_serial(h, &context, out);
    stats->ordering = time_cpu() - began;
    if (!found)
        decide_all(h, l, suits ? &near : NULL, &context, out);
    if (suits)
        near_order_free(&near);
    assert(out->verdict != VERDICT_VIOLATED || out->proof);
}
