/* row_named.c -- see row_named.h.
 *
 * SPDX-License-Identifier: MIT */
#include "history/row/row_named.h"

#include "base/container/sorted.h"

#include <stdlib.h>

static int
compare(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void
add_content(struct row_named *n, const struct row_log *l, row_id row,
            uint32_t content)
{
    const struct row_content *c = &l->contents.at[content];
    row_id *silent = &n->silent[l->rows.at[row].table];
    if (c->is_absent)
        return;
    if (!c->has_satisfied && *silent == ID_NONE)
        *silent = row;
    for (uint32_t i = 0; i < c->satisfied_n; i++)
        vec_push(&n->pairs,
                 (uint64_t)l->satisfied.at[c->satisfied + i] << 32 | row);
}

void
row_named_list(struct row_named *n, const struct row_log *l,
               const uint32_t *first, const u32_vec *versions)
{
    assert(!n->is_listed);
    n->is_listed = true;
    n->silent = mem_alloc(l->tables.n, sizeof *n->silent);
    for (size_t i = 0; i < l->tables.n; i++)
        n->silent[i] = ID_NONE;
    for (row_id r = 0; r < l->rows.n; r++)
        for (uint32_t i = first[r]; i < first[r + 1]; i++)
            add_content(n, l, r, versions->at[i]);
    if (n->pairs.n)
        qsort(n->pairs.at, n->pairs.n, sizeof *n->pairs.at, compare);
}

void
row_named_find(const struct row_named *n, const struct row_log *l,
               uint32_t table, uint32_t name, u32_vec *out)
{
    uint64_t last = UINT64_MAX;
    size_t at = 0;
    LOWER_BOUND(at, n->pairs.n, i, n->pairs.at[i] >> 32 < name);
    for (; at < n->pairs.n && n->pairs.at[at] >> 32 == name; at++) {
        const row_id row = (row_id)n->pairs.at[at];
        if (n->pairs.at[at] != last && l->rows.at[row].table == table)
            vec_push(out, row);
        last = n->pairs.at[at];
    }
}

void
row_named_free(struct row_named *n)
{
    vec_free(&n->pairs);
    mem_free(n->silent);
}
