/* row_log.c -- see row_log.h.
 *
 * SPDX-License-Identifier: MIT */
#include "history/row/row_log.h"

#include <stdlib.h>

struct row_log *
row_log_new(void)
{
    struct row_log *l = mem_calloc(1, sizeof *l);
    vec_push(&l->contents,
             ((struct row_content){
                 .is_absent = true, .ver = ID_NONE, .prev = ID_NONE}));
    assert(l->contents.n == ROW_ABSENT + 1);
    return l;
}

void
row_log_free(struct row_log *l)
{
    if (!l)
        return;
    for (size_t i = 0; i < l->conditions.n; i++)
        predicate_free(&l->conditions.at[i].predicate);
    strings_free(&l->names);
    strings_free(&l->row_names);
    strings_free(&l->table_names);
    strings_free(&l->condition_names);
    vec_free(&l->rows);
    vec_free(&l->tables);
    vec_free(&l->columns);
    vec_free(&l->contents);
    vec_free(&l->cells);
    vec_free(&l->satisfied);
    vec_free(&l->entries);
    vec_free(&l->queries);
    vec_free(&l->conditions);
    vec_free(&l->others);
    vec_free(&l->items);
    mem_free(l);
}

uint32_t
row_log_table(struct row_log *l, const char *name, size_t n)
{
    const uint32_t table = strings_add(&l->table_names, name, n);
    if (table == l->tables.n)
        vec_push(&l->tables,
                 ((struct row_table){.name = strings_add(&l->names, name, n)}));
    assert(table < l->tables.n);
    return table;
}

bool
row_log_is_word(const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!(text[i] >= 'a' && text[i] <= 'z') &&
            !(text[i] >= 'A' && text[i] <= 'Z') && text[i] != '_' &&
            !(i && text[i] >= '0' && text[i] <= '9'))
            return false;
    return n;
}

row_id
row_log_row(struct row_log *l, uint32_t table, const char *key, size_t n,
            bool word)
{
    const struct string t = strings_get(&l->table_names, table);
    struct buf text = {0};
    buf_char(&text, '[');
    buf_json(&text, t.text, t.len);
    buf_char(&text, ',');
    buf_add(&text, key, n);
    buf_char(&text, ']');
    const row_id row = strings_add(&l->row_names, text.at, text.n);
    if (row == l->rows.n) {
        if (word && row_log_is_word(t.text, t.len)) {
            buf_clear(&text);
            buf_text(&text, t.text);
            buf_char(&text, '/');
            buf_add(&text, key, n);
        }
        vec_push(&l->rows,
                 ((struct row){.table = table,
                               .name = strings_add(&l->names, text.at, text.n),
                               .initial = ROW_ABSENT}));
    }
    buf_free(&text);
    assert(row < l->rows.n);
    return row;
}

uint32_t
row_log_content(struct row_log *l)
{
    vec_push(&l->contents,
             ((struct row_content){.ver = ID_NONE,
                                   .prev = ID_NONE,
                                   .cells = (uint32_t)l->cells.n,
                                   .satisfied = (uint32_t)l->satisfied.n}));
    return (uint32_t)l->contents.n - 1;
}

void
row_log_cell(struct row_log *l, uint32_t content, struct row_cell cell)
{
    assert(content == l->contents.n - 1); // cells of a content are adjacent
    vec_push(&l->cells, cell);
    l->contents.at[content].cells_n++;
}

static int
compare_cells(const void *a, const void *b)
{
    const uint32_t x = ((const struct row_cell *)a)->column;
    const uint32_t y = ((const struct row_cell *)b)->column;
    return x < y ? -1 : x > y;
}

/* A name as messages show it. */
static const char *
quote(const struct row_log *l, uint32_t name, char out[ERR_QUOTE_ROOM])
{
    const struct string s = strings_get(&l->names, name);
    return err_quote(out, ERR_QUOTE_ROOM, s.text, s.len);
}

bool
row_log_end_content(struct row_log *l, uint32_t content, struct err *err)
{
    const struct row_content *c = &l->contents.at[content];
    char shown[ERR_QUOTE_ROOM];
    if (!c->cells_n)
        return true;
    struct row_cell *cells = l->cells.at + c->cells;
    qsort(cells, c->cells_n, sizeof *cells, compare_cells);
    for (uint32_t i = 1; i < c->cells_n; i++)
        if (cells[i].column == cells[i - 1].column)
            return err_set(err, ERR_SYNTAX, "column '%s' occurs twice",
                           quote(l, cells[i].column, shown));
    return true;
}

bool
row_log_is_version(struct row_log *l, row_id row, uint32_t content,
                   struct err *err)
{
    const struct row_cells cells = row_log_cells(l, content);
    struct row_table *t = &l->tables.at[l->rows.at[row].table];
    if (l->contents.at[content].is_absent)
        return true;
    if (!t->is_known) {
        t->is_known = true;
        t->columns = (uint32_t)l->columns.n;
        t->columns_n = (uint32_t)cells.n;
        for (size_t i = 0; i < cells.n; i++)
            vec_push(&l->columns, cells.at[i].column);
        return true;
    }
    bool same = t->columns_n == cells.n;
    for (size_t i = 0; same && i < cells.n; i++)
        same = l->columns.at[t->columns + i] == cells.at[i].column;
    char shown[ERR_QUOTE_ROOM];
    return same || err_set(err, ERR_SYNTAX,
                           "found other columns than before, expected a value "
                           "for every column of table '%s'",
                           quote(l, t->name, shown));
}

bool
row_log_condition(struct row_log *l, const char *text, size_t n, bool is_named,
                  uint32_t *out, size_t *where, struct err *err)
{
    struct buf key = {0};
    buf_char(&key, is_named ? '#' : '=');
    buf_add(&key, text, n);
    *out = strings_add(&l->condition_names, key.at, key.n);
    buf_free(&key);
    if (*out < l->conditions.n)
        return true;
    struct row_condition c = {.is_named = is_named,
                              .text = strings_add(&l->names, text, n)};
    if (!is_named &&
        !predicate_parse(&c.predicate, text, n, &l->names, where, err))
        return false;
    vec_push(&l->conditions, c);
    return true;
}
