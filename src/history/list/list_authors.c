/* list_authors.c -- see list_authors.h.
 *
 * Appends of aborted transactions are no candidates and keep their value ids,
 * so that a list which shows one is reported as an aborted read.
 *
 * SPDX-License-Identifier: MIT */
#include "history/list/list_authors.h"

struct choosing {
    struct history *h;
    txn_id *first;    // by value: the first transaction that appends it
    uint32_t *number; // by value: 1 + its place in 'repeated', 0 = not there
    u32_vec repeated; // values that were appended more than once
    VEC(u32_vec) candidates; // the transactions that did, each once
    VEC(uint8_t) shown;      // a list shows it
};

#define EACH_APPEND(h, t, op)                                                  \
    for (txn_id t = 0; t < (h)->n_txns; t++)                                   \
        if ((h)->txn_status[t] != TXN_ABORTED)                                 \
            for (op_id op = (h)->txn_begin[t]; op < (h)->txn_end[t]; op++)     \
                if (op_is_write((h), op) && op_is_of_list((h), op))

static void
find_repeated(struct choosing *c)
{
    const struct history *h = c->h;
    c->first = mem_alloc(h->n_values, sizeof *c->first);
    memset(c->first, 0xff, h->n_values * sizeof *c->first); // TXN_NONE
    c->number = mem_calloc(h->n_values, sizeof *c->number);
    EACH_APPEND(h, t, op)
    {
        const value_id v = h->op_value[op];
        if (c->first[v] == TXN_NONE) {
            c->first[v] = t;
            continue;
        }
        if (!c->number[v]) {
            vec_push(&c->repeated, v);
            vec_push(&c->candidates, ((u32_vec){0}));
            vec_push(&c->shown, 0);
            vec_push(&vec_top(&c->candidates), c->first[v]);
            c->number[v] = (uint32_t)c->repeated.n;
        }
        u32_vec *all = &c->candidates.at[c->number[v] - 1];
        assert(c->number[v] <= c->repeated.n && all->n);
        if (vec_top(all) != t)
            vec_push(all, t);
    }
}

static void
find_shown(struct choosing *c)
{
    const struct history *h = c->h;
    for (size_t i = 0; i < h->order_items.n; i++)
        if (c->number[h->order_items.at[i]])
            c->shown.at[c->number[h->order_items.at[i]] - 1] = 1;
    for (size_t i = 0; i < h->list_items.n; i++)
        if (c->number[h->list_items.at[i]])
            c->shown.at[c->number[h->list_items.at[i]] - 1] = 1;
}

/* The candidate in 'wanted', or the first that committed, or the first. */
static txn_id
choose(const struct choosing *c, size_t i, const struct list_author *wanted,
       size_t n)
{
    const struct history *h = c->h;
    const u32_vec *all = &c->candidates.at[i];
    assert(i < c->repeated.n && all->n);
    txn_id seen = TXN_NONE;
    for (size_t j = 0; j < all->n; j++) {
        if (seen == TXN_NONE && h->txn_status[all->at[j]] == TXN_COMMITTED)
            seen = all->at[j];
        for (size_t k = 0; k < n; k++)
            if (wanted[k].value == c->repeated.at[i] &&
                wanted[k].seen == all->at[j])
                return all->at[j];
    }
    return seen == TXN_NONE ? all->at[0] : seen;
}

/* Give their own value ids to the appends of transactions that are not the
 * author, and to repeated appends of the author: no list shows an element
 * twice. */
static void
rename_unseen(struct choosing *c, const txn_id *seen)
{
    struct history *h = c->h;
    u32_vec ops = {0};
    uint8_t *met = mem_calloc(c->repeated.n, sizeof *met);
    EACH_APPEND(h, t, op)
    {
        const uint32_t i = c->number[h->op_value[op]];
        if (i && (seen[i - 1] != t || met[i - 1]))
            vec_push(&ops, op);
        else if (i)
            met[i - 1] = 1;
    }
    mem_free(met);
    h->values =
        mem_realloc(h->values, (size_t)h->n_values + ops.n, sizeof *h->values);
    h->first_renamed = h->n_values;
    for (size_t i = 0; i < ops.n; i++) {
        const value_id v = h->op_value[ops.at[i]];
        const struct atom a = history_value_atom(h, v);
        h->values[h->n_values] = (struct value){h->values[v].key, TXN_NONE};
        column_push(&h->value_bits, a.bits);
        h->op_value[ops.at[i]] = h->n_values++;
        vec_push(&h->renamed_from, v);
    }
    vec_free(&ops);
}

void
list_authors_choose(struct history *h, const struct list_author *wanted,
                    size_t n)
{
    assert(!h->txn_counts); // not resolved yet
    if (!h->key_is_list)
        return;
    struct choosing c = {.h = h};
    find_repeated(&c);
    if (c.repeated.n) {
        find_shown(&c);
        txn_id *seen = mem_alloc(c.repeated.n, sizeof *seen);
        for (size_t i = 0; i < c.repeated.n; i++) {
            seen[i] = choose(&c, i, wanted, n);
            const u32_vec *all = &c.candidates.at[i];
            if (!c.shown.at[i] || all->n < 2)
                continue;
            vec_push(&h->authors,
                     ((struct list_author){c.repeated.at[i], seen[i],
                                           (uint32_t)h->author_items.n,
                                           (uint32_t)all->n}));
            for (size_t j = 0; j < all->n; j++)
                vec_push(&h->author_items, all->at[j]);
        }
        rename_unseen(&c, seen);
        mem_free(seen);
    }
    for (size_t i = 0; i < c.candidates.n; i++)
        vec_free(&c.candidates.at[i]);
    vec_free(&c.candidates);
    vec_free(&c.repeated);
    vec_free(&c.shown);
    mem_free(c.first);
    mem_free(c.number);
}
