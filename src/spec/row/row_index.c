/* row_index.c -- see row_index.h.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/row/row_index.h"

#include "base/container/sorted.h"

#include <stdlib.h>

void
row_index_add(struct row_index *x, uint32_t column, int64_t value,
              uint32_t version)
{
    while (x->columns.n <= column)
        vec_push(&x->columns, ((row_index_column){0}));
    vec_push(&x->columns.at[column],
             ((struct row_index_entry){value, version}));
}

static int
compare(const void *a, const void *b)
{
    const struct row_index_entry *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return (x->version > y->version) - (x->version < y->version);
}

void
row_index_sort(struct row_index *x)
{
    for (size_t i = 0; i < x->columns.n; i++)
        if (x->columns.at[i].n)
            qsort(x->columns.at[i].at, x->columns.at[i].n,
                  sizeof *x->columns.at[i].at, compare);
}

/* The entries with a value: *first is the first of them. */
static size_t
count(const struct row_index *x, const struct row_equality *e, size_t *first)
{
    static const row_index_column none = {0};
    const row_index_column *c =
        e->column < x->columns.n ? &x->columns.at[e->column] : &none;
    size_t end;
    *first = 0;
    LOWER_BOUND(*first, c->n, i, c->at[i].value < e->value);
    end = *first;
    LOWER_BOUND(end, c->n, i, c->at[i].value <= e->value);
    return end - *first;
}

static bool
has(const struct row_index *x, const struct row_equality *e, uint32_t version)
{
    const row_index_column *c = &x->columns.at[e->column];
    const struct row_index_entry entry = {e->value, version};
    return bsearch(&entry, c->at, c->n, sizeof entry, compare) != NULL;
}

void
row_index_find(const struct row_index *x, const struct row_equality *wanted,
               size_t n, u32_vec *out)
{
    size_t best = 0, least = SIZE_MAX, begin = 0;
    assert(n > 0);
    for (size_t i = 0; i < n; i++) {
        size_t first;
        const size_t found = count(x, &wanted[i], &first);
        if (found < least) {
            best = i;
            least = found;
            begin = first;
        }
    }
    vec_clear(out);
    for (size_t i = begin; i < begin + least; i++) {
        const uint32_t version =
            x->columns.at[wanted[best].column].at[i].version;
        bool fits = true;
        for (size_t k = 0; fits && k < n; k++)
            fits = k == best || has(x, &wanted[k], version);
        if (fits)
            vec_push(out, version);
    }
}

void
row_index_free(struct row_index *x)
{
    for (size_t i = 0; i < x->columns.n; i++)
        vec_free(&x->columns.at[i]);
    vec_free(&x->columns);
}
