/* jsonl_put_rows.c -- see jsonl_put_rows.h.
 *
 * Of a transaction with rows, the operations on registers and lists before its
 * first row are in the history only.  Those after it have an entry in the log
 * that says where they stand; what they are is in the history as well.
 *
 *   (1) a transaction has as many such entries as it has operations on
 *       registers and lists from its first row on.
 *
 * SPDX-License-Identifier: MIT */
#include "format/jsonl/jsonl_put_rows.h"

#include "history/row/row_log.h"

void
jsonl_put_rows_init(struct jsonl_put_rows *r, const struct history *h)
{
    *r = (struct jsonl_put_rows){0};
    if (!h->rows)
        return;
    const size_t n = h->rows->entries.n;
    r->first = mem_calloc((size_t)h->n_txns + 2, sizeof *r->first);
    r->entries = mem_alloc(n, sizeof *r->entries);
    uint32_t *next = r->first + 1;
    for (size_t i = 0; i < n; i++) {
        assert(h->rows->entries.at[i].txn < h->n_txns);
        next[h->rows->entries.at[i].txn + 1]++;
    }
    for (txn_id t = 0; t < h->n_txns; t++)
        next[t + 1] += next[t];
    for (size_t i = 0; i < n; i++)
        r->entries[next[h->rows->entries.at[i].txn]++] = (uint32_t)i;
    assert(r->first[h->n_txns] == n);
}

void
jsonl_put_rows_free(struct jsonl_put_rows *r)
{
    mem_free(r->first);
    mem_free(r->entries);
}

/* --- rows and their values ------------------------------------------------*/

static void
put_name(struct buf *out, const struct row_log *l, uint32_t name)
{
    const struct string s = strings_get(&l->names, name);
    buf_json(out, s.text, s.len);
}

/* The name of a row is its JSON, except that a key of letters has no quotes. */
static void
put_row(struct buf *out, const struct row_log *l, row_id row)
{
    const struct string s = strings_get(&l->row_names, row);
    const uint32_t table = l->rows.at[row].table;
    struct buf quoted = {0};
    put_name(&quoted, l, l->tables.at[table].name);
    const size_t key = quoted.n + 2; // a bracket and a comma
    assert(s.len > key + 1 && s.text[key - 1] == ',');
    const size_t n = s.len - 1 - key;
    buf_add(out, s.text, key);
    if (strchr("\"[-0123456789", s.text[key]))
        buf_add(out, s.text + key, n);
    else
        buf_json(out, s.text + key, n);
    buf_char(out, ']');
    buf_free(&quoted);
}

static void
put_values(struct buf *out, const struct row_log *l, uint32_t content)
{
    const struct row_cells cells = row_log_cells(l, content);
    buf_char(out, '{');
    for (size_t i = 0; i < cells.n; i++) {
        const struct row_datum d = cells.at[i].datum;
        buf_text(out, i ? "," : "");
        put_name(out, l, cells.at[i].column);
        buf_char(out, ':');
        if (d.type == ROW_DATUM_TEXT)
            put_name(out, l, d.text);
        else if (d.type == ROW_DATUM_INT)
            buf_i64(out, d.number);
        else
            buf_text(out, "null");
    }
    buf_char(out, '}');
}

/* What is said about a version; the names are JSON already. */
static void
put_about(struct buf *out, const struct row_log *l, uint32_t content)
{
    const struct row_content *c = &l->contents.at[content];
    const char *before = ",{";
    if (c->ver != ID_NONE) {
        buf_printf(out, "%s\"ver\":%s", before,
                   strings_get(&l->names, c->ver).text);
        before = ",";
    }
    if (c->prev != ID_NONE) {
        buf_printf(out, "%s\"prev\":%s", before,
                   c->prev == ROW_PREV_NULL
                       ? "null"
                       : strings_get(&l->names, c->prev).text);
        before = ",";
    }
    if (c->has_satisfied) {
        buf_printf(out, "%s\"satisfies\":[", before);
        for (uint32_t i = 0; i < c->satisfied_n; i++) {
            const uint32_t name = l->satisfied.at[c->satisfied + i];
            buf_text(out, i ? "," : "");
            buf_text(out, strings_get(&l->names, name).text);
        }
        buf_char(out, ']');
        before = ",";
    }
    if (*before == ',' && before[1] == '\0')
        buf_char(out, '}');
}

