/* row_forms.c -- see row_forms.h.
 *
 * An operation is read as a tree, because few histories have rows.
 *
 * SPDX-License-Identifier: MIT */
#include "format/row/row_forms.h"

/* What is being read. */
struct reading {
    struct row_reader *r;
    const struct forms *f;
};

static bool
wrong(const struct reading *g, uint32_t form, const char *expected)
{
    return form_unexpected(g->r->s, g->f, form, expected);
}

/* The same with the words of each notation. */
static bool
wrong_in(const struct reading *g, uint32_t form, const char *json,
         const char *edn)
{
    return wrong(g, form, g->f->is_json ? json : edn);
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

/* Whether a form is text that names something. */
static bool
is_word(const struct forms *f, uint32_t i)
{
    return f->at[i].kind == FORM_STRING || f->at[i].kind == FORM_KEYWORD;
}

/* Report that a key of a map was found that is none of those expected. */
static bool
wrong_key(const struct reading *g, uint32_t key, const char *json,
          const char *edn)
{
    if (!g->f->is_json)
        return wrong(g, key, edn);
    return scan_unexpected_text(g->r->s, g->f->at[key].at, g->f->at[key].text,
                                json);
}

/* --- rows -----------------------------------------------------------------*/

static bool
is_name(const struct forms *f, uint32_t i)
{
    return f->at[i].kind == FORM_INTEGER || f->at[i].kind == FORM_STRING;
}

/* A primary key: an integer, a string or a vector of these. */
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

static bool
read_table(const struct reading *g, uint32_t i, uint32_t *out)
{
    const struct form *form = &g->f->at[i];
    if (!is_word(g->f, i) || !form->text.n)
        return wrong(g, i, "the name of a table");
    *out = row_log_table(row_reader_log(g->r), form->text.at, form->text.n);
    return true;
}

static bool
read_row(const struct reading *g, uint32_t i, row_id *out)
{
    const struct forms *f = g->f;
    uint32_t table = ID_NONE;
    if (f->at[i].kind != FORM_VECTOR || count_forms(f, i) != 2)
        return wrong_in(g, i, "a row: [table, key]", "a row: [table key]");
    const uint32_t key = form_next(f, form_first(i));
    if (!read_table(g, form_first(i), &table))
        return false;
    if (!is_primary_key(f, key))
        return wrong_in(g, key,
                        "a primary key: a string, an integer or an array of "
                        "these",
                        "a primary key: a string, an integer of 64 bits or a "
                        "vector of these");
    struct buf text = {0};
    form_show_json(f, key, &text);
    *out = row_reader_row(g->r, table, text.at, text.n);
    buf_free(&text);
    return true;
}

/* --- contents -------------------------------------------------------------*/

static bool
read_datum(const struct reading *g, uint32_t i, struct row_datum *out)
{
    const struct form *form = &g->f->at[i];
    *out = (struct row_datum){.type = ROW_DATUM_NULL};
    if (form->kind == FORM_STRING) {
        out->type = ROW_DATUM_TEXT;
        out->text = strings_add(&g->r->log->names, form->text.at, form->text.n);
    } else if (form->kind == FORM_INTEGER && form->atom.tag == ATOM_INT) {
        out->type = ROW_DATUM_INT;
        out->number = (int64_t)form->atom.bits;
    } else if (form->kind != FORM_NIL) {
        return wrong_in(g, i, "a string, an integer of 64 bits or null",
                        "a string, an integer of 64 bits or nil");
    }
    return true;
}

/* The values of columns; 'row' is ID_NONE where they were read. */
static bool
read_content(const struct reading *g, uint32_t i, row_id row, uint32_t *out)
{
    const struct forms *f = g->f;
    if (f->at[i].kind != FORM_MAP)
        return wrong_in(g, i, "an object with the values of columns",
                        "a map with the values of columns");
    *out = row_log_content(row_reader_log(g->r));
    for (uint32_t k = form_first(i); k < form_end(f, i);
         k = form_next(f, form_next(f, k))) {
        struct row_log *l = g->r->log;
        if (!is_word(f, k))
            return wrong(g, k, "a column, a keyword or a string");
        struct row_cell cell = {
            .column =
                strings_add(&l->names, f->at[k].text.at, f->at[k].text.n)};
        if (!read_datum(g, form_next(f, k), &cell.datum))
            return false;
        row_log_cell(l, *out, cell);
    }
    return row_reader_end_content(g->r, *out, row, f->at[i].at);
}

/* The text of a name of a version or a condition. */
static bool
read_label(const struct reading *g, uint32_t i, uint32_t *out)
{
    if (!is_name(g->f, i))
        return wrong(g, i, "a string or an integer");
    struct buf text = {0};
    form_show_json(g->f, i, &text);
    *out = strings_add(&g->r->log->names, text.at, text.n);
    buf_free(&text);
    return true;
}

static bool
read_satisfied(const struct reading *g, uint32_t i, uint32_t content)
{
    const struct forms *f = g->f;
    struct row_log *l = g->r->log;
    struct row_content *c = &l->contents.at[content];
    if (f->at[i].kind != FORM_VECTOR)
        return wrong_in(g, i, "an array of names of conditions",
                        "a vector of names of conditions");
    c->has_satisfied = true;
    c->satisfied = (uint32_t)l->satisfied.n;
    for (uint32_t j = form_first(i); j < form_end(f, i); j = form_next(f, j)) {
        uint32_t label = ID_NONE;
        if (!read_label(g, j, &label))
            return false;
        vec_push(&l->satisfied, label);
        c->satisfied_n++;
    }
    return true;
}

/* What may be said about a version besides its values, as bits. */
enum about {
    ABOUT_VER = 1,
    ABOUT_SATISFIES = 2,
    ABOUT_PREV = 4,
    ABOUT_CHECK = 8
};

enum {
    ABOUT_RETURNED = ABOUT_VER,
    ABOUT_READ = ABOUT_VER | ABOUT_CHECK,
    ABOUT_ABSENT = ABOUT_CHECK,
    ABOUT_INITIAL = ABOUT_VER | ABOUT_SATISFIES,
    ABOUT_WRITE = ABOUT_VER | ABOUT_SATISFIES | ABOUT_PREV,
    ABOUT_DELETE = ABOUT_PREV
};

static bool
wrong_about(const struct reading *g, uint32_t key, unsigned may)
{
    switch (may) {
    case ABOUT_RETURNED:
        return wrong_key(g, key, "\"ver\"", ":ver");
    case ABOUT_READ:
        return wrong_key(g, key, "\"ver\" or \"check\"", ":ver or :check");
    case ABOUT_ABSENT:
        return wrong_key(g, key, "\"check\"", ":check");
    case ABOUT_INITIAL:
        return wrong_key(g, key, "\"ver\" or \"satisfies\"",
                         ":ver or :satisfies");
    case ABOUT_DELETE:
        return wrong_key(g, key, "\"prev\"", ":prev");
    default:
        return wrong_key(g, key, "\"ver\", \"prev\" or \"satisfies\"",
                         ":ver, :prev or :satisfies");
    }
}

static bool
read_prev(const struct reading *g, uint32_t i, uint32_t *out)
{
    *out = ROW_PREV_NULL;
    return g->f->at[i].kind == FORM_NIL || read_label(g, i, out);
}

/* A mark that a read or a query has: true. */
static bool
read_mark(const struct reading *g, uint32_t i, bool *out)
{
    *out = true;
    return g->f->at[i].kind == FORM_TRUE || wrong(g, i, "true");
}

/* What is said about a version or a read; *is_check is NULL for a version. */
static bool
read_about(const struct reading *g, uint32_t i, unsigned may, uint32_t content,
           bool *is_check)
{
    const struct forms *f = g->f;
    unsigned seen = 0;
    if (f->at[i].kind != FORM_MAP)
        return wrong_in(g, i, "an object", "a map");
    for (uint32_t k = form_first(i); k < form_end(f, i);
         k = form_next(f, form_next(f, k))) {
        struct row_content *c = &g->r->log->contents.at[content];
        const uint32_t value = form_next(f, k);
        const struct span name =
            is_word(f, k) ? f->at[k].text : (struct span){0};
        const unsigned what =
            may & (span_is(name, "ver")         ? ABOUT_VER
                   : span_is(name, "prev")      ? ABOUT_PREV
                   : span_is(name, "satisfies") ? ABOUT_SATISFIES
                   : span_is(name, "check")     ? ABOUT_CHECK
                                                : 0u);
        if (!what)
            return wrong_about(g, k, may);
        if (seen & what)
            return wrong(g, k, "each key once in a map");
        seen |= what;
        if (what == ABOUT_VER     ? !read_label(g, value, &c->ver)
            : what == ABOUT_PREV  ? !read_prev(g, value, &c->prev)
            : what == ABOUT_CHECK ? !read_mark(g, value, is_check)
                                  : !read_satisfied(g, value, content))
            return false;
    }
    return true;
}

/* The values from form i on, and what is said about them, if there is more;
 * 'end' is where the vector ends that they are in. */
static bool
read_version(const struct reading *g, uint32_t i, uint32_t end, row_id row,
             unsigned may, uint32_t *content, bool *is_check)
{
    const struct forms *f = g->f;
    const bool is_read = may == ABOUT_READ || may == ABOUT_RETURNED;
    if (!read_content(g, i, is_read ? ID_NONE : row, content))
        return false;
    const uint32_t about = form_next(f, i);
    if (about == end)
        return true;
    if (form_next(f, about) != end)
        return wrong(g, form_next(f, about),
                     "']' after what is said about the version");
    return read_about(g, about, may, *content, is_check);
}

/* What is said about a delete. */
static bool
read_deleted(const struct reading *g, uint32_t i, uint32_t *content)
{
    *content = row_log_content(g->r->log);
    g->r->log->contents.at[*content].is_absent = true;
    return read_about(g, i, ABOUT_DELETE, *content, NULL);
}

/* --- operations -----------------------------------------------------------*/

/* The row that an operation is about, its second form. */
static bool
begin_item(const struct reading *g, uint32_t i, row_id *row)
{
    if (count_forms(g->f, i) < 2)
        return wrong(g, i, "an operation with a row");
    return read_row(g, nth_form(g->f, i, 1), row);
}

/* The rest of an operation on a row from its third form on, form 'more'. */
static bool
read_rest(const struct reading *g, uint32_t more, uint32_t end,
          enum row_form_kind kind, struct row_entry *e)
{
    const struct forms *f = g->f;
    const uint32_t about = form_next(f, more);
    if (kind == ROW_FORM_DELETE)
        return read_deleted(g, more, &e->content);
    if (kind != ROW_FORM_READ)
        return read_version(g, more, end, e->row, ABOUT_WRITE, &e->content,
                            NULL);
    if (f->at[more].kind != FORM_NIL || about == end)
        return read_version(g, more, end, e->row, ABOUT_READ, &e->content,
                            &e->is_check);
    return form_next(f, about) == end
               ? read_about(g, about, ABOUT_ABSENT, e->content, &e->is_check)
               : wrong(g, form_next(f, about), "']' after the absent row");
}

/* ["i", row, values] and ["u", row, values]; ["d", row]; ["r", row, values] and
 * ["r", row]. */
static bool
read_item(const struct reading *g, uint32_t i, enum row_form_kind kind,
          txn_id t)
{
    const struct forms *f = g->f;
    const bool is_delete = kind == ROW_FORM_DELETE;
    const bool is_read = kind == ROW_FORM_READ;
    struct row_entry e = {.kind = is_read ? ROW_READ : ROW_WRITE,
                          .is_insert = kind == ROW_FORM_INSERT,
                          .txn = t,
                          .content = ROW_ABSENT,
                          .at = f->at[i].at};
    if (!begin_item(g, i, &e.row))
        return false;
    const uint32_t n = count_forms(f, i), end = form_end(f, i);
    if (is_delete ? n > 3 : n < 3 && !is_read)
        return is_delete ? wrong_in(g, i, "[\"d\", row]", "[:d row]")
                         : wrong(g, i, "an operation with a row and values");
    if (n > 2 && !read_rest(g, nth_form(f, i, 2), end, kind, &e))
        return false;
    row_reader_add(g->r, e);
    return true;
}

bool
row_forms_absent(struct row_reader *r, const struct forms *f, uint32_t i,
                 txn_id t)
{
    const struct reading g = {r, f};
    struct row_entry e = {
        .kind = ROW_READ, .txn = t, .content = ROW_ABSENT, .at = f->at[i].at};
    if (!begin_item(&g, i, &e.row))
        return false;
    const uint32_t n = count_forms(f, i);
    if (n > 4)
        return wrong(&g, nth_form(f, i, 4), "']' after the absent row");
    if (n == 4 && !read_about(&g, nth_form(f, i, 3), ABOUT_ABSENT, ROW_ABSENT,
                              &e.is_check))
        return false;
    row_reader_add(r, e);
    return true;
}

/* The rows that a query returned. */
static bool
read_returned(const struct reading *g, uint32_t i, const char *at, txn_id t,
              struct row_query *q)
{
    const struct forms *f = g->f;
    if (f->at[i].kind != FORM_VECTOR)
        return wrong_in(g, i, "an array of rows", "a vector of rows");
    for (uint32_t j = form_first(i); j < form_end(f, i); j = form_next(f, j)) {
        struct row_entry e = {.kind = ROW_RETURNED, .txn = t, .at = at};
        if (f->at[j].kind != FORM_VECTOR || count_forms(f, j) < 2)
            return wrong_in(g, j, "[row, values]", "[row values]");
        const uint32_t row = form_first(j);
        if (!read_row(g, row, &e.row))
            return false;
        if (g->r->log->rows.at[e.row].table != q->table)
            return wrong(g, form_first(row), "the table that was asked for");
        if (!read_version(g, form_next(f, row), form_end(f, j), e.row,
                          ABOUT_RETURNED, &e.content, NULL))
            return false;
        row_reader_add(g->r, e);
        q->returned++;
    }
    return true;
}

static bool
read_condition(const struct reading *g, uint32_t i, bool is_named,
               uint32_t *out)
{
    const struct form *form = &g->f->at[i];
    struct row_log *l = row_reader_log(g->r);
    if (is_named) {
        uint32_t label = ID_NONE;
        if (!read_label(g, i, &label))
            return false;
        const struct string s = strings_get(&l->names, label);
        return row_reader_condition(g->r, (struct span){s.text, s.len}, true,
                                    form->at, false, out);
    }
    if (form->kind != FORM_STRING)
        return wrong(g, i, "a condition as a string");
    // A string without escapes is a part of the input, and so is the mistake.
    const bool is_input =
        form->text.at >= form->at && form->text.at < g->r->s->end;
    return row_reader_condition(g->r, form->text, false, form->at, is_input,
                                out);
}

/* The mark of a query that a key of its map names; NULL if it names none, or
 * one that was there before. */
static bool *
find_mark(struct row_query *q, struct span name)
{
    bool *mark = span_is(name, "check")       ? &q->is_check
                 : span_is(name, "unordered") ? &q->is_unordered
                                              : NULL;
    return mark && !*mark ? mark : NULL;
}

/* What a query asks for: {"table": ..., "where": ...} */
static bool
read_asked(const struct reading *g, uint32_t asked, struct row_query *q)
{
    static const char json[] = "\"table\", and \"where\" or \"id\"";
    static const char edn[] = ":table, and :where or :id";
    bool *mark;
    const struct forms *f = g->f;
    if (f->at[asked].kind != FORM_MAP)
        return wrong_in(g, asked, "an object with \"table\" and \"where\"",
                        "a map with :table and :where");
    for (uint32_t k = form_first(asked); k < form_end(f, asked);
         k = form_next(f, form_next(f, k))) {
        const uint32_t value = form_next(f, k);
        const struct span name =
            is_word(f, k) ? f->at[k].text : (struct span){0};
        const bool named = span_is(name, "id");
        if (span_is(name, "table") && q->table == ID_NONE) {
            if (!read_table(g, value, &q->table))
                return false;
        } else if ((mark = find_mark(q, name))) {
            if (!read_mark(g, value, mark))
                return false;
        } else if (q->condition != ID_NONE ||
                   (!named && !span_is(name, "where"))) {
            return wrong_key(g, k, json, edn);
        } else if (!read_condition(g, value, named, &q->condition)) {
            return false;
        }
    }
    return (q->table != ID_NONE && q->condition != ID_NONE) ||
           wrong_in(g, asked, json, edn);
}

/* ["q", {"table": ..., "where": ...}, rows] */
static bool
read_query(const struct reading *g, uint32_t i, txn_id t)
{
    const struct forms *f = g->f;
    struct row_query q = {.table = ID_NONE, .condition = ID_NONE};
    const char *at = f->at[i].at;
    if (count_forms(f, i) != 3)
        return wrong_in(g, i, "[\"q\", {\"table\": ..., \"where\": ...}, rows]",
                        "[:q {:table ... :where ...} rows]");
    const uint32_t asked = nth_form(f, i, 1), rows = form_next(f, asked);
    if (!read_asked(g, asked, &q) || !read_returned(g, rows, at, t, &q))
        return false;
    vec_push(&g->r->log->queries, q);
    row_reader_add(
        g->r, (struct row_entry){.kind = ROW_QUERY,
                                 .txn = t,
                                 .about = (uint32_t)g->r->log->queries.n - 1,
                                 .at = at});
    return true;
}

bool
row_forms_op(struct row_reader *r, const struct forms *f, uint32_t i,
             enum row_form_kind kind, txn_id t)
{
    const struct reading g = {r, f};
    return kind == ROW_FORM_QUERY ? read_query(&g, i, t)
                                  : read_item(&g, i, kind, t);
}

bool
row_forms_initial(struct row_reader *r, const struct forms *f, uint32_t i)
{
    const struct reading g = {r, f};
    if (f->at[i].kind != FORM_VECTOR)
        return wrong_in(&g, i, "an array of rows", "a vector of rows");
    for (uint32_t j = form_first(i); j < form_end(f, i); j = form_next(f, j)) {
        row_id row;
        uint32_t content = ROW_ABSENT;
        if (f->at[j].kind != FORM_VECTOR || count_forms(f, j) < 1)
            return wrong_in(&g, j, "[row, values]", "[row values]");
        const uint32_t name = form_first(j),
                       known = r->log ? (uint32_t)r->log->rows.n : 0;
        if (!read_row(&g, name, &row))
            return false;
        if (row < known)
            return wrong(&g, name, "each row once");
        if (count_forms(f, j) > 1 &&
            !read_version(&g, form_next(f, name), form_end(f, j), row,
                          ABOUT_INITIAL, &content, NULL))
            return false;
        r->log->rows.at[row].initial = content;
    }
    return true;
}
