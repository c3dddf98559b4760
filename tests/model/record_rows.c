/* record_rows.c -- see record_rows.h.
 *
 * SPDX-License-Identifier: MIT */
#include "record_rows.h"

#include "format/format.h"
#include "format/jsonl/jsonl.h"
#include "history/builder/builder.h"

#include <stdio.h>
#include <stdlib.h>

/* Bit i of v: a row whose column v is the i-th of NULL, 1, 2, 3 may match; of
 * w: one whose column w is i may. */
static const struct {
    const char *text;
    uint32_t v, w;
} conditions[ROWS_CONDITIONS] = {
    {"TRUE", 0xf, 3},
    {"v > 1", 0xc, 3},
    {"NOT v > 1", 0x2, 3},
    {"v IS NULL", 0x1, 3},
    {"v IS NULL OR v = 2", 0x5, 3},
    {"v IN (1, 3)", 0xa, 3},
    {"v NOT IN (1, NULL)", 0x0, 3},
    {"v BETWEEN 2 AND 3 AND v <> 2", 0x8, 3},
    {"v <> 2 OR v > 5", 0xa, 3},
    {"NOT (v = 1 OR v IS NULL)", 0xc, 3},
    {"w = 1 AND v > 1", 0xc, 2},
    {"v = v AND w < 1", 0xe, 1},
};

static uint32_t
column_v(int64_t value)
{
    assert(value > 0 && value < ROWS_VALUES);
    return (uint32_t)(value - 1) % 4;
}

static uint32_t
column_w(int64_t value)
{
    return (uint32_t)(value - 1) / 4;
}

uint64_t
record_rows_matches(uint32_t condition)
{
    assert(condition < ROWS_CONDITIONS);
    uint64_t bits = 0;
    for (int64_t value = 1; value < ROWS_VALUES; value++)
        if (conditions[condition].v >> column_v(value) & 1 &&
            conditions[condition].w >> column_w(value) & 1)
            bits |= UINT64_C(1) << value;
    return bits;
}

uint64_t
record_rows_fit(enum record_question asks, int64_t value)
{
    uint64_t bits = 0;
    for (int64_t other = 0; other < ROWS_VALUES; other++) {
        const bool both = value && other;
        const bool fits = asks == ASKS_VALUE || !both ? value == other
                          : asks == ASKS_COLUMN
                              ? column_v(value) == column_v(other)
                              : true;
        bits |= (uint64_t)fits << other;
    }
    return bits;
}

enum record_question
record_rows_shows(const struct record *r, const struct record_op *query,
                  int64_t item)
{
    const enum record_question shows = (enum record_question)(item / 16 % 4);
    const uint32_t key = record_rows_key(item);
    const uint64_t fits = record_rows_fit(shows, record_rows_value(item)) &
                          record_rows_matches(query->condition);
    bool any = fits >> r->keys.at[key].initial & 1;
    for (size_t i = 0; i < r->ops.n; i++)
        any |= r->ops.at[i].is_write && r->ops.at[i].key == key &&
               fits >> r->ops.at[i].value & 1;
    return any ? shows : ASKS_VALUE;
}

static void
name_row(uint32_t key, uint32_t *order, uint32_t *n)
{
    for (uint32_t i = 0; i < *n; i++)
        if (order[i] == key)
            return;
    order[(*n)++] = key;
}

uint32_t
record_rows_order(const struct record *r, uint32_t *order)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < r->keys.n; k++)
        if (r->keys.at[k].is_row && r->keys.at[k].initial)
            name_row(k, order, &n);
    for (size_t i = 0; i < r->txns.n; i++)
        for (uint32_t j = 0; j < r->txns.at[i].ops_n; j++) {
            const struct record_op *op = &r->ops.at[r->txns.at[i].ops + j];
            if (r->keys.at[op->key].is_row && op->asks != ASKS_QUERY)
                name_row(op->key, order, &n);
            for (uint32_t m = 0; op->asks == ASKS_QUERY && m < op->items_n; m++)
                name_row(record_rows_key(r->items.at[op->items + m]), order,
                         &n);
        }
    return n;
}

