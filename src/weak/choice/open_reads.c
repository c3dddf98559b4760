/* open_reads.c -- see open_reads.h.
 *
 * What is certain: session order, and the writers of the reads with one
 * candidate, of the transactions that certainly count.  A candidate that may
 * count is judged as if it did.
 *
 * A candidate c for the read of x by t3 goes when
 *
 *   (1) t3 happened before c; or
 *   (2) some t2 that writes x has the level's premise with t3, and c happened
 *       before t2: the level would force t2 -> c, which contradicts that; or
 *   (3) t3 reads another key y, which c writes as well, from a t1 that happened
 *       before c: reading from c would force c -> t1.  (At rc the read of y has
 *       to come after this one.)
 *
 * The strong levels prune by the first two of these on their own graph
 * (strong/infer/candidates.c), with reasons for a proof.
 *
 * SPDX-License-Identifier: MIT */
#include "weak/choice/open_reads.h"

#include "base/limits/tuning.h"
#include "depend/happens_before.h"
#include "depend/writers.h"
#include "weak/choice/counting.h"

struct pruning {
    const struct history *h;
    enum level level;
    struct open_reads *o;
    struct writers writers;
    uint8_t *counts; // by transaction: it certainly counts
    txn_id *certain; // by op: the one candidate left, or TXN_INIT
    struct happens_before before;
    uint64_t work;
    bool changed;

    const struct open_read *read; // the present one
    uint32_t left;                // candidates of it
    txn_id t2;                    // the present one of rule (2)
};

/* --- collecting ------------------------------------------------------------*/

/* Whether t is among the candidates, which are in ascending order but for
 * TXN_INIT, which is the first. */
static bool
is_candidate(struct txn_range range, txn_id t)
{
    size_t low = range.at[0] == TXN_INIT, high = range.n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (range.at[middle] < t)
            low = middle + 1;
        else
            high = middle;
    }
    return low < range.n && range.at[low] == t;
}

static bool
is_own(void *context, txn_id candidate)
{
    return candidate == *(const txn_id *)context;
}

static void
add_read(struct open_reads *o, const struct history *h, txn_id t, op_id op)
{
    const struct txn_range range = history_candidates(h, h->op_value[op]);
    struct open_read r = {
        .txn = t,
        .left = {.read = op,
                 .n = (uint32_t)range.n,
                 .first = (size_t)(range.at - h->several.at)}};
    if (is_candidate(range, t))
        candidates_filter(&o->pool, &r.left, is_own, &t);
    assert(r.left.n); // (H1)
    vec_push(&o->all, r);
}

void
open_reads_init(struct open_reads *o, const struct history *h)
{
    *o = (struct open_reads){.pool.shared = h->several.n};
    vec_grow(&o->pool.items, h->several.n);
    if (h->several.n)
        memcpy(o->pool.items.at, h->several.at,
               h->several.n * sizeof *h->several.at);
    for (txn_id t = 0; t < h->n_txns; t++)
        for (op_id op = h->txn_begin[t]; h->txn_counts[t] && op < h->txn_end[t];
             op++)
            if (op_is_external_read(h, op) &&
                history_has_several(h, h->op_value[op]))
                add_read(o, h, t, op);
}

void
open_reads_free(struct open_reads *o)
{
    vec_free(&o->all);
    vec_free(&o->pool.items);
}

/* --- what is certain ------------------------------------------------------*/

/* Find the order of what is certain; false where that is contradictory or too
 * large. */
static bool
find_certain(struct pruning *p)
{
    for (size_t i = 0; i < p->o->all.n; i++) {
        const struct open_read *r = &p->o->all.at[i];
        const struct txn_range left = open_reads_left(p->o, r);
        p->certain[r->left.read] = left.n == 1 ? left.at[0] : TXN_INIT;
    }
    counting_find(p->h, p->certain, p->counts, NULL);
    return happens_before_init(&p->before, p->h, p->certain, p->counts,
                               TUNE_CHOICE_CLOCK_BYTES);
}

static txn_id
certain_writer(const struct pruning *p, op_id op)
{
    const struct writer_assignment r = {p->h, p->certain, p->counts};
    return assigned_writer(&r, op);
}

/* --- candidates -----------------------------------------------------------*/

