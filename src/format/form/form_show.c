/* form_show.c -- forms as text again; see form.h.
 *
 * JSON and EDN are written in one pass with a stack of the open containers.
 * The canonical text is built bottom up, because the entries of maps and sets
 * are sorted by their own canonical text.  The forms are visited from last to
 * first, so the text of a form's contents is complete before it is needed.
 * Text is copied once per level of nesting, and nesting is shallow.
 *
 * SPDX-License-Identifier: MIT */
#include "base/container/vec.h"
#include "base/real.h"
#include "format/form/form.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- scalars ------------------------------------------------------------- */

/* Whether the text of an EDN number is a JSON number too. */
static bool
is_json_number(struct span text)
{
    // An EDN number differs only in its sign, its suffix or its radix.
    const char last = text.n ? text.at[text.n - 1] : 0;
    return last >= '0' && last <= '9' && text.at[0] != '+' &&
           !memchr(text.at, 'x', text.n) && !memchr(text.at, '/', text.n);
}

static void
show_character(struct span text, struct buf *out)
{
    static const struct {
        char c;
        const char *name;
    } names[] = {
        {'\n', "newline"}, {'\r', "return"},   {' ', "space"},
        {'\t', "tab"},     {'\f', "formfeed"}, {'\b', "backspace"},
    };
    buf_char(out, '\\');
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (text.n == 1 && text.at[0] == names[i].c) {
            buf_text(out, names[i].name);
            return;
        }
    if (text.n == 1 && ((unsigned char)text.at[0] < 0x20 || *text.at == 0x7f))
        buf_printf(out, "u%04x", (unsigned)(unsigned char)*text.at);
    else
        buf_add(out, text.at, text.n);
}

/* The shortest decimal that reads back as this floating-point number. */
static void
show_double(double x, struct buf *out)
{
    char text[REAL_ROOM];
    x = x == 0 ? 0 : x; // -0.0 is equal to it
    real_print_exact(x, text);
    buf_text(out, text);
    if (!strpbrk(text, ".e"))
        buf_text(out, ".0"); // otherwise it would read as an integer
}

/* A number beyond 64 bits or with a fraction.  The canonical text is the same
 * for equal floating-point numbers; exact decimals ("M"), ratios and base 16
 * stay as they are. */
static void
show_number(struct span text, bool canonical, struct buf *out)
{
    struct buf copy = {0};
    buf_add(&copy, text.at, text.n);
    const char *start = copy.at + (copy.at[0] == '+');
    const char *digits = start + (*start == '-');
    const bool is_integer = !digits[strspn(digits, "0123456789N")];
    const bool is_double = !is_integer && !strpbrk(start, "MxX/#") &&
                           isfinite(real_read(start, NULL));
    if (canonical && is_double) {
        show_double(real_read(start, NULL), out);
    } else {
        buf_text(out, start);
        if (is_integer && copy.at[copy.n - 1] != 'N')
            buf_char(out, 'N');
    }
    buf_free(&copy);
}

static void
show_scalar_edn(const struct form *form, bool canonical, struct buf *out)
{
    switch (form->kind) {
    case FORM_NIL:
        buf_text(out, "nil");
        return;
    case FORM_TRUE:
        buf_text(out, "true");
        return;
    case FORM_FALSE:
        buf_text(out, "false");
        return;
    case FORM_INTEGER:
        atom_show(NULL, form->atom, out);
        if (form->atom.tag == ATOM_UINT)
            buf_char(out, 'N');
        return;
    case FORM_NUMBER:
        show_number(form->text, canonical, out);
        return;
    case FORM_CHARACTER:
        show_character(form->text, out);
        return;
    case FORM_STRING:
        buf_json(out, form->text.at, form->text.n);
        return;
    case FORM_KEYWORD:
        buf_char(out, ':');
        break;
    default:
        break;
    }
    buf_add(out, form->text.at, form->text.n);
}

