/* pass.c -- see pass.h.
 *
 * SPDX-License-Identifier: MIT */
#include "stream/order/pass.h"

#include "stream/order/fetch.h"
#include "stream/order/repair.h"

#include "base/time.h"

#include <stdlib.h>
#include <time.h>

enum {
    FIRST_PART = 16, // transactions on each side of the place that failed
    GROWTH = 16,
    SOME = 256, // transactions after which the clocks are compared
    NAP = 10,   // milliseconds, where a followed input has nothing
    ASKS = 10,  // per second, whether to go on
};

/* --- the queue -------------------------------------------------------------*/

/* Add t behind all that have its rank or a lower one. */
static void
insert(struct stream_pass *p, struct stream_txn *t)
{
    vec_push(&p->ahead, t);
    size_t i = p->ahead.n - 1;
    for (; i > p->ahead_at && p->ahead.at[i - 1]->rank > t->rank; i--)
        p->ahead.at[i] = p->ahead.at[i - 1];
    p->ahead.at[i] = t;
    // One that comes before others need not wait for longer than they do.
    if (i + 1 < p->ahead.n && p->ahead.at[i + 1]->arrived < t->arrived)
        t->arrived = p->ahead.at[i + 1]->arrived;
}

/* Drop the room of those that have left. */
static void
compact(struct stream_pass *p)
{
    if (p->ahead_at < p->window || 2 * p->ahead_at < p->ahead.n)
        return;
    p->ahead.n -= p->ahead_at;
    memmove(p->ahead.at, p->ahead.at + p->ahead_at,
            p->ahead.n * sizeof *p->ahead.at);
    p->ahead_at = 0;
}

