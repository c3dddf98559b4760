/* same_rows.h -- whether two histories record the same of rows.
 *
 * The logs are compared, not the registers that were made of them: the text of
 * a register's value depends on the order in which a file names columns.
 *
 * SPDX-License-Identifier: MIT */
#ifndef TEST_FORMAT_SAME_ROWS_H
#define TEST_FORMAT_SAME_ROWS_H

#include "format/row/row_put.h"

static inline bool
same_string(struct string a, struct string b)
{
    return a.len == b.len && memcmp(a.text, b.text, a.len) == 0;
}

/* Whether names, which may be ID_NONE or ROW_PREV_NULL, are the same. */
static inline bool
same_name(const struct row_log *a, uint32_t x, const struct row_log *b,
          uint32_t y)
{
    if (x >= ROW_PREV_NULL || y >= ROW_PREV_NULL)
        return x == y;
    return same_string(strings_get(&a->names, x), strings_get(&b->names, y));
}

static inline bool
same_row(const struct row_log *a, row_id x, const struct row_log *b, row_id y)
{
    return same_string(strings_get(&a->row_names, x),
                       strings_get(&b->row_names, y));
}

static inline bool
same_datum(const struct row_log *a, struct row_datum x, const struct row_log *b,
           struct row_datum y)
{
    return x.type == y.type &&
           (x.type == ROW_DATUM_TEXT  ? same_name(a, x.text, b, y.text)
            : x.type == ROW_DATUM_INT ? x.number == y.number
                                      : true);
}

/* The same columns, in any order, with the same values. */
static inline bool
same_cells(const struct row_log *a, uint32_t x, const struct row_log *b,
           uint32_t y)
{
    const struct row_cells c = row_log_cells(a, x), d = row_log_cells(b, y);
    size_t found = 0;
    for (size_t i = 0; i < c.n; i++)
        for (size_t j = 0; j < d.n; j++)
            found += same_name(a, c.at[i].column, b, d.at[j].column) &&
                     same_datum(a, c.at[i].datum, b, d.at[j].datum);
    return c.n == d.n && found == c.n;
}

static inline bool
same_content(const struct row_log *a, uint32_t x, const struct row_log *b,
             uint32_t y)
{
    const struct row_content *c = &a->contents.at[x], *d = &b->contents.at[y];
    bool same = c->is_absent == d->is_absent &&
                same_name(a, c->ver, b, d->ver) &&
                same_name(a, c->prev, b, d->prev) &&
                c->has_satisfied == d->has_satisfied &&
                c->satisfied_n == d->satisfied_n && same_cells(a, x, b, y);
    for (uint32_t i = 0; same && i < c->satisfied_n; i++)
        same = same_name(a, a->satisfied.at[c->satisfied + i], b,
                         b->satisfied.at[d->satisfied + i]);
    return same;
}

static inline bool
same_query(const struct row_log *a, uint32_t x, const struct row_log *b,
           uint32_t y)
{
    const struct row_query *q = &a->queries.at[a->entries.at[x].about];
    const struct row_query *r = &b->queries.at[b->entries.at[y].about];
    const struct row_condition *c = &a->conditions.at[q->condition];
    const struct row_condition *d = &b->conditions.at[r->condition];
    bool same = same_name(a, a->tables.at[q->table].name, b,
                          b->tables.at[r->table].name) &&
                c->is_named == d->is_named &&
                same_name(a, c->text, b, d->text) && q->returned == r->returned;
    for (uint32_t i = 1; same && i <= q->returned; i++) {
        const struct row_entry *e = &a->entries.at[x - i];
        const struct row_entry *f = &b->entries.at[y - i];
        same = same_row(a, e->row, b, f->row) &&
               same_content(a, e->content, b, f->content);
    }
    return same;
}

static inline bool
same_entry(const struct row_log *a, uint32_t x, const struct row_log *b,
           uint32_t y)
{
    const struct row_entry *e = &a->entries.at[x], *f = &b->entries.at[y];
    if (e->kind != f->kind)
        return false;
    return e->kind == ROW_QUERY
               ? same_query(a, x, b, y)
               : e->is_insert == f->is_insert &&
                     same_row(a, e->row, b, f->row) &&
                     same_content(a, e->content, b, f->content);
}

/* The next row from *row on that an entry names or that there is in the
 * beginning. */
static inline bool
next_named(const struct row_log *l, const uint8_t *named, row_id *row)
{
    while (*row < l->rows.n && !named[*row])
        ++*row;
    return *row < l->rows.n;
}

static inline uint8_t *
find_named(const struct row_log *l)
{
    uint8_t *named = mem_calloc(l->rows.n + 1, sizeof *named);
    for (row_id row = 0; row < l->rows.n; row++)
        named[row] = l->rows.at[row].initial != ROW_ABSENT;
    for (size_t i = 0; i < l->entries.n; i++)
        if (l->entries.at[i].kind != ROW_QUERY &&
            l->entries.at[i].kind != ROW_OTHER)
            named[l->entries.at[i].row] = 1;
    return named;
}

/* The same rows in the beginning; where there are queries, all rows in the same
 * order. */
static inline bool
same_beginning(const struct row_log *a, const struct row_log *b)
{
    uint8_t *in_a = find_named(a), *in_b = find_named(b);
    bool same = true;
    if (a->queries.n) {
        row_id x = 0, y = 0;
        bool more = true;
        for (; same && more; x++, y++) {
            more = next_named(a, in_a, &x);
            same = next_named(b, in_b, &y) == more &&
                   (!more || same_row(a, x, b, y));
        }
    }
    for (row_id x = 0; same && x < a->rows.n; x++) {
        uint32_t initial = ROW_ABSENT;
        for (row_id y = 0; y < b->rows.n; y++)
            if (same_row(a, x, b, y))
                initial = b->rows.at[y].initial;
        same = same_content(a, a->rows.at[x].initial, b, initial);
    }
    mem_free(in_a);
    mem_free(in_b);
    return same;
}

#endif
