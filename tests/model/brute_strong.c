/* brute_strong.c -- see brute_strong.h.
 *
 * pc, si and ser are tested by the axiom on commit orders; psi by the relation
 * that has to be irreflexive, with version orders taken from commit orders;
 * the strict levels by replaying starts and commits in every order.  Nothing
 * here knows edges, graphs or solvers.
 *
 * SPDX-License-Identifier: MIT */
#include "brute_strong.h"

#include <assert.h>
#include <stdlib.h>

enum { READS_MAX = 128, INIT = BRUTE_TXNS }; // INIT: as a small number

struct brute_read {
    int txn, writer; // small numbers; writer by the present choice
    key_id key;
    value_id value;
};

struct brute {
    const struct history *h;
    enum level level;
    txn_id id[BRUTE_TXNS];
    int n;
    struct brute_read reads[READS_MAX];
    int n_reads;
    bool so[BRUTE_TXNS][BRUTE_TXNS], wr[BRUTE_TXNS][BRUTE_TXNS];
    bool time[BRUTE_TXNS][BRUTE_TXNS];
    int order[2 * BRUTE_TXNS]; // transactions, or points
    int place[BRUTE_TXNS];     // in the commit order
};

/* --- what the history says ---------------------------------------------------
 */

static bool
writes(const struct brute *b, int t, key_id k)
{
    if (t == INIT)
        return true;
    for (op_id op = b->h->txn_begin[b->id[t]]; op < b->h->txn_end[b->id[t]];
         op++)
        if (op_is_final_write(b->h, op) && op_key(b->h, op) == k)
            return true;
    return false;
}

static bool
write_common(const struct brute *b, int s, int t)
{
    for (key_id k = 0; k < b->h->n_keys; k++)
        if (writes(b, s, k) && writes(b, t, k))
            return true;
    return false;
}

static int
number_of(const struct brute *b, txn_id t)
{
    for (int i = 0; i < b->n; i++)
        if (b->id[i] == t)
            return i;
    assert(t == TXN_INIT);
    return INIT;
}

static void
collect(struct brute *b)
{
    const struct history *h = b->h;
    for (txn_id t = 0; t < h->n_txns; t++)
        if (h->txn_counts[t]) {
            assert(b->n < BRUTE_TXNS);
            b->id[b->n++] = t;
        }
    for (int i = 0; i < b->n; i++)
        for (op_id op = h->txn_begin[b->id[i]]; op < h->txn_end[b->id[i]]; op++)
            if (op_is_external_read(h, op)) {
                assert(b->n_reads < READS_MAX);
                b->reads[b->n_reads++] = (struct brute_read){
                    i, INIT, op_key(h, op), h->op_value[op]};
            }
    for (int i = 0; i < b->n; i++)
        for (int j = 0; j < b->n; j++) {
            const txn_id s = b->id[i], t = b->id[j];
            b->so[i][j] = s < t && h->txn_session[s] == h->txn_session[t];
            b->time[i][j] = h->txn_began && h->txn_status[s] == TXN_COMMITTED &&
                            h->txn_ended[s] < h->txn_began[t];
        }
}

static void
relate_reads(struct brute *b)
{
    for (int i = 0; i < b->n; i++)
        for (int j = 0; j < b->n; j++)
            b->wr[i][j] = false;
    for (int i = 0; i < b->n_reads; i++)
        if (b->reads[i].writer != INIT)
            b->wr[b->reads[i].writer][b->reads[i].txn] = true;
}

static bool
is_appended(const struct brute *b, value_id v)
{
    for (int t = 0; t < b->n; t++)
        for (op_id op = b->h->txn_begin[b->id[t]]; op < b->h->txn_end[b->id[t]];
             op++)
            if (op_is_write(b->h, op) && b->h->op_value[op] == v)
                return true;
    return false;
}

