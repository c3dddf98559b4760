/* timeline.c -- see timeline.h.
 *
 * There are as many intervals as a plot can show, and fewer where that would
 * leave each of them with a handful of transactions: a percentile of three
 * numbers says nothing.
 *
 * SPDX-License-Identifier: MIT */
#include "history/timeline.h"

#include <assert.h>
#include <stdlib.h>

enum {
    MOST = 50, // intervals
    FEW = 10,  // transactions, at least, in the mean
};

bool
timeline_applies(const struct history *h)
{
    return h->is_recording && h->txn_began && h->n_txns > 0;
}

/* When a transaction is counted. */
static int64_t
moment_of(const struct history *h, txn_id t)
{
    return h->txn_ended[t] == INT64_MAX ? h->txn_began[t] : h->txn_ended[t];
}

/* The time between the beginning and the last end; sets the beginning.  A clock
 * of the run itself has counted little when the first transaction begins. */
static double
span(const struct history *h, int64_t *zero)
{
    int64_t first = INT64_MAX, last = 0;
    for (txn_id t = 0; t < h->n_txns; t++) {
        const int64_t at = moment_of(h, t), began = h->txn_began[t];
        last = at > last ? at : last;
        if (began != INT64_MIN && began < first)
            first = began;
    }
    first = first > last ? last : first;
    const double length = (double)last - (double)first;
    *zero = first >= 0 && (double)first <= length ? 0 : first;
    return (double)last - (double)*zero + 1;
}

/* The time of a committed transaction, and where it belongs. */
struct latency {
    size_t interval;
    int64_t time;
};

static int
compare(const void *a, const void *b)
{
    const struct latency *x = a, *y = b;
    return x->interval != y->interval ? (x->interval < y->interval ? -1 : 1)
           : x->time != y->time       ? (x->time < y->time ? -1 : 1)
                                      : 0;
}

/* The smallest of n sorted numbers that 'percent' of them do not exceed. */
static int64_t
percentile(const struct latency *sorted, size_t n, size_t percent)
{
    const size_t rank = (n * percent + 99) / 100;
    assert(n > 0 && percent <= 100);
    return sorted[rank ? rank - 1 : 0].time;
}

static void
count_txn(const struct history *h, txn_id t, struct timeline_interval *in)
{
    switch ((enum txn_status)h->txn_status[t]) {
    case TXN_COMMITTED:
        in->committed++;
        break;
    case TXN_ABORTED:
        in->aborted++;
        break;
    case TXN_INDETERMINATE:
        in->unknown++;
        break;
    case TXN_LOADING:
        break;
    }
}

static void
set_percentiles(struct timeline *out, struct latency *all, size_t n)
{
    if (n)
        qsort(all, n, sizeof *all, compare);
    for (size_t first = 0, end; first < n; first = end) {
        struct timeline_interval *in = &out->intervals.at[all[first].interval];
        for (end = first; end < n && all[end].interval == all[first].interval;)
            end++;
        in->median = percentile(all + first, end - first, 50);
        in->percentile_99 = percentile(all + first, end - first, 99);
    }
}

void
timeline_of(const struct history *h, struct timeline *out)
{
    assert(timeline_applies(h));
    *out = (struct timeline){0};
    const double whole = span(h, &out->zero);
    const size_t wanted = h->n_txns / FEW;
    const size_t n = wanted < 1 ? 1 : wanted > MOST ? MOST : wanted;
    const double length = whole / (double)n;
    out->seconds = length / 1e9;
    for (size_t i = 0; i < n; i++)
        vec_push(&out->intervals, ((struct timeline_interval){
                                      .median = -1, .percentile_99 = -1}));
    struct latency *all = mem_alloc(h->n_txns, sizeof *all);
    size_t committed = 0;
    for (txn_id t = 0; t < h->n_txns; t++) {
        const double at = (double)moment_of(h, t) - (double)out->zero;
        size_t i = at > 0 ? (size_t)(at / length) : 0;
        i = i < n ? i : n - 1;
        count_txn(h, t, &out->intervals.at[i]);
        if (h->txn_status[t] == TXN_COMMITTED && h->txn_ended[t] != INT64_MAX &&
            h->txn_began[t] != INT64_MIN)
            all[committed++] =
                (struct latency){i, h->txn_ended[t] - h->txn_began[t]};
    }
    set_percentiles(out, all, committed);
    mem_free(all);
}

void
timeline_free(struct timeline *t)
{
    vec_free(&t->intervals);
}
