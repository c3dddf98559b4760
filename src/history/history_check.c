/* history_check.c -- see history_check.h.
 *
 * Slow and obvious on purpose: every statement is checked by a pass of its own,
 * and none uses what resolution computed on the way.
 *
 * SPDX-License-Identifier: MIT */
#include "history/history_check.h"

#include "base/paranoid.h"

#include <stdlib.h>

/* --- layout ----------------------------------------------------------------*/

static void
check_sessions(const struct history *h)
{
    ENSURE(h->session_first[0] == 0);
    ENSURE(h->session_first[h->n_sessions] == h->n_txns);
    for (session_id s = 0; s < h->n_sessions; s++) {
        ENSURE(h->session_first[s] <= h->session_first[s + 1]);
        for (txn_id t = h->session_first[s]; t < h->session_first[s + 1]; t++)
            ENSURE(h->txn_session[t] == s);
    }
}

/* Every transaction arrived once, and every operation is of one transaction. */
static void
check_ranges(const struct history *h)
{
    uint8_t *arrived = mem_calloc(h->n_txns, sizeof *arrived);
    uint8_t *owned = mem_calloc(h->n_ops, sizeof *owned);
    for (txn_id i = 0; i < h->n_txns; i++) {
        const txn_id t = h->arrival[i];
        ENSURE(t < h->n_txns && !arrived[t]);
        arrived[t] = 1;
        ENSURE(h->txn_begin[t] <= h->txn_end[t] && h->txn_end[t] <= h->n_ops);
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
            ENSURE(!owned[op]);
            owned[op] = 1;
        }
    }
    for (op_id op = 0; op < h->n_ops; op++)
        ENSURE(owned[op]);
    mem_free(owned);
    mem_free(arrived);
}

static void
check_ops(const struct history *h)
{
    for (op_id op = 0; op < h->n_ops; op++) {
        const value_id v = h->op_value[op];
        ENSURE(op_key(h, op) < h->n_keys && v < h->n_values);
        ENSURE(v == VALUE_INIT || (h->values[v].key & OP_KEY) == op_key(h, op));
        ENSURE(!(h->op_key[op] & OP_REJECTED) || !op_is_write(h, op)); // (H2)
    }
}

struct pair {
    uint32_t key; // with the tag of the value
    uint64_t bits;
};

static int
compare_pairs(const void *x, const void *y)
{
    const struct pair *a = x, *b = y;
    return a->key != b->key ? (a->key < b->key ? -1 : 1)
                            : (a->bits > b->bits) - (a->bits < b->bits);
}

/* A pair of key and value has one id; two would be read past each other. */
static void
check_values(const struct history *h)
{
    struct pair *pairs = mem_alloc(h->n_values, sizeof *pairs);
    size_t n = 0;
    for (value_id v = 1; v < h->n_values; v++)
        if (!h->key_is_list || !h->key_is_list[h->values[v].key & OP_KEY])
            pairs[n++] =
                (struct pair){h->values[v].key, column_get(&h->value_bits, v)};
    qsort(pairs, n, sizeof *pairs, compare_pairs);
    for (size_t i = 1; i < n; i++)
        ENSURE(compare_pairs(&pairs[i - 1], &pairs[i]) != 0);
    mem_free(pairs);
}

static void
check_lists(const struct history *h)
{
    for (size_t i = 0; i < h->list_reads.n; i++) {
        const struct list_read *r = &h->list_reads.at[i];
        const key_id k = op_key(h, r->op);
        ENSURE(!i || h->list_reads.at[i - 1].op < r->op);
        ENSURE(!op_is_write(h, r->op) && h->key_is_list[k] && r->length);
        if (r->own == ID_NONE)
            ENSURE(r->length <= h->order_first[k + 1] - h->order_first[k]);
        else
            ENSURE(r->own + r->length <= h->list_items.n);
        ENSURE(history_list_seen(h, r->op).at[r->length - 1] ==
               h->op_value[r->op]);
    }
    for (size_t i = 0; i < h->implied.n; i++) {
        ENSURE(!i || h->implied.at[i - 1].op < h->implied.at[i].op);
        ENSURE(h->implied.at[i].op < h->implied.at[i].whole);
    }
}

