/* builder_bulk.c -- many operations of registers, taken into a builder
 * together.
 *
 * An operation needs the id of its key, and then that of its value, whose row
 * has to be looked at: three accesses to tables that do not fit into the cache,
 * each of which depends on the one before.  So every step is made for many
 * operations before the next one, and starts loading what that will need.
 *
 * SPDX-License-Identifier: MIT */
#include "history/builder_internal.h"

static struct atom
key_of(const struct raw_op *op)
{
    return (struct atom){op->key, (enum atom_tag)op->key_tag};
}

static struct atom
value_of(const struct raw_op *op)
{
    return (struct atom){op->value, (enum atom_tag)op->value_tag};
}

/* The entries of the keys of n operations on their way. */
static void
prefetch_keys(const struct builder *b, const struct raw_op *ops, size_t n)
{
    for (size_t i = 0; i < n; i++)
        intmap_prefetch(&b->key_index[ops[i].key_tag], ops[i].key);
}

/* The ids of keys, and the entries of values on their way. */
static bool
find_keys(struct builder *b, const struct raw_op *ops, size_t n, key_id *keys,
          struct err *err)
{
    for (size_t i = 0; i < n; i++) {
        keys[i] = intmap_peek(&b->key_index[ops[i].key_tag], ops[i].key);
        if (keys[i] == UINT32_MAX &&
            !builder_intern_key(b, key_of(&ops[i]), &keys[i], err))
            return false;
        values_prefetch(&b->values, keys[i], value_of(&ops[i]));
    }
    return true;
}

/* The first rows with the values, and those rows on their way. */
static void
find_rows(const struct values *v, const struct raw_op *ops, size_t n,
          value_id *rows)
{
    for (size_t i = 0; i < n; i++) {
        rows[i] = values_peek(v, value_of(&ops[i]));
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
        n_missing += !values_is(&b->values, rows[i], keys[i],
                                (enum atom_tag)ops[i].value_tag);
    }
    for (size_t i = 0; i < n_missing; i++) {
        const size_t op = missing[i];
        rows[op] = builder_intern_value(b, keys[op], value_of(&ops[op]));
    }
}

static bool
take_together(struct builder *b, const struct raw_op *ops, size_t n,
              struct err *err)
{
    key_id keys[TOGETHER];
    value_id values[TOGETHER];
    if (!find_keys(b, ops, n, keys, err))
        return false;
    find_rows(&b->values, ops, n, values);
    find_values(b, ops, n, keys, values);
    vec_reserve(&b->op_key, b->op_key.n + n);
    vec_reserve(&b->op_value, b->op_value.n + n);
    for (size_t i = 0; i < n; i++)
        builder_add_op(b, ops[i].txn,
                       keys[i] | (ops[i].is_write ? OP_WRITE : 0), values[i]);
    return true;
}

bool
builder_bulk_take(struct builder *b, const struct raw_op *ops, size_t n,
                  struct err *err)
{
    if (!builder_room(b, n, err))
        return false;
    prefetch_keys(b, ops, n < TOGETHER ? n : TOGETHER);
    while (n) {
        const size_t some = n < TOGETHER ? n : TOGETHER;
        const size_t rest = n - some;
        prefetch_keys(b, ops + some, rest < TOGETHER ? rest : TOGETHER);
        if (!take_together(b, ops, some, err))
            return false;
        ops += some;
        n = rest;
    }
    return true;
}

bool
builder_bulk_flush(struct builder *b, struct err *err)
{
    const size_t n = b->n_queue;
    b->n_queue = 0;
    return builder_bulk_take(b, b->queue, n, err);
}
