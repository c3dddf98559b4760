/* flaw_ops.c -- see flaw_ops.h.
 *
 * SPDX-License-Identifier: MIT */
#include "explain/flaw_ops.h"

#include "base/container/sorted.h"
#include "explain/reduce/reduced_history.h"
#include "explain/reduce/subhistory.h"

enum { MOST_ELEMENTS = 8 }; // of a list, beside those of the flaw

static void
show_op(struct flaw_ops *e, txn_id t, op_id op)
{
    const struct history *h = e->h;
    if (t >= h->n_txns || op == ID_NONE)
        return;
    // A write of a row comes with all that it implies.
    const bool row = op_is_of_row(h, op) && op_is_write(h, op);
    const op_id last = row ? history_recorded(h, op) : op;
    op_id first = last;
    while (row && first > h->txn_begin[t] && op_is_write(h, first - 1) &&
           history_implied_by(h, first - 1) == last)
        first--;
    vec_push(&e->txns, t);
    for (op_id i = first; i <= last; i++)
        vec_push(&e->ops, i);
}

/* Show a write of the value by another transaction than 'reader', one that
 * counts, if there is one. */
static void
show_writer(struct flaw_ops *e, value_id v, txn_id reader)
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
show_overwriting(struct flaw_ops *e, txn_id t, op_id op)
{
    const struct history *h = e->h;
    for (; op < h->txn_end[t]; op++)
        if (op_is_final_write(h, op) &&
            op_key(h, op) == op_key(h, e->ops.at[0]))
            show_op(e, t, op);
}

/* By value: 1 where a transaction that counts wrote it. */
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

/* Elements that should not be visible are another kind of flaw, so those that
 * differ are looked for among the others first. */
static void
show_difference(struct flaw_ops *e, const struct flaw *f)
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
show_own_write(struct flaw_ops *e, const struct flaw *f)
{
    const struct history *h = e->h;
    for (op_id op = h->txn_begin[f->txn]; op < f->op; op++)
        if (op_is_write(h, op) && h->op_value[op] == f->value)
            show_op(e, f->txn, op);
}

/* Show all appends of t to the key of the list, before 'end'. */
static void
show_run(struct flaw_ops *e, const struct flaw *f, txn_id t, op_id end)
{
    const struct history *h = e->h;
    for (op_id op = h->txn_begin[t]; op < end; op++)
        if (op_is_write(h, op) && op_key(h, op) == op_key(h, f->op)) {
            vec_push(&e->values, h->op_value[op]);
            show_op(e, t, op);
        }
}

/* Show elements of the list from 'first' on, not too many, with who appended
 * them. */
static void
show_elements(struct flaw_ops *e, struct list_seen seen, size_t first,
              size_t end)
{
    for (size_t i = first; i < end && i < first + MOST_ELEMENTS; i++)
        show_writer(e, seen.at[i], TXN_NONE);
}

/* What the transaction of the other operation appended, and for a dirty write
 * what stands between. */
static void
show_broken_run(struct flaw_ops *e, const struct flaw *f)
{
    const struct list_seen seen = history_list_seen(e->h, f->op);
    const size_t before = e->values.n;
    show_run(e, f, f->other, e->h->txn_end[f->other]);
    size_t first = seen.n, last = 0;
    for (size_t i = 0; i < seen.n; i++)
        for (size_t j = before; j < e->values.n; j++)
            if (e->values.at[j] == seen.at[i]) {
                first = i < first ? i : first;
                last = i;
            }
    if (f->kind == FLAW_DIRTY_WRITE)
        show_elements(e, seen, first, last + 1);
}

/* What the reader had appended, and what the list ends with instead. */
static void
show_own_run(struct flaw_ops *e, const struct flaw *f)
{
    const struct list_seen seen = history_list_seen(e->h, f->op);
    const size_t before = e->values.n;
    show_run(e, f, f->txn, f->op);
    const size_t n = e->values.n - before;
    show_elements(e, seen, seen.n > n ? seen.n - n : 0, seen.n);
}

static void
gather_list(struct flaw_ops *e, const struct flaw *f)
{
    switch (f->kind) {
    case FLAW_NOT_OWN:
        show_own_run(e, f);
        break;
    case FLAW_NOT_LATEST:
    case FLAW_DIRTY_WRITE:
    case FLAW_LOST_APPEND:
        show_broken_run(e, f);
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

void
flaw_ops_gather(struct flaw_ops *e, const struct flaw *f)
{
    show_op(e, f->txn, f->op);
    if (f->kind != FLAW_INCOMPATIBLE)
        vec_push(&e->values, f->value);
    if (f->other != TXN_NONE)
        show_op(e, f->other, f->other_op);
    if (op_is_of_list(e->h, f->op)) {
        gather_list(e, f);
        return;
    }
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
    default:
        break;
    }
}

static bool
has_flaw(const struct history *h)
{
    flaw_vec flaws = {0};
    const size_t n = history_flaws(h, 1, &flaws);
    vec_free(&flaws);
    return n;
}

bool
flaw_ops_make(struct flaw_ops *e, struct reduced *out, struct err *err)
{
    sorted_unique(&e->txns);
    sorted_unique(&e->ops);
    sorted_unique(&e->values);
    vec_grow(&out->origin, e->txns.n);
    struct subhistory_selection selection = {.txns = e->txns.at,
                                             .n = e->txns.n,
                                             .only = e->ops.at,
                                             .n_only = e->ops.n,
                                             .elements = e->values.at,
                                             .n_elements = e->values.n,
                                             .inconsistent = true,
                                             .count = true};
    if (!subhistory_make(e->h, &selection, &out->h, out->origin.at, err))
        return false;
    if (has_flaw(&out->h))
        return true;
    history_free(&out->h);
    for (size_t i = 0; i < e->txns.n; i++)
        for (op_id op = e->h->txn_begin[e->txns.at[i]];
             op < e->h->txn_end[e->txns.at[i]]; op++)
            vec_push(&e->ops, op);
    sorted_unique(&e->ops);
    selection.only = e->ops.at;
    selection.n_only = e->ops.n;
    selection.elements = NULL;
    return subhistory_make(e->h, &selection, &out->h, out->origin.at, err);
}

bool
flaw_ops_complete(const struct flaw_ops *e, struct history *out,
                  struct err *err)
{
    for (int count = 0; count < 2; count++) {
        if (!reduced_history_make(e->h, e->ops.at, e->ops.n, &e->txns, count,
                                  out, err))
            return false;
        if (count || has_flaw(out))
            break;
        history_free(out);
    }
    return true;
}

void
flaw_ops_free(struct flaw_ops *e)
{
    vec_free(&e->txns);
    vec_free(&e->ops);
    vec_free(&e->values);
}
