/* indeterminate.c -- see indeterminate.h.
 *
 * A level holds when it holds for some choice of which indeterminate
 * transactions count (doc/levels.md).  Most of them leave no choice:
 *
 *   - one that cannot be explained never counts: a read of its own is
 *     inconsistent, or has no writer that counts or may count;
 *   - one that no transaction reads from that counts or may count is left out,
 *     because its writes and reads would only add constraints;
 *   - one that is the only possible writer of a read of a transaction that
 *     counts, counts; and so does one that wrote the version of a row which a
 *     version of a transaction that counts names as the one before.
 *
 * Where the recording was cut, a read of a value without a recorded writer is
 * explained: its writer may be lost.  Whether its transaction counts is then
 * open as well, and no level is known to hold (read_checks.h).
 *
 * The others may count, and the engines choose.  With unique values there are
 * none.
 *
 * Where a transaction that counts read a value that only inexplicable ones
 * wrote, no choice helps.  The first of these is then taken to count, so that
 * its inconsistent read is reported.
 *
 *   (1) explicable[t] only ever falls, and counts only ever rises from
 *       TXN_LEFT_OUT over TXN_MAY_COUNT to TXN_COUNTS;
 *   (2) support[i] of the first write i of a value is the number of explicable
 *       writers of it.
 *
 * SPDX-License-Identifier: MIT */
#include "history/indeterminate.h"

#include "base/container/sorted.h"
#include "history/list/reader_outcomes.h"

#include <stdlib.h>

/* What an indeterminate transaction offers to others, or reads. */
struct value_use {
    value_id value;
    txn_id txn;
};

struct uses {
    VEC(struct value_use) at; // by value, then by transaction
};

struct decision {
    struct history *h;
    struct uses writes, reads;
    uint32_t *support;   // by place in 'writes', see (2)
    uint8_t *explicable; // by transaction
    uint8_t *written;    // by value: it was written; NULL where not cut
    u32_vec queue;       // transactions
    // By transaction: who wrote the versions before its own, which these name:
    // named[first_named[t] .. first_named[t + 1]); NULL where none does.
    uint32_t *first_named;
    txn_id *named;
};

static int
compare_uses(const void *a, const void *b)
{
    const struct value_use *x = a, *y = b;
    return x->value != y->value ? (x->value < y->value ? -1 : 1)
           : x->txn != y->txn   ? (x->txn < y->txn ? -1 : 1)
                                : 0;
}

/* The place of the first use of v, or of the first after it. */
static size_t
find_uses(const struct uses *u, value_id v)
{
    size_t low = 0;
    LOWER_BOUND(low, u->at.n, middle, u->at.at[middle].value < v);
    return low;
}

static bool
is_use_of(const struct uses *u, size_t i, value_id v)
{
    return i < u->at.n && u->at.at[i].value == v;
}

/* Whether others may see what op writes: the last write of a key in its
 * transaction, or any append. */
static bool
is_offer(const struct history *h, op_id op)
{
    return op_is_final_write(h, op) ||
           (op_is_write(h, op) && op_is_of_list(h, op));
}

/* --- which can be explained ------------------------------------------------*/

static void
collect_uses(struct decision *s)
{
    const struct history *h = s->h;
    for (txn_id t = 0; t < h->n_txns; t++) {
        if (h->txn_status[t] != TXN_INDETERMINATE)
            continue;
        s->explicable[t] = 1;
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
            const struct value_use use = {h->op_value[op], t};
            if (is_offer(h, op))
                vec_push(&s->writes.at, use);
            else if (op_is_external_read(h, op) && !op_is_of_list(h, op))
                vec_push(&s->reads.at, use);
            if (h->op_key[op] & OP_REJECTED)
                s->explicable[t] = 0;
        }
    }
    if (s->writes.at.n)
        qsort(s->writes.at.at, s->writes.at.n, sizeof *s->writes.at.at,
              compare_uses);
    if (s->reads.at.n)
        qsort(s->reads.at.at, s->reads.at.n, sizeof *s->reads.at.at,
              compare_uses);
    s->support = mem_calloc(s->writes.at.n, sizeof *s->support);
    for (size_t i = 0, first = 0; i < s->writes.at.n; i++) {
        if (s->writes.at.at[i].value != s->writes.at.at[first].value)
            first = i;
        s->support[first] += s->explicable[s->writes.at.at[i].txn];
    }
}

