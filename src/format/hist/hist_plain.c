/* hist_plain.c -- the scan of a transaction of 'hist' that a program has
 * written: words and integers, with one blank between operations.
 *
 *     17[x:=1 y==? 3==4]
 *
 * SPDX-License-Identifier: MIT */
#include "format/hist/hist.h"
#include "format/scan/find_byte.h"
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
    plain_add(found, is_write, key, value);
    *at = p;
    return true;
}

/* Parse as many operations on integers as follow each other at *at, each with
 * the blank behind it.  Returns true after the bracket that ends them.  Whether
 * one is a write, and a value '?', is as good as random, so no branch depends
 * on it. */
static inline bool
scan_usual_ops(struct plain_block *found, const char **at)
{
    while (plain_has_room(found, *at)) {
        const char *p = *at;
        const uint32_t blanks = find_byte(p, ' ');
        uint64_t key, value = 0;
        if (!is_digit(*p) || !decimal_short(&p, &key))
            return false;
        const bool is_write = *p == ':';
        if (!(is_write | (*p == '=')) || p[1] != '=')
            return false;
        p += 2;
        const bool is_initial = *p == '?';
        const unsigned n = decimal_brief(p, &value) + is_initial;
        if (!n | (n >= 8))
            return false;
        p += n;
        if (*p != ' ' && *p != ']')
            return false;
        vec_push(&found->ops,
                 ((struct raw_op){.key = key,
                                  .value = value,
                                  .key_tag = ATOM_INT,
                                  .value_tag = is_initial ? ATOM_NIL : ATOM_INT,
                                  .is_write = is_write}));
        if (__builtin_expect(*p == ']' || !blanks, 0)) {
            *at = p + 1;
            if (*p == ']')
                return true;
            continue;
        }
        *at += (unsigned)__builtin_ctz(blanks) + 1;
        assert(*at == p + 1); // but known earlier (find_byte.h)
    }
    return false;
}

/* Parse operations up to the bracket that ends them, and move past that. */
static inline bool
scan_ops(struct plain_block *found, const char **at)
{
    if (**at == ']') {
        ++*at;
        return true;
    }
    while (!scan_usual_ops(found, at)) {
        if (!scan_op(found, at))
            return false;
        if (*(*at)++ == ']')
            return true;
    }
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
    if (!scan_ops(found, &at))
        return false;
    if (*at == '!' || *at == '?')
        e->status = *at++ == '!' ? TXN_ABORTED : TXN_INDETERMINATE;
    e->end = at;
    return *at == ' ' || *at == '\n';
}