uint32_t
record_rows_prev(const struct record *r, const struct record_txn *t, uint32_t j)
{
    const struct record_op *op = &r->ops.at[t->ops + j];
    uint32_t own = ID_NONE, named = ID_NONE;
    if (!r->names_versions || !op->is_write || op->prev == PREV_NONE ||
        !r->keys.at[op->key].is_row)
        return ID_NONE;
    for (uint32_t i = 0; i < j; i++)
        if (r->ops.at[t->ops + i].is_write &&
            r->ops.at[t->ops + i].key == op->key)
            own = t->ops + i;
    for (uint32_t i = 0; i < r->ops.n; i++)
        if (r->ops.at[i].serial == op->prev && r->ops.at[i].is_write &&
            r->ops.at[i].key == op->key && r->ops.at[i].value)
            named = i;
    if (op->prev == PREV_INITIAL)
        named = PREV_OF_INITIAL;
    if (own != ID_NONE)
        return named == own ? named : ID_NONE;
    return named >= t->ops && named < t->ops + t->ops_n ? ID_NONE : named;
}

/* --- text -----------------------------------------------------------------*/

static void
show_values(int64_t value, enum record_question asks, struct buf *out)
{
    static const char *const v[] = {"null", "1", "2", "3"};
    if (asks == ASKS_ROW)
        buf_text(out, "{}");
    else if (asks == ASKS_COLUMN)
        buf_printf(out, "{\"v\":%s}", v[column_v(value)]);
    else
        buf_printf(out, "{\"v\":%s,\"w\":%u}", v[column_v(value)],
                   column_w(value));
}

/* Which version one of this row names as the one before. */
static void
show_prev(const struct record *r, uint32_t key, uint32_t prev, struct buf *out)
{
    if (prev != PREV_OF_INITIAL)
        buf_printf(out, "\"prev\":%u", prev + 100);
    else if (r->keys.at[key].initial)
        buf_printf(out, "\"prev\":%u", key);
    else
        buf_text(out, "\"prev\":null");
}

/* What a version tells besides its values; 'name' is one of its own. */
static void
show_about(const struct record *r, int64_t value, size_t name, uint32_t key,
           uint32_t prev, struct buf *out)
{
    if (!r->names_versions && !r->names_conditions)
        return;
    buf_text(out, ",{");
    if (r->names_versions)
        buf_printf(out, "\"ver\":%zu", name);
    if (prev != ID_NONE) {
        buf_char(out, ',');
        show_prev(r, key, prev, out);
    }
    if (r->names_conditions) {
        buf_text(out,
                 r->names_versions ? ",\"satisfies\":[" : "\"satisfies\":[");
        bool any = false;
        for (uint32_t c = 0; c < ROWS_CONDITIONS; c++)
            if (record_rows_matches(c) >> value & 1) {
                buf_printf(out, any ? ",%u" : "%u", c);
                any = true;
            }
        buf_char(out, ']');
    }
    buf_char(out, '}');
}

static void
show_row(const struct record *r, uint32_t key, struct buf *out)
{
    buf_printf(out, "[\"t\",%s]", r->keys.at[key].name);
}

static void
show_query(const struct record *r, const struct record_op *op, struct buf *out)
{
    if (r->names_conditions)
        buf_printf(out, "[\"q\",{\"table\":\"t\",\"id\":%u", op->condition);
    else
        buf_printf(out, "[\"q\",{\"table\":\"t\",\"where\":\"%s\"",
                   conditions[op->condition].text);
    buf_text(out, op->is_unordered ? ",\"unordered\":true" : "");
    buf_text(out, op->is_check ? ",\"check\":true},[" : "},[");
    for (uint32_t i = 0; i < op->items_n; i++) {
        const int64_t item = r->items.at[op->items + i];
        buf_text(out, i ? ",[" : "[");
        show_row(r, record_rows_key(item), out);
        buf_char(out, ',');
        show_values(record_rows_value(item), record_rows_shows(r, op, item),
                    out);
        buf_char(out, ']');
    }
    buf_text(out, "]]");
}

