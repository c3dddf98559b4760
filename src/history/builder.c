/* builder.c -- taking in sessions, transactions and operations; see builder.h.
 *
 * SPDX-License-Identifier: MIT */
#include "history/building.h"

enum {
    MANY = 512, // operations that are taken in together
    APART = 16, // operations between the steps of one
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

/* Whether a list that was read is a prefix of the order of its key, which may
 * have to be extended for that. */
static bool
order_explains(struct builder *b, u32_vec *order, const value_id *items,
               size_t n)
{
    const size_t common = n < order->n ? n : order->n;
    return (!common || memcmp(items, order->at, common * sizeof *items) == 0) &&
           (n == common || extend_order(b, order, items + common, n - common));
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
    struct list_read r = {(op_id)b->op_key.n - 1, (uint32_t)n, ID_NONE};
    if (!order_explains(b, &b->orders.at[i], items, n)) {
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

/* An operation goes through four steps, each of which starts loading what the
 * next one needs: the entry of its key, the entry of its value, the row of its
 * value.  The steps of different operations are interleaved, APART of them
 * between one step and the next. */
static bool
add_many(struct builder *b, const struct raw_op *ops, size_t n, struct err *err)
{
    key_id keys[MANY];
    for (size_t i = 0; i < n + 3 * APART; i++) {
        if (i < n)
            intmap_prefetch(&b->key_index[ATOM_INT], ops[i].key);
        const size_t second = i - APART, third = i - 2 * APART;
        const size_t fourth = i - 3 * APART; // wrapped around, where too early
        if (second < n) {
            if (!find_key(b, atom_uint(ops[second].key), &keys[second], err))
                return false;
            values_prefetch(&b->values, keys[second],
                            atom_uint(ops[second].value));
        }
        if (third < n)
            values_prefetch_row(&b->values, atom_uint(ops[third].value));
        if (fourth < n) {
            const struct raw_op *op = &ops[fourth];
            push_op(b, op->txn, keys[fourth] | (op->is_write ? OP_WRITE : 0),
                    find_value(b, keys[fourth], atom_uint(op->value)));
        }
    }
    return true;
}

bool
builder_batch(struct builder *b, const struct raw_op *ops, size_t n,
              struct err *err)
{
    b->registers_only = true;
    if (!room_for_ops(b, n, err))
        return false;
    for (size_t i = 0; i < n; i += MANY)
        if (!add_many(b, ops + i, n - i < MANY ? n - i : MANY, err))
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
