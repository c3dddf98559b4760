/* order_check.h -- checks an order of the points against the level.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STRONG_ORDER_ORDER_CHECK_H
#define STRONG_ORDER_ORDER_CHECK_H

#include "depend/dependencies.h"

/* Something that an order breaks: a read whose version 'first' is overwritten
 * by 'second' before it starts; or an ambiguous read that sees 'second', which
 * has another value ('first' is VERSION_NONE); or, without a read, two versions
 * whose writers overlap. */
struct broken {
    read_id read;
    version_id first, second;
};
typedef VEC(struct broken) broken_vec;

struct order_check {
    const struct dependencies *p;
    uint32_t *ambiguous_first; // by key: of p->ambiguous, which is by key
    version_id *sorted;        // the versions of each key as last sorted
    uint32_t *place; // by version: its place in 'sorted'; by order_check_all,
                     // where no transaction is optional
    struct ranked_version *scratch;
    size_t scratch_room;
    // Which optional transactions count in the order; the others are placed
    // after its end.  By dense id less p->n_certain.  At first these are the
    // ones that certainly count; the caller may mark more.
    uint8_t *counting;
    version_id *kept; // the versions of a key whose writers count
};

static inline bool
order_check_counts(const struct order_check *a, dense_id t)
{
    return t < a->p->n_certain || a->counting[t - a->p->n_certain];
}

void order_check_init(struct order_check *a, const struct dependencies *p);
void order_check_free(struct order_check *a);

/* Go back to the optional transactions that certainly count. */
void order_check_reset_counting(struct order_check *a);

/* Append what order[0 .. g.n), with rank its inverse, breaks: in any key, or
 * in key k.  The former comes first. */
void order_check_all(struct order_check *a, const uint32_t *order,
                     const uint32_t *rank, broken_vec *out);
void order_check_key(struct order_check *a, key_id k, const uint32_t *rank,
                     broken_vec *out);

#endif
