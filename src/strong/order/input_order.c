/* input_order.c -- see input_order.h.
 *
 * Recorders often write a transaction down when it commits.  Then the order of
 * the input is the order of commits, and to run the history in that order is
 * enough; where times are known, so is the order in which transactions ended.
 * Nothing has to be inferred, however many candidates a read has:
 * the last transaction that wrote the value is the one it read from.
 *
 * Commits are numbered from 1.  A snapshot is the number of commits that it
 * contains.  At one point a transaction, the snapshot is what was committed
 * right before.  At two points it is the latest one that serves every read, and
 * it has to contain
 *
 *   - the commits before it in its session;
 *   - where writers are separate (si), the last writer of each key it writes;
 *   - at strict levels, everything that ended before it began.
 *
 * With the order of commits fixed, the latest snapshot is as good as any: a
 * transaction's snapshot constrains no other one.  psi follows from si.
 *
 * Most histories are serializable, and a serial run needs no versions and no
 * snapshots.  So with unique values that is tried first, whatever the level.
 *
 * Transactions that may count do not count here, and lists are not tried.
 *
 *   (1) the versions of a key are linked from the latest to the earliest, with
 *       falling positions; INIT's comes after them and is not stored.
 *   (2) a commit is not in 'ended' if a later one ended no later: whatever
 *       contains the later one contains it.
 *
 * SPDX-License-Identifier: MIT */
#include "strong/order/input_order.h"

#include "base/container/sorted.h"
#include "base/limits/context.h"
#include "base/limits/tuning.h"

#include <stdlib.h>

struct committed_version {
    value_id value;
    txn_id writer;
    uint32_t position; // of the writer's commit
    uint32_t before;   // 1 + index of the version before it; 0 = INIT's
};

struct ended {
    int64_t time;
    uint32_t position;
};

struct recorded_run {
    const struct history *h;
    const txn_id *order; // transactions, as they are to commit: all that count
    uint32_t n_order;    // and maybe others
    bool two_points, separates_writers, is_strict;
    bool is_serial; // each snapshot is what was committed right before
    VEC(struct committed_version) versions;
    uint32_t *latest;        // by key: 1 + index of its latest version
    uint32_t n;              // commits so far
    txn_id *last;            // by session: the last that committed, or TXN_NONE
    uint32_t *position;      // by transaction: of its commit
    uint32_t *snapshot;      // by transaction, at two points
    VEC(struct ended) ended; // at strict levels, by time and position: (2)
    int64_t latest_begin;    // of those that committed
    uint64_t steps;
    struct certificate *c;
};

/* --- versions --------------------------------------------------------------*/

/* Whether a read of value v may have read the version; index 0 is INIT's. */
static bool
serves(const struct recorded_run *run, uint32_t index, value_id v)
{
    const struct history *h = run->h;
    if (index)
        return run->versions.at[index - 1].value == v;
    if (history_has_several(h, v))
        return history_candidates(h, v).at[0] == TXN_INIT;
    return history_writer(h, v) == TXN_INIT;
}

/* The latest version of key k that 'snapshot' contains. */
static uint32_t
find_version(struct recorded_run *run, key_id k, uint32_t snapshot)
{
    uint32_t i = run->latest[k];
    while (i && run->versions.at[i - 1].position > snapshot) {
        i = run->versions.at[i - 1].before;
        run->steps++;
    }
    return i;
}

/* Add a version.  With one point a transaction, old ones are never looked at
 * again. */
static void
add_version(struct recorded_run *run, key_id k, value_id v, txn_id t)
{
    struct committed_version new = {v, t, run->n, run->latest[k]};
    assert(!new.before ||
           run->versions.at[new.before - 1].position < run->n); // (1)
    if (new.before && !run->two_points) {
        new.before = 0;
        run->versions.at[run->latest[k] - 1] = new;
        return;
    }
    vec_push(&run->versions, new);
    run->latest[k] = (uint32_t)run->versions.n;
}

/* --- snapshots -------------------------------------------------------------*/

/* Reduce the snapshot until it serves the read op; false where none does. */
static bool
serve(struct recorded_run *run, op_id op, uint32_t *snapshot)
{
    const value_id v = run->h->op_value[op];
    uint32_t i = find_version(run, op_key(run->h, op), *snapshot);
    while (!serves(run, i, v)) {
        if (!i || !run->two_points)
            return false;
        *snapshot = run->versions.at[i - 1].position - 1;
        i = run->versions.at[i - 1].before;
        run->steps++;
    }
    return true;
}

