/* problem.c -- from a history to versions and reads; see problem.h.
 *
 * Versions are counted per key and then placed in one pass over the
 * transactions, so that those of a key come out sorted; a table from values to
 * versions then resolves each read with one load.  All passes are linear.
 *
 * SPDX-License-Identifier: MIT */
#include "strong/problem.h"

#include "strong/infer/known_edges.h"

#include <stdlib.h>

static void
number_txns(struct problem *p)
{
    const struct history *h = p->h;
    p->name = mem_alloc(h->n_txns, sizeof *p->name);
    for (txn_id t = 0; t < h->n_txns; t++)
        if (h->txn_counts[t] == TXN_COUNTS)
            p->name[p->n_txns++] = t;
    p->n_certain = p->n_txns;
    if (!h->n_optional)
        return;
    for (txn_id t = 0; t < h->n_txns; t++)
        if (h->txn_counts[t] == TXN_MAY_COUNT)
            p->name[p->n_txns++] = t;
    p->dense = mem_alloc(h->n_txns, sizeof *p->dense);
    memset(p->dense, 0xff, h->n_txns * sizeof *p->dense);
    for (dense_id t = 0; t < p->n_txns; t++)
        p->dense[p->name[t]] = t;
    p->optional = mem_calloc(p->n_txns - p->n_certain, sizeof *p->optional);
}

dense_id
problem_follower(const struct problem *p, dense_id t, dense_id last)
{
    if (last != DENSE_INIT && last < p->n_certain)
        return DENSE_INIT;
    const struct history *h = p->h;
    const txn_id end = h->session_first[h->txn_session[p->name[t]] + 1];
    txn_id next = p->name[last == DENSE_INIT ? t : last] + 1;
    while (next < end && p->dense[next] == DENSE_INIT)
        next++;
    return next < end ? p->dense[next] : DENSE_INIT;
}

static void
place_versions(struct problem *p)
{
    const struct history *h = p->h;
    p->key_first = mem_calloc((size_t)h->n_keys + 2, sizeof *p->key_first);
    p->write_first = mem_alloc((size_t)p->n_txns + 1, sizeof *p->write_first);
    version_id *next = p->key_first + 1;
    uint32_t n_writes = 0;
    for (dense_id t = 0; t < p->n_txns; t++) {
        p->write_first[t] = n_writes;
        for (op_id op = h->txn_begin[p->name[t]]; op < h->txn_end[p->name[t]];
             op++)
            if (op_is_final_write(h, op)) {
                next[op_key(h, op) + 1]++;
                n_writes++;
            }
    }
    p->write_first[p->n_txns] = n_writes;
    for (key_id k = 0; k < h->n_keys; k++)
        next[k + 1] += next[k] + 1; // one more for INIT
    p->n_versions = n_writes + h->n_keys;
    p->version_txn = mem_alloc(p->n_versions, sizeof *p->version_txn);
    p->version_key = mem_alloc(p->n_versions, sizeof *p->version_key);
    p->version_value = mem_alloc(p->n_versions, sizeof *p->version_value);
    p->write = mem_alloc(n_writes, sizeof *p->write);
    for (key_id k = 0; k < h->n_keys; k++) {
        p->version_txn[next[k]] = DENSE_INIT;
        p->version_key[next[k]] = k;
        p->version_value[next[k]++] = VALUE_INIT;
    }
    uint32_t w = 0;
    for (dense_id t = 0; t < p->n_txns; t++)
        for (op_id op = h->txn_begin[p->name[t]]; op < h->txn_end[p->name[t]];
             op++) {
            if (!op_is_final_write(h, op))
                continue;
            const version_id v = next[op_key(h, op)]++;
            p->version_txn[v] = t;
            p->version_key[v] = op_key(h, op);
            p->version_value[v] = h->op_value[op];
            p->write[w++] = v;
        }
}

version_id
problem_find_version(const struct problem *p, key_id k, dense_id t)
{
    if (t == DENSE_INIT)
        return p->key_first[k];
    version_id low = p->key_first[k] + 1, high = p->key_first[k + 1];
    while (high - low > 1) {
        const version_id middle = low + (high - low) / 2;
        if (p->version_txn[middle] <= t)
            low = middle;
        else
            high = middle;
    }
    assert(low < p->key_first[k + 1] && p->version_txn[low] == t);
    return low;
}

void
problem_fix(struct problem *p, read_id r, version_id v)
{
    assert(p->read_version[r] == VERSION_NONE);
    p->read_version[r] = v;
    p->next_reader[r] = p->reader[v];
    p->reader[v] = r;
}

/* --- reads ---------------------------------------------------------------- */

