/* resolve.c -- see resolve.h.
 *
 * In order:
 *   1. transactions that only record the initial values become part of INIT;
 *   2. per transaction: which writes are final, which reads external, and
 *      whether internal reads saw the write before them;
 *   3. keys whose initial value is written again get a value id for it (H3);
 *   4. each value gets its writer, or a mark that it has several;
 *      (Where constraint checks are left out, their reads lose their marks.)
 *   5. indeterminate transactions count, may count or are left out
 *      (indeterminate.c);
 *   6. the several writers of a value are collected;
 *   7. external reads without a possible writer are rejected.
 *
 * Where the builder has noted the writers, steps 2 and 4 are left to
 * noted_writers.h.
 *
 * "The last write of key k in this transaction" needs no set: last_write[k]
 * is an operation, and it is this transaction's exactly when it lies in the
 * transaction's range.
 *
 * Everything is linear in the operations and goes through them in memory order,
 * with prefetches of keys and values.  Step 5 sorts the operations of
 * indeterminate transactions, of which there are few.
 *
 * SPDX-License-Identifier: MIT */
#include "history/resolve.h"

#include "base/prefetch.h"
#include "history/indeterminate.h"
#include "history/noted_writers.h"

enum { AHEAD = 24 }; // operations between a prefetch and its use

/* --- 1 ------------------------------------------------------------------ */

static bool
only_loads(const struct history *h, txn_id t)
{
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
        if (!op_is_write(h, op) || h->op_value[op] != VALUE_INIT ||
            op_is_of_row(h, op)) // whose versions are all different
            return false;
    return h->txn_begin[t] < h->txn_end[t];
}

static void
find_loading(struct history *h, bool keep)
{
    for (session_id s = 0; s < h->n_sessions; s++) {
        const txn_id t = h->session_first[s];
        if (!keep && t < h->session_first[s + 1] &&
            h->txn_status[t] == TXN_COMMITTED && only_loads(h, t))
            h->txn_status[t] = TXN_LOADING;
    }
    h->txn_counts = mem_alloc(h->n_txns, sizeof *h->txn_counts);
    for (txn_id t = 0; t < h->n_txns; t++)
        h->txn_counts[t] =
            h->txn_status[t] == TXN_COMMITTED ? TXN_COUNTS : TXN_LEFT_OUT;
}

/* --- 2 ------------------------------------------------------------------ */

PREFETCHING void
prefetch_value(const struct history *h, op_id op)
{
    if (op + AHEAD < h->n_ops)
        __builtin_prefetch(&h->values[h->op_value[op + AHEAD]]);
}

void
waiting_reads_note(struct waiting_reads *w, txn_id t, op_id op, size_t n_ops)
{
    if (w->too_many)
        return;
    if (w->reads.n > n_ops / MOST_WAITING) {
        w->too_many = true;
        vec_free(&w->reads);
        return;
    }
    vec_push(&w->reads, ((struct waiting_read){t, op}));
}

/* Mark an operation on a key that its transaction wrote before, last. */
static void
mark_again(struct history *h, op_id op, op_id last)
{
    if (op_is_write(h, op)) {
        h->op_key[last] &= ~OP_FINAL;
        h->op_key[op] |= OP_FINAL;
    } else if (h->op_value[op] != h->op_value[last]) {
        h->op_key[op] |= OP_REJECTED;
    }
}

/* Mark the operations of t; true if it writes an initial value.  Reads and
 * writes alternate unpredictably, so the usual case has no branch that depends
 * on which it is. */
static bool
mark_ops(struct history *h, txn_id t, op_id *last_write,
         struct waiting_reads *w)
{
    const op_id begin = h->txn_begin[t], end = h->txn_end[t];
    const bool counts = h->txn_counts[t];
    // Copies, because a store to an operation could change the fields of h as
    // far as the compiler knows.
    const op_id n_ops = h->n_ops;
    uint32_t *const keys = h->op_key;
    const value_id *const values = h->op_value;
    const struct value *const rows = h->values;
    bool writes_initial = false;
    for (op_id op = begin; op < end; op++) {
        const op_id later = op + AHEAD < n_ops ? op + AHEAD : op;
        __builtin_prefetch(&last_write[keys[later] & OP_KEY]);
        __builtin_prefetch(&rows[values[later]]); // note_writes comes next
        const uint32_t flags = keys[op];
        const value_id value = values[op];
        const bool is_write = (flags & OP_WRITE) != 0;
        const bool is_initial = value == VALUE_INIT;
        op_id *place = &last_write[flags & OP_KEY];
        const op_id last = *place;
        assert(last == ID_NONE || op_is_write(h, last));
        *place = is_write ? op : last;
        writes_initial |= is_write & is_initial;
        if (last >= begin && last < op) {
            mark_again(h, op, last);
            continue;
        }
        keys[op] = flags | OP_FINAL;
        if (counts & !is_write & !is_initial & (rows[value].writer == TXN_NONE))
            waiting_reads_note(w, t, op, n_ops);
    }
    return writes_initial;
}