/* The commits that ended before the given time, as a snapshot. */
static uint32_t
ended_before(const struct recorded_run *run, int64_t time)
{
    size_t low = 0;
    LOWER_BOUND(low, run->ended.n, middle, run->ended.at[middle].time < time);
    return low ? run->ended.at[low - 1].position : 0;
}

/* The smallest snapshot that t may have. */
static uint32_t
least_snapshot(const struct recorded_run *run, txn_id t)
{
    const struct history *h = run->h;
    const txn_id last = run->last[h->txn_session[t]];
    uint32_t least = last == TXN_NONE ? 0 : run->position[last];
    if (run->separates_writers)
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
            const uint32_t i =
                op_is_final_write(h, op) ? run->latest[op_key(h, op)] : 0;
            if (i && run->versions.at[i - 1].position > least)
                least = run->versions.at[i - 1].position;
        }
    if (run->is_strict && h->txn_began[t] != INT64_MIN) {
        const uint32_t before = ended_before(run, h->txn_began[t]);
        least = before > least ? before : least;
    }
    return least;
}

/* Find the latest snapshot that serves all reads of t. */
static bool
find_snapshot(struct recorded_run *run, txn_id t, uint32_t *snapshot)
{
    const struct history *h = run->h;
    uint32_t before;
    *snapshot = run->n;
    do {
        before = *snapshot;
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
            run->steps++;
            if (op_is_external_read(h, op) && !serve(run, op, snapshot))
                return false;
        }
        if (run->steps > TUNE_INPUT_ORDER_STEPS_EACH * (uint64_t)h->n_ops)
            return false;
    } while (*snapshot != before);
    return !run->two_points || *snapshot >= least_snapshot(run, t);
}

/* --- running ---------------------------------------------------------------*/

/* Whether t may commit next, by session order and by time. */
static bool
is_in_order(const struct recorded_run *run, txn_id t)
{
    const struct history *h = run->h;
    const txn_id last = run->last[h->txn_session[t]];
    if (last != TXN_NONE && t < last)
        return false;
    if (!run->is_strict || h->txn_status[t] != TXN_COMMITTED ||
        h->txn_ended[t] == INT64_MAX)
        return true;
    return h->txn_ended[t] >= run->latest_begin;
}

static void
note_choices(struct recorded_run *run, txn_id t, uint32_t snapshot)
{
    const struct history *h = run->h;
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
        if (!op_is_external_read(h, op) ||
            !history_has_several(h, h->op_value[op]))
            continue;
        const uint32_t i = find_version(run, op_key(h, op), snapshot);
        assert(serves(run, i, h->op_value[op]));
        vec_push(&run->c->choices,
                 ((struct choice){op, i ? run->versions.at[i - 1].writer
                                        : TXN_INIT}));
    }
}

static void
commit(struct recorded_run *run, txn_id t)
{
    const struct history *h = run->h;
    run->n++;
    run->position[t] = run->n;
    run->last[h->txn_session[t]] = t;
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
        if (op_is_final_write(h, op))
            add_version(run, op_key(h, op), h->op_value[op], t);
    if (!run->is_strict)
        return;
    if (h->txn_began[t] > run->latest_begin)
        run->latest_begin = h->txn_began[t];
    if (h->txn_status[t] != TXN_COMMITTED || h->txn_ended[t] == INT64_MAX)
        return;
    while (run->ended.n && vec_top(&run->ended).time >= h->txn_ended[t])
        (void)vec_pop(&run->ended); // (2)
    vec_push(&run->ended, ((struct ended){h->txn_ended[t], run->n}));
}

static bool
run_all(struct recorded_run *run)
{
    const struct history *h = run->h;
    for (uint32_t i = 0; i < run->n_order; i++) {
        context_poll_at(i);
        const txn_id t = run->order[i];
        uint32_t snapshot;
        if (h->txn_counts[t] != TXN_COUNTS)
            continue;
        if (!is_in_order(run, t) || !find_snapshot(run, t, &snapshot))
            return false;
        if (h->several.n)
            note_choices(run, t, snapshot);
        if (run->two_points)
            run->snapshot[t] = snapshot;
        commit(run, t);
    }
    return true;
}

