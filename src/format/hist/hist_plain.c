/* hist_plain.c -- the scan of a transaction of 'hist' that a program has
 * written: words and integers, with one blank between operations.
 *
 *     17[x:=1 y==? 3==4]
 *
 * SPDX-License-Identifier: MIT */
#include "format/hist/hist.h"
#include "format/scan/plain.h"

/* A name, key or value.  The caller looks at the byte after an integer, which
 * may turn out to be the beginning of a word. */
static inline bool
scan_atom(const struct plain_block *found, const char **at, struct atom *out)
{
    const char c = **at;
    if (is_digit(c)) {
        *out = (struct atom){0, ATOM_INT};
        return decimal_short(at, &out->bits);
    }
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'))
        return false;
    const char *begin = *at, *end = begin;
    while (end < found->limit && hist_is_word(*end))
        end++;
    if (!plain_has_room(found, end) || !plain_holds(found, end))
        return false;
    *out = plain_text(found, ATOM_STRING, begin, end);
    *at = end;
    return true;
}

/* An operation.  A blank or the closing bracket must follow; *at stops there.
 */
static inline bool
scan_op(struct plain_block *found, const char **at)
{
    struct atom key, value = atom_nil();
    const char *p = *at;
    if (!plain_has_room(found, p) || !scan_atom(found, &p, &key) ||
        (*p != ':' && *p != '=') || p[1] != '=')
        return false;
    const bool is_write = *p == ':';
    p += 2;
    if (*p == '?')
        p++;
    else if (!scan_atom(found, &p, &value))
        return false;
    if (*p != ' ' && *p != ']')
        return false;
    vec_push(&found->ops, ((struct raw_op){.key = key.bits,
                                           .value = value.bits,
                                           .key_tag = (uint8_t)key.tag,
                                           .value_tag = (uint8_t)value.tag,
                                           .is_write = is_write}));
    *at = p;
    return true;
}

bool
hist_plain_scan(struct plain_block *found, struct plain_entry *e)
{
    const char *at = e->at;
    if (!plain_has_room(found, at))
        return false;
    e->flags = *at != '[';
    if (e->flags && !scan_atom(found, &at, &e->name))
        return false;
    if (*at++ != '[')
        return false;
    for (bool more = *at != ']'; more; at += more) {
        if (!scan_op(found, &at))
            return false;
        more = *at == ' ';
    }
    at++;
    if (*at == '!' || *at == '?')
        e->status = *at++ == '!' ? TXN_ABORTED : TXN_INDETERMINATE;
    e->end = at;
    return *at == ' ' || *at == '\n';
}