/* A row and what it holds, without brackets around both. */
static void
put_version(struct buf *out, const struct row_log *l, row_id row,
            uint32_t content)
{
    put_row(out, l, row);
    if (!l->contents.at[content].is_absent) {
        buf_char(out, ',');
        put_values(out, l, content);
    }
    put_about(out, l, content);
}

void
jsonl_put_initial_rows(struct put *p)
{
    const struct row_log *l = p->h->rows;
    bool any = false;
    for (row_id row = 0; row < l->rows.n; row++) {
        if (l->rows.at[row].initial == ROW_ABSENT)
            continue;
        buf_text(&p->out, any ? ",[" : "{\"initial\":{\"rows\":[[");
        put_version(&p->out, l, row, l->rows.at[row].initial);
        buf_char(&p->out, ']');
        any = true;
    }
    buf_text(&p->out, any ? "]}}\n" : "");
}

/* --- operations -----------------------------------------------------------*/

static void
put_query(struct buf *out, const struct row_log *l, uint32_t entry)
{
    const struct row_query *q = &l->queries.at[l->entries.at[entry].about];
    const struct row_condition *c = &l->conditions.at[q->condition];
    buf_text(out, "[\"q\",{\"table\":");
    put_name(out, l, l->tables.at[q->table].name);
    if (c->is_named) {
        buf_printf(out, ",\"id\":%s},[", strings_get(&l->names, c->text).text);
    } else {
        buf_text(out, ",\"where\":");
        put_name(out, l, c->text);
        buf_text(out, "},[");
    }
    for (uint32_t i = entry - q->returned; i < entry; i++) {
        const struct row_entry *e = &l->entries.at[i];
        assert(e->kind == ROW_RETURNED);
        buf_text(out, i > entry - q->returned ? ",[" : "[");
        put_version(out, l, e->row, e->content);
        buf_char(out, ']');
    }
    buf_text(out, "]]");
}

static void
put_item(struct buf *out, const struct row_log *l, const struct row_entry *e)
{
    const bool is_absent = l->contents.at[e->content].is_absent;
    buf_printf(out, "[\"%s\",",
               e->kind == ROW_READ ? "r"
               : is_absent         ? "d"
               : e->is_insert      ? "i"
                                   : "u");
    put_version(out, l, e->row, e->content);
    buf_char(out, ']');
}

/* The next operation of t from *op on that is not of a row. */
static bool
find_other(const struct history *h, txn_id t, op_id *op)
{
    while (*op < h->txn_end[t] &&
           (op_is_of_row(h, *op) || op_is_implied(h, *op)))
        ++*op;
    return *op < h->txn_end[t];
}

/* How many operations of t on registers and lists precede its first row: all
 * but those that have an entry (1). */
static uint32_t
count_before(const struct jsonl_put_rows *r, const struct history *h, txn_id i)
{
    const txn_id t = h->arrival[i];
    uint32_t n = 0;
    for (op_id op = h->txn_begin[t]; find_other(h, t, &op); op++)
        n++;
    for (uint32_t e = r->first[i]; e < r->first[i + 1]; e++)
        n -= h->rows->entries.at[r->entries[e]].kind == ROW_OTHER;
    return n;
}

void
jsonl_put_row_ops(const struct jsonl_put_rows *r, struct put *p, txn_id i)
{
    const struct history *h = p->h;
    const struct row_log *l = h->rows;
    const txn_id t = h->arrival[i];
    op_id op = h->txn_begin[t];
    bool any = false;
    buf_char(&p->out, '[');
    for (uint32_t n = count_before(r, h, i); n; n--, op++) {
        find_other(h, t, &op);
        buf_text(&p->out, any ? "," : "");
        put_op(p, op, false);
        any = true;
    }
    for (uint32_t e = r->first[i]; e < r->first[i + 1]; e++) {
        const struct row_entry *entry = &l->entries.at[r->entries[e]];
        if (entry->kind == ROW_RETURNED)
            continue; // it comes with the query
        buf_text(&p->out, any ? "," : "");
        any = true;
        if (entry->kind == ROW_QUERY) {
            put_query(&p->out, l, r->entries[e]);
        } else if (entry->kind == ROW_OTHER) {
            const bool found = find_other(h, t, &op);
            assert(found);
            (void)found;
            put_op(p, op++, false);
        } else {
            put_item(&p->out, l, entry);
        }
    }
    buf_char(&p->out, ']');
}
