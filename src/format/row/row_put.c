/* row_put.c -- see row_put.h.
 *
 * Of a transaction with rows, the operations on registers and lists before its
 * first row are in the history only.  Those after it have an entry in the log
 * that says where they stand; what they are is in the history as well.
 *
 *   (1) a transaction has as many such entries as it has operations on
 *       registers and lists from its first row on;
 *   (2) all rows that there are in the beginning are below 'listed', and a file
 *       that begins with those below names all rows in the order of their
 *       numbers.
 *
 * SPDX-License-Identifier: MIT */
#include "format/row/row_put.h"

#include "base/json.h"

bool
row_put_fits(const struct history *h, struct err *err)
{
    return !h->key_rows || h->rows ||
           err_set(err, ERR_FEATURE,
                   "a reduced history of rows cannot be written where "
                   "there are lists, or transactions of unknown outcome "
                   "that order versions");
}

/* Find how many rows have to be listed for (2): all that are named after one
 * with a greater number. */
static void
find_listed(struct row_put *r, const txn_id *order)
{
    const struct row_log *l = r->h->rows;
    for (row_id row = 0; row < l->rows.n; row++)
        if (l->rows.at[row].initial != ROW_ABSENT)
            r->listed = row + 1;
    row_id beyond = r->listed; // the greatest number so far, and one more
    uint8_t *named = mem_calloc(l->rows.n, sizeof *named);
    for (txn_id j = 0; l->queries.n && j < r->h->n_txns; j++) {
        const txn_id i = order ? order[j] : j;
        for (uint32_t e = r->first[i]; e < r->first[i + 1]; e++) {
            const struct row_entry *entry = &l->entries.at[r->entries[e]];
            const row_id row = entry->row;
            if (entry->kind == ROW_QUERY || entry->kind == ROW_OTHER ||
                named[row])
                continue;
            named[row] = 1;
            if (row < beyond && row >= r->listed)
                r->listed = row + 1;
            beyond = row >= beyond ? row + 1 : beyond;
        }
    }
    mem_free(named);
}

void
row_put_init(struct row_put *r, const struct history *h, const txn_id *order)
{
    *r = (struct row_put){.h = h};
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
    find_listed(r, order);
}

void
row_put_free(struct row_put *r)
{
    mem_free(r->first);
    mem_free(r->entries);
    buf_free(&r->json);
}

/* --- operations one by one ------------------------------------------------*/

/* The next operation of t from *op on that is not of a row. */
static bool
find_other(const struct history *h, txn_id t, op_id *op)
{
    while (*op < h->txn_end[t] &&
           (op_is_of_row(h, *op) || op_is_implied(h, *op)))
        ++*op;
    return *op < h->txn_end[t];
}

void
row_put_walk(const struct row_put *r, txn_id i, struct row_put_walk *w)
{
    const struct history *h = r->h;
    const txn_id t = h->arrival[i];
    *w = (struct row_put_walk){.r = r,
                               .t = t,
                               .at = r->first[i],
                               .end = r->first[i + 1],
                               .op = h->txn_begin[t]};
    for (op_id op = w->op; find_other(h, t, &op); op++)
        w->before++;
    for (uint32_t e = w->at; e < w->end; e++) // all but those of (1)
        w->before -= h->rows->entries.at[r->entries[e]].kind == ROW_OTHER;
}

bool
row_put_next(struct row_put_walk *w, struct row_put_op *out)
{
    const struct row_log *l = w->r->h->rows;
    // A row that was returned comes with its query.
    while (!w->before && w->at < w->end &&
           l->entries.at[w->r->entries[w->at]].kind == ROW_RETURNED)
        w->at++;
    if (!w->before && w->at == w->end)
        return false;
    const uint32_t entry = w->before ? 0 : w->r->entries[w->at++];
    *out = (struct row_put_op){.is_entry = true, .entry = entry};
    if (w->before || l->entries.at[entry].kind == ROW_OTHER) {
        const bool found = find_other(w->r->h, w->t, &w->op);
        assert(found);
        (void)found;
        *out = (struct row_put_op){.op = w->op++};
        w->before -= w->before > 0;
    }
    return true;
}

/* --- rows and their values ------------------------------------------------*/

static void
put_name(struct buf *out, const struct row_log *l, uint32_t name)
{
    const struct string s = strings_get(&l->names, name);
    buf_json(out, s.text, s.len);
}

/* The name of a row is its JSON, except that a key of letters has no quotes. */
void
row_put_name(const struct row_log *l, row_id row, struct buf *out)
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

struct row_returned
row_put_returned(const struct row_log *l, uint32_t entry)
{
    assert(l->entries.at[entry].kind == ROW_QUERY);
    const uint32_t n = l->queries.at[l->entries.at[entry].about].returned;
    const struct row_entry *at = &l->entries.at[entry - n];
    for (uint32_t i = 0; i < n; i++)
        assert(at[i].kind == ROW_RETURNED);
    return (struct row_returned){.at = at, .n = n};
}

