/* intmap.h -- a map from 64-bit integers to 32-bit ones.
 *
 * Identifiers in histories are mostly small and dense, so keys below a bound
 * that grows with the map sit in a plain table and cost one load; the rest go
 * to open addressing.  All-zero is empty.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BASE_CONTAINER_INTMAP_H
#define BASE_CONTAINER_INTMAP_H

#include "base/prefetch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct intmap {
    uint32_t *direct; // value + 1 of key i, 0 where absent
    size_t direct_n;
    size_t below;              // not read from there on; see table_below
    struct intmap_slot *slots; // a power of two of them; value + 1 likewise
    size_t slots_n, used;      // used: in slots only
    size_t n;                  // in all
    size_t expected;           // keys below it always go to 'direct'
    uint32_t *shared;          // what views look at; NULL = there are none
    size_t shared_n;
};

/* Where the page ends that holds entry i of a table of n, as an index.  A table
 * of fresh zeros is read only below the last page that was written: to read a
 * page first costs twice, because the kernel shows a page of zeros then, and
 * the write replaces that on all cores, which have to be interrupted for it. */
static inline size_t
table_below(const uint32_t *table, size_t n, size_t i)
{
    const uintptr_t page = 4096; // or larger, and then this does no harm
    const uintptr_t end = ((uintptr_t)(table + i) | (page - 1)) + 1;
    const size_t below = (end - (uintptr_t)table) / sizeof *table;
    return below < n ? below : n;
}

/* Say that keys below n are to be in the plain table, whenever they come. */
static inline void
intmap_expect(struct intmap *m, size_t n)
{
    m->expected = n;
}

/* The value of key, or UINT32_MAX. */
uint32_t intmap_find(const struct intmap *m, uint64_t key);

/* The value of key; where there is none yet, set it to 'fresh', a value below
 * UINT32_MAX, and say so in *added. */
uint32_t intmap_add_slow(struct intmap *m, uint64_t key, uint32_t fresh,
                         bool *added);

static inline uint32_t
intmap_add(struct intmap *m, uint64_t key, uint32_t fresh, bool *added)
{
    if (key < m->below && m->direct[key]) {
        *added = false;
        return m->direct[key] - 1;
    }
    return intmap_add_slow(m, key, fresh, added);
}

/* The value of key where the plain table has it; UINT32_MAX where that does
 * not tell. */
static inline uint32_t
intmap_peek(const struct intmap *m, uint64_t key)
{
    return key < m->below ? m->direct[key] - 1 : UINT32_MAX;
}

/* A part of a map that other threads may search while its owner adds keys.  A
 * key that is found has its final value; one that is not found may be there. */
struct intmap_view {
    const uint32_t *direct;
    size_t direct_n;
};

/* Keep the plain table for views, as large as it is now.  Called once, before
 * the threads begin. */
void intmap_share(struct intmap *m);

/* On any thread: a view of what is there now, valid as long as the map is. */
static inline struct intmap_view
intmap_look(const struct intmap *m)
{
    const size_t below = __atomic_load_n(&m->below, __ATOMIC_RELAXED);
    return (struct intmap_view){m->shared,
                                below < m->shared_n ? below : m->shared_n};
}

/* The value of key, or UINT32_MAX. */
static inline uint32_t
intmap_view_find(const struct intmap_view *view, uint64_t key)
{
    return key < view->direct_n
               ? __atomic_load_n(&view->direct[key], __ATOMIC_RELAXED) - 1
               : UINT32_MAX;
}

PREFETCHING void
intmap_view_prefetch(const struct intmap_view *view, uint64_t key)
{
    if (key < view->direct_n)
        __builtin_prefetch(&view->direct[key]);
}

/* Start loading what that will touch. */
PREFETCHING void
intmap_prefetch(const struct intmap *m, uint64_t key)
{
    if (key < m->direct_n)
        __builtin_prefetch(&m->direct[key]);
}

void intmap_free(struct intmap *m);

#endif
