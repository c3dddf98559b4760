/* form.c -- see form.h.
 *
 * SPDX-License-Identifier: MIT */
#include "format/form/form.h"

#include "base/container/vec.h"

#include <stdlib.h>

void
forms_free(struct forms *f)
{
    vec_free(f);
    arena_free(&f->text);
}

void
forms_clear(struct forms *f)
{
    vec_clear(f);
    if (f->text.top)
        arena_free(&f->text);
}

bool
forms_grow(struct scan *s, struct forms *f, const char *at)
{
    if (f->n >= UINT32_MAX / 2)
        return scan_fail(s, at, ERR_LIMIT,
                         "more than %u values in one operation",
                         UINT32_MAX / 2);
    vec_reserve(f, f->n + 1);
    return true;
}

bool
form_add_text(struct scan *s, struct forms *f, enum form_kind kind,
              const char *at, struct span text)
{
    if (!form_add(s, f, kind, at))
        return false;
    // Decoded text lives only until the next string is read.
    if (text.at && text.at == s->decoded.at)
        text.at = arena_copy(&f->text, text.at, text.n);
    vec_top(f).text = text;
    return true;
}

bool
form_too_deep(struct scan *s)
{
    return scan_fail(s, s->at, ERR_LIMIT, "values nested deeper than %d levels",
                     FORM_DEPTH);
}

uint32_t
form_untagged(const struct forms *f, uint32_t i)
{
    while (f->at[i].kind == FORM_TAGGED)
        i++;
    return i;
}

static int
compare_texts(const void *a, const void *b)
{
    const struct form *const *x = a, *const *y = b;
    const struct span s = (*x)->text, t = (*y)->text;
    const int order =
        s.n && t.n ? memcmp(s.at, t.at, s.n < t.n ? s.n : t.n) : 0;
    return order ? order : s.n < t.n ? -1 : s.n > t.n;
}

uint32_t
form_find_twin(const struct forms *f)
{
    VEC(const struct form *) keys = {0};
    const struct form *twin = NULL;
    for (uint32_t i = 0; !twin && i < f->n; i++) {
        vec_clear(&keys);
        for (uint32_t j = form_first(i);
             f->at[i].kind == FORM_MAP && j < form_end(f, i);
             j = form_next(f, form_next(f, j)))
            vec_push(&keys, &f->at[j]);
        if (keys.n > 1)
            qsort(keys.at, keys.n, sizeof *keys.at, compare_texts);
        for (size_t j = 1; !twin && j < keys.n; j++)
            if (compare_texts(&keys.at[j - 1], &keys.at[j]) == 0)
                twin =
                    keys.at[j] > keys.at[j - 1] ? keys.at[j] : keys.at[j - 1];
    }
    vec_free(&keys);
    return twin ? (uint32_t)(twin - f->at) : 0;
}

bool
form_unexpected(struct scan *s, const struct forms *f, uint32_t i,
                const char *expected)
{
    const struct form *form = &f->at[i];
    const char *container =
        form->kind == FORM_VECTOR   ? (f->is_json ? "an array" : "a vector")
        : form->kind == FORM_MAP    ? (f->is_json ? "an object" : "a map")
        : form->kind == FORM_SET    ? "a set"
        : form->kind == FORM_TAGGED ? "a tagged value"
                                    : NULL;
    if (container)
        return scan_fail(s, form->at, ERR_SYNTAX, "found %s, expected %s",
                         container, expected);
    return form->kind == FORM_STRING
               ? scan_unexpected_text(s, form->at, form->text, expected)
               : scan_unexpected(s, form->at, expected);
}

struct atom
form_atom(const struct forms *f, uint32_t i, struct builder *b)
{
    const struct form *form = &f->at[i];
    switch (form->kind) {
    case FORM_NIL:
        return atom_nil();
    case FORM_INTEGER:
        return form->atom;
    case FORM_STRING:
        return builder_text(b, ATOM_STRING, form->text.at, form->text.n);
    case FORM_KEYWORD:
        return builder_text(b, ATOM_KEYWORD, form->text.at, form->text.n);
    default:
        break;
    }
    struct buf text = {0};
    form_show_canonical(f, i, &text);
    const struct atom a = builder_text(b, ATOM_OTHER, text.at, text.n);
    buf_free(&text);
    return a;
}