static void
show_scalar_json(const struct form *form, struct buf *out)
{
    struct span text = form->text;
    switch (form->kind) {
    case FORM_NIL:
        buf_text(out, "null");
        return;
    case FORM_TRUE:
    case FORM_FALSE:
        show_scalar_edn(form, false, out);
        return;
    case FORM_INTEGER:
        atom_show(NULL, form->atom, out);
        return;
    case FORM_NUMBER:
        if (text.n &&
            (text.at[text.n - 1] == 'N' || text.at[text.n - 1] == 'M'))
            text.n--;
        if (is_json_number(text)) {
            buf_add(out, text.at, text.n);
            return;
        }
        break;
    default:
        break;
    }
    buf_json(out, text.at, text.n);
}

/* --- JSON and EDN -------------------------------------------------------- */

/* A container that is being written. */
struct frame {
    uint32_t end; // the end of its range
    bool is_map;
    uint32_t shown; // forms written so far
};

static bool
is_container(enum form_kind kind)
{
    return kind == FORM_VECTOR || kind == FORM_SET || kind == FORM_MAP;
}

void
form_show_json_key(const struct forms *f, uint32_t i, struct buf *out)
{
    const struct form *key = &f->at[form_untagged(f, i)];
    if (key->kind == FORM_STRING || key->kind == FORM_KEYWORD ||
        key->kind == FORM_SYMBOL) {
        buf_json(out, key->text.at, key->text.n);
        return;
    }
    struct buf text = {0};
    form_show_canonical(f, i, &text);
    buf_json(out, text.at, text.n);
    buf_free(&text);
}

void
form_show_edn_key(const struct forms *f, uint32_t i, struct buf *out)
{
    const struct span key = f->at[i].text;
    if (edn_is_keyword(key.at, key.n)) {
        buf_char(out, ':');
        buf_add(out, key.at, key.n);
    } else {
        buf_json(out, key.at, key.n);
    }
}

static void
show_separator(struct frame *around, bool json, struct buf *out)
{
    if (around->is_map && around->shown % 2)
        buf_char(out, json ? ':' : ' ');
    else if (around->shown)
        buf_text(out, json ? "," : around->is_map ? ", " : " ");
    around->shown++;
}

static void
show(const struct forms *f, uint32_t root, bool json, struct buf *out)
{
    struct frame stack[FORM_DEPTH];
    size_t depth = 0;
    const uint32_t end = form_end(f, root);
    for (uint32_t i = root; i < end;) {
        i = form_untagged(f, i);
        const struct form *form = &f->at[i];
        struct frame *around = depth ? &stack[depth - 1] : NULL;
        const bool is_key = around && around->is_map && !(around->shown % 2);
        if (around)
            show_separator(around, json, out);
        if (is_key) {
            if (json)
                form_show_json_key(f, i, out);
            else
                form_show_edn_key(f, i, out);
            i = form_next(f, i);
        } else if (is_container(form->kind)) {
            const bool is_map = form->kind == FORM_MAP;
            buf_char(out, is_map ? '{' : '[');
            stack[depth++] = (struct frame){form_end(f, i), is_map, 0};
            i++;
        } else {
            if (json)
                show_scalar_json(form, out);
            else
                show_scalar_edn(form, false, out);
            i++;
        }
        while (depth && i == stack[depth - 1].end)
            buf_char(out, stack[--depth].is_map ? '}' : ']');
    }
}

void
form_show_json(const struct forms *f, uint32_t i, struct buf *out)
{
    show(f, i, true, out);
}

void
form_show_edn(const struct forms *f, uint32_t i, struct buf *out)
{
    show(f, i, false, out);
}

bool
form_is_json(const struct forms *f, uint32_t i)
{
    for (uint32_t j = i; j < form_end(f, i); j++) {
        const struct form *form = &f->at[j];
        struct span text = form->text;
        switch (form->kind) {
        case FORM_CHARACTER:
        case FORM_KEYWORD:
        case FORM_SYMBOL:
        case FORM_SET:
        case FORM_TAGGED:
            return false;
        case FORM_NUMBER:
            text.n -= text.at[text.n - 1] == 'N';
            if (!is_json_number(text))
                return false;
            break;
        case FORM_MAP:
            for (uint32_t k = form_first(j); k < form_end(f, j);
                 k = form_next(f, form_next(f, k)))
                if (f->at[k].kind != FORM_STRING)
                    return false;
            break;
        default:
            break;
        }
    }
    return true;
}

