/* record.c -- see record.h.
 *
 * SPDX-License-Identifier: MIT */
#include "collect/record.h"

#include <string.h>

void
record_begin(struct record *t, uint64_t session)
{
    buf_clear(&t->line);
    t->ops = t->writes = 0;
    t->session = session;
    buf_text(&t->line, "{\"session\":");
    buf_u64(&t->line, session);
    buf_text(&t->line, ",\"ops\":[");
}

void
record_begin_named(struct record *t, const char *session)
{
    buf_clear(&t->line);
    t->ops = t->writes = 0;
    buf_text(&t->line, "{\"session\":");
    buf_json(&t->line, session, strlen(session));
    buf_text(&t->line, ",\"ops\":[");
}

/* Whether the operation is to be written down; it counts in any case. */
static bool
begin_op(struct record *t, const char *kind, uint64_t key)
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
record_read(struct record *t, uint64_t key, const int64_t *value)
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
record_write(struct record *t, uint64_t key, int64_t value)
{
    t->writes++;
    if (!begin_op(t, "[\"w\",", key))
        return;
    buf_i64(&t->line, value);
    buf_char(&t->line, ']');
}

void
record_append(struct record *t, uint64_t key, int64_t element)
{
    t->writes++;
    if (!begin_op(t, "[\"append\",", key))
        return;
    buf_i64(&t->line, element);
    buf_char(&t->line, ']');
}

void
record_read_list(struct record *t, uint64_t key, const int64_t *elements,
                 size_t n)
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
record_text(struct record *t, bool is_write, const char *key, const char *value)
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
add_status(struct buf *line, enum txn_status status)
{
    static const char *const names[] = {[TXN_COMMITTED] = "committed",
                                        [TXN_ABORTED] = "aborted",
                                        [TXN_INDETERMINATE] = "unknown"};
    buf_text(line, ",\"status\":\"");
    buf_text(line, names[status]);
    buf_char(line, '"');
}

static void
add_time(struct buf *line, const char *key, int64_t time)
{
    buf_text(line, key);
    buf_i64(line, time);
}

static void
add_meta(struct buf *line, const char *meta)
{
    if (meta) {
        buf_text(line, ",\"meta\":");
        buf_text(line, meta);
    }
    buf_text(line, "}\n");
}

void
record_pending(struct record *t, int64_t began, const char *meta)
{
    if (t->is_off)
        return;
    buf_char(&t->line, ']');
    add_status(&t->line, TXN_INDETERMINATE);
    add_time(&t->line, ",\"start\":", began);
    add_meta(&t->line, meta);
}

void
record_outcome(struct record *t, enum txn_status status, int64_t ended)
{
    if (t->is_off)
        return;
    buf_clear(&t->line);
    buf_text(&t->line, "{\"session\":");
    buf_u64(&t->line, t->session);
    add_status(&t->line, status);
    add_time(&t->line, ",\"end\":", ended);
    buf_text(&t->line, "}\n");
}

void
record_end(struct record *t, enum txn_status status, int64_t began,
           int64_t ended, const char *meta)
{
    if (t->is_off)
        return;
    buf_char(&t->line, ']');
    if (status != TXN_COMMITTED)
        add_status(&t->line, status);
    add_time(&t->line, ",\"start\":", began);
    add_time(&t->line, ",\"end\":", ended);
    add_meta(&t->line, meta);
}

void
record_free(struct record *t)
{
    buf_free(&t->line);
}
