/* reduced_rows.c -- see reduced_rows.h.
 *
 * A query observes all rows of its table, so one of which only some reads stay
 * would claim that it missed the other rows.  And a read that stays
 * needs all versions that it may have seen.  So operations are kept, more
 * and more of them, until
 *
 *   (1) a transaction that keeps an operation on a row keeps all its writes of
 *       the row;
 *   (2) the writers of what a read saw are kept, as far as they may count: the
 *       others would be offered to it without what speaks against them;
 *   (3) of a row that a query missed, a version is kept that matches, for
 *       otherwise the query would say nothing of it;
 *   (4) a query keeps its read of each row of which something is kept: if it
 *       returned the row, or if a version is kept that matches;
 *   (5) a transaction of unknown outcome keeps everything: what it read may be
 *       why it cannot count.
 *
 * (1) and (2) hold for registers as well.
 *
 * With (2) the part satisfies every level that the whole satisfies; with (3)
 * and (4), reading what is written of it gives these reads and no others.
 *
 * SPDX-License-Identifier: MIT */
#include "explain/reduce/reduced_rows.h"

#include "base/container/sorted.h"
#include "explain/reduce/row_ops.h"
#include "explain/reduce/subhistory.h"
#include "history/row/row_log_copy.h"
#include "history/row/row_text.h"
#include "history/unchecked.h"

struct keeping {
    const struct history *h;
    const struct row_log *l;
    struct row_ops of;
    uint8_t *stays;          // by transaction, whatever it keeps
    uint8_t *kept;           // by operation
    uint8_t *known;          // by row: something of it is kept
    uint8_t *wanted;         // by value: a read that is kept saw it
    uint8_t *wanted_initial; // by key: the same of its initial value
    uint8_t *matched; // by key, of a condition: a version is kept that matches
    uint32_t *stamp;  // by place: the transaction that has it, plus 1
    bool changed;
};

static row_id
row_of(const struct keeping *k, op_id op)
{
    return k->of.row[op_key(k->h, op)];
}

/* The row of an operation, or beyond all rows the register. */
static size_t
place_of(const struct keeping *k, op_id op)
{
    return k->of.entry[op] != ID_NONE ? row_of(k, op)
                                      : k->l->rows.n + op_key(k->h, op);
}

static bool
is_initial(const struct keeping *k, op_id op)
{
    return history_value_atom(k->h, k->h->op_value[op]).tag == ATOM_NIL;
}

static void
keep(struct keeping *k, op_id op)
{
    if (op_is_ignored(k->h, op))
        return;
    k->changed |= !k->kept[op];
    k->kept[op] = 1;
}

/* The condition of the query that op is a read of, which missed the row. */
static bool
is_missed(const struct keeping *k, op_id op)
{
    return !op_is_write(k->h, op) && k->of.returned[op] == ID_NONE &&
           row_text_condition(k->h, op_key(k->h, op));
}

/* Note what is kept. */
static void
note_kept(struct keeping *k)
{
    const struct history *h = k->h;
    for (op_id op = 0; op < h->n_ops; op++) {
        if (!k->kept[op])
            continue;
        const key_id key = op_key(h, op);
        if (k->of.entry[op] != ID_NONE)
            k->known[row_of(k, op)] = 1;
        if (op_is_write(h, op)) {
            if (row_text_condition(h, key) && row_text_matches(h, op))
                k->matched[key] = 1;
        } else if (is_initial(k, op)) {
            k->wanted_initial[key] = 1;
        } else {
            k->wanted[h->op_value[op]] = 1;
        }
    }
    for (key_id key = 0; key < h->n_keys; key++)
        if (history_key_is_row(h, key) && k->known[k->of.row[key]] &&
            strcmp(strings_get(&h->strings, h->key_rows[key].initial).text,
                   "none") != 0)
            k->matched[key] = 1;
}

