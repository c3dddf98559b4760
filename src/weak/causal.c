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
 * Keys with many writers have a list of runs, one for each chain that writes
 * the key, and each with the place where the last search ended.  Transactions
 * come in an order close to that in time, so the next search ends nearby.
 * Where chains are so many that runs are short, comparing every writer with the
 * two bounds is faster than a search in each run: hardly any writer lies
 * between them, so the branch is foreseen.
 *
 * The algorithm is that of AWDIT ("An Optimal Weak Database Isolation Tester",
 * PLDI 2025, section 3.3), with rows that are recycled and with the
 * bounds (1).
 *
 * SPDX-License-Identifier: MIT */
#include "weak/causal.h"

#include "base/container/sorted.h"
#include "depend/writers.h"
#include "weak/causal_rows.h"

#include <stdlib.h>

enum {
    FEW = 12,            // writers of a key that are visited one by one
    SHORT = 8,           // the same, times the runs of the key
    BETWEEN = 1 << 12,   // transactions between two checks of the budget
    SESSIONS_MAX = 1000, // beyond, chains are not sessions
};

/* The writers of one key in one chain. */
struct run {
    uint32_t chain;
    uint32_t begin, end, cursor; // into writers.at
};

struct causal {
    const struct weak_reading *r;
    struct edges *out;
    struct causal_rows rows;
    struct writers writers; // of a key: by chain and place
    const uint32_t *places; // of writers.at
    uint32_t *own_places;   // NULL where they are the transactions themselves
    uint32_t *chains;       // of writers.at; NULL where no key has short runs
    size_t few, short_runs; // FEW and SHORT, or what a test makes of them
    VEC(struct run) runs;
    uint32_t *run_first; // by key; of keys whose writers are visited one by one
                         // there are no runs
};

/* --- writers of a key -----------------------------------------------------*/

struct placed_writer {
    uint32_t chain, place;
    txn_id txn;
};

