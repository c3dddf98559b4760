/* repair.c -- see repair.h.
 *
 * A window is built from the state before it: what each key holds there is its
 * initial value.  The order that comes back is placed one by one, which checks
 * it (running_order.h), and so is everything that follows.  So it does not
 * matter for soundness what the engine was told; only how often it succeeds.
 *
 * SPDX-License-Identifier: MIT */
#include "stream/order/repair.h"

#include <stdlib.h>

enum {
    FIRST = 8,  // transactions on each side of the one that does not fit
    GROWTH = 8, // of that, from try to try
};

#define WORK (2 * BUDGET_SECOND) // for one window

struct window {
    stream_txns txns;   // to be ordered
    stream_txns before; // those of them that were taken back, in their order
    size_t taken;       // from the queue
    VEC(bool) deferred; // of these: left in the queue
    u32_vec from_pool;  // indices into the pool, ascending
    u32_vec order;      // indices into txns
};

static void
free_window(struct window *w)
{
    vec_free(&w->txns);
    vec_free(&w->before);
    vec_free(&w->deferred);
    vec_free(&w->from_pool);
    vec_free(&w->order);
}

/* --- the engine ------------------------------------------------------------*/

static bool
ask(const struct history *h, enum level l, const struct check_options *options,
    struct check *out)
{
    struct check_options o = *options;
    struct err err = {0};
    o.levels = 1u << l;
    o.work = WORK;
    o.limits = (struct limits){0};
    o.spent = 0;
    o.is_part = true;
    o.verify = false;
    o.ask_z3 = false;
    o.most_flaws = 1;
    o.observer = (struct check_observer){0};
    return check_history(h, &o, out, &err);
}

enum verdict
repair_decide(const struct history *h, enum level l,
              const struct check_options *options)
{
    struct check c;
    if (!ask(h, l, options, &c))
        return VERDICT_UNKNOWN;
    const enum verdict v = c.results.at[0].certificate.verdict;
    check_free(&c);
    return v;
}

/* Take the commits of an order as indices in the order of arrival. */
static void
take_order(const struct history *h, const struct certificate *c, u32_vec *order)
{
    const bool two_points = level_table[c->level].two_points;
    u32_vec index = {0};
    vec_grow(&index, h->n_txns);
    for (uint32_t i = 0; i < h->n_txns; i++)
        index.at[h->arrival[i]] = i;
    for (size_t i = 0; i < c->order.n; i++) {
        const uint32_t point = c->order.at[i];
        if (!two_points || point % 2)
            vec_push(order, index.at[two_points ? point / 2 : point]);
    }
    vec_free(&index);
}

bool
repair_propose(const struct stream_pass *p, struct stream_txn *const *txns,
               size_t n, u32_vec *order)
{
    struct history h;
    struct check c;
    part_from_state(&p->order, txns, n, level_table[p->level].needs_times, &h);
    bool ok = ask(&h, p->level, p->check, &c);
    if (ok) {
        const struct level_result *r = &c.results.at[0];
        const struct certificate *evidence = check_evidence(&c, r);
        ok = r->certificate.verdict == VERDICT_OK &&
             evidence->kind == EVIDENCE_ORDER;
        if (ok)
            take_order(&h, evidence, order);
        check_free(&c);
    }
    history_free(&h);
    return ok;
}

/* --- windows ---------------------------------------------------------------*/

/* Insert a transaction of the pool where its session allows it. */
static void
insert_pooled(struct window *w, struct stream_txn *t)
{
    size_t at = 0;
    for (size_t i = 0; i < w->txns.n; i++)
        if (w->txns.at[i]->session == t->session &&
            w->txns.at[i]->position < t->position)
            at = i + 1;
    vec_push(&w->txns, t);
    memmove(w->txns.at + at + 1, w->txns.at + at,
            (w->txns.n - 1 - at) * sizeof *w->txns.at);
    w->txns.at[at] = t;
}

/* Whether a read can be served by what the key holds, or a write in the
 * window. */
static bool
is_served(const struct stream_pass *p, const struct pair_set *written,
          const struct stream_op *op)
{
    return atom_equal(stream_value(op),
                      running_order_value(&p->order, op->key)) ||
           pair_set_has(written, op);
}

