/* builder_finish.c -- builder_finish() of builder.h.
 *
 * Numbers the transactions by session, gives each its range of operations,
 * moves the arrays from the builder to the history, and resolves it.
 *
 * SPDX-License-Identifier: MIT */
#include "base/paranoid.h"
#include "history/builder/builder_bulk.h"
#include "history/history_check.h"
#include "history/list/implied_reads.h"
#include "history/list/list_authors.h"
#include "history/list/list_order_counted.h"
#include "history/list/reader_outcomes.h"
#include "history/resolve.h"
#include "history/row/row_marks.h"
#include "history/unchecked.h"

#include <stdlib.h>

/* Number the transactions by session: renumber[old] = new. */
static txn_id *
number_txns(struct builder *b, struct history *h)
{
    h->n_sessions = (uint32_t)b->session_names.n;
    h->n_txns = (uint32_t)b->txn_session.n;
    h->session_first =
        mem_calloc((size_t)h->n_sessions + 2, sizeof *h->session_first);
    txn_id *next = h->session_first + 1;
    for (size_t t = 0; t < h->n_txns; t++)
        next[b->txn_session.at[t] + 1]++;
    for (uint32_t s = 0; s < h->n_sessions; s++)
        next[s + 1] += next[s];
    // next[s] is now the first id of s; assigning ids moves it to the first
    // of s + 1, which is where session_first[s + 1] is expected.
    txn_id *renumber = mem_alloc(h->n_txns, sizeof *renumber);
    for (size_t t = 0; t < h->n_txns; t++)
        renumber[t] = next[b->txn_session.at[t]]++;
    assert(h->session_first[h->n_sessions] == h->n_txns);
    return renumber;
}

static op_id
run_end(const struct builder *b, size_t r)
{
    assert(r < b->runs.n);
    return r + 1 < b->runs.n ? b->runs.at[r + 1].begin : (op_id)b->op_key.n;
}

/* Replace the marks by these, of n operations; NULL: there are none. */
static void
move_marks(struct builder *b, uint32_t *marks, size_t n)
{
    if (!marks)
        return;
    vec_clear(&b->op_marks);
    for (size_t i = 0; i < n; i++)
        vec_push(&b->op_marks, marks[i]);
    mem_free(marks);
}

/* Move the operations so that each transaction is one run, in the order in
 * which the transactions came. */
static void
gather_ops(struct builder *b, struct history *h, const txn_id *renumber)
{
    const size_t n = b->op_key.n;
    memset(h->txn_end, 0, h->n_txns * sizeof *h->txn_end);
    for (size_t r = 0; r < b->runs.n; r++)
        h->txn_end[renumber[b->runs.at[r].txn]] +=
            run_end(b, r) - b->runs.at[r].begin;
    op_id sum = 0;
    for (size_t i = 0; i < h->n_txns; i++) {
        const txn_id t = renumber[i];
        const op_id count = h->txn_end[t]; // so far
        h->txn_begin[t] = h->txn_end[t] = sum;
        sum += count;
    }
    assert(sum == n);
    u32_vec key = {0}, value = {0};
    vec_grow(&key, n);
    vec_grow(&value, n);
    op_id *moved = mem_alloc(n, sizeof *moved);
    uint32_t *marks = b->op_marks.n ? mem_calloc(n, sizeof *marks) : NULL;
    for (size_t r = 0; r < b->runs.n; r++)
        for (op_id i = b->runs.at[r].begin; i < run_end(b, r); i++) {
            const op_id to = h->txn_end[renumber[b->runs.at[r].txn]]++;
            key.at[to] = b->op_key.at[i];
            value.at[to] = b->op_value.at[i];
            moved[i] = to;
            if (marks && i < b->op_marks.n)
                marks[to] = b->op_marks.at[i];
        }
    move_marks(b, marks, n);
    for (size_t i = 0; i < b->list_reads.n; i++)
        b->list_reads.at[i].op = moved[b->list_reads.at[i].op];
    mem_free(moved);
    vec_free(&b->op_key);
    vec_free(&b->op_value);
    b->op_key = key;
    b->op_value = value;
}

/* The range of operations of each transaction.  The reads that wait follow
 * their transactions to the new ids. */
