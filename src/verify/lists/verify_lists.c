/* verify_lists.c -- whether the lists that were read are sound, as
 * doc/levels.md says, checked from the recorded operations and lists alone:
 *
 *   (1) of each key there is a longest list, and all others begin it;
 *   (2) it has no element twice, and each was appended by one transaction that
 *       counts;
 *   (3) the elements of a transaction stand together and in program order, and
 *       from its first append on, but for the end of the list;
 *   (4) a list ends with what its reader appended before the read, and shows
 *       nothing that the reader appends later;
 *   (5) what precedes that ends with the last append of a transaction, or is
 * empty, and is an external read: the operation itself, or, after own appends,
 *       the one right before the first of them.
 *
 * SPDX-License-Identifier: MIT */
#include "verify/lists/verify_lists.h"

struct lists {
    const struct history *h;
    struct list_seen *longest; // by key
    op_id *append;             // by value: by one who counts, or ID_NONE
    uint32_t *place;           // by value: in the longest list, from 1
    // By key: appends of the present transaction so far, or ID_NONE.
    op_id *first, *last;
    txn_id *owner;         // by operation
    op_id *before, *after; // by append: the next ones to the key in its txn
    struct err *err;
};

static bool
wrong(const struct lists *l, txn_id t, const char *what)
{
    struct buf name = {0};
    history_show_txn(l->h, t, &name);
    err_set(l->err, ERR_SYNTAX, "a list read by %s %s", name.at, what);
    buf_free(&name);
    return false;
}

#define EACH_LIST_OP(h, t, op)                                                 \
    for (op_id op = (h)->txn_begin[t]; op < (h)->txn_end[t]; op++)             \
        if (op_is_of_list((h), op))

static bool
is_recorded_read(const struct history *h, op_id op)
{
    return !op_is_write(h, op) && !op_is_implied(h, op);
}

/* --- (1) and (2) ---------------------------------------------------------- */

static bool
look_at(struct lists *l, txn_id t)
{
    const struct history *h = l->h;
    EACH_LIST_OP(h, t, op)
    {
        l->owner[op] = t;
        op_id *append = &l->append[h->op_value[op]];
        if (op_is_write(h, op)) {
            if (*append != ID_NONE && l->owner[*append] != t)
                return wrong(l, t, "may show another's append of the element");
            *append = op;
            op_id *last = &l->last[op_key(h, op)];
            l->before[op] = *last;
            l->after[op] = ID_NONE;
            if (*last != ID_NONE)
                l->after[*last] = op;
            *last = op;
            continue;
        }
        const struct list_seen seen = history_list_seen(h, op);
        struct list_seen *longest = &l->longest[op_key(h, op)];
        const struct list_seen shorter = seen.n < longest->n ? seen : *longest;
        const struct list_seen longer = seen.n < longest->n ? *longest : seen;
        if (shorter.n && shorter.at != longer.at &&
            memcmp(shorter.at, longer.at, shorter.n * sizeof *seen.at) != 0)
            return wrong(l, t, "is no beginning of another");
        assert(longer.n >= shorter.n);
        *longest = longer;
    }
    EACH_LIST_OP(h, t, op)
    l->last[op_key(h, op)] = ID_NONE;
    return true;
}

/* --- (3) ------------------------------------------------------------------ */

static bool
check_longest(struct lists *l, key_id k)
{
    const struct list_seen list = l->longest[k];
    op_id expected = ID_NONE;
    for (size_t i = 0; i < list.n; i++) {
        const op_id append = l->append[list.at[i]];
        if (append == ID_NONE || l->place[list.at[i]])
            return err_set(l->err, ERR_SYNTAX,
                           "a list has an element twice, or one that no "
                           "transaction appended");
        assert(l->append[list.at[i]] < l->h->n_ops);
        l->place[list.at[i]] = (uint32_t)i + 1;
        if (expected != ID_NONE ? append != expected
                                : l->before[append] != ID_NONE)
            return wrong(l, l->owner[append], "is not made of whole runs");
        expected = l->after[append];
    }
    return true;
}

/* --- (4) and (5) ---------------------------------------------------------- */