static int
compare_placed(const void *a, const void *b)
{
    const struct placed_writer *x = a, *y = b;
    if (x->chain != y->chain)
        return x->chain < y->chain ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

/* Sort the writers of each key by chain and place.  They are where chains are
 * sessions. */
static void
sort_writers(struct causal *c)
{
    struct writers *w = &c->writers;
    const uint32_t n_keys = c->r->h->n_keys;
    c->places = w->at;
    if (!c->rows.cover)
        return;
    c->places = c->own_places =
        mem_alloc(w->first[n_keys], sizeof *c->own_places);
    VEC(struct placed_writer) sorted = {0};
    for (key_id k = 0; k < n_keys; k++) {
        vec_clear(&sorted);
        for (uint32_t i = w->first[k]; i < w->first[k + 1]; i++)
            vec_push(&sorted, ((struct placed_writer){c->rows.chain[w->at[i]],
                                                      c->rows.places[w->at[i]],
                                                      w->at[i]}));
        if (sorted.n)
            qsort(sorted.at, sorted.n, sizeof *sorted.at, compare_placed);
        for (uint32_t i = 0; i < sorted.n; i++) {
            w->at[w->first[k] + i] = sorted.at[i].txn;
            c->own_places[w->first[k] + i] = sorted.at[i].place;
        }
    }
    vec_free(&sorted);
}

/* Append the runs of key k. */
static void
add_runs(struct causal *c, key_id k)
{
    const struct writers *w = &c->writers;
    uint32_t i = w->first[k];
    while (i < w->first[k + 1]) {
        struct run run = {c->rows.chain[w->at[i]], i, i, i};
        while (run.end < w->first[k + 1] &&
               c->rows.chain[w->at[run.end]] == run.chain)
            run.end++;
        vec_push(&c->runs, run);
        i = run.end;
    }
}

static void
note_chains(struct causal *c)
{
    const struct writers *w = &c->writers;
    const uint32_t n = w->first[c->r->h->n_keys];
    c->chains = mem_alloc(n, sizeof *c->chains);
    for (uint32_t i = 0; i < n; i++)
        c->chains[i] = c->rows.chain[w->at[i]];
}

static void
make_runs(struct causal *c)
{
    const struct history *h = c->r->h;
    const struct writers *w = &c->writers;
    c->run_first = mem_alloc((size_t)h->n_keys + 1, sizeof *c->run_first);
    for (key_id k = 0; k < h->n_keys; k++) {
        const uint32_t first = c->run_first[k] = (uint32_t)c->runs.n;
        const uint32_t n = w->first[k + 1] - w->first[k];
        if (n <= c->few)
            continue;
        add_runs(c, k);
        if (n > c->short_runs * (c->runs.n - first))
            continue;
        c->runs.n = first; // the runs are short
        if (!c->chains)
            note_chains(c);
    }
    c->run_first[h->n_keys] = (uint32_t)c->runs.n;
}

/* The index of the last writer in the run whose place is below 'bound', or
 * ID_NONE.  The search doubles its steps away from where the last one ended. */
static uint32_t
find_below(struct run *run, const uint32_t *at, uint32_t bound)
{
    assert(run->begin <= run->cursor && run->cursor < run->end);
    uint32_t low, high; // the first place not below bound is in low..high
    uint32_t step = 1;
    if (at[run->cursor] < bound) {
        low = run->cursor + 1;
        while (low + step <= run->end && at[low + step - 1] < bound) {
            low += step;
            step *= 2;
        }
        high = low + step - 1 < run->end ? low + step - 1 : run->end;
    } else {
        high = run->cursor;
        while (high - run->begin >= step && at[high - step] >= bound) {
            high -= step;
            step *= 2;
        }
        low = high - run->begin >= step ? high - step + 1 : run->begin;
    }
    LOWER_BOUND(low, high, middle, at[middle] < bound);
    assert(low == run->end || at[low] >= bound);
    if (low == run->begin) {
        run->cursor = low;
        return ID_NONE;
    }
    run->cursor = low - 1;
    return low - 1;
}

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

static void
infer_from_writers(struct causal *c, key_id x, txn_id t3, txn_id t1)
{
    const struct writers *w = &c->writers;
    uint32_t settled = ID_NONE; // its last writer before t3 is known
    for (uint32_t i = w->first[x + 1]; i-- > w->first[x];) {
        const txn_id t2 = w->at[i];
        const uint32_t chain = c->rows.chain[t2], place = c->places[i];
        if (chain == settled || place >= row_of(c, t3)[chain])
            continue;
        settled = chain;
        if (t2 != t1 && place >= known_before(c, t1)[chain])
            add_edge(c, t2, t1, t3);
    }
}

/* The same for a key with many writers and short runs. */
static void
infer_from_short_runs(struct causal *c, key_id x, txn_id t3, txn_id t1)
{
    const txn_id *writers = c->writers.at;
    const uint32_t *chains = c->chains, *places = c->places;
    const uint32_t *row = row_of(c, t3), *known = known_before(c, t1);
    const uint32_t first = c->writers.first[x];
    uint32_t settled = ID_NONE; // its last writer before t3 is known
    assert(chains);
    for (uint32_t i = c->writers.first[x + 1]; i-- > first;) {
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
    const uint32_t *row = row_of(c, t3), *known = known_before(c, t1);
    for (uint32_t i = c->run_first[x]; i < c->run_first[x + 1]; i++) {
        struct run *run = &c->runs.at[i];
        if (row[run->chain] <= known[run->chain])
            continue;
        const uint32_t j = find_below(run, c->places, row[run->chain]);
        if (j == ID_NONE || c->places[j] < known[run->chain] ||
            c->writers.at[j] == t1)
            continue;
        add_edge(c, c->writers.at[j], t1, t3);
        row = row_of(c, t3);
        known = known_before(c, t1);
    }
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
        if (c->run_first[x] != c->run_first[x + 1])
            infer_from_runs(c, x, t3, t1);
        else if (c->writers.first[x + 1] - c->writers.first[x] > c->few)
            infer_from_short_runs(c, x, t3, t1);
        else
            infer_from_writers(c, x, t3, t1);
    }
}

static bool
walk(struct causal *c, const struct topological_order *sequence,
     const u32_vec *readers, struct budget *budget)
{
    const struct history *h = c->r->h;
    size_t next_reader = 0;
    // A row is joined eight entries at a time.
    const uint64_t steps = BETWEEN * (uint64_t)(h->n_ops / (h->n_txns + 1) + 1 +
                                                c->rows.width / 8);
    for (size_t i = 0; i < sequence->n; i++) {
        if (i % BETWEEN == 0 && !budget_spend(budget, steps))
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
        causal_rows_leave(&c->rows, t);
    }
    return true;
}

bool
causal_edges(const struct weak_reading *r,
             const struct topological_order *sequence, const u32_vec *readers,
             const struct weak_options *o, struct edges *out)
{
    const struct history *h = r->h;
    if (readers && !readers->n)
        return true;
    struct causal c = {.r = r, .out = out, .few = FEW, .short_runs = SHORT};
    if (o->walk != WEAK_WALK_BY_SIZE) {
        c.few = o->walk == WEAK_WALK_FEW ? UINT32_MAX : 0;
        c.short_runs = o->walk == WEAK_WALK_RUNS ? 0 : UINT32_MAX;
    }
    causal_rows_init(&c.rows, r, sequence, o->always_cover ? 0 : SESSIONS_MAX);
    writers_init(&c.writers, h, r->counts);
    sort_writers(&c);
    make_runs(&c);

    const bool finished = walk(&c, sequence, readers, o->budget);

    causal_rows_free(&c.rows);
    mem_free(c.own_places);
    mem_free(c.chains);
    vec_free(&c.runs);
    mem_free(c.run_first);
    writers_free(&c.writers);
    return finished;
}
