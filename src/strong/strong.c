/* strong.c -- the pipeline: build, infer, order, search; see strong.h.
 *
 * SPDX-License-Identifier: MIT */
#include "strong/strong.h"

#include "base/limit.h"
#include "strong/order/backtracking.h"
#include "strong/order/bidirectional.h"
#include "strong/order/schedule.h"
#include "strong/search/construct_proof.h"
#include "strong/search/psi.h"
#include "strong/search/search.h"

enum { RECORD_MAX = 1 << 22 }; // candidates

/* The writer that an ambiguous read saw: what was current when it started. */
static void
add_choices(const struct order_check *a, const uint32_t *order,
            struct certificate *out)
{
    const struct problem *p = a->p;
    if (!p->stats->ambiguous_before)
        return;
    version_id *now = mem_alloc(p->h->n_keys, sizeof *now);
    memcpy(now, p->key_first, p->h->n_keys * sizeof *now);
    for (uint32_t i = 0; i < p->g.n; i++) {
        if (order[i] >= problem_txn_points(p))
            continue;
        const dense_id t = point_txn(p, order[i]);
        if (!order_check_counts(a, t))
            continue;
        if (order[i] == point_start(p, t))
            for (read_id r = p->read_first[t]; r < p->read_first[t + 1]; r++)
                problem_add_choice(p, r, now[read_key(p, r)], out);
        if (order[i] == point_commit(p, t))
            for (uint32_t j = p->write_first[t]; j < p->write_first[t + 1]; j++)
                now[p->version_key[p->write[j]]] = p->write[j];
    }
    mem_free(now);
}

/* Hand over an order, of those that count in it by the order_check. */
static void
accept(const struct order_check *a, const uint32_t *order,
       struct certificate *out)
{
    const struct problem *p = a->p;
    out->verdict = VERDICT_OK;
    out->kind = EVIDENCE_ORDER;
    vec_reserve(&out->order, problem_txn_points(p));
    for (uint32_t i = 0; i < p->g.n; i++) {
        if (order[i] >= problem_txn_points(p) ||
            !order_check_counts(a, point_txn(p, order[i])))
            continue;
        const txn_id t = p->name[point_txn(p, order[i])];
        vec_push(&out->order, p->two_points ? 2 * t + order[i] % 2 : t);
    }
    add_choices(a, order, out);
}

static void
reject(struct certificate *out, struct proof *proof)
{
    out->verdict = VERDICT_VIOLATED;
    out->kind = EVIDENCE_PROOF;
    out->proof = proof;
}

// Trial and error is for histories up to this size; it gets so many steps
// before the search, and so many more if that makes so many conflicts.
enum {
    WANDER_POINTS = 5000,
    WANDER_STEPS = 200000,
    WANDER_STEPS_MORE = 20000000,
    WANDER_CONFLICTS = 3000,
};

/* Whether so much is ambiguous that running the history by trial and error may
 * succeed sooner than reasoning. */
static bool
wants_to_wander(const struct problem *p)
{
    return p->options->backtracking && p->g.n <= WANDER_POINTS &&
           p->ambiguous.n > p->n_reads / 4;
}

static void
audit_order(struct order_check *a, const uint32_t *order, broken_vec *broken)
{
    uint32_t *rank = mem_alloc(a->p->g.n, sizeof *rank);
    for (uint32_t i = 0; i < a->p->g.n; i++)
        rank[order[i]] = i;
    order_check_all(a, order, rank, broken);
    mem_free(rank);
}

/* Take an order that running the history has found, if it holds. */
static bool
adopt(const uint32_t *found, struct order_check *a, uint32_t *out)
{
    broken_vec broken = {0};
    audit_order(a, found, &broken);
    const bool holds = !broken.n;
    if (holds)
        memcpy(out, found, a->p->g.n * sizeof *out);
    vec_free(&broken);
    return holds;
}

/* Look for an order by trial and error. */
static bool
wander_and_adopt(const struct inference *f, uint64_t steps,
                 struct order_check *a, uint32_t *out)
{
    uint32_t *order = mem_alloc(f->p->g.n, sizeof *order);
    const bool ok = backtracking_search(f, steps, order, a->counting) &&
                    adopt(order, a, out);
    mem_free(order);
    return ok;
}

/* Look for an order from both ends. */
static bool
meet_and_adopt(const struct problem *p, unsigned effort, struct order_check *a,
               uint32_t *out)
{
    uint32_t *order = mem_alloc(p->g.n, sizeof *order);
    const bool ok =
        bidirectional_search(p, effort, order) && adopt(order, a, out);
    mem_free(order);
    return ok;
}

/* Search on, after a search that was stopped by its budget, and run the history
 * in between, with growing effort. */
