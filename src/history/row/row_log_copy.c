/* row_log_copy.c -- see row_log_copy.h.
 *
 * SPDX-License-Identifier: MIT */
#include "history/row/row_log_copy.h"

#include "base/container/intmap.h"

static uint32_t
copy_name(const struct row_log *from, uint32_t name, struct row_log *to)
{
    if (name == ID_NONE || name == ROW_PREV_NULL)
        return name;
    const struct string s = strings_get(&from->names, name);
    return strings_add(&to->names, s.text, s.len);
}

uint32_t
row_log_copy_seen(const struct row_log *from, uint32_t content,
                  struct row_log *to)
{
    const struct row_content *c = &from->contents.at[content];
    const struct row_cells cells = row_log_cells(from, content);
    struct err err = {0};
    if (content == ROW_ABSENT)
        return ROW_ABSENT;
    const uint32_t made = row_log_content(to);
    for (size_t i = 0; i < cells.n; i++) {
        struct row_cell cell = cells.at[i];
        cell.column = copy_name(from, cell.column, to);
        if (cell.datum.type == ROW_DATUM_TEXT)
            cell.datum.text = copy_name(from, cell.datum.text, to);
        row_log_cell(to, made, cell);
    }
    for (uint32_t i = 0; i < c->satisfied_n; i++)
        vec_push(&to->satisfied,
                 copy_name(from, from->satisfied.at[c->satisfied + i], to));
    const bool ok = row_log_end_content(to, made, &err);
    assert(ok);
    (void)ok;
    struct row_content *m = &to->contents.at[made];
    m->is_absent = c->is_absent;
    m->ver = copy_name(from, c->ver, to);
    m->prev = copy_name(from, c->prev, to);
    m->has_satisfied = c->has_satisfied;
    m->satisfied_n = c->satisfied_n;
    return made;
}

uint32_t
row_log_copy_version(const struct row_log *from, uint32_t content,
                     struct row_log *to, row_id row)
{
    struct err err = {0};
    const uint32_t made = row_log_copy_seen(from, content, to);
    const bool ok = row_log_is_version(to, row, made, &err);
    assert(ok);
    (void)ok;
    return made;
}

row_id
row_log_copy_row(const struct row_log *from, row_id row, struct row_log *to)
{
    const struct row *r = &from->rows.at[row];
    const struct string name =
        strings_get(&from->names, from->tables.at[r->table].name);
    const struct string text = strings_get(&from->row_names, row);
    const struct string shown = strings_get(&from->names, r->name);
    struct buf table = {0};
    buf_json(&table, name.text, name.len);
    const size_t key = table.n + 2; // after a bracket and a comma
    assert(text.len > key + 1);
    const size_t before = to->rows.n;
    const row_id made =
        row_log_row(to, row_log_table(to, name.text, name.len), text.text + key,
                    text.len - 1 - key, strcmp(text.text, shown.text) != 0);
    buf_free(&table);
    if (made == before && r->initial != ROW_ABSENT) {
        const uint32_t initial =
            row_log_copy_version(from, r->initial, to, made);
        to->rows.at[made].initial = initial;
    }
    return made;
}

uint32_t
row_log_copy_condition(const struct row_log *from, uint32_t condition,
                       struct row_log *to)
{
    const struct row_condition *c = &from->conditions.at[condition];
    const struct string s = strings_get(&from->names, c->text);
    struct err err = {0};
    size_t where;
    uint32_t made;
    const bool ok =
        row_log_condition(to, s.text, s.len, c->is_named, &made, &where, &err);
    assert(ok);
    (void)ok;
    return made;
}

static void
note_name(const struct row_log *l, row_id row, uint32_t content,
          struct intmap *names)
{
    const uint32_t ver = l->contents.at[content].ver;
    bool added;
    if (ver != ID_NONE)
        intmap_add(names, (uint64_t)row << 32 | ver, 0, &added);
}

void
row_log_drop_prev(struct row_log *l)
{
    struct intmap names = {0};
    for (row_id row = 0; row < l->rows.n; row++)
        note_name(l, row, l->rows.at[row].initial, &names);
    for (size_t i = 0; i < l->entries.n; i++)
        if (l->entries.at[i].kind == ROW_WRITE)
            note_name(l, l->entries.at[i].row, l->entries.at[i].content,
                      &names);
    for (size_t i = 0; i < l->entries.n; i++) {
        const struct row_entry *e = &l->entries.at[i];
        struct row_content *c = &l->contents.at[e->content];
        if (e->kind == ROW_WRITE && c->prev != ID_NONE &&
            c->prev != ROW_PREV_NULL &&
            intmap_find(&names, (uint64_t)e->row << 32 | c->prev) == UINT32_MAX)
            c->prev = ID_NONE;
    }
    intmap_free(&names);
}
