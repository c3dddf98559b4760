/* strong.c -- the pipeline of the strong levels; see strong.h.
 *
 *     try the recorded order -> build the problem -> infer ->
 *     find a first order -> search -> certificate
 *
 * A level that is decided early skips the rest.  doc/design/strong.md says why
 * the stages come in this order and what each was measured to be worth.
 *
 * SPDX-License-Identifier: MIT */
#include "strong/strong.h"

#include "base/limits/limit.h"
#include "strong/infer/saturate.h"
#include "strong/order/backtracking.h"
#include "strong/order/bidirectional.h"
#include "strong/order/recorded_order.h"
#include "strong/order/recorded_psi.h"
#include "strong/order/schedule.h"
#include "strong/search/construct_proof.h"
#include "strong/search/psi.h"
#include "strong/search/search.h"

enum {
    RECORD_MAX = 1 << 22, // candidates up to which strikes are recorded at once
    OP_STEPS = 4,         // of a budget, per operation and edge of the problem
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
    .window = 2,
    .rounds = 0,
    .cover = 500,
};

/* --- certificates --------------------------------------------------------- */

/* Name the writer of every ambiguous read: the version that is current at the
 * reader's start. */
static void
add_choices(const struct order_check *a, const uint32_t *order,
            struct certificate *out)
{
    const struct dependencies *p = a->p;
    if (!p->n_candidates)
        return; // no read was ever ambiguous
    version_id *now = mem_alloc(p->h->n_keys, sizeof *now);
    memcpy(now, p->key_first, p->h->n_keys * sizeof *now);
    for (uint32_t i = 0; i < p->g.n; i++) {
        if (order[i] >= depend_txn_points(p))
            continue;
        const dense_id t = point_txn(p, order[i]);
        if (!order_check_counts(a, t))
            continue;
        if (order[i] == point_start(p, t))
            for (read_id r = p->read_first[t]; r < p->read_first[t + 1]; r++)
                depend_add_choice(p, r, now[read_key(p, r)], out);
        if (order[i] == point_commit(p, t))
            for (uint32_t j = p->write_first[t]; j < p->write_first[t + 1]; j++)
                now[p->version_key[p->write[j]]] = p->write[j];
    }
    mem_free(now);
}

/* The level holds: the certificate is the order, without the points of the
 * time line and of optional transactions that do not count in it. */
static void
accept(const struct order_check *a, const uint32_t *order,
       struct certificate *out)
{
    const struct dependencies *p = a->p;
    assert(out->verdict == VERDICT_UNKNOWN && !out->order.n);
    out->verdict = VERDICT_OK;
    out->kind = EVIDENCE_ORDER;
    vec_reserve(&out->order, depend_txn_points(p));
    for (uint32_t i = 0; i < p->g.n; i++) {
        if (order[i] >= depend_txn_points(p) ||
            !order_check_counts(a, point_txn(p, order[i])))
            continue;
        const txn_id t = p->name[point_txn(p, order[i])];
        vec_push(&out->order, p->two_points ? 2 * t + order[i] % 2 : t);
    }
    add_choices(a, order, out);
}

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
        accept(a, order, out);
    else if (answer == SAT_TRUE)
        accept(a, s.acyc.order.at, out);
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
        accept(&a, order, out);
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
