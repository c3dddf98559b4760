/* form_json.c -- JSON as forms; see form.h.
 *
 * SPDX-License-Identifier: MIT */
#include "format/form/form.h"
#include "format/scan/scan_json.h"

#include <string.h>

struct parse {
    struct scan *s;
    struct forms *f;
    uint32_t open[FORM_DEPTH]; // the containers around s->at
    size_t depth;
};

static bool
read_number(struct scan *s, struct forms *f)
{
    struct span text;
    if (!json_number(s, &text) ||
        !form_add_text(s, f, FORM_NUMBER, text.at, text))
        return false;
    const char *at = text.at, *end = at + text.n;
    const bool negative = *at == '-';
    bool is_integer = true;
    for (const char *p = at + negative; p < end; p++)
        is_integer = is_integer && *p >= '0' && *p <= '9';
    struct form *form = &vec_top(f);
    if (is_integer && scan_integer(negative, at + negative, end, &form->atom))
        form->kind = FORM_INTEGER;
    return true;
}

static bool
read_string(struct scan *s, struct forms *f)
{
    const char *at = s->at;
    struct span text;
    return json_string(s, &text) && form_add_text(s, f, FORM_STRING, at, text);
}

static bool
read_scalar(struct scan *s, struct forms *f)
{
    static const struct {
        const char *text;
        enum form_kind kind;
    } words[] = {
        {"null", FORM_NIL},
        {"true", FORM_TRUE},
        {"false", FORM_FALSE},
    };
    if (s->at < s->end && *s->at == '"')
        return read_string(s, f);
    if (s->at < s->end && json_is_number_start(*s->at))
        return read_number(s, f);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t n = strlen(words[i].text);
        if ((size_t)(s->end - s->at) >= n &&
            memcmp(s->at, words[i].text, n) == 0) {
            s->at += n;
            return form_add(s, f, words[i].kind, s->at - n);
        }
    }
    return scan_unexpected(s, s->at, "a JSON value");
}

/* Read the key of the next entry of a map, and the colon. */
static bool
read_key(struct parse *p)
{
    struct scan *s = p->s;
    json_space(s);
    if (s->at == s->end || *s->at != '"')
        return scan_unexpected(s, s->at, "a key in quotes");
    return read_string(s, p->f) &&
           (json_take(s, ':') || scan_unexpected(s, s->at, "':'"));
}

/* Open the container at s->at; *goes_on is set if a value comes next. */
static bool
open_container(struct parse *p, bool *goes_on)
{
    struct scan *s = p->s;
    const bool is_map = *s->at == '{';
    if (p->depth == FORM_DEPTH)
        return form_too_deep(s);
    if (!form_add(s, p->f, is_map ? FORM_MAP : FORM_VECTOR, s->at))
        return false;
    s->at++;
    *goes_on = !json_take(s, is_map ? '}' : ']');
    if (!*goes_on)
        return true;
    p->open[p->depth++] = (uint32_t)p->f->n - 1;
    return !is_map || read_key(p);
}

/* After a value: move to the next one, or close the containers around it. */
static bool
pass_ends(struct parse *p)
{
    struct scan *s = p->s;
    while (p->depth) {
        struct form *around = &p->f->at[p->open[p->depth - 1]];
        const bool is_map = around->kind == FORM_MAP;
        if (json_take(s, ','))
            return !is_map || read_key(p);
        if (!json_take(s, is_map ? '}' : ']'))
            return scan_unexpected(s, s->at,
                                   is_map ? "',' or '}'" : "',' or ']'");
        around->size = (uint32_t)p->f->n - p->open[--p->depth];
    }
    return true;
}

bool
form_read_json(struct scan *s, struct forms *f)
{
    struct parse p;
    p.s = s;
    p.f = f;
    p.depth = 0;
    forms_clear(f);
    f->is_json = true;
    do {
        bool goes_on = false;
        json_space(s);
        const char c = s->at < s->end ? *s->at : 0;
        if (c == '{' || c == '[' ? !open_container(&p, &goes_on)
                                 : !read_scalar(s, f))
            return false;
        if (!goes_on && !pass_ends(&p))
            return false;
    } while (p.depth);
    return true;
}
