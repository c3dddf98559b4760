/* put.c -- see put.h.
 *
 * SPDX-License-Identifier: MIT */
#include "format/put.h"

#include "base/json.h"
#include "base/utf8.h"

void
put_free(struct put *p)
{
    buf_free(&p->out);
    forms_free(&p->forms);
}

/* Read the text of an ATOM_OTHER, which is one EDN form. */
static bool
read_other(struct string text, struct forms *f)
{
    const struct input in = {.name = "", .data = text.text, .size = text.len};
    struct err ignored = {0};
    struct scan s;
    bool found;
    scan_init(&s, &in, &ignored);
    const bool ok = form_read_edn(&s, 0, f, &found) && found;
    scan_free(&s);
    return ok;
}

void
put_atom(struct put *p, struct atom a)
{
    const struct strings *pool = &p->h->strings;
    if (p->is_json && a.tag == ATOM_OTHER &&
        read_other(strings_get(pool, (uint32_t)a.bits), &p->forms)) {
        form_show_json(&p->forms, 0, &p->out);
    } else if (p->is_json) {
        atom_json(pool, a, &p->out);
    } else if (atom_is_text(a)) {
        const struct string s = strings_get(pool, (uint32_t)a.bits);
        if (a.tag == ATOM_STRING) {
            buf_json(&p->out, s.text, s.len);
        } else {
            buf_text(&p->out, a.tag == ATOM_KEYWORD ? ":" : "");
            buf_add(&p->out, s.text, s.len);
        }
    } else {
        atom_show(pool, a, &p->out);
        buf_text(&p->out, a.tag == ATOM_UINT ? "N" : "");
    }
}

static void
put_nil(struct put *p)
{
    buf_text(&p->out, p->is_json ? "null" : "nil");
}

void
put_next(struct put *p, bool is_first)
{
    if (p->is_json)
        json_key(&p->out, NULL);
    else if (!is_first)
        buf_char(&p->out, ' ');
}

static void
put_edn_word(struct put *p, const char *before, const char *word,
             const char *after)
{
    buf_text(&p->out, before);
    buf_text(&p->out, word);
    buf_text(&p->out, after);
}

void
put_member(struct put *p, const char *name, bool is_first)
{
    if (p->is_json)
        json_key(&p->out, name);
    else
        put_edn_word(p, is_first ? ":" : ", :", name, " ");
}

void
put_word(struct put *p, const char *word)
{
    if (p->is_json)
        json_text(&p->out, NULL, word);
    else
        put_edn_word(p, ":", word, "");
}

static void
put_list(struct put *p, struct list_seen seen)
{
    buf_char(&p->out, '[');
    for (size_t i = 0; i < seen.n; i++) {
        put_next(p, i == 0);
        put_atom(p, history_value_atom(p->h, seen.at[i]));
    }
    buf_char(&p->out, ']');
}

void
put_op(struct put *p, op_id op, bool is_invocation)
{
    const struct history *h = p->h;
    const key_id k = op_key(h, op);
    const bool is_list = h->key_is_list && h->key_is_list[k];
    const bool is_read = !op_is_write(h, op);
    const char *name = is_read ? "r" : is_list ? "append" : "w";
    buf_char(&p->out, '[');
    put_word(p, name);
    put_next(p, false);
    put_atom(p, history_key_atom(h, k));
    put_next(p, false);
    // The initial value, which other formats write differently, is nil here.
    const struct atom value = history_value_atom(h, h->op_value[op]);
    if (is_read && is_invocation)
        put_nil(p);
    else if (is_read && is_list)
        put_list(p, history_list_seen(h, op));
    else if (!is_list && atom_equal(value, h->initial))
        put_nil(p);
    else
        put_atom(p, value);
    buf_char(&p->out, ']');
}

void
put_ops(struct put *p, txn_id t, bool is_invocation)
{
    buf_char(&p->out, '[');
    bool any = false;
    for (op_id op = p->h->txn_begin[t]; op < p->h->txn_end[t]; op++) {
        if (op_is_implied(p->h, op))
            continue;
        put_next(p, !any);
        any = true;
        put_op(p, op, is_invocation);
    }
    buf_char(&p->out, ']');
}

