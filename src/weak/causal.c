/* causal.c -- the commit-order edges of causal consistency.
 *
 * Sessions are chains, so what happened before a transaction t is one number
 * per session: row(t)[s] is one past the last transaction of session s that
 * happened before t, or 0.  Transactions are numbered by session, hence
 *
 *     u happened before t   if and only if   u < row(t)[session of u].
 *
 * Rows are computed along a sequence that respects session order and the
 * reading.  Most transactions are not read from any more after a while.  A row
 * is given back after its last use, so only a part of the n rows exists at any
 * time.  That is why these are not the clocks of graph/clock.h, which keep all
 * rows: on histories of millions of transactions they would not fit.
 *
 * For a read of key x by t3 from t1, and each session, only the last writer t2
 * of x in that session that happened before t3 matters; and no edge t2 -> t1
 * is needed that is known already.  A second row of t1, made when its first
 * edge is inferred, keeps what comes before t1 by then:
 *
 *   (1) row(t1)[s] <= known(t1)[s], and every transaction of session s below
 *       known(t1)[s] comes before t1 by edges that are there.
 *
 * So t2 matters if known(t1)[s] <= t2 < row(t3)[s], and comparing the two
 * bounds settles most sessions without a look at any write.
 *
 * Keys with many writers have a list of runs, one for each session that writes
 * the key, and each with the place where the last search ended.  Transactions
 * come in an order close to that in time, so the next search ends nearby.
 *
 * The algorithm is that of AWDIT ("An Optimal Weak Database Isolation Tester",
 * PLDI 2025, section 3.3), with rows that are recycled and with the
 * bounds (1).
 *
 * SPDX-License-Identifier: MIT */
#include "weak/causal.h"

#include "depend/writers.h"

enum {
    FEW = 12,          // writers of a key that are visited one by one
    BETWEEN = 1 << 12, // transactions between two checks of the budget
};

#define NO_ROW UINT32_MAX // of a transaction

/* The writers of one key in one session. */
struct run {
    session_id session;
    uint32_t begin, end, cursor; // into writers.at
};

struct txn_rows {
    txn_id last_use;     // the last transaction that needs the row, or TXN_NONE
    uint32_t row, known; // NO_ROW where there is none
};

struct causal {
    const struct weak_reading *r;
    struct edges *out;
    struct writers writers;
    VEC(struct run) runs;
    uint32_t *run_first; // by key; of keys with few writers there are no runs

    uint32_t width; // of a row: sessions, rounded up
    u32_vec rows;
    u32_vec unused; // rows that were given back
    struct txn_rows *of;
    uint32_t zero; // the row of INIT: nothing is before it
};

/* --- rows -----------------------------------------------------------------*/

static uint32_t *
row_at(const struct causal *c, uint32_t row)
{
    assert(row != NO_ROW && ((size_t)row + 1) * c->width <= c->rows.n);
    return c->rows.at + (size_t)row * c->width;
}

/* A new row that is a copy of 'from'. */
static uint32_t
row_copy(struct causal *c, uint32_t from)
{
    uint32_t row;
    if (c->unused.n) {
        row = vec_pop(&c->unused);
    } else {
        row = (uint32_t)(c->rows.n / c->width);
        vec_grow(&c->rows, c->width);
    }
    memcpy(row_at(c, row), row_at(c, from), c->width * sizeof(uint32_t));
    return row;
}

static void
row_drop(struct causal *c, uint32_t *row)
{
    if (*row != NO_ROW)
        vec_push(&c->unused, *row);
    *row = NO_ROW;
}

static void
row_join(uint32_t *restrict row, const uint32_t *restrict other, size_t width)
{
    for (size_t i = 0; i < width; i++)
        row[i] = row[i] > other[i] ? row[i] : other[i];
}

