/* row_checks_table.c -- see row_checks_table.h.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/row/row_checks_table.h"

#include "base/ascii.h"
#include "spec/row/row_dialect.h"

#include <string.h>

/* The end of a literal: a comma outside of quotes and parentheses. */
static size_t
literal_length(const char *at)
{
    bool is_quoted = false;
    int depth = 0;
    size_t n = 0;
    for (; at[n] && (is_quoted || depth || at[n] != ','); n++) {
        if (at[n] == '\'')
            is_quoted = !is_quoted;
        if (!is_quoted)
            depth += (at[n] == '(') - (at[n] == ')');
    }
    return n;
}

/* The literal of a column in a version. */
static const char *
literal(struct row_versions *v, uint32_t version, const char *column)
{
    const struct row_version *x = &v->all.at[version];
    const struct watched_table *t = &v->watched->tables.at[x->table];
    const char *at = x->values;
    for (size_t i = 0; i < t->columns.n; i++) {
        const size_t n = literal_length(at);
        if (strcmp(t->columns.at[i], column) == 0)
            return arena_copy(&v->arena, at, n);
        at += n + (at[n] == ',');
    }
    assert(!"a column that the table does not have");
    return "NULL";
}

/* The bytes of a text in hexadecimal digits, such as _utf8mb4 x'37' or
 * decode(unhex('37')); NULL if it is none.  x'37' alone is a blob, which equals
 * no number and no text. */
static const char *
unhex(struct row_versions *v, const char *literal)
{
    const char *at = strchr(literal, '\'');
    struct buf text = {0};
    if (*literal == '\'' || !at || (at == literal + 1 && *literal != '_'))
        return NULL;
    at++;
    for (; ascii_is_xdigit(at[0]) && ascii_is_xdigit(at[1]); at += 2) {
        static const char digits[] = "0123456789abcdef";
        const size_t high =
            (size_t)(strchr(digits, ascii_lower(at[0])) - digits);
        const size_t low =
            (size_t)(strchr(digits, ascii_lower(at[1])) - digits);
        buf_char(&text, (char)(high * 16 + low));
    }
    const char *copy = arena_copy(&v->arena, text.n ? text.at : "", text.n);
    buf_free(&text);
    return copy;
}

static bool
is_integer(const char *text)
{
    const char *digits = text + (*text == '-');
    const size_t n = strspn(digits, "0123456789");
    return n && n < 19 && !digits[n];
}

/* Whether a column of a type that the dialect lists has this text of a number
 * without an exponent. */
static bool
is_decimal(const struct row_dialect *d, const char *type, const char *text)
{
    const char *digits = text + (*text == '-');
    const size_t n = strspn(digits, "0123456789");
    const char *point = digits + n;
    const size_t places =
        *point == '.' ? strspn(point + 1, "0123456789") + 1 : 0;
    bool is_listed = false;
    for (size_t i = 0; d->numbers && d->numbers[i]; i++)
        is_listed |= strcmp(d->numbers[i], type) == 0;
    return is_listed && n && places != 1 && !point[places];
}

/* The literal of a version's column for a comparison.  A number that is written
 * as a text would be compared as a floating-point one, and so would a text with
 * a number. */
static const char *
comparable(struct row_versions *v, uint32_t version, const char *column)
{
    const char *value = literal(v, version, column);
    const char *text = unhex(v, value);
    const struct watched_table *t =
        &v->watched->tables.at[v->all.at[version].table];
    bool is_number = false;
    for (size_t i = 0; text && i < t->integers.n; i++)
        is_number |= strcmp(t->integers.at[i], column) == 0 && is_integer(text);
    for (size_t i = 0; text && i < t->types.n; i++)
        is_number |= strcmp(t->columns.at[i], column) == 0 &&
                     is_decimal(v->watched->dialect, t->types.at[i], text);
    return is_number ? text : value;
}

const char *
row_checks_table_text(struct row_versions *v, uint32_t version,
                      const char *kind, const text_vec *mine,
                      const text_vec *theirs)
{
    struct buf text = {0};
    bool is_null = false;
    buf_printf(&text, "%s: ", kind);
    for (size_t i = 0; i < theirs->n; i++)
        buf_printf(&text, "%s%s", i ? ", " : "", theirs->at[i]);
    buf_text(&text, " = ");
    for (size_t i = 0; !is_null && i < mine->n; i++) {
        const char *value = literal(v, version, mine->at[i]);
        const char *bytes = unhex(v, value);
        is_null = strcmp(value, "NULL") == 0;
        buf_text(&text, i ? ", " : "");
        if (bytes && !is_integer(bytes))
            watched_put_literal(&text, bytes);
        else
            buf_text(&text, bytes ? bytes : value);
    }
    const char *copy = is_null ? NULL : arena_copy(&v->arena, text.at, text.n);
    buf_free(&text);
    return copy;
}

const char *
row_checks_table_condition(struct row_versions *v, uint32_t version,
                           const text_vec *mine, const text_vec *theirs)
{
    struct buf sql = {0};
    assert(mine->n == theirs->n);
    for (size_t i = 0; i < mine->n; i++) {
        buf_text(&sql, i ? " and " : "");
        v->watched->dialect->put_name(&sql, theirs->at[i]);
        buf_printf(&sql, " = %s", comparable(v, version, mine->at[i]));
    }
    const char *copy = arena_copy(&v->arena, sql.at, sql.n);
    buf_free(&sql);
    return copy;
}

/* --- JSON ------------------------------------------------------------------*/

/* The end of a text, a number or null in JSON. */
static const char *
json_end(const char *at)
{
    if (*at != '"')
        return at + strcspn(at, ",}");
    for (at++; *at && *at != '"'; at++)
        at += at[0] == '\\' && at[1];
    return at + (*at == '"');
}

/* The value of a member of an object without objects inside, and its length. */
static const char *
json_member(const char *object, const char *name, size_t *n)
{
    const char *at = object + 1;
    while (*at == '"') {
        const char *end = json_end(at), *value = end + 1;
        const char *after = json_end(value);
        if (strlen(name) == (size_t)(end - at) &&
            strncmp(at, name, strlen(name)) == 0) {
            *n = (size_t)(after - value);
            return value;
        }
        at = after + (*after == ',');
    }
    *n = 4;
    return "null";
}

const char *
row_checks_table_values(struct row_versions *v, uint32_t version,
                        const text_vec *columns)
{
    struct buf out = {0};
    for (size_t i = 0; i < columns->n; i++) {
        struct buf name = {0};
        size_t n;
        buf_json(&name, columns->at[i], strlen(columns->at[i]));
        const char *value = json_member(v->all.at[version].shown, name.at, &n);
        buf_printf(&out, "%s%s:", i ? "," : "{", name.at);
        buf_add(&out, value, n);
        buf_free(&name);
    }
    buf_char(&out, '}');
    const char *copy = arena_copy(&v->arena, out.at, out.n);
    buf_free(&out);
    return copy;
}
