/* strong.c -- the pipeline of the strong levels; see strong.h.
 *
 *     try the recorded order -> try with near candidates ->
 *     build the problem -> infer -> find a first order -> search -> certificate
 *
 * A level that is decided early skips the rest.  doc/design/strong.md says why
 * the stages come in this order and what each was measured to be worth.
 *
 * SPDX-License-Identifier: MIT */
#include "strong/strong.h"

#include "base/limits/limit.h"
#include "strong/infer/near_candidates.h"
#include "strong/infer/saturate.h"
#include "strong/order/backtracking.h"
#include "strong/order/bidirectional.h"
#include "strong/order/order_certificate.h"
#include "strong/order/recorded_order.h"
#include "strong/order/recorded_psi.h"
#include "strong/order/schedule.h"
#include "strong/search/construct_proof.h"
#include "strong/search/psi.h"
#include "strong/search/search.h"

enum {
    RECORD_MAX = 1 << 22, // candidates up to which strikes are recorded at once
    OP_STEPS = 4,         // of a budget, per operation and edge of the problem
    NEAR_STEPS = 200,     // of a budget, per operation, for near candidates
};

// Backtracking order search is for problems up to BACKTRACK_POINTS.  It gets
// BACKTRACK_STEPS before the solver runs, and BACKTRACK_STEPS_MORE if the
// solver has used up CONFLICTS_FIRST conflicts.
enum {
    BACKTRACK_POINTS = 5000,
    BACKTRACK_STEPS = 200000,
    BACKTRACK_STEPS_MORE = 20000000,
    CONFLICTS_FIRST = 3000,
};

// Where an order breaks so much, the search walks over the edges so often that
// laying them out first pays.
enum { MANY_BROKEN = 1000 };

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
    .record_struck = true,
    .many_candidates = 64,
    .near_candidates = 10,
    .near_span = 14,
    .window = 2,
    .rounds = 0,
    .cover = 500,
};

/* --- certificates --------------------------------------------------------- */

/* The level is violated: the certificate is the proof. */
static void
reject(struct certificate *out, struct proof *proof)
{
    assert(out->verdict == VERDICT_UNKNOWN && proof);
    out->verdict = VERDICT_VIOLATED;
    out->kind = EVIDENCE_PROOF;
    out->proof = proof;
}

/* Whether every candidate that was struck out is on record.  If not, the check
 * has to run again before a proof can be made. */
static bool
can_prove(const struct inference *f)
{
    const struct dependencies *p = f->p;
    assert(p->struck.n <= p->n_struck);
    f->context->needs_record = p->n_struck != p->struck.n;
    return !f->context->needs_record;
}

/* --- orders that are found by running the history ------------------------- */

/* Whether so many reads are ambiguous that running the history by trial and
 * error may succeed sooner than the solver. */
static bool
suits_backtracking(const struct inference *f)
{
    return f->context->options->backtracking && f->p->g.n <= BACKTRACK_POINTS &&
           f->p->ambiguous.n > f->p->n_reads / 4;
}

/* Append what an order breaks. */
static void
check_order(struct order_check *a, const uint32_t *order, broken_vec *broken)
{
    uint32_t *rank = mem_alloc(a->p->g.n, sizeof *rank);
    for (uint32_t i = 0; i < a->p->g.n; i++)
        rank[order[i]] = i;
    order_check_all(a, order, rank, broken);
    mem_free(rank);
}

/* Copy an order to 'out' if it breaks nothing. */
static bool
take_if_valid(const uint32_t *found, struct order_check *a, uint32_t *out)
{
    broken_vec broken = {0};
    check_order(a, found, &broken);
    const bool valid = !broken.n;
    if (valid)
        memcpy(out, found, a->p->g.n * sizeof *out);
    vec_free(&broken);
    return valid;
}

static bool
try_backtracking(const struct inference *f, uint64_t steps,
                 struct order_check *a, uint32_t *out)
{
    uint32_t *order = mem_alloc(f->p->g.n, sizeof *order);
    const bool ok = backtracking_search(f, steps, order, a->counting) &&
                    take_if_valid(order, a, out);
    mem_free(order);
    return ok;
}

static bool
try_bidirectional(const struct inference *f, unsigned effort,
                  struct order_check *a, uint32_t *out)
{
    uint32_t *order = mem_alloc(f->p->g.n, sizeof *order);
    const bool ok =
        bidirectional_search(f->p, effort, f->context->budget, order) &&
        take_if_valid(order, a, out);
    mem_free(order);
    return ok;
}

/* --- stages --------------------------------------------------------------- */