/* Note which values are written at all, where the recording was cut. */
static void
find_written(struct decision *s)
{
    const struct history *h = s->h;
    if (!h->is_cut)
        return;
    s->written = mem_calloc(h->n_values, sizeof *s->written);
    s->written[VALUE_INIT] = 1;
    for (op_id op = 0; op < h->n_ops; op++)
        if (op_is_write(h, op))
            s->written[h->op_value[op]] = 1;
}

/* Whether INIT or a committed transaction other than t wrote v. */
static bool
has_certain_writer(const struct history *h, value_id v, txn_id t)
{
    const txn_id w = history_writer(h, v);
    return w != TXN_NONE && w != t;
}

/* How many indeterminate transactions other than t may have written v. */
static uint32_t
count_other_writers(const struct decision *s, value_id v, txn_id t)
{
    const size_t first = find_uses(&s->writes, v);
    if (!is_use_of(&s->writes, first, v))
        return 0;
    uint32_t n = s->support[first];
    for (size_t i = first; n && is_use_of(&s->writes, i, v); i++)
        if (s->writes.at.at[i].txn == t)
            n -= s->explicable[t];
    return n;
}

/* Mark t as inexplicable; those that depend on it are visited next. */
static void
mark_inexplicable(struct decision *s, txn_id t)
{
    assert(s->explicable[t]);
    s->explicable[t] = 0;
    const struct history *h = s->h;
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
        if (is_offer(h, op)) {
            uint32_t *support =
                &s->support[find_uses(&s->writes, h->op_value[op])];
            assert(*support); // (2)
            --*support;
        }
    vec_push(&s->queue, t);
}

static void
check_reader(struct decision *s, struct value_use read)
{
    if (s->explicable[read.txn] && !(s->written && !s->written[read.value]) &&
        !has_certain_writer(s->h, read.value, read.txn) &&
        !count_other_writers(s, read.value, read.txn))
        mark_inexplicable(s, read.txn);
}

static void
find_inexplicable(struct decision *s)
{
    const struct history *h = s->h;
    for (size_t i = 0; i < s->reads.at.n; i++)
        check_reader(s, s->reads.at.at[i]);
    while (s->queue.n) {
        const txn_id t = vec_pop(&s->queue);
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
            const value_id v = h->op_value[op];
            if (!is_offer(h, op) || s->support[find_uses(&s->writes, v)] > 1)
                continue; // its readers have another writer
            for (size_t i = find_uses(&s->reads, v); is_use_of(&s->reads, i, v);
                 i++)
                check_reader(s, s->reads.at.at[i]);
        }
    }
}

/* Mark those that were chosen not to count (reader_outcomes.h). */
static void
leave_out_chosen(struct decision *s)
{
    const struct history *h = s->h;
    for (size_t i = 0; i < h->authors.n; i++) {
        const struct list_author *a = &h->authors.at[i];
        const txn_id t = h->author_items.at[a->first];
        if (reader_outcomes_is(a) && a->seen == TXN_NONE && s->explicable[t])
            mark_inexplicable(s, t);
    }
}

/* --- which count -----------------------------------------------------------*/

static void
raise(struct decision *s, txn_id t, enum txn_counting to)
{
    if (s->h->txn_counts[t] == TXN_COUNTS || s->h->txn_counts[t] == to)
        return;
    assert(s->h->txn_counts[t] == TXN_LEFT_OUT || to == TXN_COUNTS); // (1)
    s->h->txn_counts[t] = (uint8_t)to;
    vec_push(&s->queue, t); // its reads have to be visited
}

