/* verify_rows.c -- see verify_rows.h.
 *
 * SPDX-License-Identifier: MIT */
#include "verify/rows/verify_rows.h"

#include "verify/rows/naive_condition.h"
#include "verify/rows/verify_links.h"

struct rows {
    const struct history *h;
    const struct row_log *l;
    key_id *key;         // by row: its register, or ID_NONE
    row_id *row;         // by key: its row, or ID_NONE
    uint32_t *questions; // by row: its registers that are written, besides it
    uint32_t *first;     // by row: its versions
    u32_vec versions;    // contents
    uint8_t *returned;   // by row, during a query
    // What was found before is not looked for again.
    u32_vec *matched;        // by condition: per row 1 or 0, once it was asked
    uint32_t *read_by_value; // by value: the content that a read of it saw,
    uint32_t *read_by_key;   // and by key, of the initial one; + 1; 0 = none
    uint8_t *missed;         // by key: 1, reads of "none" are right
    struct verify_links links;
    struct err *err;
};

/* --- texts ----------------------------------------------------------------*/

/* Whether a question names the column next: "(v, w)" has columns in the order
 * of the row, in quotes where they are not plain words.  The row itself, which
 * has no question, has all of them. */
static bool
is_next_column(const struct row_log *l, const char **question,
               const struct row_cell *c)
{
    if (!*question)
        return true;
    struct buf quoted = {0};
    const struct string name = strings_get(&l->names, c->column);
    const char *at = *question;
    buf_json(&quoted, name.text, name.len);
    const bool in_quotes = *at == '"';
    const size_t n = in_quotes ? quoted.n : name.len;
    const bool is = strncmp(at, in_quotes ? quoted.at : name.text, n) == 0 &&
                    (at[n] == ',' || at[n] == ')');
    buf_free(&quoted);
    if (is)
        *question = at + n + (at[n] == ',' ? 2 : 0);
    return is;
}

/* Append the values of these columns as JSON. */
static void
show_columns(const struct row_log *l, uint32_t content, const char *question,
             bool ver, struct buf *out)
{
    const struct row_cells cells = row_log_cells(l, content);
    const char *next = question ? question + 1 : NULL;
    bool any = false;
    buf_char(out, '{');
    for (size_t i = 0; i < cells.n; i++) {
        const struct row_cell *c = &cells.at[i];
        if (!is_next_column(l, &next, c))
            continue;
        const struct string name = strings_get(&l->names, c->column);
        buf_text(out, any ? "," : "");
        any = true;
        buf_json(out, name.text, name.len);
        buf_char(out, ':');
        if (c->datum.type == ROW_DATUM_TEXT) {
            const struct string s = strings_get(&l->names, c->datum.text);
            buf_json(out, s.text, s.len);
        } else if (c->datum.type == ROW_DATUM_INT) {
            buf_i64(out, c->datum.number);
        } else {
            buf_text(out, "null");
        }
    }
    buf_char(out, '}');
    if (ver && l->contents.at[content].ver != ID_NONE)
        buf_printf(out, " ver %s",
                   strings_get(&l->names, l->contents.at[content].ver).text);
}

/* Whether a version satisfies the condition with this text: "v > 5", or "#3"
 * for a name. */
static enum naive_truth
satisfies(const struct rows *r, const char *text, uint32_t content)
{
    const struct row_content *c = &r->l->contents.at[content];
    if (c->is_absent)
        return NAIVE_FALSE;
    if (*text != '#')
        return naive_condition(r->l, text, content);
    for (uint32_t i = 0; i < c->satisfied_n; i++) {
        const uint32_t name = r->l->satisfied.at[c->satisfied + i];
        if (strcmp(strings_get(&r->l->names, name).text, text + 1) == 0)
            return NAIVE_TRUE;
    }
    return c->has_satisfied ? NAIVE_FALSE : NAIVE_MISTAKE;
}

/* The question of a register: NULL for the row itself. */
static const char *
question_of(const struct rows *r, key_id k)
{
    const uint32_t where = r->h->key_rows[k].where;
    return where == ID_NONE ? NULL : strings_get(&r->h->strings, where).text;
}

/* Whether the question is a condition; its text then. */
static bool
is_condition(const char *question, const char **text)
{
    const bool is = question && strncmp(question, "where ", 6) == 0;
    if (is)
        *text = question + 6;
    return is;
}

