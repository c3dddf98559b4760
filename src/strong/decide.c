/* decide.c -- see decide.h.
 *
 * SPDX-License-Identifier: MIT */
#include "strong/decide.h"

#include "base/limits/limit.h"
#include "strong/infer/saturate.h"
#include "strong/order/backtracking.h"
#include "strong/order/bidirectional.h"
#include "strong/order/order_certificate.h"
#include "strong/order/recorded_order.h"
#include "strong/order/schedule.h"
#include "strong/search/construct_proof.h"
#include "strong/search/psi.h"
#include "strong/search/search.h"

enum { OP_STEPS = 4 }; // of a budget, per operation and edge of the problem

// Backtracking order search is for problems up to BACKTRACK_POINTS.  It gets
// BACKTRACK_STEPS before the solver runs, and BACKTRACK_STEPS_MORE if the
// solver has used up CONFLICTS_FIRST conflicts.
enum {
    BACKTRACK_POINTS = 5000,
    BACKTRACK_STEPS = 200000,
    BACKTRACK_STEPS_MORE = 20000000,
    CONFLICTS_FIRST = 3000,
};

enum { SERIAL_STEPS = 700000000 }; // of a budget, for a serial order at pc

// Where an order breaks so much, the search walks over the edges so often that
// laying them out first pays.
enum { MANY_BROKEN = 1000 };

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

/* Try a serial order, where the search at pc has not succeeded at once: few
 * keys and values are easiest at ser. */
static bool
try_serial(const struct inference *f, struct certificate *out)
{
    struct strong_options options = *f->context->options;
    struct budget *all = f->context->budget;
    struct certificate ser;
    options.near_candidates = 0; // strong.c has tried that
    if (f->p->level != LEVEL_PC || f->p->h->n_optional ||
        history_has_orders(f->p->h))
        return false;
    struct budget some = {.left = SERIAL_STEPS};
    if (all)
        some = budget_take(all, SERIAL_STEPS);
    strong_check(f->p->h, LEVEL_SER, &options, &some, &ser, NULL);
    if (all)
        budget_give_back(all, &some);
    const bool ok = ser.verdict == VERDICT_OK &&
                    recorded_order_run_commits(f->p->h, &ser, out);
    certificate_free(&ser);
    return ok;
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
    const bool stopped = backtracks && answer == SAT_UNKNOWN;
    const bool serial = stopped && try_serial(f, out);
    if (stopped && !serial)
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

/* --- the whole -------------------------------------------------------------*/

void
decide_build(struct dependencies *p, const struct history *h, enum level l,
             struct strong_context *context)
{
    struct strong_stats *stats = context->stats;
    const double began = time_cpu();
    dependencies_init(p, h, l, context->options->init_edges);
    budget_spend(context->budget,
                 OP_STEPS * ((uint64_t)h->n_ops + p->g.edges.n));
    stats->points = p->g.n;
    stats->known_edges = p->g.edges.n;
    stats->ambiguous_before = p->ambiguous.n;
    stats->build += time_cpu() - began;
}

bool
decide_infer(struct inference *f, struct certificate *out)
{
    struct strong_stats *stats = f->context->stats;
    double began = time_cpu();
    const bool ok = f->conflict.kind == CONFLICT_NONE && saturate_run(f);
    stats->saturating += time_cpu() - began;
    if (f->conflict.kind != CONFLICT_NONE && can_prove(f)) {
        began = time_cpu();
        reject(out, construct_proof_of_conflict(f));
        stats->proving = time_cpu() - began;
    }
    return ok;
}

void
decide_search(struct inference *f, struct certificate *out)
{
    if (f->p->one_rw)
        psi_search(f, out);
    else
        order_and_search(f, out);
}