/* Rule (3). */
static bool
is_fractured(struct pruning *p, txn_id c)
{
    const struct history *h = p->h;
    const op_id read = p->read->left.read;
    const txn_id t3 = p->read->txn;
    const bool ordered = level_orders_reads(p->level);
    for (op_id op = ordered ? read + 1 : h->txn_begin[t3]; op < h->txn_end[t3];
         op++) {
        p->work++;
        if (op == read || !op_is_external_read(h, op) ||
            (ordered && op_place(h, op) <= read))
            continue;
        const txn_id t1 = certain_writer(p, op);
        // TXN_INIT may stand for a read that is open.
        if (t1 != TXN_INIT && t1 != c &&
            happens_before_holds(&p->before, t1, c) &&
            writers_has(&p->writers, op_key(h, op), c))
            return true;
    }
    return false;
}

/* Drop a candidate, unless it is the last one. */
static bool
drop_if(struct pruning *p, bool is_out)
{
    if (!is_out || p->left == 1)
        return false;
    p->left--;
    p->changed = true;
    return true;
}

/* Rules (1) and (3). */
static bool
drop_impossible(void *context, txn_id c)
{
    struct pruning *p = context;
    return c != TXN_INIT &&
           drop_if(p, happens_before_holds(&p->before, p->read->txn, c) ||
                          is_fractured(p, c));
}

/* Rule (2), for one t2. */
static bool
drop_overwritten(void *context, txn_id c)
{
    struct pruning *p = context;
    p->work++;
    return c != p->t2 && drop_if(p, happens_before_holds(&p->before, c, p->t2));
}

/* Rule (2) for t2, where it writes the key of the read. */
static void
prune_by(struct pruning *p, struct open_read *r, txn_id t2)
{
    p->work++;
    if (p->left == 1 || t2 == r->txn || !p->counts[t2] ||
        !happens_before_holds(&p->before, t2, r->txn))
        return;
    p->t2 = t2;
    candidates_filter(&p->o->pool, &r->left, drop_overwritten, p);
}

/* Rule (2) for the writers of the key that r's transaction certainly reads from
 * with an operation before 'end'. */
static void
prune_by_reads(struct pruning *p, struct open_read *r, op_id end)
{
    const key_id x = op_key(p->h, r->left.read);
    for (op_id op = p->h->txn_begin[r->txn]; p->left > 1 && op < end; op++) {
        if (!op_is_external_read(p->h, op))
            continue;
        const txn_id t2 = certain_writer(p, op);
        if (t2 != TXN_INIT && writers_has(&p->writers, x, t2))
            prune_by(p, r, t2);
    }
}

/* Rule (2) for the writers of the key, all or those of r's session. */
static void
prune_by_writers(struct pruning *p, struct open_read *r, bool all)
{
    const struct history *h = p->h;
    const key_id x = op_key(h, r->left.read);
    const session_id s = h->txn_session[r->txn];
    for (uint32_t i = p->writers.first[x];
         p->left > 1 && i < p->writers.first[x + 1]; i++)
        if (all || h->txn_session[p->writers.at[i]] == s)
            prune_by(p, r, p->writers.at[i]);
}

static void
prune_read(struct pruning *p, struct open_read *r)
{
    p->read = r;
    p->left = r->left.n;
    candidates_filter(&p->o->pool, &r->left, drop_impossible, p);
    assert(level_is_weak(p->level));
    if (level_sees_session(p->level))
        prune_by_writers(p, r, level_is_causal(p->level));
    if (level_orders_reads(p->level))
        prune_by_reads(p, r, op_place(p->h, r->left.read));
    else if (!level_is_causal(p->level))
        prune_by_reads(p, r, p->h->txn_end[r->txn]);
    assert(r->left.n == p->left && p->left);
}

void
open_reads_prune(const struct history *h, enum level level,
                 struct open_reads *o)
{
    struct pruning p = {.h = h, .level = level, .o = o, .changed = true};
    writers_init(&p.writers, h, h->txn_counts);
    p.counts = mem_alloc(h->n_txns, sizeof *p.counts);
    p.certain = mem_alloc(h->n_ops, sizeof *p.certain);
    for (int round = 0; p.changed && round < TUNE_CHOICE_ROUNDS; round++) {
        p.changed = false;
        if (!find_certain(&p))
            break;
        for (size_t i = 0; i < o->all.n && p.work < TUNE_CHOICE_WORK; i++)
            if (o->all.at[i].left.n > 1)
                prune_read(&p, &o->all.at[i]);
        happens_before_free(&p.before);
    }
    mem_free(p.certain);
    mem_free(p.counts);
    writers_free(&p.writers);
}
