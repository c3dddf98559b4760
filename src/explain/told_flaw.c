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
    u32_vec values; // elements of lists that matter
};

static void
show_op(struct exhibit *e, txn_id t, op_id op)
{
    if (t >= e->h->n_txns || op == ID_NONE)
        return;
    vec_push(&e->txns, t);
    vec_push(&e->ops, op);
}

/* Show a write of the value by somebody other than 'reader': by one who
 * counts, if there is one. */
static void
show_writer(struct exhibit *e, value_id v, txn_id reader)
{
    const struct history *h = e->h;
    txn_id writer = TXN_NONE;
    op_id write = ID_NONE;
    for (txn_id t = 0; t < h->n_txns; t++)
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
            if (op_is_write(h, op) && h->op_value[op] == v && t != reader &&
                (writer == TXN_NONE || !h->txn_counts[writer])) {
                writer = t;
                write = op;
            }
    vec_push(&e->values, v);
    show_op(e, writer, write);
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

/* By value: 1 where somebody who counts wrote it. */
static uint8_t *
find_written(const struct history *h)
{
    uint8_t *written = mem_calloc(h->n_values, sizeof *written);
    for (txn_id t = 0; t < h->n_txns; t++)
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
            if (h->txn_counts[t] && op_is_write(h, op))
                written[h->op_value[op]] = 1;
    return written;
}

/* Find the first elements that differ, of those in 'only' where that is not
 * NULL; false where one list begins with the other. */
static bool
find_difference(struct list_seen a, struct list_seen b, const uint8_t *only,
                value_id out[2])
{
    size_t i = 0, j = 0;
    for (;; i++, j++) {
        while (i < a.n && only && !only[a.at[i]])
            i++;
        while (j < b.n && only && !only[b.at[j]])
            j++;
        if (i == a.n || j == b.n || a.at[i] != b.at[j])
            break;
    }
    if (i == a.n || j == b.n)
        return false;
    out[0] = a.at[i];
    out[1] = b.at[j];
    return true;
}

/* Elements that nobody should have seen are another matter, so those that
 * differ are looked for among the others first. */
static void
show_difference(struct exhibit *e, const struct flaw *f)
{
    const struct list_seen a = history_list_seen(e->h, f->op);
    const struct list_seen b = history_list_seen(e->h, f->other_op);
    uint8_t *written = find_written(e->h);
    value_id differ[2];
    if (find_difference(a, b, written, differ) ||
        find_difference(a, b, NULL, differ)) {
        show_writer(e, differ[0], TXN_NONE);
        show_writer(e, differ[1], TXN_NONE);
    }
    mem_free(written);
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
    if (f->kind != FLAW_INCOMPATIBLE)
        vec_push(&e->values, f->value);
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
    if (!v->n)
        return;
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
    sort_and_unite(&e->values);
    vec_grow(&out->origin, e->txns.n);
    struct part_wish wish = {.txns = e->txns.at,
                             .n = e->txns.n,
                             .only = e->ops.at,
                             .n_only = e->ops.n,
                             .elements = e->values.at,
                             .n_elements = e->values.n,
                             .inconsistent = true};
    if (!part_make(e->h, &wish, &out->h, out->origin.at, err))
        return false;
    if (has_flaw(&out->h))
        return true;
    history_free(&out->h);
    for (size_t i = 0; i < e->txns.n; i++)
        for (op_id op = e->h->txn_begin[e->txns.at[i]];
             op < e->h->txn_end[e->txns.at[i]]; op++)
            vec_push(&e->ops, op);
    sort_and_unite(&e->ops);
    wish.only = e->ops.at;
    wish.n_only = e->ops.n;
    wish.elements = NULL;
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

/* What happened.  history/consistency.h says the same for one line on a
 * terminal; here transactions are named as everywhere in an explanation. */
static void
tell_flaw(struct told *t, const struct flaw *f)
{
    const struct history *h = t->whole;
    struct buf *b = &t->b;
    told_name(h, f->txn, b);
    buf_text(b, " did ");
    if (f->kind == FLAW_NOT_OWN) {
        history_show_op(h, f->other_op, b);
        buf_text(b, " and then ");
    }
    history_show_op(h, f->op, b);
    switch (f->kind) {
    case FLAW_THIN_AIR:
    case FLAW_ABORTED:
        if (f->value != h->op_value[f->op]) {
            buf_text(b, " with the element ");
            history_show_value(h, f->value, b);
        }
        buf_text(b,
                 f->kind == FLAW_THIN_AIR ? ", which nobody wrote" : ", but ");
        if (f->kind == FLAW_ABORTED) {
            told_name(h, f->other, b);
            buf_text(b, ", which wrote that, aborted");
        }
        break;
    case FLAW_FUTURE:
        buf_text(b, " before it wrote that value itself, and nobody else did");
        break;
    case FLAW_NOT_OWN:
        buf_text(b, ", which is not what it had written");
        break;
    case FLAW_NOT_LATEST:
        if (f->other == f->txn) {
            buf_text(b, ", which it had overwritten with ");
            history_show_op(h, f->other_op, b);
        } else {
            buf_text(b, ", but that is not the last write of the key by ");
            told_name(h, f->other, b);
        }
        break;
    case FLAW_INCOMPATIBLE:
        if (f->other == TXN_NONE)
            break;
        buf_text(b, ", and ");
        told_name(h, f->other, b);
        buf_text(b, " did ");
        history_show_op(h, f->other_op, b);
        buf_text(b, ": neither list begins with the other");
        break;
    default:
        buf_text(b, ", in which ");
        history_show_value(h, f->value, b);
        buf_text(b, " stands twice");
        break;
    }
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
    vec_free(&e.values);
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
    tell_flaw(&t, f);
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
