/* builder_small.c -- builder_small_batch() of builder.h.
 *
 * Nearly all histories have small integers as keys and values, and then most
 * of what builder_bulk.c decides for each operation is known: no tag is looked
 * at, and one word holds a whole operation.  The steps are the same.  The entry
 * of a value in the plain table does not depend on its key, so that is
 * prefetched together with the entry of the key, one batch ahead.
 *
 * SPDX-License-Identifier: MIT */
#include "base/prefetch.h"
#include "history/builder/builder_ahead.h"
#include "history/builder/builder_bulk.h"

_Static_assert(SMALL_WRITE == OP_WRITE, "flags are copied");

/* A batch, and where its operations go. */
struct batch {
    const struct small_op *ops;
    size_t n;
    op_id first;      // id of the first operation
    uint32_t *keys;   // of the history, from there on
    value_id *rows;   // the same
    uint32_t initial; // the initial value, or what no operation has
    txn_id txns[TOGETHER];
};

/* Prefetch the entries of keys and values. */
PREFETCHING void
prefetch_entries(const struct builder *b, const struct small_op *ops, size_t n)
{
    const struct intmap *const ints = &b->key_index[ATOM_INT];
    const size_t n_keys = ints->direct_n, n_values = b->values.direct_n;
    if (!n_keys || !n_values)
        return; // nothing was added so far
    const uint32_t *const keys = ints->direct, *const values = b->values.direct;
    for (size_t i = 0; i < n; i++) {
        const size_t key = ops[i].key & ~SMALL_WRITE, value = ops[i].value;
        __builtin_prefetch(&keys[key < n_keys ? key : 0]);
        __builtin_prefetch(&values[value < n_values ? value : 0]);
    }
}

/* Find the ids of keys and the first rows with the values; prefetch the rows.
 */
static bool
find_entries(struct builder *b, const struct batch *batch, struct err *err)
{
    struct intmap ints = b->key_index[ATOM_INT];
    const uint32_t *const values = b->values.direct;
    const struct value *const all = b->values.all.at;
    const size_t below = b->values.below;
    for (size_t i = 0; i < batch->n; i++) {
        const struct small_op op = batch->ops[i];
        const value_id row = op.value < below ? values[op.value] : 0;
        __builtin_prefetch(&all[row]);
        batch->rows[i] = row;
        const uint32_t name = op.key & ~SMALL_WRITE;
        key_id k = intmap_peek(&ints, name);
        if (__builtin_expect(k == ID_NONE, 0)) {
            if (!builder_intern_key(b, atom_uint(name), &k, err))
                return false;
            ints = b->key_index[ATOM_INT];
        }
        batch->keys[i] = k | (op.key & SMALL_WRITE);
    }
    return true;
}

/* Note who wrote the row of operation i, or that a read came first. */
static void
note(struct builder *b, const struct batch *batch, size_t i)
{
    struct value *const row = &b->values.all.at[batch->rows[i]];
    const bool is_write = batch->keys[i] & OP_WRITE;
    const bool is_first = row->writer == TXN_NONE;
    if (is_write && is_first)
        row->writer = batch->txns[i];
    else if (is_write)
        b->writes_again = true;
    else if (is_first)
        waiting_reads_note(&b->waiting, batch->txns[i],
                           (op_id)(batch->first + i), batch->first);
}

static uint32_t
tagged(uint32_t flagged_key)
{
    return (flagged_key & OP_KEY) | (uint32_t)ATOM_INT << VALUE_TAG_SHIFT;
}

/* Add the values of n operations, given by their places in the batch.  Nearly
 * all of them are new, and written. */
