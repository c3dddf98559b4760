/* verify_cycle.c -- a cycle of certain edges at rc, ra or cc.
 *
 * Every edge is looked at alone: does the history say what the edge says?
 * Then all of them are in every commit order, and a cycle of them is in none.
 *
 * SPDX-License-Identifier: MIT */
#include "verify/verify_cycle.h"

#include "verify/lists/verify_list_order.h"

struct check {
    const struct history *h;
    enum level level;
    const struct cycle *cycle;
    const struct choice *assumed;
    size_t n_assumed;
    const uint8_t *counting; // by transaction: under what is assumed
    size_t edge;             // being looked at
    struct err *err;
};

static bool
wrong(const struct check *c, const char *what)
{
    return err_set(c->err, ERR_SYNTAX, "edge %zu of the cycle: %s", c->edge + 1,
                   what);
}

static bool
counts(const struct check *c, txn_id t)
{
    return t < c->h->n_txns && c->counting[t];
}

/* The transaction of an operation, or TXN_NONE. */
static txn_id
owner(const struct history *h, op_id op)
{
    for (txn_id t = 0; t < h->n_txns; t++)
        if (op >= h->txn_begin[t] && op < h->txn_end[t])
            return t;
    return TXN_NONE;
}

/* Which transactions count if the choices that are assumed are made: those that
 * do anyway, the two sides of a choice, and the only possible writer of a read
 * of one that counts. */
static uint8_t *
find_counting(const struct check *c)
{
    const struct history *h = c->h;
    uint8_t *counting = mem_alloc(h->n_txns, sizeof *counting);
    for (txn_id t = 0; t < h->n_txns; t++)
        counting[t] = h->txn_counts[t] == TXN_COUNTS;
    for (size_t i = 0; h->n_optional && i < c->n_assumed; i++) {
        const txn_id t = owner(h, c->assumed[i].read);
        if (t != TXN_NONE && h->txn_counts[t])
            counting[t] = 1;
        if (c->assumed[i].writer < h->n_txns &&
            h->txn_counts[c->assumed[i].writer])
            counting[c->assumed[i].writer] = 1;
    }
    for (bool changed = h->n_optional; changed;) {
        changed = false;
        for (txn_id t = 0; t < h->n_txns; t++)
            for (op_id op = h->txn_begin[t]; counting[t] && op < h->txn_end[t];
                 op++) {
                const txn_id w = history_writer(h, h->op_value[op]);
                if (!op_is_external_read(h, op) || w >= h->n_txns ||
                    counting[w])
                    continue; // no transaction, several of them, or known
                counting[w] = 1;
                changed = true;
            }
    }
    for (txn_id t = 0; t < h->n_txns; t++)
        assert(!counting[t] || h->txn_counts[t] != TXN_LEFT_OUT);
    return counting;
}

/* Whether op, an operation of t, certainly reads from w. */
static bool
reads_from(const struct check *c, txn_id t, op_id op, txn_id w)
{
    const struct history *h = c->h;
    if (!counts(c, t) || op < h->txn_begin[t] || op >= h->txn_end[t] ||
        !op_is_external_read(h, op) || w == t)
        return false;
    const value_id v = h->op_value[op];
    if (!history_has_several(h, v))
        return history_writer(h, v) == w;
    for (size_t i = 0; i < c->n_assumed; i++)
        if (c->assumed[i].read == op && c->assumed[i].writer == w)
            return true;
    return false;
}

/* Whether some operation of t certainly reads from w. */
static bool
has_read_from(const struct check *c, txn_id t, txn_id w)
{
    for (op_id op = c->h->txn_begin[t]; op < c->h->txn_end[t]; op++)
        if (reads_from(c, t, op, w))
            return true;
    return false;
}

static bool
is_so_before(const struct check *c, txn_id a, txn_id b)
{
    return counts(c, b) &&
           (a == TXN_INIT || (counts(c, a) && a < b &&
                              c->h->txn_session[a] == c->h->txn_session[b]));
}

/* The value of t's final write of k, or ID_NONE. */
static value_id
final_write(const struct history *h, txn_id t, key_id k)
{
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
        if (op_is_final_write(h, op) && op_key(h, op) == k)
            return h->op_value[op];
    return ID_NONE;
}

/* Whether observed lists, or rows, say that a comes before b. */
static bool
is_list_order(const struct check *c, txn_id a, txn_id b)
{
    if (!counts(c, a) || !counts(c, b) || a == b)
        return false;
    struct verify_list_order lists;
    assert(c->h->txn_counts[a] && c->h->txn_counts[b]);
    verify_list_order_init(&lists, c->h);
    const bool before = verify_list_order_before(&lists, a, b);
    verify_list_order_free(&lists);
    return before;
}