static void
find_ranges(struct builder *b, struct history *h, const txn_id *renumber)
{
    bool scattered = false;
    // Not calloc, which takes small pages (mem.c): all of them are used.
    h->txn_begin = mem_alloc(h->n_txns, sizeof *h->txn_begin);
    h->txn_end = mem_alloc(h->n_txns, sizeof *h->txn_end);
    memset(h->txn_begin, 0, h->n_txns * sizeof *h->txn_begin);
    memset(h->txn_end, 0, h->n_txns * sizeof *h->txn_end);
    for (size_t r = 0; r < b->runs.n; r++) {
        const txn_id t = renumber[b->runs.at[r].txn];
        scattered = scattered || h->txn_begin[t] != h->txn_end[t];
        h->txn_begin[t] = b->runs.at[r].begin;
        h->txn_end[t] = run_end(b, r);
    }
    if (scattered) {
        gather_ops(b, h, renumber);
        b->waiting.too_many = true; // they have moved
    }
    for (size_t i = 0; i < b->waiting.reads.n; i++)
        b->waiting.reads.at[i].txn = renumber[b->waiting.reads.at[i].txn];
    vec_free(&b->runs);
}

/* h->field[new] = source[old], or 'other' where source is shorter. */
#define RENUMBER(field, source, n_source, other)                               \
    do {                                                                       \
        (field) = mem_alloc(h->n_txns, sizeof *(field));                       \
        for (size_t t_ = 0; t_ < h->n_txns; t_++)                              \
            (field)[renumber[t_]] = t_ < (n_source) ? (source)[t_] : (other);  \
    } while (0)

static void
move_names(struct builder *b, struct history *h, const txn_id *renumber)
{
    vec_reserve(&h->txn_names.bits.narrow, h->n_txns);
    vec_reserve(&h->txn_names.tags, h->n_txns);
    for (txn_id t = 0; t < h->n_txns; t++)
        atoms_push(&h->txn_names, atom_nil());
    for (size_t t = 0; t < b->txn_names.tags.n; t++)
        atoms_set(&h->txn_names, renumber[t], atoms_get(&b->txn_names, t));
    atoms_free(&b->txn_names);
}

static void
move_txns(struct builder *b, struct history *h)
{
    txn_id *renumber = number_txns(b, h);
    find_ranges(b, h, renumber);
    RENUMBER(h->txn_session, b->txn_session.at, h->n_txns, 0);
    vec_free(&b->txn_session);
    RENUMBER(h->txn_status, b->txn_status.at, h->n_txns, 0);
    if (b->txn_names.tags.n)
        move_names(b, h, renumber);
    if (b->start_ts.n) {
        RENUMBER(h->txn_start_ts, b->start_ts.at, b->start_ts.n, stamp_none());
        RENUMBER(h->txn_commit_ts, b->commit_ts.at, b->commit_ts.n,
                 stamp_none());
    }
    if (b->began.n) {
        RENUMBER(h->txn_began, b->began.at, b->began.n, INT64_MIN);
        RENUMBER(h->txn_ended, b->ended.at, b->ended.n, INT64_MAX);
    }
    if (b->places.n)
        RENUMBER(h->txn_line, b->places.at, b->places.n, 0);
    if (b->meta.n)
        RENUMBER(h->txn_meta, b->meta.at, b->meta.n, ID_NONE);
    if (b->partial.n)
        RENUMBER(h->txn_partial, b->partial.at, b->partial.n, ID_NONE);
    h->arrival = renumber; // by old id, which is the order of arrival
}

static int
compare_list_reads(const void *a, const void *b)
{
    const op_id x = ((const struct list_read *)a)->op;
    const op_id y = ((const struct list_read *)b)->op;
    return x < y ? -1 : x > y;
}

/* Concatenate the orders of the list keys. */
static void
move_lists(struct builder *b, struct history *h)
{
    if (!b->has_lists)
        return;
    h->key_is_list = mem_calloc(h->n_keys, sizeof *h->key_is_list);
    h->order_first = mem_calloc((size_t)h->n_keys + 1, sizeof *h->order_first);
    for (key_id k = 0; k < h->n_keys; k++) {
        h->key_is_list[k] = b->key_use.at[k] == USE_LIST;
        list_orders_copy(&b->orders, k, &h->order_items);
        h->order_first[k + 1] = (uint32_t)h->order_items.n;
    }
    if (b->list_reads.n)
        qsort(b->list_reads.at, b->list_reads.n, sizeof *b->list_reads.at,
              compare_list_reads);
    memcpy(&h->list_reads, &b->list_reads, sizeof h->list_reads);
    memset(&b->list_reads, 0, sizeof b->list_reads);
    h->list_items = b->list_items;
    b->list_items = (u32_vec){0};
}