/* Find the last use of each row: by a reader or by the session's next. */
static void
find_last_uses(struct causal *c, const struct topological_order *sequence)
{
    const struct history *h = c->r->h;
    c->of = mem_alloc(h->n_txns, sizeof *c->of);
    memset(c->of, 0xff, h->n_txns * sizeof *c->of); // TXN_NONE, NO_ROW
    txn_id *before = mem_alloc(h->n_sessions, sizeof *before);
    memset(before, 0xff, h->n_sessions * sizeof *before);
    for (size_t i = 0; i < sequence->n; i++) {
        const txn_id t = sequence->at[i];
        txn_id *previous = &before[h->txn_session[t]];
        if (*previous != TXN_NONE)
            c->of[*previous].last_use = t;
        *previous = t;
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
            if (!op_is_external_read(h, op))
                continue;
            const txn_id w = reading_writer(c->r, op);
            if (w != TXN_INIT)
                c->of[w].last_use = t;
        }
    }
    mem_free(before);
}

/* The row of t, whose session had 'previous' before it. */
static uint32_t
make_row(struct causal *c, txn_id t, txn_id previous)
{
    const struct history *h = c->r->h;
    const uint32_t row =
        row_copy(c, previous == TXN_NONE ? c->zero : c->of[previous].row);
    uint32_t *at = row_at(c, row);
    if (previous != TXN_NONE)
        at[h->txn_session[t]] = previous + 1;
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
        if (!op_is_external_read(h, op))
            continue;
        const txn_id w = reading_writer(c->r, op);
        if (w == TXN_INIT || w < at[h->txn_session[w]])
            continue;
        assert(c->of[w].row != NO_ROW); // its last use is not before t
        row_join(at, row_at(c, c->of[w].row), c->width);
        at[h->txn_session[w]] = w + 1;
    }
    return row;
}

static void
drop_if_last(struct causal *c, txn_id w, txn_id t)
{
    if (w != TXN_INIT && w != TXN_NONE && c->of[w].last_use == t) {
        row_drop(c, &c->of[w].row);
        row_drop(c, &c->of[w].known);
    }
}

/* Give back the rows that t was the last to need. */
static void
drop_rows(struct causal *c, txn_id t, txn_id previous)
{
    const struct history *h = c->r->h;
    drop_if_last(c, previous, t);
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
        if (op_is_external_read(h, op))
            drop_if_last(c, reading_writer(c->r, op), t);
    if (c->of[t].last_use == TXN_NONE)
        row_drop(c, &c->of[t].row);
}

/* --- writers of a key -----------------------------------------------------*/

static void
make_runs(struct causal *c)
{
    const struct history *h = c->r->h;
    const struct writers *w = &c->writers;
    c->run_first = mem_alloc((size_t)h->n_keys + 1, sizeof *c->run_first);
    for (key_id k = 0; k < h->n_keys; k++) {
        c->run_first[k] = (uint32_t)c->runs.n;
        if (w->first[k + 1] - w->first[k] <= FEW)
            continue;
        uint32_t i = w->first[k];
        while (i < w->first[k + 1]) {
            struct run run = {h->txn_session[w->at[i]], i, i, i};
            const txn_id end = h->session_first[run.session + 1];
            while (run.end < w->first[k + 1] && w->at[run.end] < end)
                run.end++;
            vec_push(&c->runs, run);
            i = run.end;
        }
    }
    c->run_first[h->n_keys] = (uint32_t)c->runs.n;
}

/* The last writer in the run that is below 'bound', or TXN_NONE.  The search
 * doubles its steps away from where the last one ended. */
static txn_id
find_below(struct run *run, const txn_id *at, txn_id bound)
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
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (at[middle] < bound)
            low = middle + 1;
        else
            high = middle;
    }
    assert(low == run->end || at[low] >= bound);
    if (low == run->begin) {
        run->cursor = low;
        return TXN_NONE;
    }
    run->cursor = low - 1;
    return at[low - 1];
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
    struct txn_rows *of = &c->of[t1];
    if (of->known == NO_ROW)
        of->known = row_copy(c, of->row);
    assert(row_at(c, of->known)[h->txn_session[t2]] <= t2);
    row_at(c, of->known)[h->txn_session[t2]] = t2 + 1; // (1)
}

