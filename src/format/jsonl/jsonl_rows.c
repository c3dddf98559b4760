/* jsonl_rows.c -- see jsonl_rows.h.
 *
 *     ["i",["t",7],{"v":1}]   ["u",["t",7],{"v":2}]   ["d",["t",7]]
 *     ["u",["t",7],{"v":3},{"ver":12,"prev":11}]   ["d",["t",7],{"prev":12}]
 *     ["r",["t",7],{"v":2}]   ["r",["t",7]]
 *     ["q",{"table":"t","where":"v > 5"},[[["t",7],{"v":8}]]]
 *
 * An operation is read as a tree, because few histories have rows.  They go
 * into a log, and from there into the builder when all of them are known.
 *
 * SPDX-License-Identifier: MIT */
#include "format/jsonl/jsonl_rows.h"

#include "history/row/row_registers.h"

#define ROW_NAME "a row: [table, key]"

static struct row_log *
rows_of(struct jsonl_scan *r)
{
    if (!r->rows) {
        r->rows = row_log_new();
        r->rows_txn = TXN_NONE;
    }
    return r->rows;
}

static bool
wrong(struct jsonl_scan *r, uint32_t form, const char *expected)
{
    return form_unexpected(&r->s, &r->row, form, expected);
}

/* How many forms a container has. */
static uint32_t
count_forms(const struct forms *f, uint32_t i)
{
    uint32_t n = 0;
    for (uint32_t j = form_first(i); j < form_end(f, i); j = form_next(f, j))
        n++;
    return n;
}

static uint32_t
nth_form(const struct forms *f, uint32_t i, uint32_t n)
{
    uint32_t j = form_first(i);
    while (n--)
        j = form_next(f, j);
    assert(j < form_end(f, i));
    return j;
}

/* --- rows -----------------------------------------------------------------*/

static bool
is_name(const struct forms *f, uint32_t i)
{
    return f->at[i].kind == FORM_INTEGER || f->at[i].kind == FORM_STRING;
}

/* A primary key: an integer, a string or an array of these. */
static bool
is_primary_key(const struct forms *f, uint32_t i)
{
    if (is_name(f, i))
        return true;
    bool all = f->at[i].kind == FORM_VECTOR && f->at[i].size > 1;
    for (uint32_t j = form_first(i); all && j < form_end(f, i); j++)
        all = is_name(f, j);
    return all;
}

/* Whether the key looks the same as in JSON when it is shown without quotes. */
static bool
is_word(const struct form *f)
{
    if (f->kind == FORM_INTEGER)
        return true;
    bool all = f->kind == FORM_STRING && f->text.n;
    for (size_t i = 0; all && i < f->text.n; i++) {
        const char c = f->text.at[i];
        all = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    }
    return all;
}

static bool
read_row(struct jsonl_scan *r, uint32_t i, row_id *out)
{
    struct forms *f = &r->row;
    if (f->at[i].kind != FORM_VECTOR || count_forms(f, i) != 2)
        return wrong(r, i, ROW_NAME);
    const uint32_t table = form_first(i), key = form_next(f, table);
    if (f->at[table].kind != FORM_STRING || !f->at[table].text.n)
        return wrong(r, table, "the name of a table");
    if (!is_primary_key(f, key))
        return wrong(r, key,
                     "a primary key: a string, an integer or an array "
                     "of these");
    struct row_log *l = rows_of(r);
    const bool word = is_word(&f->at[key]);
    struct buf text = {0};
    if (word && f->at[key].kind == FORM_STRING)
        buf_add(&text, f->at[key].text.at, f->at[key].text.n);
    else
        form_show_json(f, key, &text);
    *out = row_log_row(
        l, row_log_table(l, f->at[table].text.at, f->at[table].text.n), text.at,
        text.n, word);
    buf_free(&text);
    return true;
}

/* --- contents -------------------------------------------------------------*/

static bool
read_datum(struct jsonl_scan *r, uint32_t i, struct row_datum *out)
{
    const struct form *f = &r->row.at[i];
    *out = (struct row_datum){.type = ROW_DATUM_NULL};
    if (f->kind == FORM_STRING) {
        out->type = ROW_DATUM_TEXT;
        out->text = strings_add(&rows_of(r)->names, f->text.at, f->text.n);
    } else if (f->kind == FORM_INTEGER && f->atom.tag == ATOM_INT) {
        out->type = ROW_DATUM_INT;
        out->number = (int64_t)f->atom.bits;
    } else if (f->kind != FORM_NIL) {
        return wrong(r, i, "a string, an integer of 64 bits or null");
    }
    return true;
}

