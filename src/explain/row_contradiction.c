/* row_contradiction.c -- see row_contradiction.h.
 *
 * Let t read x from a and y from b, two registers of one row.  If a and b
 * differ, both wrote x and y and both precede t, so read atomic puts a before
 * b and b before a; the initial state, which precedes all, is no exception.  So
 * it suffices that no transaction may have written both x and y as they were
 * read.
 *
 * SPDX-License-Identifier: MIT */
#include "explain/row_contradiction.h"

#include "base/container/sorted.h"
#include "depend/reads.h"
#include "explain/reduce/subhistory.h"

#include <stdlib.h>

struct row_read {
    key_id row;
    op_id op;
};

struct reader {
    const struct history *h;
    struct budget *budget;
    VEC(struct row_read) reads; // of one transaction
    uint8_t *marked;            // by transaction; all 0 between comparisons
};

static int
compare_reads(const void *a, const void *b)
{
    const struct row_read *x = a, *y = b;
    return x->row != y->row ? (x->row < y->row ? -1 : 1)
                            : (x->op > y->op) - (x->op < y->op);
}

static void
gather_reads(struct reader *r, txn_id t)
{
    const struct history *h = r->h;
    vec_clear(&r->reads);
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
        if (op_is_external_read(h, op) && op_is_of_row(h, op))
            vec_push(&r->reads,
                     ((struct row_read){h->key_rows[op_key(h, op)].row, op}));
    if (r->reads.n > 1)
        qsort(r->reads.at, r->reads.n, sizeof *r->reads.at, compare_reads);
}

/* Whether no other transaction than t, nor the initial state, may have written
 * what both reads of t saw. */
static bool
contradict(struct reader *r, txn_id t, op_id a, op_id b)
{
    txn_id only[2];
    const struct txn_range x = reads_writers(r->h, a, &only[0]);
    const struct txn_range y = reads_writers(r->h, b, &only[1]);
    if (!budget_spend(r->budget, x.n + y.n))
        return false;
    bool common = false, initial = false;
    for (size_t i = 0; i < x.n; i++) {
        initial |= x.at[i] == TXN_INIT;
        if (x.at[i] < r->h->n_txns && x.at[i] != t)
            r->marked[x.at[i]] = 1;
    }
    for (size_t i = 0; i < y.n; i++)
        common |= y.at[i] == TXN_INIT
                      ? initial
                      : y.at[i] < r->h->n_txns && r->marked[y.at[i]];
    for (size_t i = 0; i < x.n; i++)
        if (x.at[i] < r->h->n_txns)
            r->marked[x.at[i]] = 0;
    return !common;
}

static bool
find_in(struct reader *r, txn_id t, struct row_contradiction *out)
{
    gather_reads(r, t);
    for (size_t i = 0; i < r->reads.n; i++)
        for (size_t j = i + 1;
             j < r->reads.n && r->reads.at[j].row == r->reads.at[i].row; j++) {
            const op_id a = r->reads.at[i].op, b = r->reads.at[j].op;
            if (!contradict(r, t, a, b))
                continue;
            *out = (struct row_contradiction){t, a, b};
            return true;
        }
    return false;
}

bool
row_contradiction_find(const struct history *h, struct budget *budget,
                       struct row_contradiction *out)
{
    if (!h->key_rows)
        return false;
    struct reader r = {.h = h, .budget = budget};
    r.marked = mem_calloc(h->n_txns, sizeof *r.marked);
    bool found = false;
    for (txn_id t = 0; t < h->n_txns && !found; t++)
        found = h->txn_counts[t] == TXN_COUNTS && !budget_is_spent(budget) &&
                find_in(&r, t, out);
    mem_free(r.marked);
    vec_free(&r.reads);
    assert(!found || out->first < out->second);
    return found;
}

/* Make 'out' of these reads of t and all writes of the row that they may have
 * seen. */
static bool
make_part(const struct history *h, txn_id t, const op_id *reads, size_t n,
          struct reduced *out, struct err *err)
{
    const key_id row = h->key_rows[op_key(h, reads[0])].row;
    u32_vec txns = {0}, ops = {0};
    vec_push(&txns, t);
    for (size_t i = 0; i < n; i++) {
        txn_id only;
        const struct txn_range all = reads_writers(h, reads[i], &only);
        vec_push(&ops, reads[i]);
        for (size_t j = 0; j < all.n; j++)
            if (all.at[j] < h->n_txns)
                vec_push(&txns, all.at[j]);
    }
    sorted_unique(&txns);
    for (size_t i = 0; i < txns.n; i++)
        for (op_id op = h->txn_begin[txns.at[i]]; op < h->txn_end[txns.at[i]];
             op++)
            if (op_is_write(h, op) && op_is_of_row(h, op) &&
                h->key_rows[op_key(h, op)].row == row)
                vec_push(&ops, op);
    sorted_unique(&ops);
    *out = (struct reduced){0};
    vec_grow(&out->origin, txns.n);
    const struct subhistory_selection selection = {
        .txns = txns.at, .n = txns.n, .only = ops.at, .n_only = ops.n};
    const bool ok =
        subhistory_make(h, &selection, &out->h, out->origin.at, err);
    if (!ok)
        vec_free(&out->origin);
    vec_free(&txns);
    vec_free(&ops);
    return ok;
}

bool
row_contradiction_reduce(const struct history *h,
                         const struct row_contradiction *c, enum level level,
                         const struct reduce_options *o, struct reduced *out,
                         struct err *err)
{
    const op_id reads[] = {c->first, c->second};
    // Without any one writer the read goes that may have seen it, and what is
    // left is a part of these.
    bool open = false;
    for (size_t i = 0; i < 2; i++) {
        struct reduced one;
        if (!make_part(h, c->txn, &reads[i], 1, &one, err))
            return false;
        open |= !level_set_has(reduce_judge(&one.h, level_bit(level), o).holds,
                               level);
        reduced_free(&one);
    }
    if (!make_part(h, c->txn, reads, 2, out, err))
        return false;
    out->unfinished = open;
    return true;
}
