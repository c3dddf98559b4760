/* told_flaw.c -- an inconsistent read as an anomaly; see told_flaw.h.
 *
 * No engine is needed: the read itself is wrong, whatever the order.  The
 * reduced history is the read, the write that it saw or should have seen, and
 * the writes that make it what it is.  Of two lists that contradict each other
 * only the first elements that differ stay.
 *
 * SPDX-License-Identifier: MIT */
#include "explain/told_flaw.h"

#include "explain/part.h"

#include <stdlib.h>

// flaw_kind -> anomaly_kind
static const enum anomaly_kind kinds[FLAW_KINDS] = {
    [FLAW_THIN_AIR] = ANOMALY_THIN_AIR,
    [FLAW_ABORTED] = ANOMALY_ABORTED,
    [FLAW_FUTURE] = ANOMALY_FUTURE,
    [FLAW_NOT_OWN] = ANOMALY_NOT_OWN,
    [FLAW_NOT_LATEST] = ANOMALY_NOT_LATEST,
    [FLAW_INCOMPATIBLE] = ANOMALY_INCOMPATIBLE,
    [FLAW_DUPLICATE] = ANOMALY_DUPLICATE,
};

static const char *const rules[FLAW_KINDS] = {
    [FLAW_THIN_AIR] = "A read returns the initial value or what a transaction "
                      "wrote",
    [FLAW_ABORTED] = "What an aborted transaction wrote is never seen",
    [FLAW_FUTURE] = "A transaction does not see what it will write later",
    [FLAW_NOT_OWN] = "After its own write a transaction sees that write until "
                     "it writes the key again",
    [FLAW_NOT_LATEST] = "Only the last write of a key in a transaction is seen "
                        "after it",
    [FLAW_INCOMPATIBLE] = "Elements are only appended, so of two states of a "
                          "list one begins with the other",
    [FLAW_DUPLICATE] = "Every element was appended once",
};

/* The operations that make the flaw. */
struct exhibit {
    const struct history *h;
    u32_vec txns, ops;
};

static void
show_op(struct exhibit *e, txn_id t, op_id op)
{
    if (t >= e->h->n_txns || op == ID_NONE)
        return;
    vec_push(&e->txns, t);
    vec_push(&e->ops, op);
}

/* Show a write of the value by somebody other than 'reader', and the last
 * write of the key by the same transaction. */
static void
show_writer(struct exhibit *e, value_id v, txn_id reader)
{
    const struct history *h = e->h;
    txn_id w = history_writer(h, v);
    if (history_has_several(h, v)) {
        const struct txn_range all = history_candidates(h, v);
        for (size_t i = 0; i < all.n; i++)
            if (all.at[i] != reader)
                w = all.at[i];
    }
    if (w >= h->n_txns)
        return;
    for (op_id op = h->txn_begin[w]; op < h->txn_end[w]; op++)
        if (op_is_write(h, op) && h->op_value[op] == v)
            show_op(e, w, op);
}

/* Show every write of the key by t from op on. */
static void
show_overwriting(struct exhibit *e, txn_id t, op_id op)
{
    const struct history *h = e->h;
    for (; op < h->txn_end[t]; op++)
        if (op_is_final_write(h, op) &&
            op_key(h, op) == op_key(h, e->ops.at[0]))
            show_op(e, t, op);
}

static void
show_difference(struct exhibit *e, const struct flaw *f)
{
    const struct list_seen a = history_list_seen(e->h, f->op);
    const struct list_seen b = history_list_seen(e->h, f->other_op);
    size_t i = 0;
    while (i < a.n && i < b.n && a.at[i] == b.at[i])
        i++;
    if (i < a.n)
        show_writer(e, a.at[i], TXN_NONE);
    if (i < b.n)
        show_writer(e, b.at[i], TXN_NONE);
}

/* The earlier write of the value that f's own transaction had overwritten. */
static void
show_own_write(struct exhibit *e, const struct flaw *f)
{
    const struct history *h = e->h;
    for (op_id op = h->txn_begin[f->txn]; op < f->op; op++)
        if (op_is_write(h, op) && h->op_value[op] == f->value)
            show_op(e, f->txn, op);
}

static void
gather(struct exhibit *e, const struct flaw *f)
{
    show_op(e, f->txn, f->op);
    if (f->other != TXN_NONE)
        show_op(e, f->other, f->other_op);
    switch (f->kind) {
    case FLAW_NOT_OWN:
        show_writer(e, f->value, f->txn);
        break;
    case FLAW_NOT_LATEST:
        if (f->other == f->txn)
            show_own_write(e, f);
        else
            show_overwriting(e, f->other, f->other_op + 1);
        break;
    case FLAW_INCOMPATIBLE:
        if (f->other_op != ID_NONE)
            show_difference(e, f);
        break;
    case FLAW_DUPLICATE:
        show_writer(e, f->value, TXN_NONE);
        break;
    default:
        break;
    }
}

