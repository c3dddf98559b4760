/* unchecked.c -- see unchecked.h.
 *
 * The two histories share everything that resolution leaves as it is.  The
 * macro below lists the rest, which each has for itself.
 *
 * SPDX-License-Identifier: MIT */
#include "history/unchecked.h"

/* Whether some operation is a read of a check. */
static bool
has_checks(const struct history *h)
{
    for (op_id op = 0; h->op_marks && op < h->n_ops; op++)
        if (h->op_marks[op] & OP_MARK_CHECK)
            return true;
    return false;
}

static void *
copy_array(const void *from, size_t n, size_t size)
{
    if (!from)
        return NULL;
    void *to = mem_alloc(n, size);
    memcpy(to, from, n * size);
    return to;
}

#define COPY_ARRAY(u, field, n)                                                \
    ((u)->field = copy_array((u)->field, (n), sizeof *(u)->field))

#define COPY_VEC(u, field)                                                     \
    do {                                                                       \
        const size_t n_ = (u)->field.n;                                        \
        const void *from_ = (u)->field.at;                                     \
        memset(&(u)->field, 0, sizeof(u)->field);                              \
        if (n_) {                                                              \
            vec_grow(&(u)->field, n_);                                         \
            memcpy((u)->field.at, from_, n_ * sizeof *(u)->field.at);          \
        }                                                                      \
    } while (0)

void
history_make_unchecked(struct history *h)
{
    assert(!h->txn_counts && !h->several.n); // not resolved yet
    if (!has_checks(h))
        return;
    struct history *u = mem_alloc(1, sizeof *u);
    *u = *h;
    u->ignores_checks = true;
    COPY_ARRAY(u, txn_status, h->n_txns);
    COPY_ARRAY(u, op_key, h->n_ops);
    COPY_ARRAY(u, op_value, h->n_ops);
    COPY_ARRAY(u, values, h->n_values);
    memset(&u->value_bits, 0, sizeof u->value_bits);
    for (value_id v = 0; v < h->n_values; v++)
        column_push(&u->value_bits, column_get(&h->value_bits, v));
    COPY_ARRAY(u, order_first, (size_t)h->n_keys + 1);
    COPY_VEC(u, order_items);
    COPY_VEC(u, list_reads);
    COPY_VEC(u, list_items);
    h->unchecked = u;
}

#define KEEP(field) now.field = u->field

void
history_share_unchecked(struct history *h)
{
    struct history *u = h->unchecked;
    if (!u)
        return;
    struct history now = *h;
    now.unchecked = NULL;
    KEEP(ignores_checks);
    KEEP(txn_status);
    KEEP(txn_counts);
    KEEP(n_optional);
    KEEP(op_key);
    KEEP(op_value);
    KEEP(n_values);
    KEEP(values);
    KEEP(value_bits);
    KEEP(several_first);
    KEEP(several);
    KEEP(order_first);
    KEEP(order_items);
    KEEP(list_items);
    memcpy(&now.list_reads, &u->list_reads, sizeof now.list_reads);
    *u = now;
}

void
history_free_unchecked(struct history *h)
{
    struct history *u = h->unchecked;
    if (!u)
        return;
    mem_free(u->txn_status);
    mem_free(u->txn_counts);
    mem_free(u->op_key);
    mem_free(u->op_value);
    mem_free(u->values);
    column_free(&u->value_bits);
    vec_free(&u->several_first);
    vec_free(&u->several);
    mem_free(u->order_first);
    vec_free(&u->order_items);
    vec_free(&u->list_reads);
    vec_free(&u->list_items);
    mem_free(u);
    h->unchecked = NULL;
}
