/* hist_put_rows.c -- write what hist_rows.c reads.
 *
 * SPDX-License-Identifier: MIT */
#include "format/hist/hist.h"

#include "format/row/row_put.h"

/* --- names ----------------------------------------------------------------*/

/* An integer or text. */
static void
put_form(struct buf *out, const struct form *form, const char *reserved)
{
    if (form->kind == FORM_INTEGER)
        atom_show(NULL, form->atom, out);
    else
        hist_put_text(out,
                      (struct string){form->text.at, (uint32_t)form->text.n},
                      false, reserved);
}

/* A name of a version or a condition, which is JSON. */
static void
put_label(struct buf *out, const struct row_log *l, uint32_t label,
          const char *reserved)
{
    const struct string s = strings_get(&l->names, label);
    struct forms f = {0};
    row_put_read(s.text, s.len, &f);
    put_form(out, &f.at[0], reserved);
    forms_free(&f);
}

static void
put_table(struct buf *out, const struct row_log *l, uint32_t table)
{
    hist_put_text(out, strings_get(&l->names, l->tables.at[table].name), false,
                  NULL);
}

/* The key of a row, where a query returned it or behind the table. */
static void
put_key(struct buf *out, const struct row_log *l, row_id row, bool is_found)
{
    struct buf json = {0};
    struct forms f = {0};
    row_put_name(l, row, &json);
    row_put_read(json.at, json.n, &f);
    const uint32_t key = form_next(&f, form_first(0));
    const bool is_array = f.at[key].kind == FORM_VECTOR;
    buf_text(out, is_array || !is_found ? "(" : "");
    if (!is_array)
        put_form(out, &f.at[key], NULL);
    for (uint32_t i = form_first(key); is_array && i < form_end(&f, key); i++) {
        buf_text(out, i > form_first(key) ? ", " : "");
        put_form(out, &f.at[i], NULL);
    }
    buf_text(out, is_array && f.at[key].size == 2 ? "," : "");
    buf_text(out, is_array || !is_found ? ")" : "");
    forms_free(&f);
    buf_free(&json);
}

static void
put_row(struct buf *out, const struct row_log *l, row_id row)
{
    put_table(out, l, l->rows.at[row].table);
    put_key(out, l, row, false);
}

/* --- versions -------------------------------------------------------------*/

static void
put_unquoted(struct buf *out, struct string text, const char *reserved)
{
    hist_put_text(out, text, false, reserved);
}

static const struct row_put_values hist_values = {.between = ", ",
                                                  .text = put_unquoted};

/* Values or 'none', and what is said about the version. */
static void
put_version(struct buf *out, const struct row_log *l, uint32_t content)
{
    const struct row_content *c = &l->contents.at[content];
    if (c->is_absent)
        buf_text(out, "none");
    else
        row_put_values(&hist_values, l, content, out);
    if (c->ver != ID_NONE) {
        buf_char(out, '#');
        put_label(out, l, c->ver, NULL);
    }
    if (c->prev == ROW_PREV_NULL) {
        buf_text(out, "<-null");
    } else if (c->prev != ID_NONE) {
        buf_text(out, "<-");
        put_label(out, l, c->prev, "null");
    }
    if (!c->has_satisfied)
        return;
    buf_text(out, "~[");
    for (uint32_t i = 0; i < c->satisfied_n; i++) {
        buf_text(out, i ? " " : "");
        put_label(out, l, l->satisfied.at[c->satisfied + i], NULL);
    }
    buf_char(out, ']');
}

/* --- operations -----------------------------------------------------------*/

/* A condition; one with control characters is put in quotes. */
static void
put_condition(struct buf *out, struct string text)
{
    bool is_plain = true;
    for (size_t i = 0; is_plain && i < text.len; i++)
        is_plain = (unsigned char)text.text[i] >= 0x20 && text.text[i] != 0x7f;
    if (!is_plain) {
        hist_put_quoted(out, text);
        return;
    }
    buf_char(out, '{');
    buf_add(out, text.text, text.len);
    buf_char(out, '}');
}

static void
put_query(struct buf *out, const struct row_log *l, uint32_t entry)
{
    const struct row_query *q = &l->queries.at[l->entries.at[entry].about];
    const struct row_condition *c = &l->conditions.at[q->condition];
    put_table(out, l, q->table);
    if (c->is_named) {
        buf_text(out, "{~");
        put_label(out, l, c->text, NULL);
        buf_char(out, '}');
    } else {
        put_condition(out, strings_get(&l->names, c->text));
    }
    buf_text(out, "==[");
    const struct row_returned found = row_put_returned(l, entry);
    for (uint32_t i = 0; i < found.n; i++) {
        buf_text(out, i ? " " : "");
        put_key(out, l, found.at[i].row, true);
        put_version(out, l, found.at[i].content);
    }
    buf_char(out, ']');
    buf_text(out, q->is_unordered ? "~" : "");
    buf_text(out, q->is_check ? "!" : "");
}

void
hist_put_row_op(const struct row_put *r, uint32_t entry, struct buf *out)
{
    const struct row_log *l = r->h->rows;
    const struct row_entry *e = &l->entries.at[entry];
    if (e->kind == ROW_QUERY) {
        put_query(out, l, entry);
        return;
    }
    put_row(out, l, e->row);
    buf_text(out, e->kind == ROW_READ ? "=="
                  : e->is_insert && !l->contents.at[e->content].is_absent
                      ? "+="
                      : ":=");
    put_version(out, l, e->content);
    buf_text(out, e->is_check ? "!" : "");
}

void
hist_put_initial(const struct row_put *r, struct buf *out)
{
    const struct row_log *l = r->h->rows;
    for (row_id row = 0; row < r->listed; row++) {
        buf_text(out, row ? "\n " : "{");
        put_row(out, l, row);
        buf_text(out, ":=");
        put_version(out, l, l->rows.at[row].initial);
    }
    buf_text(out, r->listed ? "}\n" : "");
}
