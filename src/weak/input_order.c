/* input_order.c -- see input_order.h.
 *
 * Most inputs list transactions as they committed.  Then nothing has to be
 * sorted: one pass compares each external read with the last write of its key,
 * and looks up the writer where they differ.
 *
 * Each thread has a part of the order and a table of last writes.  A part does
 * not know the last writes of the parts before it, so a read of a key that it
 * has not seen a write of is put off until these are done.
 *
 * SPDX-License-Identifier: MIT */
#include "weak/input_order.h"

#include "base/limits/context.h"
#include "base/limits/tuning.h"
#include "base/parallel.h"
#include "base/paranoid.h"

#include <stdatomic.h>

/* A read that was put off, of the transaction at a place of the order. */
struct put_off {
    op_id op;
    uint32_t place;
};

struct order {
    const struct writer_assignment *r;
    const txn_id *at;
    uint32_t *position;
    uint8_t *is_stale; // by place
    atomic_bool is_broken;
};

struct order_slice {
    struct order *order;
    size_t begin, end; // places
    uint32_t *last;    // by key: the value last written; ID_NONE: unseen
    VEC(struct put_off) later;
    const uint32_t *before; // last writes of the parts before
};

static bool
is_broken(const struct order *o)
{
    return atomic_load_explicit(&o->is_broken, memory_order_relaxed);
}

static void
note_positions(void *parts, size_t number)
{
    const struct order_slice *p = (const struct order_slice *)parts + number;
    for (size_t i = p->begin; i < p->end; i++) {
        context_poll_at(i);
        p->order->position[p->order->at[i]] = (uint32_t)i + 1;
    }
}

/* Op, at that place of the order, does not read what was last written. */
static void
note_stale(struct order *o, op_id op, size_t place)
{
    const txn_id w = assigned_writer(o->r, op);
    o->is_stale[place] = 1;
    if (w != TXN_INIT && (!o->position[w] || o->position[w] > place))
        atomic_store_explicit(&o->is_broken, true, memory_order_relaxed);
}

/* Compare the reads of the transaction at a place with the writes before. */
static void
pass(struct order_slice *p, size_t place)
{
    const struct history *const h = p->order->r->h;
    const txn_id t = p->order->at[place];
    const op_id end = h->txn_end[t], n_ops = h->n_ops;
    const uint32_t *const keys = h->op_key;
    uint32_t *const last = p->last;
    for (op_id op = h->txn_begin[t]; op < end; op++) {
        const op_id next =
            op + TUNE_PREFETCH_OPS < n_ops ? op + TUNE_PREFETCH_OPS : op;
        __builtin_prefetch(&last[keys[next] & OP_KEY], 1);
        const uint32_t flags = keys[op] & ~OP_KEY;
        const value_id value = h->op_value[op];
        uint32_t *const place_of_key = &last[keys[op] & OP_KEY];
        const uint32_t seen = *place_of_key;
        // Reads and writes alternate unpredictably: no branch distinguishes
        // them.
        *place_of_key = flags & OP_WRITE ? value : seen;
        if ((int)(flags != OP_EXTERNAL) | (seen == value))
            continue;
        if (seen == ID_NONE)
            vec_push(&p->later, ((struct put_off){op, (uint32_t)place}));
        else
            note_stale(p->order, op, place);
    }
}

static void
pass_part(void *parts, size_t number)
{
    struct order_slice *p = (struct order_slice *)parts + number;
    const struct writer_assignment *r = p->order->r;
    for (size_t i = p->begin; i < p->end && !is_broken(p->order); i++) {
        context_poll_at(i);
        const txn_id before = assignment_session_before(r, p->order->at[i]);
        if (before != TXN_NONE && p->order->position[before] > i)
            atomic_store_explicit(&p->order->is_broken, true,
                                  memory_order_relaxed);
        pass(p, i);
    }
}

/* Compare the reads that were put off. */
static void
pass_later(void *parts, size_t number)
{
    const struct order_slice *p = (const struct order_slice *)parts + number;
    const struct history *h = p->order->r->h;
    for (size_t i = 0; i < p->later.n && !is_broken(p->order); i++) {
        if (i + TUNE_PREFETCH_LATER < p->later.n)
            __builtin_prefetch(
                &p->before[op_key(h, p->later.at[i + TUNE_PREFETCH_LATER].op)]);
        const op_id op = p->later.at[i].op;
        if (p->before[op_key(h, op)] != h->op_value[op])
            note_stale(p->order, op, p->later.at[i].place);
    }
}

static void
begin_parts(struct order *o, struct order_slice *parts, size_t n,
            size_t n_roots)
{
    const uint32_t n_keys = o->r->h->n_keys;
    for (size_t i = 0; i < n; i++) {
        parts[i] =
            (struct order_slice){.order = o,
                                 .begin = n_roots * i / n,
                                 .end = n_roots * (i + 1) / n,
                                 .last = mem_alloc(n_keys, sizeof(uint32_t))};
        // What the first part has not seen was never written.
        for (key_id k = 0; k < n_keys; k++)
            parts[i].last[k] = i ? ID_NONE : VALUE_INIT;
    }
}

/* The table of a part becomes that of all parts up to it. */
static void
complete_last(struct order_slice *p, uint32_t n_keys)
{
    for (key_id k = 0; k < n_keys; k++)
        p->last[k] = p->last[k] == ID_NONE ? p->before[k] : p->last[k];
}

static void
collect_stale(const struct order *o, size_t n, u32_vec *stale)
{
    for (size_t i = 0; i < n; i++)
        if (o->is_stale[i])
            vec_push(stale, o->at[i]);
}

bool
input_order_take(const struct writer_assignment *r, const u32_vec *roots,
                 unsigned threads, struct topological_order *out,
                 u32_vec *stale)
{
    const struct history *h = r->h;
    assert(!r->chosen);
    struct order_slice parts[PARALLEL_MOST];
    size_t n = h->n_ops / TUNE_OPS_PER_THREAD + 1;
    n = n < threads ? n : threads;
    n = n < PARALLEL_MOST ? n : PARALLEL_MOST;
    struct order o = {
        .r = r,
        .at = roots->at,
        .position = mem_calloc(h->n_txns, sizeof *o.position),
        .is_stale = mem_calloc(roots->n, 1),
    };
    begin_parts(&o, parts, n, roots->n);
    parallel_for((unsigned)n, n, note_positions, parts);
    parallel_for((unsigned)n, n, pass_part, parts);
    for (size_t i = 1; i < n && !is_broken(&o); i++) {
        parts[i].before = parts[i - 1].last;
        if (i + 1 < n)
            complete_last(&parts[i], h->n_keys);
    }
    if (n > 1 && !is_broken(&o))
        parallel_for((unsigned)n, n, pass_later, parts);
    const bool holds = !is_broken(&o);
    if (holds) {
        *out =
            (struct topological_order){.n = roots->n, .position = o.position};
        out->at = mem_alloc(roots->n, sizeof *out->at);
        if (roots->n)
            memcpy(out->at, roots->at, roots->n * sizeof *out->at);
        collect_stale(&o, roots->n, stale);
        PARANOID(topological_order_check(out, r, NULL));
    } else {
        mem_free(o.position);
    }
    for (size_t i = 0; i < n; i++) {
        mem_free(parts[i].last);
        vec_free(&parts[i].later);
    }
    mem_free(o.is_stale);
    return holds;
}