static int
compare_ids(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void
sort_and_unite(u32_vec *v)
{
    qsort(v->at, v->n, sizeof *v->at, compare_ids);
    size_t n = 1;
    for (size_t i = 1; i < v->n; i++)
        if (v->at[i] != v->at[n - 1])
            v->at[n++] = v->at[i];
    v->n = n;
}

static bool
has_flaw(const struct history *h)
{
    flaw_vec flaws = {0};
    const size_t n = history_flaws(h, 1, &flaws);
    vec_free(&flaws);
    return n;
}

/* The reduced history; should the operations shown not make the flaw, with all
 * operations of their transactions. */
static bool
make_exhibit(struct exhibit *e, struct reduced *out, struct err *err)
{
    sort_and_unite(&e->txns);
    sort_and_unite(&e->ops);
    vec_grow(&out->origin, e->txns.n);
    struct part_wish wish = {.txns = e->txns.at,
                             .n = e->txns.n,
                             .only = e->ops.at,
                             .n_only = e->ops.n,
                             .inconsistent = true};
    if (!part_make(e->h, &wish, &out->h, out->origin.at, err))
        return false;
    if (has_flaw(&out->h))
        return true;
    history_free(&out->h);
    wish.only = NULL;
    return part_make(e->h, &wish, &out->h, out->origin.at, err);
}

/* The write that was seen, as an edge. */
static void
add_edge(struct told *t, const struct flaw *f)
{
    uint32_t from = TOLD_NONE, to = TOLD_NONE;
    for (txn_id i = 0; i < t->h->n_txns; i++) {
        from = t->origin[i] == f->other ? i : from;
        to = t->origin[i] == f->txn ? i : to;
    }
    if (from == TOLD_NONE || to == TOLD_NONE || from == to ||
        f->kind == FLAW_INCOMPATIBLE)
        return;
    struct told_edge e = {.from = from,
                          .to = to,
                          .from_op = TOLD_NONE,
                          .to_op = TOLD_NONE,
                          .kind = EDGE_WR,
                          .reason = t->a->story};
    const struct told_txn *writer = &t->a->txns.at[from];
    const struct told_txn *reader = &t->a->txns.at[to];
    for (uint32_t i = 0; i < writer->n_ops; i++)
        if (writer->ops[i].is_write && writer->ops[i].matters &&
            e.from_op == TOLD_NONE)
            e.from_op = i;
    for (uint32_t i = 0; i < reader->n_ops; i++)
        if (!reader->ops[i].is_write && reader->ops[i].matters)
            e.to_op = i;
    history_show_key(t->whole, op_key(t->whole, f->op), &t->b);
    e.key = e.key_id = told_keep(t);
    vec_push(&t->a->edges, e);
}

bool
told_flaw(const struct history *h, const struct flaw *f, enum level level,
          size_t context, struct anomaly *a, struct err *err)
{
    struct exhibit e = {.h = h};
    struct reduced r = {0};
    gather(&e, f);
    const bool ok = make_exhibit(&e, &r, err);
    vec_free(&e.txns);
    vec_free(&e.ops);
    if (!ok) {
        vec_free(&r.origin);
        return false;
    }
    *a = (struct anomaly){.kind = kinds[f->kind], .level = level};
    struct told t = {.a = a,
                     .whole = h,
                     .h = &r.h,
                     .origin = r.origin.at,
                     .level = LEVEL_READS};
    told_txns(&t, false, context);
    flaw_tell(h, f, &t.b);
    a->story = told_keep(&t);
    add_edge(&t, f);
    const struct told_step steps[] = {
        {a->story, 0, a->edges.n ? 0 : TOLD_NONE},
        {rules[f->kind], 0, TOLD_NONE},
        {"So no order of the transactions explains this read, and every level "
         "is violated",
         0, TOLD_NONE},
    };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        vec_push(&a->steps, steps[i]);
    a->edges_in_words = "";
    a->also = anomaly_table[a->kind].elle;
    a->violated = level_implied(LEVEL_SER) | 1u << level;
    const key_id whole_key = op_key(h, f->op);
    history_show_key(h, whole_key, &t.b);
    const char *key = told_keep(&t);
    buf_printf(&t.b, "%s on key %s, %zu transaction%s",
               anomaly_table[a->kind].title, key, a->blamed,
               a->blamed == 1 ? "" : "s");
    a->headline = told_keep(&t);
    buf_free(&t.b);
    vec_free(&r.origin);
    a->reduced = r.h;
    return true;
}
