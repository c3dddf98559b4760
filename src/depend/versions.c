/* versions.c -- see versions.h.
 *
 * A counting sort: the versions are counted by key and then placed in a pass
 * over the transactions, so those of a key come out sorted by transaction.
 *
 * SPDX-License-Identifier: MIT */
#include "depend/versions.h"

/* Count the final writes of each key in count[k + 1] and of each transaction
 * in write_first. */
static uint32_t
count_writes(struct dependencies *d, uint32_t *count)
{
    const struct history *h = d->h;
    uint32_t n = 0;
    for (dense_id t = 0; t < d->n_txns; t++) {
        d->write_first[t] = n;
        for (op_id op = h->txn_begin[d->name[t]]; op < h->txn_end[d->name[t]];
             op++)
            if (op_is_final_write(h, op)) {
                count[op_key(h, op) + 1]++;
                n++;
            }
    }
    d->write_first[d->n_txns] = n;
    return n;
}

/* Place the versions; next[k] is where the next one of key k goes. */
static void
place_writes(struct dependencies *d, version_id *next)
{
    const struct history *h = d->h;
    uint32_t w = 0;
    for (dense_id t = 0; t < d->n_txns; t++)
        for (op_id op = h->txn_begin[d->name[t]]; op < h->txn_end[d->name[t]];
             op++) {
            if (!op_is_final_write(h, op))
                continue;
            const version_id v = next[op_key(h, op)]++;
            assert(v < d->n_versions);
            d->version_txn[v] = t;
            d->version_key[v] = op_key(h, op);
            d->version_value[v] = h->op_value[op];
            d->write[w++] = v;
        }
    assert(w == d->write_first[d->n_txns]);
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
    version_id *next = d->key_first + 1;
    const uint32_t n_writes = count_writes(d, next);
    for (key_id k = 0; k < h->n_keys; k++)
        next[k + 1] += next[k] + 1; // one more for INIT
    d->n_versions = n_writes + h->n_keys;
    d->version_txn = mem_alloc(d->n_versions, sizeof *d->version_txn);
    d->version_key = mem_alloc(d->n_versions, sizeof *d->version_key);
    d->version_value = mem_alloc(d->n_versions, sizeof *d->version_value);
    d->write = mem_alloc(n_writes, sizeof *d->write);
    for (key_id k = 0; k < h->n_keys; k++) {
        d->version_txn[next[k]] = DENSE_INIT;
        d->version_key[next[k]] = k;
        d->version_value[next[k]++] = VALUE_INIT;
    }
    place_writes(d, next);
    assert(d->key_first[h->n_keys] == d->n_versions);
}

void
versions_free(struct dependencies *d)
{
    mem_free(d->key_first);
    mem_free(d->version_txn);
    mem_free(d->version_key);
    mem_free(d->version_value);
    mem_free(d->write_first);
    mem_free(d->write);
}
