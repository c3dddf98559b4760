/* near_candidates.c -- see near_candidates.h.
 *
 * Where a value has dozens of writers, hardly a read can be decided by what is
 * certain, and then nothing else can be inferred either.  But most recordings
 * are of sessions that go on at an even pace.  In these the place of a
 * transaction in its session tells when it ran, give or take some, and a read
 * saw a writer that ran shortly before.
 *
 * The time of a transaction is its place in its session, scaled to the number
 * n of all transactions.  If each transaction is of one of k sessions at
 * random, the error is about sqrt(nk) / 2 in the middle of the history.  A
 * version of a key with w versions lives for about n / w.  So a candidate is
 * near if its time is at most
 *
 *     before the read:  span * (sqrt(nk) / 5 + n / w)
 *     after the read:   span * sqrt(nk) / 5
 *
 * SPDX-License-Identifier: MIT */
#include "strong/infer/near_candidates.h"

enum {
    KEPT_MOST = 8,      // candidates of a read that are near, on average
    ERRORS_IN_SPAN = 5, // the divisor above
};

struct near_range {
    const struct dependencies *p;
    const uint32_t *time; // by transaction
    uint64_t from, to;
};

/* The least number whose square is at least n. */
static uint64_t
root(uint64_t n)
{
    uint64_t low = 0, high = UINT32_MAX;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (middle * middle < n)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* How far from the truth a time may be. */
static uint64_t
time_error(const struct history *h, uint32_t span)
{
    return span * root((uint64_t)h->n_txns * h->n_sessions) / ERRORS_IN_SPAN;
}

bool
near_candidates_suit(const struct history *h,
                     const struct strong_options *options)
{
    if (!options->near_candidates || h->several_first.n < 2 || h->order_first)
        return false;
    const uint64_t values = h->several_first.n - 1, writers = h->several.n;
    const uint64_t life = (uint64_t)h->n_txns * h->n_keys / writers;
    const uint64_t range =
        2 * time_error(h, options->near_span) + options->near_span * life;
    assert(writers >= values);
    return writers >= options->near_candidates * values &&
           2 * range <= h->n_txns &&
           writers * range <= KEPT_MOST * values * h->n_txns;
}

static bool
is_far(void *context, version_id v)
{
    const struct near_range *range = context;
    const dense_id t = range->p->version_txn[v];
    const uint64_t time = t == DENSE_INIT ? 0 : range->time[t];
    return time < range->from || time > range->to;
}

static uint32_t *
estimate_times(const struct dependencies *p)
{
    const struct history *h = p->h;
    uint32_t *time = mem_alloc(p->n_txns, sizeof *time);
    for (dense_id t = 0; t < p->n_txns; t++) {
        const txn_id name = p->name[t];
        const txn_id *session = &h->session_first[h->txn_session[name]];
        assert(session[0] <= name && name < session[1]);
        time[t] = (uint32_t)((uint64_t)(name - session[0]) * h->n_txns /
                             (session[1] - session[0]));
    }
    return time;
}

void
near_candidates_keep(struct dependencies *p, uint32_t span)
{
    const uint64_t n = p->h->n_txns, error = time_error(p->h, span);
    uint32_t *time = estimate_times(p);
    for (size_t i = 0; i < p->ambiguous.n; i++) {
        struct candidates *c = &p->ambiguous.at[i];
        const struct candidates all = *c;
        const key_id k = read_key(p, c->read);
        const uint64_t life = n / (p->key_first[k + 1] - p->key_first[k]);
        const uint64_t at = time[p->read_txn[c->read]],
                       back = error + span * life;
        struct near_range range = {p, time, at > back ? at - back : 0,
                                   at + error};
        assert(all.first < p->pool.shared); // so that it can be taken back
        candidates_filter(&p->pool, c, is_far, &range);
        if (!c->n)
            *c = all;
    }
    mem_free(time);
}
