/* estimated_order.c -- see estimated_order.h.
 *
 * SPDX-License-Identifier: MIT */
#include "strong/estimated_order.h"

#include "base/container/sorted.h"
#include "base/limits/tuning.h"
#include "strong/decision_state.h"
#include "strong/infer/estimated_times.h"
#include "strong/infer/near_candidates.h"

static uint64_t
find_margin(const struct history *h, const struct strong_options *options)
{
    return (uint64_t)options->near_span * h->n_sessions;
}

bool
estimated_order_applies(const struct history *h,
                        const struct strong_options *options)
{
    if (!options->near_candidates || h->several_first.n < 2 || h->order_first)
        return false;
    const uint64_t values = h->several_first.n - 1, writers = h->several.n;
    const uint64_t range = 4 * find_margin(h, options);
    assert(writers >= values);
    return writers >= options->near_candidates * values && range <= h->n_txns &&
           writers * range <= TUNE_NEAR_KEPT * values * h->n_txns;
}

void
estimated_order_init_without_times(struct estimated_order *o,
                                   const struct history *h,
                                   const struct strong_options *options)
{
    *o = (struct estimated_order){.h = h, .options = options, .assumed = *h};
    o->assumed.op_key = mem_alloc(h->n_ops, sizeof *h->op_key);
    if (h->n_ops)
        memcpy(o->assumed.op_key, h->op_key, h->n_ops * sizeof *h->op_key);
}

void
estimated_order_init(struct estimated_order *o, const struct history *h,
                     const struct strong_options *options)
{
    assert(estimated_order_applies(h, options));
    estimated_order_init_without_times(o, h, options);
    o->margin = (uint32_t)find_margin(h, options);
    o->time = mem_calloc(h->n_txns, sizeof *o->time);
    estimated_times_find(h, o->time);
}

void
estimated_order_free(struct estimated_order *o)
{
    mem_free(o->time);
    mem_free(o->assumed.op_key);
    vec_free(&o->conflict);
    vec_free(&o->left_out);
}

/* --- conflicts -------------------------------------------------------------*/

static void
add_reader(struct estimated_order *o, const struct dependencies *p, read_id r)
{
    if (r == READ_NONE)
        return;
    const txn_id t = p->name[p->read_txn[r]];
    for (size_t i = 0; i < o->conflict.n; i++)
        if (o->conflict.at[i] == t)
            return;
    vec_push(&o->conflict, t);
}

static void
add_edge_reader(struct estimated_order *o, const struct dependencies *p,
                uint32_t edge)
{
    if (edge != EDGE_NONE)
        add_reader(o, p, p->labels.at[edge].read);
}

/* Add the readers of the edges of a path between two points. */
static void
add_path(struct estimated_order *o, const struct inference *f, uint32_t from,
         uint32_t to)
{
    const struct clocks none = {.g = &f->p->g};
    struct path_finder finder;
    hop_vec path = {0};
    path_finder_init(&finder, &f->p->g);
    finder.rank = f->rank; // the conflict rests on a path up the order
    (void)clocks_path(&none, &finder, from, to, (uint32_t)f->p->g.edges.n,
                      &path);
    for (size_t i = 0; i < path.n; i++)
        add_edge_reader(o, f->p, path.at[i].edge);
    vec_free(&path);
    path_finder_free(&finder);
}

static void
find_conflict(struct estimated_order *o, const struct inference *f)
{
    const struct conflict *c = &f->conflict;
    vec_clear(&o->conflict);
    switch (c->kind) {
    case CONFLICT_CYCLE:
        for (size_t i = 0; i < c->cycle.n; i++)
            add_edge_reader(o, f->p, c->cycle.at[i].edge);
        break;
    case CONFLICT_EDGE:
        add_reader(o, f->p, c->label.read);
        add_path(o, f, c->to, c->from);
        break;
    case CONFLICT_READ:
        add_reader(o, f->p, c->read);
        break;
    default:
        break;
    }
}

/* The transaction of p that is t in the history. */
static dense_id
find_dense(const struct dependencies *p, txn_id t)
{
    uint32_t low = 0;
    LOWER_BOUND(low, p->n_txns, middle, p->name[middle] < t);
    assert(p->n_certain == p->n_txns && p->name[low] == t);
    return low;
}

/* A transaction left out still follows the writers of its unambiguous reads. */
static void
order_left_out(const struct estimated_order *o, struct dependencies *p)
{
    const struct history *h = o->h;
    for (size_t i = 0; i < o->left_out.n; i++) {
        const txn_id t = o->left_out.at[i];
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
            const value_id v = h->op_value[op];
            if (!op_is_external_read(h, op) || history_has_several(h, v) ||
                history_writer(h, v) == TXN_INIT)
                continue;
            depend_add_edge(
                p, point_commit(p, find_dense(p, history_writer(h, v))),
                point_start(p, find_dense(p, t)),
                (struct label){EDGE_TIME, READ_NONE, 0});
        }
    }
}

/* Leave out the reads of the transactions in the conflict.  False if there are
 * none, or too many for a local conflict. */
static bool
leave_out_conflict(struct estimated_order *o)
{
    const struct history *h = &o->assumed;
    if (!o->conflict.n || o->conflict.n > TUNE_PARTIAL_CONFLICT)
        return false;
    for (size_t i = 0; i < o->conflict.n; i++) {
        const txn_id t = o->conflict.at[i];
        vec_push(&o->left_out, t);
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
            if (op_is_external_read(h, op))
                h->op_key[op] |= OP_REJECTED;
    }
    return true;
}

/* --- orders ----------------------------------------------------------------*/

static bool
find_order(struct estimated_order *o, enum level l, struct budget *budget,
           struct certificate *out)
{
    const uint64_t n_ops = o->assumed.n_ops;
    struct budget some =
        budget_take(budget, (o->time ? (uint64_t)TUNE_NEAR_STEPS_EACH
                                     : TUNE_ORDER_STEPS_EACH) *
                                n_ops);
    struct decision *d = decision_new(&o->assumed, l, o->options, NULL);
    *out = (struct certificate){.level = l};
    if (o->time)
        near_candidates_keep(&d->p, o->time, o->margin);
    order_left_out(o, &d->p);
    decision_record(d, false);
    decision_prove_nothing(d);
    (void)decision_advance(d, DECISION_ENDED, &some, out);
    if (l == LEVEL_SER)
        find_conflict(o, &d->f);
    assert(out->verdict != VERDICT_VIOLATED);
    budget_give_back(budget, &some);
    decision_free(d);
    return out->verdict == VERDICT_OK;
}

bool
estimated_order_try(struct estimated_order *o, enum level l,
                    struct budget *budget, struct certificate *out)
{
    assert(level_is_strong(l) && !level_table[l].one_rw && !o->left_out.n);
    return find_order(o, l, budget, out);
}

bool
estimated_order_try_partial(struct estimated_order *o, struct budget *budget,
                            u32_vec *order)
{
    bool found = false;
    assert(!o->h->n_optional);
    for (int i = 0; !found && i < TUNE_PARTIAL_ROUNDS && leave_out_conflict(o);
         i++) {
        struct certificate c;
        found = find_order(o, LEVEL_SER, budget, &c);
        for (size_t j = 0; found && j < c.order.n; j++)
            vec_push(order, c.order.at[j]);
        certificate_free(&c);
    }
    return found;
}
