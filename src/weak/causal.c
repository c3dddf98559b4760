/* causal.c -- the commit-order edges of causal consistency.
 *
 * What happened before a transaction is one number for each chain of
 * transactions, which is a session or, where sessions are many, longer:
 * causal_rows.h.
 *
 * For a read of key x by t3 from t1, and each chain, only the last writer t2
 * of x in that chain that happened before t3 matters; and no edge t2 -> t1
 * is needed that is known already.  A second row of t1, made when its first
 * edge is inferred, keeps what comes before t1 by then:
 *
 *   (1) row(t1)[c] <= known(t1)[c], and every transaction of chain c below
 *       known(t1)[c] comes before t1 by edges that are there.
 *
 * So t2 matters if its place is from known(t1)[c] on and below row(t3)[c], and
 * comparing the two bounds decides most chains without a look at any write.
 *
 * Most reads are decided by the few writers of x that the walk has passed
 * shortly before and after t1, which does not depend on the number of chains:
 * recent_writers.h.  Where these are not enough, all writers are looked at:
 * writer_runs.h.  Where nothing is stored, those before t1 are not needed at
 * all, because an edge from one of them agrees with the sequence.
 *
 * The algorithm is that of AWDIT ("An Optimal Weak Database Isolation Tester",
 * PLDI 2025, section 3.3), with rows that are recycled and with the
 * bounds (1).
 *
 * SPDX-License-Identifier: MIT */
#include "weak/causal.h"

#include "base/limits/tuning.h"
#include "weak/recent_writers.h"
#include "weak/writer_runs.h"

struct causal {
    const struct writer_assignment *r;
    struct edges *out;
    struct causal_rows rows;
    struct recent_writers recent;
    size_t few, near, short_runs; // or what a test makes of them
    uint64_t n_near, n_far;       // reads by where the writers that matter are

    struct writer_runs runs; // found when they are needed
};

/* --- edges ----------------------------------------------------------------*/

/* Add the edge t2 -> t1: t2 wrote the key that t3 read from t1, and happened
 * before t3. */
static void
add_edge(struct causal *c, txn_id t2, txn_id t1, txn_id t3)
{
    const struct history *h = c->r->h;
    edges_add(c->out, h, t2, t1, t3);
    if (t1 == TXN_INIT || !c->out->store)
        return;
    struct causal_rows *rows = &c->rows;
    struct txn_rows *of = &rows->of[t1];
    if (of->known == NO_ROW)
        of->known = causal_rows_copy(rows, of->row);
    uint32_t *known = &causal_rows_at(rows, of->known)[rows->chain[t2]];
    assert(*known <= causal_rows_place(rows, t2));
    *known = causal_rows_place(rows, t2) + 1; // (1)
}

/* The row that bounds what is known to come before t1 (1).  Rows move when
 * one is made, so the result is valid until the next edge only. */
static const uint32_t *
known_before(const struct causal *c, txn_id t1)
{
    const struct causal_rows *rows = &c->rows;
    return causal_rows_at(rows, t1 == TXN_INIT ? rows->zero
                                : rows->of[t1].known != NO_ROW
                                    ? rows->of[t1].known
                                    : rows->of[t1].row);
}

static const uint32_t *
row_of(const struct causal *c, txn_id t)
{
    return causal_rows_at(&c->rows, c->rows.of[t].row);
}

/* --- the recent writers
 * --------------------------------------*/

static bool
is_known(const struct causal *c, uint32_t i, txn_id t1)
{
    const txn_id t2 = c->recent.at[i];
    return causal_rows_place(&c->rows, t2) <
           known_before(c, t1)[c->rows.chain[t2]];
}

/* Whether the writer at index i is known to come before t1.  If it is not and
 * happened before t3, add an edge to t1; it is known from then on. */
static bool
order_writer(struct causal *c, uint32_t i, txn_id t1, txn_id t3)
{
    const txn_id t2 = c->recent.at[i];
    const uint32_t chain = c->rows.chain[t2];
    const uint32_t place = causal_rows_place(&c->rows, t2);
    if (place < known_before(c, t1)[chain])
        return true;
    if (place >= row_of(c, t3)[chain])
        return false;
    add_edge(c, t2, t1, t3);
    return true;
}

