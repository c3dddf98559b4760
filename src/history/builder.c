/* builder.c -- see builder.h.
 *
 * Operations are appended as they come, in runs that belong to one
 * transaction.  Nearly always a transaction is one run, and then its range of
 * operations is known without moving any; a history whose lines interleave is
 * sorted by transaction once, at the end.
 *
 * SPDX-License-Identifier: MIT */
#include "history/builder.h"

#include "base/intmap.h"
#include "history/resolve.h"
#include "history/values.h"

#include <stdlib.h>

enum { FEW = 64 }; // operations that are looked up together

enum key_use { USE_UNKNOWN, USE_REGISTER, USE_LIST };

/* The operations from 'begin' to the next run's begin belong to txn. */
struct run {
    txn_id txn;
    op_id begin;
};

struct builder {
    struct strings strings;
    struct atom initial;

    struct intmap session_index[ATOM_TAGS];
    VEC(struct atom) session_names;

    u32_vec txn_session;
    VEC(uint8_t) txn_status;
    struct atoms txn_names;
    VEC(int64_t) began, ended;
    u32_vec meta;

    VEC(struct run) runs;
    u32_vec op_key, op_value;

    struct intmap key_index[ATOM_TAGS];
    struct atoms key_names;
    VEC(uint8_t) key_use;
    bool registers_only; // batches do not look at key_use: no lists then

    struct values values;

    VEC(u32_vec) orders;    // the longest list read so far, by list key
    struct intmap order_of; // key -> index into orders
    VEC(uint8_t) in_order;  // by value: 1 = an element of its key's order
    VEC(struct list_read) list_reads;
    u32_vec list_items;
};

struct builder *
builder_new(struct atom initial)
{
    struct builder *b = mem_calloc(1, sizeof *b);
    b->initial = initial;
    values_init(&b->values);
    return b;
}

void
builder_free(struct builder *b)
{
    if (!b)
        return;
    strings_free(&b->strings);
    for (int tag = 0; tag < ATOM_TAGS; tag++) {
        intmap_free(&b->session_index[tag]);
        intmap_free(&b->key_index[tag]);
    }
    vec_free(&b->session_names);
    vec_free(&b->txn_session);
    vec_free(&b->txn_status);
    atoms_free(&b->txn_names);
    vec_free(&b->began);
    vec_free(&b->ended);
    vec_free(&b->meta);
    vec_free(&b->runs);
    vec_free(&b->op_key);
    vec_free(&b->op_value);
    atoms_free(&b->key_names);
    vec_free(&b->key_use);
    values_free(&b->values);
    for (size_t i = 0; i < b->orders.n; i++)
        vec_free(&b->orders.at[i]);
    vec_free(&b->orders);
    intmap_free(&b->order_of);
    vec_free(&b->in_order);
    vec_free(&b->list_reads);
    vec_free(&b->list_items);
    mem_free(b);
}

void
builder_expect(struct builder *b, size_t ops)
{
    values_expect(&b->values, ops / 2);
    intmap_expect(&b->key_index[ATOM_INT], ops);
    vec_reserve(&b->op_key, ops);
    vec_reserve(&b->op_value, ops);
}

struct atom
builder_text(struct builder *b, enum atom_tag tag, const char *text, size_t len)
{
    return (struct atom){strings_add(&b->strings, text, len), tag};
}

session_id
builder_session(struct builder *b, struct atom name)
{
    bool added;
    const session_id s = intmap_add(&b->session_index[name.tag], name.bits,
                                    (uint32_t)b->session_names.n, &added);
    if (added)
        vec_push(&b->session_names, name);
    return s;
}

bool
builder_txn(struct builder *b, session_id s, txn_id *t, struct err *err)
{
    assert(s < b->session_names.n);
    if (b->txn_session.n >= TXN_LIMIT)
        return err_set(err, ERR_LIMIT, "more than %d transactions", TXN_LIMIT);
    *t = (txn_id)b->txn_session.n;
    vec_push(&b->txn_session, s);
    vec_push(&b->txn_status, (uint8_t)TXN_COMMITTED);
    return true;
}

void
builder_status(struct builder *b, txn_id t, enum txn_status status)
{
    b->txn_status.at[t] = (uint8_t)status;
}

void
builder_name(struct builder *b, txn_id t, struct atom name)
{
    while (b->txn_names.tags.n <= t)
        atoms_push(&b->txn_names, atom_nil());
    atoms_set(&b->txn_names, t, name);
}

void
builder_times(struct builder *b, txn_id t, int64_t began, int64_t ended)
{
    // Without times a transaction is concurrent with every other.
    while (b->began.n <= t) {
        vec_push(&b->began, INT64_MIN);
        vec_push(&b->ended, INT64_MAX);
    }
    b->began.at[t] = began;
    b->ended.at[t] = ended;
}

