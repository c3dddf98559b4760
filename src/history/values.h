/* values.h -- the table of value ids, one for each pair of key and value.
 *
 * In most histories the value alone identifies the pair, because generators
 * number their writes.  So a plain array, indexed by small integer values,
 * holds the first pair with that value.  All other pairs are in a hash table
 * with open addressing.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_VALUES_H
#define HISTORY_VALUES_H

#include "base/container/intmap.h"
#include "history/history.h"

struct values {
    VEC(struct value) all; // row 0 stands for VALUE_INIT
    struct column bits;    // of the atoms, by row
    uint32_t *direct;      // id of the first pair with that value, 0 = none
    size_t direct_n;
    size_t below;    // of 'direct': not read from there on (table_below)
    uint32_t *slots; // ids, 0 = empty
    size_t slots_n, used;
    size_t expected; // how many values may come
};

void values_init(struct values *v);
void values_prefetch_slot(const struct values *v, key_id key, struct atom atom);

/* Announce about n values.  Integers up to a small multiple of n then have a
 * place in 'direct' from the start, in whatever order they appear. */
void values_expect(struct values *v, size_t n);

/* The id of the pair, added where it is new. */
value_id values_add_slow(struct values *v, uint32_t tagged_key,
                         struct atom atom);

static inline value_id
values_add(struct values *v, key_id key, struct atom atom)
{
    assert(!(key >> VALUE_TAG_SHIFT) && atom.tag != ATOM_NIL);
    const uint32_t tagged_key = key | (uint32_t)atom.tag << VALUE_TAG_SHIFT;
    if (atom.tag == ATOM_INT && atom.bits < v->below) {
        const uint32_t id = v->direct[atom.bits];
        if (id && v->all.at[id].key == tagged_key)
            return id;
    }
    return values_add_slow(v, tagged_key, atom);
}

/* Enter a row as the first with this integer. */
static inline void
values_place(struct values *v, uint64_t bits, value_id row)
{
    assert(bits < v->direct_n);
    v->direct[bits] = row;
    if (bits >= v->below)
        v->below = table_below(v->direct, v->direct_n, bits);
}

/* The same for one that is probably new. */
static inline value_id
values_add_new(struct values *v, key_id key, struct atom atom)
{
    // A pair can be in the hash table only if that holds anything.
    if (atom.tag != ATOM_INT || atom.bits >= v->direct_n || v->used ||
        (atom.bits < v->below && v->direct[atom.bits]))
        return values_add(v, key, atom);
    const value_id fresh = capacity_index(CAPACITY_VALUES, v->all.n);
    assert(!(key >> VALUE_TAG_SHIFT));
    values_place(v, atom.bits, fresh);
    vec_push(&v->all,
             ((struct value){key | (uint32_t)ATOM_INT << VALUE_TAG_SHIFT,
                             TXN_NONE}));
    column_push(&v->bits, atom.bits);
    return fresh;
}

void values_free_index(struct values *v);
void values_free(struct values *v);

/* Prefetch what a search for the pair accesses first. */
PREFETCHING void
values_prefetch(const struct values *v, key_id key, struct atom atom)
{
    if (atom.tag == ATOM_INT && atom.bits < v->direct_n)
        __builtin_prefetch(&v->direct[atom.bits]);
    else
        values_prefetch_slot(v, key, atom);
}

/* The first pair with this integer as its value, where 'direct' has it; else
 * row 0. */
static inline value_id
values_peek(const struct values *v, struct atom atom)
{
    return atom.tag == ATOM_INT && atom.bits < v->below ? v->direct[atom.bits]
                                                        : 0;
}

#endif
