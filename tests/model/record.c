/* record.c -- see record.h.
 *
 * SPDX-License-Identifier: MIT */
#include "record.h"

#include "history/builder/builder.h"
#include "record_rows.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

void
record_free(struct record *r)
{
    vec_free(&r->keys);
    vec_free(&r->txns);
    vec_free(&r->ops);
    vec_free(&r->items);
}

void
record_copy(const struct record *from, struct record *to)
{
    *to = (struct record){.times = from->times,
                          .initial_is_nil = from->initial_is_nil,
                          .has_rows = from->has_rows,
                          .names_versions = from->names_versions,
                          .names_conditions = from->names_conditions};
    for (size_t i = 0; i < from->keys.n; i++)
        vec_push(&to->keys, from->keys.at[i]);
    for (size_t i = 0; i < from->txns.n; i++)
        vec_push(&to->txns, from->txns.at[i]);
    for (size_t i = 0; i < from->ops.n; i++)
        vec_push(&to->ops, from->ops.at[i]);
    for (size_t i = 0; i < from->items.n; i++)
        vec_push(&to->items, from->items.at[i]);
}

uint32_t
record_key(struct record *r, const char *name, bool is_list)
{
    for (uint32_t k = 0; k < r->keys.n; k++)
        if (strcmp(r->keys.at[k].name, name) == 0) {
            r->keys.at[k].is_list |= is_list;
            return k;
        }
    struct record_key key = {.is_list = is_list};
    assert(strlen(name) < sizeof key.name);
    strcpy(key.name, name);
    vec_push(&r->keys, key);
    return (uint32_t)r->keys.n - 1;
}

void
record_begin(struct record *r, uint32_t session, enum txn_status status)
{
    vec_push(&r->txns, ((struct record_txn){.session = session,
                                            .status = status,
                                            .began = INT64_MIN,
                                            .ended = INT64_MAX,
                                            .ops = (uint32_t)r->ops.n}));
}

static void
add_op(struct record *r, struct record_op op)
{
    assert(r->txns.n && op.key < r->keys.n);
    vec_push(&r->ops, op);
    vec_top(&r->txns).ops_n++;
}

void
record_write(struct record *r, uint32_t key, int64_t value)
{
    assert(!r->keys.at[key].is_list || value > 0);
    add_op(r, (struct record_op){.is_write = true, .key = key, .value = value});
}

void
record_read(struct record *r, uint32_t key, int64_t value)
{
    assert(!r->keys.at[key].is_list);
    add_op(r, (struct record_op){.key = key, .value = value});
}

void
record_read_list(struct record *r, uint32_t key, const int64_t *items, size_t n)
{
    assert(r->keys.at[key].is_list);
    add_op(r, (struct record_op){.key = key,
                                 .items = (uint32_t)r->items.n,
                                 .items_n = (uint32_t)n});
    for (size_t i = 0; i < n; i++)
        vec_push(&r->items, items[i]);
}

/* --- text -----------------------------------------------------------------*/

struct parser {
    struct record *r;
    const char *text, *at;
};

static void
fail(const struct parser *p, const char *expected)
{
    fprintf(stderr, "record: expected %s at '%s' in '%s'\n", expected, p->at,
            p->text);
    exit(2);
}

static bool
take(struct parser *p, const char *sign)
{
    while (isspace((unsigned char)*p->at))
        p->at++;
    if (strncmp(p->at, sign, strlen(sign)) != 0)
        return false;
    p->at += strlen(sign);
    return true;
}

static int64_t
take_value(struct parser *p)
{
    if (take(p, "?"))
        return 0;
    char *end;
    const int64_t value = strtoll(p->at, &end, 10);
    if (end == p->at)
        fail(p, "an integer or '?'");
    p->at = end;
    return value;
}

static void
parse_list(struct parser *p, const char *name)
{
    int64_t items[64];
    size_t n = 0;
    while (!take(p, "]")) {
        if (n == 64)
            fail(p, "a shorter list");
        items[n++] = take_value(p);
    }
    record_read_list(p->r, record_key(p->r, name, true), items, n);
}

