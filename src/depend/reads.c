/* reads.c -- see reads.h.
 *
 * The history says who wrote a value, and where several did, a table says which
 * versions these are.  All passes are linear.
 *
 * SPDX-License-Identifier: MIT */
#include "depend/reads.h"

#include "base/limits/context.h"
#include "base/prefetch.h"

#include <stdlib.h>

enum { AHEAD = 8 }; // operations, for the processor to fetch

struct read_builder {
    struct dependencies *d;
    uint32_t *of_value; // by value of several writers: where in the pool its
                        // number of versions is, and after that they, or
                        // VERSION_NONE; NULL where there is no such value
    dense_id *dense;    // by transaction of the history
    read_id *last;      // by key: the latest read of it, of any transaction
};

/* Find the versions that have this value, the first time it is read. */
static void
add_shared_range(struct read_builder *b, key_id k, value_id value)
{
    struct dependencies *d = b->d;
    const struct txn_range all = history_candidates(d->h, value);
    // The lists of different values share no version, and there are as many
    // versions as operations and keys.
    assert(d->pool.items.n < VERSION_NONE);
    b->of_value[value] = (version_id)d->pool.items.n;
    vec_push(&d->pool.items, (uint32_t)all.n);
    for (size_t i = 0; i < all.n; i++) {
        const bool init = all.at[i] == TXN_INIT;
        if (init)
            d->version_value[version_of_init(d, k)] = value;
        vec_push(
            &d->pool.items,
            depend_find_version(d, k, init ? DENSE_INIT : b->dense[all.at[i]]));
    }
}

static void
collect_candidates(struct read_builder *b, read_id r, value_id value)
{
    struct dependencies *d = b->d;
    if (b->of_value[value] == VERSION_NONE)
        add_shared_range(b, read_key(d, r), value);
    const uint32_t at = b->of_value[value], n = d->pool.items.at[at];
    vec_push(&d->ambiguous, ((struct candidates){r, n, (size_t)at + 1}));
    d->n_candidates += n;
}

/* The version of key k with a value that has one writer. */
static version_id
find_version(const struct read_builder *b, key_id k, value_id value)
{
    const txn_id writer = history_writer(b->d->h, value);
    return writer == TXN_INIT ? version_of_init(b->d, k)
                              : depend_find_version(b->d, k, b->dense[writer]);
}

/* A read of a transaction that may not count is not decided even where it has
 * one candidate. */
static void
collect_only_candidate(struct read_builder *b, read_id r, value_id value)
{
    struct dependencies *d = b->d;
    const version_id v = find_version(b, read_key(d, r), value);
    if (version_is_init(d, v))
        d->version_value[v] = value;
    vec_push(&d->ambiguous, ((struct candidates){
                                .read = r, .first = d->pool.items.n, .n = 1}));
    vec_push(&d->pool.items, v);
    d->n_candidates++;
}

/* The transaction that wrote what an operation reads or writes, or DENSE_INIT
 * where that is not one. */
static dense_id
find_writer(const struct read_builder *b, op_id op)
{
    const struct history *h = b->d->h;
    const value_id v = h->op_value[op];
    const txn_id writer = v < h->n_values ? h->values[v].writer : TXN_NONE;
    return writer < h->n_txns ? b->dense[writer] : DENSE_INIT;
}

/* Fetch what later operations will need: the writers of their values, and the
 * versions of these. */
PREFETCHING void
prefetch(const struct read_builder *b, op_id op)
{
    const struct dependencies *d = b->d;
    const struct history *h = d->h;
    if (op + 3 * AHEAD >= h->n_ops)
        return;
    const value_id far = h->op_value[op + 3 * AHEAD];
    const dense_id near = find_writer(b, op + 2 * AHEAD);
    const dense_id next = find_writer(b, op + AHEAD);
    if (far < h->n_values)
        __builtin_prefetch(&h->values[far]);
    if (near < d->n_txns)
        __builtin_prefetch(&d->write_first[near]);
    if (next < d->n_txns) {
        __builtin_prefetch(&d->version_key[d->write_first[next]]);
        __builtin_prefetch(&d->reader[d->write_first[next]], 1);
    }
}

static void
add_read(struct read_builder *b, dense_id t, op_id op)
{
    struct dependencies *d = b->d;
    const struct history *h = d->h;
    const key_id k = op_key(h, op);
    const value_id value = h->op_value[op];
    const read_id last = b->last[k];
    // Reading the same again adds nothing.  (Reading something else does: it
    // cannot be repeatable, and the rules will find that out.)
    if (last != READ_NONE && last >= d->read_first[t] &&
        h->op_value[d->read_op[last]] == value)
        return;
    const read_id r = d->n_reads++;
    b->last[k] = r;
    d->read_txn[r] = t;
    d->read_op[r] = op;
    d->read_version[r] = VERSION_NONE;
    if (history_has_several(h, value))
        collect_candidates(b, r, value);
    else if (t >= d->n_certain)
        collect_only_candidate(b, r, value);
    else
        depend_fix(d, r, find_version(b, k, value));
}

