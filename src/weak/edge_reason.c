/* edge_reason.c -- see edge_reason.h.
 *
 * With an edge t2 -> t1 only the transaction t3 is stored whose reads force it,
 * because there may be millions of edges, of which a handful is shown.  The
 * read from t1 of a key that t2 writes, and the premise between t2 and t3, are
 * found again here.  At cc the premise is a path from t2 to t3.  It is searched
 * backwards from t3, and not beyond the place of t2 in the sequence.
 *
 * SPDX-License-Identifier: MIT */
#include "weak/edge_reason.h"

op_id
edge_reason_read(const struct writer_assignment *r, txn_id t, txn_id w)
{
    op_id found = ID_NONE;
    for (op_id op = r->h->txn_begin[t]; op < r->h->txn_end[t]; op++) {
        if (!op_is_external_read(r->h, op) || assigned_writer(r, op) != w)
            continue;
        if (!history_has_several(r->h, r->h->op_value[op]))
            return op;
        if (found == ID_NONE)
            found = op;
    }
    return found;
}

static bool
writes(const struct history *h, txn_id t, key_id k)
{
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
        if (op_is_final_write(h, op) && op_key(h, op) == k)
            return true;
    return false;
}

/* The first read of t3, in a place from 'begin' on, that is from t1 and of a
 * key that t2 writes; preferably one with a single candidate. */
static op_id
find_overwritten(const struct writer_assignment *r, txn_id t3, op_id begin,
                 txn_id t1, txn_id t2)
{
    op_id found = ID_NONE;
    for (op_id op = begin; op < r->h->txn_end[t3]; op++) {
        if (!op_is_external_read(r->h, op) || assigned_writer(r, op) != t1 ||
            op_place(r->h, op) < begin)
            continue;
        const bool certain = !history_has_several(r->h, r->h->op_value[op]);
        if ((certain || found == ID_NONE) &&
            writes(r->h, t2, op_key(r->h, op))) {
            found = op;
            if (certain)
                break;
        }
    }
    return found;
}

/* The first read of t3 from w. */
static op_id
find_first_read(const struct writer_assignment *r, txn_id t3, txn_id w)
{
    op_id op = r->h->txn_begin[t3];
    while (!op_is_external_read(r->h, op) || assigned_writer(r, op) != w)
        op++;
    assert(op < r->h->txn_end[t3]);
    return op;
}

/* --- cc -------------------------------------------------------------------*/

/* A search that takes as few reads as it can; steps within a session are free,
 * because any number of them is one step of the path. */
struct search {
    const struct ordered_assignment *g;
    txn_id target;
    txn_id *onward;     // by transaction: the next on the way to t3
    u32_vec now, later; // to look at, with as many reads and with one more
};

static void
reach(struct search *s, txn_id t, txn_id onward, u32_vec *list)
{
    if (t == TXN_INIT || t == TXN_NONE || s->onward[t] != TXN_NONE ||
        s->g->sequence.position[t] < s->g->sequence.position[s->target])
        return;
    s->onward[t] = onward;
    vec_push(list, t);
}

static void
search_backwards(struct search *s, txn_id t3)
{
    const struct writer_assignment *r = &s->g->assignment;
    s->onward[t3] = t3;
    vec_push(&s->now, t3);
    while (s->onward[s->target] == TXN_NONE) {
        if (!s->now.n) {
            const u32_vec empty = s->now;
            s->now = s->later;
            s->later = empty;
        }
        assert(s->now.n);
        const txn_id t = vec_pop(&s->now);
        reach(s, assignment_session_before(r, t), t, &s->now);
        for (op_id op = r->h->txn_begin[t]; op < r->h->txn_end[t]; op++)
            if (op_is_external_read(r->h, op))
                reach(s, assigned_writer(r, op), t, &s->later);
    }
}

/* Append the way from e->from to t3, leaving out what lies between two
 * transactions of one session. */
static void
append_path(const struct search *s, txn_id t3, struct cycle_edge *e,
            u32_vec *path)
{
    const session_id *session = s->g->assignment.h->txn_session;
    const size_t first = path->n;
    vec_push(path, e->from);
    for (txn_id t = e->from; t != t3;) {
        t = s->onward[t];
        const size_t n = path->n;
        if (n - first >= 2 && session[t] == session[path->at[n - 1]] &&
            session[t] == session[path->at[n - 2]])
            path->at[n - 1] = t;
        else
            vec_push(path, t);
    }
    capacity_want(CAPACITY_PATHS, path->n);
    e->path_first = (uint32_t)first;
    e->path_n = (uint32_t)(path->n - first);
}

static void
find_path(const struct ordered_assignment *g, txn_id t3, struct cycle_edge *e,
          u32_vec *path)
{
    const struct history *h = g->assignment.h;
    assert(!g->cyclic && e->from != t3);
    struct search s = {.g = g, .target = e->from};
    s.onward = mem_alloc(h->n_txns, sizeof *s.onward);
    memset(s.onward, 0xff, h->n_txns * sizeof *s.onward); // TXN_NONE
    search_backwards(&s, t3);
    append_path(&s, t3, e, path);
    mem_free(s.onward);
    vec_free(&s.now);
    vec_free(&s.later);
}

void
edge_reason_find(const struct ordered_assignment *g, enum level level,
                 txn_id t3, struct cycle_edge *e, u32_vec *path)
{
    const struct writer_assignment *r = &g->assignment;
    op_id begin = r->h->txn_begin[t3];
    e->premise = ID_NONE;
    if (level_orders_reads(level)) {
        e->premise = find_first_read(r, t3, e->from);
        begin = e->premise + 1;
    } else if (!level_is_causal(level)) {
        const bool after =
            e->from < t3 && r->h->txn_session[e->from] == r->h->txn_session[t3];
        e->premise = after ? ID_NONE : edge_reason_read(r, t3, e->from);
    } else {
        find_path(g, t3, e, path);
    }
    e->read = find_overwritten(r, t3, begin, e->to, e->from);
    assert(!level_is_causal(level) || e->path_n >= 2);
    assert(e->read != ID_NONE);
}

bool
edge_reason_is_certain(const struct writer_assignment *r, enum level level,
                       const struct edge *e)
{
    op_id begin = r->h->txn_begin[e->reader];
    if (level_orders_reads(level))
        begin = find_first_read(r, e->reader, e->from) + 1;
    for (op_id op = begin; op < r->h->txn_end[e->reader]; op++)
        if (op_is_external_read(r->h, op) &&
            !history_has_several(r->h, r->h->op_value[op]) &&
            assigned_writer(r, op) == e->to && op_place(r->h, op) >= begin &&
            writes(r->h, e->from, op_key(r->h, op)))
            return true;
    return false;
}
