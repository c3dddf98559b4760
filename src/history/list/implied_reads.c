/* implied_reads.c -- see implied_reads.h.
 *
 * Transactions are visited one by one.  The appends of a transaction to a key
 * are linked from the last one back, so comparing a list with them takes no
 * longer than the list.
 *
 * SPDX-License-Identifier: MIT */
#include "history/list/implied_reads.h"

#include "base/container/sorted.h"

#include <inttypes.h>
#include <stdlib.h>

/* A read to be inserted right before the append 'before'. */
struct insertion {
    op_id before, whole;
    uint32_t length, own; // as in a list_read
};

struct search {
    struct history *h;
    op_id *last;    // by key: the last append; of this transaction if in range
    op_id *implied; // by key: the first append, once its read is noted
    u32_vec chain;  // by operation of the transaction: the append before
    VEC(struct insertion) found;
};

/* Compare the end of a list with the appends to its key so far.  Return the
 * first append, and how many there are in *n; ID_NONE where they differ. */
static op_id
match_own(const struct search *s, txn_id t, op_id op, struct list_seen seen,
          uint32_t *n)
{
    const struct history *h = s->h;
    op_id first = ID_NONE;
    *n = 0;
    for (op_id a = s->last[op_key(h, op)]; a != ID_NONE;
         a = s->chain.at[a - h->txn_begin[t]]) {
        if (*n == seen.n || seen.at[seen.n - 1 - *n] != h->op_value[a])
            return ID_NONE;
        ++*n;
        first = a;
    }
    return first;
}

/* Note what the read op implies, of a list that t appended to before. */
static void
add_implied(struct search *s, txn_id t, op_id op)
{
    struct history *h = s->h;
    uint32_t n = 0;
    const struct list_seen seen = history_list_seen(h, op);
    const op_id first = match_own(s, t, op, seen, &n);
    op_id *implied = &s->implied[op_key(h, op)];
    if (first == ID_NONE) {
        h->op_key[op] |= OP_REJECTED;
    } else if (*implied != first) {
        *implied = first;
        const struct list_read *r = history_list_read(h, op);
        assert(r && n && n <= r->length);
        vec_push(&s->found,
                 ((struct insertion){first, op, r->length - n, r->own}));
    }
}

static void
search_txn(struct search *s, txn_id t)
{
    const struct history *h = s->h;
    const op_id begin = h->txn_begin[t], end = h->txn_end[t];
    vec_clear(&s->chain);
    for (op_id op = begin; op < end; op++) {
        vec_push(&s->chain, ID_NONE);
        if (!op_is_of_list(h, op))
            continue;
        op_id *last = &s->last[op_key(h, op)];
        const bool again = *last >= begin && *last < op;
        if (op_is_write(h, op)) {
            vec_top(&s->chain) = again ? *last : ID_NONE;
            *last = op;
        } else if (again) {
            add_implied(s, t, op);
        }
    }
}

static int
compare_insertions(const void *a, const void *b)
{
    const op_id x = ((const struct insertion *)a)->before;
    const op_id y = ((const struct insertion *)b)->before;
    return x < y ? -1 : x > y;
}

/* How many reads are inserted before op, or, if inclusive, right before it as
 * well: op moves by as many places. */
static uint32_t
shift_of(const struct search *s, op_id op, bool inclusive)
{
    size_t low = 0;
    LOWER_BOUND(low, s->found.n, middle,
                s->found.at[middle].before < op + inclusive);
    return (uint32_t)low;
}

/* The marks of operations that begin at 'from' move to 'to'. */
static void
shift_marks(struct history *h, op_id to, op_id from, size_t count)
{
    if (!h->op_marks)
        return;
    memmove(h->op_marks + to, h->op_marks + from, count * sizeof *h->op_marks);
    h->op_marks[to - 1] = 0;
}

