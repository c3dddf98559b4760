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
 * comparing the two bounds settles most chains without a look at any write.
 *
 * Most reads are decided by the few writers of x that the walk has passed
 * shortly before and after t1, which does not depend on the number of chains:
 * passed_writers.h.  Where these are not enough, all writers are looked at:
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
#include "weak/passed_writers.h"
#include "weak/writer_runs.h"

struct causal {
    const struct weak_reading *r;
    struct edges *out;
    struct causal_rows rows;
    struct passed_writers passed;
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

/* --- the writers that were passed last
 * --------------------------------------*/

static bool
is_known(const struct causal *c, uint32_t i, txn_id t1)
{
    const txn_id t2 = c->passed.at[i];
    return causal_rows_place(&c->rows, t2) <
           known_before(c, t1)[c->rows.chain[t2]];
}

/* Whether the writer at index i is known to come before t1.  If it is not, and
 * happened before t3, it gets an edge, and is known from then on. */
static bool
settle(struct causal *c, uint32_t i, txn_id t1, txn_id t3)
{
    const txn_id t2 = c->passed.at[i];
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
 * before the one at 'own', and is not odd. */
static uint32_t
find_open(const struct causal *c, key_id x, uint32_t i, uint32_t own)
{
    const struct passed_writers *w = &c->passed;
    while (i < own &&
           (is_known(c, i, w->at[own]) || passed_writers_is_odd(w, x, i)))
        i++;
    return i;
}

/* The writers of x before the one at index 'own' are too many to be settled one
 * by one: make the first that is open an odd one. */
static void
leave_out_first(struct causal *c, key_id x, uint32_t own)
{
    struct passed_writers *w = &c->passed;
    if (!passed_writers_has_room(w, x))
        return;
    const uint32_t i = find_open(c, x, passed_writers_settled(w, x, own), own);
    if (i < own)
        passed_writers_add_odd(w, x, i);
    passed_writers_settle(w, own, find_open(c, x, i, own));
}

/* Settle the writers of x before the one at index 'own', which t3 read from.
 * False where they are too many. */
static bool
settle_before(struct causal *c, key_id x, uint32_t own, txn_id t3)
{
    struct passed_writers *w = &c->passed;
    const txn_id t1 = w->at[own];
    const bool few = own - w->first[x] <= c->few;
    for (uint32_t i = w->odd[x]; i != ID_NONE; i = w->odds.at[i].next)
        if (w->odds.at[i].index < own)
            (void)settle(c, w->odds.at[i].index, t1, t3);
    uint32_t low = few ? w->first[x] : passed_writers_settled(w, x, own);
    uint32_t lowest = own; // that is open
    for (uint32_t i = own; i-- > low;) {
        if (own - i > c->near) {
            leave_out_first(c, x, own);
            return false;
        }
        if (settle(c, i, t1, t3)) {
            const uint32_t bound = passed_writers_settled(w, x, i);
            low = !few && bound > low ? bound : low;
        } else if (!passed_writers_is_odd(w, x, i)) {
            lowest = i;
        }
    }
    passed_writers_settle(w, own, lowest);
    return true;
}

/* Infer the edges into t1 because t3 read x from it, from the writers that were
 * passed last.  False where they are too many. */
static bool
infer_from_passed(struct causal *c, key_id x, txn_id t3, txn_id t1)
{
    const struct passed_writers *w = &c->passed;
    const uint32_t end = w->end[x];
    uint32_t i = end;
    while (i > w->first[x] && w->at[i - 1] != t1) {
        if (end - i >= c->near)
            return false;
        (void)settle(c, --i, t1, t3);
    }
    // Those before t1 agree with the sequence, where that is all that matters.
    return i == w->first[x] || !c->out->store || settle_before(c, x, i - 1, t3);
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
    uint32_t settled = ID_NONE; // its last writer before t3 is known
    assert(chains);
    for (uint32_t i = w->writers.first[x + 1]; i-- > first;) {
        const uint32_t chain = chains[i], place = places[i];
        // known <= place < row, in one branch: both differences are negative.
        if ((int32_t)((known[chain] - 1 - place) & (place - row[chain])) >= 0)
            continue;
        if (chain == settled || writers[i] == t1) {
            settled = chain;
            continue;
        }
        settled = chain;
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
    const bool found = infer_from_passed(c, x, t3, t1);
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
        const txn_id t1 = reading_writer(c->r, op);
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
        passed_writers_pass(&c->passed, c->r, t);
        causal_rows_leave(&c->rows, t);
    }
    return true;
}

bool
causal_edges(const struct weak_reading *r,
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
    passed_writers_init(&c.passed, r, out->store);

    const bool finished = walk(&c, sequence, readers, o->budget);

    causal_rows_free(&c.rows);
    passed_writers_free(&c.passed);
    writer_runs_free(&c.runs);
    return finished;
}
