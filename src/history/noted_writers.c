/* noted_writers.c -- see noted_writers.h.
 *
 * Interning has the row of a value at hand and notes who wrote it.  So marking
 * the operations needs no access to rows, except where a write turns out not
 * to be final or not to count: then the note is taken back, and reads of that
 * value are looked for.  The notes that are left become ids in one pass through
 * the rows.
 *
 * Transactions are marked independently of each other, so each thread has a
 * part of them and a table of keys of its own.  A row is changed only for the
 * one transaction that wrote its value.
 *
 * SPDX-License-Identifier: MIT */
#include "history/noted_writers.h"

#include "base/parallel.h"
#include "base/prefetch.h"

enum {
    AHEAD = 4,          // transactions between a prefetch and its use
    SMALL = 24,         // operations of a small transaction
    PER_PART = 1 << 15, // operations that are worth a thread
};

/* Some of the transactions, as places in h->arrival, some of the values, and
 * what was met. */
struct writer_range {
    struct history *h;
    txn_id begin, end;
    value_id first, after;
    bool writes_initial;  // outside the loading
    u32_vec taken_back;   // values
    const uint64_t *lost; // bit v: value v has lost its writer
    struct waiting_reads waiting;
};

static void
take_back(struct writer_range *p, value_id v)
{
    assert(v < p->h->n_values);
    if (v == VALUE_INIT || p->h->values[v].writer == TXN_NONE)
        return;
    p->h->values[v].writer = TXN_NONE;
    vec_push(&p->taken_back, v);
}

/* Mark an operation on a key that its transaction wrote before, last. */
static void
mark_again(struct writer_range *p, op_id op, op_id last)
{
    struct history *h = p->h;
    if (op_is_write(h, op)) {
        take_back(p, h->op_value[last]);
        h->op_key[last] &= ~OP_FINAL;
        h->op_key[op] |= OP_FINAL;
    } else if (h->op_value[op] != h->op_value[last]) {
        h->op_key[op] |= OP_REJECTED;
    }
}

/* The last write of the key of op before op, from 'begin' on, or ID_NONE. */
static op_id
last_write(const uint32_t *keys, op_id begin, op_id op)
{
    const key_id k = keys[op] & OP_KEY;
    while (op-- > begin)
        if ((keys[op] & (OP_WRITE | OP_KEY)) == (OP_WRITE | k))
            return op;
    return ID_NONE;
}

/* Mark the operations of t; true if it writes an initial value.  Reads and
 * writes alternate unpredictably, so the usual case has no branch that depends
 * on which it is.
 *
 * Whether t wrote a key before tells a table by key.  A small transaction needs
 * none: a word has a bit for each key that was written, by the last bits of the
 * key, and where that bit is not set, the key was not written. */
static inline bool
mark_ops(struct writer_range *p, txn_id t, op_id *table)
{
    struct history *const h = p->h;
    const op_id begin = h->txn_begin[t], end = h->txn_end[t];
    // Copies, because a store to an operation could change the fields of h as
    // far as the compiler knows.
    uint32_t *const keys = h->op_key;
    const value_id *const values = h->op_value;
    bool writes_initial = false;
    uint64_t written = 0;
    for (op_id op = begin; op < end; op++) {
        const uint32_t flags = keys[op];
        const uint64_t is_write = flags / OP_WRITE;
        op_id last = ID_NONE;
        if (table) {
            last = table[flags & OP_KEY];
            table[flags & OP_KEY] = is_write ? op : last;
        } else {
            if (written >> flags % 64 & 1)
                last = last_write(keys, begin, op);
            written |= is_write << flags % 64;
        }
        writes_initial |= is_write & (values[op] == VALUE_INIT);
        if (last >= begin && last < op)
            mark_again(p, op, last);
        else
            keys[op] = flags | OP_FINAL;
    }
    return writes_initial;
}

PREFETCHING void
prefetch_keys(const struct history *h, txn_id t, const op_id *table)
{
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
        __builtin_prefetch(&table[op_key(h, op)], 1);
}

static op_id *
new_table(const struct history *h)
{
    op_id *table = mem_alloc(h->n_keys, sizeof *table);
    memset(table, 0xff, h->n_keys * sizeof *table);
    return table;
}

static bool
is_small(const struct history *h, txn_id t)
{
    return h->txn_end[t] - h->txn_begin[t] <= SMALL;
}

