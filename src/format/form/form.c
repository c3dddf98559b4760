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

/* A key of a map or an element of a set, by its canonical text. */
struct member {
    const char *text;
    size_t n;
    uint32_t form;
};

static int
compare_members(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    const int order = memcmp(x->text, y->text, x->n < y->n ? x->n : y->n);
    return order               ? order
           : x->n != y->n      ? (x->n < y->n ? -1 : 1)
           : x->form < y->form ? -1
                               : x->form > y->form;
}

/* The same for the members of one container. */
static uint32_t
find_twin_in(const struct forms *f, uint32_t i)
{
    VEC(struct member) members = {0};
    struct buf text = {0};
    uint32_t twin = 0;
    for (uint32_t j = form_first(i); j < form_end(f, i);) {
        const size_t begin = text.n;
        form_show_canonical(f, j, &text);
        vec_push(&members, ((struct member){.n = text.n - begin, .form = j}));
        j = form_next(f, j);
        if (f->at[i].kind == FORM_MAP)
            j = form_next(f, j);
    }
    const char *at = text.at; // which has its place now
    for (size_t j = 0; j < members.n; at += members.at[j++].n)
        members.at[j].text = at;
    if (members.n)
        qsort(members.at, members.n, sizeof *members.at, compare_members);
    for (size_t j = 1; !twin && j < members.n; j++)
        if (members.at[j - 1].n == members.at[j].n &&
            memcmp(members.at[j - 1].text, members.at[j].text,
                   members.at[j].n) == 0)
            twin = members.at[j].form;
    vec_free(&members);
    buf_free(&text);
    return twin;
}

/* Whether a form is a map or a set with several members. */
static bool
has_members(const struct forms *f, uint32_t i)
{
    if (f->at[i].kind != FORM_MAP && f->at[i].kind != FORM_SET)
        return false;
    const bool is_map = f->at[i].kind == FORM_MAP;
    uint32_t j = form_first(i);
    for (int n = is_map ? 2 : 1; n && j < form_end(f, i); n--)
        j = form_next(f, j);
    return j < form_end(f, i);
}

uint32_t
form_find_twin(const struct forms *f, uint32_t i)
{
    uint32_t twin = 0;
    for (uint32_t j = i; !twin && j < form_end(f, i); j++)
        if (has_members(f, j))
            twin = find_twin_in(f, j);
    return twin;
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
