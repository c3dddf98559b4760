/* snapshots.c -- see snapshots.h.
 *
 * SPDX-License-Identifier: MIT */
#include "mpi/snapshots.h"

#include <stdlib.h>

static int
compare_ids(const void *a, const void *b)
{
    const uint64_t x = record_txn(*(const uint64_t *)a);
    const uint64_t y = record_txn(*(const uint64_t *)b);
    return x < y ? -1 : x > y;
}

/* Sort ids, and drop those of a transaction that is there already. */
static void
sort_ids(u64_vec *ids)
{
    size_t n = 0;
    if (!ids->n)
        return;
    qsort(ids->at, ids->n, sizeof *ids->at, compare_ids);
    for (size_t i = 0; i < ids->n; i++)
        if (!n || compare_ids(&ids->at[n - 1], &ids->at[i]) != 0)
            ids->at[n++] = ids->at[i];
    ids->n = n;
}

static void
add_bytes(byte_vec *to, const void *from, size_t n)
{
    if (!n)
        return;
    vec_grow(to, n);
    memcpy(to->at + to->n - n, from, n);
}

/* The ids of all ranks on all ranks. */
static bool
share_ids(struct exchange *x, const u64_vec *mine, u64_vec *all,
          char why[EXCHANGE_TEXT])
{
    const size_t n = (size_t)x->ranks;
    byte_vec *boxes = mem_calloc(2 * n, sizeof *boxes), *in = boxes + n;
    for (size_t r = 0; r < n; r++)
        add_bytes(&boxes[r], mine->at, mine->n * sizeof *mine->at);
    const bool ok = exchange_boxes(x, boxes, sizeof *mine->at, in, why);
    for (size_t r = 0; r < n; r++) {
        const size_t ids = ok ? in[r].n / sizeof *all->at : 0, old = all->n;
        vec_grow(all, ids);
        if (ids)
            memcpy(all->at + old, in[r].at, in[r].n);
        vec_free(&in[r]);
    }
    mem_free(boxes);
    sort_ids(all);
    return ok;
}

/* Bounds go to the ranks of their transactions. */
static bool
send_bounds(struct exchange *x, const bound_vec *bounds, bound_vec *mine,
            char why[EXCHANGE_TEXT])
{
    const size_t n = (size_t)x->ranks;
    byte_vec *boxes = mem_calloc(2 * n, sizeof *boxes), *in = boxes + n;
    for (size_t i = 0; i < bounds->n; i++)
        add_bytes(&boxes[bounds->at[i].id >> RECORD_RANK], &bounds->at[i],
                  sizeof bounds->at[i]);
    const bool ok = exchange_boxes(x, boxes, sizeof *mine->at, in, why);
    for (size_t r = 0; r < n; r++) {
        const size_t some = ok ? in[r].n / sizeof *mine->at : 0, old = mine->n;
        vec_grow(mine, some);
        if (some)
            memcpy(mine->at + old, in[r].at, in[r].n);
        vec_free(&in[r]);
    }
    mem_free(boxes);
    return ok;
}

/* The ids of this rank. */
static void
take_own(const struct exchange *x, const u64_vec *all, u64_vec *own)
{
    for (size_t i = 0; i < all->n; i++)
        if (all->at[i] >> RECORD_RANK == (uint64_t)x->rank)
            vec_push(own, all->at[i]);
}

static void
raise(struct place *low, const struct place *p)
{
    if (p->id && (!low->id || place_is_before(low, p)))
        *low = *p;
}

/* Whether low is before high for each of these transactions, whose lows begin
 * with their predecessors. */
static bool
compare(const u64_vec *own, struct place *lows, const bound_vec *bounds)
{
    struct place *highs = mem_calloc(own->n + 1, sizeof *highs);
    bool ok = true;
    for (size_t i = 0; i < bounds->n; i++) {
        const struct bound *b = &bounds->at[i];
        const uint64_t *at =
            bsearch(&b->id, own->at, own->n, sizeof b->id, compare_ids);
        assert(at);
        const size_t k = (size_t)(at - own->at);
        raise(&lows[k], &b->low);
        if (b->has_high &&
            (!highs[k].id || place_is_before(&b->high, &highs[k])))
            highs[k] = b->high;
    }
    for (size_t k = 0; k < own->n; k++)
        ok &=
            !highs[k].id || !lows[k].id || place_is_before(&lows[k], &highs[k]);
    mem_free(highs);
    return ok;
}

enum snapshots_end
snapshots_find(struct home *h, struct owner *o, bool writes,
               char why[EXCHANGE_TEXT])
{
    struct exchange *x = h->exchange;
    u64_vec all = {0}, own = {0};
    bound_vec bounds = {0}, mine = {0};
    enum snapshots_end end = SNAPSHOTS_UNKNOWN;
    sort_ids(&o->readers);
    if (share_ids(x, &o->readers, &all, why)) {
        bool fits = owner_bounds(o, &all, writes, &bounds);
        take_own(x, &all, &own);
        struct place *lows = mem_calloc(own.n + 1, sizeof *lows);
        fits = home_predecessors(h, &own, lows) && fits;
        if (send_bounds(x, &bounds, &mine, why)) {
            fits = compare(&own, lows, &mine) && fits;
            end = exchange_most(x, !fits) ? SNAPSHOTS_OPEN : SNAPSHOTS_EXIST;
        }
        mem_free(lows);
    }
    vec_free(&all);
    vec_free(&own);
    vec_free(&bounds);
    vec_free(&mine);
    return end;
}
