/* open_reads.c -- candidates that cannot be, because of what is certain.
 *
 * What is certain: session order, and whom the reads with one candidate read
 * from, of the transactions that certainly count.  A candidate that may count
 * is judged as if it did.  What happened before what by these alone is kept as
 * a full matrix of clocks, one row per transaction and one entry per session as
 * in causal.c; histories with duplicate values are small beside those with
 * unique ones, and where the matrix would be large, nothing is pruned.
 *
 * A candidate c for the read of x by t3 goes when
 *
 *   (1) t3 happened before c; or
 *   (2) some t2 that writes x has the level's premise with t3 and c happened
 *       before it: then t2 -> c would be forced, against that; or
 *   (3) t3 reads another key y, which c writes as well, from a t1 that happened
 *       before c: reading from c would force c -> t1.  (At rc the read of y has
 *       to come after this one.)
 *
 * SPDX-License-Identifier: MIT */
#include "weak/choice/open_reads.h"

#include "depend/writers.h"
#include "weak/choice/counting.h"

enum {
    ROUNDS = 12,            // of pruning and looking again
    MOST_ENTRIES = 1 << 25, // of the matrix
    WORK = 1 << 26          // steps in all
};

struct pruning {
    const struct history *h;
    enum level level;
    struct open_reads *o;
    struct writers writers;
    uint8_t *counts; // by transaction: it certainly counts
    txn_id *certain; // by op: the one candidate left, or TXN_INIT
    uint32_t *rows;
    uint64_t work;
    bool changed;
};

void
open_reads_init(struct open_reads *o, const struct history *h)
{
    *o = (struct open_reads){0};
    for (txn_id t = 0; t < h->n_txns; t++)
        for (op_id op = h->txn_begin[t]; h->txn_counts[t] && op < h->txn_end[t];
             op++) {
            if (!op_is_external_read(h, op) ||
                !history_has_several(h, h->op_value[op]))
                continue;
            const struct txn_range range =
                history_candidates(h, h->op_value[op]);
            struct open_read r = {.op = op,
                                  .txn = t,
                                  .n = (uint32_t)range.n,
                                  .first = o->alive.n};
            for (size_t i = 0; i < range.n; i++) {
                vec_push(&o->alive, range.at[i] != t);
                r.left += range.at[i] != t;
            }
            vec_push(&o->all, r);
        }
}

void
open_reads_free(struct open_reads *o)
{
    vec_free(&o->all);
    vec_free(&o->alive);
}

/* --- what is certain ------------------------------------------------------*/

static txn_id
candidate(const struct pruning *p, const struct open_read *r, uint32_t i)
{
    return history_candidates(p->h, p->h->op_value[r->op]).at[i];
}

static bool
happened_before(const struct pruning *p, txn_id a, txn_id b)
{
    return a == TXN_INIT ||
           a < p->rows[(size_t)b * p->h->n_sessions + p->h->txn_session[a]];
}

static void
make_rows(struct pruning *p, const struct reading *r,
          const struct topological_order *sequence)
{
    const struct history *h = p->h;
    const size_t k = h->n_sessions;
    memset(p->rows, 0, k * h->n_txns * sizeof *p->rows);
    for (size_t i = 0; i < sequence->n; i++) {
        const txn_id t = sequence->at[i];
        uint32_t *row = p->rows + k * t;
        const txn_id before = reading_so_before(r, t);
        if (before != TXN_NONE) {
            memcpy(row, p->rows + k * before, k * sizeof *row);
            row[h->txn_session[t]] = before + 1;
        }
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
            if (!op_is_external_read(h, op))
                continue;
            const txn_id w = reading_writer(r, op);
            if (w == TXN_INIT || happened_before(p, w, t))
                continue;
            for (size_t j = 0; j < k; j++)
                if (row[j] < p->rows[k * w + j])
                    row[j] = p->rows[k * w + j];
            row[h->txn_session[w]] = w + 1;
        }
    }
}

/* A transaction that may count comes after those of its session. */
static void
make_optional_rows(struct pruning *p, const struct reading *r)
{
    const struct history *h = p->h;
    const size_t k = h->n_sessions;
    for (txn_id t = 0; t < h->n_txns; t++) {
        if (h->txn_counts[t] != TXN_MAY_COUNT || p->counts[t])
            continue;
        const txn_id before = reading_so_before(r, t);
        if (before == TXN_NONE)
            continue;
        memcpy(p->rows + k * t, p->rows + k * before, k * sizeof *p->rows);
        p->rows[k * t + h->txn_session[t]] = before + 1;
    }
}

/* Work out what happened before what by what is certain; false where that is
 * contradictory, and so pruning is of no use. */
