/* row_reader.c -- see row_reader.h.
 *
 * SPDX-License-Identifier: MIT */
#include "format/row/row_reader.h"

#include "history/row/row_registers.h"

void
row_reader_free(struct row_reader *r)
{
    row_log_free(r->log);
    r->log = NULL;
}

struct row_log *
row_reader_log(struct row_reader *r)
{
    if (!r->log) {
        r->log = row_log_new();
        r->txn = TXN_NONE;
    }
    return r->log;
}

/* Whether the key is a string of letters, which is shown without quotes. */
static bool
is_letters(const char *key, size_t n)
{
    bool all = n > 2 && key[0] == '"';
    for (size_t i = 1; all && i + 1 < n; i++)
        all = (key[i] >= 'a' && key[i] <= 'z') ||
              (key[i] >= 'A' && key[i] <= 'Z') || key[i] == '_';
    return all;
}

row_id
row_reader_row(struct row_reader *r, uint32_t table, const char *key, size_t n)
{
    const bool letters = is_letters(key, n);
    const bool is_word = letters || (key[0] != '"' && key[0] != '[');
    return row_log_row(r->log, table, letters ? key + 1 : key,
                       letters ? n - 2 : n, is_word);
}

bool
row_reader_end_content(struct row_reader *r, uint32_t content, row_id row,
                       const char *at)
{
    if (row_log_end_content(r->log, content, r->s->err) &&
        (row == ID_NONE || row_log_is_version(r->log, row, content, r->s->err)))
        return true;
    return scan_locate(r->s, at);
}

static void
add_entry(struct row_reader *r, struct row_entry entry)
{
    capacity_want(CAPACITY_OPS, r->log->entries.n + 1);
    entry.marks = r->marks;
    vec_push(&r->log->entries, entry);
}

void
row_reader_add(struct row_reader *r, struct row_entry entry)
{
    r->txn = entry.txn;
    add_entry(r, entry);
}

bool
row_reader_condition(struct row_reader *r, struct span text, bool is_named,
                     const char *at, bool is_input, uint32_t *out)
{
    size_t where = 0;
    if (row_log_condition(r->log, text.at, text.n, is_named, out, &where,
                          r->s->err))
        return true;
    return scan_locate(r->s, is_input ? text.at + where : at);
}

void
row_reader_note(struct row_reader *r, txn_id t, struct row_other op,
                const struct atom *items, size_t n, const char *at)
{
    op.items = (uint32_t)r->log->items.n;
    op.items_n = (uint32_t)n;
    for (size_t i = 0; i < n; i++)
        vec_push(&r->log->items, items[i]);
    vec_push(&r->log->others, op);
    add_entry(r, (struct row_entry){.kind = ROW_OTHER,
                                    .txn = t,
                                    .about = (uint32_t)r->log->others.n - 1,
                                    .at = at});
}

bool
row_reader_end(struct row_reader *r)
{
    if (!r->log)
        return true;
    const char *at = r->s->at;
    if (!row_registers_make(r->log, r->b, &at, r->s->err))
        return scan_locate(r->s, at ? at : r->s->at);
    builder_rows(r->b, r->log);
    r->log = NULL;
    return true;
}