static bool
read_content(struct jsonl_scan *r, uint32_t i, uint32_t *out)
{
    const struct forms *f = &r->row;
    if (f->at[i].kind != FORM_MAP)
        return wrong(r, i, "an object with the values of columns");
    struct row_log *l = rows_of(r);
    *out = row_log_content(l);
    for (uint32_t k = form_first(i); k < form_end(f, i);
         k = form_next(f, form_next(f, k))) {
        struct row_cell cell = {
            .column =
                strings_add(&l->names, f->at[k].text.at, f->at[k].text.n)};
        if (!read_datum(r, form_next(f, k), &cell.datum))
            return false;
        row_log_cell(l, *out, cell);
    }
    return row_log_end_content(l, *out, r->s.err) ||
           scan_locate(&r->s, f->at[i].at);
}

/* The text of a name of a version or a condition. */
static bool
read_label(struct jsonl_scan *r, uint32_t i, uint32_t *out)
{
    if (!is_name(&r->row, i))
        return wrong(r, i, JSONL_NAME);
    struct buf text = {0};
    form_show_json(&r->row, i, &text);
    *out = strings_add(&rows_of(r)->names, text.at, text.n);
    buf_free(&text);
    return true;
}

static bool
read_satisfied(struct jsonl_scan *r, uint32_t i, struct row_content *c)
{
    const struct forms *f = &r->row;
    if (f->at[i].kind != FORM_VECTOR)
        return wrong(r, i, "an array of names of conditions");
    c->has_satisfied = true;
    c->satisfied = (uint32_t)r->rows->satisfied.n;
    for (uint32_t j = form_first(i); j < form_end(f, i); j = form_next(f, j)) {
        uint32_t label;
        if (!read_label(r, j, &label))
            return false;
        vec_push(&r->rows->satisfied, label);
        c->satisfied_n++;
    }
    return true;
}

/* What may be said about a version besides its values, as bits. */
enum about { ABOUT_VER = 1, ABOUT_SATISFIES = 2, ABOUT_PREV = 4 };

enum {
    ABOUT_READ = ABOUT_VER,
    ABOUT_INITIAL = ABOUT_VER | ABOUT_SATISFIES,
    ABOUT_WRITE = ABOUT_VER | ABOUT_SATISFIES | ABOUT_PREV,
    ABOUT_DELETE = ABOUT_PREV
};

static const char *
about_expected(unsigned may)
{
    return may == ABOUT_READ      ? "\"ver\""
           : may == ABOUT_INITIAL ? "\"ver\" or \"satisfies\""
           : may == ABOUT_WRITE   ? "\"ver\", \"prev\" or \"satisfies\""
                                  : "\"prev\"";
}

static bool
read_prev(struct jsonl_scan *r, uint32_t i, struct row_content *c)
{
    if (r->row.at[i].kind == FORM_NIL) {
        c->prev = ROW_PREV_NULL;
        return true;
    }
    return read_label(r, i, &c->prev);
}

static bool
read_about(struct jsonl_scan *r, uint32_t i, unsigned may, uint32_t content)
{
    const struct forms *f = &r->row;
    if (f->at[i].kind != FORM_MAP)
        return wrong(r, i, "an object");
    for (uint32_t k = form_first(i); k < form_end(f, i);
         k = form_next(f, form_next(f, k))) {
        struct row_content *c = &r->rows->contents.at[content];
        const uint32_t value = form_next(f, k);
        const struct span name = f->at[k].text;
        const unsigned what =
            may & (span_is(name, "ver")         ? ABOUT_VER
                   : span_is(name, "prev")      ? ABOUT_PREV
                   : span_is(name, "satisfies") ? ABOUT_SATISFIES
                                                : 0u);
        if (!what)
            return scan_unexpected_text(&r->s, f->at[k].at, name,
                                        about_expected(may));
        if (what == ABOUT_VER    ? !read_label(r, value, &c->ver)
            : what == ABOUT_PREV ? !read_prev(r, value, c)
                                 : !read_satisfied(r, value, c))
            return false;
    }
    return true;
}

/* The values from form i on, and what is said about them, if there is more;
 * 'end' is where the array ends that they are in. */
static bool
read_version(struct jsonl_scan *r, uint32_t i, uint32_t end, row_id row,
             unsigned may, uint32_t *content)
{
    const struct forms *f = &r->row;
    if (!read_content(r, i, content))
        return false;
    if (may != ABOUT_READ &&
        !row_log_is_version(r->rows, row, *content, r->s.err))
        return scan_locate(&r->s, f->at[i].at);
    const uint32_t about = form_next(f, i);
    if (about == end)
        return true;
    if (form_next(f, about) != end)
        return wrong(r, form_next(f, about),
                     "']' after what is said about the "
                     "version");
    return read_about(r, about, may, *content);
}

