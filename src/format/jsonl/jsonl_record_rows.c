/* jsonl_record_rows.c -- see jsonl_record_rows.h.
 *
 * SPDX-License-Identifier: MIT */
#include "format/jsonl/jsonl_record_rows.h"

#include <assert.h>
#include <string.h>

/* Count the operation; true if it is recorded too. */
static bool
begin_op(struct jsonl_record *t, const char *kind)
{
    t->ops++;
    if (t->is_off)
        return false;
    buf_text(&t->line, t->ops > 1 ? ",[\"" : "[\"");
    buf_text(&t->line, kind);
    buf_text(&t->line, "\",");
    return true;
}

/* ["t",7],{"v":1} or, if the row is absent, ["t",7]. */
static void
put_row(struct jsonl_record *t, const struct jsonl_row *row)
{
    buf_char(&t->line, '[');
    buf_json(&t->line, row->table, strlen(row->table));
    buf_char(&t->line, ',');
    buf_u64(&t->line, row->key);
    buf_char(&t->line, ']');
    for (size_t i = 0; i < row->n; i++) {
        buf_text(&t->line, i ? "," : ",{");
        buf_json(&t->line, row->cells[i].column, strlen(row->cells[i].column));
        buf_char(&t->line, ':');
        buf_i64(&t->line, row->cells[i].value);
    }
    if (row->n)
        buf_char(&t->line, '}');
}

static void
put_op(struct jsonl_record *t, const char *kind, const struct jsonl_row *row)
{
    if (!begin_op(t, kind))
        return;
    put_row(t, row);
    buf_char(&t->line, ']');
}

void
jsonl_record_row_read(struct jsonl_record *t, const struct jsonl_row *row)
{
    put_op(t, "r", row);
}

void
jsonl_record_row_insert(struct jsonl_record *t, const struct jsonl_row *row)
{
    assert(row->n);
    t->writes++;
    put_op(t, "i", row);
}

void
jsonl_record_row_update(struct jsonl_record *t, const struct jsonl_row *row)
{
    assert(row->n);
    t->writes++;
    put_op(t, "u", row);
}

void
jsonl_record_row_delete(struct jsonl_record *t, const struct jsonl_row *row)
{
    const struct jsonl_row absent = {.table = row->table, .key = row->key};
    t->writes++;
    put_op(t, "d", &absent);
}

void
jsonl_record_query(struct jsonl_record *t, const char *table, const char *where)
{
    if (!begin_op(t, "q"))
        return;
    buf_text(&t->line, "{\"table\":");
    buf_json(&t->line, table, strlen(table));
    buf_text(&t->line, ",\"where\":");
    buf_json(&t->line, where, strlen(where));
    buf_text(&t->line, "},[");
}

void
jsonl_record_query_row(struct jsonl_record *t, const struct jsonl_row *row,
                       bool is_first)
{
    assert(row->n);
    if (t->is_off)
        return;
    buf_text(&t->line, is_first ? "[" : ",[");
    put_row(t, row);
    buf_char(&t->line, ']');
}

void
jsonl_record_query_end(struct jsonl_record *t)
{
    if (!t->is_off)
        buf_text(&t->line, "]]");
}

struct jsonl_mark
jsonl_record_mark(const struct jsonl_record *t)
{
    return (struct jsonl_mark){t->line.n, t->ops, t->writes};
}

void
jsonl_record_rewind(struct jsonl_record *t, struct jsonl_mark mark)
{
    assert(mark.bytes <= t->line.n && mark.ops <= t->ops);
    t->line.n = mark.bytes;
    t->line.at[mark.bytes] = 0;
    t->ops = mark.ops;
    t->writes = mark.writes;
}