/* --- what fits ----------------------------------------------------------- */

bool
put_refuse(const struct history *h, const char *format, const char *what,
           struct atom a, const char *why, struct err *err)
{
    struct buf name = {0};
    atom_show(&h->strings, a, &name);
    char shown[ERR_QUOTE_ROOM];
    err_quote(shown, sizeof shown, name.at, name.n);
    err_set(err, ERR_FEATURE, "format '%s' cannot hold %s %s: %s", format, what,
            shown, why);
    buf_free(&name);
    return false;
}

/* A use of atoms.  Two atoms of one use must not be written the same. */
enum use { USE_SESSION, USE_TXN, USE_KEY, USE_VALUE };

struct fit {
    const struct history *h;
    const char *format;
    bool is_json, has_others;
    uint8_t *used; // by string: bit 2u, a string of use u; 2u+1, a keyword
    struct forms forms;
    struct err *err;
};

static bool
refuse(struct fit *f, enum use use, struct atom a, const char *why)
{
    static const char *const uses[] = {"session", "transaction", "key",
                                       "value"};
    return put_refuse(f->h, f->format, uses[use], a, why, f->err);
}

/* JSON writes keywords as strings, so no string may look like a keyword. */
static bool
is_ambiguous(struct fit *f, enum use use, struct atom a)
{
    uint8_t *used = &f->used[a.bits];
    *used |= (uint8_t)(1u << (2 * use + (a.tag == ATOM_KEYWORD)));
    return (*used >> 2 * use & 3) == 3;
}

static bool
fits(struct fit *f, enum use use, struct atom a)
{
    if (a.tag == ATOM_NIL && (use == USE_SESSION || use == USE_KEY))
        return refuse(f, use, a, "it has no name");
    if (!atom_is_text(a))
        return true;
    const struct string s = strings_get(&f->h->strings, (uint32_t)a.bits);
    if (!utf8_is_valid(s.text, s.len))
        return refuse(f, use, a, "it is not UTF-8");
    if (a.tag == ATOM_KEYWORD && !f->is_json)
        return edn_is_keyword(s.text, s.len) ||
               refuse(f, use, a, "it is not a keyword of EDN");
    if (a.tag == ATOM_OTHER && !f->has_others)
        return refuse(f, use, a, "values are strings, integers or null");
    if (a.tag == ATOM_OTHER)
        return (read_other(s, &f->forms) &&
                (!f->is_json || form_is_json(&f->forms, 0))) ||
               refuse(f, use, a, "it has no JSON notation");
    return !f->is_json || !is_ambiguous(f, use, a) ||
           refuse(f, use, a, "it is both a string and a keyword");
}

static bool
all_fit(struct fit *f)
{
    const struct history *h = f->h;
    for (session_id s = 0; s < h->n_sessions; s++)
        if (!fits(f, USE_SESSION, h->session_name[s]))
            return false;
    for (txn_id t = 0; history_has_names(h) && t < h->n_txns; t++)
        if (!fits(f, USE_TXN, history_txn_atom(h, t)))
            return false;
    for (key_id k = 0; k < h->n_keys; k++)
        if (!history_key_is_row(h, k) &&
            !fits(f, USE_KEY, history_key_atom(h, k)))
            return false;
    for (value_id v = 1; v < h->n_values; v++)
        if (!history_key_is_row(h, h->values[v].key & OP_KEY) &&
            !fits(f, USE_VALUE, history_value_atom(h, v)))
            return false;
    return true;
}

bool
put_fits(const struct history *h, const char *format, bool is_json,
         bool has_others, struct err *err)
{
    struct fit f = {.h = h,
                    .format = format,
                    .is_json = is_json,
                    .has_others = has_others,
                    .err = err};
    f.used = mem_calloc(h->strings.all.n, sizeof *f.used);
    const bool ok = all_fit(&f);
    mem_free(f.used);
    forms_free(&f.forms);
    return ok;
}