static void
parse_op(struct parser *p)
{
    char name[16] = "";
    for (size_t n = 0; isalnum((unsigned char)*p->at) && n < 15;)
        name[n++] = *p->at++;
    if (!*name)
        fail(p, "a key");
    if (take(p, ":="))
        record_write(p->r, record_key(p->r, name, false), take_value(p));
    else if (take(p, "+="))
        record_write(p->r, record_key(p->r, name, true), take_value(p));
    else if (!take(p, "=="))
        fail(p, "':=', '==' or '+='");
    else if (take(p, "["))
        parse_list(p, name);
    else
        record_read(p->r, record_key(p->r, name, false), take_value(p));
}

static void
parse_times(struct parser *p, struct record_txn *t)
{
    p->r->times = true;
    if (!take(p, ".."))
        t->began = take_value(p);
    if (t->began != INT64_MIN && !take(p, ".."))
        fail(p, "'..'");
    if (isdigit((unsigned char)*p->at) || *p->at == '-')
        t->ended = take_value(p);
}

void
record_parse(struct record *r, const char *text)
{
    *r = (struct record){.initial_is_nil = true};
    struct parser p = {r, text, text};
    uint32_t session = 0;
    while (!take(&p, "") || *p.at) {
        if (take(&p, "---")) {
            session++;
            continue;
        }
        if (!take(&p, "["))
            fail(&p, "'[' or '---'");
        record_begin(r, session, TXN_COMMITTED);
        while (!take(&p, "]"))
            parse_op(&p);
        if (take(&p, "!"))
            vec_top(&r->txns).status = TXN_ABORTED;
        else if (take(&p, "?"))
            vec_top(&r->txns).status = TXN_INDETERMINATE;
        if (take(&p, "@"))
            parse_times(&p, &vec_top(&r->txns));
    }
}

static void
show_value(int64_t value, struct buf *out)
{
    if (value)
        buf_i64(out, value);
    else
        buf_char(out, '?');
}

static void
show_op(const struct record *r, const struct record_op *op, struct buf *out)
{
    const struct record_key *k = &r->keys.at[op->key];
    buf_text(out, k->name);
    buf_text(out, !op->is_write ? "==" : k->is_list ? "+=" : ":=");
    if (op->is_write || !k->is_list) {
        show_value(op->value, out);
        return;
    }
    for (uint32_t i = 0; i < op->items_n; i++) {
        buf_char(out, i ? ' ' : '[');
        show_value(r->items.at[op->items + i], out);
    }
    buf_text(out, op->items_n ? "]" : "[]");
}

static void
show_txn(const struct record *r, const struct record_txn *t, struct buf *out)
{
    for (uint32_t i = 0; i < t->ops_n; i++) {
        buf_char(out, i ? ' ' : '[');
        show_op(r, &r->ops.at[t->ops + i], out);
    }
    buf_text(out, t->ops_n ? "]" : "[]");
    if (t->status != TXN_COMMITTED)
        buf_char(out, t->status == TXN_ABORTED ? '!' : '?');
    if (!r->times)
        return;
    buf_char(out, '@');
    if (t->began != INT64_MIN)
        buf_i64(out, t->began);
    buf_text(out, "..");
    if (t->ended != INT64_MAX)
        buf_i64(out, t->ended);
}

void
record_show(const struct record *r, struct buf *out)
{
    if (r->has_rows) {
        record_rows_show(r, out);
        return;
    }
    uint32_t sessions = 0;
    for (size_t i = 0; i < r->txns.n; i++)
        if (r->txns.at[i].session >= sessions)
            sessions = r->txns.at[i].session + 1;
    bool any = false;
    for (uint32_t s = 0; s < sessions; s++) {
        bool opened = false;
        for (size_t i = 0; i < r->txns.n; i++) {
            if (r->txns.at[i].session != s)
                continue;
            if (any)
                buf_text(out, opened ? " " : " --- ");
            any = opened = true;
            show_txn(r, &r->txns.at[i], out);
        }
    }
}