/* The first writer of x from index i on, up to 'own', that is not known to come
 * before the one at 'own', and is not unordered. */
static uint32_t
find_open(const struct causal *c, key_id x, uint32_t i, uint32_t own)
{
    const struct recent_writers *w = &c->recent;
    while (i < own &&
           (is_known(c, i, w->at[own]) || recent_writers_is_unordered(w, x, i)))
        i++;
    return i;
}

/* The writers of x before the one at index 'own' are too many to be ordered one
 * by one: mark the first open one as unordered. */
static void
leave_out_first(struct causal *c, key_id x, uint32_t own)
{
    struct recent_writers *w = &c->recent;
    if (!recent_writers_has_room(w, x))
        return;
    const uint32_t i = find_open(c, x, recent_writers_bound(w, x, own), own);
    if (i < own)
        recent_writers_add_unordered(w, x, i);
    recent_writers_raise_bound(w, own, find_open(c, x, i, own));
}

/* Order the writers of x before the one at index 'own', which t3 read from.
 * False if there are too many. */
static bool
order_earlier_writers(struct causal *c, key_id x, uint32_t own, txn_id t3)
{
    struct recent_writers *w = &c->recent;
    const txn_id t1 = w->at[own];
    const bool few = own - w->first[x] <= c->few;
    for (uint32_t i = w->last_unordered[x]; i != ID_NONE;
         i = w->unordered.at[i].next)
        if (w->unordered.at[i].index < own)
            (void)order_writer(c, w->unordered.at[i].index, t1, t3);
    uint32_t low = few ? w->first[x] : recent_writers_bound(w, x, own);
    uint32_t lowest = own; // that is open
    for (uint32_t i = own; i-- > low;) {
        if (own - i > c->near) {
            leave_out_first(c, x, own);
            return false;
        }
        if (order_writer(c, i, t1, t3)) {
            const uint32_t bound = recent_writers_bound(w, x, i);
            low = !few && bound > low ? bound : low;
        } else if (!recent_writers_is_unordered(w, x, i)) {
            lowest = i;
        }
    }
    recent_writers_raise_bound(w, own, lowest);
    return true;
}

/* Infer the edges into t1 because t3 read x from it, from the writers that were
 * passed last.  False where they are too many. */
static bool
infer_from_recent(struct causal *c, key_id x, txn_id t3, txn_id t1)
{
    const struct recent_writers *w = &c->recent;
    const uint32_t end = w->end[x];
    uint32_t i = end;
    while (i > w->first[x] && w->at[i - 1] != t1) {
        if (end - i >= c->near)
            return false;
        (void)order_writer(c, --i, t1, t3);
    }
    // Those before t1 agree with the sequence, where that is all that matters.
    return i == w->first[x] || !c->out->store ||
           order_earlier_writers(c, x, i - 1, t3);
}

/* --- all writers
 * ------------------------------------------------------------*/

/* The same from all writers of x, where their runs are short. */
static void
infer_from_short_runs(struct causal *c, key_id x, txn_id t3, txn_id t1)
{
    const struct writer_runs *w = &c->runs;
    const txn_id *writers = w->writers.at;
    const uint32_t *chains = w->chains, *places = w->places;
    const uint32_t *row = row_of(c, t3), *known = known_before(c, t1);
    const uint32_t first = w->writers.first[x];
    uint32_t done = ID_NONE; // chain whose last writer before t3 is known
    assert(chains);
    for (uint32_t i = w->writers.first[x + 1]; i-- > first;) {
        const uint32_t chain = chains[i], place = places[i];
        // known <= place < row, in one branch: both differences are negative.
        if ((int32_t)((known[chain] - 1 - place) & (place - row[chain])) >= 0)
            continue;
        if (chain == done || writers[i] == t1) {
            done = chain;
            continue;
        }
        done = chain;
        add_edge(c, writers[i], t1, t3);
        row = row_of(c, t3);
        known = known_before(c, t1);
    }
}

