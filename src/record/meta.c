/* meta.c -- see meta.h.
 *
 * SPDX-License-Identifier: MIT */
#include "record/meta.h"

#include "base/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_BYTES = 4000, // of a parameter
    BOOL = 16,         // object ids of types that clients send in binary form
    INT8 = 20,
    INT2 = 21,
    INT4 = 23,
    TEXT = 25,
    VARCHAR = 1043,
    UUID = 2950,
};

static void
put_list(struct buf *out, const char *text, size_t *n)
{
    buf_text(out, (*n)++ ? "," : "[");
    buf_json(out, text, strlen(text));
}

static void
put_hex(const struct bound_value *v, struct buf *out)
{
    for (size_t k = 0; k < v->n; k++)
        buf_printf(out, "%02x", (unsigned char)v->at[k]);
}

static bool
put_integer(const struct bound_value *v, uint32_t size, struct buf *out)
{
    uint64_t bits = v->n && (unsigned char)v->at[0] >= 0x80 ? UINT64_MAX : 0;
    if (v->n != size)
        return false;
    for (size_t k = 0; k < v->n; k++)
        bits = bits << 8 | (unsigned char)v->at[k];
    buf_printf(out, "%" PRId64, (int64_t)bits);
    return true;
}

/* A value in binary form as text; false for other types. */
static bool
put_decoded(const struct bound_value *v, uint32_t type, struct buf *out)
{
    switch (type) {
    case BOOL:
        buf_text(out, v->n == 1 && v->at[0] ? "t" : "f");
        return v->n == 1;
    case INT2:
        return put_integer(v, 2, out);
    case INT4:
        return put_integer(v, 4, out);
    case INT8:
        return put_integer(v, 8, out);
    case TEXT:
    case VARCHAR:
        buf_add(out, v->at, v->n);
        return true;
    case UUID:
        put_hex(v, out);
        return v->n == 16;
    default:
        return false;
    }
}

static void
put_value(const struct bound_value *v, uint32_t type, struct buf *out)
{
    struct buf text = {0};
    if (v->n > MOST_BYTES) {
        json_object(&text, NULL);
        json_u64(&text, "bytes", v->n);
        json_object_end(&text);
        buf_add(out, text.at, text.n);
        buf_free(&text);
        return;
    }
    if (!v->is_binary) {
        buf_add(&text, v->at, v->n);
    } else if (!put_decoded(v, type, &text)) {
        buf_clear(&text);
        buf_text(&text, "\\x");
        put_hex(v, &text);
    }
    buf_json(out, text.n ? text.at : "", text.n);
    buf_free(&text);
}

static void
put_values(struct buf *out, const struct recorded_run *run)
{
    buf_char(out, '[');
    for (size_t i = 0; i < run->n_values; i++) {
        const uint32_t type = i < run->n_types ? run->types[i] : 0;
        buf_text(out, i ? "," : "");
        if (run->values[i].at)
            put_value(&run->values[i], type, out);
        else
            buf_text(out, "null");
    }
    buf_char(out, ']');
}

/* The level that the server reported, or "". */
static const char *
level_of(const struct recorded_act *act)
{
    for (size_t i = 0; i < act->steps.n; i++)
        if (act->steps.at[i].level)
            return act->steps.at[i].level;
    return "";
}

/* How many rows a statement found, or changed. */
static size_t
found_of(const struct recorded_step *s)
{
    const char *tag = s->run->tag;
    return strncmp(tag, "UPDATE ", 7) == 0 || strncmp(tag, "DELETE ", 7) == 0
               ? (size_t)strtoull(tag + 7, NULL, 10)
               : s->reads.n;
}

const char *
meta_of(const struct recorded_act *act, struct arena *arena)
{
    struct buf sql = {0}, values = {0}, found = {0}, out = {0};
    size_t n = 0;
    bool has_values = false;
    for (size_t i = 0; i < act->steps.n; i++) {
        const struct recorded_run *run = act->steps.at[i].run;
        if (!run->text[0])
            continue;
        has_values |= run->n_values > 0;
        buf_text(&values, n ? "," : "[");
        put_values(&values, run);
        buf_printf(&found, "%s%zu", n ? "," : "[", found_of(&act->steps.at[i]));
        put_list(&sql, run->text, &n);
    }
    const char *pid = *act->session->pid ? act->session->pid : "0";
    json_array_end(&sql);
    json_array_end(&values);
    json_array_end(&found);
    json_object(&out, NULL);
    if (n)
        json_raw(&out, "sql", sql.at, sql.n);
    if (n)
        json_raw(&out, "found", found.at, found.n);
    if (has_values)
        json_raw(&out, "parameters", values.at, values.n);
    if (*level_of(act))
        json_text(&out, "isolation", level_of(act));
    const char *application =
        act->txn->application ? act->txn->application : "";
    if (*application)
        json_text(&out, "application", application);
    json_raw(&out, "pid", pid, strlen(pid));
    json_object_end(&out);
    const char *copy = arena_copy(arena, out.at, out.n);
    buf_free(&sql);
    buf_free(&values);
    buf_free(&found);
    buf_free(&out);
    return copy;
}
