/* search.c -- see search.h.
 *
 * Nothing becomes a variable until an order breaks it.  The loop is
 * counterexample-guided: what the present order breaks gets variables and
 * clauses (encoding.h); the solver, with the theory of acyclicity, finds an
 * assignment; the order that the theory keeps respects the assignment and is
 * checked next.  It moves little, so little else breaks, and most histories
 * need a few rounds.
 *
 * Each round makes progress.  If what is broken had a variable already, the
 * order would respect one of its literals, and neither allows the breakage.  So
 * the loop ends, and it ends with an order or with the empty clause.
 *
 * SPDX-License-Identifier: MIT */
#include "strong/search/search.h"

#include "base/limits/tuning.h"
#include "strong/order/moved_check.h"
#include "strong/search/encoding.h"
#include "strong/search/heuristics.h"
#include "strong/search/proof_trace.h"

void
search_init(struct order_search *s, struct inference *f, const uint32_t *order)
{
    struct dependencies *p = f->p;
    const struct strong_options *options = f->context->options;
    *s = (struct order_search){.p = p, .f = f, .context = f->context};
    acyc_init(&s->acyc, &p->g, order);
    s->acyc.leave_open = options->leave_open;
    s->acyc.budget = f->context->budget;
    assert(!f->unsorted && p->labels.n == p->g.edges.n); // (D2)
    s->sat = sat_new();
    s->graph = acyc_theory(&s->acyc);
    const struct theory theory = heuristics_theory(s);
    const struct sat_proof proof = proof_trace(s);
    sat_set_theory(s->sat, &theory);
    sat_set_proof(s->sat, &proof);
    if (!options->step_back)
        sat_set_far(s->sat, UINT32_MAX);
    for (size_t i = 0; i < p->ambiguous.n; i++) {
        vec_push(&s->choices, ID_NONE);
        vec_push(&s->n_true, 0);
        vec_push(&s->service, ((struct service){0}));
    }
    if (p->ambiguous.n)
        for (read_id r = 0; r < p->n_reads; r++)
            vec_push(&s->place_of, ID_NONE);
    for (uint32_t i = 0; i < p->ambiguous.n; i++)
        s->place_of.at[p->ambiguous.at[i].read] = i;
    for (dense_id t = p->n_certain; t < p->n_txns; t++) {
        vec_push(&s->counts, ID_NONE);
        vec_push(&s->counted, depend_is_certain(p, t));
    }
}

void
search_free(struct order_search *s)
{
    sat_free(s->sat);
    acyc_free(&s->acyc);
    search_log_free(&s->log);
    intmap_free(&s->pairs);
    intmap_free(&s->pairs_done);
    intmap_free(&s->aheads);
    vec_free(&s->choices);
    vec_free(&s->place_of);
    vec_free(&s->counts);
    vec_free(&s->counted);
    vec_free(&s->tags);
    vec_free(&s->n_true);
    vec_free(&s->service);
    vec_free(&s->overtakings);
    vec_free(&s->overtaking_of);
    vec_free(&s->chosen);
    vec_free(&s->chosen_levels);
}

void
search_add_stats(const struct order_search *s)
{
    struct strong_stats *stats = s->context->stats;
    const struct sat_stats sat = sat_get_stats(s->sat);
    stats->variables = sat_vars(s->sat);
    stats->clauses = s->clauses;
    stats->carried_edges = s->acyc.carried.n;
    stats->conflicts = sat.conflicts;
    stats->decisions = sat.decisions;
    stats->propagations = sat.propagations;
    stats->theory_conflicts = sat.theory_conflicts;
    stats->restarts = sat.restarts;
    stats->cycles = s->acyc.cycles;
    stats->cycle_hops = s->acyc.cycle_hops;
    stats->cycle_literals = s->acyc.cycle_literals;
}

/* --- rounds --------------------------------------------------------------- */

/* A chosen version that is overwritten before its read. */
struct overtaken {
    read_id read;
    lit choice;
    version_id version;
    dense_id by;
};

/* Find the chosen versions that are overwritten before their reads.  This reads
 * the model, so it comes before anything is added. */
static void
find_overtaken(struct order_search *s, const broken_vec *broken,
               struct overtaken **out, size_t *n)
{
    const struct dependencies *p = s->p;
    VEC(struct overtaken) list = {0};
    for (size_t i = 0; i < broken->n; i++) {
        const struct broken *b = &broken->at[i];
        if (b->first != VERSION_NONE || b->read == READ_NONE)
            continue;
        const uint32_t place = s->place_of.at[b->read];
        assert(place < p->ambiguous.n);
        const uint32_t first = s->choices.at[place];
        if (first == ID_NONE)
            continue;
        const struct candidates c = p->ambiguous.at[place];
        for (uint32_t j = 0; j < c.n; j++) {
            const lit l = lit_make(first + j, false);
            const version_id w = p->pool.items.at[c.first + j];
            if (sat_value(s->sat, l) > 0 && !version_is_init(p, w))
                vec_push(&list, ((struct overtaken){
                                    b->read, l, w, p->version_txn[b->second]}));
        }
    }
    *out = list.at;
    *n = list.n;
}