static uint32_t
count_reads(const struct dependencies *d)
{
    const struct history *h = d->h;
    uint32_t n = 0;
    for (dense_id t = 0; t < d->n_txns; t++)
        for (op_id op = h->txn_begin[d->name[t]]; op < h->txn_end[d->name[t]];
             op++)
            n += op_is_external_read(h, op);
    return n;
}

/* Allocate the arrays of n reads. */
static void
allocate_reads(struct dependencies *d, uint32_t n)
{
    d->read_first = mem_alloc((size_t)d->n_txns + 1, sizeof *d->read_first);
    d->read_txn = mem_alloc(n, sizeof *d->read_txn);
    d->read_op = mem_alloc(n, sizeof *d->read_op);
    d->read_version = mem_alloc(n, sizeof *d->read_version);
    d->next_reader = mem_alloc(n, sizeof *d->next_reader);
    d->reader = mem_alloc(d->n_versions, sizeof *d->reader);
    for (version_id v = 0; v < d->n_versions; v++)
        d->reader[v] = READ_NONE;
}

static void
read_builder_init(struct read_builder *b, struct dependencies *d)
{
    const struct history *h = d->h;
    *b = (struct read_builder){.d = d};
    if (h->several.n) {
        b->of_value = mem_alloc(h->n_values, sizeof *b->of_value);
        memset(b->of_value, 0xff, h->n_values * sizeof *b->of_value);
    }
    b->dense = mem_alloc(h->n_txns, sizeof *b->dense);
    b->last = mem_alloc(h->n_keys, sizeof *b->last);
    if (d->n_txns < h->n_txns)
        memset(b->dense, 0xff, h->n_txns * sizeof *b->dense); // DENSE_INIT
    for (dense_id t = 0; t < d->n_txns; t++)
        b->dense[d->name[t]] = t;
    for (key_id k = 0; k < h->n_keys; k++)
        b->last[k] = READ_NONE;
}

static void
read_builder_free(struct read_builder *b)
{
    mem_free(b->last);
    mem_free(b->dense);
    mem_free(b->of_value);
}

/* By key, so that pruning visits the reads of a key together. */
struct by_key {
    key_id key;
    struct candidates candidates;
};

static int
compare_by_key(const void *a, const void *b)
{
    const struct by_key *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->candidates.read < y->candidates.read ? -1 : 1;
}

static void
sort_ambiguous(struct dependencies *d)
{
    const size_t n = d->ambiguous.n;
    if (n < 2)
        return;
    struct by_key *rows = mem_alloc(n, sizeof *rows);
    for (size_t i = 0; i < n; i++)
        rows[i] = (struct by_key){read_key(d, d->ambiguous.at[i].read),
                                  d->ambiguous.at[i]};
    qsort(rows, n, sizeof *rows, compare_by_key);
    for (size_t i = 0; i < n; i++)
        d->ambiguous.at[i] = rows[i].candidates;
    mem_free(rows);
}

void
reads_init(struct dependencies *d)
{
    const struct history *h = d->h;
    const uint32_t n = count_reads(d);
    assert(d->key_first && !d->read_first);
    capacity_want(CAPACITY_READS, n);
    allocate_reads(d, n);
    struct read_builder b;
    read_builder_init(&b, d);
    for (dense_id t = 0; t < d->n_txns; t++) {
        context_poll_at(t);
        d->read_first[t] = d->n_reads;
        for (op_id op = h->txn_begin[d->name[t]]; op < h->txn_end[d->name[t]];
             op++)
            if (op_is_external_read(h, op)) {
                prefetch(&b, op);
                add_read(&b, t, op);
            }
    }
    assert(d->n_reads <= n);
    d->read_first[d->n_txns] = d->n_reads;
    d->pool.shared = d->pool.items.n;
    read_builder_free(&b);
    sort_ambiguous(d);
}

void
reads_free(struct dependencies *d)
{
    mem_free(d->read_first);
    mem_free(d->read_txn);
    mem_free(d->read_op);
    mem_free(d->read_version);
    mem_free(d->reader);
    mem_free(d->next_reader);
    vec_free(&d->ambiguous);
    vec_free(&d->pool.items);
}