void
row_put_values(const struct row_put_values *v, const struct row_log *l,
               uint32_t content, struct buf *out)
{
    const struct row_cells cells = row_log_cells(l, content);
    buf_char(out, '{');
    for (size_t i = 0; i < cells.n; i++) {
        const struct row_datum d = cells.at[i].datum;
        buf_text(out, i ? v->between : "");
        v->text(out, strings_get(&l->names, cells.at[i].column), NULL);
        buf_char(out, ':');
        if (d.type == ROW_DATUM_TEXT)
            v->text(out, strings_get(&l->names, d.text), "null");
        else if (d.type == ROW_DATUM_INT)
            buf_i64(out, d.number);
        else
            buf_text(out, "null");
    }
    buf_char(out, '}');
}

void
row_put_read(const char *text, size_t n, struct forms *out)
{
    const struct input in = {.name = "", .data = text, .size = n};
    struct err ignored = {0};
    struct scan s;
    scan_init(&s, &in, &ignored);
    const bool ok = form_read_json(&s, out);
    assert(ok);
    (void)ok;
    scan_free(&s);
}

/* --- JSON -----------------------------------------------------------------*/

static void
put_json(struct buf *out, struct string text, const char *reserved)
{
    (void)reserved;
    buf_json(out, text.text, text.len);
}

static const struct row_put_values json_values = {.between = ",",
                                                  .text = put_json};

/* A name that is JSON already. */
static void
put_name_json(struct buf *out, const struct row_log *l, const char *member,
              uint32_t name)
{
    const struct string s = strings_get(&l->names, name);
    json_raw(out, member, s.text, s.len);
}

/* What is said about a version or a read. */
static void
put_about(struct buf *out, const struct row_log *l, uint32_t content,
          bool is_check)
{
    const struct row_content *c = &l->contents.at[content];
    if (c->ver == ID_NONE && c->prev == ID_NONE && !c->has_satisfied &&
        !is_check)
        return;
    json_object(out, NULL);
    if (c->ver != ID_NONE)
        put_name_json(out, l, "ver", c->ver);
    if (c->prev == ROW_PREV_NULL)
        json_null(out, "prev");
    else if (c->prev != ID_NONE)
        put_name_json(out, l, "prev", c->prev);
    if (c->has_satisfied) {
        json_array(out, "satisfies");
        for (uint32_t i = 0; i < c->satisfied_n; i++)
            put_name_json(out, l, NULL, l->satisfied.at[c->satisfied + i]);
        json_array_end(out);
    }
    if (is_check)
        json_bool(out, "check", true);
    json_object_end(out);
}

/* A row and what it holds, without brackets around both. */
static void
put_version(struct buf *out, const struct row_log *l, row_id row,
            uint32_t content, bool is_check)
{
    json_key(out, NULL);
    row_put_name(l, row, out);
    if (!l->contents.at[content].is_absent) {
        json_key(out, NULL);
        row_put_values(&json_values, l, content, out);
    }
    put_about(out, l, content, is_check);
}

static void
put_query(struct buf *out, const struct row_log *l, uint32_t entry,
          bool has_answer)
{
    const struct row_query *q = &l->queries.at[l->entries.at[entry].about];
    const struct row_condition *c = &l->conditions.at[q->condition];
    json_object(out, NULL);
    json_key(out, "table");
    put_name(out, l, l->tables.at[q->table].name);
    if (c->is_named) {
        put_name_json(out, l, "id", c->text);
    } else {
        json_key(out, "where");
        put_name(out, l, c->text);
    }
    if (q->is_unordered)
        json_bool(out, "unordered", true);
    if (q->is_check)
        json_bool(out, "check", true);
    json_object_end(out);
    if (!has_answer) {
        json_null(out, NULL);
        return;
    }
    json_array(out, NULL);
    const struct row_returned found = row_put_returned(l, entry);
    for (uint32_t i = 0; i < found.n; i++) {
        json_array(out, NULL);
        put_version(out, l, found.at[i].row, found.at[i].content, false);
        json_array_end(out);
    }
    json_array_end(out);
}

static void
put_read(struct buf *out, const struct row_log *l, const struct row_entry *e,
         enum row_put_for reader)
{
    const bool is_absent = l->contents.at[e->content].is_absent;
    if (reader != ROW_PUT_INVOCATION && !is_absent) {
        put_version(out, l, e->row, e->content, e->is_check);
        return;
    }
    json_key(out, NULL);
    row_put_name(l, e->row, out);
    if (reader == ROW_PUT_COMPLETION)
        json_text(out, NULL, "absent");
    else if (reader == ROW_PUT_INVOCATION || e->is_check)
        json_null(out, NULL);
    if (e->is_check && reader != ROW_PUT_INVOCATION) {
        json_object(out, NULL);
        json_bool(out, "check", true);
        json_object_end(out);
    }
}