/* cc: the path leads from e->from to t3. */
static bool
check_path(const struct check *c, const struct cycle_edge *e, txn_id t3)
{
    const u32_vec *path = &c->cycle->path;
    if (e->path_n < 2 || e->path_first > path->n ||
        e->path_n > path->n - e->path_first)
        return wrong(c, "there is no path to the reader");
    assert(level_is_causal(c->level));
    const txn_id *at = path->at + e->path_first;
    if (at[0] != e->from || at[e->path_n - 1] != t3)
        return wrong(c, "the path does not lead from the source to the reader");
    for (uint32_t i = 1; i < e->path_n; i++) {
        if (!counts(c, at[i - 1]) || !counts(c, at[i]))
            return wrong(c, "the path leaves the history");
        if (!is_so_before(c, at[i - 1], at[i]) &&
            !has_read_from(c, at[i], at[i - 1]))
            return wrong(c, "a step of the path is neither session order "
                            "nor a read");
    }
    return true;
}

/* The level's premise, between e->from and t3. */
static bool
check_premise(const struct check *c, const struct cycle_edge *e, txn_id t3)
{
    const enum level_premise premise = level_table[c->level].premise;
    assert(premise != PREMISE_NONE && counts(c, t3) && t3 != e->from);
    if (premise == PREMISE_CAUSAL)
        return check_path(c, e, t3);
    if (premise == PREMISE_DIRECT && e->premise == ID_NONE) {
        if (!is_so_before(c, e->from, t3))
            return wrong(c, "the writer is not before the reader in its "
                            "session");
        return true;
    }
    if (!reads_from(c, t3, e->premise, e->from))
        return wrong(c, "the premise is not a read from the writer");
    if (premise == PREMISE_EARLIER_READ &&
        e->premise >= op_place(c->h, e->read))
        return wrong(c, "the premise comes after the read");
    return true;
}

static bool
check_inferred(const struct check *c, const struct cycle_edge *e)
{
    const struct history *h = c->h;
    if (!counts(c, e->from) || e->from == e->to)
        return wrong(c, "its source does not count, or is its target");
    const txn_id t3 = owner(h, e->read);
    if (t3 == TXN_NONE || !reads_from(c, t3, e->read, e->to))
        return wrong(c, "the read is not from the target of the edge");
    if (t3 == e->from || final_write(h, e->from, op_key(h, e->read)) == ID_NONE)
        return wrong(c, "its source does not write the key that was read");
    return check_premise(c, e, t3);
}

static bool
check_edge(const struct check *c, const struct cycle_edge *e)
{
    switch (e->kind) {
    case EDGE_SO:
        return is_so_before(c, e->from, e->to) ||
               wrong(c, "it is not session order");
    case EDGE_WR:
        return reads_from(c, e->to, e->read, e->from) ||
               wrong(c, "there is no such read");
    case EDGE_WW:
        return is_list_order(c, e->from, e->to) ||
               wrong(c, "no list and no row orders the two");
    case EDGE_CO:
        return check_inferred(c, e);
    default:
        return wrong(c, "this level has no edges of that kind");
    }
}

static bool
check_edges(struct check *c)
{
    const struct cycle *cycle = c->cycle;
    const size_t length = cycle->edges.n;
    if (!length)
        return err_set(c->err, ERR_SYNTAX, "the cycle has no edges");
    for (; c->edge < length; c->edge++) {
        const struct cycle_edge *e = &cycle->edges.at[c->edge];
        if (e->to != cycle->edges.at[(c->edge + 1) % length].from)
            return wrong(c, "its target is not the source of the next");
        if (!check_edge(c, e))
            return false;
    }
    return true;
}

bool
verify_weak_cycle(const struct history *h, enum level level,
                  const struct cycle *cycle, const struct choice *assumed,
                  size_t n, struct err *err)
{
    assert(level_is_weak(level) && (assumed || !n));
    struct check c = {.h = h,
                      .level = level,
                      .cycle = cycle,
                      .assumed = assumed,
                      .n_assumed = n,
                      .err = err};
    uint8_t *counting = find_counting(&c);
    c.counting = counting;
    const bool ok = check_edges(&c);
    assert(!ok || (c.edge == cycle->edges.n && cycle->edges.n));
    assert(ok || err->kind != ERR_NONE);
    mem_free(counting);
    return ok;
}