/* Append what register k holds after a version. */
static bool
show_answer(const struct rows *r, key_id k, uint32_t content, struct buf *out)
{
    const char *question = question_of(r, k), *condition;
    if (is_condition(question, &condition)) {
        const enum naive_truth x = satisfies(r, condition, content);
        if (x == NAIVE_MISTAKE)
            return err_set(r->err, ERR_SYNTAX,
                           "a condition on a row has no value");
        if (x != NAIVE_TRUE) {
            buf_text(out, "none");
            return true;
        }
        question = NULL;
    }
    const bool ver = !question || strstr(question, ") ver");
    if (r->l->contents.at[content].is_absent)
        buf_text(out, "absent");
    else
        show_columns(r->l, content, question, ver, out);
    return true;
}

/* What an operation wrote or read, as text. */
static const char *
text_of(const struct rows *r, op_id op)
{
    const struct history *h = r->h;
    const struct atom a = history_value_atom(h, h->op_value[op]);
    const uint32_t text =
        atom_is_text(a) ? (uint32_t)a.bits : h->key_rows[op_key(h, op)].initial;
    return strings_get(&h->strings, text).text;
}

/* Whether register k holds the value of op after a version. */
static bool
holds(const struct rows *r, op_id op, uint32_t content, bool *out)
{
    struct buf text = {0};
    const bool ok = show_answer(r, op_key(r->h, op), content, &text);
    *out = ok && strcmp(text.at, text_of(r, op)) == 0;
    buf_free(&text);
    return ok;
}

/* --- operations -----------------------------------------------------------*/

static bool
wrong(const struct rows *r, row_id row, const char *what)
{
    char shown[ERR_QUOTE_ROOM];
    const struct string name =
        strings_get(&r->l->names, r->l->rows.at[row].name);
    return err_set(r->err, ERR_SYNTAX, "row %s: %s",
                   err_quote(shown, sizeof shown, name.text, name.len), what);
}

/* The operations of a transaction from op on that are of rows. */
struct walk {
    op_id op, end;
};

static void
skip_others(const struct rows *r, struct walk *w)
{
    while (w->op < w->end && !op_is_of_row(r->h, w->op))
        w->op++;
}

/* A write that names a version of an aborted transaction reads it first. */
static bool
verify_aborted(const struct rows *r, size_t entry, struct walk *w)
{
    const row_id row = r->l->entries.at[entry].row;
    const uint32_t content = verify_links_aborted(&r->links, r->h, entry);
    bool right = false;
    if (content == ID_NONE)
        return true;
    skip_others(r, w);
    if (w->op < w->end && !op_is_write(r->h, w->op) &&
        op_key(r->h, w->op) == r->key[row] && !holds(r, w->op, content, &right))
        return false;
    w->op++;
    return right || wrong(r, row, "the version before is not read");
}

static bool
verify_write(const struct rows *r, size_t entry, struct walk *w)
{
    const struct row_entry *e = &r->l->entries.at[entry];
    uint32_t n = 0;
    if (!verify_aborted(r, entry, w))
        return false;
    for (skip_others(r, w); w->op < w->end; w->op++, n++) {
        const key_id k = op_key(r->h, w->op);
        bool right;
        if (!op_is_of_row(r->h, w->op) || !op_is_write(r->h, w->op) ||
            r->row[k] != e->row)
            break;
        if (!holds(r, w->op, e->content, &right))
            return false;
        if (!right)
            return wrong(r, e->row, "a write is not what was recorded");
        if (k == r->key[e->row]) {
            w->op++;
            return n == r->questions[e->row] ||
                   wrong(r, e->row, "a write does not answer all questions");
        }
    }
    return wrong(r, e->row, "a write is missing");
}

/* Whether a version fits what a read of a row saw. */
static bool
fits_read(const struct rows *r, uint32_t version, uint32_t seen)
{
    const struct row_content *v = &r->l->contents.at[version];
    const struct row_content *s = &r->l->contents.at[seen];
    if (v->is_absent || s->is_absent)
        return v->is_absent == s->is_absent;
    if (s->ver != ID_NONE && s->ver != v->ver)
        return false;
    const struct row_cells has = row_log_cells(r->l, version);
    const struct row_cells saw = row_log_cells(r->l, seen);
    for (size_t i = 0; i < saw.n; i++) {
        bool same = false;
        for (size_t j = 0; j < has.n; j++)
            same |= has.at[j].column == saw.at[i].column &&
                    has.at[j].datum.type == saw.at[i].datum.type &&
                    has.at[j].datum.number == saw.at[i].datum.number &&
                    has.at[j].datum.text == saw.at[i].datum.text;
        if (!same)
            return false;
    }
    return true;
}

static bool
same_content(const struct rows *r, uint32_t a, uint32_t b)
{
    return r->l->contents.at[a].cells_n == r->l->contents.at[b].cells_n &&
           r->l->contents.at[a].ver == r->l->contents.at[b].ver &&
           fits_read(r, a, b);
}

