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

#include "format/scan/find_byte.h"
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
    plain_add(found, kind >> 1, key, value);
    *at = p + 1;
    return true;
}

/* Parse as many operations as follow each other at *at in the usual form,
 * without blanks or text, each with the comma behind it.  Returns true after
 * the bracket that ends the array.  Whether a value is null is as good as
 * random, so no branch depends on it. */
static inline bool
plain_usual_ops(struct plain_block *found, const char **at)
{
    static const uint8_t kinds[256] = {['r'] = 1, ['w'] = 2};
    uint64_t mask, form;
    uint32_t null;
    memcpy(&mask, "\xff\xff\0\xff\xff\0\0", sizeof mask);
    memcpy(&form, "[\"\0\",\0\0", sizeof form);
    memcpy(&null, "null", sizeof null);
    while (plain_has_room(found, *at)) {
        const char *p = *at;
        const uint32_t ends = find_byte(p, ']');
        const uint8_t kind = kinds[(unsigned char)p[2]];
        uint64_t word, key, value = 0;
        uint32_t begin;
        memcpy(&word, p, sizeof word);
        p += 5;
        if (!kind || (word & mask) != form || !plain_integer(&p, &key) ||
            *p++ != ',')
            return false;
        memcpy(&begin, p, sizeof begin);
        const bool is_null = begin == null;
        const unsigned n = decimal_brief(p, &value);
        if ((!n & !is_null) | (n == 8) | ((n > 1) & (*p == '0')))
            return false;
        p += is_null ? 4 : n;
        const char next = p[1];
        if (*p != ']' || (next != ',' && next != ']'))
            return false;
        vec_push(&found->ops,
                 ((struct raw_op){.key = key,
                                  .value = value,
                                  .key_tag = ATOM_INT,
                                  .value_tag = is_null ? ATOM_NIL : ATOM_INT,
                                  .is_write = kind >> 1}));
        if (next == ']') {
            *at = p + 2;
            return true;
        }
        if (__builtin_expect(!ends, 0)) {
            *at = p + 2;
            continue;
        }
        *at += (unsigned)__builtin_ctz(ends) + 2;
        assert(*at == p + 2); // but known earlier (find_byte.h)
    }
    return false;
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
        if (plain_usual_ops(found, at))
            return plain_has_room(found, *at);
        if (!plain_op(found, at))
            return false;
        const char c = *(*at)++;
        if (c != ',')
            return c == ']' && plain_has_room(found, *at);
        *at += **at == ' ';
    }
}

#endif
