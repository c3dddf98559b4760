/* brute_weak.c -- rc, ra and cc by the letter of their definitions.
 *
 * Reads with several candidates are tried with all of them, like the digits of
 * a counter.  For each combination, happens-before is a matrix closed by
 * Warshall's algorithm, and the axiom is a loop over all reads and all
 * transactions.  Nothing is shared with the engine, and nothing is clever.
 *
 * Node 0 is INIT, node t + 1 is transaction t.
 *
 * SPDX-License-Identifier: MIT */
#include "brute_weak.h"

#include "history/consistency.h"

enum { NODES = BRUTE_WEAK_TXNS + 1 };

struct read {
    uint32_t reader; // node
    op_id op;
    u32_vec candidates; // nodes
    size_t choice;
};

struct brute {
    const struct history *h;
    enum level level;
    uint32_t n; // nodes
    VEC(struct read) reads;
    bool happens[NODES][NODES]; // so and wr, then closed
    bool direct[NODES][NODES];  // so and wr
    bool commit[NODES][NODES];  // what a commit order must respect
};

static bool
counts(const struct brute *b, uint32_t node)
{
    return node == 0 || b->h->txn_counts[node - 1];
}

/* The last write of a key in a transaction, or ID_NONE. */
static op_id
last_write(const struct history *h, txn_id t, key_id k, op_id before)
{
    op_id found = ID_NONE;
    for (op_id op = h->txn_begin[t]; op < before; op++)
        if (op_is_write(h, op) && op_key(h, op) == k)
            found = op;
    return found;
}

static bool
writes(const struct brute *b, uint32_t node, key_id k)
{
    return node == 0 ||
           last_write(b->h, node - 1, k, b->h->txn_end[node - 1]) != ID_NONE;
}

static bool
is_initial(const struct history *h, op_id op)
{
    return atom_equal(history_value_atom(h, h->op_value[op]), h->initial);
}

/* Note a read of t; false where it is inconsistent. */
static bool
add_read(struct brute *b, txn_id t, op_id op)
{
    const struct history *h = b->h;
    const op_id own = last_write(h, t, op_key(h, op), op);
    if (own != ID_NONE)
        return h->op_value[own] == h->op_value[op];
    struct read r = {.reader = t + 1, .op = op};
    if (is_initial(h, op))
        vec_push(&r.candidates, 0);
    for (txn_id u = 0; u < h->n_txns; u++) {
        const op_id w = last_write(h, u, op_key(h, op), h->txn_end[u]);
        if (u != t && h->txn_counts[u] && w != ID_NONE &&
            h->op_value[w] == h->op_value[op])
            vec_push(&r.candidates, u + 1);
    }
    vec_push(&b->reads, r);
    return r.candidates.n > 0;
}

static uint32_t
writer_of(const struct read *r)
{
    return r->candidates.at[r->choice];
}

static void
close_transitively(uint32_t n, bool m[NODES][NODES])
{
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < n; j++)
                m[i][j] |= m[i][k] && m[k][j];
}

static void
relate(struct brute *b)
{
    const struct history *h = b->h;
    memset(b->direct, 0, sizeof b->direct);
    for (uint32_t i = 0; i < b->n; i++)
        for (uint32_t j = 1; j < b->n; j++)
            if (counts(b, i) && counts(b, j) && i != j)
                b->direct[i][j] =
                    i == 0 ||
                    (i < j && h->txn_session[i - 1] == h->txn_session[j - 1]);
    for (size_t i = 0; i < b->reads.n; i++)
        b->direct[writer_of(&b->reads.at[i])][b->reads.at[i].reader] = true;
    memcpy(b->happens, b->direct, sizeof b->happens);
    close_transitively(b->n, b->happens);
}

/* The premise of the level, between t2 and the reader of r, for r. */
static bool
premise(const struct brute *b, uint32_t t2, const struct read *r)
{
    if (b->level == LEVEL_CC)
        return b->happens[t2][r->reader];
    if (b->level == LEVEL_RA)
        return b->direct[t2][r->reader];
    for (size_t i = 0; i < b->reads.n; i++) {
        const struct read *q = &b->reads.at[i];
        if (q->reader == r->reader && q->op < r->op && writer_of(q) == t2)
            return true;
    }
    return false;
}

/* The place in the list of what op appended, UINT32_MAX where no read of a
 * transaction that counts saw it; 0 where others append it too. */
static uint32_t
place_in_list(const struct history *h, txn_id t, op_id op)
{
    uint32_t place = UINT32_MAX;
    for (txn_id u = 0; u < h->n_txns; u++)
        for (op_id i = h->txn_begin[u]; h->txn_counts[u] && i < h->txn_end[u];
             i++) {
            if (op_is_write(h, i)) {
                if (u != t && h->op_value[i] == h->op_value[op])
                    return 0;
                continue;
            }
            const struct list_seen seen = history_list_seen(h, i);
            for (uint32_t j = 0; j < seen.n; j++)
                if (seen.at[j] == h->op_value[op])
                    place = j + 1;
        }
    return place;
}

