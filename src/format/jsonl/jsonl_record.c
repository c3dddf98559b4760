/* jsonl_record.c -- see jsonl_record.h.
 *
 * SPDX-License-Identifier: MIT */
#include "format/jsonl/jsonl_record.h"

#include <assert.h>
#include <string.h>

static void
begin_line(struct jsonl_record *t)
{
    buf_clear(&t->line);
    t->ops = t->writes = 0;
    buf_text(&t->line, "{\"session\":");
}

void
jsonl_record_begin(struct jsonl_record *t, uint64_t session)
{
    begin_line(t);
    t->session = session;
    buf_u64(&t->line, session);
    buf_text(&t->line, ",\"ops\":[");
}

void
jsonl_record_begin_named(struct jsonl_record *t, const char *session)
{
    begin_line(t);
    buf_json(&t->line, session, strlen(session));
    buf_text(&t->line, ",\"ops\":[");
}

/* Count the operation; true if it is recorded too. */
static bool
begin_op(struct jsonl_record *t, const char *kind, uint64_t key)
{
    t->ops++;
    if (t->is_off)
        return false;
    if (t->ops > 1)
        buf_char(&t->line, ',');
    buf_text(&t->line, kind);
    buf_u64(&t->line, key);
    buf_char(&t->line, ',');
    return true;
}

void
jsonl_record_read(struct jsonl_record *t, uint64_t key, const int64_t *value)
{
    if (!begin_op(t, "[\"r\",", key))
        return;
    if (value)
        buf_i64(&t->line, *value);
    else
        buf_text(&t->line, "null");
    buf_char(&t->line, ']');
}

void
jsonl_record_write(struct jsonl_record *t, uint64_t key, int64_t value)
{
    t->writes++;
    if (!begin_op(t, "[\"w\",", key))
        return;
    buf_i64(&t->line, value);
    buf_char(&t->line, ']');
}

void
jsonl_record_append(struct jsonl_record *t, uint64_t key, int64_t element)
{
    t->writes++;
    if (!begin_op(t, "[\"append\",", key))
        return;
    buf_i64(&t->line, element);
    buf_char(&t->line, ']');
}

void
jsonl_record_read_list(struct jsonl_record *t, uint64_t key,
                       const int64_t *elements, size_t n)
{
    if (!begin_op(t, "[\"r\",", key))
        return;
    buf_char(&t->line, '[');
    for (size_t i = 0; i < n; i++) {
        if (i)
            buf_char(&t->line, ',');
        buf_i64(&t->line, elements[i]);
    }
    buf_text(&t->line, "]]");
}

static bool
is_integer(const char *text)
{
    const char *digits = text + (*text == '-');
    const size_t n = strlen(digits);
    return n && n < 18 && strspn(digits, "0123456789") == n &&
           (*digits != '0' || n == 1);
}

void
jsonl_record_text(struct jsonl_record *t, bool is_write, const char *key,
                  const char *value)
{
    t->ops++;
    t->writes += is_write;
    if (t->is_off)
        return;
    buf_text(&t->line, t->ops > 1 ? ",[" : "[");
    buf_text(&t->line, is_write ? "\"w\"," : "\"r\",");
    buf_json(&t->line, key, strlen(key));
    buf_char(&t->line, ',');
    if (!value)
        buf_text(&t->line, "null");
    else if (is_integer(value))
        buf_text(&t->line, value);
    else
        buf_json(&t->line, value, strlen(value));
    buf_char(&t->line, ']');
}

static void
put_status(struct buf *line, enum txn_status status)
{
    static const char *const names[] = {[TXN_COMMITTED] = "committed",
                                        [TXN_ABORTED] = "aborted",
                                        [TXN_INDETERMINATE] = "unknown"};
    assert(status <= TXN_INDETERMINATE && names[status]);
    buf_text(line, ",\"status\":\"");
    buf_text(line, names[status]);
    buf_char(line, '"');
}

void
jsonl_put_status(struct buf *line, enum txn_status status)
{
    if (status == TXN_ABORTED || status == TXN_INDETERMINATE)
        put_status(line, status);
}

void
jsonl_put_leave(struct buf *line, const char *session)
{
    buf_text(line, "{\"session\":");
    buf_json(line, session, strlen(session));
    put_status(line, TXN_INDETERMINATE);
    buf_text(line, "}\n");
}

void
jsonl_put_times(struct buf *line, int64_t began, int64_t ended)
{
    if (began != INT64_MIN) {
        buf_text(line, ",\"start\":");
        buf_i64(line, began);
    }
    if (ended != INT64_MAX) {
        buf_text(line, ",\"end\":");
        buf_i64(line, ended);
    }
}

void
jsonl_put_meta_and_end(struct buf *line, const char *meta, size_t n)
{
    if (n) {
        buf_text(line, ",\"meta\":");
        buf_add(line, meta, n);
    }
    buf_text(line, "}\n");
}

static void
put_meta_and_end(struct jsonl_record *t, const char *meta)
{
    jsonl_put_meta_and_end(&t->line, meta, meta ? strlen(meta) : 0);
}

void
jsonl_record_pending(struct jsonl_record *t, int64_t began, const char *meta)
{
    if (t->is_off)
        return;
    buf_char(&t->line, ']');
    jsonl_put_status(&t->line, TXN_INDETERMINATE);
    jsonl_put_times(&t->line, began, INT64_MAX);
    put_meta_and_end(t, meta);
}

void
jsonl_record_outcome(struct jsonl_record *t, enum txn_status status,
                     int64_t ended)
{
    if (t->is_off)
        return;
    buf_clear(&t->line);
    buf_text(&t->line, "{\"session\":");
    buf_u64(&t->line, t->session);
    put_status(&t->line, status); // also if it is 'committed'
    jsonl_put_times(&t->line, INT64_MIN,
                    status == TXN_INDETERMINATE ? INT64_MAX : ended);
    put_meta_and_end(t, NULL);
}

void
jsonl_record_end(struct jsonl_record *t, enum txn_status status, int64_t began,
                 int64_t ended, const char *meta)
{
    if (t->is_off)
        return;
    buf_char(&t->line, ']');
    jsonl_put_status(&t->line, status);
    jsonl_put_times(&t->line, began, ended);
    put_meta_and_end(t, meta);
}

void
jsonl_record_free(struct jsonl_record *t)
{
    buf_free(&t->line);
}
