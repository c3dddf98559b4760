/* versions.c -- see versions.h.
 *
 * A counting sort: the versions are counted by key and then placed in the lists
 * of their keys in a pass over the transactions, so a list comes out sorted.
 *
 * SPDX-License-Identifier: MIT */
#include "depend/versions.h"

#include "base/limits/context.h"

/* Count the final writes of each key in count[k + 1], and number those of each
 * transaction in write_first. */
static void
count_writes(struct dependencies *d, uint32_t *count)
{
    const struct history *h = d->h;
    version_id n = h->n_keys; // after those of INIT
    for (dense_id t = 0; t < d->n_txns; t++) {
        context_poll_at(t);
        d->write_first[t] = n;
        for (op_id op = h->txn_begin[d->name[t]]; op < h->txn_end[d->name[t]];
             op++)
            if (op_is_final_write(h, op)) {
                count[op_key(h, op) + 1]++;
                n++;
            }
    }
    d->write_first[d->n_txns] = d->n_versions = n;
}

static void
add_version(struct dependencies *d, version_id v, dense_id t, key_id k,
            value_id value)
{
    assert(v < d->n_versions);
    d->version_txn[v] = t;
    d->version_key[v] = k;
    if (d->version_value)
        d->version_value[v] = value;
}

/* Add the versions; next[k] is where the next one of key k goes. */
static void
place_writes(struct dependencies *d, uint32_t *next)
{
    const struct history *h = d->h;
    for (key_id k = 0; k < h->n_keys; k++) {
        context_poll_at(k);
        add_version(d, version_of_init(d, k), DENSE_INIT, k, VALUE_INIT);
        d->key_version[next[k]++] = version_of_init(d, k);
    }
    version_id v = h->n_keys;
    for (dense_id t = 0; t < d->n_txns; t++) {
        context_poll_at(t);
        for (op_id op = h->txn_begin[d->name[t]]; op < h->txn_end[d->name[t]];
             op++) {
            if (!op_is_final_write(h, op))
                continue;
            add_version(d, v, t, op_key(h, op), h->op_value[op]);
            d->key_version[next[op_key(h, op)]++] = v++;
        }
    }
    assert(v == d->n_versions);
}

void
versions_init(struct dependencies *d)
{
    const struct history *h = d->h;
    assert(d->name && !d->key_first);
    d->key_first = mem_calloc((size_t)h->n_keys + 2, sizeof *d->key_first);
    d->write_first = mem_alloc((size_t)d->n_txns + 1, sizeof *d->write_first);
    // Placing moves next[k] to the first version of k + 1, which is where
    // key_first[k + 1] is.
    uint32_t *next = d->key_first + 1;
    count_writes(d, next);
    for (key_id k = 0; k < h->n_keys; k++)
        next[k + 1] += next[k] + 1; // one more for INIT
    d->version_txn = mem_alloc(d->n_versions, sizeof *d->version_txn);
    d->version_key = mem_alloc(d->n_versions, sizeof *d->version_key);
    if (h->several.n || h->n_optional)
        d->version_value = mem_alloc(d->n_versions, sizeof *d->version_value);
    d->key_version = mem_alloc(d->n_versions, sizeof *d->key_version);
    place_writes(d, next);
    assert(d->key_first[h->n_keys] == d->n_versions);
}

void
versions_free(struct dependencies *d)
{
    mem_free(d->key_first);
    mem_free(d->key_version);
    mem_free(d->version_txn);
    mem_free(d->version_key);
    mem_free(d->version_value);
    mem_free(d->write_first);
}