struct read_builder {
    struct problem *p;
    version_id *of_value; // by value: its version, where it has one writer;
                          // else where in the pool its number of versions is,
                          // and after that they, or NONE
    dense_id *dense;      // by transaction of the history
    read_id *last;        // by key: the latest read of it, of any transaction
};

/* Find the versions that have this value, the first time it is read. */
static void
list_versions(struct read_builder *b, key_id k, value_id value)
{
    struct problem *p = b->p;
    const struct txn_range all = history_candidates(p->h, value);
    // The lists of different values share no version, and there are as many
    // versions as operations and keys.
    assert(p->pool.n < VERSION_NONE);
    b->of_value[value] = (version_id)p->pool.n;
    vec_push(&p->pool, (uint32_t)all.n);
    for (size_t i = 0; i < all.n; i++) {
        const bool init = all.at[i] == TXN_INIT;
        if (init)
            p->version_value[p->key_first[k]] = value;
        vec_push(&p->pool, problem_find_version(
                               p, k, init ? DENSE_INIT : b->dense[all.at[i]]));
    }
}

static void
collect_candidates(struct read_builder *b, read_id r, value_id value)
{
    struct problem *p = b->p;
    if (b->of_value[value] == VERSION_NONE)
        list_versions(b, read_key(p, r), value);
    const uint32_t at = b->of_value[value], n = p->pool.at[at];
    vec_push(&p->ambiguous, ((struct candidates){r, n, (size_t)at + 1}));
    p->n_candidates += n;
}

/* A read of a transaction that may not count is not decided even where it has
 * one candidate. */
static void
collect_only_candidate(struct read_builder *b, read_id r, value_id value)
{
    struct problem *p = b->p;
    const bool init = history_writer(p->h, value) == TXN_INIT;
    const version_id v =
        init ? p->key_first[read_key(p, r)] : b->of_value[value];
    if (init)
        p->version_value[v] = value;
    vec_push(&p->ambiguous,
             ((struct candidates){.read = r, .first = p->pool.n, .n = 1}));
    vec_push(&p->pool, v);
    p->n_candidates++;
}

static void
add_read(struct read_builder *b, dense_id t, op_id op)
{
    struct problem *p = b->p;
    const struct history *h = p->h;
    const key_id k = op_key(h, op);
    const value_id value = h->op_value[op];
    const read_id last = b->last[k];
    // Reading the same again adds nothing.  (Reading something else does: it
    // cannot be repeatable, and the rules will find that out.)
    if (last != READ_NONE && last >= p->read_first[t] &&
        h->op_value[p->read_op[last]] == value)
        return;
    const read_id r = p->n_reads++;
    b->last[k] = r;
    p->read_txn[r] = t;
    p->read_op[r] = op;
    p->read_version[r] = VERSION_NONE;
    if (history_has_several(h, value))
        collect_candidates(b, r, value);
    else if (t >= p->n_certain)
        collect_only_candidate(b, r, value);
    else if (history_writer(h, value) == TXN_INIT)
        problem_fix(p, r, p->key_first[k]);
    else
        problem_fix(p, r, b->of_value[value]);
}

static uint32_t
count_reads(const struct problem *p)
{
    const struct history *h = p->h;
    uint32_t n = 0;
    for (dense_id t = 0; t < p->n_txns; t++)
        for (op_id op = h->txn_begin[p->name[t]]; op < h->txn_end[p->name[t]];
             op++)
            n += op_is_external_read(h, op);
    return n;
}

