/* place.c -- see place.h.
 *
 * Metadata is valid JSON: a reader has seen it.  So a scan has to know strings
 * and brackets only.
 *
 * SPDX-License-Identifier: MIT */
#include "explain/place.h"

#include "base/ascii.h"
#include "history/endpoint.h"

#include <stdlib.h>
#include <string.h>

static const char *
skip_blank(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

/* Behind a string whose first quote is at 'at'. */
static const char *
skip_string(const char *at)
{
    for (at++; *at && *at != '"'; at++)
        at += *at == '\\' && at[1];
    return at + (*at == '"');
}

/* Behind the value at 'at'. */
static const char *
skip_value(const char *at)
{
    size_t depth = 0;
    do {
        if (*at == '"') {
            at = skip_string(at);
            continue;
        }
        depth += *at == '[' || *at == '{';
        depth -= depth && (*at == ']' || *at == '}');
        at++;
    } while (*at && (depth || !strchr(",]}", *at)));
    return at;
}

/* The value of a member of the metadata, or NULL. */
static const char *
member(const struct history *h, txn_id t, const char *name)
{
    if (!h->txn_meta || h->txn_meta[t] == ID_NONE)
        return NULL;
    const char *at = strings_get(&h->strings, h->txn_meta[t]).text;
    const size_t n = strlen(name);
    at = skip_blank(at);
    while (*at == '{' || *at == ',') {
        at = skip_blank(at + 1);
        if (*at != '"')
            return NULL;
        const char *key = at + 1;
        at = skip_blank(skip_string(at));
        if (*at != ':')
            return NULL;
        at = skip_blank(at + 1);
        if (strncmp(key, name, n) == 0 && key[n] == '"')
            return at;
        at = skip_blank(skip_value(at));
    }
    return NULL;
}

/* The n-th element, from 1, of an array; or NULL. */
static const char *
element(const char *at, uint32_t n)
{
    if (!at || *at != '[' || !n)
        return NULL;
    at = skip_blank(at + 1);
    for (; *at && *at != ']' && --n; at = skip_blank(at + 1)) {
        at = skip_blank(skip_value(at));
        if (*at != ',')
            return NULL;
    }
    return *at && *at != ']' ? at : NULL;
}

/* Append a string for people; false if it is none or empty. */
static bool
put_string(const char *at, struct buf *out)
{
    if (!at || *at != '"' || at[1] == '"')
        return false;
    struct buf text = {0};
    for (at++; *at && *at != '"'; at++) {
        at += *at == '\\' && at[1];
        const bool is_space = at[-1] == '\\' && strchr("ntr", *at);
        if (at[-1] == '\\' && *at == 'u')
            buf_char(&text, '\\');
        buf_char(&text, is_space ? ' ' : *at);
    }
    buf_shown(out, text.at);
    buf_free(&text);
    return true;
}

bool
place_of_txn(const struct history *h, txn_id t, struct buf *out)
{
    struct buf endpoint = {0};
    const bool is_script = put_string(member(h, t, "script"), out);
    const bool is_known = is_script || endpoint_of(h, t, &endpoint);
    if (is_known && !is_script)
        buf_shown(out, endpoint.at);
    buf_free(&endpoint);
    return is_known;
}

uint64_t
place_line(const struct history *h, txn_id t, uint32_t n)
{
    const char *at = element(member(h, t, "lines"), n);
    return at && ascii_is_digit(*at) ? strtoull(at, NULL, 10) : 0;
}

bool
place_statement(const struct history *h, txn_id t, uint32_t n, struct buf *out)
{
    return put_string(element(member(h, t, "sql"), n), out);
}
