/* list_edges.c -- see list_edges.h.
 *
 * SPDX-License-Identifier: MIT */
#include "depend/list_edges.h"

#include "base/container/intmap.h"

#define AUTHORS_SEVERAL TXN_INIT // which appends nothing

/* All operations of the transactions that count or may count. */
#define EACH_COUNTING_OP(h, t, op)                                             \
    for (txn_id t = 0; t < (h)->n_txns; t++)                                   \
        if ((h)->txn_counts[t])                                                \
            for (op_id op = (h)->txn_begin[t]; op < (h)->txn_end[t]; op++)

/* --- places ----------------------------------------------------------------*/

/* Find by key how much of its order the reads show. */
static uint32_t *
find_lengths(const struct history *h)
{
    uint8_t *counts = mem_calloc(h->n_ops, sizeof *counts);
    uint32_t *length = mem_calloc(h->n_keys, sizeof *length);
    EACH_COUNTING_OP(h, t, op)
    counts[op] = 1;
    for (size_t i = 0; i < h->list_reads.n; i++) {
        const struct list_read *r = &h->list_reads.at[i];
        uint32_t *n = &length[op_key(h, r->op)];
        if (counts[r->op] && r->own == ID_NONE && r->length > *n)
            *n = r->length;
    }
    mem_free(counts);
    return length;
}

void
list_places_init(struct list_places *l, const struct history *h)
{
    *l = (struct list_places){.h = h};
    if (!h->order_first)
        return;
    uint32_t *length = find_lengths(h);
    l->place = mem_calloc(h->n_values, sizeof *l->place);
    for (key_id k = 0; k < h->n_keys; k++) {
        const value_id *items = h->order_items.at + h->order_first[k];
        assert(length[k] <= h->order_first[k + 1] - h->order_first[k]);
        for (uint32_t i = 0; i < length[k]; i++)
            l->place[items[i]] = i + 1;
    }
    mem_free(length);
}

void
list_places_free(struct list_places *l)
{
    mem_free(l->place);
    *l = (struct list_places){0};
}

static bool
is_append(const struct history *h, op_id op)
{
    return op_is_write(h, op) && op_is_of_list(h, op);
}

/* Whether two versions that name the same one as the one before are a's and
 * b's.
 */
static bool
name_the_same(const struct history *h, const struct version_link *of_a,
              txn_id b)
{
    for (size_t i = 0; i < h->links.n; i++)
        if (h->links.at[i].after == b && h->links.at[i].key == of_a->key &&
            h->links.at[i].version == of_a->version)
            return true;
    return false;
}

bool
list_places_link(const struct history *h, key_id k, txn_id a, txn_id b)
{
    assert(a != b);
    for (size_t i = 0; i < h->links.n; i++) {
        const struct version_link *link = &h->links.at[i];
        if (link->key != k || h->txn_counts[link->after] != TXN_COUNTS)
            continue;
        if ((link->before == a && link->after == b) ||
            (link->before == b && link->after == a && link->is_overwritten) ||
            (link->after == a && h->txn_counts[b] == TXN_COUNTS &&
             name_the_same(h, link, b)))
            return true;
    }
    return false;
}

bool
list_places_precede(const struct list_places *l, txn_id a, txn_id b)
{
    const struct history *h = l->h;
    assert(a < h->n_txns && b < h->n_txns);
    for (size_t i = 0; i < h->links.n; i++)
        if ((h->links.at[i].after == a || h->links.at[i].after == b) &&
            list_places_link(h, h->links.at[i].key, a, b))
            return true;
    if (!l->place)
        return false;
    for (op_id i = h->txn_begin[a]; i < h->txn_end[a]; i++) {
        const uint32_t first = l->place[h->op_value[i]];
        if (!is_append(h, i) || !first)
            continue;
        for (op_id j = h->txn_begin[b]; j < h->txn_end[b]; j++) {
            const uint32_t second = l->place[h->op_value[j]];
            if (is_append(h, j) && op_key(h, j) == op_key(h, i) &&
                (!second || first < second))
                return true;
        }
    }
    return false;
}

/* --- edges -----------------------------------------------------------------*/

/* Find by value the one transaction that appends it; TXN_NONE where none does,
 * AUTHORS_SEVERAL where several do. */
static txn_id *
find_authors(const struct history *h)
{
    txn_id *author = mem_alloc(h->n_values, sizeof *author);
    memset(author, 0xff, h->n_values * sizeof *author); // TXN_NONE
    EACH_COUNTING_OP(h, t, op)
    {
        txn_id *a = &author[h->op_value[op]];
        if (op_is_write(h, op))
            *a = *a == TXN_NONE || *a == t ? t : AUTHORS_SEVERAL;
    }
    return author;
}

/* Add the edges between the authors of the elements that reads show.  Returns
 * the author of the last one, or TXN_NONE. */
static txn_id
add_shown(const struct list_places *l, const txn_id *author, key_id k,
          list_edge_vec *out)
{
    const struct history *h = l->h;
    txn_id last = TXN_NONE;
    for (uint32_t i = h->order_first[k]; i < h->order_first[k + 1]; i++) {
        const value_id v = h->order_items.at[i];
        const txn_id t = author[v];
        if (!l->place[v])
            break; // nor is any after it
        if (t >= AUTHORS_SEVERAL || t == last)
            continue;
        if (last != TXN_NONE)
            vec_push(out, ((struct list_edge){last, t}));
        last = t;
    }
    return last;
}

/* Add the edges of versions of rows that name others, of transactions that
 * count. */
static void
add_links(const struct history *h, list_edge_vec *out)
{
    struct intmap namer = {0}; // of a version: the first that names it
    for (size_t i = 0; i < h->links.n; i++) {
        const struct version_link *link = &h->links.at[i];
        const txn_id t = link->after;
        bool added;
        if (h->txn_counts[t] != TXN_COUNTS)
            continue;
        if (link->before != TXN_INIT)
            vec_push(out, ((struct list_edge){link->before, t}));
        if (link->is_overwritten)
            vec_push(out, ((struct list_edge){t, link->before}));
        const txn_id other = intmap_add(&namer, link->version, t, &added);
        if (added || other == t)
            continue;
        vec_push(out, ((struct list_edge){other, t}));
        vec_push(out, ((struct list_edge){t, other}));
    }
    intmap_free(&namer);
}

void
list_edges_find(const struct history *h, list_edge_vec *out)
{
    add_links(h, out);
    if (!h->order_first)
        return;
    struct list_places l;
    list_places_init(&l, h);
    txn_id *author = find_authors(h);
    txn_id *last = mem_alloc(h->n_keys, sizeof *last);
    for (key_id k = 0; k < h->n_keys; k++)
        last[k] = add_shown(&l, author, k, out);
    EACH_COUNTING_OP(h, t, op)
    {
        const value_id v = h->op_value[op];
        const txn_id before = last[op_key(h, op)];
        if (op_is_write(h, op) && author[v] == t && !l.place[v] &&
            before != TXN_NONE && before != t)
            vec_push(out, ((struct list_edge){before, t}));
    }
    mem_free(last);
    mem_free(author);
    list_places_free(&l);
}
