/* intmap.h -- a map from 64-bit integers to 32-bit ones.
 *
 * Identifiers in histories are mostly small and dense, so keys below a bound
 * that grows with the map sit in a plain table and cost one load; the rest go
 * to open addressing.  All-zero is empty.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BASE_CONTAINER_INTMAP_H
#define BASE_CONTAINER_INTMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct intmap {
    uint32_t *direct; // value + 1 of key i, 0 where absent
    size_t direct_n;
    struct intmap_slot *slots; // a power of two of them; value + 1 likewise
    size_t slots_n, used;      // used: in slots only
    size_t n;                  // in all
    size_t expected;           // keys below it always go to 'direct'
    uint32_t *shared;          // what views look at; NULL = there are none
};

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
    if (key < m->direct_n && m->direct[key]) {
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
    return key < m->direct_n ? m->direct[key] - 1 : UINT32_MAX;
}

/* A part of a map that other threads may search while its owner adds keys.  A
 * key that is found has its final value; one that is not found may be there. */
struct intmap_view {
    const uint32_t *direct;
    size_t direct_n;
};

/* A view of the plain table as large as it is now, valid as long as the map is.
 * Called once, before the threads begin. */
struct intmap_view intmap_share(struct intmap *m);

/* The value of key, or UINT32_MAX. */
static inline uint32_t
intmap_view_find(const struct intmap_view *view, uint64_t key)
{
    return key < view->direct_n
               ? __atomic_load_n(&view->direct[key], __ATOMIC_RELAXED) - 1
               : UINT32_MAX;
}

static inline void
intmap_view_prefetch(const struct intmap_view *view, uint64_t key)
{
    if (key < view->direct_n)
        __builtin_prefetch(&view->direct[key]);
}

/* Start loading what that will touch. */
static inline void
intmap_prefetch(const struct intmap *m, uint64_t key)
{
    if (key < m->direct_n)
        __builtin_prefetch(&m->direct[key]);
}

void intmap_free(struct intmap *m);

#endif
