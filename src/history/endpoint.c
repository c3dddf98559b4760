/* endpoint.c -- see endpoint.h.
 *
 * The metadata is JSON text, and is only searched: a comment is a part of one
 * of its strings, in which neither a quote nor a letter is escaped.
 *
 * SPDX-License-Identifier: MIT */
#include "history/endpoint.h"

#include "history/metadata.h"

#include <string.h>

static int
hex(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Append the text up to 'end', %2F as '/'. */
static void
add_decoded(const char *at, char end, struct buf *out)
{
    for (; *at && *at != end; at++) {
        const int high = *at == '%' ? hex(at[1]) : -1;
        const int low = high >= 0 ? hex(at[2]) : -1;
        const int c = low >= 0 ? high * 16 + low : *at;
        buf_char(out, (char)(c < ' ' || c == 0x7f ? '?' : c));
        at += low >= 0 ? 2 : 0;
    }
}

/* Append the value behind 'key' if the metadata has one that is not empty. */
static bool
add_value(const char *meta, const char *key, char end, struct buf *out)
{
    const char *at = strstr(meta, key);
    if (!at || at[strlen(key)] == end)
        return false;
    add_decoded(at + strlen(key), end, out);
    return true;
}

static const char *
meta_of(const struct history *h, txn_id t)
{
    return h->txn_meta && h->txn_meta[t] != ID_NONE
               ? strings_get(&h->strings, h->txn_meta[t]).text
               : NULL;
}

static bool
add_application(const char *meta, struct buf *out)
{
    const char *at = metadata_find(meta, "application");
    return at && add_value(at, "\"", '"', out);
}

bool
endpoint_has_applications(const struct history *h)
{
    struct buf first = {0}, other = {0};
    bool differ = false;
    for (txn_id t = 0; !differ && t < h->n_txns; t++) {
        const char *meta = h->txn_counts[t] ? meta_of(h, t) : NULL;
        buf_clear(&other);
        if (!meta || !add_application(meta, &other))
            continue;
        if (!first.n)
            buf_add(&first, other.at, other.n);
        differ = strcmp(first.at, other.at) != 0;
    }
    buf_free(&first);
    buf_free(&other);
    return differ;
}

/* --- shapes ----------------------------------------------------------------*/

static const char *
skip_blank(const char *at)
{
    for (;;) {
        const char *end;
        if (*at == ' ' || *at == '\n' || *at == '\t' || *at == '(')
            at++;
        else if (at[0] == '/' && at[1] == '*' && (end = strstr(at, "*/")))
            at = end + 2;
        else
            return at;
    }
}

/* Append the word at 'at' in lower case, a name without quotes and schema, and
 * return what is behind it. */
static const char *
take_word(const char *at, struct buf *out)
{
    for (; *at; at++) {
        if (*at == '"')
            continue;
        const bool is_upper = *at >= 'A' && *at <= 'Z';
        if (*at == '.')
            buf_clear(out);
        else if (is_upper || (*at >= 'a' && *at <= 'z') || *at == '_' ||
                 (*at >= '0' && *at <= '9') || (unsigned char)*at >= 0x80)
            buf_char(out, is_upper ? (char)(*at - 'A' + 'a') : *at);
        else
            break;
    }
    return at;
}

static bool
is_word(const struct buf *word, const char *const *words)
{
    for (; word->n && *words; words++)
        if (strcmp(word->at, *words) == 0)
            return true;
    return false;
}

/* The table behind the first of these words. */
static void
find_table(const char *at, const char *const *before, struct buf *table)
{
    static const char *const only[] = {"only", NULL};
    static const char *const query[] = {"select", NULL};
    bool is_next = false;
    while (*at) {
        buf_clear(table);
        at = skip_blank(at);
        const char *end = take_word(at, table);
        if (table->n && is_next && !is_word(table, only) &&
            !is_word(table, query))
            return;
        if (table->n && !is_word(table, only))
            is_next = is_word(table, before);
        at = end > at ? end : *at ? at + 1 : at;
    }
    buf_clear(table);
}

/* Append "update account" for a statement that concerns rows. */
static void
add_shape(const char *sql, struct buf *last, size_t *n, struct buf *out)
{
    static const char *const verbs[] = {"select", "insert", "update", "delete",
                                        "merge",  "with",   "copy",   NULL};
    static const char *const from[] = {"from", NULL};
    static const char *const into[] = {"into", "update", "copy", NULL};
    enum { MOST = 5 };
    struct buf verb = {0}, table = {0};
    const char *at = skip_blank(sql);
    take_word(at, &verb);
    if (is_word(&verb, verbs)) {
        find_table(at, strchr("sdw", verb.at[0]) ? from : into, &table);
        // Drivers ask what tables there are, and select what needs none.
        if (!table.n || strncmp(table.at, "pg_", 3) == 0)
            buf_clear(&verb);
        else
            buf_printf(&verb, " %s", table.at);
        if (verb.n && (!last->n || strcmp(last->at, verb.at) != 0)) {
            if (++*n <= MOST)
                buf_printf(out, "%s%s", *n > 1 ? " + " : "", verb.at);
            else if (*n == MOST + 1)
                buf_text(out, " + ...");
        }
        if (verb.n) {
            buf_clear(last);
            buf_add(last, verb.at, verb.n);
        }
    }
    buf_free(&verb);
    buf_free(&table);
}

/* The shape of the statements in the metadata. */
static bool
shape_of(const char *meta, struct buf *out)
{
    struct buf sql = {0}, last = {0};
    const char *at = metadata_find(meta, "sql");
    size_t n = 0;
    for (at = at && *at == '[' ? at + 1 : ""; *at == '"' || *at == ','; at++) {
        buf_clear(&sql);
        for (at += *at == ',' ? 2 : 1; *at && *at != '"'; at++) {
            if (*at == '\\' && at[1])
                at++;
            buf_char(&sql, at[-1] == '\\' && *at == 'n' ? '\n' : *at);
        }
        if (sql.n)
            add_shape(sql.at, &last, &n, out);
        if (!*at)
            break;
    }
    buf_free(&sql);
    buf_free(&last);
    return n > 0;
}

/* The route, or the controller and the action. */
static bool
add_route(const char *meta, struct buf *out)
{
    if (add_value(meta, "route='", '\'', out))
        return true;
    if (add_value(meta, "controller='", '\'', out)) {
        struct buf action = {0};
        if (add_value(meta, "action='", '\'', &action))
            buf_printf(out, "#%s", action.at);
        buf_free(&action);
        return true;
    }
    return false;
}

bool
endpoint_of(const struct history *h, txn_id t, struct buf *out)
{
    const char *meta = meta_of(h, t);
    return meta && (add_route(meta, out) || add_application(meta, out));
}

bool
endpoint_or_shape(const struct history *h, txn_id t, bool has_applications,
                  struct buf *out)
{
    const char *meta = meta_of(h, t);
    return meta && (add_route(meta, out) ||
                    (has_applications && add_application(meta, out)) ||
                    shape_of(meta, out));
}
