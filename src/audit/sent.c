/* sent.c -- see sent.h.
 *
 * SPDX-License-Identifier: MIT */
#include "audit/sent.h"

#include "format/form/form.h"

#include <string.h>

/* The value of a key of map i, or 0. */
static uint32_t
find(const struct forms *f, uint32_t i, const char *key)
{
    if (f->at[i].kind != FORM_MAP)
        return 0;
    for (uint32_t k = form_first(i); k < form_end(f, i);
         k = form_next(f, form_next(f, k)))
        if (f->at[k].text.n == strlen(key) &&
            memcmp(f->at[k].text.at, key, strlen(key)) == 0)
            return form_next(f, k);
    return 0;
}

static const char *
text_of(const struct forms *f, uint32_t i, struct arena *arena)
{
    return f->at[i].kind == FORM_STRING
               ? arena_copy(arena, f->at[i].text.at, f->at[i].text.n)
               : NULL;
}

static uint32_t
number_of(const struct forms *f, uint32_t i)
{
    return f->at[i].kind == FORM_INTEGER ? (uint32_t)f->at[i].atom.bits : 0;
}

static void
read_values(const struct forms *f, uint32_t i, struct arena *arena,
            struct sent *out)
{
    for (uint32_t k = form_first(i); k < form_end(f, i); k = form_next(f, k))
        out->n_values++;
    out->values = arena_alloc(arena, (out->n_values + 1) * sizeof(char *));
    size_t n = 0;
    for (uint32_t k = form_first(i); k < form_end(f, i); k = form_next(f, k)) {
        out->is_cut |= f->at[k].kind == FORM_MAP;
        out->values[n++] = text_of(f, k, arena);
    }
}

void
sent_read(const struct history *h, txn_id t, struct arena *arena, sent_vec *out)
{
    if (!h->txn_meta || h->txn_meta[t] == ID_NONE)
        return;
    const struct string meta = strings_get(&h->strings, h->txn_meta[t]);
    struct err err = {0};
    const struct input in = {
        .name = "meta", .data = meta.text, .size = meta.len};
    struct scan s;
    struct forms f = {0};
    scan_init(&s, &in, &err);
    if (form_read_json(&s, &f)) {
        const uint32_t sql = find(&f, 0, "sql");
        const uint32_t values = find(&f, 0, "parameters");
        uint32_t v = values ? form_first(values) : 0;
        const uint32_t found = find(&f, 0, "found");
        uint32_t n = found ? form_first(found) : 0;
        for (uint32_t k = sql ? form_first(sql) : 0;
             sql && k < form_end(&f, sql); k = form_next(&f, k)) {
            struct sent one = {.sql = text_of(&f, k, arena)};
            if (values && v < form_end(&f, values)) {
                read_values(&f, v, arena, &one);
                v = form_next(&f, v);
            }
            if (found && n < form_end(&f, found)) {
                one.found = number_of(&f, n);
                n = form_next(&f, n);
            }
            if (one.sql)
                vec_push(out, one);
        }
    }
    forms_free(&f);
    scan_free(&s);
}

const char *
sent_endpoint(const char *name, struct arena *arena)
{
    size_t n = strlen(name);
    while (n && name[n - 1] >= '0' && name[n - 1] <= '9')
        n--;
    const bool has_number = n && n < strlen(name) && name[n - 1] == ' ';
    return arena_copy(arena, name, has_number ? n - 1 : strlen(name));
}

/* Where a comment that begins at 'at' ends; 'at' itself if none does. */
static const char *
skip_comment(const char *at)
{
    if (at[0] != '/' || at[1] != '*')
        return at;
    const char *end = strstr(at, "*/");
    return end ? end + 2 : at + strlen(at);
}

void
sent_plain(const char *sql, struct buf *out)
{
    const size_t begin = out->n;
    for (const char *at = sql; *at;) {
        const char *after = skip_comment(at);
        if (after > at) {
            at = after;
            continue;
        }
        const bool is_blank = *at == '\n' || *at == '\t' || *at == ' ';
        if (!is_blank)
            buf_char(out, *at);
        else if (out->n > begin && out->at[out->n - 1] != ' ')
            buf_char(out, ' ');
        at++;
    }
    while (out->n > begin && out->at[out->n - 1] == ' ')
        out->at[--out->n] = 0;
}

void
sent_shape(const char *sql, struct buf *out)
{
    struct buf plain = {0};
    sent_plain(sql, &plain);
    for (const char *at = plain.n ? plain.at : ""; *at;) {
        if (*at == '\'') {
            do
                at++;
            while (*at && *at != '\'');
            at += *at != 0;
            buf_char(out, '?');
        } else if (*at >= '0' && *at <= '9') {
            at += strspn(at, "0123456789.");
            buf_char(out, '?');
        } else {
            buf_char(out, *at++);
        }
    }
    buf_free(&plain);
}
