/* values.c -- see values.h.
 *
 * Invariant: a pair is reachable from 'direct' or from 'slots'.  A pair may
 * sit in 'slots' although its value is below direct_n now, because the bound
 * grows; a search that fails in 'direct' therefore goes on in 'slots'.
 *
 * SPDX-License-Identifier: MIT */
#include "history/values.h"

#include "base/container/hash.h"

enum { DIRECT_SLACK = 1024, DIRECT_FACTOR = 2 };

void
values_init(struct values *v)
{
    *v = (struct values){0};
    vec_push(&v->all, ((struct value){0, TXN_INIT}));
    column_push(&v->bits, 0);
}

void
values_expect(struct values *v, size_t n)
{
    v->expected = n;
    vec_reserve(&v->all, n + 1);
    vec_reserve(&v->bits.narrow, n + 1);
}

static uint64_t
hash_value(uint32_t tagged_key, uint64_t bits)
{
    return hash_pair(tagged_key, bits);
}

static uint32_t *
probe(const struct values *v, uint32_t tagged_key, uint64_t bits)
{
    size_t i = hash_value(tagged_key, bits) & (v->slots_n - 1);
    for (;; i = (i + 1) & (v->slots_n - 1)) {
        const uint32_t id = v->slots[i];
        assert(id < v->all.n);
        if (!id || (v->all.at[id].key == tagged_key &&
                    column_get(&v->bits, id) == bits))
            return &v->slots[i];
    }
}

static void
grow_slots(struct values *v)
{
    const size_t old_n = v->slots_n;
    uint32_t *old = v->slots;
    v->slots_n = old_n ? old_n * 2 : 64;
    while (v->slots_n * 3 < v->expected * 4) // so that it need not grow
        v->slots_n *= 2;
    v->slots = mem_calloc(v->slots_n, sizeof *v->slots);
    for (size_t i = 0; i < old_n; i++)
        if (old[i])
            *probe(v, v->all.at[old[i]].key, column_get(&v->bits, old[i])) =
                old[i];
    mem_free(old);
}

/* Make 'direct' cover a value that is small beside the number of values. */
static bool
cover(struct values *v, uint64_t bits)
{
    const size_t n_values = v->all.n > v->expected ? v->all.n : v->expected;
    if (bits >= n_values * DIRECT_FACTOR + DIRECT_SLACK)
        return false;
    // Zeroed fresh memory: pages that are never touched cost nothing.  At least
    // twice as much, or sparse values would copy the table again and again.
    size_t n = n_values * DIRECT_FACTOR + DIRECT_SLACK;
    if (n < v->direct_n * 2)
        n = v->direct_n * 2;
    uint32_t *direct = mem_calloc(n, sizeof *direct);
    if (v->below)
        memcpy(direct, v->direct, v->below * sizeof *direct);
    mem_free(v->direct);
    v->direct = direct;
    v->direct_n = n;
    return true;
}

value_id
values_add_slow(struct values *v, uint32_t tagged_key, struct atom atom)
{
    const uint64_t bits = atom.bits;
    const bool is_int = atom.tag == ATOM_INT;
    uint32_t *slot = v->slots_n ? probe(v, tagged_key, bits) : NULL;
    if (slot && *slot)
        return *slot;
    const value_id fresh = capacity_index(CAPACITY_VALUES, v->all.n);
    vec_push(&v->all, ((struct value){tagged_key, TXN_NONE}));
    column_push(&v->bits, bits);
    if (is_int && (bits < v->direct_n || cover(v, bits)) &&
        (bits >= v->below || !v->direct[bits])) {
        values_place(v, bits, fresh);
        return fresh;
    }
    if ((v->used + 1) * 4 > v->slots_n * 3) {
        grow_slots(v);
        slot = probe(v, tagged_key, bits);
    }
    v->used++;
    assert(!*slot && v->used < v->slots_n);
    *slot = fresh;
    return fresh;
}

void
values_prefetch_slot(const struct values *v, key_id key, struct atom atom)
{
    const uint32_t tagged_key = key | (uint32_t)atom.tag << VALUE_TAG_SHIFT;
    if (v->slots_n)
        __builtin_prefetch(
            &v->slots[hash_value(tagged_key, atom.bits) & (v->slots_n - 1)]);
}

void
values_free_index(struct values *v)
{
    mem_free(v->direct);
    mem_free(v->slots);
    v->direct = v->slots = NULL;
    v->direct_n = v->below = v->slots_n = v->used = 0;
}

void
values_free(struct values *v)
{
    values_free_index(v);
    vec_free(&v->all);
    column_free(&v->bits);
}