static void
note_writes(const struct stream_txn *t, struct pair_set *written)
{
    for (uint32_t i = 0; i < t->n_ops; i++)
        if (t->ops[i].is_write && t->ops[i].is_main)
            pair_set_add(written, &t->ops[i]);
}

/* Add the transactions of the pool that wrote this. */
static bool
add_writers(const struct stream_pass *p, struct window *w,
            const struct stream_op *op, struct pair_set *written)
{
    bool found = false;
    for (uint32_t i = 0; i < p->pool.n; i++) {
        struct stream_txn *t = p->pool.at[i];
        for (uint32_t j = 0; j < t->n_ops; j++) {
            const struct stream_op *o = &t->ops[j];
            if (!o->is_write || !o->is_main || o->key != op->key ||
                !atom_equal(stream_value(o), stream_value(op)))
                continue;
            vec_push(&w->from_pool, i);
            insert_pooled(w, t);
            note_writes(t, written);
            found = true;
        }
    }
    return found;
}

/* Get writers from the pool for the reads of t that nothing serves.  Whether
 * all of them can be served then; 'any': whether one was added. */
static bool
serve(const struct stream_pass *p, struct window *w, const struct stream_txn *t,
      struct pair_set *written, bool *any)
{
    bool ok = true;
    for (uint32_t i = 0; i < t->n_ops; i++) {
        const struct stream_op *op = &t->ops[i];
        if (op->is_write || !op->is_main || is_served(p, written, op))
            continue;
        const bool found = add_writers(p, w, op, written);
        *any |= found;
        ok &= found;
    }
    return ok;
}

/* Do so for all reads of the window.  Those of indeterminate transactions need
 * not be served, because these need not count. */
static bool
complete(const struct stream_pass *p, struct window *w)
{
    struct pair_set written = {.names = p->names};
    bool ok = true, any = true;
    for (size_t i = 0; i < w->txns.n; i++)
        note_writes(w->txns.at[i], &written);
    while (ok && any) {
        any = false;
        for (size_t i = 0; ok && i < w->txns.n; i++) {
            const struct stream_txn *t = w->txns.at[i];
            ok = serve(p, w, t, &written, &any) ||
                 t->status == TXN_INDETERMINATE;
        }
    }
    pair_set_free(&written);
    return ok;
}

/* Whether a transaction of unknown outcome may serve a read. */
static bool
is_in_pool(const struct stream_pass *p, const struct stream_op *op)
{
    for (size_t i = 0; i < p->pool.n; i++)
        for (uint32_t j = 0; j < p->pool.at[i]->n_ops; j++) {
            const struct stream_op *o = &p->pool.at[i]->ops[j];
            if (o->is_write && o->is_main && o->key == op->key &&
                atom_equal(stream_value(o), stream_value(op)))
                return true;
        }
    return false;
}

static bool
can_be_served(const struct stream_pass *p, const struct pair_set *written,
              const struct stream_txn *t)
{
    for (uint32_t i = 0; i < t->n_ops; i++)
        if (!t->ops[i].is_write && t->ops[i].is_main &&
            !is_served(p, written, &t->ops[i]) && !is_in_pool(p, &t->ops[i]))
            return false;
    return true;
}

/* Leave out transactions of the queue that read what comes behind the window,
 * with those of their sessions that follow.  Whether some were. */
static bool
defer_some(const struct stream_pass *p, struct window *w)
{
    struct pair_set written = {.names = p->names};
    struct intmap sessions = {0};
    bool any = false, added;
    for (size_t i = 0; i < w->before.n; i++)
        note_writes(w->before.at[i], &written);
    for (size_t i = 0; i < w->taken; i++)
        if (!w->deferred.at[i])
            note_writes(p->ahead.at[p->ahead_at + i], &written);
    for (size_t i = 0; i < w->taken; i++) {
        const struct stream_txn *t = p->ahead.at[p->ahead_at + i];
        const bool follows = intmap_find(&sessions, t->session) != UINT32_MAX;
        const bool waits =
            w->deferred.at[i] || follows ||
            (t->status != TXN_INDETERMINATE && !can_be_served(p, &written, t));
        if (waits)
            intmap_add(&sessions, t->session, 0, &added);
        any |= waits && !w->deferred.at[i];
        w->deferred.at[i] = waits;
    }
    intmap_free(&sessions);
    pair_set_free(&written);
    return any;
}

