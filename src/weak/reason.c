/* reason.c -- why an inferred edge of the commit order has to be there.
 *
 * Reasons are not stored with edges: there are millions of edges, and a person
 * looks at a handful.  They are found again by one walk over the history.
 *
 * An edge t2 -> t1 needs a transaction t3 with a read from t1 of a key that t2
 * writes, and the level's premise between t2 and t3.  At cc the premise is
 * that t2 happened before t3; distances from t2 along the sequence, which
 * respects what happened before what, find the nearest such t3 and the path.
 *
 * SPDX-License-Identifier: MIT */
#include "weak/reason.h"

struct query {
    const struct groundwork *g;
    enum level level;
    struct cycle_edge *e;
    uint8_t *written; // by key: 1 = 'from' writes it
};

op_id
find_read_from(const struct reading *r, txn_id t, txn_id w)
{
    for (op_id op = r->h->txn_begin[t]; op < r->h->txn_end[t]; op++)
        if (op_is_external_read(r->h, op) && reading_writer(r, op) == w)
            return op;
    return ID_NONE;
}

/* The first read of t3, from 'begin' on, that is from e->to and of a key that
 * e->from writes. */
static op_id
find_overwritten(const struct query *q, txn_id t3, op_id begin)
{
    const struct reading *r = &q->g->reading;
    for (op_id op = begin; op < r->h->txn_end[t3]; op++)
        if (op_is_external_read(r->h, op) && q->written[op_key(r->h, op)] &&
            reading_writer(r, op) == q->e->to)
            return op;
    return ID_NONE;
}

/* rc, ra: whether t3 is the reason. */
static bool
is_reason(const struct query *q, txn_id t3)
{
    const struct history *h = q->g->reading.h;
    struct cycle_edge *e = q->e;
    if (t3 == e->from)
        return false;
    e->premise = find_read_from(&q->g->reading, t3, e->from);
    const bool after = q->level == LEVEL_RA && e->from < t3 &&
                       h->txn_session[e->from] == h->txn_session[t3];
    if (e->premise == ID_NONE && !after)
        return false;
    const op_id begin =
        q->level == LEVEL_RC ? e->premise + 1 : h->txn_begin[t3];
    e->read = find_overwritten(q, t3, begin);
    return e->read != ID_NONE;
}

/* --- cc -------------------------------------------------------------------*/

enum { FAR = UINT32_MAX, HOP = 1 << 10 }; // steps within a session cost 1

struct distances {
    uint32_t *to;   // by transaction: the distance from t2, or FAR
    txn_id *parent; // the one before on the way
};

static void
approach(struct distances *d, txn_id t, txn_id over, uint32_t cost)
{
    if (over == TXN_INIT || over == TXN_NONE || d->to[over] == FAR)
        return;
    // Long ways do not overflow, they only stop being compared.
    const uint32_t sum =
        d->to[over] < FAR - cost - 1 ? d->to[over] + cost : FAR - 1;
    if (sum < d->to[t]) {
        d->to[t] = sum;
        d->parent[t] = over;
    }
}

static void
find_distances(const struct groundwork *g, txn_id t2, struct distances *d)
{
    const struct reading *r = &g->reading;
    const struct history *h = r->h;
    d->to = mem_alloc(h->n_txns, sizeof *d->to);
    d->parent = mem_alloc(h->n_txns, sizeof *d->parent);
    memset(d->to, 0xff, h->n_txns * sizeof *d->to);
    d->to[t2] = 0;
    for (size_t i = g->sequence.position[t2]; i < g->sequence.n; i++) {
        const txn_id t = g->sequence.at[i];
        approach(d, t, reading_so_before(r, t), 1);
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
            if (op_is_external_read(h, op))
                approach(d, t, reading_writer(r, op), HOP);
    }
}

/* Append the way to t3, leaving out what lies between two transactions of one
 * session. */
static void
append_path(const struct history *h, const struct distances *d, txn_id t3,
            struct cycle_edge *e, u32_vec *path)
{
    const size_t first = path->n;
    vec_push(path, t3);
    for (txn_id t = t3; t != e->from;) {
        t = d->parent[t];
        const size_t n = path->n;
        if (n - first >= 2 &&
            h->txn_session[t] == h->txn_session[path->at[n - 1]] &&
            h->txn_session[t] == h->txn_session[path->at[n - 2]])
            path->at[n - 1] = t;
        else
            vec_push(path, t);
    }
    e->path_first = (uint32_t)first;
    e->path_n = (uint32_t)(path->n - first);
    for (size_t i = first, j = path->n - 1; i < j; i++, j--) {
        const txn_id t = path->at[i];
        path->at[i] = path->at[j];
        path->at[j] = t;
    }
}

static void
find_causal_reason(const struct query *q, u32_vec *path)
{
    const struct history *h = q->g->reading.h;
    struct distances d;
    find_distances(q->g, q->e->from, &d);
    txn_id best = TXN_NONE;
    for (size_t i = q->g->sequence.position[q->e->from]; i < q->g->sequence.n;
         i++) {
        const txn_id t = q->g->sequence.at[i];
        if (d.to[t] == FAR || (best != TXN_NONE && d.to[t] >= d.to[best]))
            continue;
        const op_id read = find_overwritten(q, t, h->txn_begin[t]);
        if (read == ID_NONE)
            continue;
        best = t;
        q->e->read = read;
    }
    assert(best != TXN_NONE);
    append_path(h, &d, best, q->e, path);
    mem_free(d.to);
    mem_free(d.parent);
}

void
find_reason(const struct groundwork *g, enum level level, struct cycle_edge *e,
            u32_vec *path)
{
    const struct history *h = g->reading.h;
    struct query q = {g, level, e, mem_calloc(h->n_keys, 1)};
    for (op_id op = h->txn_begin[e->from]; op < h->txn_end[e->from]; op++)
        if (op_is_final_write(h, op))
            q.written[op_key(h, op)] = 1;
    if (level == LEVEL_CC) {
        find_causal_reason(&q, path);
    } else {
        txn_id t3 = 0;
        while (t3 < h->n_txns && (!h->txn_counts[t3] || !is_reason(&q, t3)))
            t3++;
        assert(t3 < h->n_txns);
    }
    mem_free(q.written);
}
