/* endpoint.c -- see endpoint.h.
 *
 * The metadata is JSON text, and is only searched: a comment is a part of one
 * of its strings, in which neither a quote nor a letter is escaped.
 *
 * SPDX-License-Identifier: MIT */
#include "history/endpoint.h"

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

bool
endpoint_of(const struct history *h, txn_id t, struct buf *out)
{
    if (!h->txn_meta || h->txn_meta[t] == ID_NONE)
        return false;
    const char *meta = strings_get(&h->strings, h->txn_meta[t]).text;
    if (add_value(meta, "route='", '\'', out))
        return true;
    if (add_value(meta, "controller='", '\'', out)) {
        struct buf action = {0};
        if (add_value(meta, "action='", '\'', &action))
            buf_printf(out, "#%s", action.at);
        buf_free(&action);
        return true;
    }
    static const char name[] = "\"application\"";
    const char *at = strstr(meta, name);
    return at && add_value(at + strlen(name), "\"", '"', out);
}