void
builder_meta(struct builder *b, txn_id t, const char *json, size_t len)
{
    while (b->meta.n <= t)
        vec_push(&b->meta, ID_NONE);
    b->meta.at[t] = strings_add(&b->strings, json, len);
}

/* --- operations -------------------------------------------------------- */

static bool
find_key(struct builder *b, struct atom name, key_id *key, struct err *err)
{
    bool added;
    *key = intmap_add(&b->key_index[name.tag], name.bits,
                      (uint32_t)b->key_names.tags.n, &added);
    if (!added)
        return true;
    if (b->key_names.tags.n >= KEY_LIMIT)
        return err_set(err, ERR_LIMIT, "more than %d keys", KEY_LIMIT);
    atoms_push(&b->key_names, name);
    vec_push(&b->key_use, (uint8_t)USE_UNKNOWN);
    return true;
}

static bool
use_key(struct builder *b, key_id key, enum key_use use, struct err *err)
{
    if (use == USE_LIST && b->registers_only)
        return err_set(err, ERR_SYNTAX, "a list among registers");
    if (b->key_use.at[key] == USE_UNKNOWN)
        b->key_use.at[key] = (uint8_t)use;
    if (b->key_use.at[key] == use)
        return true;
    struct buf name = {0};
    atom_show(&b->strings, atoms_get(&b->key_names, key), &name);
    err_set(err, ERR_SYNTAX, "key %s is used both as a register and as a list",
            name.at);
    buf_free(&name);
    return false;
}

static bool
is_initial(const struct builder *b, struct atom value)
{
    return value.tag == ATOM_NIL || atom_equal(value, b->initial);
}

static value_id
find_value(struct builder *b, key_id key, struct atom value)
{
    return is_initial(b, value) ? VALUE_INIT
                                : values_add(&b->values, key, value);
}

static void
push_op(struct builder *b, txn_id t, uint32_t flagged_key, value_id value)
{
    if (!b->runs.n || vec_top(&b->runs).txn != t)
        vec_push(&b->runs, ((struct run){t, (op_id)b->op_key.n}));
    vec_push(&b->op_key, flagged_key);
    vec_push(&b->op_value, value);
}

static bool
room_for_ops(const struct builder *b, size_t n, struct err *err)
{
    if (b->op_key.n + n >= ID_NONE)
        return err_set(err, ERR_LIMIT, "more than %u operations", ID_NONE - 1);
    return true;
}

static bool
add_op(struct builder *b, txn_id t, uint32_t flags, enum key_use use,
       struct atom key, struct atom value, struct err *err)
{
    key_id k;
    if (!room_for_ops(b, 1, err) || !find_key(b, key, &k, err))
        return false;
    // A read of the initial state does not tell a register from a list.
    if ((flags || !is_initial(b, value)) && !use_key(b, k, use, err))
        return false;
    push_op(b, t, k | flags, find_value(b, k, value));
    return true;
}

bool
builder_read(struct builder *b, txn_id t, struct atom key, struct atom value,
             struct err *err)
{
    return add_op(b, t, 0, USE_REGISTER, key, value, err);
}

bool
builder_write(struct builder *b, txn_id t, struct atom key, struct atom value,
              struct err *err)
{
    return add_op(b, t, OP_WRITE, USE_REGISTER, key, value, err);
}

bool
builder_append(struct builder *b, txn_id t, struct atom key,
               struct atom element, struct err *err)
{
    if (element.tag == ATOM_NIL)
        return err_set(err, ERR_SYNTAX, "nil cannot be appended to a list");
    key_id k;
    if (!room_for_ops(b, 1, err) || !find_key(b, key, &k, err) ||
        !use_key(b, k, USE_LIST, err))
        return false;
    push_op(b, t, k | OP_WRITE, values_add(&b->values, k, element));
    return true;
}

/* Extend the order of a key by elements that are new in it; false where one
 * of them is not. */
static bool
extend_order(struct builder *b, u32_vec *order, const value_id *more, size_t n)
{
    while (b->in_order.n < b->values.all.n)
        vec_push(&b->in_order, 0);
    for (size_t i = 0; i < n; i++) {
        if (b->in_order.at[more[i]]) {
            while (i--)
                b->in_order.at[vec_pop(order)] = 0;
            return false;
        }
        b->in_order.at[more[i]] = 1;
        vec_push(order, more[i]);
    }
    return true;
}

