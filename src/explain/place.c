/* place.c -- see place.h.
 *
 * SPDX-License-Identifier: MIT */
#include "explain/place.h"

#include "base/ascii.h"
#include "explain/json_scan.h"
#include "history/endpoint.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The value of a member of the metadata, or NULL. */
static const char *
member(const struct history *h, txn_id t, const char *name)
{
    assert(t < h->n_txns);
    if (!h->txn_meta || h->txn_meta[t] == ID_NONE)
        return NULL;
    const char *at = strings_get(&h->strings, h->txn_meta[t]).text;
    const size_t n = strlen(name);
    at = json_scan_blank(at);
    while (*at == '{' || *at == ',') {
        at = json_scan_blank(at + 1);
        if (*at != '"')
            return NULL;
        const char *key = at + 1;
        at = json_scan_blank(json_scan_string(at));
        if (*at != ':')
            return NULL;
        at = json_scan_blank(at + 1);
        if (strncmp(key, name, n) == 0 && key[n] == '"')
            return at;
        at = json_scan_blank(json_scan_value(at));
    }
    return NULL;
}

/* The n-th element, from 1, of an array; or NULL. */
static const char *
element(const char *at, uint32_t n)
{
    if (!at || *at != '[' || !n)
        return NULL;
    at = json_scan_blank(at + 1);
    for (; *at && *at != ']' && --n; at = json_scan_blank(at + 1)) {
        at = json_scan_blank(json_scan_value(at));
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
