/* narrate_flaw.c -- an inconsistent read as an anomaly; see narrate_flaw.h.
 *
 * No engine is needed: the read itself is wrong, whatever the order.  The
 * reduced history is the read, the write that it saw or should have seen, and
 * the writes that make it what it is.  Of two lists that contradict each other
 * only the first elements that differ stay.
 *
 * SPDX-License-Identifier: MIT */
#include "explain/narrate/narrate_flaw.h"

#include "explain/flaw_ops.h"
#include "explain/lost_commit.h"
#include "history/flaw_text.h"
#include "history/row/row_text.h"

// flaw_kind -> anomaly_kind
static const enum anomaly_kind kinds[FLAW_KINDS] = {
    [FLAW_THIN_AIR] = ANOMALY_THIN_AIR,
    [FLAW_ABORTED] = ANOMALY_ABORTED,
    [FLAW_FUTURE] = ANOMALY_FUTURE,
    [FLAW_NOT_OWN] = ANOMALY_NOT_OWN,
    [FLAW_NOT_LATEST] = ANOMALY_NOT_LATEST,
    [FLAW_INCOMPATIBLE] = ANOMALY_INCOMPATIBLE,
    [FLAW_DUPLICATE] = ANOMALY_DUPLICATE,
    [FLAW_DIRTY_WRITE] = ANOMALY_DIRTY_WRITE,
    [FLAW_LOST_APPEND] = ANOMALY_LOST_APPEND,
};

/* Whether a query missed a row that nothing explains. */
static bool
misses_row(const struct history *h, const struct flaw *f)
{
    return row_text_condition(h, op_key(h, f->op)) &&
           (f->kind == FLAW_THIN_AIR || f->kind == FLAW_NOT_OWN);
}

static const char *
list_rule(enum flaw_kind kind)
{
    return kind == FLAW_NOT_OWN
               ? "What a transaction appended to a list before it reads it is "
                 "the end of what it reads"
           : kind == FLAW_NOT_LATEST
               ? "A list has all that another transaction appended to it, or "
                 "nothing of it"
               : NULL;
}

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
    [FLAW_DIRTY_WRITE] = "What a transaction appends to a list stands together "
                         "and in the order in which it appended",
    [FLAW_LOST_APPEND] = "A list has all that a transaction appended to it, or "
                         "nothing of it",
};

/* The write that was seen, as an edge. */
static void
add_edge(struct narration *t, const struct flaw *f)
{
    uint32_t from = ANOMALY_NONE, to = ANOMALY_NONE;
    for (txn_id i = 0; i < t->h->n_txns; i++) {
        from = t->origin[i] == f->other ? i : from;
        to = t->origin[i] == f->txn ? i : to;
    }
    if (from == ANOMALY_NONE || to == ANOMALY_NONE || from == to ||
        f->kind == FLAW_INCOMPATIBLE)
        return;
    struct anomaly_edge e = {.from = from,
                             .to = to,
                             .from_op = ANOMALY_NONE,
                             .to_op = ANOMALY_NONE,
                             .kind = EDGE_WR,
                             .reason = t->a->story};
    const struct anomaly_txn *writer = &t->a->txns.at[from];
    const struct anomaly_txn *reader = &t->a->txns.at[to];
    for (uint32_t i = 0; i < writer->n_ops; i++)
        if (writer->ops[i].is_write && writer->ops[i].matters &&
            e.from_op == ANOMALY_NONE)
            e.from_op = i;
    for (uint32_t i = 0; i < reader->n_ops; i++)
        if (!reader->ops[i].is_write && reader->ops[i].matters)
            e.to_op = i;
    history_show_key(t->whole, op_key(t->whole, f->op), &t->b);
    e.key = e.key_id = narrate_keep(t);
    vec_push(&t->a->edges, e);
}

/* The operation of the reduced history that is op of the whole, or ID_NONE. */
static op_id
find_told(const struct narration *t, op_id op)
{
    for (op_id i = 0; i < t->h->n_ops; i++)
        if (t->whole_op[i] == op)
            return i;
    return ID_NONE;
}