/* --- 3 ------------------------------------------------------------------ */

/* Give each key whose initial value is written again by a transaction outside
 * the loading an id for that value, and use it. */
static void
name_rewritten_initials(struct history *h)
{
    value_id *initial_of = mem_alloc(h->n_keys, sizeof *initial_of);
    for (key_id k = 0; k < h->n_keys; k++)
        initial_of[k] = VALUE_INIT;
    u32_vec added = {0}; // keys
    for (txn_id t = 0; t < h->n_txns; t++)
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
            const key_id k = op_key(h, op);
            if (h->txn_status[t] == TXN_LOADING || !op_is_write(h, op) ||
                h->op_value[op] != VALUE_INIT || initial_of[k] != VALUE_INIT)
                continue;
            initial_of[k] =
                capacity_index(CAPACITY_VALUES, h->n_values + added.n);
            vec_push(&added, k);
        }
    h->values = mem_realloc(h->values, (size_t)h->n_values + added.n,
                            sizeof *h->values);
    for (size_t i = 0; i < added.n; i++) {
        h->values[h->n_values++] = (struct value){
            added.at[i] | (uint32_t)h->initial.tag << VALUE_TAG_SHIFT,
            TXN_INIT};
        column_push(&h->value_bits, h->initial.bits);
    }
    vec_free(&added);
    for (op_id op = 0; op < h->n_ops; op++)
        if (h->op_value[op] == VALUE_INIT)
            h->op_value[op] = initial_of[op_key(h, op)];
    mem_free(initial_of);
}

/* --- 4 ------------------------------------------------------------------ */

/* Note t as the writer of its final writes; *n_several counts the values that
 * turn out to have several. */
static void
note_writes(struct history *h, txn_id t, uint32_t *n_several)
{
    const op_id end = h->txn_end[t];
    const value_id *const values = h->op_value;
    struct value *const rows = h->values;
    for (op_id op = h->txn_begin[t]; op < end; op++) {
        struct value none = {0, TXN_NONE}; // a target instead of a branch
        struct value *value =
            op_is_final_write(h, op) ? &rows[values[op]] : &none;
        if (value->writer == TXN_NONE)
            value->writer = t;
        else if (!(value->writer & WRITER_MANY) || value->writer == TXN_INIT)
            value->writer = WRITER_MANY | (*n_several)++;
    }
}

/* Steps 3 and 4 once more, after step 2 met a write of an initial value. */
static uint32_t
rename_and_note(struct history *h, struct waiting_reads *w)
{
    w->too_many = true; // the ids of values change
    for (value_id v = 0; v < h->n_values; v++)
        h->values[v].writer = v == VALUE_INIT ? TXN_INIT : TXN_NONE;
    name_rewritten_initials(h);
    uint32_t n_several = 0;
    for (txn_id i = 0; i < h->n_txns; i++)
        if (h->txn_counts[h->arrival[i]])
            note_writes(h, h->arrival[i], &n_several);
    return n_several;
}

/* Steps 2 to 4.  Writers are noted right after the marks, while the rows are
 * in the cache; where step 3 turns out to be needed, that is done again. */
static uint32_t
find_writers(struct history *h, struct waiting_reads *w)
{
    op_id *last_write = mem_alloc(h->n_keys, sizeof *last_write);
    memset(last_write, 0xff, h->n_keys * sizeof *last_write);
    bool writes_initial = false;
    uint32_t n_several = 0;
    for (txn_id i = 0; i < h->n_txns; i++) {
        const txn_id t = h->arrival[i];
        const bool writes = mark_ops(h, t, last_write, w);
        writes_initial |= writes && h->txn_status[t] != TXN_LOADING;
        if (h->txn_counts[t])
            note_writes(h, t, &n_several);
    }
    mem_free(last_write);
    return writes_initial ? rename_and_note(h, w) : n_several;
}

/* The same where the builder has noted the writers. */
static uint32_t
use_noted_writers(struct history *h, unsigned threads, struct waiting_reads *w)
{
    return noted_writers_use(h, threads, w) ? rename_and_note(h, w) : 0;
}

/* --- 5 ------------------------------------------------------------------ */