/* Whether the same was found right before; if not, it is noted. */
static bool
is_known(const struct rows *r, op_id op, uint32_t seen, const char *condition)
{
    const value_id v = r->h->op_value[op];
    const key_id k = op_key(r->h, op);
    const char *text;
    if (condition) {
        const bool known =
            r->missed[k] && is_condition(question_of(r, k), &text) &&
            strcmp(text, condition) == 0 && strcmp(text_of(r, op), "none") == 0;
        r->missed[k] = 1;
        return known;
    }
    uint32_t *before =
        v == VALUE_INIT ? &r->read_by_key[k] : &r->read_by_value[v];
    const bool known = *before && same_content(r, *before - 1, seen);
    *before = seen + 1;
    return known;
}

/* Whether op reads a register of the row, and exactly the versions have its
 * value that fit: what was seen, or with a condition, not matching it. */
static bool
verify_read(const struct rows *r, row_id row, uint32_t seen,
            const char *condition, struct walk *w)
{
    skip_others(r, w);
    if (w->op == w->end || op_is_write(r->h, w->op) ||
        r->row[op_key(r->h, w->op)] != row)
        return wrong(r, row, "a read is missing");
    const bool known = is_known(r, w->op, seen, condition);
    for (uint32_t i = r->first[row]; !known && i < r->first[row + 1]; i++) {
        const uint32_t version = r->versions.at[i];
        bool is;
        if (!holds(r, w->op, version, &is))
            return false;
        const enum naive_truth x =
            condition ? satisfies(r, condition, version) : NAIVE_MISTAKE;
        const bool should =
            condition ? x != NAIVE_TRUE : fits_read(r, version, seen);
        if (is != should)
            return wrong(r, row, "a read fits other versions than were seen");
    }
    w->op++;
    return true;
}

/* Whether some version of each row satisfies the condition. */
static void
find_matched(struct rows *r, uint32_t condition, uint32_t table,
             const char *text)
{
    u32_vec *out = &r->matched[condition];
    while (out->n < r->l->rows.n)
        vec_push(out, ID_NONE);
    for (row_id row = 0; row < r->l->rows.n; row++) {
        if (r->l->rows.at[row].table != table || out->at[row] != ID_NONE)
            continue;
        out->at[row] = 0;
        for (uint32_t i = r->first[row]; i < r->first[row + 1]; i++)
            out->at[row] |= satisfies(r, text, r->versions.at[i]) == NAIVE_TRUE;
    }
}

/* The rows that a query did not return. */
static bool
verify_query(struct rows *r, size_t entry, struct walk *w)
{
    const struct row_log *l = r->l;
    const struct row_query *q = &l->queries.at[l->entries.at[entry].about];
    const struct row_condition *c = &l->conditions.at[q->condition];
    struct buf text = {0};
    bool ok = true;
    buf_text(&text, c->is_named ? "#" : "");
    buf_text(&text, strings_get(&l->names, c->text).text);
    for (uint32_t i = 0; i < q->returned; i++)
        r->returned[l->entries.at[entry - 1 - i].row] = 1;
    find_matched(r, q->condition, q->table, text.at);
    for (row_id row = 0; ok && row < l->rows.n; row++)
        if (l->rows.at[row].table == q->table && !r->returned[row] &&
            r->matched[q->condition].at[row])
            ok = verify_read(r, row, ROW_ABSENT, text.at, w);
    for (uint32_t i = 0; i < q->returned; i++)
        r->returned[l->entries.at[entry - 1 - i].row] = 0;
    buf_free(&text);
    return ok;
}

/* --- the whole ------------------------------------------------------------*/

static bool
verify_entries(struct rows *r, struct walk *walks)
{
    for (size_t i = 0; i < r->l->entries.n; i++) {
        const struct row_entry *e = &r->l->entries.at[i];
        struct walk *w = &walks[r->h->arrival[e->txn]];
        const bool ok = e->kind == ROW_WRITE ? verify_write(r, i, w)
                        : e->kind == ROW_READ
                            ? verify_read(r, e->row, e->content, NULL, w)
                        : e->kind == ROW_QUERY ? verify_query(r, i, w)
                                               : true;
        if (!ok)
            return false;
    }
    for (txn_id t = 0; t < r->h->n_txns; t++) {
        skip_others(r, &walks[t]);
        if (walks[t].op < walks[t].end)
            return err_set(r->err, ERR_SYNTAX,
                           "an operation on a row was not recorded");
    }
    return true;
}