/* Note that the last operation read these n elements of key k. */
static void
note_list(struct builder *b, key_id k, const value_id *items, size_t n)
{
    bool added;
    const uint32_t i =
        intmap_add(&b->order_of, k, (uint32_t)b->orders.n, &added);
    if (added)
        vec_push(&b->orders, ((u32_vec){0}));
    u32_vec *order = &b->orders.at[i];
    const size_t common = n < order->n ? n : order->n;
    struct list_read r = {(op_id)b->op_key.n - 1, (uint32_t)n, ID_NONE};
    if ((common && memcmp(items, order->at, common * sizeof *items) != 0) ||
        !extend_order(b, order, items + common, n - common)) {
        r.own = (uint32_t)b->list_items.n;
        for (size_t j = 0; j < n; j++)
            vec_push(&b->list_items, items[j]);
    }
    vec_push(&b->list_reads, r);
}

bool
builder_read_list(struct builder *b, txn_id t, struct atom key,
                  const struct atom *elements, size_t n, struct err *err)
{
    key_id k;
    if (!room_for_ops(b, 1, err) || !find_key(b, key, &k, err) ||
        !use_key(b, k, USE_LIST, err))
        return false;
    u32_vec items = {0};
    for (size_t i = 0; i < n; i++) {
        if (elements[i].tag == ATOM_NIL) {
            vec_free(&items);
            return err_set(err, ERR_SYNTAX, "nil is no element of a list");
        }
        vec_push(&items, values_add(&b->values, k, elements[i]));
    }
    push_op(b, t, k, n ? items.at[n - 1] : VALUE_INIT);
    if (n)
        note_list(b, k, items.at, n);
    vec_free(&items);
    return true;
}

/* Find the keys and values of a few operations in steps, each a loop whose
 * loads do not depend on each other: the entry of the key, the entry of the
 * value, the row of the value. */
static bool
add_few(struct builder *b, const struct raw_op *ops, size_t n, struct err *err)
{
    key_id keys[FEW];
    for (size_t i = 0; i < n; i++)
        intmap_prefetch(&b->key_index[ATOM_INT], ops[i].key);
    for (size_t i = 0; i < n; i++) {
        if (!find_key(b, atom_uint(ops[i].key), &keys[i], err))
            return false;
        values_prefetch(&b->values, keys[i], atom_uint(ops[i].value));
    }
    for (size_t i = 0; i < n; i++)
        values_prefetch_row(&b->values, atom_uint(ops[i].value));
    for (size_t i = 0; i < n; i++)
        push_op(b, ops[i].txn, keys[i] | (ops[i].is_write ? OP_WRITE : 0),
                find_value(b, keys[i], atom_uint(ops[i].value)));
    return true;
}

bool
builder_batch(struct builder *b, const struct raw_op *ops, size_t n,
              struct err *err)
{
    b->registers_only = true;
    if (!room_for_ops(b, n, err))
        return false;
    for (size_t i = 0; i < n; i += FEW)
        if (!add_few(b, ops + i, n - i < FEW ? n - i : FEW, err))
            return false;
    return true;
}

session_id
builder_session_of(const struct builder *b, txn_id t)
{
    return b->txn_session.at[t];
}

size_t
builder_txns(const struct builder *b)
{
    return b->txn_session.n;
}

size_t
builder_ops(const struct builder *b)
{
    return b->op_key.n;
}

/* --- the end ------------------------------------------------------------ */

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
    // next[s] is now the first id of s; giving ids out moves it to the first
    // of s + 1, which is where session_first[s + 1] is expected.
    txn_id *renumber = mem_alloc(h->n_txns, sizeof *renumber);
    for (size_t t = 0; t < h->n_txns; t++)
        renumber[t] = next[b->txn_session.at[t]]++;
    return renumber;
}

/* Move the operations so that each transaction is one run. */
static void
gather_ops(struct builder *b, op_id *begin, op_id *end, size_t n_txns)
{
    const size_t n = b->op_key.n;
    op_id sum = 0;
    for (size_t t = 0; t < n_txns; t++) {
        const op_id count = end[t]; // so far a count
        begin[t] = end[t] = sum;
        sum += count;
    }
    u32_vec key = {0}, value = {0};
    vec_grow(&key, n);
    vec_grow(&value, n);
    op_id *moved = mem_alloc(n, sizeof *moved);
    for (size_t r = 0; r < b->runs.n; r++) {
        const op_id stop =
            r + 1 < b->runs.n ? b->runs.at[r + 1].begin : (op_id)n;
        for (op_id i = b->runs.at[r].begin; i < stop; i++) {
            const op_id to = end[b->runs.at[r].txn]++;
            key.at[to] = b->op_key.at[i];
            value.at[to] = b->op_value.at[i];
            moved[i] = to;
        }
    }
    for (size_t i = 0; i < b->list_reads.n; i++)
        b->list_reads.at[i].op = moved[b->list_reads.at[i].op];
    mem_free(moved);
    vec_free(&b->op_key);
    vec_free(&b->op_value);
    b->op_key = key;
    b->op_value = value;
}

