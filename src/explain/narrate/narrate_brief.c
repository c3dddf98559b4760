/* narrate_brief.c -- see narrate_brief.h.
 *
 * Texts are taken apart, not values: those of an anomaly are all there is when
 * it is shown.  What has another form stays as it is.
 *
 * SPDX-License-Identifier: MIT */
#include "explain/narrate/narrate_brief.h"

#include "explain/json_scan.h"

#include <assert.h>
#include <string.h>

/* Append a key ["doctor",[1,2]] as doctor(1,2), and what stands behind it, such
 * as a condition; false if it has another form. */
static bool
put_row_key(const char *key, struct buf *out)
{
    if (strncmp(key, "[\"", 2) != 0)
        return false;
    const char *end = json_scan_string(key + 1);
    const char *at = json_scan_blank(end);
    if (*at != ',' || end < key + 4)
        return false;
    at = json_scan_blank(at + 1);
    const char *stop = json_scan_value(at);
    if (*stop != ']')
        return false;
    const char *rest = stop + 1;
    if (*at == '[') {
        at++;
        stop--;
    }
    buf_add(out, key + 2, (size_t)(end - key - 3));
    buf_char(out, '(');
    for (; at < stop; at++)
        if (*at != '"')
            buf_char(out, *at);
    buf_char(out, ')');
    buf_text(out, rest);
    return true;
}

/* The row that an operation shows, "{...}", or NULL. */
static const char *
row_of(const struct anomaly_op *o)
{
    const size_t n = strlen(o->key);
    if (strlen(o->text) < n + 5 || strncmp(o->text + 2, o->key, n) != 0 ||
        strncmp(o->text + 2 + n, ", {", 3) != 0)
        return NULL;
    return o->text + 2 + n + 2;
}

/* The value of a column of a row, up to *end; NULL if there is none. */
static const char *
value_of(const char *row, const char *name, size_t n, const char **end)
{
    const char *at = row;
    while (*at == '{' || *at == ',') {
        at = json_scan_blank(at + 1);
        if (*at != '"')
            return NULL;
        const char *key = at;
        at = json_scan_blank(json_scan_string(at));
        if (*at != ':')
            return NULL;
        at = json_scan_blank(at + 1);
        *end = json_scan_value(at);
        if (strncmp(key, name, n) == 0)
            return at;
        at = json_scan_blank(*end);
    }
    return NULL;
}

/* Whether operations of the anomaly show other values of a column of the row;
 * 'name' has both quotes. */
static bool
differs(const struct anomaly *a, const struct anomaly_op *o, const char *name,
        size_t n)
{
    const char *end = NULL, *other_end = NULL;
    assert(n >= 2 && *name == '"');
    const char *value = value_of(row_of(o), name, n, &end);
    for (size_t i = 0; value && i < a->txns.n; i++)
        for (size_t j = 0; j < a->txns.at[i].n_ops; j++) {
            const struct anomaly_op *p = &a->txns.at[i].ops[j];
            const char *row = strcmp(p->key, o->key) == 0 ? row_of(p) : NULL;
            const char *other = row ? value_of(row, name, n, &other_end) : NULL;
            if (other && (other_end - other != end - value ||
                          memcmp(other, value, (size_t)(end - value)) != 0))
                return true;
        }
    return false;
}

/* Append the columns that differ, "on_call false"; false if none does. */
static bool
put_columns(const struct anomaly *a, const struct anomaly_op *o,
            struct buf *out)
{
    const size_t before = out->n;
    const char *at = row_of(o);
    assert(at && *at == '{');
    while (*at == '{' || *at == ',') {
        at = json_scan_blank(at + 1);
        if (*at != '"')
            break;
        const char *name = at, *end;
        const size_t n = (size_t)(json_scan_string(at) - at);
        const char *value = value_of(row_of(o), name, n, &end);
        if (!value)
            break;
        if (differs(a, o, name, n)) {
            buf_text(out, ", ");
            buf_add(out, name + 1, n - 2);
            buf_char(out, ' ');
            for (; value < end; value++)
                if (*value != '"')
                    buf_char(out, *value);
        }
        at = json_scan_blank(end);
    }
    return out->n > before;
}

static const char *
brief_of(struct anomaly *a, const struct anomaly_op *o)
{
    struct buf out = {0};
    const size_t n = strlen(o->key);
    const char *brief = o->text;
    buf_add(&out, o->text, 2);
    if (strlen(o->text) > n + 2 && strncmp(o->text + 2, o->key, n) == 0 &&
        put_row_key(o->key, &out)) {
        if (row_of(o) && put_columns(a, o, &out))
            buf_char(&out, ')');
        else
            buf_text(&out, o->text + 2 + n);
        brief = arena_copy(&a->arena, out.at, out.n);
    }
    buf_free(&out);
    return brief;
}

void
narrate_brief(struct anomaly *a)
{
    for (size_t i = 0; i < a->txns.n; i++)
        for (size_t j = 0; j < a->txns.at[i].n_ops; j++) {
            struct anomaly_op *o = &a->txns.at[i].ops[j];
            o->brief = *o->text && o->text[1] == '(' ? brief_of(a, o) : NULL;
        }
    for (size_t i = 0; i < a->edges.n; i++) {
        struct anomaly_edge *e = &a->edges.at[i];
        struct buf key = {0};
        if (e->key && put_row_key(e->key, &key))
            e->brief_key = arena_copy(&a->arena, key.at, key.n);
        buf_free(&key);
    }
}