static enum sat_answer
search_and_run(struct search *s, struct order_check *a, broken_vec *broken,
               uint32_t *order, bool *found)
{
    const struct inference *f = s->f;
    const unsigned efforts =
        f->p->options->bidirectional && bidirectional_suits(f->p)
            ? BIDIRECTIONAL_EFFORTS
            : 0;
    enum sat_answer answer = SAT_UNKNOWN;
    for (unsigned i = 0; i <= efforts; i++) {
        // Unknown because of the solver's own budget, that is.
        if (answer != SAT_UNKNOWN || !s->taken_up ||
            budget_is_spent(f->p->budget))
            return answer;
        // The graph keeps what the search found to be certain.
        sat_to_root(s->sat);
        *found = i < efforts ? meet_and_adopt(f->p, i, a, order)
                             : wander_and_adopt(f, WANDER_STEPS_MORE, a, order);
        if (*found)
            return answer;
        sat_set_budget(s->sat,
                       i < efforts ? (uint64_t)WANDER_CONFLICTS << 2 * i : 0);
        answer = search_run(s, a, broken);
    }
    return answer;
}

/* Whether what was struck out is on record; else it has to be done again. */
static bool
can_prove(struct problem *p)
{
    p->again = p->n_struck != p->struck.n;
    return !p->again;
}

/* Search, given a first order.  Fills the certificate, unless the budget
 * is spent. */
static void
search(struct inference *f, uint32_t *order, struct order_check *a,
       broken_vec *broken, struct certificate *out)
{
    struct strong_stats *stats = f->p->stats;
    struct search s;
    double began = time_cpu();
    search_init(&s, f, order);
    const bool wanders = wants_to_wander(f->p);
    if (wanders)
        sat_set_budget(s.sat, WANDER_CONFLICTS);
    enum sat_answer answer = search_run(&s, a, broken);
    bool found = false;
    if (wanders && answer == SAT_UNKNOWN)
        answer = search_and_run(&s, a, broken, order, &found);
    stats->searching += time_cpu() - began;
    began = time_cpu();
    if (found)
        accept(a, order, out);
    else if (answer == SAT_TRUE)
        accept(a, s.acyc.order.at, out);
    else if (answer == SAT_FALSE && can_prove(f->p))
        reject(out, construct_proof_of_search(f, &s.log));
    stats->proving += time_cpu() - began;
    search_free(&s);
}

/* Find a first order, and be done where it breaks nothing. */
static void
order_and_search(struct inference *f, struct certificate *out)
{
    const struct problem *p = f->p;
    const double began = time_cpu();
    uint32_t *order = mem_alloc(p->g.n, sizeof *order);
    struct order_check a;
    broken_vec broken = {0};
    order_check_init(&a, p);
    if (p->options->schedule)
        schedule_run(f, order, a.counting);
    else
        memcpy(order, f->order, p->g.n * sizeof *order);
    audit_order(&a, order, &broken);
    p->stats->broken_first = broken.n;
    if (broken.n && wants_to_wander(p) &&
        wander_and_adopt(f, WANDER_STEPS, &a, order))
        vec_clear(&broken);
    if (broken.n && a.counting) {
        // The search lets transactions count by itself.
        order_check_reset_counting(&a);
        vec_clear(&broken);
        audit_order(&a, order, &broken);
    }
    p->stats->ordering = time_cpu() - began;
    if (broken.n)
        search(f, order, &a, &broken, out);
    else
        accept(&a, order, out);
    vec_free(&broken);
    order_check_free(&a);
    mem_free(order);
}

static void
check(struct inference *f, struct certificate *out)
{
    struct strong_stats *stats = f->p->stats;
    double began = time_cpu();
    bool ok = infer_init(f, f->p) && infer_run(f);
    stats->saturating = time_cpu() - began;
    if (ok && f->p->place == PLACE_PSI) {
        psi_search(f, out);
    } else if (ok) {
        order_and_search(f, out);
    } else if (f->conflict.kind != CONFLICT_NONE && can_prove(f->p)) {
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
    struct problem p = {0};
    struct inference f;
    // Where very much is ambiguous, the record of what was struck out would be
    // the largest thing in memory, and only a proof needs it.
    bool record = false;
    do {
        if (p.again) {
            record = true;
            infer_free(&f);
            problem_free(&p);
        }
        const double began = time_cpu();
        problem_init(&p, h, l, options ? options : &strong_defaults, budget,
                     stats);
        p.records_struck = record || p.n_candidates <= RECORD_MAX;
        stats->build += time_cpu() - began;
        f.p = &p;
        check(&f, out);
    } while (p.again);
    infer_free(&f);
    problem_free(&p);
}
