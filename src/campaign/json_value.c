/* json_value.c -- see json_value.h.
 *
 * SPDX-License-Identifier: MIT */
#include "campaign/json_value.h"

#include "base/real.h"

bool
value_read(struct json_value *v, const char *text, size_t n)
{
    const struct input in = {.name = "", .data = text, .size = n};
    struct scan scan;
    struct err ignored = {0};
    scan_init(&scan, &in, &ignored);
    const bool ok = n && form_read_json(&scan, &v->forms);
    scan_free(&scan);
    return ok;
}

void
value_free(struct json_value *v)
{
    forms_free(&v->forms);
}

uint32_t
value_member(const struct json_value *v, uint32_t in, const char *name)
{
    const struct forms *f = &v->forms;
    if (in == VALUE_NONE || f->at[in].kind != FORM_MAP)
        return VALUE_NONE;
    for (uint32_t i = form_first(in); i < form_end(f, in);) {
        const uint32_t value = form_next(f, i);
        if (span_is(f->at[i].text, name))
            return value;
        i = form_next(f, value);
    }
    return VALUE_NONE;
}

uint32_t
value_first(const struct json_value *v, uint32_t in)
{
    const struct forms *f = &v->forms;
    if (in == VALUE_NONE || f->at[in].kind != FORM_VECTOR)
        return VALUE_NONE;
    return form_first(in) < form_end(f, in) ? form_first(in) : VALUE_NONE;
}

uint32_t
value_next(const struct json_value *v, uint32_t in, uint32_t at)
{
    const uint32_t next = form_next(&v->forms, at);
    return next < form_end(&v->forms, in) ? next : VALUE_NONE;
}

double
value_number(const struct json_value *v, uint32_t at)
{
    char text[64];
    if (at == VALUE_NONE)
        return 0;
    const struct form *form = &v->forms.at[at];
    if (form->kind != FORM_INTEGER && form->kind != FORM_NUMBER)
        return 0;
    const size_t n =
        form->text.n < sizeof text ? form->text.n : sizeof text - 1;
    memcpy(text, form->text.at, n);
    text[n] = 0;
    return real_read(text, NULL);
}

const char *
value_text(const struct json_value *v, uint32_t at, struct arena *arena)
{
    if (at == VALUE_NONE || v->forms.at[at].kind != FORM_STRING)
        return "";
    const struct span text = v->forms.at[at].text;
    return arena_copy(arena, text.at, text.n);
}

double
value_number_of(const struct json_value *v, uint32_t in, const char *name)
{
    return value_number(v, value_member(v, in, name));
}

const char *
value_text_of(const struct json_value *v, uint32_t in, const char *name,
              struct arena *arena)
{
    return value_text(v, value_member(v, in, name), arena);
}