/* The range of operations of each transaction, in order of arrival. */
static void
find_ranges(struct builder *b, op_id *begin, op_id *end, size_t n_txns)
{
    bool scattered = false;
    for (size_t r = 0; r < b->runs.n; r++) {
        const struct run run = b->runs.at[r];
        const op_id stop =
            r + 1 < b->runs.n ? b->runs.at[r + 1].begin : (op_id)b->op_key.n;
        scattered = scattered || begin[run.txn] != end[run.txn];
        begin[run.txn] = run.begin;
        end[run.txn] = stop;
    }
    if (!scattered)
        return;
    memset(end, 0, n_txns * sizeof *end);
    for (size_t r = 0; r < b->runs.n; r++)
        end[b->runs.at[r].txn] +=
            (r + 1 < b->runs.n ? b->runs.at[r + 1].begin : (op_id)b->op_key.n) -
            b->runs.at[r].begin;
    gather_ops(b, begin, end, n_txns);
}

/* h->field[new] = source[old]; source may be shorter, then 'other' it is. */
#define RENUMBER(field, source, n_source, other)                               \
    do {                                                                       \
        (field) = mem_alloc(h->n_txns, sizeof *(field));                       \
        for (size_t t_ = 0; t_ < h->n_txns; t_++)                              \
            (field)[renumber[t_]] = t_ < (n_source) ? (source)[t_] : (other);  \
    } while (0)

static void
move_names(struct builder *b, struct history *h, const txn_id *renumber)
{
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
    op_id *begin = mem_calloc(h->n_txns, sizeof *begin);
    op_id *end = mem_calloc(h->n_txns, sizeof *end);
    find_ranges(b, begin, end, h->n_txns);
    vec_free(&b->runs);

    RENUMBER(h->txn_begin, begin, h->n_txns, 0);
    mem_free(begin);
    RENUMBER(h->txn_end, end, h->n_txns, 0);
    mem_free(end);
    RENUMBER(h->txn_session, b->txn_session.at, h->n_txns, 0);
    vec_free(&b->txn_session);
    RENUMBER(h->txn_status, b->txn_status.at, h->n_txns, 0);
    if (b->txn_names.tags.n)
        move_names(b, h, renumber);
    if (b->began.n) {
        RENUMBER(h->txn_began, b->began.at, b->began.n, INT64_MIN);
        RENUMBER(h->txn_ended, b->ended.at, b->ended.n, INT64_MAX);
    }
    if (b->meta.n)
        RENUMBER(h->txn_meta, b->meta.at, b->meta.n, ID_NONE);
    h->arrival = renumber; // which is what it lists, too
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
    bool any = false;
    for (size_t k = 0; k < b->key_use.n; k++)
        any = any || b->key_use.at[k] == USE_LIST;
    if (!any)
        return;
    h->key_is_list = mem_calloc(h->n_keys, sizeof *h->key_is_list);
    h->order_first = mem_calloc((size_t)h->n_keys + 1, sizeof *h->order_first);
    for (key_id k = 0; k < h->n_keys; k++) {
        h->key_is_list[k] = b->key_use.at[k] == USE_LIST;
        const uint32_t i = intmap_find(&b->order_of, k);
        for (size_t j = 0; i != UINT32_MAX && j < b->orders.at[i].n; j++)
            vec_push(&h->order_items, b->orders.at[i].at[j]);
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

bool
builder_finish(struct builder *b, struct history *h, struct err *err)
{
    *h = (struct history){0};
    if (b->values.all.n >= WRITER_MANY) {
        builder_free(b);
        return err_set(err, ERR_LIMIT, "more than %u values", WRITER_MANY);
    }
    values_free_index(&b->values);
    for (int tag = 0; tag < ATOM_TAGS; tag++)
        intmap_free(&b->key_index[tag]);
    move_txns(b, h);

    h->initial = b->initial;
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
    h->n_values = (uint32_t)b->values.all.n;
    vec_trim(&b->values.all);
    h->values = b->values.all.at;
    b->values.all.at = NULL;
    column_trim(&b->values.bits);
    h->value_bits = b->values.bits;
    b->values.bits = (struct column){0};
    move_lists(b, h);
    strings_seal(&b->strings);
    h->strings = b->strings;
    b->strings = (struct strings){0};
    builder_free(b);

    history_resolve(h);
    return true;
}