/* Find the registers of each row. */
static void
find_keys(struct rows *r)
{
    const struct history *h = r->h;
    struct strings names = {0}; // numbered like the rows
    uint8_t *written = mem_calloc(h->n_keys, sizeof *written);
    for (op_id op = 0; op < h->n_ops; op++)
        written[op_key(h, op)] |= op_is_write(h, op);
    for (row_id row = 0; row < r->l->rows.n; row++) {
        const struct string name =
            strings_get(&r->l->names, r->l->rows.at[row].name);
        strings_add(&names, name.text, name.len);
        r->key[row] = ID_NONE;
    }
    for (key_id k = 0; k < h->n_keys; k++) {
        r->row[k] = ID_NONE;
        if (h->key_rows[k].row == ID_NONE)
            continue;
        const struct atom atom = history_key_atom(h, h->key_rows[k].row);
        const struct string name =
            strings_get(&h->strings, (uint32_t)atom.bits);
        const row_id row = strings_add(&names, name.text, name.len);
        if (row >= r->l->rows.n)
            continue;
        r->row[k] = row;
        if (h->key_rows[k].row == k)
            r->key[row] = k;
        else
            r->questions[row] += written[k];
    }
    strings_free(&names);
    mem_free(written);
}

/* Whether the registers hold in the beginning what was recorded. */
static bool
verify_initial(const struct rows *r)
{
    const struct history *h = r->h;
    for (key_id k = 0; k < h->n_keys; k++) {
        struct buf text = {0};
        if (h->key_rows[k].row == ID_NONE)
            continue;
        const bool ok =
            r->row[k] != ID_NONE &&
            show_answer(r, k, r->l->rows.at[r->row[k]].initial, &text) &&
            strcmp(text.at,
                   strings_get(&h->strings, h->key_rows[k].initial).text) == 0;
        buf_free(&text);
        if (!ok)
            return err_set(r->err, ERR_SYNTAX,
                           "a row does not begin as was recorded");
    }
    return true;
}

static void
list_versions(struct rows *r)
{
    const struct row_log *l = r->l;
    const size_t n = l->rows.n;
    for (size_t i = 0; i < l->entries.n; i++)
        if (l->entries.at[i].kind == ROW_WRITE)
            r->first[l->entries.at[i].row + 1]++;
    uint32_t *next = mem_alloc(n, sizeof *next);
    for (row_id row = 0; row < n; row++) {
        next[row] = r->first[row];
        r->first[row + 1] += r->first[row] + 1;
    }
    vec_grow(&r->versions, r->first[n]);
    for (row_id row = 0; row < n; row++)
        r->versions.at[next[row]++] = l->rows.at[row].initial;
    for (size_t i = 0; i < l->entries.n; i++)
        if (l->entries.at[i].kind == ROW_WRITE)
            r->versions.at[next[l->entries.at[i].row]++] =
                l->entries.at[i].content;
    mem_free(next);
}

static void
rows_init(struct rows *r, const struct history *h, struct err *err)
{
    const size_t n = h->rows->rows.n;
    *r = (struct rows){.h = h, .l = h->rows, .err = err};
    r->key = mem_alloc(n, sizeof *r->key);
    r->row = mem_alloc(h->n_keys, sizeof *r->row);
    r->questions = mem_calloc(n, sizeof *r->questions);
    r->first = mem_calloc(n + 1, sizeof *r->first);
    r->returned = mem_calloc(n, sizeof *r->returned);
    r->matched = mem_calloc(h->rows->conditions.n, sizeof *r->matched);
    r->read_by_value = mem_calloc(h->n_values, sizeof *r->read_by_value);
    r->read_by_key = mem_calloc(h->n_keys, sizeof *r->read_by_key);
    r->missed = mem_calloc(h->n_keys, sizeof *r->missed);
    list_versions(r);
    verify_links_init(&r->links, h);
    if (h->key_rows)
        find_keys(r);
}

static void
rows_free(struct rows *r)
{
    for (size_t i = 0; i < r->l->conditions.n; i++)
        vec_free(&r->matched[i]);
    mem_free(r->key);
    mem_free(r->row);
    mem_free(r->questions);
    mem_free(r->first);
    mem_free(r->returned);
    mem_free(r->matched);
    mem_free(r->read_by_value);
    mem_free(r->read_by_key);
    mem_free(r->missed);
    vec_free(&r->versions);
    verify_links_free(&r->links);
}

bool
verify_rows(const struct history *h, struct err *err)
{
    if (!h->rows)
        return true;
    struct rows r;
    rows_init(&r, h, err);
    struct walk *walks = mem_alloc(h->n_txns, sizeof *walks);
    for (txn_id t = 0; t < h->n_txns; t++)
        walks[t] = (struct walk){h->txn_begin[t], h->txn_end[t]};
    const bool ok = (!h->key_rows || verify_initial(&r)) &&
                    verify_entries(&r, walks) &&
                    verify_links_check(&r.links, h, err);
    mem_free(walks);
    rows_free(&r);
    return ok;
}
