/* builder.c -- taking in sessions, transactions and operations; see builder.h.
 *
 * SPDX-License-Identifier: MIT */
#include "history/building.h"

enum {
    TOGETHER = 64,   // operations that are taken in together
    TYPICAL_TXN = 4, // operations of a transaction, at least
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
    orders_free(&b->orders);
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
    // What is not used of these costs nothing; growing would leave holes.
    const size_t txns = ops / TYPICAL_TXN;
    vec_reserve(&b->txn_session, txns);
    vec_reserve(&b->txn_status, txns);
    vec_reserve(&b->runs, txns);
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

/* Note that the last operation read these n elements of key k. */
static void
note_list(struct builder *b, key_id k, const value_id *items, size_t n)
{
    struct list_read r = {(op_id)b->op_key.n - 1, (uint32_t)n, ID_NONE};
    if (!orders_explain(&b->orders, k, items, n, true)) {
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

/* The entries of the keys of n operations on their way. */
static void
prefetch_keys(const struct builder *b, const struct raw_op *ops, size_t n)
{
    for (size_t i = 0; i < n; i++)
        intmap_prefetch(&b->key_index[ATOM_INT], ops[i].key);
}

/* The ids of keys, and the entries of values on their way. */
static bool
find_keys(struct builder *b, const struct raw_op *ops, size_t n, key_id *keys,
          struct err *err)
{
    const struct intmap *index = &b->key_index[ATOM_INT];
    for (size_t i = 0; i < n; i++) {
        keys[i] = intmap_peek(index, ops[i].key);
        if (keys[i] == UINT32_MAX &&
            !find_key(b, atom_uint(ops[i].key), &keys[i], err))
            return false;
        values_prefetch(&b->values, keys[i], atom_uint(ops[i].value));
    }
    return true;
}

/* The first rows with the values, and those rows on their way. */
static void
find_rows(const struct values *v, const struct raw_op *ops, size_t n,
          value_id *rows)
{
    for (size_t i = 0; i < n; i++) {
        rows[i] = values_peek(v, ops[i].value);
        __builtin_prefetch(&v->all.at[rows[i]]);
    }
}

/* The ids of values, given those rows.  Whether a value is there is as good as
 * random, so no branch depends on it: those that are not are gathered. */
static void
find_values(struct builder *b, const struct raw_op *ops, size_t n,
            const key_id *keys, value_id *rows)
{
    uint8_t missing[TOGETHER];
    size_t n_missing = 0;
    for (size_t i = 0; i < n; i++) {
        missing[n_missing] = (uint8_t)i;
        n_missing += !values_is_int(&b->values, rows[i], keys[i]);
    }
    for (size_t i = 0; i < n_missing; i++) {
        const size_t op = missing[i];
        rows[op] = find_value(b, keys[op], atom_uint(ops[op].value));
    }
}

/* Each step starts loading what the next one needs, for many operations, so
 * that the loads overlap. */
static bool
add_together(struct builder *b, const struct raw_op *ops, size_t n,
             struct err *err)
{
    key_id keys[TOGETHER];
    value_id values[TOGETHER];
    if (!find_keys(b, ops, n, keys, err))
        return false;
    find_rows(&b->values, ops, n, values);
    find_values(b, ops, n, keys, values);
    for (size_t i = 0; i < n; i++)
        push_op(b, ops[i].txn, keys[i] | (ops[i].is_write ? OP_WRITE : 0),
                values[i]);
    return true;
}

bool
builder_batch(struct builder *b, const struct raw_op *ops, size_t n,
              struct err *err)
{
    b->registers_only = true;
    if (!room_for_ops(b, n, err))
        return false;
    prefetch_keys(b, ops, n < TOGETHER ? n : TOGETHER);
    while (n) {
        const size_t some = n < TOGETHER ? n : TOGETHER;
        const size_t rest = n - some;
        prefetch_keys(b, ops + some, rest < TOGETHER ? rest : TOGETHER);
        if (!add_together(b, ops, some, err))
            return false;
        ops += some;
        n = rest;
    }
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