/* Run t serially, without times and repeated values: each read has to be of
 * what was last written, and no versions are needed.  Reads and writes
 * alternate unpredictably, so no branch distinguishes them. */
static bool
run_serially(struct recorded_run *run, txn_id t, value_id *last)
{
    const struct history *const h = run->h;
    const op_id end = h->txn_end[t], n_ops = h->n_ops;
    const uint32_t *const keys = h->op_key;
    for (op_id op = h->txn_begin[t]; op < end; op++) {
        const op_id later =
            op + TUNE_PREFETCH_OPS < n_ops ? op + TUNE_PREFETCH_OPS : op;
        __builtin_prefetch(&last[keys[later] & OP_KEY], 1);
        const uint32_t flags = keys[op] & ~OP_KEY;
        const value_id value = h->op_value[op];
        value_id *const place = &last[keys[op] & OP_KEY];
        const value_id seen = *place;
        *place = flags & OP_WRITE ? value : seen;
        if ((int)(flags == OP_EXTERNAL) & (seen != value) &&
            (seen != VALUE_INIT || history_writer(h, value) != TXN_INIT))
            return false;
    }
    run->position[t] = ++run->n;
    run->last[h->txn_session[t]] = t;
    return true;
}

static bool
run_all_serially(struct recorded_run *run)
{
    const struct history *h = run->h;
    value_id *last = mem_calloc(h->n_keys, sizeof *last); // VALUE_INIT
    bool ok = true;
    for (uint32_t i = 0; ok && i < run->n_order; i++) {
        context_poll_at(i);
        const txn_id t = run->order[i];
        if (h->txn_counts[t] == TXN_COUNTS)
            ok = is_in_order(run, t) && run_serially(run, t, last);
    }
    mem_free(last);
    return ok;
}

/* Forget all commits. */
static void
begin(struct recorded_run *run)
{
    const struct history *h = run->h;
    run->n = 0;
    memset(run->position, 0, h->n_txns * sizeof *run->position);
    memset(run->last, 0xff, h->n_sessions * sizeof *run->last);
}

/* Run the transactions serially where that is cheap, and else as the level
 * allows. */
static bool
run_order(struct recorded_run *run)
{
    const struct history *h = run->h;
    const bool is_plain = !run->is_strict && !h->several.n;
    begin(run);
    run->is_serial = is_plain && run_all_serially(run);
    if (run->is_serial || (is_plain && !run->two_points))
        return run->is_serial;
    begin(run);
    run->latest = mem_calloc(h->n_keys, sizeof *run->latest);
    if (run->two_points) {
        vec_reserve(&run->versions, h->n_values); // most are written once
        run->snapshot = mem_alloc(h->n_txns, sizeof *run->snapshot);
    }
    return run_all(run);
}

/* --- the certificate -------------------------------------------------------*/

/* Append a point of each transaction or, at two points, its start and commit,
 * one transaction after the other. */
static void
append_serially(const struct recorded_run *run, bool two_points, u32_vec *order)
{
    for (uint32_t i = 0; i < run->n_order; i++) {
        context_poll_at(i);
        const txn_id t = run->order[i];
        if (!run->position[t])
            continue;
        if (two_points)
            vec_push(order, 2 * t);
        vec_push(order, two_points ? 2 * t + 1 : t);
    }
}

/* Append starts and commits: the starts whose snapshot has i commits come right
 * after commit i. */
static void
append_points(const struct recorded_run *run, u32_vec *order)
{
    const struct history *h = run->h;
    uint32_t *first = mem_calloc((size_t)run->n + 2, sizeof *first);
    txn_id *starts = mem_alloc(run->n, sizeof *starts);
    for (uint32_t i = 0; i < h->n_txns; i++)
        if (run->position[i])
            first[run->snapshot[i] + 1]++;
    for (uint32_t i = 0; i <= run->n; i++)
        first[i + 1] += first[i];
    for (txn_id t = 0; t < h->n_txns; t++)
        if (run->position[t])
            starts[first[run->snapshot[t]]++] = t;
    uint32_t next = 0; // of 'starts'; first[i] is now where those of i end
    for (uint32_t i = 0, arrived = 0; i <= run->n; i++) {
        context_poll_at(i);
        while (next < first[i])
            vec_push(order, 2 * starts[next++]);
        while (arrived < run->n_order && !run->position[run->order[arrived]])
            arrived++;
        if (arrived < run->n_order)
            vec_push(order, 2 * run->order[arrived++] + 1);
    }
    assert(order->n == 2 * (size_t)run->n);
    mem_free(first);
    mem_free(starts);
}

