/* intmap.c -- see intmap.h.
 *
 * Invariant: a key is in 'direct' or in 'slots', never in both: where the bound
 * of 'direct' grows, it takes the keys below it out of 'slots'.
 *
 * The bound at least doubles.  It once followed the number of keys, and then
 * sparse keys, each a little above it, copied the table every time.
 *
 * SPDX-License-Identifier: MIT */
#include "base/container/intmap.h"

#include "base/container/hash.h"
#include "base/memory/mem.h"

#include <assert.h>

struct intmap_slot {
    uint64_t key;
    uint32_t value; // plus 1; 0 = empty
};

enum { DIRECT_SLACK = 1024, DIRECT_FACTOR = 4 };

/* The slot of key, or the empty one where it belongs. */
static struct intmap_slot *
probe(const struct intmap *m, uint64_t key)
{
    size_t i = hash_u64(key) & (m->slots_n - 1);
    while (m->slots[i].value && m->slots[i].key != key)
        i = (i + 1) & (m->slots_n - 1);
    return &m->slots[i];
}

static void
grow_slots(struct intmap *m)
{
    struct intmap old = *m;
    m->slots_n = old.slots_n ? old.slots_n * 2 : 64;
    m->slots = mem_calloc(m->slots_n, sizeof *m->slots);
    for (size_t i = 0; i < old.slots_n; i++)
        if (old.slots[i].value)
            *probe(m, old.slots[i].key) = old.slots[i];
    mem_free(old.slots);
}

/* Write an entry of 'direct'.  Other threads may look (intmap_view_find). */
static void
set_direct(struct intmap *m, uint64_t key, uint32_t value)
{
    __atomic_store_n(&m->direct[key], value, __ATOMIC_RELAXED);
    if (key >= m->below)
        __atomic_store_n(&m->below, table_below(m->direct, m->direct_n, key),
                         __ATOMIC_RELAXED);
}

/* Move the keys that 'direct' covers now out of 'slots'. */
static void
move_covered(struct intmap *m)
{
    const struct intmap old = *m;
    if (!m->used)
        return;
    m->slots = mem_calloc(m->slots_n, sizeof *m->slots);
    m->used = 0;
    for (size_t i = 0; i < old.slots_n; i++) {
        const struct intmap_slot *s = &old.slots[i];
        if (!s->value)
            continue;
        if (s->key < m->direct_n) {
            set_direct(m, s->key, s->value);
        } else {
            *probe(m, s->key) = *s;
            m->used++;
        }
    }
    mem_free(old.slots);
}

/* Make 'direct' cover key, if key is small beside what the map holds. */
static bool
cover(struct intmap *m, uint64_t key)
{
    size_t n = m->n * DIRECT_FACTOR + DIRECT_SLACK;
    if (n < m->expected)
        n = m->expected;
    if (key >= n)
        return false;
    if (n < m->direct_n * 2)
        n = m->direct_n * 2;
    // Fresh memory, because what of it is never touched costs nothing.
    uint32_t *direct = mem_calloc(n, sizeof *direct);
    if (m->below)
        memcpy(direct, m->direct, m->below * sizeof *direct);
    if (m->direct != m->shared)
        mem_free(m->direct);
    m->direct = direct;
    m->direct_n = n;
    move_covered(m);
    return true;
}

void
intmap_share(struct intmap *m)
{
    assert(!m->shared);
    if (!m->direct_n)
        (void)cover(m, 0);
    m->shared = m->direct;
    m->shared_n = m->direct_n;
}

uint32_t
intmap_find(const struct intmap *m, uint64_t key)
{
    if (key < m->below && m->direct[key])
        return m->direct[key] - 1;
    return m->used ? probe(m, key)->value - 1 : UINT32_MAX;
}

uint32_t
intmap_add_slow(struct intmap *m, uint64_t key, uint32_t fresh, bool *added)
{
    const uint32_t found = intmap_find(m, key);
    *added = found == UINT32_MAX;
    if (!*added)
        return found;
    m->n++;
    if (key < m->direct_n || cover(m, key)) {
        set_direct(m, key, fresh + 1);
        return fresh;
    }
    if ((m->used + 1) * 4 > m->slots_n * 3)
        grow_slots(m);
    m->used++;
    *probe(m, key) = (struct intmap_slot){key, fresh + 1};
    return fresh;
}

void
intmap_free(struct intmap *m)
{
    if (m->direct != m->shared)
        mem_free(m->shared);
    mem_free(m->direct);
    mem_free(m->slots);
    *m = (struct intmap){0};
}