/* (1), (2) and (5) */
static void
keep_writes(struct keeping *k, txn_id t)
{
    const struct history *h = k->h;
    bool any = false;
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
        if (h->txn_counts[t] && op_is_write(h, op) &&
            (is_initial(k, op) ? k->wanted_initial[op_key(h, op)]
                               : k->wanted[h->op_value[op]]))
            keep(k, op);
        if (k->kept[op])
            k->stamp[place_of(k, op)] = t + 1;
        any |= k->kept[op];
    }
    any = any && h->txn_status[t] == TXN_INDETERMINATE;
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
        if (!op_is_of_list(h, op) &&
            (any || (op_is_write(h, op) && k->stamp[place_of(k, op)] == t + 1)))
            keep(k, op);
}

/* (3) */
static void
keep_matching(struct keeping *k)
{
    const struct history *h = k->h;
    uint8_t *missed = mem_calloc(h->n_keys, sizeof *missed);
    for (op_id op = 0; op < h->n_ops; op++)
        if (k->kept[op] && k->of.entry[op] != ID_NONE && is_missed(k, op))
            missed[op_key(h, op)] = !k->matched[op_key(h, op)];
    for (int any = 0; any < 2; any++) // see (2)
        for (txn_id t = 0; t < h->n_txns; t++)
            for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
                const key_id key = op_key(h, op);
                if (!missed[key] || !op_is_write(h, op) ||
                    !row_text_matches(h, op) ||
                    (!any && !h->txn_counts[t] &&
                     h->txn_status[t] == TXN_INDETERMINATE))
                    continue;
                keep(k, op);
                missed[key] = 0;
            }
    mem_free(missed);
}

/* (4), for the operations from 'begin' on of one query. */
static op_id
keep_query(struct keeping *k, op_id begin, op_id end)
{
    const uint32_t entry = k->of.entry[begin];
    bool any = false;
    op_id op = begin;
    for (; op < end && k->of.entry[op] == entry; op++)
        any |= k->kept[op];
    for (op_id i = begin; any && i < op; i++)
        if (k->known[row_of(k, i)] &&
            (k->of.returned[i] != ID_NONE || k->matched[op_key(k->h, i)]))
            keep(k, i);
    return op;
}

static void
keep_queries(struct keeping *k, txn_id t)
{
    const struct history *h = k->h;
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t];) {
        const uint32_t entry = k->of.entry[op];
        if (entry != ID_NONE && k->l->entries.at[entry].kind == ROW_QUERY)
            op = keep_query(k, op, h->txn_end[t]);
        else
            op++;
    }
}

static void
keep_all(struct keeping *k)
{
    do {
        k->changed = false;
        note_kept(k);
        for (txn_id t = 0; t < k->h->n_txns; t++)
            keep_writes(k, t);
        keep_matching(k);
        for (txn_id t = 0; t < k->h->n_txns; t++)
            keep_queries(k, t);
    } while (k->changed);
}

/* --- the log --------------------------------------------------------------*/

/* Add the entry of the operations from 'begin' on, and return where they end.
 */
static op_id
add_entry(const struct keeping *k, op_id begin, op_id end, txn_id t,
          struct row_log *to)
{
    const struct row_log *l = k->l;
    const uint32_t entry = k->of.entry[begin];
    const struct row_entry *e = &l->entries.at[entry];
    struct row_entry made = {.kind = e->kind,
                             .is_insert = e->is_insert,
                             .is_check = e->is_check,
                             .marks = e->marks,
                             .txn = t};
    uint32_t returned = 0;
    op_id op = begin;
    for (; op < end && k->of.entry[op] == entry; op++) {
        if (!k->kept[op] || k->of.returned[op] == ID_NONE)
            continue;
        const struct row_entry *f = &l->entries.at[k->of.returned[op]];
        const row_id row = row_log_copy_row(l, f->row, to);
        vec_push(&to->entries, ((struct row_entry){.kind = ROW_RETURNED,
                                                   .txn = t,
                                                   .row = row,
                                                   .content = row_log_copy_seen(
                                                       l, f->content, to)}));
        returned++;
    }
    if (e->kind == ROW_QUERY) {
        const struct row_query *q = &l->queries.at[e->about];
        const struct string table =
            strings_get(&l->names, l->tables.at[q->table].name);
        made.about = (uint32_t)to->queries.n;
        vec_push(&to->queries,
                 ((struct row_query){
                     .table = row_log_table(to, table.text, table.len),
                     .condition = row_log_copy_condition(l, q->condition, to),
                     .returned = returned,
                     .is_check = q->is_check,
                     .is_unordered = q->is_unordered}));
    } else {
        made.row = row_log_copy_row(l, e->row, to);
        made.content = e->kind == ROW_WRITE
                           ? row_log_copy_version(l, e->content, to, made.row)
                           : row_log_copy_seen(l, e->content, to);
    }
    vec_push(&to->entries, made);
    return op;
}

