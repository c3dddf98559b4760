/* values.h -- the table that gives each pair of key and value its id.
 *
 * The pair is found by the value alone in most histories, because generators
 * number their writes: a plain table indexed by small integer values leads to
 * the first pair with that value.  All others are in open addressing.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_VALUES_H
#define HISTORY_VALUES_H

#include "history/history.h"

struct values {
    VEC(struct value) all; // row 0 stands for VALUE_INIT
    struct column bits;    // of the atoms, by row
    uint32_t *direct;      // id of the first pair with that value, 0 = none
    size_t direct_n;
    uint32_t *slots; // ids, 0 = empty
    size_t slots_n, used;
    size_t expected; // how many values may come
};

void values_init(struct values *v);
void values_prefetch_slot(const struct values *v, key_id key, struct atom atom);

/* Say that about n values will come: integers up to some times that get a
 * place in 'direct' from the start, in whatever order they appear. */
void values_expect(struct values *v, size_t n);

/* The id of the pair, added where it is new. */
value_id values_add_slow(struct values *v, uint32_t tagged_key,
                         struct atom atom);

static inline value_id
values_add(struct values *v, key_id key, struct atom atom)
{
    const uint32_t tagged_key = key | (uint32_t)atom.tag << VALUE_TAG_SHIFT;
    if (atom.tag == ATOM_INT && atom.bits < v->direct_n) {
        const uint32_t id = v->direct[atom.bits];
        if (id && v->all.at[id].key == tagged_key)
            return id;
    }
    return values_add_slow(v, tagged_key, atom);
}

void values_free_index(struct values *v);
void values_free(struct values *v);

/* Start loading what a search for the pair will touch first. */
static inline void
values_prefetch(const struct values *v, key_id key, struct atom atom)
{
    if (atom.tag == ATOM_INT && atom.bits < v->direct_n)
        __builtin_prefetch(&v->direct[atom.bits]);
    else
        values_prefetch_slot(v, key, atom);
}

/* The first pair with this integer as its value, where 'direct' has it; else
 * 0, a row as well. */
static inline value_id
values_peek(const struct values *v, struct atom atom)
{
    return atom.tag == ATOM_INT && atom.bits < v->direct_n
               ? v->direct[atom.bits]
               : 0;
}

/* Whether such a row is of this key. */
static inline bool
values_is(const struct values *v, value_id row, key_id key, enum atom_tag tag)
{
    return v->all.at[row].key == (key | (uint32_t)tag << VALUE_TAG_SHIFT);
}

#endif