/* --- writers
 * ----------------------------------------------------------------*/

/* TXN_INIT first where it is there, then ascending, and no repetition. */
static void
check_candidates(const struct history *h, value_id v)
{
    const struct txn_range all = history_candidates(h, v);
    ENSURE(all.n > 1);
    for (size_t i = 0; i < all.n; i++) {
        if (i == 0 && all.at[i] == TXN_INIT)
            continue;
        ENSURE(all.at[i] < h->n_txns && h->txn_counts[all.at[i]]);
        ENSURE(!i || all.at[i - 1] == TXN_INIT || all.at[i - 1] < all.at[i]);
    }
}

static bool
is_writer(const struct history *h, value_id v, txn_id t)
{
    if (!history_has_several(h, v))
        return history_writer(h, v) == t;
    const struct txn_range all = history_candidates(h, v);
    for (size_t i = 0; i < all.n; i++)
        if (all.at[i] == t)
            return true;
    return false;
}

/* The writers of each value are the transactions that count or may count with a
 * final write of it: each is one, and there are no others. */
static void
check_writers(const struct history *h)
{
    uint32_t *n = mem_calloc(h->n_values, sizeof *n);
    for (txn_id t = 0; t < h->n_txns; t++)
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
            if (h->txn_status[t] != TXN_LOADING && op_is_write(h, op))
                ENSURE(h->op_value[op] != VALUE_INIT); // (H3)
            if (!h->txn_counts[t] || !op_is_final_write(h, op))
                continue;
            ENSURE(is_writer(h, h->op_value[op], t));
            n[h->op_value[op]]++;
        }
    for (value_id v = 1; v < h->n_values; v++) {
        const txn_id w = history_writer(h, v);
        if (history_has_several(h, v)) {
            check_candidates(h, v);
            const struct txn_range all = history_candidates(h, v);
            ENSURE(n[v] == all.n - (all.at[0] == TXN_INIT));
        } else {
            ENSURE(n[v] == (w != TXN_NONE && w != TXN_INIT));
        }
    }
    mem_free(n);
}

/* (H1) */
static void
check_reads(const struct history *h)
{
    for (txn_id t = 0; t < h->n_txns; t++)
        for (op_id op = h->txn_begin[t]; h->txn_counts[t] && op < h->txn_end[t];
             op++) {
            const value_id v = h->op_value[op];
            if (!op_is_external_read(h, op))
                continue;
            ENSURE(history_writer(h, v) != TXN_NONE);
            ENSURE(history_has_several(h, v) || history_writer(h, v) != t);
        }
}

/* --- transactions that may count -------------------------------------------
 */

/* Whether t writes a value that is read by another that counts or may count. */
static bool
is_needed(const struct history *h, const uint8_t *read, txn_id t)
{
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
        if (op_is_write(h, op) && read[h->op_value[op]])
            return true;
    return false;
}

/* (H5).  Where the recording was cut, a read of a value whose writer may be
 * lost is rejected. */
static void
check_optional(const struct history *h)
{
    uint8_t *read = mem_calloc(h->n_values, sizeof *read);
    for (txn_id t = 0; t < h->n_txns; t++)
        for (op_id op = h->txn_begin[t]; h->txn_counts[t] && op < h->txn_end[t];
             op++)
            if (op_is_external_read(h, op))
                read[h->op_value[op]] = 1;
    uint32_t n = 0;
    for (txn_id t = 0; t < h->n_txns; t++) {
        if (h->txn_counts[t] != TXN_MAY_COUNT)
            continue;
        n++;
        ENSURE(h->txn_status[t] == TXN_INDETERMINATE);
        ENSURE(is_needed(h, read, t));
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
            ENSURE(h->is_cut || !(h->op_key[op] & OP_REJECTED));
    }
    ENSURE(n == h->n_optional && (!n || h->several.n));
    mem_free(read);
}

void
history_check(const struct history *h)
{
    check_sessions(h);
    check_ranges(h);
    check_ops(h);
    check_values(h);
    if (h->key_is_list)
        check_lists(h);
    check_writers(h);
    check_reads(h);
    check_optional(h);
}