static void
add_missing(struct builder *b, const struct batch *batch,
            const uint8_t *missing, size_t n)
{
    struct values *const v = &b->values;
    const bool is_plain =
        !v->bits.is_wide && capacity_holds(CAPACITY_VALUES, v->all.n + n);
    vec_reserve(&v->all, v->all.n + n);
    vec_reserve(&v->bits.narrow, v->all.n + n);
    for (size_t i = 0; i < n; i++) {
        const size_t op = missing[i];
        const uint32_t value = batch->ops[op].value;
        const uint32_t key = batch->keys[op];
        // A pair can be in the hash table only if that holds anything, which it
        // may since the operation before.
        const bool is_new =
            !v->used &&
            (value < v->below ? !v->direct[value] : value < v->direct_n);
        if (!is_plain || !is_new || !(key & OP_WRITE)) {
            batch->rows[op] = values_add_new(v, key & OP_KEY, atom_uint(value));
            note(b, batch, op);
            continue;
        }
        const value_id row = (value_id)v->all.n;
        assert(v->bits.narrow.n == row && row < v->all.room);
        values_place(v, value, row);
        v->all.at[v->all.n++] = (struct value){tagged(key), batch->txns[op]};
        v->bits.narrow.at[v->bits.narrow.n++] = value;
        batch->rows[op] = row;
    }
}

/* Find the ids of values, given their rows; no branch depends on whether a
 * value is known (builder_bulk.c, find_values).  The initial value is not in
 * the table, so its row is VALUE_INIT already. */
static void
find_values(struct builder *b, const struct batch *batch)
{
    uint8_t missing[TOGETHER], unusual[TOGETHER];
    size_t n_missing = 0, n_unusual = 0;
    const struct value *const known = b->values.all.at;
    for (size_t i = 0; i < batch->n; i++) {
        const uint32_t key = batch->keys[i];
        const struct value row = known[batch->rows[i]];
        const bool is_known = row.key == tagged(key);
        missing[n_missing] = (uint8_t)i;
        n_missing += !is_known & (batch->ops[i].value != batch->initial);
        unusual[n_unusual] = (uint8_t)i;
        n_unusual += is_known & ((key >> 31) | (row.writer == TXN_NONE));
    }
    for (size_t i = 0; i < n_unusual; i++)
        note(b, batch, unusual[i]);
    add_missing(b, batch, missing, n_missing);
}

/* Note whose operations those of the batch are, which is at 'at' among those of
 * the runs.  *run is the run of its first operation, then of its last one. */
static void
take_runs(struct builder *b, struct batch *batch, size_t at,
          const struct small_run **run, const struct small_run *runs_end)
{
    for (size_t i = 0; i < batch->n;) {
        const struct small_run *const next = *run + 1;
        const size_t left = next < runs_end ? next->begin - at : batch->n;
        const size_t end = left < batch->n ? left : batch->n;
        if (end <= i) {
            *run = next;
            continue;
        }
        const txn_id t = (*run)->txn;
        assert(t < b->txn_session.n);
        if (!b->runs.n || vec_top(&b->runs).txn != t)
            vec_push(&b->runs, ((struct op_run){t, (op_id)(batch->first + i)}));
        while (i < end)
            batch->txns[i++] = t;
    }
}

bool
builder_small_batch(struct builder *b, const struct small_op *ops, size_t n,
                    const struct small_run *runs, size_t n_runs,
                    struct err *err)
{
    assert(!b->has_lists);
    if (!builder_bulk_flush(b, err) || !builder_room(b, n, err))
        return false;
    const size_t first = b->op_key.n;
    const struct small_run *const runs_end = runs + n_runs;
    vec_reserve(&b->op_key, first + n);
    vec_reserve(&b->op_value, first + n);
    const bool is_small =
        b->initial.tag == ATOM_INT && b->initial.bits < SMALL_END;
    struct batch batch = {.initial = is_small ? (uint32_t)b->initial.bits
                                              : UINT32_MAX};
    prefetch_entries(b, ops, n < TOGETHER ? n : TOGETHER);
    for (size_t at = 0; at < n; at += batch.n) {
        const size_t rest = n - at;
        batch.n = rest < TOGETHER ? rest : TOGETHER;
        batch.ops = ops + at;
        batch.first = (op_id)(first + at);
        batch.keys = b->op_key.at + batch.first;
        batch.rows = b->op_value.at + batch.first;
        const size_t after = rest - batch.n;
        prefetch_entries(b, batch.ops + batch.n,
                         after < TOGETHER ? after : TOGETHER);
        if (!find_entries(b, &batch, err))
            return false;
        take_runs(b, &batch, at, &runs, runs_end);
        find_values(b, &batch);
        b->op_key.n = b->op_value.n = batch.first + batch.n;
    }
    builder_ahead_publish(b);
    return true;
}
