/* estimated_times.c -- see estimated_times.h.
 *
 * At first every session is taken to go on at an even pace, so the place of a
 * transaction in its session tells when it ran.  If each transaction is of one
 * of k sessions at random, then over m transactions of a session this is wrong
 * by about sqrt(m) * k / 2 places.  Reads tell more: in the true order a read
 * lies between the writer of what it saw and the next writer of the key.
 *
 * So the estimate is corrected in rounds.  In each, the transactions are put in
 * the order of their times, which is an order of versions, too.  A read is
 * taken to have seen the version of its value that is nearest to it, and its
 * distance from the middle of the life of that version says by how much its
 * transaction is too early or too late, and the two writers the other way
 * round.  A single read says little, and its version may be the wrong one.
 * But sessions drift slowly, so what is said by m transactions on either side
 * is averaged, weighted by how exact it can be:
 *
 *   - a version that lived long says little about when it was read;
 *   - so does a value that is written more often than the estimate is exact:
 *     some version of it is always near.
 *
 * The first rounds look at a quarter of a session, the next ones at a quarter
 * of that, and so on.  As m falls, so does the error that is expected, and more
 * and more values become telling.  Where many transactions are averaged, some
 * of them are enough.
 *
 * Where hardly a value is telling at first, sessions are followed from their
 * beginnings instead (session_alignment.h), and rounds only refine that.
 *
 * SPDX-License-Identifier: MIT */
#include "strong/infer/estimated_times.h"

#include "base/container/sorted.h"
#include "base/limits/tuning.h"
#include "strong/infer/session_alignment.h"

#include <math.h>

enum { DIGIT = 11 }; // bits

#define NOT_SEEN (-2) // no version of the value is near
#define SAW_INIT (-1) // otherwise an index into 'versions'

struct dated_version {
    uint32_t time; // of the writer
    value_id value;
    txn_id writer;
};

struct estimate {
    const struct history *h;
    uint32_t n; // transactions that count or may count
    txn_id *at; // in the order of their times
    uint32_t *time;
    double *moved;       // by transaction: the next time
    double *pull, *sure; // by transaction: what reads say, and its weight

    uint32_t *key_first;            // by key; n_keys + 1 of them
    uint32_t *key_next;             // by key, while versions are dated
    struct dated_version *versions; // by key, then by time
};

/* --- the order of the times -------------------------------------------------
 */

/* Sort the transactions by 'moved', which rises within a session; time becomes
 * the place. */
static void
sort_by_time(struct estimate *e)
{
    const struct history *h = e->h;
    uint32_t *key = mem_alloc(h->n_txns, sizeof *key);
    txn_id *other = mem_alloc(e->n, sizeof *other);
    const double most = (double)(UINT32_MAX / TUNE_ESTIMATE_FRACTION / 2);
    uint32_t n = 0;
    for (txn_id t = 0; t < h->n_txns; t++) {
        if (!h->txn_counts[t])
            continue;
        const double x = e->moved[t] + (double)e->n; // not far below 0
        key[t] = (uint32_t)(TUNE_ESTIMATE_FRACTION * (x < 0      ? 0
                                                      : x > most ? most
                                                                 : x));
        e->at[n++] = t;
    }
    assert(n == e->n);
    for (unsigned bits = 0; bits < 3 * DIGIT; bits += DIGIT) {
        const uint32_t mask = (1u << DIGIT) - 1;
        uint32_t first[(1u << DIGIT) + 1] = {0};
        for (uint32_t i = 0; i < n; i++)
            first[(key[e->at[i]] >> bits & mask) + 1]++;
        for (uint32_t d = 0; d < 1u << DIGIT; d++)
            first[d + 1] += first[d];
        for (uint32_t i = 0; i < n; i++)
            other[first[key[e->at[i]] >> bits & mask]++] = e->at[i];
        txn_id *sorted = other;
        other = e->at;
        e->at = sorted;
    }
    for (uint32_t i = 0; i < n; i++)
        e->time[e->at[i]] = i;
    mem_free(other);
    mem_free(key);
}

/* An even pace. */
static void
spread_evenly(struct estimate *e)
{
    const struct history *h = e->h;
    for (session_id s = 0; s < h->n_sessions; s++) {
        const txn_id first = h->session_first[s], end = h->session_first[s + 1];
        for (txn_id t = first; t < end; t++)
            e->moved[t] = (t - first + 0.5) * e->n / (end - first);
    }
    sort_by_time(e);
}

/* --- versions --------------------------------------------------------------*/

static void
date_versions(struct estimate *e)
{
    const struct history *h = e->h;
    if (h->n_keys)
        memcpy(e->key_next, e->key_first, h->n_keys * sizeof *e->key_next);
    for (uint32_t i = 0; i < e->n; i++) {
        const txn_id t = e->at[i];
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
            if (!op_is_final_write(h, op))
                continue;
            const uint32_t at = e->key_next[op_key(h, op)]++;
            e->versions[at] = (struct dated_version){i, h->op_value[op], t};
        }
    }
}

