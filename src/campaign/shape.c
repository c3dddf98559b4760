/* shape.c -- see shape.h.
 *
 * SPDX-License-Identifier: MIT */
#include "campaign/shape.h"

#include "campaign/json_value.h"

enum { MOST_SHAPES = 6 }; // of transactions; more say nothing

// Operations as the format names them.
static const struct {
    const char *op, *name;
} verbs[] = {{"r", "read"},   {"w", "write"},  {"append", "append"},
             {"u", "update"}, {"i", "insert"}, {"d", "delete"},
             {"q", "select"}};

/* Add a text where it belongs, unless it is there.  It becomes the list's. */
static void
insert(shape_texts *to, struct buf *text)
{
    size_t i = 0;
    while (i < to->n && strcmp(to->at[i], text->at) < 0)
        i++;
    if (i < to->n && strcmp(to->at[i], text->at) == 0) {
        buf_free(text);
        return;
    }
    vec_grow(to, 1);
    memmove(to->at + i + 1, to->at + i, (to->n - 1 - i) * sizeof *to->at);
    to->at[i] = text->at;
    *text = (struct buf){0};
}

void
shape_table(struct anomaly_shape *s, const char *name, size_t n)
{
    struct buf text = {0};
    for (size_t i = 0; i < n; i++)
        buf_char(&text, name[i] >= '0' && name[i] <= '9' ? '#' : name[i]);
    if (text.n)
        insert(&s->tables, &text);
    buf_free(&text);
}

/* The table of a key [table, id], or of a question {"table": ...}. */
static void
take_table(struct anomaly_shape *s, const struct json_value *v, uint32_t key)
{
    const struct form *f = &v->forms.at[key];
    uint32_t table = VALUE_NONE;
    if (f->kind == FORM_VECTOR)
        table = value_first(v, key);
    else if (f->kind == FORM_MAP)
        table = value_member(v, key, "table");
    if (table != VALUE_NONE && v->forms.at[table].kind == FORM_STRING)
        shape_table(s, v->forms.at[table].text.at, v->forms.at[table].text.n);
}

static void
take_op(struct anomaly_shape *s, const struct json_value *v, uint32_t op,
        struct buf *out)
{
    const uint32_t kind = value_first(v, op);
    if (kind == VALUE_NONE)
        return;
    const uint32_t key = value_next(v, op, kind);
    if (key != VALUE_NONE)
        take_table(s, v, key);
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (span_is(v->forms.at[kind].text, verbs[i].op) &&
            (!out->n || !strstr(out->at, verbs[i].name))) {
            buf_text(out, out->n ? "+" : "");
            buf_text(out, verbs[i].name);
        }
}

static void
take_line(struct anomaly_shape *s, const char *line, size_t n)
{
    struct json_value v = {0};
    struct buf text = {0};
    if (value_read(&v, line, n)) {
        const uint32_t ops = value_member(&v, 0, "ops");
        for (uint32_t i = value_first(&v, ops); i != VALUE_NONE;
             i = value_next(&v, ops, i))
            take_op(s, &v, i, &text);
        if (text.n)
            insert(&s->transactions, &text);
    }
    buf_free(&text);
    value_free(&v);
}

void
shape_read(struct anomaly_shape *s, const char *text, size_t n)
{
    for (const char *end = text + n; text < end;) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        stop = stop ? stop : end;
        take_line(s, text, (size_t)(stop - text));
        text = stop + 1;
    }
}

static void
join(const shape_texts *texts, const char *between, struct buf *out)
{
    for (size_t i = 0; i < texts->n; i++) {
        buf_text(out, i ? between : "");
        buf_text(out, texts->at[i]);
    }
}

void
shape_tables(const struct anomaly_shape *s, struct buf *out)
{
    join(&s->tables, ",", out);
}

void
shape_transactions(const struct anomaly_shape *s, struct buf *out)
{
    if (s->transactions.n > MOST_SHAPES)
        buf_text(out, "many");
    else
        join(&s->transactions, "|", out);
}

static void
free_texts(shape_texts *texts)
{
    for (size_t i = 0; i < texts->n; i++)
        mem_free(texts->at[i]);
    vec_free(texts);
}

void
shape_free(struct anomaly_shape *s)
{
    free_texts(&s->tables);
    free_texts(&s->transactions);
}