/* Continue a search that stopped at its limit of conflicts, and alternate it
 * with the order searches.  Both get more effort each time.  *found says
 * whether 'order' is the answer. */
static enum sat_answer
alternate(struct order_search *s, struct order_check *a, broken_vec *broken,
          uint32_t *order, bool *found)
{
    const struct inference *f = s->f;
    const unsigned efforts =
        f->context->options->bidirectional && bidirectional_suits(f->p)
            ? BIDIRECTIONAL_EFFORTS
            : 0;
    enum sat_answer answer = SAT_UNKNOWN;
    for (unsigned i = 0; i <= efforts; i++) {
        // Go on only where the solver's own limit of conflicts stopped it.
        if (answer != SAT_UNKNOWN || !s->taken_up ||
            budget_is_spent(f->context->budget))
            return answer;
        // At the root, the graph keeps the edges that the search has learnt.
        sat_to_root(s->sat);
        *found = i < efforts
                     ? try_bidirectional(f, i, a, order)
                     : try_backtracking(f, BACKTRACK_STEPS_MORE, a, order);
        if (*found)
            return answer;
        sat_set_budget(s->sat,
                       i < efforts ? (uint64_t)CONFLICTS_FIRST << 2 * i : 0);
        answer = search_run(s, a, broken);
    }
    return answer;
}

/* Search, given a first order and what it breaks.  Fill the certificate unless
 * the budget is spent. */
static void
search(struct inference *f, uint32_t *order, struct order_check *a,
       broken_vec *broken, struct certificate *out)
{
    assert(broken->n);
    struct strong_stats *stats = f->context->stats;
    struct order_search s;
    double began = time_cpu();
    if (broken->n >= MANY_BROKEN)
        chains_freeze(&f->p->g);
    search_init(&s, f, order);
    const bool backtracks = suits_backtracking(f);
    if (backtracks)
        sat_set_budget(s.sat, CONFLICTS_FIRST);
    enum sat_answer answer = search_run(&s, a, broken);
    bool found = false;
    if (backtracks && answer == SAT_UNKNOWN)
        answer = alternate(&s, a, broken, order, &found);
    stats->searching += time_cpu() - began;
    began = time_cpu();
    if (found)
        order_certificate_make(a, order, out);
    else if (answer == SAT_TRUE)
        order_certificate_make(a, s.acyc.order.at, out);
    else if (answer == SAT_FALSE && can_prove(f))
        reject(out, construct_proof_of_search(f, &s.log));
    stats->proving += time_cpu() - began;
    search_free(&s);
}

/* Find a first order.  Where it breaks nothing the level holds; otherwise
 * search. */
static void
order_and_search(struct inference *f, struct certificate *out)
{
    const struct dependencies *p = f->p;
    struct strong_stats *stats = f->context->stats;
    const double began = time_cpu();
    uint32_t *order = mem_alloc(p->g.n, sizeof *order);
    struct order_check a;
    broken_vec broken = {0};
    order_check_init(&a, p);
    if (f->context->options->schedule)
        schedule_run(f, order, a.counting);
    else
        memcpy(order, f->order, p->g.n * sizeof *order);
    check_order(&a, order, &broken);
    stats->broken_first = broken.n;
    if (broken.n && suits_backtracking(f) &&
        try_backtracking(f, BACKTRACK_STEPS, &a, order))
        vec_clear(&broken);
    if (broken.n && a.counting) {
        // The search decides itself which optional transactions count.
        order_check_reset_counting(&a);
        vec_clear(&broken);
        check_order(&a, order, &broken);
    }
    stats->ordering += time_cpu() - began;
    if (broken.n)
        search(f, order, &a, &broken, out);
    else
        order_certificate_make(&a, order, out);
    vec_free(&broken);
    order_check_free(&a);
    mem_free(order);
}

static void
build(struct dependencies *p, const struct history *h, enum level l,
      struct strong_context *context)
{
    struct strong_stats *stats = context->stats;
    const double began = time_cpu();
    dependencies_init(p, h, l);
    budget_spend(context->budget,
                 OP_STEPS * ((uint64_t)h->n_ops + p->g.edges.n));
    stats->points = p->g.n;
    stats->known_edges = p->g.edges.n;
    stats->ambiguous_before = p->ambiguous.n;
    stats->build += time_cpu() - began;
}

/* Try the order of the input at psi, where si does not hold in it. */
static bool
try_recorded_psi(const struct inference *f, struct certificate *out)
{
    const double began = time_cpu();
    const bool found = f->context->options->recorded_order && f->p->one_rw &&
                       recorded_psi_try(f, out);
    f->context->stats->ordering += time_cpu() - began;
    return found;
}