static void
mark_part(void *parts, size_t number)
{
    struct writer_range *const p = (struct writer_range *)parts + number;
    const struct history *const h = p->h;
    op_id *table = NULL;
    for (txn_id i = p->begin; i < p->end; i++) {
        const txn_id t = h->arrival[i];
        if (!table && !is_small(h, t))
            table = new_table(h);
        // Of this part only: other threads mark the operations of the others.
        if (table && i + AHEAD < p->end)
            prefetch_keys(h, h->arrival[i + AHEAD], table);
        const bool writes =
            is_small(h, t) ? mark_ops(p, t, NULL) : mark_ops(p, t, table);
        p->writes_initial |= writes && h->txn_status[t] != TXN_LOADING;
        if (h->txn_counts[t])
            continue;
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
            if (op_is_write(h, op))
                take_back(p, h->op_value[op]);
    }
    mem_free(table);
}

static void
name_part(void *parts, size_t number)
{
    const struct writer_range *const p =
        (const struct writer_range *)parts + number;
    struct value *const rows = p->h->values;
    const txn_id *const arrival = p->h->arrival;
    for (value_id v = p->first; v < p->after; v++) {
        const txn_id noted = rows[v].writer;
        assert(noted == TXN_NONE || noted < p->h->n_txns);
        if (noted != TXN_NONE)
            rows[v].writer = arrival[noted];
    }
}

/* Note the external reads of values that have lost their writer. */
static void
find_lost_reads(void *parts, size_t number)
{
    struct writer_range *const p = (struct writer_range *)parts + number;
    const struct history *const h = p->h;
    for (txn_id i = p->begin; i < p->end; i++) {
        const txn_id t = h->arrival[i];
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
            const value_id v = h->op_value[op];
            if ((p->lost[v / 64] >> v % 64 & 1) && op_is_external_read(h, op))
                waiting_reads_note(&p->waiting, t, op, h->n_ops);
        }
    }
}

/* Add the reads of what was taken back to those that wait. */
static void
add_lost_reads(struct writer_range *parts, size_t n, struct waiting_reads *w)
{
    uint64_t *lost = NULL;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < parts[i].taken_back.n; j++) {
            const value_id v = parts[i].taken_back.at[j];
            if (!lost)
                lost = mem_calloc(parts[i].h->n_values / 64 + 1, sizeof *lost);
            lost[v / 64] |= UINT64_C(1) << v % 64;
        }
    if (!lost || w->too_many) {
        mem_free(lost);
        return;
    }
    for (size_t i = 0; i < n; i++)
        parts[i].lost = lost;
    parallel_for((unsigned)n, n, find_lost_reads, parts);
    for (size_t i = 0; i < n; i++) {
        const struct waiting_reads *own = &parts[i].waiting;
        w->too_many |= own->too_many;
        for (size_t j = 0; j < own->reads.n; j++)
            vec_push(&w->reads, ((struct waiting_read){own->reads.at[j].txn,
                                                       own->reads.at[j].op}));
        vec_free(&parts[i].waiting.reads);
    }
    mem_free(lost);
}

bool
noted_writers_use(struct history *h, unsigned threads, struct waiting_reads *w)
{
    assert(h->txn_counts && !h->key_is_list);
    struct writer_range parts[PARALLEL_MOST];
    size_t n = h->n_ops / PER_PART + 1;
    n = n < threads ? n : threads;
    n = n < PARALLEL_MOST ? n : PARALLEL_MOST;
    assert(n > 0);
    const uint64_t n_named = h->n_values - 1; // not the first, VALUE_INIT
    for (size_t i = 0; i < n; i++)
        parts[i] = (struct writer_range){
            .h = h,
            .begin = (txn_id)((uint64_t)h->n_txns * i / n),
            .end = (txn_id)((uint64_t)h->n_txns * (i + 1) / n),
            .first = 1 + (value_id)(n_named * i / n),
            .after = 1 + (value_id)(n_named * (i + 1) / n)};
    parallel_for((unsigned)n, n, mark_part, parts);
    bool writes_initial = false;
    for (size_t i = 0; i < n; i++)
        writes_initial |= parts[i].writes_initial;
    if (!writes_initial) {
        parallel_for((unsigned)n, n, name_part, parts);
        add_lost_reads(parts, n, w);
    }
    for (size_t i = 0; i < n; i++)
        vec_free(&parts[i].taken_back);
    return writes_initial;
}
