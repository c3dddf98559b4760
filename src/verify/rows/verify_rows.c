/* verify_rows.c -- see verify_rows.h.
 *
 * SPDX-License-Identifier: MIT */
#include "verify/rows/verify_rows.h"

#include "base/container/intmap.h"
#include "base/container/sorted.h"
#include "verify/rows/naive_answer.h"
#include "verify/rows/seen_versions.h"
#include "verify/rows/verify_links.h"

#include <stdlib.h>

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
    u64_vec named; // name << 32 | row: a version of the row satisfies it
    struct intmap matched_index; // of table and condition: in 'matched'
    VEC(u32_vec) matched;        // rows with a version that satisfies it
    struct seen_versions seen;
    uint8_t *missed; // by key: 1, reads of "none" are right
    struct verify_links links;
    struct err *err;
};

/* Whether register k holds the value of op after a version. */
static bool
holds(const struct rows *r, op_id op, uint32_t content, bool *out)
{
    struct buf text = {0};
    assert(op_is_of_row(r->h, op) && content < r->l->contents.n);
    const bool ok =
        naive_answer_show(r->h, op_key(r->h, op), content, &text, r->err);
    *out = ok && strcmp(text.at, naive_answer_text(r->h, op)) == 0;
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
struct rows_check {
    op_id op, end;
};

static void
skip_others(const struct rows *r, struct rows_check *w)
{
    while (w->op < w->end && !op_is_of_row(r->h, w->op))
        w->op++;
}

/* A write that names a version of an aborted transaction reads it first. */
static bool
verify_aborted(const struct rows *r, size_t entry, struct rows_check *w)
{
    const row_id row = r->l->entries.at[entry].row;
    assert(r->l->entries.at[entry].kind == ROW_WRITE);
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
verify_write(const struct rows *r, size_t entry, struct rows_check *w)
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

/* Whether op reads a register of the row. */
static bool
verify_place(const struct rows *r, row_id row, struct rows_check *w)
{
    skip_others(r, w);
    return (w->op < w->end && !op_is_write(r->h, w->op) &&
            r->row[op_key(r->h, w->op)] == row) ||
           wrong(r, row, "a read is missing");
}

/* Whether the read at w has exactly these marks. */
static bool
verify_marks(const struct rows *r, row_id row, unsigned marks,
             const struct rows_check *w)
{
    return (r->h->op_marks ? r->h->op_marks[w->op] & OP_MARKS : 0) == marks ||
           wrong(r, row, "a read is marked otherwise than was recorded");
}

/* The marks of a read of query q, whose operations begin at 'begin'. */
static unsigned
marks_of(const struct row_query *q, op_id begin, const struct rows_check *w,
         bool is_missed)
{
    unsigned marks = q->is_check ? OP_MARK_CHECK : 0;
    if (q->is_unordered && w->op > begin)
        marks |= OP_MARK_IN_QUERY;
    if (q->is_unordered && is_missed)
        marks |= OP_MARK_UNORDERED;
    return marks;
}

/* A read of a row, or of one that a query returned: exactly the versions have
 * its value that fit what was seen and satisfy the condition. */
static bool
verify_read(struct rows *r, const struct row_entry *e, const char *condition,
            unsigned marks, struct rows_check *w)
{
    struct seen_row seen = {e->content, condition};
    bool right;
    // Versions with the same values satisfy it, too.
    if (condition && *condition != '#' &&
        naive_answer_satisfies(r->l, condition, e->content) == NAIVE_TRUE)
        seen.condition = NULL;
    if (!verify_place(r, e->row, w) || !verify_marks(r, e->row, marks, w) ||
        !seen_versions_check(
            &r->seen, w->op, &seen, r->versions.at + r->first[e->row],
            r->first[e->row + 1] - r->first[e->row], &right, r->err))
        return false;
    w->op++;
    return right ||
           wrong(r, e->row, "a read fits other versions than were seen");
}

/* A row that a query did not return: exactly the versions have the value of the
 * read that do not satisfy the condition. */
static bool
verify_missed(const struct rows *r, row_id row, const char *condition,
              unsigned marks, struct rows_check *w)
{
    const char *text;
    if (!verify_place(r, row, w) || !verify_marks(r, row, marks, w))
        return false;
    const key_id k = op_key(r->h, w->op);
    const bool known = r->missed[k] &&
                       naive_answer_is_condition(r->h, k, &text) &&
                       strcmp(text, condition) == 0 &&
                       strcmp(naive_answer_text(r->h, w->op), "none") == 0;
    r->missed[k] = 1;
    for (uint32_t i = r->first[row]; !known && i < r->first[row + 1]; i++) {
        const uint32_t version = r->versions.at[i];
        const enum naive_truth x =
            naive_answer_satisfies(r->l, condition, version);
        bool is;
        if (!holds(r, w->op, version, &is))
            return false;
        if (is != (x != NAIVE_TRUE))
            return wrong(r, row, "a read fits other versions than were seen");
    }
    w->op++;
    return true;
}

static int
compare_named(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* List which rows satisfy which conditions with names. */
static void
list_named(struct rows *r)
{
    for (row_id row = 0; row < r->l->rows.n; row++)
        for (uint32_t i = r->first[row]; i < r->first[row + 1]; i++) {
            const struct row_content *c = &r->l->contents.at[r->versions.at[i]];
            for (uint32_t k = 0; !c->is_absent && k < c->satisfied_n; k++)
                vec_push(&r->named,
                         (uint64_t)r->l->satisfied.at[c->satisfied + k] << 32 |
                             row);
        }
    if (r->named.n)
        qsort(r->named.at, r->named.n, sizeof *r->named.at, compare_named);
}

static void
add_named(const struct rows *r, uint32_t name, uint32_t table, u32_vec *out)
{
    size_t i = 0;
    LOWER_BOUND(i, r->named.n, at, r->named.at[at] >> 32 < name);
    assert(i == r->named.n || r->named.at[i] >> 32 >= name);
    for (; i < r->named.n && r->named.at[i] >> 32 == name; i++) {
        const row_id row = (row_id)r->named.at[i];
        if (r->l->rows.at[row].table == table &&
            (!out->n || vec_top(out) != row))
            vec_push(out, row);
    }
}

/* The rows of a table of which some version satisfies a condition, in their
 * order; found once. */
static const u32_vec *
find_matched(struct rows *r, uint32_t condition, uint32_t table,
             const char *text)
{
    bool added;
    const uint32_t at =
        intmap_add(&r->matched_index, (uint64_t)table << 32 | condition,
                   (uint32_t)r->matched.n, &added);
    if (!added)
        return &r->matched.at[at];
    u32_vec found = {0};
    const struct row_condition *c = &r->l->conditions.at[condition];
    if (c->is_named)
        add_named(r, c->text, table, &found);
    for (row_id row = 0; !c->is_named && row < r->l->rows.n; row++) {
        bool any = false;
        if (r->l->rows.at[row].table != table)
            continue;
        for (uint32_t i = r->first[row]; !any && i < r->first[row + 1]; i++)
            any = naive_answer_satisfies(r->l, text, r->versions.at[i]) ==
                  NAIVE_TRUE;
        if (any)
            vec_push(&found, row);
    }
    assert(at == r->matched.n);
    vec_push(&r->matched, found);
    return &r->matched.at[at];
}

/* The rows that a query returned, and those that it did not. */
static bool
verify_query(struct rows *r, size_t entry, struct rows_check *w)
{
    const struct row_log *l = r->l;
    const struct row_query *q = &l->queries.at[l->entries.at[entry].about];
    assert(l->entries.at[entry].kind == ROW_QUERY && q->returned <= entry);
    const struct row_entry *returned = &l->entries.at[entry - q->returned];
    const struct row_condition *c = &l->conditions.at[q->condition];
    struct buf text = {0};
    bool ok = true;
    buf_text(&text, c->is_named ? "#" : "");
    buf_text(&text, strings_get(&l->names, c->text).text);
    skip_others(r, w);
    const op_id begin = w->op;
    for (uint32_t i = 0; i < q->returned; i++) {
        r->returned[returned[i].row] = 1;
        ok = ok && verify_read(r, &returned[i], text.at,
                               marks_of(q, begin, w, false), w);
    }
    const u32_vec *rows = find_matched(r, q->condition, q->table, text.at);
    for (size_t i = 0; ok && i < rows->n; i++)
        if (!r->returned[rows->at[i]])
            ok = verify_missed(r, rows->at[i], text.at,
                               marks_of(q, begin, w, true), w);
    for (uint32_t i = 0; i < q->returned; i++)
        r->returned[returned[i].row] = 0;
    buf_free(&text);
    return ok;
}

/* --- the whole ------------------------------------------------------------*/

static bool
verify_entries(struct rows *r, struct rows_check *walks)
{
    for (size_t i = 0; i < r->l->entries.n; i++) {
        const struct row_entry *e = &r->l->entries.at[i];
        struct rows_check *w = &walks[r->h->arrival[e->txn]];
        const bool ok =
            e->kind == ROW_WRITE ? verify_write(r, i, w)
            : e->kind == ROW_READ
                ? verify_read(r, e, NULL, e->is_check ? OP_MARK_CHECK : 0, w)
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
            naive_answer_show(h, k, r->l->rows.at[r->row[k]].initial, &text,
                              r->err) &&
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
    r->seen.h = h;
    r->missed = mem_calloc(h->n_keys, sizeof *r->missed);
    list_versions(r);
    list_named(r);
    verify_links_init(&r->links, h);
    if (h->key_rows)
        find_keys(r);
}

static void
rows_free(struct rows *r)
{
    for (size_t i = 0; i < r->matched.n; i++)
        vec_free(&r->matched.at[i]);
    vec_free(&r->matched);
    vec_free(&r->named);
    intmap_free(&r->matched_index);
    seen_versions_free(&r->seen);
    mem_free(r->key);
    mem_free(r->row);
    mem_free(r->questions);
    mem_free(r->first);
    mem_free(r->returned);
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
    struct rows_check *walks = mem_alloc(h->n_txns, sizeof *walks);
    for (txn_id t = 0; t < h->n_txns; t++)
        walks[t] = (struct rows_check){h->txn_begin[t], h->txn_end[t]};
    const bool ok = (!h->key_rows || verify_initial(&r)) &&
                    verify_entries(&r, walks) &&
                    verify_links_check(&r.links, h, err);
    mem_free(walks);
    rows_free(&r);
    return ok;
}
