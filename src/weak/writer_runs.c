/* writer_runs.c -- see writer_runs.h.
 *
 * SPDX-License-Identifier: MIT */
#include "weak/writer_runs.h"

#include "base/container/sorted.h"

#include <stdlib.h>

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
sort_writers(struct writer_runs *out, const struct causal_rows *rows)
{
    struct writers *w = &out->writers;
    const uint32_t n_keys = rows->r->h->n_keys;
    out->places = w->at;
    if (!rows->cover)
        return;
    out->places = out->own_places =
        mem_alloc(w->first[n_keys], sizeof *out->own_places);
    VEC(struct placed_writer) sorted = {0};
    for (key_id k = 0; k < n_keys; k++) {
        vec_clear(&sorted);
        for (uint32_t i = w->first[k]; i < w->first[k + 1]; i++)
            vec_push(&sorted, ((struct placed_writer){rows->chain[w->at[i]],
                                                      rows->places[w->at[i]],
                                                      w->at[i]}));
        if (sorted.n)
            qsort(sorted.at, sorted.n, sizeof *sorted.at, compare_placed);
        for (uint32_t i = 0; i < sorted.n; i++) {
            w->at[w->first[k] + i] = sorted.at[i].txn;
            out->own_places[w->first[k] + i] = sorted.at[i].place;
        }
    }
    vec_free(&sorted);
}

/* Append the runs of key k. */
static void
add_runs(struct writer_runs *out, const struct causal_rows *rows, key_id k)
{
    const struct writers *w = &out->writers;
    uint32_t i = w->first[k];
    while (i < w->first[k + 1]) {
        struct writer_run run = {rows->chain[w->at[i]], i, i, i};
        while (run.end < w->first[k + 1] &&
               rows->chain[w->at[run.end]] == run.chain)
            run.end++;
        vec_push(&out->runs, run);
        i = run.end;
    }
}

static void
note_chains(struct writer_runs *out, const struct causal_rows *rows)
{
    const struct writers *w = &out->writers;
    const uint32_t n = w->first[rows->r->h->n_keys];
    out->chains = mem_alloc(n, sizeof *out->chains);
    for (uint32_t i = 0; i < n; i++)
        out->chains[i] = rows->chain[w->at[i]];
}

static void
make_runs(struct writer_runs *out, const struct causal_rows *rows,
          size_t short_runs)
{
    const struct history *h = rows->r->h;
    const struct writers *w = &out->writers;
    out->first = mem_alloc((size_t)h->n_keys + 1, sizeof *out->first);
    for (key_id k = 0; k < h->n_keys; k++) {
        const uint32_t first = out->first[k] = (uint32_t)out->runs.n;
        add_runs(out, rows, k);
        if (w->first[k + 1] - w->first[k] > short_runs * (out->runs.n - first))
            continue;
        out->runs.n = first; // the runs are short
        if (!out->chains)
            note_chains(out, rows);
    }
    out->first[h->n_keys] = (uint32_t)out->runs.n;
}

void
writer_runs_find(struct writer_runs *w, const struct causal_rows *rows,
                 size_t short_runs)
{
    assert(!w->first);
    writers_init(&w->writers, rows->r->h, rows->r->counts);
    sort_writers(w, rows);
    make_runs(w, rows, short_runs);
}

void
writer_runs_free(struct writer_runs *w)
{
    mem_free(w->own_places);
    mem_free(w->chains);
    vec_free(&w->runs);
    mem_free(w->first);
    writers_free(&w->writers);
}

/* The search doubles its steps away from where the last one ended. */
uint32_t
writer_run_below(struct writer_run *run, const uint32_t *at, uint32_t bound)
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
