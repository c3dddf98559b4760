/* column.c -- see column.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/container/column.h"

void
column_widen(struct column *c)
{
    vec_reserve(&c->wide, c->narrow.room);
    for (size_t i = 0; i < c->narrow.n; i++)
        vec_push(&c->wide, (uint64_t)c->narrow.at[i]);
    vec_free(&c->narrow);
    c->is_wide = true;
}

void
column_trim(struct column *c)
{
    vec_trim(&c->narrow);
    vec_trim(&c->wide);
}

void
column_free(struct column *c)
{
    vec_free(&c->narrow);
    vec_free(&c->wide);
    c->is_wide = false;
}