static void
move_rows(struct builder *b, struct history *h)
{
    h->rows = b->rows;
    b->rows = NULL;
    memcpy(&h->links, &b->links, sizeof h->links);
    memset(&b->links, 0, sizeof b->links);
    for (size_t i = 0; i < h->links.n; i++) {
        struct version_link *link = &h->links.at[i];
        if (link->before != TXN_INIT)
            link->before = h->arrival[link->before];
        link->after = h->arrival[link->after];
    }
    if (!b->key_rows.n)
        return;
    while (b->key_rows.n < h->n_keys)
        vec_push(&b->key_rows, ((struct row_key){.row = ID_NONE}));
    assert(b->key_rows.n == h->n_keys);
    h->key_rows = b->key_rows.at;
    b->key_rows.at = NULL;
}

/* Move the names of sessions, and keys, operations and values. */
static void
move_ops(struct builder *b, struct history *h)
{
    h->n_keys = (uint32_t)b->key_names.tags.n;
    atoms_trim(&b->key_names);
    h->key_names = b->key_names;
    b->key_names = (struct atoms){0};
    vec_trim(&b->session_names);
    h->session_name = b->session_names.at;
    b->session_names.at = NULL;
    h->n_ops = (uint32_t)b->op_key.n;
    vec_trim(&b->op_key);
    vec_trim(&b->op_value);
    h->op_key = b->op_key.at;
    h->op_value = b->op_value.at;
    b->op_key.at = b->op_value.at = NULL;
    if (b->op_marks.n) {
        while (b->op_marks.n < h->n_ops)
            vec_push(&b->op_marks, 0);
        h->op_marks = b->op_marks.at;
        b->op_marks.at = NULL;
    }
    h->n_values = (uint32_t)b->values.all.n;
    vec_trim(&b->values.all);
    h->values = b->values.all.at;
    b->values.all.at = NULL;
    column_trim(&b->values.bits);
    h->value_bits = b->values.bits;
    b->values.bits = (struct column){0};
}

/* What resolution may use.  Where the notes about writers are not complete,
 * they are removed. */
static struct resolve_options
take_notes(struct builder *b, struct history *h)
{
    struct resolve_options o = {.threads = b->threads ? b->threads : 1,
                                .keep_loading = b->keep_loading,
                                .writers_noted =
                                    !b->has_lists && !b->writes_again};
    if (o.writers_noted) {
        o.waiting = b->waiting;
        b->waiting = (struct waiting_reads){0};
        return o;
    }
    for (value_id v = 1; v < h->n_values; v++)
        h->values[v].writer = TXN_NONE;
    return o;
}

/* Resolve h, and the same without its constraint checks. */
static void
resolve_both(struct history *h, struct resolve_options *o)
{
    if (h->unchecked) {
        struct resolve_options again = {.threads = o->threads,
                                        .keep_loading = o->keep_loading,
                                        .waiting = {.too_many = true}};
        for (value_id v = 1; v < h->n_values; v++)
            h->unchecked->values[v].writer = TXN_NONE;
        history_resolve(h->unchecked, &again);
        list_order_counted_apply(h->unchecked);
        PARANOID(history_check(h->unchecked));
    }
    history_resolve(h, o);
    list_order_counted_apply(h);
    PARANOID(history_check(h));
}

bool
builder_finish(struct builder *b, struct history *h, struct err *err)
{
    *h = (struct history){0};
    if (!builder_bulk_flush(b, err)) {
        builder_free(b);
        return false;
    }
    values_free_index(&b->values);
    for (int tag = 0; tag < ATOM_TAGS; tag++)
        intmap_free(&b->key_index[tag]);
    move_txns(b, h);

    h->initial = b->initial;
    h->is_cut = b->is_cut;
    h->n_skipped = b->n_skipped;
    h->notes = b->notes;
    b->notes = (struct buf){0};
    h->is_recording = b->is_recording;
    move_ops(b, h);
    move_lists(b, h);
    move_rows(b, h);
    strings_seal(&b->strings);
    h->strings = b->strings;
    b->strings = (struct strings){0};
    for (size_t i = 0; i < b->authors.n; i++)
        b->authors.at[i].seen = h->arrival[b->authors.at[i].seen];
    reader_outcomes_choose(h, b->authors.at, b->authors.n);
    list_authors_choose(h, b->authors.at, b->authors.n);
    struct resolve_options resolution = take_notes(b, h);
    builder_free(b);
    if (!implied_reads_insert(h, err)) {
        vec_free(&resolution.waiting.reads);
        history_free(h);
        return false;
    }
    row_marks_imply(h);
    history_make_unchecked(h);
    resolve_both(h, &resolution);
    return true;
}