/* --- canonical ----------------------------------------------------------- */

/* The text of one entry of a container; an entry of a map is key and value. */
struct jepsen_entry {
    const char *text;
    size_t n;
};

static int
compare_entries(const void *a, const void *b)
{
    const struct jepsen_entry *x = a, *y = b;
    const int order = memcmp(x->text, y->text, x->n < y->n ? x->n : y->n);
    return order ? order : x->n < y->n ? -1 : x->n > y->n;
}

struct canon {
    const struct forms *f;
    uint32_t root;
    VEC(struct buf) texts; // texts.at[i] is the text of form root + i
    VEC(struct jepsen_entry) entries;
};

/* Join the texts of the key at form i and its value. */
static void
join_pair(struct canon *c, uint32_t i)
{
    struct buf *key = &c->texts.at[i - c->root];
    struct buf *value = &c->texts.at[form_next(c->f, i) - c->root];
    buf_char(key, ' ');
    buf_add(key, value->at, value->n);
    buf_free(value);
}

/* Replace the text of a tagged string by one that equal values share. */
static void
unify_tagged(struct canon *c, uint32_t i)
{
    const struct form *tag = &c->f->at[i], *value = tag + 1;
    struct buf text = {0};
    if (value->kind == FORM_STRING &&
        form_show_tagged_text(tag->text, value->text, &text)) {
        buf_free(&c->texts.at[i + 1 - c->root]);
        c->texts.at[i + 1 - c->root] = text;
    } else {
        buf_free(&text);
    }
}

static void
show_container(struct canon *c, uint32_t i)
{
    const struct form *form = &c->f->at[i];
    const bool is_map = form->kind == FORM_MAP;
    if (form->kind == FORM_TAGGED)
        unify_tagged(c, i);
    vec_clear(&c->entries);
    for (uint32_t j = form_first(i); j < form_end(c->f, i);) {
        uint32_t next = form_next(c->f, j);
        if (is_map) {
            join_pair(c, j);
            next = form_next(c->f, next);
        }
        const struct buf *text = &c->texts.at[j - c->root];
        vec_push(&c->entries, ((struct jepsen_entry){text->at, text->n}));
        j = next;
    }
    if ((is_map || form->kind == FORM_SET) && c->entries.n)
        qsort(c->entries.at, c->entries.n, sizeof *c->entries.at,
              compare_entries);
    struct buf *out = &c->texts.at[i - c->root];
    if (form->kind == FORM_TAGGED) {
        buf_char(out, '#');
        buf_add(out, form->text.at, form->text.n);
        buf_char(out, ' ');
    } else {
        buf_text(out, is_map ? "{" : form->kind == FORM_SET ? "#{" : "[");
    }
    for (size_t j = 0; j < c->entries.n; j++) {
        if (j)
            buf_char(out, ' ');
        buf_add(out, c->entries.at[j].text, c->entries.at[j].n);
    }
    if (form->kind != FORM_TAGGED)
        buf_char(out, form->kind == FORM_VECTOR ? ']' : '}');
    for (uint32_t j = form_first(i); j < form_end(c->f, i);
         j = form_next(c->f, j))
        buf_free(&c->texts.at[j - c->root]);
}

void
form_show_canonical(const struct forms *f, uint32_t i, struct buf *out)
{
    if (f->at[i].size == 1 && !is_container(f->at[i].kind)) {
        show_scalar_edn(&f->at[i], true, out);
        return;
    }
    struct canon c = {.f = f, .root = i};
    vec_grow(&c.texts, f->at[i].size);
    memset(c.texts.at, 0, c.texts.n * sizeof *c.texts.at);
    for (uint32_t j = form_end(f, i); j-- > i;) {
        const struct form *form = &f->at[j];
        if (is_container(form->kind) || form->kind == FORM_TAGGED)
            show_container(&c, j);
        else
            show_scalar_edn(form, true, &c.texts.at[j - i]);
    }
    buf_add(out, c.texts.at[0].at, c.texts.at[0].n);
    buf_free(&c.texts.at[0]);
    vec_free(&c.texts);
    vec_free(&c.entries);
}