static void
decide_indeterminate(struct history *h, uint32_t *n_several)
{
    indeterminate_decide(h);
    for (txn_id t = 0; t < h->n_txns; t++)
        if (h->txn_status[t] == TXN_INDETERMINATE && h->txn_counts[t])
            note_writes(h, t, n_several);
}

/* --- 6 ------------------------------------------------------------------ */

#define EACH_FINAL_WRITE(h, t, op)                                             \
    for (txn_id t = 0; t < (h)->n_txns; t++)                                   \
        if ((h)->txn_counts[t])                                                \
            for (op_id op = (h)->txn_begin[t]; op < (h)->txn_end[t]; op++)     \
                if (op_is_final_write((h), op))

static bool
init_is_candidate(const struct history *h, value_id v)
{
    const key_id k = h->values[v].key & OP_KEY;
    return history_has_several(h, v) &&
           !(h->key_is_list && h->key_is_list[k]) &&
           atom_equal(history_value_atom(h, v), h->initial);
}

static uint32_t
several_index(const struct history *h, value_id v)
{
    return h->values[v].writer & ~WRITER_MANY;
}

/* Collect the writers of the n values that have several. */
static void
collect_several(struct history *h, uint32_t n)
{
    vec_grow(&h->several_first, (size_t)n + 2);
    uint32_t *first = h->several_first.at, *next = first + 1;
    memset(first, 0, ((size_t)n + 2) * sizeof *first);
    for (value_id v = 1; v < h->n_values; v++)
        if (init_is_candidate(h, v))
            next[several_index(h, v) + 1]++;
    EACH_FINAL_WRITE(h, t, op)
    if (history_has_several(h, h->op_value[op]))
        next[several_index(h, h->op_value[op]) + 1]++;
    for (uint32_t i = 0; i < n; i++)
        next[i + 1] += next[i];
    assert(next[n] >= 2 * (size_t)n); // each of them has two at least
    vec_grow(&h->several, next[n]);
    for (value_id v = 1; v < h->n_values; v++)
        if (init_is_candidate(h, v))
            h->several.at[next[several_index(h, v)]++] = TXN_INIT;
    EACH_FINAL_WRITE(h, t, op)
    if (history_has_several(h, h->op_value[op]))
        h->several.at[next[several_index(h, h->op_value[op])]++] = t;
    h->several_first.n = (size_t)n + 1;
}

/* --- 7 ------------------------------------------------------------------ */

/* Whether v has a writer other than t. */
static inline bool
has_other_writer(const struct history *h, value_id v, txn_id t)
{
    const txn_id w = history_writer(h, v);
    if (!(w & WRITER_MANY))
        return w != t; // the usual case: the only writer
    if (w == TXN_NONE || w == t)
        return false;
    return !history_has_several(h, v) || history_candidates(h, v).n > 1 ||
           history_candidates(h, v).at[0] != t;
}

static inline void
check_read(struct history *h, txn_id t, op_id op)
{
    if (op_is_external_read(h, op) && !has_other_writer(h, h->op_value[op], t))
        h->op_key[op] |= OP_REJECTED;
}

static void
reject_unserved(struct history *h, const struct waiting_reads *w)
{
    if (!w->too_many) {
        for (size_t i = 0; i < w->reads.n; i++)
            if (h->txn_counts[w->reads.at[i].txn])
                check_read(h, w->reads.at[i].txn, w->reads.at[i].op);
        return;
    }
    for (txn_id i = 0; i < h->n_txns; i++) {
        const txn_id t = h->arrival[i];
        if (!h->txn_counts[t])
            continue;
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
            prefetch_value(h, op);
            check_read(h, t, op);
        }
    }
}

void
history_resolve(struct history *h, struct resolve_options *o)
{
    assert(!h->txn_counts && !h->several.n); // only once
    struct waiting_reads *w = &o->waiting;
    find_loading(h, o->keep_loading);
    uint32_t n_several = o->writers_noted ? use_noted_writers(h, o->threads, w)
                                          : find_writers(h, w);
    for (op_id op = 0; h->ignores_checks && op < h->n_ops; op++)
        if (op_is_ignored(h, op))
            h->op_key[op] &= ~(OP_EXTERNAL | OP_REJECTED);
    bool indeterminate = false;
    for (txn_id t = 0; t < h->n_txns; t++)
        indeterminate |= h->txn_status[t] == TXN_INDETERMINATE;
    if (indeterminate) {
        decide_indeterminate(h, &n_several);
        w->too_many = true; // more transactions count now
    }
    if (n_several)
        collect_several(h, n_several);
    reject_unserved(h, w);
    vec_free(&w->reads);
}