static void
conclude(const struct recorded_run *run)
{
    struct certificate *c = run->c;
    assert(c->verdict == VERDICT_UNKNOWN && !c->order.n);
    c->verdict = VERDICT_OK;
    c->kind = EVIDENCE_ORDER;
    const bool two_points = level_table[c->level].two_points;
    vec_reserve(&c->order, (size_t)run->n * (two_points ? 2 : 1));
    if (two_points && !run->is_serial)
        append_points(run, &c->order);
    else
        append_serially(run, two_points, &c->order);
}

bool
input_order_try_given(const struct history *h, const txn_id *order, uint32_t n,
                      struct certificate *c)
{
    const struct level_info *level = &level_table[c->level];
    struct recorded_run run = {.h = h, .order = order, .n_order = n, .c = c};
    run.two_points = level->two_points || level->one_rw;
    run.separates_writers =
        level_separates_writers(c->level) || level->one_rw; // psi by si
    run.is_strict = level->needs_times;
    run.latest_begin = INT64_MIN;
    run.last = mem_alloc(h->n_sessions, sizeof *run.last);
    run.position = mem_alloc(h->n_txns, sizeof *run.position);
    const bool ok = run_order(&run);
    if (ok)
        conclude(&run);
    else
        vec_free(&c->choices);
    vec_free(&run.versions);
    vec_free(&run.ended);
    mem_free(run.latest);
    mem_free(run.last);
    mem_free(run.position);
    mem_free(run.snapshot);
    return ok;
}

bool
input_order_try_commits(const struct history *h,
                        const struct certificate *stronger,
                        struct certificate *c)
{
    const bool two_points = level_table[stronger->level].two_points;
    u32_vec commits = {0};
    for (size_t i = 0; i < stronger->order.n; i++) {
        const uint32_t point = stronger->order.at[i];
        if (!two_points || point % 2 == 1)
            vec_push(&commits, two_points ? point / 2 : point);
    }
    const bool ok =
        input_order_try_given(h, commits.at, (uint32_t)commits.n, c);
    vec_free(&commits);
    return ok;
}

/* --- orders ----------------------------------------------------------------*/

struct timed {
    int64_t ended;
    uint32_t arrived;
};

static int
compare_timed(const void *a, const void *b)
{
    const struct timed *x = a, *y = b;
    if (x->ended != y->ended)
        return x->ended < y->ended ? -1 : 1;
    return x->arrived < y->arrived ? -1 : x->arrived > y->arrived;
}

static bool
is_by_end(const struct history *h)
{
    for (uint32_t i = 1; i < h->n_txns; i++)
        if (h->txn_ended[h->arrival[i - 1]] > h->txn_ended[h->arrival[i]])
            return false;
    return true;
}

static bool
try_order_of_ends(const struct history *h, struct certificate *c)
{
    struct timed *times = mem_alloc(h->n_txns, sizeof *times);
    txn_id *order = mem_alloc(h->n_txns, sizeof *order);
    for (uint32_t i = 0; i < h->n_txns; i++)
        times[i] = (struct timed){h->txn_ended[h->arrival[i]], i};
    qsort(times, h->n_txns, sizeof *times, compare_timed);
    for (uint32_t i = 0; i < h->n_txns; i++)
        order[i] = h->arrival[times[i].arrived];
    mem_free(times);
    const bool ok = input_order_try_given(h, order, h->n_txns, c);
    mem_free(order);
    return ok;
}

bool
input_order_try(const struct history *h, struct certificate *c)
{
    assert(h->txn_counts && level_is_strong(c->level));
    if (history_has_orders(h) || !h->n_txns ||
        (level_table[c->level].needs_times && !h->txn_began))
        return false;
    return input_order_try_given(h, h->arrival, h->n_txns, c) ||
           (h->txn_ended && !is_by_end(h) && try_order_of_ends(h, c));
}
