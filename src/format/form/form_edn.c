/* form_edn.c -- EDN as forms; see form.h.
 *
 * Beside the containers that have a closing bracket there are two that take
 * exactly the next form: a tag, which keeps it, and #_, which drops it.  Both
 * wait on the same stack, so "#_ #_ a #tag b" needs no recursion.
 *
 * SPDX-License-Identifier: MIT */
#include "format/form/edn_token.h"
#include "format/scan/scan_json.h"

#include <inttypes.h>
#include <string.h>

/* A container around the place of reading. */
struct frame {
    uint32_t form;     // its index; for #_ that of the form it drops
    char closer;       // 0 where the next form closes it
    bool drops;        // #_
    bool is_odd;       // a map that waits for a value
    const char *start; // in the input
};

struct parse {
    struct scan *s;
    struct forms *f;
    struct frame stack[FORM_DEPTH];
    size_t depth;
};

/* Push a container; its form, if any, is the last one added. */
static bool
push(struct parse *p, struct frame frame)
{
    if (p->depth == FORM_DEPTH)
        return form_too_deep(p->s);
    p->stack[p->depth++] = frame;
    return true;
}

static bool
open_container(struct parse *p, enum form_kind kind, size_t opener, char closer)
{
    struct scan *s = p->s;
    const struct frame frame = {
        .form = (uint32_t)p->f->n, .closer = closer, .start = s->at};
    if (!push(p, frame) || !form_add(s, p->f, kind, s->at))
        return false;
    s->at += opener;
    return true;
}

/* What begins with '#'; *is_value where that was a whole form. */
static bool
read_dispatch(struct parse *p, bool *is_value)
{
    struct scan *s = p->s;
    const char *start = s->at;
    const char c = s->end - start > 1 ? start[1] : 0;
    if (c == '{')
        return open_container(p, FORM_SET, 2, '}');
    if (c == '_') {
        s->at += 2;
        return push(p, (struct frame){.form = (uint32_t)p->f->n,
                                      .drops = true,
                                      .start = start});
    }
    struct span text;
    if (c == '#') {
        *is_value = true;
        if (!edn_read_token(s, &text))
            return false;
        return span_is(text, "##Inf") || span_is(text, "##-Inf") ||
                       span_is(text, "##NaN")
                   ? form_add_text(s, p->f, FORM_NUMBER, start, text)
                   : scan_unexpected_text(s, start, text,
                                          "##Inf, ##-Inf or ##NaN");
    }
    s->at++;
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')))
        return scan_unexpected(s, s->at, "'{', '_' or a tag behind '#'");
    const struct frame frame = {.form = (uint32_t)p->f->n, .start = start};
    return edn_read_token(s, &text) && push(p, frame) &&
           form_add_text(s, p->f, FORM_TAGGED, start, text);
}

/* A closing bracket stands where another one, or none, belongs. */
static bool
wrong_closer(struct parse *p)
{
    const char expected = p->depth ? p->stack[p->depth - 1].closer : 0;
    return scan_unexpected(p->s, p->s->at,
                           expected == ']'   ? "a form or ']'"
                           : expected == ')' ? "a form or ')'"
                           : expected == '}' ? "a form or '}'"
                                             : "a form");
}

/* Read a scalar or open a container; *is_value where a form is complete. */
static bool
read_one(struct parse *p, bool *is_value)
{
    struct scan *s = p->s;
    const char *start = s->at;
    struct span text;
    *is_value = false;
    switch (*s->at) {
    case '[':
        return open_container(p, FORM_VECTOR, 1, ']');
    case '(':
        return open_container(p, FORM_VECTOR, 1, ')');
    case '{':
        return open_container(p, FORM_MAP, 1, '}');
    case '#':
        return read_dispatch(p, is_value);
    case ']':
    case ')':
    case '}':
        return wrong_closer(p);
    default:
        break;
    }
    *is_value = true;
    if (*s->at == '"')
        return json_string_edn(s, &text) &&
               form_add_text(s, p->f, FORM_STRING, start, text);
    return *s->at == '\\' ? edn_read_character(s, p->f)
                          : edn_read_word(s, p->f);
}

/* A form is complete: close the tags and the #_ that waited for it.  *is_value
 * turns false where it was dropped. */
static void
end_value(struct parse *p, bool *is_value)
{
    while (p->depth && !p->stack[p->depth - 1].closer) {
        const struct frame *top = &p->stack[--p->depth];
        if (top->drops) {
            p->f->n = top->form;
            *is_value = false;
            return;
        }
        p->f->at[top->form].size = (uint32_t)p->f->n - top->form;
    }
    if (p->depth)
        p->stack[p->depth - 1].is_odd = !p->stack[p->depth - 1].is_odd;
}

/* Close the container at whose bracket s->at stands. */
static bool
close_container(struct parse *p)
{
    const struct frame *top = &p->stack[p->depth - 1];
    struct form *form = &p->f->at[top->form];
    if (form->kind == FORM_MAP && top->is_odd)
        return scan_fail(p->s, p->s->at, ERR_SYNTAX,
                         "the map ends behind a key, expected its value");
    form->size = (uint32_t)p->f->n - top->form;
    p->depth--;
    p->s->at++;
    return true;
}

/* The input ends inside something: say what, and where that began. */
static bool
ends_early(struct parse *p)
{
    const struct frame *top = &p->stack[p->depth - 1];
    uint64_t line, column;
    input_position(p->s->in, (size_t)(top->start - p->s->in->data), &line,
                   &column);
    if (!top->closer)
        return scan_unexpected(p->s, p->s->at, "a form");
    return scan_fail(p->s, p->s->at, ERR_SYNTAX,
                     "the input ends here, expected '%c' for the '%c' of "
                     "%" PRIu64 ":%" PRIu64,
                     top->closer, *top->start, line, column);
}

bool
form_read_edn(struct scan *s, char closer, struct forms *f, bool *found)
{
    struct parse p;
    p.s = s;
    p.f = f;
    p.depth = 0;
    forms_clear(f);
    f->is_json = false;
    *found = false;
    for (;;) {
        edn_space(s);
        if (s->at == s->end)
            return p.depth ? ends_early(&p) : true;
        // A zero byte in the input is none of these closers.
        const char awaited = p.depth ? p.stack[p.depth - 1].closer : closer;
        const bool closes = awaited && *s->at == awaited;
        bool is_value = true;
        if (closes && !p.depth)
            return true;
        if (closes) {
            if (!close_container(&p))
                return false;
        } else if (!read_one(&p, &is_value)) {
            return false;
        }
        if (is_value)
            end_value(&p, &is_value);
        if (is_value && !p.depth) {
            *found = true;
            return true;
        }
    }
}
