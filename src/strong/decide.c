/* decide.c -- see decide.h.
 *
 * SPDX-License-Identifier: MIT */
#include "strong/decide.h"

#include "base/limits/limit.h"
#include "strong/infer/saturate.h"
#include "strong/order/backtracking.h"
#include "strong/order/bidirectional.h"
#include "strong/order/order_certificate.h"
#include "strong/order/schedule.h"
#include "strong/search/construct_proof.h"
#include "strong/search/psi.h"
#include "strong/search/search.h"

enum { OP_STEPS = 4 }; // of a budget, per operation and edge of the problem

// Backtracking order search is for problems up to BACKTRACK_POINTS.  Two walks
// are made before the solver runs.
enum { BACKTRACK_POINTS = 5000 };
static const struct walks walks_first = {0, 2, 50000};

// Then the solver and the order searches take turns, with more effort each
// time; the last turn of the solver has no end.
enum {
    CONFLICTS_FIRST = 300,
    CONFLICTS_NEXT = 3000, // four times as many each time
};
static const struct walks walks_more = {2, 2, 50000}, // after the other search
    walks_next = {0, 4, 150000},                      // where there is no other
    walks_last = {0, 4, 5000000};

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
               ? BIDIRECTIONAL_EFFORTS
               : 0;
}

/* --- stages --------------------------------------------------------------- */

/* A search in turns of the solver and of order searches. */
struct turns {
    struct order_search s;
    struct order_check *a;
    broken_vec *broken;
    uint32_t *order;
    unsigned efforts; // of the search from both ends
    enum sat_answer answer;
    bool found; // 'order' is the answer
    bool ended;
};

static void
take_solver_turn(struct turns *t, uint64_t conflicts)
{
    sat_set_budget(t->s.sat, conflicts);
    t->answer = search_run(&t->s, t->a, t->broken);
    // Go on only where the solver's own limit of conflicts stopped it.
    t->ended = t->answer != SAT_UNKNOWN || !t->s.taken_up ||
               budget_is_spent(t->s.f->context->budget);
}

static void
take_order_turn(struct turns *t, unsigned i)
{
    const struct inference *f = t->s.f;
    // At the root, the graph keeps the edges that the search has learnt.
    sat_to_root(t->s.sat);
    if (i < t->efforts)
        t->found = try_bidirectional(f, i, t->a, t->order);
    if (!t->found && (i == 0 || i >= t->efforts))
        t->found = try_backtracking(f,
                                    i            ? walks_last
                                    : t->efforts ? walks_more
                                                 : walks_next,
                                    t->a, t->order);
    t->ended = t->found || budget_is_spent(f->context->budget);
}

/* Ask the caller whether it still needs the verdict. */
static void
pause(struct turns *t, enum strong_pause_at at)
{
    const struct strong_pause *p = &t->s.f->context->options->pause;
    t->ended = t->ended || (p->settle && p->settle(p->self, at));
}

/* Take turns until the end. */
static void
take_turns(struct turns *t)
{
    const unsigned last = t->efforts ? t->efforts : 1;
    for (unsigned i = 0; !t->ended && i <= last; i++) {
        take_solver_turn(t, i ? (uint64_t)CONFLICTS_NEXT << 2 * (i - 1)
                              : CONFLICTS_FIRST);
        if (i == 0)
            pause(t, STRONG_PAUSE_FIRST);
        if (!t->ended)
            take_order_turn(t, i);
        if (i == 0)
            pause(t, STRONG_PAUSE_SECOND);
    }
}

/* Search, given a first order and what it breaks.  Fill the certificate unless
 * the budget is spent. */
static void
search(struct inference *f, uint32_t *order, struct order_check *a,
       broken_vec *broken, struct certificate *out)
{
    assert(broken->n);
    struct strong_stats *stats = f->context->stats;
    struct turns t = {.a = a, .broken = broken, .order = order};
    double began = time_cpu();
    if (broken->n >= MANY_BROKEN)
        chains_freeze(&f->p->g);
    search_init(&t.s, f, order);
    if (suits_backtracking(f)) {
        t.efforts = count_efforts(f);
        take_turns(&t);
    } else if (f->context->options->pause.settle) {
        take_solver_turn(&t, CONFLICTS_NEXT);
        pause(&t, STRONG_PAUSE_SECOND);
    }
    if (!t.ended)
        take_solver_turn(&t, 0);
    stats->searching += time_cpu() - began;
    began = time_cpu();
    if (t.found)
        order_certificate_make(a, order, out);
    else if (t.answer == SAT_TRUE)
        order_certificate_make(a, t.s.acyc.order.at, out);
    else if (t.answer == SAT_FALSE && can_prove(f))
        reject(out, construct_proof_of_search(f, &t.s.log));
    stats->proving += time_cpu() - began;
    search_free(&t.s);
}

/* A first order, and what it breaks. */
struct first_order {
    struct order_check a;
    uint32_t *order;
    broken_vec broken;
};

/* Find one by running the history. */
static void
first_order_find(struct first_order *o, const struct inference *f)
{
    const struct dependencies *p = f->p;
    *o = (struct first_order){.order = mem_alloc(p->g.n, sizeof *o->order)};
    order_check_init(&o->a, p);
    if (f->context->options->schedule)
        schedule_run(f, o->order, o->a.counting);
    else
        memcpy(o->order, f->order, p->g.n * sizeof *o->order);
    check_order(&o->a, o->order, &o->broken);
}

static void
first_order_free(struct first_order *o)
{
    vec_free(&o->broken);
    order_check_free(&o->a);
    mem_free(o->order);
}

/* Find a first order.  Where it breaks nothing the level holds; otherwise
 * search. */
static void
order_and_search(struct inference *f, struct certificate *out)
{
    struct strong_stats *stats = f->context->stats;
    const double began = time_cpu();
    struct first_order o;
    first_order_find(&o, f);
    stats->broken_first = o.broken.n;
    if (o.broken.n && suits_backtracking(f) &&
        try_backtracking(f, walks_first, &o.a, o.order))
        vec_clear(&o.broken);
    if (o.broken.n && o.a.counting) {
        // The search decides itself which optional transactions count.
        order_check_reset_counting(&o.a);
        vec_clear(&o.broken);
        check_order(&o.a, o.order, &o.broken);
    }
    stats->ordering += time_cpu() - began;
    if (o.broken.n)
        search(f, o.order, &o.a, &o.broken, out);
    else
        order_certificate_make(&o.a, o.order, out);
    first_order_free(&o);
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
decide_by_run(const struct inference *f, struct certificate *out)
{
    assert(f->conflict.kind == CONFLICT_NONE && !f->p->one_rw);
    const double began = time_cpu();
    struct first_order o;
    first_order_find(&o, f);
    const bool found = !o.broken.n;
    if (found)
        order_certificate_make(&o.a, o.order, out);
    first_order_free(&o);
    f->context->stats->ordering += time_cpu() - began;
    return found;
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