static void
show_op(const struct record *r, const struct record_txn *t, uint32_t j,
        struct buf *out)
{
    const size_t number = t->ops + j;
    const struct record_op *op = &r->ops.at[number];
    const uint32_t prev = record_rows_prev(r, t, j);
    const struct record_key *k = &r->keys.at[op->key];
    if (!k->is_row) {
        buf_printf(out, "[\"%s\",\"%s\",", op->is_write ? "w" : "r", k->name);
        if (op->value)
            buf_i64(out, op->value);
        else
            buf_text(out, "null");
        buf_char(out, ']');
        return;
    }
    if (op->asks == ASKS_QUERY) {
        show_query(r, op, out);
        return;
    }
    buf_printf(out, "[\"%s\",",
               !op->is_write ? "r"
               : !op->value  ? "d"
               : number % 2  ? "i"
                             : "u");
    show_row(r, op->key, out);
    if (op->value) {
        buf_char(out, ',');
        show_values(op->value, op->asks, out);
        if (op->is_write)
            show_about(r, op->value, number + 100, op->key, prev, out);
        buf_text(out, op->is_check ? ",{\"check\":true}" : "");
    } else if (op->is_check) {
        buf_text(out, ",null,{\"check\":true}");
    } else if (prev != ID_NONE) {
        buf_text(out, ",{");
        show_prev(r, op->key, prev, out);
        buf_char(out, '}');
    }
    buf_char(out, ']');
}

static void
show_txn(const struct record *r, const struct record_txn *t, struct buf *out)
{
    buf_printf(out, "{\"session\":%u", t->session);
    if (t->status != TXN_COMMITTED)
        buf_printf(out, ",\"status\":\"%s\"",
                   t->status == TXN_ABORTED ? "aborted" : "unknown");
    if (r->times && t->began != INT64_MIN)
        buf_printf(out, ",\"start\":%lld", (long long)t->began);
    if (r->times && t->ended != INT64_MAX)
        buf_printf(out, ",\"end\":%lld", (long long)t->ended);
    buf_text(out, ",\"ops\":[");
    for (uint32_t j = 0; j < t->ops_n; j++) {
        buf_text(out, j ? "," : "");
        show_op(r, t, j, out);
    }
    buf_text(out, "]}\n");
}

void
record_rows_show(const struct record *r, struct buf *out)
{
    assert(r->has_rows);
    bool any = false;
    for (uint32_t k = 0; k < r->keys.n; k++) {
        const int64_t value = r->keys.at[k].initial;
        if (!r->keys.at[k].is_row || !value)
            continue;
        buf_text(out, any ? ",[" : "{\"initial\":{\"rows\":[[");
        show_row(r, k, out);
        buf_char(out, ',');
        show_values(value, ASKS_VALUE, out);
        show_about(r, value, k, k, ID_NONE, out);
        buf_char(out, ']');
        any = true;
    }
    buf_text(out, any ? "]}}\n" : "");
    for (size_t i = 0; i < r->txns.n; i++)
        show_txn(r, &r->txns.at[i], out);
}

static void
read_text(const struct buf *text, struct history *h)
{
    struct err err = {0};
    const struct format *format = format_find("jsonl");
    struct input in = {
        .name = "record", .data = text->at, .size = text->n, .threads = 1};
    struct builder *b = builder_new(atom_nil());
    *h = (struct history){0};
    if (!format->read(&in, b, &err) || !builder_finish(b, h, &err)) {
        fprintf(stderr, "record: %s in\n%s\n", err.text, text->at);
        abort();
    }
}

/* Write the history, read that and write it again. */
static void
check_writer(const struct history *h)
{
    struct buf once = {0}, twice = {0};
    struct history again;
    jsonl_show(h, &once);
    read_text(&once, &again);
    jsonl_show(&again, &twice);
    if (strcmp(once.at, twice.at) != 0 || again.n_ops != h->n_ops ||
        again.n_values != h->n_values || again.n_keys != h->n_keys) {
        fprintf(stderr, "record:\n%s\nis written as\n%s\n", once.at, twice.at);
        abort();
    }
    history_free(&again);
    buf_free(&once);
    buf_free(&twice);
}

void
record_rows_build(const struct record *r, struct history *h)
{
    struct buf text = {0};
    record_rows_show(r, &text);
    read_text(&text, h);
    check_writer(h);
    buf_free(&text);
}