/* Move the operations behind each insertion, and insert the reads. */
static void
move_ops(struct search *s)
{
    struct history *h = s->h;
    const uint32_t more = (uint32_t)s->found.n;
    h->op_key =
        mem_realloc(h->op_key, (size_t)h->n_ops + more, sizeof *h->op_key);
    h->op_value =
        mem_realloc(h->op_value, (size_t)h->n_ops + more, sizeof *h->op_value);
    if (h->op_marks)
        h->op_marks = mem_realloc(h->op_marks, (size_t)h->n_ops + more,
                                  sizeof *h->op_marks);
    op_id end = h->n_ops;
    for (uint32_t i = more; i--;) {
        const struct insertion *n = &s->found.at[i];
        const size_t count = end - n->before;
        memmove(h->op_key + n->before + i + 1, h->op_key + n->before,
                count * sizeof *h->op_key);
        memmove(h->op_value + n->before + i + 1, h->op_value + n->before,
                count * sizeof *h->op_value);
        shift_marks(h, n->before + i + 1, n->before, count);
        end = n->before;
        const key_id k = h->op_key[n->before + i + 1] & OP_KEY;
        const value_id *items = n->own != ID_NONE
                                    ? h->list_items.at + n->own
                                    : h->order_items.at + h->order_first[k];
        h->op_key[n->before + i] = k;
        h->op_value[n->before + i] =
            n->length ? items[n->length - 1] : VALUE_INIT;
    }
    for (txn_id t = 0; t < h->n_txns; t++) {
        h->txn_begin[t] += shift_of(s, h->txn_begin[t], false);
        h->txn_end[t] += shift_of(s, h->txn_end[t], false);
    }
    h->n_ops += more;
    assert(capacity_holds(CAPACITY_OPS, h->n_ops));
}

/* Move the list reads as their operations moved, and add the implied ones, in
 * order of operations. */
static void
move_lists(struct search *s)
{
    struct history *h = s->h;
    VEC(struct list_read) reads = {0};
    size_t next = 0;
    for (uint32_t i = 0; i <= s->found.n; i++) {
        const op_id until = i < s->found.n ? s->found.at[i].before : ID_NONE;
        for (; next < h->list_reads.n && h->list_reads.at[next].op < until;
             next++) {
            vec_push(&reads, h->list_reads.at[next]);
            vec_top(&reads).op += i;
        }
        if (i == s->found.n)
            break;
        const struct insertion *n = &s->found.at[i];
        const op_id op = n->before + i;
        if (n->length)
            vec_push(&reads, ((struct list_read){op, n->length, n->own}));
        vec_push(&h->implied, ((struct implied_read){
                                  op, n->whole + shift_of(s, n->whole, true)}));
    }
    assert(next == h->list_reads.n && h->implied.n == s->found.n);
    vec_free(&h->list_reads);
    memcpy(&h->list_reads, &reads, sizeof h->list_reads);
}

bool
implied_reads_insert(struct history *h, struct err *err)
{
    if (!h->key_is_list)
        return true;
    struct search s = {.h = h};
    s.last = mem_alloc(h->n_keys, sizeof *s.last);
    s.implied = mem_alloc(h->n_keys, sizeof *s.implied);
    memset(s.last, 0xff, h->n_keys * sizeof *s.last); // ID_NONE
    memset(s.implied, 0xff, h->n_keys * sizeof *s.implied);
    for (txn_id i = 0; i < h->n_txns; i++)
        search_txn(&s, h->arrival[i]);
    const bool room = capacity_holds(CAPACITY_OPS, h->n_ops + s.found.n);
    if (!room) {
        err_set(err, ERR_LIMIT, "more than %" PRIu64 " operations",
                capacity_most[CAPACITY_OPS]);
    } else if (s.found.n) {
        qsort(s.found.at, s.found.n, sizeof *s.found.at, compare_insertions);
        move_ops(&s);
        move_lists(&s);
    }
    vec_free(&s.chain);
    vec_free(&s.found);
    mem_free(s.implied);
    mem_free(s.last);
    return room;
}
