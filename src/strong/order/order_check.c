/* order_check.c -- see order_check.h.
 *
 * Each key can be checked by itself.  With its versions in the order of their
 * commits, a read is served if its version is committed before its start and
 * the next version is not.  Where writers are separate (si), no writer may
 * start before the one before it has committed.  It is enough to look at
 * neighbours: if all neighbouring versions are in order, all are.
 *
 * To check all keys, the history is run in the order instead: a read is served
 * if its version is the last one that was committed.  That goes through memory
 * transaction by transaction, and not from version to version of a key.
 *
 * SPDX-License-Identifier: MIT */
#include "strong/order/order_check.h"

#include "base/container/sorted.h"
#include "base/limits/tuning.h"

#include <stdlib.h>

struct ranked_version {
    uint32_t rank;
    version_id version;
};

void
order_check_init(struct order_check *a, const struct dependencies *p)
{
    *a = (struct order_check){.p = p};
    const uint32_t n_keys = p->h->n_keys;
    a->sorted = mem_alloc(p->n_versions, sizeof *a->sorted);
    a->ambiguous_first =
        mem_calloc((size_t)n_keys + 1, sizeof *a->ambiguous_first);
    uint32_t *first = a->ambiguous_first;
    for (size_t i = 0; i < p->ambiguous.n; i++)
        first[read_key(p, p->ambiguous.at[i].read) + 1]++;
    for (key_id k = 0; k < n_keys; k++)
        first[k + 1] += first[k];
    if (p->n_txns == p->n_certain) {
        a->place = mem_alloc(p->n_versions, sizeof *a->place);
        return;
    }
    a->counting = mem_alloc(p->n_txns - p->n_certain, sizeof *a->counting);
    a->kept = mem_alloc(p->n_versions, sizeof *a->kept);
    order_check_reset_counting(a);
}

void
order_check_reset_counting(struct order_check *a)
{
    const struct dependencies *p = a->p;
    for (uint32_t i = 0; i < p->n_txns - p->n_certain; i++)
        a->counting[i] = p->optional[i].counting == COUNTING_YES;
}

void
order_check_free(struct order_check *a)
{
    mem_free(a->sorted);
    mem_free(a->place);
    mem_free(a->ambiguous_first);
    mem_free(a->scratch);
    mem_free(a->counting);
    mem_free(a->kept);
    *a = (struct order_check){0};
}

static uint32_t
commit_rank(const struct dependencies *p, const uint32_t *rank, version_id v)
{
    return rank[point_commit(p, p->version_txn[v])];
}

/* Check the ambiguous reads of k: the current version must have the value. */
static void
check_ambiguous(const struct order_check *a, key_id k, const version_id *at,
                uint32_t n, const uint32_t *rank, broken_vec *out)
{
    const struct dependencies *p = a->p;
    for (uint32_t i = a->ambiguous_first[k]; i < a->ambiguous_first[k + 1];
         i++) {
        const read_id r = p->ambiguous.at[i].read;
        if (!order_check_counts(a, p->read_txn[r]))
            continue;
        const uint32_t start = rank[point_start(p, p->read_txn[r])];
        uint32_t low = 1; // find the first version after the start
        LOWER_BOUND(low, n, middle, commit_rank(p, rank, at[middle]) < start);
        assert(p->read_version[r] == VERSION_NONE);
        if (!version_serves(p, at[low - 1], r))
            vec_push(out, ((struct broken){r, VERSION_NONE, at[low - 1]}));
    }
}

/* Leave out the versions of optional transactions that do not count. */
static const version_id *
keep_counting(const struct order_check *a, const version_id *at, uint32_t *n)
{
    uint32_t kept = 1; // INIT's
    a->kept[0] = at[0];
    for (uint32_t i = 1; i < *n; i++)
        if (order_check_counts(a, a->p->version_txn[at[i]]))
            a->kept[kept++] = at[i];
    *n = kept;
    return a->kept;
}

/* Check key k, whose versions in order are at[0 .. n), INIT's first. */
static void
check_key(const struct order_check *a, key_id k, const version_id *at,
          uint32_t n, const uint32_t *rank, broken_vec *out)
{
    const struct dependencies *p = a->p;
    assert(n && version_is_init(p, at[0]));
    if (a->counting)
        at = keep_counting(a, at, &n);
    for (uint32_t i = 0; i + 1 < n; i++) {
        const uint32_t next = commit_rank(p, rank, at[i + 1]);
        for (read_id r = p->reader[at[i]]; r != READ_NONE;
             r = p->next_reader[r])
            if (next < rank[point_start(p, p->read_txn[r])])
                vec_push(out, ((struct broken){r, at[i], at[i + 1]}));
        if (p->separates_writers && i &&
            rank[point_start(p, p->version_txn[at[i + 1]])] <
                commit_rank(p, rank, at[i]))
            vec_push(out, ((struct broken){READ_NONE, at[i], at[i + 1]}));
    }
    check_ambiguous(a, k, at, n, rank, out);
}