/* What is said about a delete. */
static bool
read_deleted(struct jsonl_scan *r, uint32_t i, uint32_t *content)
{
    *content = row_log_content(r->rows);
    r->rows->contents.at[*content].is_absent = true;
    return read_about(r, i, ABOUT_DELETE, *content);
}

/* --- operations -----------------------------------------------------------*/

static void
add_entry(struct jsonl_scan *r, struct row_entry e)
{
    capacity_want(CAPACITY_OPS, r->rows->entries.n + 1);
    vec_push(&r->rows->entries, e);
}

/* ["i", row, values] and ["u", row, values]; ["d", row]; ["r", row, values] and
 * ["r", row]. */
static bool
read_item(struct jsonl_scan *r, txn_id t, char kind, const char *start)
{
    const struct forms *f = &r->row;
    const uint32_t n = count_forms(f, 0), end = form_end(f, 0);
    struct row_entry e = {.kind = kind == 'r' ? ROW_READ : ROW_WRITE,
                          .is_insert = kind == 'i',
                          .txn = t,
                          .content = ROW_ABSENT,
                          .at = start};
    if (n < 2)
        return wrong(r, 0, "an operation with a row");
    if (!read_row(r, nth_form(f, 0, 1), &e.row))
        return false;
    if (kind == 'd' ? n > 3 : n < 3 && kind != 'r')
        return wrong(r, 0,
                     kind == 'd' ? "[\"d\", row]"
                                 : "an operation with a row and values");
    const unsigned may = kind == 'r' ? ABOUT_READ : ABOUT_WRITE;
    const uint32_t more = n > 2 ? nth_form(f, 0, 2) : 0;
    if (n > 2 &&
        !(kind == 'd' ? read_deleted(r, more, &e.content)
                      : read_version(r, more, end, e.row, may, &e.content)))
        return false;
    add_entry(r, e);
    return true;
}

/* The rows that a query returned. */
static bool
read_returned(struct jsonl_scan *r, txn_id t, uint32_t i, struct row_query *q,
              const char *start)
{
    const struct forms *f = &r->row;
    if (f->at[i].kind != FORM_VECTOR)
        return wrong(r, i, "an array of rows");
    for (uint32_t j = form_first(i); j < form_end(f, i); j = form_next(f, j)) {
        struct row_entry e = {.kind = ROW_RETURNED, .txn = t, .at = start};
        if (f->at[j].kind != FORM_VECTOR || count_forms(f, j) < 2)
            return wrong(r, j, "[row, values]");
        const uint32_t row = form_first(j);
        if (!read_row(r, row, &e.row))
            return false;
        if (r->rows->rows.at[e.row].table != q->table)
            return wrong(r, form_first(row), "the table that was asked for");
        if (!read_version(r, form_next(f, row), form_end(f, j), e.row,
                          ABOUT_READ, &e.content))
            return false;
        add_entry(r, e);
        q->returned++;
    }
    return true;
}

static bool
read_condition(struct jsonl_scan *r, uint32_t i, bool is_named, uint32_t *out)
{
    const struct form *f = &r->row.at[i];
    struct row_log *l = rows_of(r);
    size_t where = 0;
    if (is_named) {
        uint32_t label;
        if (!read_label(r, i, &label))
            return false;
        const struct string s = strings_get(&l->names, label);
        return row_log_condition(l, s.text, s.len, true, out, &where, r->s.err);
    }
    if (f->kind != FORM_STRING)
        return wrong(r, i, "a condition as a string");
    if (row_log_condition(l, f->text.at, f->text.n, false, out, &where,
                          r->s.err))
        return true;
    // A string without escapes is a part of the input, and so is the mistake.
    const bool is_input = f->text.at >= f->at && f->text.at < r->s.end;
    return scan_locate(&r->s, is_input ? f->text.at + where : f->at);
}