/* Whether 'op' is an external read of what ends with the n-th element. */
static bool
reads_external(const struct lists *l, op_id op, struct list_seen seen, size_t n)
{
    const struct history *h = l->h;
    const value_id v = n ? seen.at[n - 1] : VALUE_INIT;
    return op_is_external_read(h, op) && h->op_value[op] == v &&
           (!n || (l->owner[l->append[v]] != l->owner[op] &&
                   l->after[l->append[v]] == ID_NONE));
}

static bool
check_read(const struct lists *l, txn_id t, op_id op)
{
    const struct history *h = l->h;
    const key_id k = op_key(h, op);
    const struct list_seen seen = history_list_seen(h, op);
    const op_id last = l->last[k];
    size_t n = seen.n;
    assert(last == ID_NONE || (last < op && l->owner[last] == t));
    assert(seen.n <= l->longest[k].n);
    if (last == ID_NONE)
        return reads_external(l, op, seen, n) ||
               wrong(l, t, "ends where no transaction ended");
    for (op_id own = last; own != ID_NONE; own = l->before[own])
        if (!n || seen.at[--n] != h->op_value[own])
            return wrong(l, t, "does not end with its own elements");
    const op_id before = l->first[k] - 1;
    assert(l->first[k] <= last);
    return (l->first[k] > h->txn_begin[t] && op_key(h, before) == k &&
            reads_external(l, before, seen, n)) ||
           wrong(l, t,
                 "does not end with a last append before its own elements");
}

/* Own elements must not show before they are appended. */
static bool
check_later(const struct lists *l, txn_id t, op_id append, uint32_t *shown)
{
    const uint32_t place = l->place[l->h->op_value[append]];
    return !place || place > shown[op_key(l->h, append)] ||
           wrong(l, t, "shows what is appended later");
}

static bool
check_txn(struct lists *l, txn_id t, uint32_t *shown)
{
    const struct history *h = l->h;
    bool fine = true;
    EACH_LIST_OP(h, t, op)
    {
        const key_id k = op_key(h, op);
        if (op_is_write(h, op)) {
            fine = fine && check_later(l, t, op, shown);
            if (l->last[k] == ID_NONE)
                l->first[k] = op;
            l->last[k] = op;
        } else if (is_recorded_read(h, op)) {
            fine = fine && check_read(l, t, op);
            const size_t n = history_list_seen(h, op).n;
            shown[k] = n > shown[k] ? (uint32_t)n : shown[k];
        }
    }
    EACH_LIST_OP(h, t, op)
    {
        shown[op_key(h, op)] = 0;
        l->last[op_key(h, op)] = ID_NONE;
    }
    return fine;
}

static bool
check_all(struct lists *l)
{
    const struct history *h = l->h;
    bool fine = true;
    for (txn_id t = 0; fine && t < h->n_txns; t++)
        fine = !h->txn_counts[t] || look_at(l, t);
    for (key_id k = 0; fine && k < h->n_keys; k++)
        fine = check_longest(l, k);
    uint32_t *shown = mem_calloc(h->n_keys, sizeof *shown);
    for (txn_id t = 0; fine && t < h->n_txns; t++)
        fine = !h->txn_counts[t] || check_txn(l, t, shown);
    mem_free(shown);
    return fine;
}

bool
verify_lists(const struct history *h, struct err *err)
{
    if (!h->key_is_list)
        return true;
    struct lists l = {.h = h, .err = err};
    l.longest = mem_calloc(h->n_keys, sizeof *l.longest);
    l.first = mem_alloc(h->n_keys, sizeof *l.first);
    l.last = mem_alloc(h->n_keys, sizeof *l.last);
    memset(l.last, 0xff, h->n_keys * sizeof *l.last); // ID_NONE
    l.append = mem_alloc(h->n_values, sizeof *l.append);
    memset(l.append, 0xff, h->n_values * sizeof *l.append);
    l.place = mem_calloc(h->n_values, sizeof *l.place);
    l.owner = mem_alloc(h->n_ops, sizeof *l.owner);
    l.before = mem_alloc(h->n_ops, sizeof *l.before);
    l.after = mem_alloc(h->n_ops, sizeof *l.after);
    const bool fine = check_all(&l);
    assert(fine || err->kind != ERR_NONE);
    mem_free(l.longest);
    mem_free(l.first);
    mem_free(l.last);
    mem_free(l.append);
    mem_free(l.place);
    mem_free(l.owner);
    mem_free(l.before);
    mem_free(l.after);
    return fine;
}
