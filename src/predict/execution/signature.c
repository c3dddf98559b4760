/* signature.c -- see signature.h.
 *
 * SPDX-License-Identifier: MIT */
#include "predict/execution/signature.h"

#include <stdlib.h>

/* Append the key's name without digits. */
static void
put_class(const struct history *h, key_id k, struct buf *out)
{
    struct buf name = {0};
    history_show_key(h, k, &name);
    for (size_t i = 0; i < name.n; i++)
        if (name.at[i] < '0' || name.at[i] > '9')
            buf_char(out, name.at[i]);
    buf_free(&name);
}

/* Append the text behind "field":" in a JSON object, as it stands there. */
static bool
put_field(struct string meta, const char *field, struct buf *out)
{
    struct buf quoted = {0};
    buf_printf(&quoted, "\"%s\":\"", field);
    const char *at = meta.len ? strstr(meta.text, quoted.at) : NULL;
    if (at)
        for (at += quoted.n; *at && *at != '"'; at++)
            buf_char(out, *at);
    buf_free(&quoted);
    return at;
}

static void
put_kind(const struct history *h, txn_id t, struct buf *out)
{
    if (!h->txn_meta || h->txn_meta[t] == ID_NONE)
        return;
    const struct string meta = strings_get(&h->strings, h->txn_meta[t]);
    if (!put_field(meta, "type", out) && !put_field(meta, "name", out))
        put_field(meta, "procedure", out);
}

static int
compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Append all texts, sorted, each once, and free them. */
static void
put_sorted(char **texts, size_t n, const char *between, struct buf *out)
{
    if (n)
        qsort(texts, n, sizeof *texts, compare_texts);
    for (size_t i = 0; i < n; i++)
        if (!i || strcmp(texts[i], texts[i - 1]) != 0) {
            buf_text(out, texts[i]);
            buf_text(out, between);
        }
    for (size_t i = 0; i < n; i++)
        mem_free(texts[i]);
}

/* What t does in the part, as a text to free. */
static char *
describe(const struct execution *x, const struct excerpt *p, uint32_t t)
{
    const struct observed *o = x->o;
    VEC(char *) events = {0};
    for (uint32_t r = o->read_first[t]; r < o->read_first[t + 1]; r++) {
        if (!p->read[r])
            continue;
        struct buf text = {0};
        buf_text(&text,
                 x->writer[r] != o->reads.at[r].writer ? "changed r(" : "r(");
        put_class(o->h, o->reads.at[r].key, &text);
        buf_char(&text, ')');
        vec_push(&events, text.at);
    }
    for (uint32_t w = o->write_first[t]; w < o->write_first[t + 1]; w++) {
        if (!p->write[w])
            continue;
        struct buf text = {0};
        buf_text(&text, "w(");
        put_class(o->h, o->writes.at[w].key, &text);
        buf_char(&text, ')');
        vec_push(&events, text.at);
    }
    struct buf out = {0};
    put_kind(o->h, o->id[t], &out);
    buf_text(&out, ": ");
    put_sorted(events.at, events.n, " ", &out);
    vec_free(&events);
    return out.at;
}

void
signature_of(const struct execution *x, const struct excerpt *part,
             struct buf *out)
{
    VEC(char *) txns = {0};
    for (uint32_t t = 0; t < x->o->n; t++)
        if (part->txn[t])
            vec_push(&txns, describe(x, part, t));
    put_sorted(txns.at, txns.n, "; ", out);
    vec_free(&txns);
}