static void
infer_from_runs(struct causal *c, key_id x, txn_id t3, txn_id t1)
{
    struct writer_runs *w = &c->runs;
    const uint32_t *row = row_of(c, t3), *known = known_before(c, t1);
    for (uint32_t i = w->first[x]; i < w->first[x + 1]; i++) {
        struct writer_run *run = &w->runs.at[i];
        if (row[run->chain] <= known[run->chain])
            continue;
        const uint32_t j = writer_run_below(run, w->places, row[run->chain]);
        if (j == ID_NONE || w->places[j] < known[run->chain] ||
            w->writers.at[j] == t1)
            continue;
        add_edge(c, w->writers.at[j], t1, t3);
        row = row_of(c, t3);
        known = known_before(c, t1);
    }
}

/* The same, unless that has mostly been in vain so far: where most operations
 * are writes, many writers stand between a version and its reader. */
static bool
infer_from_near(struct causal *c, key_id x, txn_id t3, txn_id t1)
{
    if (c->n_far > c->n_near + TUNE_CAUSAL_FAR)
        return false;
    const bool found = infer_from_recent(c, x, t3, t1);
    c->n_near += found;
    c->n_far += !found;
    return found;
}

static void
infer_from_reads(struct causal *c, txn_id t3)
{
    const struct history *h = c->r->h;
    for (op_id op = h->txn_begin[t3]; op < h->txn_end[t3]; op++) {
        if (!op_is_external_read(h, op))
            continue;
        const key_id x = op_key(h, op);
        const txn_id t1 = assigned_writer(c->r, op);
        if (infer_from_near(c, x, t3, t1))
            continue;
        if (!c->runs.first)
            writer_runs_find(&c->runs, &c->rows, c->short_runs);
        if (c->runs.first[x] != c->runs.first[x + 1])
            infer_from_runs(c, x, t3, t1);
        else
            infer_from_short_runs(c, x, t3, t1);
    }
}

static bool
walk(struct causal *c, const struct topological_order *sequence,
     const u32_vec *readers, struct budget *budget)
{
    const struct history *h = c->r->h;
    size_t next_reader = 0;
    // A row is joined eight entries at a time.
    const uint64_t steps =
        TUNE_CAUSAL_SPEND *
        (uint64_t)(h->n_ops / (h->n_txns + 1) + 1 + c->rows.width / 8);
    for (size_t i = 0; i < sequence->n; i++) {
        if (i % TUNE_CAUSAL_SPEND == 0 && !budget_spend(budget, steps))
            return false;
        const txn_id t = sequence->at[i];
        causal_rows_enter(&c->rows, t);
        if (!readers) {
            infer_from_reads(c, t);
        } else if (readers->at[next_reader] == t) {
            infer_from_reads(c, t);
            if (++next_reader == readers->n)
                break;
        }
        if (c->out->broken && !c->out->store)
            break;
        recent_writers_pass(&c->recent, c->r, t);
        causal_rows_leave(&c->rows, t);
    }
    return true;
}

bool
causal_edges(const struct writer_assignment *r,
             const struct topological_order *sequence, const u32_vec *readers,
             const struct weak_options *o, struct edges *out)
{
    if (readers && !readers->n)
        return true;
    struct causal c = {.r = r,
                       .out = out,
                       .few = TUNE_CAUSAL_FEW,
                       .near = TUNE_CAUSAL_NEAR,
                       .short_runs = TUNE_CAUSAL_SHORT};
    if (o->walk != WEAK_WALK_USUAL)
        c.few = 0;
    if (o->walk >= WEAK_WALK_SHORT_RUNS) {
        c.near = 1;
        c.short_runs = o->walk == WEAK_WALK_RUNS ? 0 : UINT32_MAX;
    }
    causal_rows_init(&c.rows, r, sequence,
                     o->always_cover ? 0 : TUNE_CAUSAL_SESSIONS);
    recent_writers_init(&c.recent, r, out->store);

    const bool finished = walk(&c, sequence, readers, o->budget);

    causal_rows_free(&c.rows);
    recent_writers_free(&c.recent);
    writer_runs_free(&c.runs);
    return finished;
}
