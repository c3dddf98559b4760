/* plain_json.h -- atoms of JSON for the scans of plain.h.
 *
 * Each function parses one thing at *at and moves past it.  It returns false if
 * something else is there; *at is of no use then.  The caller has made sure
 * that PLAIN_ROOM bytes were left shortly before; a string checks this again
 * after its end.
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_SCAN_PLAIN_JSON_H
#define FORMAT_SCAN_PLAIN_JSON_H

#include "format/scan/plain.h"

/* The byte c, and one blank if there is one. */
static inline bool
plain_char(const char **at, char c)
{
    const bool is_there = **at == c;
    *at += is_there;
    *at += **at == ' ';
    return is_there;
}

/* An integer of at most 15 digits. */
static inline bool
plain_integer(const char **at, uint64_t *out)
{
    const char *begin = *at;
    return decimal_short(at, out) && (*begin != '0' || *at - begin == 1);
}

/* A string of ASCII without escapes. */
static inline bool
plain_string(const struct plain_block *found, const char **at, struct atom *out)
{
    const char *begin = *at + 1, *end = begin;
    while (end < found->limit && *end >= 0x20 && *end < 0x7f && *end != '"' &&
           *end != '\\')
        end++;
    if (!plain_has_room(found, end) || *end != '"' || !plain_holds(found, end))
        return false;
    *out = plain_text(found, ATOM_STRING, begin, end);
    *at = end + 1;
    return true;
}

/* A name or a key. */
static inline bool
plain_name(const struct plain_block *found, const char **at, struct atom *out)
{
    if (**at == '"')
        return plain_string(found, at, out);
    uint64_t x;
    if (!plain_integer(at, &x))
        return false;
    *out = (struct atom){x, ATOM_INT};
    return true;
}

/* A value of a register: a name or null. */
static inline bool
plain_value(const struct plain_block *found, const char **at, struct atom *out)
{
    if (**at != 'n')
        return plain_name(found, at, out);
    if (memcmp(*at, "null", 4) != 0)
        return false;
    *at += 4;
    *out = atom_nil();
    return true;
}

/* An operation, ["r",key,value] or ["w",key,value]. */
static inline bool
plain_op(struct plain_block *found, const char **at)
{
    if (!plain_has_room(found, *at))
        return false;
    // A table, because a guess between the two is wrong half of the time.
    static const uint8_t kinds[256] = {['r'] = 1, ['w'] = 2};
    const char *p = *at;
    const uint8_t kind = kinds[(unsigned char)p[2]];
    struct atom key, value;
    if (!kind || p[0] != '[' || p[1] != '"' || p[3] != '"' || p[4] != ',')
        return false;
    p += 5;
    p += *p == ' ';
    if (!plain_name(found, &p, &key) || !plain_char(&p, ',') ||
        !plain_value(found, &p, &value) || *p != ']')
        return false;
    vec_push(&found->ops, ((struct raw_op){.key = key.bits,
                                           .value = value.bits,
                                           .key_tag = (uint8_t)key.tag,
                                           .value_tag = (uint8_t)value.tag,
                                           .is_write = kind >> 1}));
    *at = p + 1;
    return true;
}

/* An array of them. */
static inline bool
plain_ops(struct plain_block *found, const char **at)
{
    if (!plain_has_room(found, *at) || *(*at)++ != '[')
        return false;
    if (**at == ']') {
        ++*at;
        return true;
    }
    for (;;) {
        if (!plain_op(found, at))
            return false;
        const char c = *(*at)++;
        if (c != ',')
            return c == ']' && plain_has_room(found, *at);
        *at += **at == ' ';
    }
}

#endif
