/* decision.c -- see decision.h.
 *
 * SPDX-License-Identifier: MIT */
#include "strong/decision.h"

#include "base/limits/limit.h"
#include "base/limits/tuning.h"
#include "strong/decision_state.h"
#include "strong/infer/saturate.h"
#include "strong/order/backtracking.h"
#include "strong/order/bidirectional.h"
#include "strong/order/input_order_psi.h"
#include "strong/order/order_certificate.h"
#include "strong/order/schedule.h"
#include "strong/search/construct_proof.h"
#include "strong/search/psi.h"

// Two walks are made before the solver runs.  Then the solver and the order
// searches take turns, with more effort each time; the last turn of the solver
// has no end.
static const struct walks walks_first = {0, 2, TUNE_WALK_FIRST},
                          walks_more = {2, 2, TUNE_WALK_FIRST}, // after the
                                                                // other search
    walks_next = {0, 4, TUNE_WALK_NEXT}, // where there is no other
    walks_last = {0, 4, TUNE_WALK_LAST};

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
    return f->context->options->backtracking &&
           f->p->g.n <= TUNE_BACKTRACK_POINTS &&
           f->p->ambiguous.n > f->p->n_reads / TUNE_AMBIGUOUS_SHARE;
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
try_backtracking(const struct inference *f, struct walks walks,
                 struct order_check *a, uint32_t *out)
{
    uint32_t *order = mem_alloc(f->p->g.n, sizeof *order);
    const bool ok = backtracking_search(f, walks, order, a->counting) &&
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

/* How often the search from both ends is tried, with more effort each time. */
static unsigned
count_efforts(const struct inference *f)
{
    return f->context->options->bidirectional && bidirectional_suits(f->p)
               ? TUNE_BIDIRECTIONAL_EFFORTS
               : 0;
}

/* --- the first order ------------------------------------------------------ */

/* Find one by running the history, and list what it breaks. */
static void
find_first_order(struct decision *d)
{
    const struct inference *f = &d->f;
    d->order = mem_alloc(d->p.g.n, sizeof *d->order);
    order_check_init(&d->a, &d->p);
    d->has_order = true;
    if (f->context->options->schedule)
        schedule_run(f, d->order, d->a.counting);
    else
        memcpy(d->order, f->order, d->p.g.n * sizeof *d->order);
    check_order(&d->a, d->order, &d->broken);
}

/* Find a first order.  True: it breaks nothing, and the level holds. */
static bool
order(struct decision *d, struct certificate *out)
{
    struct strong_stats *stats = d->context.stats;
    const double began = time_cpu();
    find_first_order(d);
    stats->broken_first = d->broken.n;
    if (d->broken.n && suits_backtracking(&d->f) &&
        try_backtracking(&d->f, walks_first, &d->a, d->order))
        vec_clear(&d->broken);
    if (d->broken.n && d->a.counting) {
        // The search decides itself which optional transactions count.
        order_check_reset_counting(&d->a);
        vec_clear(&d->broken);
        check_order(&d->a, d->order, &d->broken);
    }
    stats->ordering += time_cpu() - began;
    if (!d->broken.n)
        order_certificate_make(&d->a, d->order, out);
    return !d->broken.n;
}

/* --- the search ----------------------------------------------------------- */

/* A turn of the solver; 0 conflicts: no limit.  True at the end. */
static bool
take_solver_turn(struct decision *d, uint64_t conflicts)
{
    sat_set_budget(d->s.sat, conflicts);
    d->answer = search_run(&d->s, &d->a, &d->broken);
    // Go on only where the solver's own limit of conflicts stopped it.
    return d->answer != SAT_UNKNOWN || !d->s.taken_up ||
           budget_is_spent(&d->budget);
}

/* A turn of the order searches.  True at the end. */
static bool
take_order_turn(struct decision *d, unsigned i)
{
    const struct inference *f = &d->f;
    // At the root, the graph keeps the edges that the search has learnt.
    sat_to_root(d->s.sat);
    if (i < d->efforts)
        d->found = try_bidirectional(f, i, &d->a, d->order);
    if (!d->found && (i == 0 || i >= d->efforts))
        d->found = try_backtracking(f,
                                    i            ? walks_last
                                    : d->efforts ? walks_more
                                                 : walks_next,
                                    &d->a, d->order);
    return d->found || budget_is_spent(&d->budget);
}

static void
begin_search(struct decision *d)
{
    assert(d->broken.n);
    // The search walks over the edges so often that laying them out pays.
    if (d->broken.n >= TUNE_MANY_BROKEN)
        chains_freeze(&d->p.g);
    search_init(&d->s, &d->f, d->order);
    d->has_search = true;
    d->efforts = suits_backtracking(&d->f) ? count_efforts(&d->f) : 0;
}

/* All turns after the first two. */
static void
take_last_turns(struct decision *d)
{
    const unsigned last = d->efforts ? d->efforts : 1;
    bool ended = false;
    for (unsigned i = 1; !ended && suits_backtracking(&d->f) && i <= last; i++)
        ended =
            take_solver_turn(d, (uint64_t)TUNE_CONFLICTS_NEXT << 2 * (i - 1)) ||
            take_order_turn(d, i);
    if (!ended)
        (void)take_solver_turn(d, 0);
}

/* One stage of the search; true at the end. */
static bool
search(struct decision *d, enum decision_stage to)
{
    // The edges that the search learns do not change whether it suits.
    const bool turns = suits_backtracking(&d->f);
    switch (d->stage) {
    case DECISION_ORDERED:
        begin_search(d);
        if (!turns && to == DECISION_ENDED)
            return false; // the last turn has all the conflicts
        return take_solver_turn(d, turns ? TUNE_CONFLICTS_FIRST
                                         : TUNE_CONFLICTS_NEXT);
    case DECISION_FIRST_TURN:
        return turns && take_order_turn(d, 0);
    default:
        take_last_turns(d);
        return true;
    }
}

/* Fill the certificate unless the steps are spent. */
static void
conclude(struct decision *d, struct certificate *out)
{
    const double began = time_cpu();
    if (d->found)
        order_certificate_make(&d->a, d->order, out);
    else if (d->answer == SAT_TRUE)
        order_certificate_make(&d->a, d->s.acyc.order.at, out);
    else if (d->answer == SAT_FALSE && can_prove(&d->f))
        reject(out, construct_proof_of_search(&d->f, &d->s.log));
    d->context.stats->proving += time_cpu() - began;
}

/* --- the stages ----------------------------------------------------------- */

struct decision *
decision_new(const struct history *h, enum level l,
             const struct strong_options *options, struct strong_stats *stats)
{
    const double began = time_cpu();
    struct decision *d = mem_calloc(1, sizeof *d);
    d->budget.left = UINT64_MAX;
    if (!stats)
        stats = &d->unused;
    d->context = (struct strong_context){
        .options = options, .budget = &d->budget, .stats = stats};
    dependencies_init(&d->p, h, l, options->init_edges);
    d->p.records_struck = d->p.n_candidates < options->record_max;
    stats->points = d->p.g.n;
    stats->known_edges = d->p.g.edges.n;
    stats->ambiguous_before = d->p.ambiguous.n;
    stats->build += time_cpu() - began;
    return d;
}

void
decision_record(struct decision *d, bool record)
{
    assert(d->stage == DECISION_BUILT);
    d->p.records_struck = record;
}

void
decision_prove_nothing(struct decision *d)
{
    assert(d->stage == DECISION_BUILT);
    d->p.n_struck = 1; // of which there is no record
}

void
decision_leave_out_choices(struct decision *d)
{
    assert(d->stage == DECISION_BUILT);
    vec_clear(&d->p.ambiguous);
}

void
decision_free(struct decision *d)
{
    if (!d)
        return;
    if (d->has_search)
        search_free(&d->s);
    if (d->has_order) {
        vec_free(&d->broken);
        order_check_free(&d->a);
        mem_free(d->order);
    }
    if (d->stage >= DECISION_SORTED)
        inference_free(&d->f);
    dependencies_free(&d->p);
    mem_free(d);
}

enum decision_stage
decision_stage(const struct decision *d)
{
    return d->stage;
}

bool
decision_has_conflict(const struct decision *d)
{
    assert(d->stage >= DECISION_SORTED);
    return d->f.conflict.kind != CONFLICT_NONE;
}

bool
decision_is_recorded(const struct decision *d)
{
    return d->p.records_struck;
}

bool
decision_needs_record(const struct decision *d)
{
    return d->context.needs_record;
}

static void
sort(struct decision *d)
{
    const double began = time_cpu();
    budget_spend(&d->budget,
                 TUNE_BUILD_STEPS * ((uint64_t)d->p.h->n_ops + d->p.g.edges.n));
    (void)inference_init(&d->f, &d->p, &d->context);
    d->context.stats->saturating += time_cpu() - began;
}

/* Infer what is certain.  True at the end: the steps are spent, or there is a
 * conflict. */
static bool
infer(struct decision *d, struct certificate *out)
{
    struct inference *f = &d->f;
    struct strong_stats *stats = d->context.stats;
    double began = time_cpu();
    const bool ok = f->conflict.kind == CONFLICT_NONE && saturate_run(f);
    stats->saturating += time_cpu() - began;
    if (f->conflict.kind != CONFLICT_NONE && can_prove(f)) {
        began = time_cpu();
        reject(out, construct_proof_of_conflict(f));
        stats->proving = time_cpu() - began;
    }
    return !ok;
}

/* The next stage; true at the end. */
static bool
step(struct decision *d, enum decision_stage to, struct certificate *out)
{
    if (d->stage == DECISION_BUILT) {
        sort(d);
        return false;
    }
    if (d->stage == DECISION_SORTED)
        return infer(d, out);
    if (d->p.one_rw) {
        psi_search(&d->f, out);
        return true;
    }
    if (d->stage == DECISION_INFERRED)
        return order(d, out);
    const double began = time_cpu();
    const bool ended = search(d, to);
    d->context.stats->searching += time_cpu() - began;
    if (ended)
        conclude(d, out);
    return ended;
}

bool
decision_advance(struct decision *d, enum decision_stage to,
                 struct budget *budget, struct certificate *out)
{
    d->budget = budget_take(budget, UINT64_MAX);
    while (d->stage < to)
        d->stage = step(d, to, out) ? DECISION_ENDED : d->stage + 1;
    budget_give_back(budget, &d->budget);
    return d->stage == DECISION_ENDED;
}

bool
decision_replay(struct decision *d, struct budget *budget,
                struct certificate *out)
{
    assert(d->stage == DECISION_BUILT && !d->p.one_rw);
    (void)decision_advance(d, DECISION_SORTED, budget, out);
    if (decision_has_conflict(d))
        return false;
    find_first_order(d);
    const bool found = !d->broken.n;
    if (found)
        order_certificate_make(&d->a, d->order, out);
    return found;
}

bool
decision_try_psi(const struct decision *d, const txn_id *order, uint32_t n,
                 struct certificate *out)
{
    assert(!decision_has_conflict(d) && d->p.one_rw);
    return input_order_psi_try(&d->f, order, n, out);
}
