/* jsonl_record_rows.c -- see jsonl_record_rows.h.
 *
 * SPDX-License-Identifier: MIT */
#include "format/jsonl/jsonl_record_rows.h"

#include "base/json.h"

#include <assert.h>

/* Count the operation; true if it is recorded too. */
static bool
begin_op(struct jsonl_record *t, const char *kind)
{
    t->ops++;
    if (t->is_off)
        return false;
    json_array(&t->line, NULL);
    json_text(&t->line, NULL, kind);
    return true;
}

/* ["t",7],{"v":1} or, if the row is absent, ["t",7]. */
static void
put_row(struct jsonl_record *t, const struct jsonl_row *row)
{
    json_array(&t->line, NULL);
    json_text(&t->line, NULL, row->table);
    json_u64(&t->line, NULL, row->key);
    json_array_end(&t->line);
    if (!row->n)
        return;
    json_object(&t->line, NULL);
    for (size_t i = 0; i < row->n; i++)
        json_i64(&t->line, row->cells[i].column, row->cells[i].value);
    json_object_end(&t->line);
}

static void
put_op(struct jsonl_record *t, const char *kind, const struct jsonl_row *row)
{
    if (!begin_op(t, kind))
        return;
    put_row(t, row);
    json_array_end(&t->line);
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
jsonl_record_query(struct jsonl_record *t, const char *table, const char *where,
                   bool is_unordered)
{
    if (!begin_op(t, "q"))
        return;
    json_object(&t->line, NULL);
    json_text(&t->line, "table", table);
    json_text(&t->line, "where", where);
    if (is_unordered)
        json_bool(&t->line, "unordered", true);
    json_object_end(&t->line);
    json_array(&t->line, NULL);
}

void
jsonl_record_query_row(struct jsonl_record *t, const struct jsonl_row *row)
{
    assert(row->n);
    if (t->is_off)
        return;
    json_array(&t->line, NULL);
    put_row(t, row);
    json_array_end(&t->line);
}

void
jsonl_record_query_end(struct jsonl_record *t)
{
    if (t->is_off)
        return;
    json_array_end(&t->line);
    json_array_end(&t->line);
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