/* Elements were appended in the order in which they were seen, and those that
 * were not seen after those that were. */
static void
infer_from_lists(struct brute *b)
{
    const struct history *h = b->h;
    for (txn_id t = 0; h->key_is_list && t < h->n_txns; t++)
        for (op_id i = h->txn_begin[t]; i < h->txn_end[t]; i++)
            for (txn_id u = 0; u < h->n_txns; u++)
                for (op_id j = h->txn_begin[u]; j < h->txn_end[u]; j++) {
                    if (t == u || !h->txn_counts[t] || !h->txn_counts[u] ||
                        !op_is_write(h, i) || !op_is_write(h, j) ||
                        op_key(h, i) != op_key(h, j) ||
                        !h->key_is_list[op_key(h, i)])
                        continue;
                    const uint32_t p = place_in_list(h, t, i);
                    const uint32_t q = place_in_list(h, u, j);
                    if (p && p < q)
                        b->commit[t + 1][u + 1] = true;
                }
}

/* What every commit order of this choice respects. */
static void
infer(struct brute *b)
{
    const struct history *h = b->h;
    memcpy(b->commit, b->direct, sizeof b->commit);
    for (size_t i = 0; i < b->reads.n; i++) {
        const struct read *r = &b->reads.at[i];
        const uint32_t t1 = writer_of(r);
        for (uint32_t t2 = 0; t2 < b->n; t2++)
            if (counts(b, t2) && t2 != t1 && t2 != r->reader &&
                writes(b, t2, op_key(h, r->op)) && premise(b, t2, r))
                b->commit[t2][t1] = true;
    }
    infer_from_lists(b);
}

/* Whether the edges that every order must have are acyclic. */
static bool
is_acyclic(struct brute *b)
{
    relate(b);
    infer(b);
    close_transitively(b->n, b->commit);
    for (uint32_t i = 0; i < b->n; i++)
        if (b->commit[i][i])
            return false;
    return true;
}

/* Whether some order of the transactions respects them: by trying. */
static bool
has_order(struct brute *b)
{
    relate(b);
    infer(b);
    uint32_t order[NODES], n = 0;
    for (uint32_t i = 0; i < b->n; i++)
        if (counts(b, i))
            order[n++] = i;
    uint32_t swaps[NODES] = {0}; // Heap's method, without recursion
    for (uint32_t i = 0;;) {
        bool respects = true;
        for (uint32_t p = 0; p < n; p++)
            for (uint32_t q = 0; q <= p; q++)
                respects &= !b->commit[order[p]][order[q]];
        if (respects)
            return true;
        while (i < n && swaps[i] >= i)
            swaps[i++] = 0;
        if (i >= n)
            return false;
        const uint32_t j = i % 2 ? swaps[i] : 0;
        const uint32_t moved = order[i];
        order[i] = order[j];
        order[j] = moved;
        swaps[i]++;
        i = 0;
    }
}

/* Go to the next combination of choices; false after the last. */
static bool
next_choice(struct brute *b)
{
    for (size_t i = 0; i < b->reads.n; i++) {
        if (++b->reads.at[i].choice < b->reads.at[i].candidates.n)
            return true;
        b->reads.at[i].choice = 0;
    }
    return false;
}

static bool
run(const struct history *h, enum level level, bool (*decide)(struct brute *))
{
    assert(h->n_txns <= BRUTE_WEAK_TXNS);
    struct brute *b = mem_calloc(1, sizeof *b);
    *b = (struct brute){.h = h, .level = level, .n = h->n_txns + 1};
    bool holds = false, consistent = true;
    for (txn_id t = 0; t < h->n_txns; t++)
        for (op_id op = h->txn_begin[t]; h->txn_counts[t] && op < h->txn_end[t];
             op++)
            consistent &= op_is_write(h, op) || add_read(b, t, op);
    flaw_vec flaws = {0};
    if (h->list_reads.n)
        consistent &= history_flaws(h, 0, &flaws) == 0;
    vec_free(&flaws);
    if (consistent)
        do
            holds = decide(b);
        while (!holds && next_choice(b));
    for (size_t i = 0; i < b->reads.n; i++)
        vec_free(&b->reads.at[i].candidates);
    vec_free(&b->reads);
    mem_free(b);
    return holds;
}

double
brute_weak_choices(const struct history *h)
{
    double product = 1;
    for (txn_id t = 0; t < h->n_txns; t++)
        for (op_id op = h->txn_begin[t]; h->txn_counts[t] && op < h->txn_end[t];
             op++)
            if (op_is_external_read(h, op) &&
                history_has_several(h, h->op_value[op]))
                product *= (double)history_candidates(h, h->op_value[op]).n;
    return product;
}

bool
brute_weak(const struct history *h, enum level level)
{
    return run(h, level, is_acyclic);
}

bool
brute_weak_orders(const struct history *h, enum level level)
{
    assert(h->n_txns <= 8);
    return run(h, level, has_order);
}