static int
compare_ranks(const void *a, const void *b)
{
    const struct stream_txn *x = *(struct stream_txn *const *)a;
    const struct stream_txn *y = *(struct stream_txn *const *)b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* Sort the queue again if the clocks are found to differ otherwise. */
static void
correct_ranks(struct stream_pass *p)
{
    int64_t *changes;
    if (p->has_one_clock || !skew_estimate(&p->skew, &changes))
        return;
    for (size_t i = p->ahead_at; i < p->ahead.n; i++)
        if (p->ahead.at[i]->clock < p->skew.n)
            skew_adjust(p->ahead.at[i], changes[p->ahead.at[i]->clock]);
    qsort(p->ahead.at + p->ahead_at, p->ahead.n - p->ahead_at,
          sizeof *p->ahead.at, compare_ranks);
    mem_free(changes);
}

/* Keep the latest aborted transactions: others may have read from them. */
static void
keep_aborted(struct stream_pass *p, struct stream_txn *t)
{
    if (p->aborted.n >= 2 * p->window) {
        for (size_t i = 0; i < p->window; i++)
            mem_free(p->aborted.at[i]);
        p->aborted.n -= p->window;
        memmove(p->aborted.at, p->aborted.at + p->window,
                p->aborted.n * sizeof *p->aborted.at);
        p->has_forgotten = true;
    }
    vec_push(&p->aborted, t);
}

/* Take one that counts, or may count, into the queue. */
static void
take(struct stream_pass *p, struct stream_txn *t)
{
    if (!p->has_one_clock) {
        skew_note(&p->skew, t);
        skew_adjust(t, skew_offset(&p->skew, t->clock));
    }
    t->arrived = p->live ? time_now() : 0;
    insert(p, t);
    if (++p->n_taken % SOME == 0)
        correct_ranks(p);
}

void
pass_leave_queue(struct stream_pass *p, const struct stream_txn *t)
{
    size_t i = p->ahead_at;
    while (p->ahead.at[i] != t)
        i++;
    memmove(p->ahead.at + p->ahead_at + 1, p->ahead.at + p->ahead_at,
            (i - p->ahead_at) * sizeof *p->ahead.at);
    p->ahead_at++;
}

static bool
fill(struct stream_pass *p, struct err *err)
{
    compact(p);
    while (!p->is_read && p->ahead.n - p->ahead_at < p->window) {
        struct stream_txn *t;
        if (!stream_reader_next(p->reader, &t, err))
            return false;
        if (!t && stream_reader_is_waiting(p->reader))
            return true;
        p->is_read = !t;
        if (!t)
            correct_ranks(p);
        else if (t->status == TXN_ABORTED && p->live)
            keep_aborted(p, t);
        else if (t->status == TXN_ABORTED || t->status == TXN_LOADING)
            mem_free(t);
        else
            take(p, t);
    }
    return true;
}

void
pass_collect_names(struct stream_pass *p)
{
    struct names_collection c;
    names_collect_begin(&c, p->names);
    running_order_keep_names(&p->order, &c);
    stream_reader_keep_names(p->reader, &c);
    for (size_t i = p->ahead_at; i < p->ahead.n; i++)
        stream_txn_keep_names(p->ahead.at[i], &c);
    for (size_t i = 0; i < p->pool.n; i++)
        stream_txn_keep_names(p->pool.at[i], &c);
    for (size_t i = 0; i < p->aborted.n; i++)
        stream_txn_keep_names(p->aborted.at[i], &c);
    for (size_t i = 0; i < p->suspects.n; i++)
        suspect_keep_names(&p->suspects.at[i], &c);
    for (size_t i = 0; i < p->earlier->n; i++)
        suspect_keep_names(&p->earlier->at[i], &c);
    names_collect_end(&c);
}

/* --- suspects --------------------------------------------------------------*/

static void
add_copy(stream_txns *to, const struct stream_txn *t)
{
    vec_push(to, stream_txn_copy(t));
}

/* Add copies of transactions that wrote something that was read. */
static void
add_writers(const stream_txns *from, const struct pair_set *read, bool all,
            stream_txns *to)
{
    for (size_t i = 0; i < from->n; i++) {
        const struct stream_txn *t = from->at[i];
        bool use = all;
        for (uint32_t j = 0; j < t->n_ops && !use; j++)
            use = t->ops[j].is_write && pair_set_has(read, &t->ops[j]);
        if (use)
            add_copy(to, t);
    }
}

/* The transactions that are not in the order, and wrote something these have
 * read. */
static void
add_from_pool(const struct stream_pass *p, bool all, stream_txns *to)
{
    struct pair_set read = {.names = p->names};
    for (size_t i = 0; i < to->n; i++)
        for (uint32_t j = 0; j < to->at[i]->n_ops; j++)
            if (!to->at[i]->ops[j].is_write)
                pair_set_add(&read, &to->at[i]->ops[j]);
    add_writers(&p->pool, &read, all, to);
    add_writers(&p->aborted, &read, all, to);
    pair_set_free(&read);
}

/* Take 'size' transactions before and after the place that failed; whether
 * these are all. */
static bool
take_part(const struct stream_pass *p, size_t size, stream_txns *to)
{
    const struct running_order *o = &p->order;
    const uint64_t depth = running_order_depth(o);
    const size_t left = p->ahead.n - p->ahead_at;
    const bool is_whole = p->is_read && !o->base && !p->has_forgotten &&
                          size >= depth && size >= left;
    for (uint64_t at = o->n - (size < depth ? size : depth); at < o->n; at++)
        add_copy(to, running_order_at(o, at + 1));
    for (size_t i = 0; i < left && i < size; i++)
        add_copy(to, p->ahead.at[p->ahead_at + i]);
    add_from_pool(p, is_whole, to);
    return is_whole;
}

/* Whether the part is violated, if nobody else wrote what it reads. */
static bool
looks_violated(const struct stream_pass *p, enum level l, stream_txns *part)
{
    const struct part_options o = {.closed = true,
                                   .times = level_table[l].needs_times};
    struct history h;
    stream_txns_sort(part);
    part_as_it_is(p->names, part->at, part->n, &o, &h);
    const bool violated = repair_decide(&h, l, p->check) == VERDICT_VIOLATED;
    history_free(&h);
    return violated;
}

static void
note_place(const struct stream_pass *p, struct suspect *s)
{
    const struct stream_txn *t = p->ahead.at[p->ahead_at];
    struct buf text = {0};
    stream_txn_show(p->names, t, &text);
    snprintf(s->place, sizeof s->place, "%s", text.at);
    s->number = t->number + 1;
    buf_free(&text);
}

/* Note the smallest part that looks violated, or the largest one. */
static void
add_suspect(struct stream_pass *p, enum level l)
{
    struct suspect s = {.level = l};
    note_place(p, &s);
    for (size_t size = FIRST_PART;; size *= GROWTH) {
        s.is_whole = take_part(p, size, &s.txns);
        if (s.is_whole || size >= p->window || looks_violated(p, l, &s.txns))
            break;
        stream_txns_free(&s.txns);
    }
    vec_push(&p->suspects, s);
}

/* --- levels ----------------------------------------------------------------*/

/* The level whose order serves all that are left; psi follows from si. */
static void
choose_level(struct stream_pass *p)
{
    const level_set ordered = p->levels & level_ordered();
    p->level = ordered ? level_highest(ordered) : LEVEL_READS;
    if (p->level == LEVEL_PSI)
        p->level = LEVEL_SI;
}

/* Give up the levels that an order at p->level was needed for. */
static void
give_up(struct stream_pass *p)
{
    level_set lost = level_bit(p->level);
    if (p->level == LEVEL_SI)
        lost |= level_bit(LEVEL_PSI);
    lost &= p->levels;
    for (enum level l = 0; l < LEVELS; l++)
        if (level_set_has(lost, l))
            add_suspect(p, l);
    p->levels &= ~lost;
    choose_level(p);
}

/* --- the pass --------------------------------------------------------------*/

/* Hand over a suspect, and go on without the reads of the first transaction. */
static bool
pass_over(struct stream_pass *p, struct err *err)
{
    struct stream_txn *t = p->ahead.at[p->ahead_at];
    add_suspect(p, p->level);
    struct suspect s = vec_pop(&p->suspects);
    const bool ok = p->live->failed(p->live->self, &s, err);
    suspect_free(&s);
    p->has_forgotten = true;
    p->ahead_at++;
    t = stream_txn_without_reads(t);
    if (!running_order_place(&p->order, t, p->level))
        mem_free(t);
    return ok;
}

/* Whether the first transaction of a followed input has waited for others. */
static bool
is_due(const struct stream_pass *p)
{
    return !p->live || p->is_read || p->ahead.n - p->ahead_at >= p->window ||
           time_now() - p->ahead.at[p->ahead_at]->arrived >= p->live->settle;
}

/* Ask from time to time whether to go on. */
static void
ask(struct stream_pass *p, bool wait)
{
    const struct timespec nap = {.tv_nsec = NAP * 1000000};
    if (wait)
        nanosleep(&nap, NULL);
    const double now = time_now();
    if (now - p->looked < 1.0 / ASKS)
        return;
    p->looked = now;
    if (!p->live->go_on(p->live->self))
        stream_reader_stop(p->reader);
}

/* Place the next transaction, alone or with others around it. */
static bool
place_next(struct stream_pass *p, struct err *err)
{
    struct stream_txn *t = p->ahead.at[p->ahead_at];
    if (t->status == TXN_INDETERMINATE) {
        vec_push(&p->pool, t);
        p->ahead_at++;
    } else if (running_order_place(&p->order, t, p->level)) {
        p->ahead_at++;
    } else if (!fetch(p) && !repair(p)) {
        if (p->live)
            return pass_over(p, err);
        give_up(p);
    }
    return true;
}

/* Read what is left, for its mistakes and its sizes. */
static bool
read_rest(struct stream_pass *p, struct err *err)
{
    struct stream_txn *t;
    while (!p->is_read) {
        if (!stream_reader_next(p->reader, &t, err))
            return false;
        p->is_read = !t;
        mem_free(t);
        if (names_are_many(p->names))
            pass_collect_names(p);
    }
    return true;
}

void
pass_begin(struct stream_pass *p)
{
    running_order_init(&p->order, p->names, PASS_DEPTH * p->window);
    choose_level(p);
    p->skew.names = p->names;
    p->has_one_clock = level_table[p->level].needs_times;
}

bool
pass_run(struct stream_pass *p, struct err *err)
{
    for (;;) {
        if (!fill(p, err))
            return false;
        const bool is_empty = p->ahead_at == p->ahead.n;
        if (is_empty && p->is_read)
            return true;
        const bool wait = p->live && (is_empty || !is_due(p));
        if (p->live)
            ask(p, wait);
        if (!wait && p->level == LEVEL_READS)
            return read_rest(p, err);
        if (!wait && !place_next(p, err))
            return false;
        if (names_are_many(p->names))
            pass_collect_names(p);
    }
}

void
pass_free(struct stream_pass *p)
{
    running_order_free(&p->order);
    skew_free(&p->skew);
    while (p->ahead_at < p->ahead.n)
        mem_free(p->ahead.at[p->ahead_at++]);
    vec_free(&p->ahead);
    stream_txns_free(&p->pool);
    stream_txns_free(&p->aborted);
    for (size_t i = 0; i < p->suspects.n; i++)
        suspect_free(&p->suspects.at[i]);
    vec_free(&p->suspects);
}