/* What happened; a list is shown with the elements that matter.  'lost' is a
 * transaction whose commit is gone, or TXN_NONE. */
static void
tell_flaw(struct narration *t, const struct flaw *f, txn_id lost)
{
    const struct history *h = t->whole;
    struct buf *b = &t->b;
    flaw_text_begin(h, f, narrate_name, b);
    if (op_is_of_list(h, f->op)) {
        buf_text(b, "r(");
        history_show_key(h, op_key(h, f->op), b);
        buf_text(b, ", ");
        narrate_list(t, f->op, find_told(t, f->op));
        buf_char(b, ')');
    } else {
        history_show_op(h, f->op, b);
    }
    flaw_text_end(h, f, narrate_name, b);
    if (lost != TXN_NONE) {
        buf_text(b, "; the commit of ");
        narrate_name(h, lost, b);
        buf_text(b, ", which had appended to it, was acknowledged before, and "
                    "no transaction that began later saw it");
    }
    t->a->story = narrate_keep(t);
}

/* The steps: what happened, the rule that it breaks, and the conclusion. */
static void
add_steps(struct anomaly *a, const struct history *h, const struct flaw *f)
{
    const char *rule = op_is_of_list(h, f->op) ? list_rule(f->kind)
                       : misses_row(h, f) ? "A query returns every row that "
                                            "matches what it asks for"
                                          : NULL;
    const struct anomaly_step steps[] = {
        {a->story, 0, a->edges.n ? 0 : ANOMALY_NONE},
        {rule ? rule : rules[f->kind], 0, ANOMALY_NONE},
        {"So no order of the transactions explains this read, and every level "
         "is violated",
         0, ANOMALY_NONE},
    };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        vec_push(&a->steps, steps[i]);
}

static void
tell_headline(struct narration *t, const struct flaw *f)
{
    struct anomaly *a = t->a;
    history_show_key(t->whole, op_key(t->whole, f->op), &t->b);
    const char *key = narrate_keep(t);
    buf_printf(&t->b, "%s on key %s", anomaly_table[a->kind].title, key);
    narrate_size(t);
    a->headline = narrate_keep(t);
}

bool
narrate_flaw(const struct history *h, const struct flaw *f, enum level level,
             size_t context, struct anomaly *a, struct err *err)
{
    struct flaw_ops e = {.h = h};
    struct reduced r = {0};
    flaw_ops_gather(&e, f);
    if (!flaw_ops_make(&e, &r, err)) {
        flaw_ops_free(&e);
        vec_free(&r.origin);
        return false;
    }
    const txn_id lost =
        f->kind == FLAW_INCOMPATIBLE
            ? lost_commit_of_lists(h, f->txn, f->op, f->other, f->other_op)
            : TXN_NONE;
    *a = (struct anomaly){.kind = lost != TXN_NONE   ? ANOMALY_LOST_COMMIT
                                  : misses_row(h, f) ? ANOMALY_MISSING_ROW
                                                     : kinds[f->kind],
                          .level = level};
    struct narration t = {.a = a,
                          .whole = h,
                          .h = &r.h,
                          .origin = r.origin.at,
                          .level = level_lowest(level_weak())};
    narrate_map_ops(&t, e.ops.at, e.ops.n);
    narrate_txns(&t, false, context);
    tell_flaw(&t, f, lost);
    add_edge(&t, f);
    add_steps(a, h, f);
    a->edges_in_words = "";
    a->also = anomaly_table[kinds[f->kind]].elle;
    a->violated = level_untimed() | level_bit(level);
    tell_headline(&t, f);
    buf_free(&t.b);
    vec_free(&r.origin);
    bool ok = true;
    if (op_is_of_list(h, f->op) || h->rows) {
        ok = flaw_ops_complete(&e, &a->reduced, err);
        history_free(&r.h);
    } else {
        a->reduced = r.h;
    }
    flaw_ops_free(&e);
    return ok;
}
