/* list_flaws.c -- see list_flaws.h.
 *
 * Lists that are prefixes of the order of their key need no check one by one.
 * They are consistent when the order is a sequence of runs, each of them all
 * that one transaction appended to the key, in program order.  Resolution and
 * implied_reads.c have checked that each list ends where a run does, and with
 * the reader's own elements.  So each key is checked once, and only where that
 * fails, each of its lists (list_flaw_kind.h).
 *
 * SPDX-License-Identifier: MIT */
#include "history/list/list_flaws.h"

#include "history/list/list_flaw_kind.h"

struct lists {
    struct list_appends a;
    uint32_t *length; // by key: how much of its order was read by transactions
                      // that count
    uint32_t *place;  // by value: its place in the order of its key, from 1
    uint8_t *wrong;   // by key: one of its lists may have a flaw
    size_t most, total;
    flaw_vec *out;
};

static void
find_appends(struct lists *l)
{
    const struct history *h = l->a.h;
    op_id *last = mem_alloc(h->n_keys, sizeof *last);
    memset(last, 0xff, h->n_keys * sizeof *last); // ID_NONE
    for (txn_id t = 0; t < h->n_txns; t++)
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
            l->a.owner[op] = t;
            if (h->txn_status[t] == TXN_ABORTED || !op_is_of_list(h, op))
                continue;
            const key_id k = op_key(h, op);
            if (h->txn_counts[t] && (h->op_key[op] & OP_REJECTED))
                l->wrong[k] = 1;
            if (!op_is_write(h, op))
                continue;
            l->a.append[h->op_value[op]] = op;
            const bool again = last[k] >= h->txn_begin[t] && last[k] < op;
            l->a.before[op] = again ? last[k] : ID_NONE;
            last[k] = op;
        }
    mem_free(last);
}

static void
find_lengths(struct lists *l)
{
    const struct history *h = l->a.h;
    for (size_t i = 0; i < h->list_reads.n; i++) {
        const struct list_read *r = &h->list_reads.at[i];
        const key_id k = op_key(h, r->op);
        if (!h->txn_counts[l->a.owner[r->op]])
            continue;
        l->wrong[k] |= r->own != ID_NONE;
        if (r->own == ID_NONE && r->length > l->length[k])
            l->length[k] = r->length;
    }
}

/* Whether an element may follow another, given their appends; 'previous' is
 * ID_NONE for the first element. */
static bool
may_follow(const struct lists *l, op_id append, op_id previous)
{
    if (append == ID_NONE)
        return false;
    if (previous != ID_NONE && l->a.owner[previous] == l->a.owner[append])
        return l->a.before[append] == previous;
    return l->a.before[append] == ID_NONE &&
           (previous == ID_NONE || op_is_final_write(l->a.h, previous));
}

static void
check_order(struct lists *l, key_id k)
{
    const value_id *items = l->a.h->order_items.at + l->a.h->order_first[k];
    op_id previous = ID_NONE;
    for (uint32_t i = 0; i < l->length[k]; i++) {
        const op_id append = l->a.append[items[i]];
        l->place[items[i]] = i + 1;
        if (!may_follow(l, append, previous))
            l->wrong[k] = 1;
        previous = append;
    }
}

/* Mark the keys with lists that show what t, their reader, appends only later.
 * Going backwards, first[k] is the first place of an element that t appends
 * later. */
static void
check_future(struct lists *l, txn_id t, uint32_t *first, u32_vec *keys)
{
    const struct history *h = l->a.h;
    vec_clear(keys);
    for (op_id op = h->txn_end[t]; op-- > h->txn_begin[t];) {
        if (!op_is_of_list(h, op))
            continue;
        const key_id k = op_key(h, op);
        if (!op_is_write(h, op)) {
            if (first[k] == UINT32_MAX)
                continue;
            const struct list_read *r = history_list_read(h, op);
            l->wrong[k] |= r && r->own == ID_NONE && first[k] <= r->length;
            continue;
        }
        const uint32_t place = l->place[h->op_value[op]];
        if (place && place < first[k]) {
            first[k] = place;
            vec_push(keys, k);
        }
    }
    for (size_t i = 0; i < keys->n; i++)
        first[keys->at[i]] = UINT32_MAX;
}

/* Fill in l->wrong; whether any key is. */
static bool
find_wrong(struct lists *l)
{
    const struct history *h = l->a.h;
    find_appends(l);
    find_lengths(l);
    for (key_id k = 0; k < h->n_keys; k++)
        check_order(l, k);
    uint32_t *first = mem_alloc(h->n_keys, sizeof *first);
    memset(first, 0xff, h->n_keys * sizeof *first); // UINT32_MAX
    u32_vec keys = {0};
    for (txn_id t = 0; t < h->n_txns; t++)
        if (h->txn_counts[t])
            check_future(l, t, first, &keys);
    vec_free(&keys);
    mem_free(first);
    bool any = false;
    for (key_id k = 0; k < h->n_keys; k++)
        any |= l->wrong[k];
    return any;
}

static void
add_flaws(struct lists *l)
{
    const struct history *h = l->a.h;
    struct flaw flaw;
    for (txn_id t = 0; t < h->n_txns; t++)
        for (op_id op = h->txn_begin[t]; h->txn_counts[t] && op < h->txn_end[t];
             op++)
            if (!op_is_write(h, op) && l->wrong[op_key(h, op)] &&
                !op_is_implied(h, op) &&
                list_flaw_kind_find(&l->a, op, &flaw) && l->total++ < l->most)
                vec_push(l->out, flaw);
    assert(l->total); // a key is wrong only where one of its lists is
}

size_t
list_flaws_find(const struct history *h, size_t most, flaw_vec *out)
{
    if (!h->key_is_list)
        return 0;
    struct lists l = {.a.h = h, .most = most, .out = out};
    l.a.owner = mem_alloc(h->n_ops, sizeof *l.a.owner);
    l.a.before = mem_alloc(h->n_ops, sizeof *l.a.before);
    l.a.append = mem_alloc(h->n_values, sizeof *l.a.append);
    memset(l.a.append, 0xff, h->n_values * sizeof *l.a.append); // ID_NONE
    l.place = mem_calloc(h->n_values, sizeof *l.place);
    l.a.stamp = mem_calloc(h->n_values, sizeof *l.a.stamp);
    l.length = mem_calloc(h->n_keys, sizeof *l.length);
    l.wrong = mem_calloc(h->n_keys, sizeof *l.wrong);
    if (find_wrong(&l))
        add_flaws(&l);
    mem_free(l.a.owner);
    mem_free(l.a.before);
    mem_free(l.a.append);
    mem_free(l.place);
    mem_free(l.a.stamp);
    mem_free(l.length);
    mem_free(l.wrong);
    return l.total;
}
