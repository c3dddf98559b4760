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

/* Start loading what values_add of this pair will touch: first the entry in
 * an index, and some time later the row that the entry leads to.  (In line,
 * reading is a third slower: measured, not understood.) */
void values_prefetch(const struct values *v, key_id key, struct atom atom);
void values_prefetch_row(const struct values *v, struct atom atom);

#endif