/* The first version of key k whose time is x or later. */
static uint32_t
first_from(const struct estimate *e, key_id k, uint32_t x)
{
    uint32_t low = e->key_first[k];
    LOWER_BOUND(low, e->key_first[k + 1], middle, e->versions[middle].time < x);
    return low;
}

/* The version of value v of key k that is nearest to time x, within 'reach',
 * of a writer other than t. */
static int64_t
find_nearest(const struct estimate *e, key_id k, value_id v, bool init,
             uint32_t x, uint32_t reach, txn_id t)
{
    const uint32_t first = e->key_first[k], end = e->key_first[k + 1];
    const uint32_t now = first_from(e, k, x);
    int64_t found = NOT_SEEN;
    uint32_t distance = reach;
    for (uint32_t i = now; now - i < TUNE_ESTIMATE_VERSIONS; i--) {
        const uint32_t ago = i == now ? 0 : x - e->versions[i].time;
        const bool serves = i == first ? init
                                       : e->versions[i - 1].value == v &&
                                             e->versions[i - 1].writer != t;
        if (ago <= reach && serves) {
            found = i == first ? SAW_INIT : (int64_t)i - 1;
            distance = ago;
        }
        if (ago > reach || serves || i == first)
            break;
    }
    for (uint32_t i = now; i < end && i - now < TUNE_ESTIMATE_VERSIONS; i++) {
        const struct dated_version *after = &e->versions[i];
        assert(after->time >= x);
        if (after->time - x >= distance)
            break;
        if (after->value == v && after->writer != t)
            return i;
    }
    return found;
}

/* --- what reads say --------------------------------------------------------*/

/* By how much times are wrong that are averaged over m transactions on either
 * side. */
static double
expected_error(const struct estimate *e, uint32_t m)
{
    return sqrt(m) * e->h->n_sessions / 2;
}

/* How likely the nearest of several writers, which are so far apart, is the
 * right one. */
static double
how_telling(double apart, double error)
{
    return apart / (apart + 4 * error);
}

static void
add_pull(struct estimate *e, txn_id t, double by, double weight)
{
    e->pull[t] += weight * by;
    e->sure[t] += weight;
}

/* Take note of what the read op of t says, where times are wrong by about
 * 'error'. */
static void
weigh_read(struct estimate *e, txn_id t, op_id op, double error)
{
    const struct history *h = e->h;
    const value_id v = h->op_value[op];
    const key_id k = op_key(h, op);
    const uint32_t x = e->time[t];
    double apart = e->n; // writers of the value, on average
    int64_t seen = SAW_INIT;
    if (history_has_several(h, v)) {
        const struct txn_range writers = history_candidates(h, v);
        apart /= (double)writers.n;
        seen = find_nearest(e, k, v, writers.at[0] == TXN_INIT, x,
                            (uint32_t)(TUNE_ESTIMATE_REACH * error), t);
        if (seen == NOT_SEEN)
            return;
    } else if (history_writer(h, v) != TXN_INIT) {
        seen = first_from(e, k, e->time[history_writer(h, v)]);
        assert(seen < e->key_first[k + 1]);
    }
    const uint32_t next = seen < 0 ? e->key_first[k] : (uint32_t)seen + 1;
    const struct dated_version *from = seen < 0 ? NULL : &e->versions[seen],
                               *to = next < e->key_first[k + 1]
                                         ? &e->versions[next]
                                         : NULL;
    const double begin = from ? from->time : 0, end = to ? to->time : e->n;
    const double life = end - begin, by = (begin + end) / 2 - x;
    const double off = x < begin ? begin - x : x > end ? x - end : 0;
    const double tells = how_telling(apart, error);
    const double weight = tells * tells * tells * tells /
                          (life * life / 12 + error * error) /
                          (1 + off * off / (4 * error * error));
    add_pull(e, t, by, weight);
    if (from)
        add_pull(e, from->writer, -by, weight / 2);
    if (to && to->writer != t)
        add_pull(e, to->writer, -by, weight / 2);
}

/* Ask every step-th transaction. */
static void
weigh_reads(struct estimate *e, double error, uint32_t step)
{
    const struct history *h = e->h;
    memset(e->pull, 0, h->n_txns * sizeof *e->pull);
    memset(e->sure, 0, h->n_txns * sizeof *e->sure);
    for (txn_id t = 0; t < h->n_txns; t += step)
        for (op_id op = h->txn_begin[t]; h->txn_counts[t] && op < h->txn_end[t];
             op++)
            if (op_is_external_read(h, op))
                weigh_read(e, t, op, error);
}

/* Move each transaction by the average of the m on either side, times
 * 'boldness'. */