/* ["q", {"table": ..., "where": ...}, rows] */
static bool
read_query(struct jsonl_scan *r, txn_id t, const char *start)
{
    const struct forms *f = &r->row;
    struct row_query q = {.table = ID_NONE, .condition = ID_NONE};
    if (count_forms(f, 0) != 3)
        return wrong(r, 0, "[\"q\", {\"table\": ..., \"where\": ...}, rows]");
    const uint32_t asked = nth_form(f, 0, 1), rows = form_next(f, asked);
    if (f->at[asked].kind != FORM_MAP)
        return wrong(r, asked, "an object with \"table\" and \"where\"");
    for (uint32_t k = form_first(asked); k < form_end(f, asked);
         k = form_next(f, form_next(f, k))) {
        const uint32_t value = form_next(f, k);
        const bool named = span_is(f->at[k].text, "id");
        if (span_is(f->at[k].text, "table")) {
            if (f->at[value].kind != FORM_STRING || !f->at[value].text.n)
                return wrong(r, value, "the name of a table");
            q.table = row_log_table(rows_of(r), f->at[value].text.at,
                                    f->at[value].text.n);
        } else if (q.condition != ID_NONE ||
                   (!named && !span_is(f->at[k].text, "where"))) {
            return scan_unexpected_text(&r->s, f->at[k].at, f->at[k].text,
                                        "\"table\", and \"where\" or \"id\"");
        } else if (!read_condition(r, value, named, &q.condition)) {
            return false;
        }
    }
    if (q.table == ID_NONE || q.condition == ID_NONE)
        return wrong(r, asked, "\"table\", and \"where\" or \"id\"");
    if (!read_returned(r, t, rows, &q, start))
        return false;
    vec_push(&r->rows->queries, q);
    add_entry(r, (struct row_entry){.kind = ROW_QUERY,
                                    .txn = t,
                                    .about = (uint32_t)r->rows->queries.n - 1,
                                    .at = start});
    return true;
}

bool
jsonl_row_op(struct jsonl_scan *r, txn_id t, const char *start)
{
    struct scan *s = &r->s;
    s->at = start;
    if (!form_read_json(s, &r->row))
        return false;
    const uint32_t twin = form_find_twin(&r->row);
    if (twin)
        return scan_unexpected_text(s, r->row.at[twin].at, r->row.at[twin].text,
                                    "each key once in an object");
    assert(r->row.at[1].kind == FORM_STRING && r->row.at[1].text.n == 1);
    rows_of(r); // there is one from here on
    r->rows_txn = t;
    const char kind = *r->row.at[1].text.at;
    return kind == 'q' ? read_query(r, t, start) : read_item(r, t, kind, start);
}

void
jsonl_rows_note(struct jsonl_scan *r, txn_id t, const struct row_other *op)
{
    struct row_other other = *op;
    if (op->is_list && !op->is_write) {
        other.items = (uint32_t)r->rows->items.n;
        other.items_n = (uint32_t)r->elements.n;
        for (size_t i = 0; i < r->elements.n; i++)
            vec_push(&r->rows->items, r->elements.at[i]);
    }
    vec_push(&r->rows->others, other);
    add_entry(r, (struct row_entry){.kind = ROW_OTHER,
                                    .txn = t,
                                    .about = (uint32_t)r->rows->others.n - 1,
                                    .at = r->s.at});
}

/* --- the whole ------------------------------------------------------------*/

bool
jsonl_initial(struct jsonl_scan *r)
{
    struct scan *s = &r->s;
    const struct forms *f = &r->row;
    if (!form_read_json(s, &r->row))
        return false;
    const uint32_t twin = form_find_twin(f);
    if (twin)
        return scan_unexpected_text(s, f->at[twin].at, f->at[twin].text,
                                    "each key once in an object");
    const bool one = f->at[0].kind == FORM_MAP && count_forms(f, 0) == 2;
    if (!one || !span_is(f->at[1].text, "rows"))
        return wrong(r, one ? 1 : 0, "{\"rows\": [[row, values], ...]}");
    const uint32_t rows = form_next(f, 1);
    if (f->at[rows].kind != FORM_VECTOR)
        return wrong(r, rows, "an array of rows");
    for (uint32_t j = form_first(rows); j < form_end(f, rows);
         j = form_next(f, j)) {
        row_id row;
        uint32_t content;
        if (f->at[j].kind != FORM_VECTOR || count_forms(f, j) < 2)
            return wrong(r, j, "[row, values]");
        if (!read_row(r, form_first(j), &row))
            return false;
        if (r->rows->rows.at[row].initial != ROW_ABSENT)
            return wrong(r, form_first(j), "each row once");
        if (!read_version(r, form_next(f, form_first(j)), form_end(f, j), row,
                          ABOUT_INITIAL, &content))
            return false;
        r->rows->rows.at[row].initial = content;
    }
    return true;
}

bool
jsonl_rows_end(struct jsonl_scan *r)
{
    if (!r->rows)
        return true;
    const char *at = r->s.at;
    if (!row_registers_make(r->rows, r->b, &at, r->s.err))
        return scan_locate(&r->s, at ? at : r->s.at);
    builder_rows(r->b, r->rows);
    r->rows = NULL;
    return true;
}
