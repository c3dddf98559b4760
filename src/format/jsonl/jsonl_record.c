/* jsonl_record.c -- see jsonl_record.h.
 *
 * SPDX-License-Identifier: MIT */
#include "format/jsonl/jsonl_record.h"

#include "base/json.h"

#include <assert.h>
#include <string.h>

static void
begin_line(struct jsonl_record *t)
{
    buf_clear(&t->line);
    t->ops = t->writes = 0;
    json_object(&t->line, NULL);
}

void
jsonl_record_begin(struct jsonl_record *t, uint64_t session)
{
    begin_line(t);
    t->session = session;
    json_u64(&t->line, "session", session);
    json_array(&t->line, "ops");
}

void
jsonl_record_begin_named(struct jsonl_record *t, const char *session)
{
    begin_line(t);
    json_text(&t->line, "session", session);
    json_array(&t->line, "ops");
}

/* Count the operation; true if it is recorded too. */
static bool
begin_op(struct jsonl_record *t, const char *kind, uint64_t key)
{
    t->ops++;
    if (t->is_off)
        return false;
    json_array(&t->line, NULL);
    json_text(&t->line, NULL, kind);
    json_u64(&t->line, NULL, key);
    return true;
}

void
jsonl_record_read(struct jsonl_record *t, uint64_t key, const int64_t *value)
{
    if (!begin_op(t, "r", key))
        return;
    if (value)
        json_i64(&t->line, NULL, *value);
    else
        json_null(&t->line, NULL);
    json_array_end(&t->line);
}

void
jsonl_record_write(struct jsonl_record *t, uint64_t key, int64_t value)
{
    t->writes++;
    if (!begin_op(t, "w", key))
        return;
    json_i64(&t->line, NULL, value);
    json_array_end(&t->line);
}

void
jsonl_record_append(struct jsonl_record *t, uint64_t key, int64_t element)
{
    t->writes++;
    if (!begin_op(t, "append", key))
        return;
    json_i64(&t->line, NULL, element);
    json_array_end(&t->line);
}

void
jsonl_record_read_list(struct jsonl_record *t, uint64_t key,
                       const int64_t *elements, size_t n)
{
    if (!begin_op(t, "r", key))
        return;
    json_array(&t->line, NULL);
    for (size_t i = 0; i < n; i++)
        json_i64(&t->line, NULL, elements[i]);
    json_array_end(&t->line);
    json_array_end(&t->line);
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
    json_array(&t->line, NULL);
    json_text(&t->line, NULL, is_write ? "w" : "r");
    json_text(&t->line, NULL, key);
    if (!value)
        json_null(&t->line, NULL);
    else if (is_integer(value))
        json_raw(&t->line, NULL, value, strlen(value));
    else
        json_text(&t->line, NULL, value);
    json_array_end(&t->line);
}

static void
put_status(struct buf *line, enum txn_status status)
{
    static const char *const names[] = {[TXN_COMMITTED] = "committed",
                                        [TXN_ABORTED] = "aborted",
                                        [TXN_INDETERMINATE] = "unknown"};
    assert(status <= TXN_INDETERMINATE && names[status]);
    json_text(line, "status", names[status]);
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
    json_object(line, NULL);
    json_text(line, "session", session);
    put_status(line, TXN_INDETERMINATE);
    jsonl_put_meta_and_end(line, NULL, 0);
}

void
jsonl_put_times(struct buf *line, int64_t began, int64_t ended)
{
    if (began != INT64_MIN)
        json_i64(line, "start", began);
    if (ended != INT64_MAX)
        json_i64(line, "end", ended);
}

void
jsonl_put_meta_and_end(struct buf *line, const char *meta, size_t n)
{
    if (n)
        json_raw(line, "meta", meta, n);
    json_end_line(line);
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
    json_array_end(&t->line);
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
    json_object(&t->line, NULL);
    json_u64(&t->line, "session", t->session);
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
    json_array_end(&t->line);
    jsonl_put_status(&t->line, status);
    jsonl_put_times(&t->line, began, ended);
    put_meta_and_end(t, meta);
}

void
jsonl_record_free(struct jsonl_record *t)
{
    buf_free(&t->line);
}
