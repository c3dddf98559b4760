/* absence_versions.c -- the versions of keys under an order of the evidence;
 * see absence_view.h.
 *
 * SPDX-License-Identifier: MIT */
#include "verify/absence/absence_view.h"

#include <stdlib.h>

#define NONE ABSENCE_NONE

/* --- places by reads ------------------------------------------------------ */

/* Who is first to overwrite, in the base, what b reads of k from w. */
static uint32_t
find_next(const struct absence_view *v, const uint64_t *place, uint32_t b,
          key_id k, uint32_t w)
{
    uint32_t next = NONE;
    assert(b < v->n && (w == ABSENCE_INIT || w < v->n));
    for (size_t i = 0; i < v->writes_of[k].n; i++) {
        const uint32_t u = v->writes.at[v->writes_of[k].at[i]].txn;
        if (u != b && u != w &&
            (w == ABSENCE_INIT || place[2 * u] >= place[2 * w]) &&
            (next == NONE || place[2 * u] < place[2 * next]))
            next = u;
    }
    return next;
}

void
absence_view_find_ways(const struct absence_view *v, const uint64_t *place,
                       uint32_t b, view_way_vec *out)
{
    for (uint32_t r = v->read_first[b]; r < v->read_first[b + 1]; r++) {
        const struct view_read *read = &v->reads.at[r];
        for (uint32_t i = v->a->pick_first.at[r];
             i < v->a->pick_first.at[r + 1]; i++) {
            const uint32_t w = v->a->picks.at[i];
            vec_push(out,
                     ((struct view_way){
                         r, w, find_next(v, place, b, read->key, w), false}));
        }
        if (v->a->is_strict && r + 1 < v->read_first[b + 1])
            vec_push(out, ((struct view_way){
                              r, read->writer,
                              find_next(v, place, b, read->key, read->writer),
                              true}));
    }
}

uint64_t
absence_view_place_before(const uint64_t *place, uint32_t next)
{
    return next == NONE ? UINT64_MAX : place[2 * next];
}

/* --- versions ------------------------------------------------------------- */

static bool
all_writers_read(const struct absence_view *v, key_id k)
{
    for (size_t i = 0; i < v->writes_of[k].n; i++)
        if (!view_reads_key(v, v->writes.at[v->writes_of[k].at[i]].txn, k))
            return false;
    return true;
}

static bool
is_placed_by_reads(const struct absence_view *v, uint32_t n, uint32_t write)
{
    const struct view_write *w = &v->writes.at[write];
    if (!v->a->orders.at[n].by_reads)
        return false;
    if (!view_reads_key(v, w->txn, w->key))
        return true;
    return v->writes_of[w->key].n <= ABSENCE_PLACED &&
           !all_writers_read(v, w->key);
}

/* Whether a write can take place in a boundary transaction. */
static bool
may_be_done(const struct absence_view *v, uint32_t write)
{
    const struct view_write *w = &v->writes.at[write];
    return v->candidate[w->txn] &&
           (!v->a->is_strict || v->read_first[w->txn] + w->reads_before <
                                    v->read_first[w->txn + 1]);
}

static void
put_versions(struct absence_view *v, uint32_t n, uint32_t write)
{
    const uint64_t *place = v->a->orders.at[n].place;
    struct view_order *o = &v->orders[n];
    const uint32_t t = v->writes.at[write].txn;
    assert(v->writes_of[v->writes.at[write].key].n);
    vec_push(&o->versions,
             ((struct view_version){place[2 * t], write, VERSION_BASE}));
    if (!may_be_done(v, write))
        return;
    if (!is_placed_by_reads(v, n, write)) {
        vec_push(&o->versions,
                 ((struct view_version){place[2 * t + 1], write, VERSION_OWN}));
        return;
    }
    view_way_vec ways = {0};
    u32_vec seen = {0};
    absence_view_find_ways(v, place, t, &ways);
    for (size_t i = 0; i <= ways.n; i++) {
        const uint32_t next = i < ways.n ? ways.at[i].next : NONE;
        bool known = false;
        for (size_t j = 0; j < seen.n; j++)
            known |= seen.at[j] == next;
        if (known)
            continue;
        vec_push(&seen, next);
        vec_push(&o->versions,
                 ((struct view_version){
                     absence_view_place_before(place, next) - 1, write, next}));
    }
    vec_free(&ways);
    vec_free(&seen);
}

static int
compare_versions(const void *a, const void *b)
{
    const struct view_version *x = a, *y = b;
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    return x->write < y->write ? -1 : x->write > y->write;
}

const struct view_order *
view_versions(struct absence_view *v, uint32_t n)
{
    struct view_order *o = &v->orders[n];
    assert(n < v->a->orders.n);
    if (o->first)
        return o;
    assert(!o->versions.n);
    const uint32_t keys = v->h->n_keys;
    o->first = mem_alloc(keys + 1, sizeof *o->first);
    for (key_id k = 0; k < keys; k++) {
        o->first[k] = (uint32_t)o->versions.n;
        for (size_t i = 0; i < v->writes_of[k].n; i++)
            put_versions(v, n, v->writes_of[k].at[i]);
        if (o->versions.n > o->first[k])
            qsort(o->versions.at + o->first[k], o->versions.n - o->first[k],
                  sizeof *o->versions.at, compare_versions);
    }
    o->first[keys] = (uint32_t)o->versions.n;
    return o;
}

/* The index of a version, or NONE. */
uint32_t
absence_view_find_version(struct absence_view *v, uint32_t n, uint32_t write,
                          uint32_t tag)
{
    const struct view_order *o = view_versions(v, n);
    if (write >= v->writes.n)
        return NONE;
    const key_id k = v->writes.at[write].key;
    for (uint32_t i = o->first[k]; i < o->first[k + 1]; i++)
        if (o->versions.at[i].write == write && o->versions.at[i].tag == tag)
            return i;
    return NONE;
}