/* "q", a query; "r" or, in Jepsen's words, "get", a read; "d", "i" or "u". */
static const char *
entry_name(const struct row_log *l, const struct row_entry *e,
           enum row_put_for reader)
{
    return e->kind == ROW_QUERY  ? "q"
           : e->kind == ROW_READ ? reader == ROW_PUT_LINE ? "r" : "get"
           : l->contents.at[e->content].is_absent ? "d"
           : e->is_insert                         ? "i"
                                                  : "u";
}

static void
put_entry(struct buf *out, const struct row_log *l, uint32_t entry,
          enum row_put_for reader)
{
    const struct row_entry *e = &l->entries.at[entry];
    json_array(out, NULL);
    json_text(out, NULL, entry_name(l, e, reader));
    if (e->kind == ROW_QUERY) {
        put_query(out, l, entry, reader != ROW_PUT_INVOCATION);
    } else if (e->kind == ROW_READ) {
        put_read(out, l, e, reader);
    } else {
        assert(e->kind == ROW_WRITE);
        put_version(out, l, e->row, e->content, false);
    }
    json_array_end(out);
}

/* --- EDN ------------------------------------------------------------------*/

/* The operation in r->json.  Its name, and that a row is absent, are words. */
static void
put_edn_op(struct row_put *r, struct put *p)
{
    const struct forms *f = &p->forms;
    row_put_read(r->json.at, r->json.n, &p->forms);
    buf_char(&p->out, '[');
    for (uint32_t i = form_first(0); i < form_end(f, 0); i = form_next(f, i)) {
        if (i > form_first(0))
            buf_char(&p->out, ' ');
        if (f->at[i].kind == FORM_STRING)
            form_show_edn_key(f, i, &p->out);
        else
            form_show_edn(f, i, &p->out);
    }
    buf_char(&p->out, ']');
}

/* Which statement the next operations are of, where that changes. */
static void
put_statement(struct row_put *r, struct put *p, const struct row_put_op *op,
              uint32_t *last, bool *any)
{
    static const char *const locks[] = {[ROW_LOCK_KEY_SHARE] = "key share",
                                        [ROW_LOCK_SHARE] = "share",
                                        [ROW_LOCK_NO_KEY_UPDATE] =
                                            "no key update",
                                        [ROW_LOCK_UPDATE] = "update"};
    const struct history *h = r->h;
    const uint32_t marks = op->is_entry  ? h->rows->entries.at[op->entry].marks
                           : h->op_marks ? h->op_marks[op->op] & ~OP_MARKS
                                         : 0;
    const uint32_t lock = (marks >> OP_LOCK_SHIFT) & 0xff;
    if (marks == *last || !(marks >> OP_STATEMENT_SHIFT))
        return;
    *last = marks;
    put_next(p, !*any);
    *any = true;
    json_array(&p->out, NULL);
    json_text(&p->out, NULL, "statement");
    json_u64(&p->out, NULL, marks >> OP_STATEMENT_SHIFT);
    if (lock)
        json_text(&p->out, NULL, locks[lock]);
    json_array_end(&p->out);
}

void
row_put_ops(struct row_put *r, struct put *p, txn_id i, enum row_put_for reader)
{
    struct row_put_walk w;
    struct row_put_op op;
    bool any = false;
    uint32_t marks = 0;
    buf_char(&p->out, '[');
    row_put_walk(r, i, &w);
    while (row_put_next(&w, &op)) {
        if (reader == ROW_PUT_LINE)
            put_statement(r, p, &op, &marks, &any);
        put_next(p, !any);
        any = true;
        if (!op.is_entry) {
            put_op(p, op.op, reader == ROW_PUT_INVOCATION);
        } else if (p->is_json) {
            put_entry(&p->out, r->h->rows, op.entry, reader);
        } else {
            buf_clear(&r->json);
            put_entry(&r->json, r->h->rows, op.entry, reader);
            put_edn_op(r, p);
        }
    }
    buf_char(&p->out, ']');
}

void
row_put_initial(struct row_put *r, struct put *p)
{
    const struct row_log *l = r->h->rows;
    struct buf *out = p->is_json ? &p->out : &r->json;
    if (!p->is_json)
        buf_clear(out);
    json_array(out, NULL);
    for (row_id row = 0; row < r->listed; row++) {
        json_array(out, NULL);
        put_version(out, l, row, l->rows.at[row].initial, false);
        json_array_end(out);
    }
    json_array_end(out);
    if (!p->is_json) {
        row_put_read(out->at, out->n, &p->forms);
        form_show_edn(&p->forms, 0, &p->out);
    }
}