/* Note the reads of t that the versions so far do not serve. */
static void
start(const struct order_check *a, dense_id t, const uint32_t *next,
      broken_vec *out)
{
    const struct dependencies *p = a->p;
    for (read_id r = p->read_first[t]; r < p->read_first[t + 1]; r++) {
        const version_id v = p->read_version[r];
        if (v != VERSION_NONE && a->sorted[next[read_key(p, r)] - 1] != v)
            vec_push(out, ((struct broken){r, v, VERSION_NONE}));
    }
}

/* Add the versions of t. */
static void
commit(const struct order_check *a, dense_id t, const uint32_t *rank,
       uint32_t *next, broken_vec *out)
{
    const struct dependencies *p = a->p;
    for (version_id v = p->write_first[t]; v < p->write_first[t + 1]; v++) {
        const uint32_t place = next[p->version_key[v]]++;
        const version_id before = a->sorted[place - 1];
        a->sorted[place] = v;
        a->place[v] = place;
        if (p->separates_writers && !version_is_init(p, before) &&
            rank[point_start(p, t)] < commit_rank(p, rank, before))
            vec_push(out, ((struct broken){READ_NONE, before, v}));
    }
}

static void
run_order(struct order_check *a, const uint32_t *order, const uint32_t *rank,
          broken_vec *out)
{
    const struct dependencies *p = a->p;
    const size_t first = out->n;
    uint32_t *next = mem_alloc(p->h->n_keys, sizeof *next);
    for (key_id k = 0; k < p->h->n_keys; k++) {
        a->sorted[p->key_first[k]] = version_of_init(p, k);
        a->place[version_of_init(p, k)] = p->key_first[k];
        next[k] = p->key_first[k] + 1;
    }
    for (uint32_t i = 0; i < p->g.n; i++) {
        const uint32_t point = order[i];
        if (point >= depend_txn_points(p))
            continue;
        const dense_id t = point_txn(p, point);
        if (point == point_start(p, t))
            start(a, t, next, out);
        if (point == point_commit(p, t))
            commit(a, t, rank, next, out);
    }
    for (size_t i = first; i < out->n; i++) {
        struct broken *b = &out->at[i];
        if (b->second == VERSION_NONE)
            b->second = a->sorted[a->place[b->first] + 1];
    }
    mem_free(next);
}

void
order_check_all(struct order_check *a, const uint32_t *order,
                const uint32_t *rank, broken_vec *out)
{
    const struct dependencies *p = a->p;
    const bool runs = !a->counting; // else some versions are left out
    if (runs)
        run_order(a, order, rank, out);
    else
        depend_arrange(p, order, a->sorted);
    for (key_id k = 0; k < p->h->n_keys; k++) {
        const version_id *at = a->sorted + p->key_first[k];
        const uint32_t n = p->key_first[k + 1] - p->key_first[k];
        if (runs)
            check_ambiguous(a, k, at, n, rank, out);
        else
            check_key(a, k, at, n, rank, out);
    }
}

static int
compare_ranked(const void *a, const void *b)
{
    const struct ranked_version *x = a, *y = b;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* Sort by rank.  Few versions have moved since the last time, so insertion sort
 * is nearly linear; where that is not so, sort from scratch. */
static void
sort_versions(struct ranked_version *at, uint32_t n)
{
    uint64_t moves = 0;
    for (uint32_t i = 1; i < n; i++) {
        const struct ranked_version v = at[i];
        uint32_t j = i;
        for (; j && at[j - 1].rank > v.rank; j--)
            at[j] = at[j - 1];
        at[j] = v;
        moves += i - j;
        if (moves > (uint64_t)TUNE_ORDER_MOVES * n) {
            qsort(at, n, sizeof *at, compare_ranked);
            return;
        }
    }
}

void
order_check_key(struct order_check *a, key_id k, const uint32_t *rank,
                broken_vec *out)
{
    const struct dependencies *p = a->p;
    const uint32_t first = p->key_first[k];
    const uint32_t n = p->key_first[k + 1] - first;
    if (n > a->scratch_room) {
        a->scratch_room = 2 * (size_t)n;
        a->scratch =
            mem_realloc(a->scratch, a->scratch_room, sizeof *a->scratch);
    }
    for (uint32_t i = 1; i < n; i++) {
        const version_id v = a->sorted[first + i];
        a->scratch[i] = (struct ranked_version){commit_rank(p, rank, v), v};
    }
    if (n > 2)
        sort_versions(a->scratch + 1, n - 1);
    for (uint32_t i = 1; i < n; i++)
        a->sorted[first + i] = a->scratch[i].version;
    check_key(a, k, a->sorted + first, n, rank, out);
}
