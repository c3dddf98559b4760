/* column.h -- an array of integers that takes four bytes each as long as four
 * are enough, and eight from the first one on for which they are not.
 *
 * All-zero is empty.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BASE_CONTAINER_COLUMN_H
#define BASE_CONTAINER_COLUMN_H

#include "base/container/vec.h"

struct column {
    u32_vec narrow; // in use until 'is_wide'
    u64_vec wide;
    bool is_wide;
};

static inline uint64_t
column_get(const struct column *c, size_t i)
{
    return c->is_wide ? c->wide.at[i] : c->narrow.at[i];
}

void column_widen(struct column *c);

static inline void
column_push(struct column *c, uint64_t x)
{
    if (x > UINT32_MAX && !c->is_wide)
        column_widen(c);
    if (c->is_wide)
        vec_push(&c->wide, x);
    else
        vec_push(&c->narrow, (uint32_t)x);
}

static inline void
column_set(struct column *c, size_t i, uint64_t x)
{
    if (x > UINT32_MAX && !c->is_wide)
        column_widen(c);
    if (c->is_wide)
        c->wide.at[i] = x;
    else
        c->narrow.at[i] = (uint32_t)x;
}

void column_trim(struct column *c);
void column_free(struct column *c);

#endif
