/* verify_list_order.c -- see verify_list_order.h.
 *
 * SPDX-License-Identifier: MIT */
#include "verify/lists/verify_list_order.h"

#include "base/container/intmap.h"

static void
group_links(struct verify_list_order *l)
{
    const struct history *h = l->h;
    uint32_t n = 0;
    if (!h->links.n)
        return;
    l->first = mem_calloc((size_t)h->n_txns + 1, sizeof *l->first);
    l->link = mem_alloc(h->links.n, sizeof *l->link);
    for (size_t i = 0; i < h->links.n; i++)
        l->first[h->links.at[i].after]++;
    for (txn_id t = 0; t <= h->n_txns; t++) {
        n += l->first[t];
        l->first[t] = n; // where those of t end, so far
    }
    for (size_t i = h->links.n; i-- > 0;)
        l->link[--l->first[h->links.at[i].after]] = (uint32_t)i;
    assert(l->first[0] == 0 && l->first[h->n_txns] == h->links.n);
}

void
verify_list_order_init(struct verify_list_order *l, const struct history *h)
{
    *l = (struct verify_list_order){.h = h};
    group_links(l);
    if (!h->key_is_list)
        return;
    l->index = mem_calloc(h->n_values, sizeof *l->index);
    uint32_t *length = mem_calloc(h->n_keys, sizeof *length);
    for (txn_id t = 0; t < h->n_txns; t++)
        for (op_id op = h->txn_begin[t]; h->txn_counts[t] && op < h->txn_end[t];
             op++) {
            const struct list_seen seen = history_list_seen(h, op);
            uint32_t *const n = &length[op_key(h, op)];
            for (; *n < seen.n; ++*n)
                l->index[seen.at[*n]] = *n + 1;
        }
    mem_free(length);
}

void
verify_list_order_free(struct verify_list_order *l)
{
    mem_free(l->index);
    mem_free(l->first);
    mem_free(l->link);
    *l = (struct verify_list_order){0};
}

static bool
is_append(const struct history *h, op_id op)
{
    return op_is_write(h, op) && op_is_of_list(h, op);
}

#define EACH_LINK(l, t, k)                                                     \
    for (uint32_t i_##k = (l)->first[t]; i_##k < (l)->first[(t) + 1]; i_##k++) \
        for (const struct version_link *k =                                    \
                 &(l)->h->links.at[(l)->link[i_##k]];                          \
             k; k = NULL)

/* Whether versions of rows say that a comes before b. */
static bool
is_linked(const struct verify_list_order *l, txn_id a, txn_id b)
{
    const struct history *h = l->h;
    assert(a < h->n_txns && b < h->n_txns);
    const bool a_counts = h->txn_counts[a] == TXN_COUNTS;
    const bool b_counts = h->txn_counts[b] == TXN_COUNTS;
    if (!l->link || a == b)
        return false;
    EACH_LINK(l, b, of_b)
    {
        if (b_counts && of_b->before == a)
            return true;
        EACH_LINK(l, a, of_a)
        {
            if (a_counts && b_counts && of_a->key == of_b->key &&
                of_a->version == of_b->version)
                return true;
        }
    }
    EACH_LINK(l, a, of_a)
    {
        if (a_counts && of_a->before == b && of_a->is_overwritten)
            return true;
    }
    return false;
}

bool
verify_list_order_before(const struct verify_list_order *l, txn_id a, txn_id b)
{
    const struct history *h = l->h;
    if (is_linked(l, a, b))
        return true;
    if (!l->index)
        return false;
    for (op_id i = h->txn_begin[a]; i < h->txn_end[a]; i++) {
        const uint32_t first = l->index[h->op_value[i]];
        if (!is_append(h, i) || !first)
            continue;
        for (op_id j = h->txn_begin[b]; j < h->txn_end[b]; j++) {
            const uint32_t second = l->index[h->op_value[j]];
            if (is_append(h, j) && op_key(h, j) == op_key(h, i) &&
                (!second || first < second))
                return true;
        }
    }
    return false;
}

/* Append the elements of t.  reached[k] is the highest place of an element of
 * k that was appended; one that was not seen counts as beyond all. */
static bool
append(const struct verify_list_order *l, txn_id t, uint32_t *reached)
{
    const struct history *h = l->h;
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
        const uint32_t index = l->index[h->op_value[op]];
        if (is_append(h, op) && index && index < reached[op_key(h, op)])
            return false;
    }
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
        if (!is_append(h, op))
            continue;
        const uint32_t index = l->index[h->op_value[op]];
        const uint32_t place = index ? index : UINT32_MAX;
        uint32_t *const r = &reached[op_key(h, op)];
        *r = place > *r ? place : *r;
        assert(*r);
    }
    return true;
}

static bool
check_lists(const struct verify_list_order *l, const u32_vec *txns)
{
    if (!l->index)
        return true;
    uint32_t *reached = mem_calloc(l->h->n_keys, sizeof *reached);
    bool ok = true;
    for (size_t i = 0; ok && i < txns->n; i++)
        ok = append(l, txns->at[i], reached);
    mem_free(reached);
    return ok;
}

/* Whether each version comes after the one that it names, no two name the same
 * one, and none names one that its transaction replaced. */
static bool
check_links(const struct verify_list_order *l, const u32_vec *txns)
{
    const struct history *h = l->h;
    if (!l->link)
        return true;
    uint8_t *placed = mem_calloc(h->n_txns, sizeof *placed);
    struct intmap named = {0}; // of a version
    bool ok = true;
    for (size_t i = 0; ok && i < txns->n; i++) {
        const txn_id t = txns->at[i];
        EACH_LINK(l, t, link)
        {
            bool added;
            assert(link->after == t && link->before != t);
            intmap_add(&named, link->version, t, &added);
            ok = ok && added && !link->is_overwritten &&
                 (link->before == TXN_INIT || placed[link->before]);
        }
        placed[t] = 1;
    }
    intmap_free(&named);
    mem_free(placed);
    return ok;
}

bool
verify_list_order_check(const struct history *h, const u32_vec *order,
                        bool two_points, struct err *err)
{
    if (!h->key_is_list && !h->links.n)
        return true;
    struct verify_list_order l;
    u32_vec txns = {0}; // as they commit
    for (size_t i = 0; i < order->n; i++)
        if (!two_points || order->at[i] % 2)
            vec_push(&txns, two_points ? order->at[i] / 2 : order->at[i]);
    assert(txns.n == (two_points ? order->n / 2 : order->n));
    verify_list_order_init(&l, h);
    const bool lists = check_lists(&l, &txns);
    const bool links = check_links(&l, &txns);
    verify_list_order_free(&l);
    vec_free(&txns);
    if (!lists)
        return err_set(err, ERR_SYNTAX,
                       "the order contradicts the order of a list");
    return links ||
           err_set(err, ERR_SYNTAX,
                   "the order contradicts the order of the versions of a row");
}