static void
collect_reads(struct problem *p)
{
    const struct history *h = p->h;
    const uint32_t n = count_reads(p);
    capacity_want(CAPACITY_READS, n);
    struct read_builder b = {.p = p};
    b.of_value = mem_alloc(h->n_values, sizeof *b.of_value);
    b.dense = mem_alloc(h->n_txns, sizeof *b.dense);
    b.last = mem_alloc(h->n_keys, sizeof *b.last);
    for (version_id v = 0; v < p->n_versions; v++)
        if (!version_is_init(p, v))
            b.of_value[p->version_value[v]] =
                history_has_several(h, p->version_value[v]) ? VERSION_NONE : v;
    for (dense_id t = 0; t < p->n_txns; t++)
        b.dense[p->name[t]] = t;
    for (key_id k = 0; k < h->n_keys; k++)
        b.last[k] = READ_NONE;
    p->read_first = mem_alloc((size_t)p->n_txns + 1, sizeof *p->read_first);
    p->read_txn = mem_alloc(n, sizeof *p->read_txn);
    p->read_op = mem_alloc(n, sizeof *p->read_op);
    p->read_version = mem_alloc(n, sizeof *p->read_version);
    p->next_reader = mem_alloc(n, sizeof *p->next_reader);
    p->reader = mem_alloc(p->n_versions, sizeof *p->reader);
    for (version_id v = 0; v < p->n_versions; v++)
        p->reader[v] = READ_NONE;
    for (dense_id t = 0; t < p->n_txns; t++) {
        p->read_first[t] = p->n_reads;
        for (op_id op = h->txn_begin[p->name[t]]; op < h->txn_end[p->name[t]];
             op++)
            if (op_is_external_read(h, op))
                add_read(&b, t, op);
    }
    p->read_first[p->n_txns] = p->n_reads;
    p->shared = p->pool.n;
    mem_free(b.last);
    mem_free(b.dense);
    mem_free(b.of_value);
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
sort_ambiguous(struct problem *p)
{
    const size_t n = p->ambiguous.n;
    if (n < 2)
        return;
    struct by_key *rows = mem_alloc(n, sizeof *rows);
    for (size_t i = 0; i < n; i++)
        rows[i] = (struct by_key){read_key(p, p->ambiguous.at[i].read),
                                  p->ambiguous.at[i]};
    qsort(rows, n, sizeof *rows, compare_by_key);
    for (size_t i = 0; i < n; i++)
        p->ambiguous.at[i] = rows[i].candidates;
    mem_free(rows);
}

void
problem_arrange(const struct problem *p, const uint32_t *order,
                version_id *sorted)
{
    const uint32_t n_keys = p->h->n_keys;
    version_id *next = mem_alloc(n_keys, sizeof *next);
    for (key_id k = 0; k < n_keys; k++) {
        sorted[p->key_first[k]] = p->key_first[k];
        next[k] = p->key_first[k] + 1;
    }
    // Walk the order and deal the versions out.
    const uint32_t points = problem_txn_points(p);
    for (uint32_t i = 0; i < p->g.n; i++) {
        const uint32_t point = order[i];
        if (point >= points || (p->two_points && point % 2 == 0))
            continue;
        const dense_id t = point_txn(p, point);
        for (uint32_t j = p->write_first[t]; j < p->write_first[t + 1]; j++)
            sorted[next[p->version_key[p->write[j]]]++] = p->write[j];
    }
    mem_free(next);
}

void
problem_add_choice(const struct problem *p, read_id r, version_id v,
                   struct certificate *out)
{
    const struct history *h = p->h;
    const op_id first = p->read_op[r];
    const value_id value = h->op_value[first];
    if (!history_has_several(h, value))
        return;
    const txn_id writer =
        version_is_init(p, v) ? TXN_INIT : p->name[p->version_txn[v]];
    for (op_id op = first; op < h->txn_end[p->name[p->read_txn[r]]]; op++)
        if (op_is_external_read(h, op) && h->op_value[op] == value)
            vec_push(&out->choices, ((struct choice){op, writer}));
}

/* --- all of it ------------------------------------------------------------ */

static enum placement
placement_of(enum level l)
{
    switch (l) {
    case LEVEL_PC:
        return PLACE_PC;
    case LEVEL_PSI:
        return PLACE_PSI;
    case LEVEL_SI:
    case LEVEL_STRICT_SI:
        return PLACE_SI;
    default:
        assert(l == LEVEL_SER || l == LEVEL_STRICT_SER);
        return PLACE_SER;
    }
}

void
problem_init(struct problem *p, const struct history *h, enum level l)
{
    *p = (struct problem){.h = h, .level = l, .place = placement_of(l)};
    p->two_points = p->place == PLACE_SI || p->place == PLACE_PC;
    p->strict = l == LEVEL_STRICT_SI || l == LEVEL_STRICT_SER;
    number_txns(p);
    place_versions(p);
    collect_reads(p);
    sort_ambiguous(p);
    known_edges_build(p);
    p->base_edges = (uint32_t)p->g.edges.n;
}

void
problem_free(struct problem *p)
{
    mem_free(p->name);
    mem_free(p->dense);
    mem_free(p->optional);
    mem_free(p->key_first);
    mem_free(p->version_txn);
    mem_free(p->version_key);
    mem_free(p->version_value);
    mem_free(p->write_first);
    mem_free(p->write);
    mem_free(p->read_first);
    mem_free(p->read_txn);
    mem_free(p->read_op);
    mem_free(p->read_version);
    mem_free(p->reader);
    mem_free(p->next_reader);
    vec_free(&p->ambiguous);
    vec_free(&p->pool);
    vec_free(&p->struck);
    chains_free(&p->g);
    vec_free(&p->labels);
}