/* Decide a problem once; the caller frees f. */
static void
decide(struct inference *f, struct dependencies *p,
       struct strong_context *context, struct certificate *out)
{
    struct strong_stats *stats = context->stats;
    double began = time_cpu();
    bool ok = inference_init(f, p, context);
    stats->saturating = time_cpu() - began;
    // With very many candidates, pruning them takes longer than the attempt.
    if (ok && !p->records_struck && try_recorded_psi(f, out))
        return;
    began = time_cpu();
    ok = ok && saturate_run(f);
    stats->saturating += time_cpu() - began;
    if (ok && p->records_struck && try_recorded_psi(f, out))
        return;
    if (ok && p->one_rw) {
        psi_search(f, out);
    } else if (ok) {
        order_and_search(f, out);
    } else if (f->conflict.kind != CONFLICT_NONE && can_prove(f)) {
        began = time_cpu();
        reject(out, construct_proof_of_conflict(f));
        stats->proving = time_cpu() - began;
    }
}

bool
strong_try_near(const struct history *h, enum level l,
                const struct strong_options *options, struct budget *budget,
                struct certificate *out)
{
    *out = (struct certificate){.level = l};
    assert(level_is_strong(l) && !level_table[l].one_rw);
    if (!near_candidates_suit(h, options))
        return false;
    struct budget some = {.left = NEAR_STEPS * (uint64_t)h->n_ops,
                          .until = budget ? budget->until : NULL};
    const uint64_t before = some.left;
    struct strong_stats stats = {0};
    struct strong_context context = {
        .options = options, .budget = &some, .stats = &stats};
    struct dependencies p;
    struct inference f;
    build(&p, h, l, &context);
    near_candidates_keep(&p, options->near_span);
    p.n_struck = 1; // without a record, so that nothing is proved
    decide(&f, &p, &context, out);
    assert(out->verdict != VERDICT_VIOLATED);
    inference_free(&f);
    dependencies_free(&p);
    budget_spend(budget, before - some.left);
    return out->verdict == VERDICT_OK;
}

/* Run the commits of an order that satisfies a stronger level. */
static bool
run_commits(const struct history *h, const struct certificate *stronger,
            struct certificate *out)
{
    const bool two_points = level_table[stronger->level].two_points;
    u32_vec commits = {0};
    for (size_t i = 0; i < stronger->order.n; i++) {
        const uint32_t point = stronger->order.at[i];
        if (!two_points || point % 2 == 1)
            vec_push(&commits, two_points ? point / 2 : point);
    }
    const bool ok = recorded_order_run(h, commits.at, (uint32_t)commits.n, out);
    vec_free(&commits);
    return ok;
}

/* Try to find an order with near candidates: a serial one, which satisfies
 * every level without times, or else one of the level itself; at psi of si. */
static bool
try_near(const struct history *h, struct strong_context *context,
         struct certificate *out)
{
    const enum level own =
        level_table[out->level].one_rw ? LEVEL_SI : out->level;
    const enum level by[] = {LEVEL_SER, own};
    const double began = time_cpu();
    bool ok = false;
    for (size_t i = own == LEVEL_SER ? 1 : 0; !ok && i < 2; i++) {
        struct certificate c = {0};
        if (h->n_optional && by[i] != out->level)
            continue; // they count in one order and not in another
        ok = strong_try_near(h, by[i], context->options, context->budget, &c);
        if (ok && by[i] == out->level) {
            *out = c;
            c = (struct certificate){0};
        } else if (ok) {
            ok = run_commits(h, &c, out);
        }
        certificate_free(&c);
    }
    context->stats->ordering += time_cpu() - began;
    return ok;
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
    if (context.options->recorded_order && budget_spend(budget, h->n_ops)) {
        const double began = time_cpu();
        const bool ok = recorded_order_try(h, out);
        stats->ordering = time_cpu() - began;
        if (ok)
            return;
    }
    if (!level_table[l].needs_times && try_near(h, &context, out))
        return;
    do {
        // Where very many reads are ambiguous, the record of struck candidates
        // would be the largest thing in memory, and only a proof needs it.  So
        // it is left out at first, and made in a second run if need be.
        const bool record = context.needs_record;
        context.needs_record = false;
        struct dependencies p;
        struct inference f;
        build(&p, h, l, &context);
        p.records_struck = record || (context.options->record_struck &&
                                      p.n_candidates <= RECORD_MAX);
        decide(&f, &p, &context, out);
        inference_free(&f);
        dependencies_free(&p);
    } while (context.needs_record);
    assert(out->verdict != VERDICT_VIOLATED || out->proof);
}
