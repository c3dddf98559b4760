/* builder_bulk.c -- see builder_bulk.h.
 *
 * An operation needs the id of its key, then the id of its value, then the row
 * of that value: three accesses to tables that do not fit into the cache, each
 * of which depends on the one before.  So every step is made for a batch of
 * operations before the next step, and prefetches what that will access.
 *
 * SPDX-License-Identifier: MIT */
#include "history/builder/builder_bulk.h"

#include "base/prefetch.h"
#include "history/builder/builder_ahead.h"

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

/* Prefetch the key-index entries of n operations. */
PREFETCHING void
prefetch_keys(const struct builder *b, const struct raw_op *ops, size_t n)
{
    const struct intmap ints = b->key_index[ATOM_INT];
    for (size_t i = 0; i < n; i++)
        if (ops[i].key_is_id)
            continue;
        else if (ops[i].key_tag == ATOM_INT)
            intmap_prefetch(&ints, ops[i].key);
        else
            intmap_prefetch(&b->key_index[ops[i].key_tag], ops[i].key);
}

/* Find the ids of keys, and prefetch the entries of values. */
static bool
find_keys(struct builder *b, const struct raw_op *ops, size_t n, key_id *keys,
          struct err *err)
{
    for (size_t i = 0; i < n; i++) {
        keys[i] = ops[i].key_is_id
                      ? (key_id)ops[i].key
                      : intmap_peek(&b->key_index[ops[i].key_tag], ops[i].key);
        if (keys[i] == UINT32_MAX &&
            !builder_intern_key(b, key_of(&ops[i]), &keys[i], err))
            return false;
        values_prefetch(&b->values, keys[i], value_of(&ops[i]));
    }
    return true;
}

/* Find the first rows with the values, and prefetch those rows. */
static void
find_rows(const struct values *v, const struct raw_op *ops, size_t n,
          value_id *rows)
{
    const struct values fields = *v; // which no store here can change
    for (size_t i = 0; i < n; i++) {
        rows[i] = values_peek(&fields, value_of(&ops[i]));
        __builtin_prefetch(&fields.all.at[rows[i]]);
    }
}

/* Note who wrote value v, or that a read came before any write of it. */
static inline void
note_writer(struct builder *b, const struct raw_op *op, value_id v, size_t at)
{
    struct value *const row = &b->values.all.at[v];
    const bool is_first = row->writer == TXN_NONE;
    if (op->is_write && is_first)
        row->writer = op->txn;
    else if (op->is_write)
        b->writes_again = true;
    else if (is_first)
        waiting_reads_note(&b->waiting, op->txn, (op_id)at, b->op_key.n);
}

/* Find the ids of values, given those rows.  Whether a value is known, new or
 * the initial one is as good as random, so no branch depends on it: the unknown
 * ones are gathered first and added afterwards.  Nor does a branch depend on
 * what is usual, a read of a value that has a writer. */
static void
find_values(struct builder *b, const struct raw_op *ops, size_t n,
            const key_id *keys, value_id *rows)
{
    uint8_t missing[TOGETHER], unusual[TOGETHER];
    size_t n_missing = 0, n_unusual = 0;
    const struct atom initial = b->initial;
    const struct value *const known = b->values.all.at;
    for (size_t i = 0; i < n; i++) {
        const uint32_t tag = ops[i].value_tag;
        const bool is_initial =
            (tag == ATOM_NIL) |
            ((tag == (uint32_t)initial.tag) & (ops[i].value == initial.bits));
        const uint32_t tagged_key = keys[i] | tag << VALUE_TAG_SHIFT;
        const struct value row = known[rows[i]];
        const bool is_known = row.key == tagged_key;
        rows[i] = is_initial ? VALUE_INIT : rows[i];
        missing[n_missing] = (uint8_t)i;
        n_missing += !(is_initial | is_known);
        unusual[n_unusual] = (uint8_t)i;
        n_unusual += !is_initial & is_known &
                     (ops[i].is_write | (row.writer == TXN_NONE));
    }
    // Operations on one value are all among the former or all among the latter.
    const size_t first = b->op_key.n;
    for (size_t i = 0; i < n_unusual; i++) {
        const size_t op = unusual[i];
        note_writer(b, &ops[op], rows[op], first + op);
    }
    for (size_t i = 0; i < n_missing; i++) {
        const size_t op = missing[i];
        rows[op] = values_add_new(&b->values, keys[op], value_of(&ops[op]));
        note_writer(b, &ops[op], rows[op], first + op);
    }
}

static bool
add_batch(struct builder *b, const struct raw_op *ops, size_t n,
          struct err *err)
{
    assert(n <= TOGETHER && !b->has_lists);
    key_id keys[TOGETHER];
    value_id values[TOGETHER];
    if (!find_keys(b, ops, n, keys, err))
        return false;
    find_rows(&b->values, ops, n, values);
    find_values(b, ops, n, keys, values);
    txn_id last = b->runs.n ? vec_top(&b->runs).txn : TXN_NONE;
    const size_t first = b->op_key.n;
    vec_grow(&b->op_key, n);
    vec_grow(&b->op_value, n);
    memcpy(b->op_value.at + first, values, n * sizeof *values);
    uint32_t *to = b->op_key.at + first;
    for (size_t i = 0; i < n; i++) {
        assert(ops[i].txn < b->txn_session.n && values[i] < b->values.all.n);
        to[i] = keys[i] | (uint32_t)ops[i].is_write * OP_WRITE;
        if (ops[i].txn != last) {
            last = ops[i].txn;
            vec_push(&b->runs, ((struct op_run){last, (op_id)(first + i)}));
        }
    }
    return true;
}

bool
builder_bulk_add(struct builder *b, const struct raw_op *ops, size_t n,
                 struct err *err)
{
    if (!builder_room(b, n, err))
        return false;
    prefetch_keys(b, ops, n < TOGETHER ? n : TOGETHER);
    while (n) {
        const size_t some = n < TOGETHER ? n : TOGETHER;
        const size_t rest = n - some;
        prefetch_keys(b, ops + some, rest < TOGETHER ? rest : TOGETHER);
        if (!add_batch(b, ops, some, err))
            return false;
        ops += some;
        n = rest;
    }
    builder_ahead_publish(b);
    return true;
}

bool
builder_bulk_flush(struct builder *b, struct err *err)
{
    assert(b->n_queue <= TOGETHER);
    const size_t n = b->n_queue;
    b->n_queue = 0;
    return builder_bulk_add(b, b->queue, n, err);
}
