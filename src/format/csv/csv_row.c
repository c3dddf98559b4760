/* csv_row.c -- see csv_row.h.
 *
 * SPDX-License-Identifier: MIT */
#include "format/csv/csv_row.h"

#include "base/utf8.h"

char
csv_separator(const struct scan *s)
{
    for (const char *at = s->at; at < s->end && *at != '\n'; at++)
        if (*at == ',' || *at == ';' || *at == '\t')
            return *at;
    return ',';
}

/* The rest of a field in quotes, after the first quote. */
static bool
read_quoted(struct scan *s, struct csv_row *row)
{
    const char *start = s->at - 1;
    for (;;) {
        const char *quote = memchr(s->at, '"', (size_t)(s->end - s->at));
        if (!quote)
            return scan_fail(s, start, ERR_SYNTAX,
                             "a field in quotes that does not end");
        buf_add(&row->text, s->at, (size_t)(quote - s->at));
        s->at = quote + 1;
        if (s->at == s->end || *s->at != '"')
            return true;
        buf_char(&row->text, '"');
        s->at++;
    }
}

static bool
ends_field(const struct scan *s, char separator)
{
    return s->at == s->end || *s->at == separator || *s->at == '\n' ||
           (*s->at == '\r' && s->at + 1 < s->end && s->at[1] == '\n');
}

static bool
read_field(struct scan *s, char separator, struct csv_row *row)
{
    struct csv_field field = {.at = s->at, .text = row->text.n};
    field.is_quoted = s->at < s->end && *s->at == '"';
    if (field.is_quoted) {
        s->at++;
        if (!read_quoted(s, row))
            return false;
        if (!ends_field(s, separator))
            return scan_unexpected(s, s->at,
                                   "a separator or the end of the line");
    } else {
        const char *begin = s->at;
        while (!ends_field(s, separator)) {
            if (*s->at == '"')
                return scan_unexpected(
                    s, s->at, "quotes around the whole field, or none");
            s->at++;
        }
        buf_add(&row->text, begin, (size_t)(s->at - begin));
    }
    field.n = row->text.n - field.text;
    vec_push(&row->fields, field);
    return utf8_is_valid(row->text.at + field.text, field.n) ||
           scan_fail(s, field.at, ERR_SYNTAX, "a field that is not UTF-8");
}

bool
csv_row_read(struct scan *s, char separator, struct csv_row *row, bool *found)
{
    while (s->at < s->end && (*s->at == '\n' || *s->at == '\r'))
        s->at++;
    vec_clear(&row->fields);
    buf_clear(&row->text);
    buf_text(&row->text, ""); // texts have an address, also if all are empty
    row->at = s->at;
    *found = s->at < s->end;
    for (bool more = *found; more;) {
        if (!read_field(s, separator, row))
            return false;
        more = s->at < s->end && *s->at == separator;
        s->at += more;
    }
    // Nothing else shows that the last value was not cut.
    return !*found || s->at < s->end ||
           scan_unexpected(s, s->at, "the end of the line after the last row");
}

void
csv_row_free(struct csv_row *row)
{
    vec_free(&row->fields);
    buf_free(&row->text);
}

bool
csv_is_integer(const char *text, size_t n, struct atom *out)
{
    const size_t sign = n && *text == '-';
    size_t i = sign;
    while (i < n && text[i] >= '0' && text[i] <= '9')
        i++;
    return i == n && n > sign && (text[sign] != '0' || n == 1) &&
           scan_integer(sign, text + sign, text + n, out);
}

struct atom
csv_atom(const struct csv_row *row, size_t i, struct builder *b)
{
    const struct span text = csv_text(row, i);
    struct atom a;
    if (!text.n && !row->fields.at[i].is_quoted)
        return atom_nil();
    return csv_is_integer(text.at, text.n, &a)
               ? a
               : builder_text(b, ATOM_STRING, text.at, text.n);
}
