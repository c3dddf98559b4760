/* json.c -- see json.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/json.h"

#include <math.h>
#include <stdarg.h>

/* Whether the text ends in a value (1). */
static bool
ends_in_value(const struct buf *out)
{
    const char last = out->n ? out->at[out->n - 1] : '\n';
    return last != '{' && last != '[' && last != ':' && last != ',' &&
           last != '\n';
}

void
json_key(struct buf *out, const char *name)
{
    if (ends_in_value(out))
        buf_char(out, ',');
    if (!name)
        return;
    buf_json(out, name, strlen(name));
    buf_char(out, ':');
}

void
json_object(struct buf *out, const char *name)
{
    json_key(out, name);
    buf_char(out, '{');
}

void
json_object_end(struct buf *out)
{
    buf_char(out, '}');
}

void
json_end_line(struct buf *out)
{
    buf_text(out, "}\n");
}

void
json_array(struct buf *out, const char *name)
{
    json_key(out, name);
    buf_char(out, '[');
}

void
json_array_end(struct buf *out)
{
    buf_char(out, ']');
}

void
json_bytes(struct buf *out, const char *name, const char *text, size_t n)
{
    json_key(out, name);
    buf_json(out, text, n);
}

void
json_text(struct buf *out, const char *name, const char *text)
{
    json_bytes(out, name, text, strlen(text));
}

void
json_printf(struct buf *out, const char *name, const char *format, ...)
{
    va_list args;
    struct buf text = {0};
    va_start(args, format);
    buf_vprintf(&text, format, args);
    va_end(args);
    json_bytes(out, name, text.at, text.n);
    buf_free(&text);
}

void
json_u64(struct buf *out, const char *name, uint64_t x)
{
    json_key(out, name);
    buf_u64(out, x);
}

void
json_i64(struct buf *out, const char *name, int64_t x)
{
    json_key(out, name);
    buf_i64(out, x);
}

void
json_raw(struct buf *out, const char *name, const char *json, size_t n)
{
    json_key(out, name);
    buf_add(out, json, n);
}

void
json_bool(struct buf *out, const char *name, bool is_true)
{
    json_key(out, name);
    buf_text(out, is_true ? "true" : "false");
}

void
json_null(struct buf *out, const char *name)
{
    json_key(out, name);
    buf_text(out, "null");
}

void
json_break(struct buf *out, bool is_first)
{
    buf_text(out, is_first ? "\n" : ",\n");
}

/* --- numbers (3): buf_printf has a point in every locale
 * --------------------*/

void
json_fixed(struct buf *out, const char *name, double x, int decimals)
{
    json_key(out, name);
    if (isfinite(x))
        buf_printf(out, "%.*f", decimals, x);
    else
        buf_text(out, "null");
}

void
json_real(struct buf *out, const char *name, double x)
{
    json_key(out, name);
    if (isfinite(x))
        buf_printf(out, "%.9g", x);
    else
        buf_text(out, "null");
}