/* Add the entries of the transaction 'from', which is t of the part. */
static void
add_entries(const struct keeping *k, txn_id from, txn_id t, struct row_log *to)
{
    const struct history *h = k->h;
    bool any = false;
    for (op_id op = h->txn_begin[from]; op < h->txn_end[from];) {
        if (k->kept[op] && k->of.entry[op] != ID_NONE) {
            // A query may have reads that go before this one.
            op_id begin = op;
            while (begin > h->txn_begin[from] &&
                   k->of.entry[begin - 1] == k->of.entry[op])
                begin--;
            op = add_entry(k, begin, h->txn_end[from], t, to);
            any = true;
            continue;
        }
        if (k->kept[op] && any) { // (1) of row_put.c
            vec_push(&to->entries,
                     ((struct row_entry){.kind = ROW_OTHER,
                                         .txn = t,
                                         .about = (uint32_t)to->others.n}));
            vec_push(&to->others,
                     ((struct row_other){.is_write = op_is_write(h, op)}));
        }
        op++;
    }
}

static bool
make_part(const struct keeping *k, bool count, struct history *out,
          struct err *err)
{
    const struct history *h = k->h;
    u32_vec txns = {0}, ops = {0};
    struct row_log *log = row_log_new();
    for (row_id row = 0; row < k->l->rows.n; row++) // in the same order
        if (k->known[row])
            row_log_copy_row(k->l, row, log);
    for (txn_id t = 0; t < h->n_txns; t++) {
        const size_t before = ops.n;
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
            if (k->kept[op])
                vec_push(&ops, op);
        if (ops.n == before && !k->stays[t])
            continue;
        add_entries(k, t, (txn_id)txns.n, log);
        vec_push(&txns, t);
    }
    row_log_drop_prev(log);
    sorted_unique(&ops);
    txn_id *origin = mem_alloc(txns.n, sizeof *origin);
    const struct subhistory_selection selection = {.txns = txns.at,
                                                   .n = txns.n,
                                                   .only = ops.at,
                                                   .n_only = ops.n,
                                                   .inconsistent = true,
                                                   .count = count};
    const bool ok = subhistory_make(h, &selection, out, origin, err);
    if (ok) {
        out->rows = log;
        history_share_unchecked(out);
    } else {
        row_log_free(log);
    }
    mem_free(origin);
    vec_free(&txns);
    vec_free(&ops);
    return ok;
}

bool
reduced_rows_make(const struct history *h, const op_id *ops, size_t n,
                  const u32_vec *txns, bool count, struct history *out,
                  struct err *err)
{
    assert(h->rows);
    struct keeping k = {.h = h, .l = h->rows};
    const size_t rows = h->rows->rows.n;
    row_ops_init(&k.of, h);
    k.stays = mem_calloc(h->n_txns, sizeof *k.stays);
    k.kept = mem_calloc(h->n_ops, sizeof *k.kept);
    k.known = mem_calloc(rows, sizeof *k.known);
    k.wanted = mem_calloc(h->n_values, sizeof *k.wanted);
    k.wanted_initial = mem_calloc(h->n_keys, sizeof *k.wanted_initial);
    k.matched = mem_calloc(h->n_keys, sizeof *k.matched);
    k.stamp = mem_calloc(rows + h->n_keys, sizeof *k.stamp);
    for (size_t i = 0; i < n; i++)
        keep(&k, ops[i]);
    keep_all(&k);
    for (size_t i = 0; i < txns->n; i++)
        k.stays[txns->at[i]] = 1;
    const bool ok = make_part(&k, count, out, err);
    row_ops_free(&k.of);
    mem_free(k.stays);
    mem_free(k.kept);
    mem_free(k.known);
    mem_free(k.wanted);
    mem_free(k.wanted_initial);
    mem_free(k.matched);
    mem_free(k.stamp);
    return ok;
}
