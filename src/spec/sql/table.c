/* table.c -- see table.h.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/sql/table.h"

#include "base/buf.h"

#include <string.h>

void
tables_free(table_vec *tables)
{
    for (size_t i = 0; i < tables->n; i++)
        vec_free(&tables->at[i].columns);
    vec_free(tables);
}

const struct spec_table *
table_find(struct parser *p, const table_vec *tables, const char *name)
{
    for (size_t i = 0; i < tables->n; i++)
        if (strcmp(tables->at[i].name, name) == 0) {
            const struct spec_table *t = &tables->at[i];
            if (t->flaw)
                parser_refuse(p, "table '%s': %s", name, t->flaw);
            return t->flaw ? NULL : t;
        }
    parser_refuse(p, "unknown table '%.60s': the setup does not create it",
                  name);
    return NULL;
}

size_t
table_column(const struct spec_table *t, const char *name)
{
    size_t i = 0;
    while (i < t->columns.n && strcmp(t->columns.at[i], name) != 0)
        i++;
    return i;
}

/* An integer without leading zeros. */
static const char *
plain_integer(struct parser *p, bool negative, const char *digits, size_t n)
{
    if (strspn(digits, "0123456789") < n)
        return NULL;
    for (; n > 1 && *digits == '0'; n--)
        digits++;
    struct buf text = {0};
    buf_text(&text, negative && *digits != '0' ? "-" : "");
    buf_add(&text, digits, n);
    const char *copy = arena_copy(p->arena, text.at, text.n);
    buf_free(&text);
    return copy;
}

/* The contents of a string without escapes. */
static const char *
string_value(struct parser *p, struct token t)
{
    char *copy = arena_copy(p->arena, t.at + 1, t.n - 2), *to = copy;
    for (const char *from = copy; *from; from++) {
        *to++ = *from;
        from += *from == '\'';
    }
    *to = 0;
    return copy;
}

bool
table_take_key(struct parser *p, const struct spec_table *t, const char **out)
{
    const bool integer = t->key_type == KEY_INTEGER;
    struct parser before = *p;
    const bool negative = integer && parser_take(p, "-");
    const struct token value = parser_next(p);
    *out = NULL;
    if (integer && value.kind == TOKEN_NUMBER)
        *out = plain_integer(p, negative, value.at, value.n);
    else if (!integer && value.kind == TOKEN_STRING)
        *out = string_value(p, value);
    if (!*out) {
        *p = before;
        return parser_expected(p, integer ? "an integer, as the key is one"
                                          : "a string, as the key is one");
    }
    parser_skip(p);
    return true;
}