/* The row that bounds what is known to come before t1 (1).  Rows move when
 * one is made, so the result is valid until the next edge only. */
static const uint32_t *
known_before(const struct causal *c, txn_id t1)
{
    return row_at(c, t1 == TXN_INIT              ? c->zero
                     : c->of[t1].known != NO_ROW ? c->of[t1].known
                                                 : c->of[t1].row);
}

static void
infer_from_writers(struct causal *c, key_id x, txn_id t3, txn_id t1)
{
    const struct history *h = c->r->h;
    const struct writers *w = &c->writers;
    session_id settled = ID_NONE; // its last writer before t3 is known
    for (uint32_t i = w->first[x + 1]; i-- > w->first[x];) {
        const txn_id t2 = w->at[i];
        const session_id s = h->txn_session[t2];
        if (s == settled || t2 >= row_at(c, c->of[t3].row)[s])
            continue;
        settled = s;
        if (t2 != t1 && t2 >= known_before(c, t1)[s])
            add_edge(c, t2, t1, t3);
    }
}

static void
infer_from_runs(struct causal *c, key_id x, txn_id t3, txn_id t1)
{
    for (uint32_t i = c->run_first[x]; i < c->run_first[x + 1]; i++) {
        struct run *run = &c->runs.at[i];
        const txn_id bound = row_at(c, c->of[t3].row)[run->session];
        const txn_id known = known_before(c, t1)[run->session];
        if (bound <= known)
            continue;
        const txn_id t2 = find_below(run, c->writers.at, bound);
        if (t2 != TXN_NONE && t2 != t1 && t2 >= known)
            add_edge(c, t2, t1, t3);
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
        if (c->run_first[x] == c->run_first[x + 1])
            infer_from_writers(c, x, t3, t1);
        else
            infer_from_runs(c, x, t3, t1);
    }
}

static bool
walk(struct causal *c, const struct topological_order *sequence,
     const u32_vec *readers, txn_id *before, struct budget *budget)
{
    const struct history *h = c->r->h;
    size_t next_reader = 0;
    // A row is joined eight entries at a time.
    const uint64_t steps =
        BETWEEN * (uint64_t)(h->n_ops / (h->n_txns + 1) + 1 + c->width / 8);
    for (size_t i = 0; i < sequence->n; i++) {
        if (i % BETWEEN == 0 && !budget_spend(budget, steps))
            return false;
        const txn_id t = sequence->at[i];
        txn_id *previous = &before[h->txn_session[t]];
        assert(*previous == TXN_NONE || *previous < t);
        c->of[t].row = make_row(c, t, *previous);
        if (!readers) {
            infer_from_reads(c, t);
        } else if (readers->at[next_reader] == t) {
            infer_from_reads(c, t);
            if (++next_reader == readers->n)
                break;
        }
        if (c->out->broken && !c->out->store)
            break;
        drop_rows(c, t, *previous);
        *previous = t;
    }
    return true;
}

bool
causal_edges(const struct weak_reading *r,
             const struct topological_order *sequence, const u32_vec *readers,
             struct budget *budget, struct edges *out)
{
    const struct history *h = r->h;
    if (readers && !readers->n)
        return true;
    struct causal c = {.r = r, .out = out};
    c.width = (h->n_sessions + 3) / 4 * 4;
    vec_grow(&c.rows, c.width);
    memset(c.rows.at, 0, c.width * sizeof *c.rows.at);
    writers_init(&c.writers, h, r->counts);
    make_runs(&c);
    find_last_uses(&c, sequence);
    txn_id *before = mem_alloc(h->n_sessions, sizeof *before);
    memset(before, 0xff, h->n_sessions * sizeof *before);

    const bool finished = walk(&c, sequence, readers, before, budget);

    mem_free(before);
    mem_free(c.of);
    vec_free(&c.rows);
    vec_free(&c.unused);
    vec_free(&c.runs);
    mem_free(c.run_first);
    writers_free(&c.writers);
    return finished;
}
