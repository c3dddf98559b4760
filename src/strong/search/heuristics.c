/* heuristics.c -- see heuristics.h.
 *
 * The theory passes everything on to acyclicity.  It adds advice on decisions,
 * which is the only place where the meaning of a variable matters.
 *
 * Nothing is decided that the order already satisfies:
 *
 *   CHOICE   only where the order does not serve the read of a transaction that
 *            counts, and then the candidate that needs the least change;
 *   COUNTS   never: a choice implies it, and otherwise it need not hold;
 *   PAIR     only where the order breaks both literals, or lets a chosen
 *            version be overwritten before its read;
 *   AHEAD    never: the others imply it.
 *
 * SPDX-License-Identifier: MIT */
#include "strong/search/heuristics.h"

#include "base/limits/tuning.h"
#include "strong/search/encoding.h"

static void
theory_decide(void *self)
{
    struct order_search *s = self;
    vec_push(&s->chosen_levels, (uint32_t)s->chosen.n);
    s->graph.decide(s->graph.self);
}

static void
theory_assign(void *self, lit l)
{
    struct order_search *s = self;
    const struct search_variable *v = &s->log.variables.at[lit_var(l)];
    if (v->kind == VARIABLE_CHOICE && !lit_is_negated(l)) {
        const uint32_t place = s->place_of.at[v->a];
        assert(place < s->n_true.n);
        s->n_true.at[place]++;
        vec_push(&s->chosen, place);
    }
    s->counts_changes += v->kind == VARIABLE_COUNTS;
    s->graph.assign(s->graph.self, l);
}

static bool
theory_propagate(void *self, lit_vec *out)
{
    struct order_search *s = self;
    return s->graph.propagate(s->graph.self, out);
}

static void
theory_explain(void *self, lit l, lit_vec *out)
{
    struct order_search *s = self;
    s->graph.explain(s->graph.self, l, out);
}

static void
theory_backtrack(void *self, uint32_t level)
{
    struct order_search *s = self;
    s->counts_changes += s->counts.n != 0;
    if (level < s->chosen_levels.n) {
        while (s->chosen.n > s->chosen_levels.at[level]) {
            const uint32_t place = vec_pop(&s->chosen);
            assert(s->n_true.at[place]);
            s->n_true.at[place]--;
        }
        s->chosen_levels.n = level;
    }
    s->graph.backtrack(s->graph.self, level);
}

/* The version of k that is current at a rank of the order: the latest of all
 * its versions by those that count, or, where there are many, the nearest going
 * back. */
static version_id
find_current(const struct order_search *s, key_id k, uint32_t when)
{
    const struct dependencies *p = s->p;
    const struct order *o = &s->acyc.order;
    const uint32_t n = p->key_first[k + 1] - p->key_first[k];
    for (uint32_t i = when; n > TUNE_VERSIONS_SEARCHED && i--;) {
        const uint32_t point = o->at[i];
        if (point >= depend_txn_points(p))
            continue;
        const dense_id t = point_txn(p, point);
        const version_id v =
            point == point_commit(p, t) && encoding_counts(s, t)
                ? depend_find_written(p, k, t)
                : VERSION_NONE;
        if (v != VERSION_NONE)
            return v;
    }
    const version_id *at = p->key_version + p->key_first[k];
    const dense_id *txn = p->version_txn;
    uint32_t now = 0, latest = 0; // INIT's
    for (uint32_t i = 1; i < n; i++) {
        const uint32_t rank = o->rank[point_commit(p, txn[at[i]])];
        if (rank < when && rank >= latest && encoding_counts(s, txn[at[i]])) {
            latest = rank;
            now = i;
        }
    }
    return at[now];
}

/* What the service of reads depends on, as a number that only grows. */
static uint64_t
epoch(const struct order_search *s)
{
    return s->acyc.order.changes + s->counts_changes;
}

/* Look at an ambiguous read in the present order: whether the current version
 * serves it, and if not, the open candidate nearest before the read, or else
 * nearest after it. */
static void
find_service(struct order_search *s, uint32_t place, struct service *out)
{
    const struct dependencies *p = s->p;
    const uint32_t *rank = s->acyc.order.rank;
    const struct candidates c = p->ambiguous.at[place];
    const key_id k = read_key(p, c.read);
    const uint32_t start = rank[point_start(p, p->read_txn[c.read])];
    *out = (struct service){.epoch = epoch(s), .best = ID_NONE};
    out->served = version_serves(p, find_current(s, k, start), c.read);
    uint64_t nearest = UINT64_MAX;
    for (uint32_t i = 0; !out->served && i < c.n; i++) {
        const uint32_t var = s->choices.at[place] + i;
        const version_id w = p->pool.items.at[c.first + i];
        const uint32_t at = version_is_init(p, w)
                                ? 0
                                : rank[point_commit(p, p->version_txn[w])];
        const uint64_t distance =
            at < start ? start - at : ((uint64_t)1 << 32) + at;
        if (distance < nearest && !sat_value(s->sat, lit_make(var, false))) {
            nearest = distance;
            out->best = var;
        }
    }
}

/* A read that the order serves, or that has its choice, needs no decision;
 * otherwise its best candidate does. */
static enum advice
advise_choice(struct order_search *s, uint32_t var, read_id r)
{
    const uint32_t place = s->place_of.at[r];
    assert(place < s->service.n && s->choices.at[place] != ID_NONE);
    if (s->n_true.at[place])
        return ADVICE_LATER;
    struct service *service = &s->service.at[place];
    if (service->epoch != epoch(s) ||
        (service->best != ID_NONE &&
         sat_value(s->sat, lit_make(service->best, false))))
        find_service(s, place, service);
    return service->best == var ? ADVICE_TRUE : ADVICE_LATER;
}

/* A pair that the order satisfies must still be decided where the order lets a
 * chosen version be overwritten before its read. */
static enum advice
advise_pair(struct order_search *s, uint32_t var)
{
    const enum advice advice = s->graph.advise(s->graph.self, var);
    if (advice != ADVICE_OPEN || var >= s->overtaking_of.n)
        return advice;
    const uint32_t *rank = s->acyc.order.rank;
    for (uint32_t i = s->overtaking_of.at[var]; i != ID_NONE;
         i = s->overtakings.at[i].next) {
        const struct overtaking *o = &s->overtakings.at[i];
        assert(lit_var(o->before) == var);
        if (sat_value(s->sat, o->choice) > 0 &&
            rank[o->version] < rank[o->commit] &&
            rank[o->commit] < rank[o->start])
            return lit_is_negated(o->before) ? ADVICE_FALSE : ADVICE_TRUE;
    }
    return advice;
}

static enum advice
theory_advise(void *self, uint32_t var)
{
    struct order_search *s = self;
    const struct search_variable *v = &s->log.variables.at[var];
    if (v->kind == VARIABLE_COUNTS ||
        (v->kind == VARIABLE_CHOICE &&
         !encoding_counts(s, s->p->read_txn[v->a])))
        return ADVICE_LATER;
    if (!s->context->options->leave_open || s->p->one_rw)
        return s->graph.advise(s->graph.self, var);
    switch (v->kind) {
    case VARIABLE_PAIR:
        return advise_pair(s, var);
    case VARIABLE_CHOICE:
        return advise_choice(s, var, v->a);
    default:
        return ADVICE_LATER; // it only follows from others
    }
}

struct theory
heuristics_theory(struct order_search *s)
{
    return (struct theory){"acyclicity",     s,
                           theory_decide,    theory_assign,
                           theory_propagate, theory_explain,
                           theory_backtrack, theory_advise};
}
