/* jepsen_entry.c -- see jepsen_entry.h.
 *
 * SPDX-License-Identifier: MIT */
#include "format/jepsen/jepsen_entry.h"

static const char *const entry_keys[N_ENTRY_KEYS] = {
    "type", "process", "f", "value", "index", JEPSEN_TXN_ID, JEPSEN_SESSION,
};

bool
jepsen_entry_is_word(const struct form *form)
{
    return form->kind == FORM_KEYWORD || form->kind == FORM_STRING ||
           form->kind == FORM_SYMBOL;
}

static enum entry_key
find_key(struct span text)
{
    unsigned k = 0;
    while (k < N_ENTRY_KEYS && !span_is(text, entry_keys[k]))
        k++;
    return (enum entry_key)k;
}

bool
jepsen_entry_is_reserved(struct span key)
{
    return find_key(key) < N_ENTRY_KEYS;
}

static bool
add_extra(struct jepsen_entry *e, struct scan *s, uint32_t i)
{
    const struct form *key = &e->f->at[i];
    for (size_t j = 0; j < e->n_extra; j++) {
        const struct span other = e->f->at[e->extra[j]].text;
        if (key->text.n == other.n &&
            memcmp(key->text.at, other.at, other.n) == 0)
            return form_unexpected(s, e->f, i, "each key once in an operation");
    }
    if (e->n_extra == ENTRY_EXTRAS)
        return scan_fail(s, key->at, ERR_LIMIT,
                         "an operation with more than %d entries",
                         ENTRY_EXTRAS);
    e->extra[e->n_extra++] = i;
    return true;
}

bool
jepsen_entry_read(struct jepsen_entry *e, struct scan *s, const struct forms *f)
{
    const uint32_t root = form_untagged(f, 0);
    e->f = f;
    e->at = f->at[0].at;
    e->n_extra = 0;
    memset(e->known, 0, sizeof e->known);
    if (f->at[root].kind != FORM_MAP)
        return form_unexpected(s, f, root, "an operation, {...}");
    for (uint32_t i = form_first(root); i < form_end(f, root);
         i = form_next(f, form_next(f, i))) {
        if (!jepsen_entry_is_word(&f->at[i]))
            return form_unexpected(s, f, i, "a keyword or a string");
        const enum entry_key k = find_key(f->at[i].text);
        if (k == N_ENTRY_KEYS) {
            if (!add_extra(e, s, i))
                return false;
        } else if (e->known[k]) {
            return form_unexpected(s, f, i, "each key once in an operation");
        } else {
            e->known[k] = form_next(f, i);
        }
    }
    return true;
}

bool
jepsen_entry_type(const struct jepsen_entry *e, struct scan *s,
                  enum jepsen_entry_type *out)
{
    static const char *const names[] = {"invoke", "ok", "fail", "info"};
    const uint32_t i = e->known[KEY_TYPE];
    *out = TYPE_INVOKE;
    if (!i)
        return scan_fail(s, e->at, ERR_SYNTAX, "an operation without 'type'");
    const struct form *form = &e->f->at[i];
    for (unsigned type = TYPE_INVOKE; type <= TYPE_INFO; type++)
        if (jepsen_entry_is_word(form) && span_is(form->text, names[type])) {
            *out = (enum jepsen_entry_type)type;
            return true;
        }
    return form_unexpected(s, e->f, i, "invoke, ok, fail or info");
}

#define MOP_NAMES "r, w, append, i, u, d, get or q"

/* Report a micro-operation of a workload that cannot be read. */
static bool
unknown_mop(struct scan *s, const struct forms *f, uint32_t name)
{
    const struct span text = jepsen_entry_is_word(&f->at[name])
                                 ? f->at[name].text
                                 : (struct span){0};
    if (span_is(text, "rp") || span_is(text, "insert") ||
        span_is(text, "delete"))
        return form_unexpected(s, f, name,
                               MOP_NAMES "; this looks like an Elle "
                                         "closed-predicate history, which "
                                         "cannot be read");
    if (span_is(text, "send") || span_is(text, "poll"))
        return form_unexpected(s, f, name,
                               MOP_NAMES "; this looks like a Jepsen kafka "
                                         "history, which cannot be read");
    return form_unexpected(s, f, name, MOP_NAMES);
}

static bool
find_mop(struct scan *s, const struct forms *f, uint32_t name,
         enum mop_kind *out)
{
    static const char *const names[] = {
        [MOP_READ] = "r",   [MOP_WRITE] = "w",  [MOP_APPEND] = "append",
        [MOP_INSERT] = "i", [MOP_UPDATE] = "u", [MOP_DELETE] = "d",
        [MOP_GET] = "get",  [MOP_QUERY] = "q",
    };
    if (jepsen_entry_is_word(&f->at[name]))
        for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
            if (span_is(f->at[name].text, names[i])) {
                *out = (enum mop_kind)i;
                return true;
            }
    return unknown_mop(s, f, name);
}

bool
jepsen_mop_read(struct mop *mop, struct scan *s, const struct forms *f,
                uint32_t i)
{
    const struct form *form = &f->at[i];
    if (form->kind != FORM_VECTOR || form->size < 3)
        return form_unexpected(s, f, i, "a micro-operation, [f key value]");
    const uint32_t name = form_first(i), end = form_end(f, i);
    if (!find_mop(s, f, name, &mop->kind))
        return false;
    mop->key = form_next(f, name);
    if (mop->key == end || f->at[mop->key].kind == FORM_NIL)
        return scan_fail(s, form->at, ERR_SYNTAX,
                         "a micro-operation without a key, expected "
                         "[f key value]");
    mop->value = form_next(f, mop->key);
    if (mop->value == end) {
        mop->value = 0;
        return mop_is_read(mop->kind) || mop->kind == MOP_DELETE ||
               scan_fail(s, form->at, ERR_SYNTAX, "a write without a value");
    }
    if (!mop_is_of_row(mop->kind) && form_next(f, mop->value) != end)
        return form_unexpected(s, f, form_next(f, mop->value),
                               "']' after the value");
    return true;
}

bool
jepsen_entry_has_mops(const struct jepsen_entry *e)
{
    const uint32_t i = e->known[KEY_VALUE];
    return i && e->f->at[i].kind == FORM_VECTOR;
}

bool
jepsen_entry_needs_mops(const struct jepsen_entry *e, struct scan *s)
{
    const uint32_t i = e->known[KEY_VALUE];
    if (!i)
        return scan_fail(s, e->at, ERR_SYNTAX, "an operation without 'value'");
    return jepsen_entry_has_mops(e) ||
           form_unexpected(s, e->f, i, "micro-operations, [[f key value] ...]");
}

void
jepsen_entry_show_extra(const struct jepsen_entry *e, struct buf *out)
{
    const struct forms *f = e->f;
    const uint32_t first = e->extra[0], only = form_next(f, first);
    if (e->n_extra == 1 && span_is(f->at[first].text, "meta") &&
        f->at[only].kind == FORM_MAP) {
        form_show_json(f, only, out);
        return;
    }
    for (size_t i = 0; i < e->n_extra; i++) {
        buf_char(out, i ? ',' : '{');
        form_show_json_key(f, e->extra[i], out);
        buf_char(out, ':');
        form_show_json(f, form_next(f, e->extra[i]), out);
    }
    buf_char(out, '}');
}