/* Take back 'size' transactions, and as many of the queue, the first included.
 * False: that one cannot be served within the window. */
static bool
open_window(struct stream_pass *p, size_t size, struct window *w)
{
    const uint64_t depth = running_order_depth(&p->order);
    const size_t back = size < depth ? size : (size_t)depth;
    const size_t left = p->ahead.n - p->ahead_at;
    w->taken = size < left ? size : left;
    vec_grow(&w->before, back);
    for (size_t i = back; i-- > 0;)
        w->before.at[i] = running_order_take_back(&p->order);
    vec_grow(&w->deferred, w->taken);
    memset(w->deferred.at, 0, w->taken);
    while (defer_some(p, w) && !w->deferred.at[0])
        continue;
    for (size_t i = 0; i < back; i++)
        vec_push(&w->txns, w->before.at[i]);
    for (size_t i = 0; i < w->taken; i++)
        if (!w->deferred.at[i])
            vec_push(&w->txns, p->ahead.at[p->ahead_at + i]);
    return !w->deferred.at[0];
}

static void
close_window(struct stream_pass *p, const struct window *w)
{
    for (size_t i = 0; i < w->before.n; i++)
        running_order_put_back(&p->order, w->before.at[i]);
}

/* Place the window in the order that was proposed. */
static bool
place_all(struct stream_pass *p, const struct window *w)
{
    size_t n = 0;
    // The order forgets at most 2 * p->window while it takes them, and holds
    // PASS_DEPTH windows: nothing of this window is forgotten.
    if (w->from_pool.n > p->window)
        return false;
    while (n < w->order.n &&
           running_order_place(&p->order, w->txns.at[w->order.at[n]], p->level))
        n++;
    if (n == w->order.n)
        return true;
    while (n--)
        running_order_take_back(&p->order);
    return false;
}

/* Remove the placed transactions from the queue and the pool; those of unknown
 * outcome that were not placed go to the pool. */
static void
leave_queue(struct stream_pass *p, const struct window *w)
{
    VEC(bool) placed = {0};
    vec_grow(&placed, w->txns.n);
    memset(placed.at, 0, w->txns.n);
    for (size_t i = 0; i < w->order.n; i++)
        placed.at[w->order.at[i]] = true;
    stream_txns pool = {0};
    for (size_t i = 0; i < w->txns.n; i++)
        if (!placed.at[i])
            vec_push(&pool, w->txns.at[i]);
    for (size_t i = 0, next = 0; i < p->pool.n; i++) {
        while (next < w->from_pool.n && w->from_pool.at[next] < i)
            next++;
        if (next == w->from_pool.n || w->from_pool.at[next] != i)
            vec_push(&pool, p->pool.at[i]);
    }
    vec_free(&p->pool);
    p->pool = pool;
    size_t to = p->ahead_at + w->taken; // those that stay move to the front
    for (size_t i = w->taken; i-- > 0;)
        if (w->deferred.at[i])
            p->ahead.at[--to] = p->ahead.at[p->ahead_at + i];
    p->ahead_at = to;
    vec_free(&placed);
}

static int
compare_indices(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Try one size. */
static bool
repair_window(struct stream_pass *p, size_t size)
{
    struct window w = {0};
    const bool ok = open_window(p, size, &w) && complete(p, &w) &&
                    repair_propose(p, w.txns.at, w.txns.n, &w.order) &&
                    place_all(p, &w);
    if (w.from_pool.n)
        qsort(w.from_pool.at, w.from_pool.n, sizeof *w.from_pool.at,
              compare_indices);
    if (ok) {
        leave_queue(p, &w);
        p->stats.windows++;
        p->stats.window_txns += w.txns.n;
        if (w.txns.n > p->stats.largest)
            p->stats.largest = w.txns.n;
    } else {
        close_window(p, &w);
    }
    free_window(&w);
    return ok;
}

/* Try sizes from 'size' to 'most'. */
static bool
repair_from(struct stream_pass *p, size_t size, size_t most)
{
    for (;; size *= GROWTH) {
        if (repair_window(p, size < p->window ? size : p->window))
            return true;
        if (size >= most || size >= p->window)
            return false;
    }
}

bool
repair(struct stream_pass *p)
{
    return repair_from(p, FIRST, p->window);
}