static void
count_chosen(struct decision *s)
{
    const struct history *h = s->h;
    for (size_t i = 0; i < h->authors.n; i++)
        if (reader_outcomes_is(&h->authors.at[i]) &&
            h->authors.at[i].seen != TXN_NONE)
            raise(s, h->authors.at[i].seen, TXN_COUNTS);
}

/* t, which counts or may, has read v. */
static void
see_value(struct decision *s, txn_id t, value_id v)
{
    const bool certain = has_certain_writer(s->h, v, t);
    const uint32_t others = count_other_writers(s, v, t);
    const bool must = s->h->txn_counts[t] == TXN_COUNTS && !certain;
    for (size_t i = find_uses(&s->writes, v); is_use_of(&s->writes, i, v);
         i++) {
        const txn_id w = s->writes.at.at[i].txn;
        if (w == t || (others && !s->explicable[w]))
            continue;
        if (others)
            raise(s, w, must && others == 1 ? TXN_COUNTS : TXN_MAY_COUNT);
        else if (must) {
            raise(s, w, TXN_COUNTS);
            break; // one is enough to report
        }
    }
}

/* A transaction that counts has seen the element v of a list. */
static void
see_element(struct decision *s, value_id v)
{
    if (history_writer(s->h, v) != TXN_NONE)
        return;
    for (size_t i = find_uses(&s->writes, v); is_use_of(&s->writes, i, v); i++)
        raise(s, s->writes.at.at[i].txn, TXN_COUNTS);
}

static void
collect_named(struct decision *s)
{
    const struct history *h = s->h;
    if (!h->links.n)
        return;
    s->first_named = mem_calloc((size_t)h->n_txns + 2, sizeof *s->first_named);
    s->named = mem_alloc(h->links.n, sizeof *s->named);
    uint32_t *next = s->first_named + 1;
    for (size_t i = 0; i < h->links.n; i++)
        next[h->links.at[i].after + 1]++;
    for (txn_id t = 0; t < h->n_txns; t++)
        next[t + 1] += next[t];
    for (size_t i = 0; i < h->links.n; i++)
        s->named[next[h->links.at[i].after]++] = h->links.at[i].before;
    assert(s->first_named[h->n_txns] == h->links.n);
}

/* t counts, and so do those whose versions of rows its own ones name. */
static void
see_named(struct decision *s, txn_id t)
{
    const struct history *h = s->h;
    if (!s->named || h->txn_counts[t] != TXN_COUNTS)
        return;
    for (uint32_t i = s->first_named[t]; i < s->first_named[t + 1]; i++)
        if (s->named[i] != TXN_INIT)
            raise(s, s->named[i], TXN_COUNTS);
}

static void
see_reads(struct decision *s, txn_id t)
{
    const struct history *h = s->h;
    see_named(s, t);
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
        if (!op_is_external_read(h, op))
            continue;
        if (!op_is_of_list(h, op)) {
            see_value(s, t, h->op_value[op]);
            continue;
        }
        const struct list_seen seen = history_list_seen(h, op);
        for (size_t i = 0; i < seen.n; i++)
            see_element(s, seen.at[i]);
    }
}

void
indeterminate_decide(struct history *h)
{
    struct decision s = {.h = h};
    s.explicable = mem_calloc(h->n_txns, sizeof *s.explicable);
    collect_uses(&s);
    collect_named(&s);
    find_written(&s);
    if (s.writes.at.n) {
        leave_out_chosen(&s);
        find_inexplicable(&s);
        count_chosen(&s);
        for (txn_id t = 0; t < h->n_txns; t++)
            if (h->txn_status[t] == TXN_COMMITTED)
                see_reads(&s, t);
        while (s.queue.n)
            see_reads(&s, vec_pop(&s.queue));
    }
    for (txn_id t = 0; t < h->n_txns; t++)
        h->n_optional += h->txn_counts[t] == TXN_MAY_COUNT;
    vec_free(&s.writes.at);
    vec_free(&s.reads.at);
    mem_free(s.support);
    mem_free(s.explicable);
    mem_free(s.written);
    mem_free(s.first_named);
    mem_free(s.named);
    vec_free(&s.queue);
}
