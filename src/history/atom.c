/* atom.c -- see atom.h.
 *
 * SPDX-License-Identifier: MIT */
#include "history/atom.h"

void
atoms_trim(struct atoms *a)
{
    column_trim(&a->bits);
    vec_trim(&a->tags);
}

void
atoms_free(struct atoms *a)
{
    column_free(&a->bits);
    vec_free(&a->tags);
}

/* Letters, digits and the signs that identifiers use; not like a number. */
static bool
is_plain_word(struct string s)
{
    if (!s.len || s.len > 200)
        return false;
    bool digits_only = true;
    for (size_t i = 0; i < s.len; i++) {
        const char c = s.text[i];
        const bool digit = c >= '0' && c <= '9';
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!digit && !letter && (!c || !strchr("_-./:@#+", c)))
            return false;
        digits_only = digits_only && (digit || c == '-' || c == '+');
    }
    return !digits_only;
}

void
atom_show(const struct strings *pool, struct atom a, struct buf *out)
{
    switch (a.tag) {
    case ATOM_NIL:
        buf_text(out, "nil");
        return;
    case ATOM_INT:
        buf_i64(out, (int64_t)a.bits);
        return;
    case ATOM_UINT:
        buf_u64(out, a.bits);
        return;
    default:
        break;
    }
    const struct string s = strings_get(pool, (uint32_t)a.bits);
    if (is_plain_word(s))
        buf_add(out, s.text, s.len);
    else
        buf_json(out, s.text, s.len);
}

void
atom_json(const struct strings *pool, struct atom a, struct buf *out)
{
    if (a.tag == ATOM_NIL) {
        buf_text(out, "null");
    } else if (atom_is_text(a)) {
        const struct string s = strings_get(pool, (uint32_t)a.bits);
        buf_json(out, s.text, s.len);
    } else {
        atom_show(pool, a, out);
    }
}
