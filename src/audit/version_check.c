/* version_check.c -- see version_check.h.
 *
 * SPDX-License-Identifier: MIT */
#include "audit/version_check.h"

#include "base/ascii.h"
#include "history/metadata.h"

#include <stdlib.h>
#include <string.h>

bool
version_check_column(const char *row, const char *column, struct buf *out)
{
    const char *at = metadata_find(row, column);
    buf_clear(out);
    if (!at)
        return false;
    const bool is_text = *at == '"';
    for (at += is_text; *at && (is_text ? *at != '"' : !strchr(",}", *at));
         at++) {
        if (*at == '\\' && at[1])
            at++;
        buf_char(out, *at);
    }
    if (!out->n)
        buf_text(out, "");
    return *at != 0;
}

/* A word of SQL. */
struct word {
    const char *at;
    size_t n;
};

/* The next word: a name, quoted or not, a number, a text, $1 or one other
 * character. */
static struct word
next_word(const char *at)
{
    at += strspn(at, " \t\r\n");
    struct word w = {at, *at != 0};
    if (*at == '"' || *at == '\'') {
        const char *end = strchr(at + 1, *at);
        w.n = end ? (size_t)(end - at) + 1 : strlen(at);
        return w;
    }
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789$";
    const size_t n = strspn(at, letters);
    w.n = n ? n : w.n;
    return w;
}

static bool
is_same(struct word w, const char *word)
{
    return w.n == strlen(word) && ascii_compare_n(w.at, word, w.n) == 0;
}

/* The name or text without its quotes. */
static void
unquote(struct word w, struct buf *out)
{
    const bool is_quoted = w.n > 1 && (*w.at == '"' || *w.at == '\'');
    buf_clear(out);
    buf_add(out, w.at + is_quoted, w.n - 2 * is_quoted);
}

static bool
is_name(struct word w)
{
    return w.n && (*w.at == '"' || *w.at == '_' || (*w.at | 32) >= 'a') &&
           (*w.at == '"' || (*w.at | 32) <= 'z');
}

/* What a condition compares with: a constant or the value of $n. */
static bool
value_of(const struct sent *s, struct word w, size_t *parameter,
         struct buf *out)
{
    *parameter = 0;
    if (*w.at == '$') {
        *parameter = (size_t)strtoul(w.at + 1, NULL, 10);
        if (!*parameter || *parameter > s->n_values ||
            !s->values[*parameter - 1])
            return false;
        buf_clear(out);
        buf_text(out, s->values[*parameter - 1]);
        return true;
    }
    unquote(w, out);
    return *w.at == '\'' || (*w.at >= '0' && *w.at <= '9');
}

/* Whether 'column' = ... is in the text before 'end'. */
static bool
sets(const char *sql, const char *end, const char *column)
{
    struct buf name = {0};
    bool found = false;
    struct word w = {sql, 0};
    while (!found && (w = next_word(w.at + w.n)).n && w.at < end) {
        unquote(w, &name);
        found = is_name(w) && strcmp(name.at, column) == 0 &&
                *next_word(w.at + w.n).at == '=';
    }
    buf_free(&name);
    return found;
}

static void
put_value(struct sent *s, struct word w, size_t parameter, const char *value,
          struct arena *arena)
{
    if (parameter) {
        const char **values = arena_alloc(arena, s->n_values * sizeof *values);
        memcpy(values, s->values, s->n_values * sizeof *values);
        values[parameter - 1] = arena_copy(arena, value, strlen(value));
        s->values = values;
        return;
    }
    struct buf sql = {0};
    const bool is_text = *w.at == '\'';
    buf_add(&sql, s->sql, (size_t)(w.at - s->sql));
    buf_printf(&sql, is_text ? "'%s'" : "%s", value);
    buf_text(&sql, w.at + w.n);
    s->sql = arena_copy(arena, sql.at, sql.n);
    buf_free(&sql);
}

/* The comparison 'column = value' whose column is at w; whether it was put. */
static bool
adapt_one(struct sent *s, struct word column, bool deletes, const char *where,
          const char *observed, const char *predicted, struct arena *arena)
{
    struct buf name = {0}, then = {0}, now = {0}, value = {0};
    const struct word equals = next_word(column.at + column.n);
    const struct word right = next_word(equals.at + equals.n);
    size_t parameter;
    unquote(column, &name);
    const bool fits = is_name(column) && is_same(equals, "=") && right.n &&
                      version_check_column(observed, name.at, &then) &&
                      version_check_column(predicted, name.at, &now) &&
                      strcmp(then.at, now.at) != 0 &&
                      value_of(s, right, &parameter, &value) &&
                      strcmp(value.at, then.at) == 0 &&
                      (deletes || sets(s->sql, where, name.at)) &&
                      !strchr(now.at, '\'');
    if (fits)
        put_value(s, right, parameter, now.at, arena);
    buf_free(&name);
    buf_free(&then);
    buf_free(&now);
    buf_free(&value);
    return fits;
}

bool
version_check_adapt(struct sent *s, const char *observed, const char *predicted,
                    struct arena *arena)
{
    const struct word verb = next_word(s->sql);
    const bool deletes = is_same(verb, "delete");
    const char *where = NULL;
    if (!deletes && !is_same(verb, "update"))
        return false;
    struct word w = verb;
    while ((w = next_word(w.at + w.n)).n) {
        if (!where && is_same(w, "where"))
            where = w.at;
        else if (where &&
                 adapt_one(s, w, deletes, where, observed, predicted, arena))
            return true;
    }
    return false;
}
