/* stream_verify.c -- see stream_verify.h.
 *
 * SPDX-License-Identifier: MIT */
#include "stream/verify/stream_verify.h"

#include "history/tested.h"
#include "stream/verify/order_file.h"
#include "stream/verify/placing.h"

#include <stdlib.h>

enum { MOST_WINDOW = 1 << 30 };

struct verify_run {
    struct stream_names names;
    struct stream_reader *reader;
    struct order_reader order;
    struct placing check;
    bool is_read; // to the end

    // Transactions that were read: by number from 'first' on, NULL where they
    // were placed or need no place; and indeterminate ones by number, which
    // need none.
    stream_txns waiting, maybe;
    size_t waiting_at;
    uint64_t first;
};

/* --- transactions that wait ------------------------------------------------*/

static void
compact(struct verify_run *r)
{
    while (r->waiting_at < r->waiting.n && !r->waiting.at[r->waiting_at]) {
        r->waiting_at++;
        r->first++;
    }
    if (r->waiting_at < 1024 || 2 * r->waiting_at < r->waiting.n)
        return;
    r->waiting.n -= r->waiting_at;
    memmove(r->waiting.at, r->waiting.at + r->waiting_at,
            r->waiting.n * sizeof *r->waiting.at);
    r->waiting_at = 0;
}

static void
collect_names(struct verify_run *r)
{
    struct names_collection c;
    names_collect_begin(&c, &r->names);
    stream_reader_keep_names(r->reader, &c);
    placing_keep_names(&r->check, &c);
    for (size_t i = r->waiting_at; i < r->waiting.n; i++)
        if (r->waiting.at[i])
            stream_txn_keep_names(r->waiting.at[i], &c);
    for (size_t i = 0; i < r->maybe.n; i++)
        stream_txn_keep_names(r->maybe.at[i], &c);
    names_collect_end(&c);
}

/* Read one transaction more. */
static bool
read_one(struct verify_run *r, struct err *err)
{
    struct stream_txn *t;
    compact(r);
    if (names_are_many(&r->names))
        collect_names(r);
    if (!stream_reader_next(r->reader, &t, err))
        return false;
    r->is_read = !t;
    if (!t)
        return true;
    if (r->waiting_at == r->waiting.n)
        r->first = t->number;
    assert(t->number == r->first + (r->waiting.n - r->waiting_at));
    vec_push(&r->waiting, t->status == TXN_COMMITTED ? t : NULL);
    if (t->status == TXN_INDETERMINATE)
        vec_push(&r->maybe, t);
    else if (t->status != TXN_COMMITTED)
        mem_free(t);
    return true;
}

static int
compare_numbers(const void *a, const void *b)
{
    const struct stream_txn *x = *(struct stream_txn *const *)a;
    const struct stream_txn *y = *(struct stream_txn *const *)b;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* Take an indeterminate transaction; NULL where there is none. */
static struct stream_txn *
take_maybe(struct verify_run *r, uint64_t number)
{
    const struct stream_txn wanted = {.number = number}, *key = &wanted;
    struct stream_txn **at = r->maybe.n
                                 ? bsearch(&key, r->maybe.at, r->maybe.n,
                                           sizeof *r->maybe.at, compare_numbers)
                                 : NULL;
    if (!at)
        return NULL;
    struct stream_txn *t = *at;
    r->maybe.n--;
    memmove(at, at + 1, (size_t)(r->maybe.at + r->maybe.n - at) * sizeof *at);
    return t;
}

/* Take the transaction with a number, reading up to it; *out is NULL where it
 * has a place already, or needs none. */
static bool
take(struct verify_run *r, uint64_t number, struct stream_txn **out,
     struct err *err)
{
    *out = NULL;
    while (!r->is_read && number >= r->first + (r->waiting.n - r->waiting_at))
        if (!read_one(r, err))
            return false;
    const uint64_t at = number - r->first;
    if (number >= r->first && at < r->waiting.n - r->waiting_at) {
        *out = r->waiting.at[r->waiting_at + at];
        r->waiting.at[r->waiting_at + at] = NULL;
    }
    if (!*out)
        *out = take_maybe(r, number);
    return true;
}

/* --- the pass --------------------------------------------------------------*/

/* Place one after the other; stops at the first flaw. */
static bool
place_all(struct verify_run *r, struct err *flaw, struct err *err)
{
    for (bool ok = true; ok;) {
        uint64_t number;
        bool over;
        struct stream_txn *t;
        if (!order_reader_next(&r->order, &number, &over, err))
            return err_in_file(err, r->order.lines.name);
        if (over)
            return true;
        if (!take(r, number, &t, err))
            return false;
        if (!t)
            return err_set(flaw, ERR_SYNTAX,
                           "transaction %llu of the order is not one that has "
                           "to be placed, or has a place already",
                           (unsigned long long)number),
                   true;
        ok = placing_place(&r->check, t, flaw);
        mem_free(t);
    }
    return true;
}

/* Every committed transaction has a place. */
static bool
check_rest(struct verify_run *r, struct err *flaw, struct err *err)
{
    for (compact(r); !r->is_read && r->waiting_at == r->waiting.n; compact(r))
        if (!read_one(r, err))
            return false;
    if (r->waiting_at < r->waiting.n) {
        struct buf name = {0};
        stream_txn_show(&r->names, r->waiting.at[r->waiting_at], &name);
        err_set(flaw, ERR_SYNTAX, "transaction %s has no place in the order",
                name.at);
        buf_free(&name);
    } else if (!stream_reader_sizes(r->reader)->tested) {
        err_set(flaw, ERR_SYNTAX, "%s", HISTORY_UNTESTED);
    } else if (stream_reader_is_late(r->reader)) {
        err_set(flaw, ERR_SYNTAX, "an outcome came too late");
    }
    return true;
}

/* The levels of which an order of commits is evidence. */
static bool
is_order_of(const struct order_header *h, struct err *flaw)
{
    if (level_is_weak(h->level) || level_sees_prefix(h->level))
        return true;
    err_set(flaw, ERR_SYNTAX, "an order of commits does not show this level");
    return false;
}

static bool
run(struct verify_run *r, const struct order_header *h, struct err *flaw,
    struct err *err)
{
    if (!is_order_of(h, flaw))
        return true;
    if (!place_all(r, flaw, err) || (!flaw->kind && !check_rest(r, flaw, err)))
        return false;
    if (!flaw->kind && level_table[h->level].needs_times &&
        !stream_reader_has_times(r->reader))
        err_set(flaw, ERR_SYNTAX, "the history has no times");
    return true;
}

bool
stream_verify(const struct stream_source *history, const char *order,
              enum level *level, struct err *flaw, struct err *err)
{
    struct verify_run r = {0};
    struct order_header h;
    if (!order_reader_open(&r.order, order, &h, err))
        return err_in_file(err, order);
    bool ok = h.wait && h.wait <= MOST_WINDOW && h.window <= MOST_WINDOW;
    if (!ok)
        err_set(err, ERR_SYNTAX, "a window that is too large"),
            err_in_file(err, order);
    *level = h.level;
    r.check = (struct placing){
        .level = h.level, .window = h.window, .names = &r.names};
    if (ok)
        r.reader = stream_reader_open(history, &r.names, (size_t)h.wait, err);
    ok = r.reader && run(&r, &h, flaw, err);
    if (r.reader)
        stream_reader_close(r.reader);
    order_reader_close(&r.order);
    placing_free(&r.check);
    stream_txns_free(&r.waiting);
    stream_txns_free(&r.maybe);
    names_free(&r.names);
    return ok;
}