/* Turn everything that is broken into variables. */
static void
take_up(struct order_search *s, const broken_vec *broken)
{
    const struct dependencies *p = s->p;
    struct overtaken *overtaken;
    size_t n;
    find_overtaken(s, broken, &overtaken, &n);
    sat_to_root(s->sat);
    for (size_t i = 0; i < n; i++)
        encoding_add_ahead(s, overtaken[i].read, overtaken[i].choice,
                           overtaken[i].version, overtaken[i].by);
    mem_free(overtaken);
    for (size_t i = 0; i < broken->n; i++) {
        const struct broken *b = &broken->at[i];
        if (b->first == VERSION_NONE)
            (void)encoding_choices(s, s->place_of.at[b->read]);
        else
            (void)encoding_before(s, p->version_txn[b->first],
                                  p->version_txn[b->second],
                                  p->version_key[b->first], true);
    }
}

struct dirty {
    VEC(uint8_t) is_dirty; // by key
    u32_vec keys;
};

static void
make_dirty(struct dirty *d, key_id k)
{
    assert(k < d->is_dirty.n);
    if (d->is_dirty.at[k])
        return;
    d->is_dirty.at[k] = 1;
    vec_push(&d->keys, k);
}

static void
make_keys_dirty(const struct dependencies *p, struct dirty *d, dense_id t)
{
    for (version_id v = p->write_first[t]; v < p->write_first[t + 1]; v++)
        make_dirty(d, p->version_key[v]);
    for (read_id r = p->read_first[t]; r < p->read_first[t + 1]; r++)
        make_dirty(d, read_key(p, r));
}

/* Pass on to the order check which optional transactions count now. */
static void
update_counting(struct order_search *s, struct order_check *a, struct dirty *d)
{
    const struct dependencies *p = s->p;
    for (dense_id t = p->n_certain; t < p->n_txns; t++) {
        const uint32_t i = t - p->n_certain;
        a->counting[i] = encoding_counts(s, t);
        if (a->counting[i] != s->counted.at[i])
            make_keys_dirty(p, d, t);
        s->counted.at[i] = a->counting[i];
    }
}

/* Check what the points that moved can have changed, or everything. */
static void
check_moved(struct order_search *s, struct order_check *a, broken_vec *broken)
{
    struct order *o = &s->acyc.order;
    if ((uint64_t)o->moved.n * s->context->options->recheck > s->p->g.n) {
        budget_spend(s->context->budget, s->p->n_versions);
        vec_clear(broken);
        order_check_all(a, o->at, o->rank, broken);
    } else {
        budget_spend(s->context->budget,
                     TUNE_MOVED_STEPS * (uint64_t)o->moved.n);
        moved_check(a, o, broken);
    }
    order_clear_moved(o);
}

/* Check the keys of the transactions that moved, and the keys that were broken
 * before, which may still be although nothing moved. */
static void
check_keys(struct order_search *s, struct order_check *a, struct dirty *d,
           broken_vec *broken)
{
    const struct dependencies *p = s->p;
    struct order *o = &s->acyc.order;
    for (size_t i = 0; i < broken->n; i++)
        make_dirty(d, p->version_key[broken->at[i].second]);
    for (size_t i = 0; i < o->moved.n; i++) {
        if (o->moved.at[i].point >= depend_txn_points(p))
            continue;
        make_keys_dirty(p, d, point_txn(p, o->moved.at[i].point));
    }
    update_counting(s, a, d);
    order_clear_moved(o);
    vec_clear(broken);
    uint64_t versions = 0;
    for (size_t i = 0; i < d->keys.n; i++) {
        const key_id k = d->keys.at[i];
        assert(d->is_dirty.at[k]);
        d->is_dirty.at[k] = 0;
        versions += p->key_first[k + 1] - p->key_first[k];
    }
    budget_spend(s->context->budget, versions);
    if (versions > p->n_versions / TUNE_DIRTY_SHARE)
        order_check_all(a, o->at, o->rank, broken);
    else
        for (size_t i = 0; i < d->keys.n; i++)
            order_check_key(a, d->keys.at[i], o->rank, broken);
    vec_clear(&d->keys);
}

enum sat_answer
search_run(struct order_search *s, struct order_check *a, broken_vec *broken)
{
    struct dependencies *p = s->p;
    assert(broken->n || !s->taken_up);
    struct dirty d = {0};
    vec_grow(&d.is_dirty, p->h->n_keys);
    memset(d.is_dirty.at, 0, d.is_dirty.n);
    enum sat_answer answer = SAT_TRUE;
    while (broken->n && answer == SAT_TRUE) {
        if (!s->taken_up) {
            s->context->stats->search_rounds++;
            const size_t before = s->acyc.carried.n + s->clauses;
            take_up(s, broken);
            assert(before < s->acyc.carried.n + s->clauses);
            (void)before;
        }
        s->taken_up = true;
        answer = sat_solve(s->sat, s->context->budget);
        if (answer != SAT_TRUE)
            break;
        s->taken_up = false;
        if (moved_check_suits(a))
            check_moved(s, a, broken);
        else
            check_keys(s, a, &d, broken);
        if (budget_is_spent(s->context->budget))
            answer = broken->n ? SAT_UNKNOWN : SAT_TRUE;
    }
    vec_free(&d.is_dirty);
    vec_free(&d.keys);
    search_add_stats(s);
    return answer;
}