/* How much of a list's order transactions that count have seen. */
static uint32_t
length_seen(const struct brute *b, key_id k)
{
    uint32_t length = 0;
    for (size_t i = 0; i < b->h->list_reads.n; i++) {
        const struct list_read *r = &b->h->list_reads.at[i];
        for (int t = 0; t < b->n; t++)
            if (r->op >= b->h->txn_begin[b->id[t]] &&
                r->op < b->h->txn_end[b->id[t]] && op_key(b->h, r->op) == k &&
                r->length > length)
                length = r->length;
    }
    return length;
}

/* Appending in the commit order gives every list that was seen, but for
 * elements of transactions that do not count. */
static bool
lists_agree(const struct brute *b, const int *order)
{
    const struct history *h = b->h;
    for (key_id k = 0; h->order_first && k < h->n_keys; k++) {
        uint32_t at = h->order_first[k];
        const uint32_t end = at + length_seen(b, k);
        for (int i = 0; i < b->n; i++) {
            const txn_id t = b->id[order[i]];
            for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
                if (!op_is_write(h, op) || op_key(h, op) != k)
                    continue;
                while (at < end && !is_appended(b, h->order_items.at[at]))
                    at++;
                if (at < end && h->order_items.at[at++] != h->op_value[op])
                    return false;
            }
        }
    }
    return true;
}

/* --- the axiom on commit orders ------------------------------------------- */

/* t2 co t1; INIT is before everything. */
static bool
co(const struct brute *b, int t2, int t1)
{
    if (t1 == INIT)
        return false;
    return t2 == INIT || b->place[t2] < b->place[t1];
}

static bool
co_or_same(const struct brute *b, int t2, int t1)
{
    return t2 == t1 || co(b, t2, t1);
}

static bool
premise(const struct brute *b, int t2, int t3)
{
    if (b->level == LEVEL_SER)
        return co(b, t2, t3);
    if (t2 == INIT)
        return true;
    for (int t4 = 0; t4 < b->n; t4++) {
        if ((b->so[t4][t3] || b->wr[t4][t3]) && co_or_same(b, t2, t4))
            return true;
        if (b->level == LEVEL_SI && co_or_same(b, t2, t4) && co(b, t4, t3) &&
            write_common(b, t4, t3))
            return true;
    }
    return false;
}

static bool
axiom_holds(const struct brute *b)
{
    for (int i = 0; i < b->n_reads; i++) {
        const int t1 = b->reads[i].writer, t3 = b->reads[i].txn;
        for (int t2 = 0; t2 < b->n; t2++)
            if (t2 != t1 && t2 != t3 && writes(b, t2, b->reads[i].key) &&
                premise(b, t2, t3) && !co(b, t2, t1))
                return false;
    }
    return true;
}

/* --- psi ------------------------------------------------------------------ */

/* (so | wr | ww)+ ; rw? is irreflexive, with ww by the commit order. */
static bool
psi_holds(const struct brute *b)
{
    bool d[BRUTE_TXNS][BRUTE_TXNS];
    for (int i = 0; i < b->n; i++)
        for (int j = 0; j < b->n; j++)
            d[i][j] = b->so[i][j] || b->wr[i][j] ||
                      (co(b, i, j) && write_common(b, i, j));
    for (int k = 0; k < b->n; k++)
        for (int i = 0; i < b->n; i++)
            for (int j = 0; j < b->n; j++)
                d[i][j] |= d[i][k] && d[k][j];
    for (int i = 0; i < b->n; i++)
        if (d[i][i])
            return false;
    for (int i = 0; i < b->n_reads; i++) {
        const int t1 = b->reads[i].writer, t3 = b->reads[i].txn;
        for (int t2 = 0; t2 < b->n; t2++)
            if (t2 != t3 && t2 != t1 && writes(b, t2, b->reads[i].key) &&
                co(b, t1, t2) && d[t2][t3])
                return false;
    }
    return true;
}

/* --- replaying points ----------------------------------------------------- */