static bool
find_rows(struct pruning *p, const u32_vec *roots)
{
    for (size_t i = 0; i < p->o->all.n; i++) {
        const struct open_read *r = &p->o->all.at[i];
        uint32_t j = 0;
        while (!p->o->alive.at[r->first + j])
            j++;
        p->certain[r->op] = r->left == 1 ? candidate(p, r, j) : TXN_INIT;
    }
    counting_find(p->h, p->certain, p->counts, NULL);
    const struct reading reading = {p->h, p->certain, p->counts};
    struct topological_order sequence;
    const bool fine =
        topological_sort_find(&reading, NULL, roots, &sequence, NULL);
    if (fine)
        make_rows(p, &reading, &sequence);
    if (fine && p->h->n_optional)
        make_optional_rows(p, &reading);
    topological_order_free(&sequence);
    return fine;
}

/* --- candidates -----------------------------------------------------------*/

/* Whether t certainly reads from w with an operation in begin..end. */
static bool
reads_from(const struct pruning *p, op_id begin, op_id end, txn_id w)
{
    const struct reading r = {p->h, p->certain, p->counts};
    for (op_id op = begin; op < end; op++)
        if (op_is_external_read(p->h, op) && reading_writer(&r, op) == w)
            return true;
    return false;
}

/* Whether t2, a writer of its key, has the level's premise with the read. */
static bool
has_premise(const struct pruning *p, const struct open_read *r, txn_id t2)
{
    const struct history *h = p->h;
    if (t2 == r->txn || !p->counts[t2] || !happened_before(p, t2, r->txn))
        return false;
    switch (p->level) {
    case LEVEL_CC:
        return true;
    case LEVEL_RA:
        return h->txn_session[t2] == h->txn_session[r->txn] ||
               reads_from(p, h->txn_begin[r->txn], h->txn_end[r->txn], t2);
    default:
        return reads_from(p, h->txn_begin[r->txn], r->op, t2);
    }
}

/* Rule (3). */
static bool
is_fractured(struct pruning *p, const struct open_read *r, txn_id c)
{
    const struct history *h = p->h;
    const struct reading reading = {h, p->certain, p->counts};
    const op_id begin = p->level == LEVEL_RC ? r->op + 1 : h->txn_begin[r->txn];
    for (op_id op = begin; op < h->txn_end[r->txn]; op++) {
        p->work++;
        if (op == r->op || !op_is_external_read(h, op))
            continue;
        const txn_id t1 = reading_writer(&reading, op);
        // TXN_INIT may stand for a read that is open.
        if (t1 != TXN_INIT && t1 != c && happened_before(p, t1, c) &&
            writers_has(&p->writers, op_key(h, op), c))
            return true;
    }
    return false;
}

static void
drop(struct pruning *p, struct open_read *r, uint32_t i)
{
    if (r->left == 1)
        return;
    p->o->alive.at[r->first + i] = 0;
    r->left--;
    p->changed = true;
}

/* Rule (2), for one t2. */
static void
drop_overwritten(struct pruning *p, struct open_read *r, txn_id t2)
{
    for (uint32_t i = 0; i < r->n; i++) {
        const txn_id c = candidate(p, r, i);
        p->work++;
        if (p->o->alive.at[r->first + i] && c != t2 &&
            happened_before(p, c, t2))
            drop(p, r, i);
    }
}

static void
prune_read(struct pruning *p, struct open_read *r)
{
    for (uint32_t i = 0; i < r->n; i++) {
        const txn_id c = candidate(p, r, i);
        if (p->o->alive.at[r->first + i] && c != TXN_INIT &&
            (happened_before(p, r->txn, c) || is_fractured(p, r, c)))
            drop(p, r, i);
    }
    const key_id x = op_key(p->h, r->op);
    for (uint32_t i = p->writers.first[x];
         r->left > 1 && i < p->writers.first[x + 1]; i++) {
        p->work++;
        if (has_premise(p, r, p->writers.at[i]))
            drop_overwritten(p, r, p->writers.at[i]);
    }
}

void
open_reads_prune(const struct history *h, enum level level,
                 const u32_vec *roots, struct open_reads *o)
{
    if ((uint64_t)h->n_sessions * h->n_txns > MOST_ENTRIES)
        return;
    struct pruning p = {.h = h, .level = level, .o = o, .changed = true};
    writers_init(&p.writers, h, h->txn_counts);
    p.counts = mem_alloc(h->n_txns, sizeof *p.counts);
    p.certain = mem_alloc(h->n_ops, sizeof *p.certain);
    p.rows = mem_alloc((size_t)h->n_sessions * h->n_txns, sizeof *p.rows);
    for (int round = 0; p.changed && round < ROUNDS; round++) {
        if (!find_rows(&p, roots))
            break;
        p.changed = false;
        for (size_t i = 0; i < o->all.n && p.work < WORK; i++)
            if (o->all.at[i].left > 1)
                prune_read(&p, &o->all.at[i]);
    }
    mem_free(p.rows);
    mem_free(p.certain);
    mem_free(p.counts);
    writers_free(&p.writers);
}