/* --- the history for the engines ------------------------------------------*/

static bool
build_op(const struct record *r, const struct record_op *op, struct builder *b,
         txn_id t, struct err *err)
{
    const struct record_key *k = &r->keys.at[op->key];
    const struct atom name =
        builder_text(b, ATOM_STRING, k->name, strlen(k->name));
    const struct atom value =
        op->value || !r->initial_is_nil ? atom_int(op->value) : atom_nil();
    if (op->is_write)
        return k->is_list ? builder_append(b, t, name, value, err)
                          : builder_write(b, t, name, value, err);
    if (!k->is_list)
        return builder_read(b, t, name, value, err);
    VEC(struct atom) items = {0};
    for (uint32_t i = 0; i < op->items_n; i++)
        vec_push(&items, atom_int(r->items.at[op->items + i]));
    const bool ok = builder_read_list(b, t, name, items.at, items.n, err);
    vec_free(&items);
    return ok;
}

void
record_build(const struct record *r, struct history *h)
{
    if (r->has_rows) {
        record_rows_build(r, h);
        return;
    }
    struct err err = {0};
    struct builder *b =
        builder_new(r->initial_is_nil ? atom_nil() : atom_int(0));
    bool ok = true;
    if (r->is_cut)
        builder_cut(b);
    for (size_t i = 0; ok && i < r->txns.n; i++) {
        const struct record_txn *t = &r->txns.at[i];
        txn_id id;
        const session_id session = builder_session(b, atom_int(t->session));
        ok = builder_txn(b, session, &id, &err);
        builder_status(b, id, t->status);
        if (r->times)
            builder_times(b, id, t->began, t->ended);
        for (uint32_t j = 0; ok && j < t->ops_n; j++)
            ok = build_op(r, &r->ops.at[t->ops + j], b, id, &err);
    }
    *h = (struct history){0};
    if (ok && builder_finish(b, h, &err))
        return;
    fprintf(stderr, "record: %s\n", err.text);
    abort();
}

/* --- a history that is there already ---------------------------------------*/

static int64_t
value_of(const struct history *h, value_id v)
{
    const bool initial = atom_equal(history_value_atom(h, v), h->initial);
    return initial ? 0 : (int64_t)v;
}

static void
take_op(const struct history *h, op_id op, struct record *r)
{
    const key_id k = op_key(h, op);
    if (op_is_write(h, op)) {
        record_write(r, k, value_of(h, h->op_value[op]));
    } else if (r->keys.at[k].is_list) {
        const struct list_seen seen = history_list_seen(h, op);
        VEC(int64_t) items = {0};
        for (size_t i = 0; i < seen.n; i++)
            vec_push(&items, value_of(h, seen.at[i]));
        record_read_list(r, k, items.at, items.n);
        vec_free(&items);
    } else {
        record_read(r, k, value_of(h, h->op_value[op]));
    }
}

void
record_take(const struct history *h, struct record *r)
{
    *r = (struct record){.times = h->txn_began, .initial_is_nil = true};
    for (key_id k = 0; k < h->n_keys; k++) {
        char name[16];
        const bool is_list = h->key_is_list && h->key_is_list[k];
        snprintf(name, sizeof name, "%c%u", is_list ? 'l' : 'x', k % 100000);
        vec_push(&r->keys, ((struct record_key){.is_list = is_list}));
        memcpy(vec_top(&r->keys).name, name, sizeof name);
    }
    for (txn_id t = 0; t < h->n_txns; t++) {
        const enum txn_status status = (enum txn_status)h->txn_status[t];
        record_begin(r, h->txn_session[t],
                     status == TXN_LOADING ? TXN_COMMITTED : status);
        if (r->times) {
            vec_top(&r->txns).began = h->txn_began[t];
            vec_top(&r->txns).ended = h->txn_ended[t];
        }
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
            if (!op_is_implied(h, op)) // the oracle finds out by itself
                take_op(h, op, r);
    }
}