/* b->order holds each transaction twice: its start, then its commit. */
static bool
replay_holds(const struct brute *b)
{
    const struct history *h = b->h;
    int now[64], started[BRUTE_TXNS], installed[64];
    int commits[BRUTE_TXNS], n_commits = 0;
    assert(h->n_keys <= 64);
    for (key_id k = 0; k < h->n_keys; k++) {
        now[k] = INIT;
        installed[k] = -1;
    }
    for (int i = 0; i < b->n; i++)
        started[i] = -1;
    for (int i = 0; i < 2 * b->n; i++) {
        const int t = b->order[i];
        if (started[t] < 0) {
            started[t] = i;
            for (int r = 0; r < b->n_reads; r++)
                if (b->reads[r].txn == t &&
                    b->reads[r].writer != now[b->reads[r].key])
                    return false;
            continue;
        }
        commits[n_commits++] = t;
        for (key_id k = 0; k < h->n_keys; k++)
            if (writes(b, t, k)) {
                if (installed[k] > started[t])
                    return false;
                installed[k] = i;
                now[k] = t;
            }
    }
    return lists_agree(b, commits);
}

/* Whether t may start, or commit, next: sessions and time. */
static bool
point_allowed(const struct brute *b, int t, const int *seen)
{
    for (int s = 0; seen[t] == 0 && s < b->n; s++)
        if ((b->so[s][t] || b->time[s][t]) && seen[s] < 2)
            return false;
    return seen[t] < 2;
}

static bool
try_points(struct brute *b, int i, int *seen)
{
    if (i == 2 * b->n)
        return replay_holds(b);
    for (int t = 0; t < b->n; t++) {
        if (!point_allowed(b, t, seen))
            continue;
        b->order[i] = t;
        seen[t]++;
        const bool ok = try_points(b, i + 1, seen);
        seen[t]--;
        if (ok)
            return true;
    }
    return false;
}

/* --- trying everything ---------------------------------------------------- */

static bool
order_holds(struct brute *b)
{
    if (!lists_agree(b, b->order))
        return false;
    if (b->level == LEVEL_PSI)
        return psi_holds(b);
    if (b->level != LEVEL_STRICT_SER)
        return axiom_holds(b);
    for (int i = 0; i < b->n; i++)
        for (int j = 0; j < b->n; j++)
            if (b->time[i][j] && !co(b, i, j))
                return false;
    b->level = LEVEL_SER;
    const bool ok = axiom_holds(b);
    b->level = LEVEL_STRICT_SER;
    return ok;
}

/* Extend the commit order, which contains so and wr, in every way. */
static bool
try_orders(struct brute *b, int i, unsigned used)
{
    if (i == b->n)
        return order_holds(b);
    for (int t = 0; t < b->n; t++) {
        bool allowed = !(used >> t & 1);
        for (int s = 0; s < b->n; s++)
            allowed &= !(b->so[s][t] || b->wr[s][t]) || (used >> s & 1);
        if (!allowed)
            continue;
        b->order[i] = t;
        b->place[t] = i;
        if (try_orders(b, i + 1, used | 1u << t))
            return true;
    }
    return false;
}

static bool
try_choices(struct brute *b, int i)
{
    if (i == b->n_reads) {
        relate_reads(b);
        int seen[BRUTE_TXNS] = {0};
        return b->level == LEVEL_STRICT_SI ? try_points(b, 0, seen)
                                           : try_orders(b, 0, 0);
    }
    const value_id v = b->reads[i].value;
    if (!history_has_several(b->h, v)) {
        b->reads[i].writer = number_of(b, history_writer(b->h, v));
        return try_choices(b, i + 1);
    }
    const struct txn_range all = history_candidates(b->h, v);
    for (size_t j = 0; j < all.n; j++) {
        b->reads[i].writer = number_of(b, all.at[j]);
        if (b->reads[i].writer != b->reads[i].txn && try_choices(b, i + 1))
            return true;
    }
    return false;
}

bool
brute_strong(const struct history *h, enum level l)
{
    struct brute b = {.h = h, .level = l};
    collect(&b);
    return try_choices(&b, 0);
}