static double
move(struct estimate *e, uint32_t m, double boldness)
{
    const struct history *h = e->h;
    double all = 0, moved = 0;
    for (txn_id t = 0; t < h->n_txns; t++)
        all += e->sure[t];
    const double doubt = all / h->n_txns; // a transaction's worth
    for (session_id s = 0; s < h->n_sessions; s++) {
        const txn_id first = h->session_first[s], end = h->session_first[s + 1];
        double pull = 0, sure = 0, last = -(double)e->n;
        for (txn_id t = first, in = first, out = first; t < end; t++) {
            for (; in < end && in - t <= m; in++) {
                pull += e->pull[in];
                sure += e->sure[in];
            }
            for (; t - out > m; out++) {
                pull -= e->pull[out];
                sure -= e->sure[out];
            }
            const double by = boldness * pull / (sure + doubt + 1e-30);
            const double x = e->time[t] + by;
            moved += by * by;
            e->moved[t] = last = x > last ? x : last;
        }
    }
    sort_by_time(e);
    return sqrt(moved / h->n_txns);
}

static double
correct(struct estimate *e, uint32_t m)
{
    // More candidates than the true one pull, so the average says too little.
    const double boldness = m > 40 ? 3 : 1.5;
    const double error = expected_error(e, m);
    date_versions(e);
    weigh_reads(e, error,
                m > TUNE_ESTIMATE_SAMPLES ? m / TUNE_ESTIMATE_SAMPLES : 1);
    return move(e, m, boldness) / error;
}

static void
estimate_init(struct estimate *e, const struct history *h, uint32_t *time)
{
    *e = (struct estimate){.h = h, .time = time};
    e->key_first = mem_calloc((size_t)h->n_keys + 1, sizeof *e->key_first);
    uint32_t versions = 0;
    for (txn_id t = 0; t < h->n_txns; t++) {
        e->n += h->txn_counts[t] != TXN_LEFT_OUT;
        for (op_id op = h->txn_begin[t]; h->txn_counts[t] && op < h->txn_end[t];
             op++)
            if (op_is_final_write(h, op)) {
                e->key_first[op_key(h, op) + 1]++;
                versions++;
            }
    }
    for (key_id k = 0; k < h->n_keys; k++)
        e->key_first[k + 1] += e->key_first[k];
    e->at = mem_alloc(e->n, sizeof *e->at);
    e->moved = mem_alloc(h->n_txns, sizeof *e->moved);
    e->pull = mem_alloc(h->n_txns, sizeof *e->pull);
    e->sure = mem_alloc(h->n_txns, sizeof *e->sure);
    e->key_next = mem_alloc(h->n_keys, sizeof *e->key_next);
    e->versions = mem_alloc(versions, sizeof *e->versions);
}

static void
estimate_free(struct estimate *e)
{
    mem_free(e->at);
    mem_free(e->moved);
    mem_free(e->pull);
    mem_free(e->sure);
    mem_free(e->key_first);
    mem_free(e->key_next);
    mem_free(e->versions);
}

/* Whether the values of most reads are written more often than an even pace is
 * exact. */
static bool
is_dense(const struct estimate *e, double error)
{
    const struct history *h = e->h;
    double telling = 0, reads = 0;
    for (op_id op = 0; op < h->n_ops; op++)
        if (op_is_external_read(h, op) &&
            history_has_several(h, h->op_value[op])) {
            const size_t n = history_candidates(h, h->op_value[op]).n;
            telling += how_telling((double)e->n / (double)n, error);
            reads++;
        }
    return telling < reads / 2;
}

static void
follow_sessions(struct estimate *e)
{
    double *even = mem_alloc(e->h->n_txns, sizeof *even);
    memcpy(even, e->moved, e->h->n_txns * sizeof *even);
    session_alignment_find(e->h, e->at, e->n, even, e->moved);
    mem_free(even);
    sort_by_time(e);
}

void
estimated_times_find(const struct history *h, uint32_t *time)
{
    struct estimate e;
    estimate_init(&e, h, time);
    spread_evenly(&e);
    uint32_t m = h->n_sessions ? e.n / h->n_sessions / 4 : 0;
    if (is_dense(&e, expected_error(&e, m))) {
        follow_sessions(&e);
        m = m < TUNE_ESTIMATE_FOLLOWED ? m : TUNE_ESTIMATE_FOLLOWED;
    }
    for (m = m < TUNE_ESTIMATE_AVERAGED ? TUNE_ESTIMATE_AVERAGED : m;
         m >= TUNE_ESTIMATE_AVERAGED; m /= 2) {
        // Rounds that look at a sample are cheap.
        const int rounds = m > TUNE_ESTIMATE_SAMPLES ? TUNE_ESTIMATE_ROUNDS : 1;
        for (int i = 0;
             i < rounds && correct(&e, m) > TUNE_ESTIMATE_SMALL_PERCENT / 100.0;
             i++)
            ;
    }
    estimate_free(&e);
}
