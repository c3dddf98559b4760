/* known_edges.c -- see known_edges.h.
 *
 * SPDX-License-Identifier: MIT */
#include "depend/known_edges.h"

#include "base/limits/context.h"
#include "depend/init_edges.h"
#include "depend/list_edges.h"

#include <stdlib.h>

static void
add_reads(struct dependencies *d, uint64_t most_init)
{
    const bool many = init_edges_bound(d) > most_init;
    for (read_id r = 0; r < d->n_reads; r++) {
        context_poll_at(r);
        const version_id v = d->read_version[r];
        if (v == VERSION_NONE)
            continue;
        if (!version_is_init(d, v))
            depend_add_edge(d, point_commit(d, d->version_txn[v]),
                            point_start(d, d->read_txn[r]),
                            (struct label){EDGE_WR, r, v});
        else if (!many)
            init_edges_add(d, r);
    }
    if (many)
        init_edges_add_missing(d);
}

/* An optional transaction comes after the last of its session that certainly
 * counts. */
static void
add_sessions(struct dependencies *d)
{
    const struct history *h = d->h;
    txn_id before = TXN_NONE;
    for (txn_id t = 0; h->n_optional && t < h->n_txns; t++) {
        if (t == h->session_first[h->txn_session[t]])
            before = TXN_NONE;
        if (h->txn_counts[t] == TXN_COUNTS)
            before = t;
        else if (h->txn_counts[t] == TXN_MAY_COUNT && before != TXN_NONE)
            depend_add_edge(d, point_commit(d, d->dense[before]),
                            point_start(d, d->dense[t]),
                            (struct label){EDGE_SO, READ_NONE, 0});
    }
}

/* --- orders that were observed -------------------------------------------- */

static void
add_lists(struct dependencies *d)
{
    const struct history *h = d->h;
    if (!history_has_orders(h))
        return;
    dense_id *dense = mem_alloc(h->n_txns, sizeof *dense);
    for (dense_id t = 0; t < d->n_txns; t++)
        dense[d->name[t]] = t;
    list_edge_vec edges = {0};
    list_edges_find(h, &edges);
    for (size_t i = 0; i < edges.n; i++)
        depend_add_edge(d, point_commit(d, dense[edges.at[i].from]),
                        point_ww_to(d, dense[edges.at[i].to]),
                        (struct label){EDGE_WW, READ_NONE, WW_LIST});
    vec_free(&edges);
    mem_free(dense);
}

/* --- time ------------------------------------------------------------------
 */

struct event {
    int64_t time;
    dense_id txn;
    bool is_end;
};

static int
compare_events(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    // At the same time nothing has ended before anything begins.
    if (x->is_end != y->is_end)
        return x->is_end ? 1 : -1;
    return x->txn < y->txn ? -1 : x->txn > y->txn;
}

typedef VEC(struct event) event_vec;

/* A transaction whose end the client never learnt may still be going on. */
static void
collect_events(const struct dependencies *d, event_vec *events)
{
    const struct history *h = d->h;
    for (dense_id t = 0; t < d->n_txns; t++) {
        const txn_id name = d->name[t];
        if (h->txn_began[name] != INT64_MIN)
            vec_push(events, ((struct event){h->txn_began[name], t, false}));
        if (h->txn_ended[name] != INT64_MAX &&
            h->txn_status[name] == TXN_COMMITTED)
            vec_push(events, ((struct event){h->txn_ended[name], t, true}));
    }
    if (events->n)
        qsort(events->at, events->n, sizeof *events->at, compare_events);
}

/* The number of instants needed: one before each begin that follows an end. */
static uint32_t
count_instants(const event_vec *events)
{
    uint32_t n = 0;
    for (size_t i = 1; i < events->n; i++)
        n += !events->at[i].is_end && events->at[i - 1].is_end;
    return n;
}

static void
add_time(struct dependencies *d, const event_vec *events)
{
    const struct label label = {EDGE_TIME, READ_NONE, 0};
    const uint32_t line = depend_txn_points(d);
    uint32_t instants = 0;
    for (size_t i = 0; i < events->n; i++) {
        const struct event e = events->at[i];
        const bool after_end = i && events->at[i - 1].is_end;
        if (!e.is_end) {
            instants += after_end;
            if (instants)
                depend_add_edge(d, line + instants - 1, point_start(d, e.txn),
                                label);
        } else if (line + instants < d->g.n) {
            depend_add_edge(d, point_commit(d, e.txn), line + instants, label);
        }
    }
}

/* --- all of it ------------------------------------------------------------ */

static void
make_chains(struct dependencies *d, uint32_t instants)
{
    const struct history *h = d->h;
    u32_vec lengths = {0};
    for (dense_id t = 0; t < d->n_txns; t++) {
        if (!t || t >= d->n_certain ||
            h->txn_session[d->name[t]] != h->txn_session[d->name[t - 1]])
            vec_push(&lengths, 0);
        vec_top(&lengths) += d->two_points ? 2 : 1;
    }
    if (instants)
        vec_push(&lengths, instants);
    chains_init(&d->g, lengths.at, (uint32_t)lengths.n);
    vec_free(&lengths);
}

void
known_edges_build(struct dependencies *d, uint64_t most_init)
{
    event_vec events = {0};
    if (d->strict && d->h->txn_began)
        collect_events(d, &events);
    make_chains(d, count_instants(&events));
    add_reads(d, most_init);
    add_sessions(d);
    add_lists(d);
    add_time(d, &events);
    vec_free(&events);
    chains_freeze(&d->g);
}
