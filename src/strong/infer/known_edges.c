/* known_edges.c -- see known_edges.h.
 *
 * SPDX-License-Identifier: MIT */
#include "strong/infer/known_edges.h"

#include <stdlib.h>

void
problem_add_edge(struct problem *p, uint32_t from, uint32_t to,
                 struct label label)
{
    assert(p->labels.n == p->g.edges.n); // (P2)
    chains_add(&p->g, from, to);
    vec_push(&p->labels, label);
}

void
problem_add_init_edges(struct problem *p, read_id r)
{
    if (p->place == PLACE_PSI)
        return; // its graph has no rw edges
    const key_id k = read_key(p, r);
    const dense_id reader = p->read_txn[r];
    const struct seat *seat = p->g.seat;
    uint32_t chain = UINT32_MAX;
    for (version_id v = p->key_first[k] + 1; v < p->key_first[k + 1]; v++) {
        const dense_id t = p->version_txn[v];
        const uint32_t to = point_commit(p, t);
        if (seat[to].chain == chain)
            continue; // not the first of its session
        chain = seat[to].chain;
        if (t != reader)
            problem_add_edge(p, point_start(p, reader), to,
                             (struct label){EDGE_RW, r, p->key_first[k]});
    }
}

static void
add_reads(struct problem *p)
{
    for (read_id r = 0; r < p->n_reads; r++) {
        const version_id v = p->read_version[r];
        if (v == VERSION_NONE)
            continue;
        if (version_is_init(p, v))
            problem_add_init_edges(p, r);
        else
            problem_add_edge(p, point_commit(p, p->version_txn[v]),
                             point_start(p, p->read_txn[r]),
                             (struct label){EDGE_WR, r, v});
    }
}

/* An optional transaction comes after the last of its session that certainly
 * counts. */
static void
add_sessions(struct problem *p)
{
    const struct history *h = p->h;
    txn_id before = TXN_NONE;
    for (txn_id t = 0; h->n_optional && t < h->n_txns; t++) {
        if (t == h->session_first[h->txn_session[t]])
            before = TXN_NONE;
        if (h->txn_counts[t] == TXN_COUNTS)
            before = t;
        else if (h->txn_counts[t] == TXN_MAY_COUNT && before != TXN_NONE)
            problem_add_edge(p, point_commit(p, p->dense[before]),
                             point_start(p, p->dense[t]),
                             (struct label){EDGE_SO, READ_NONE, 0});
    }
}

/* --- lists ---------------------------------------------------------------- */

#define ELEMENT_OF_MANY (UINT32_MAX - 1)

struct lists {
    struct problem *p;
    dense_id *author;  // by value: who appended it, or UINT32_MAX
    uint8_t *observed; // by value: it is in an order
    uint32_t *length;  // by key: how much of its order counting reads saw
};

/* A read of a transaction that does not count says nothing. */
static void
find_lengths(struct lists *l)
{
    const struct problem *p = l->p;
    const struct history *h = p->h;
    uint8_t *counts = mem_calloc(h->n_ops, sizeof *counts);
    for (dense_id t = 0; t < p->n_txns; t++)
        for (op_id op = h->txn_begin[p->name[t]]; op < h->txn_end[p->name[t]];
             op++)
            counts[op] = 1;
    for (size_t i = 0; i < h->list_reads.n; i++) {
        const struct list_read *r = &h->list_reads.at[i];
        uint32_t *length = &l->length[op_key(h, r->op)];
        if (counts[r->op] && r->own == ID_NONE && r->length > *length)
            *length = r->length;
    }
    mem_free(counts);
}

static void
find_authors(struct lists *l)
{
    const struct problem *p = l->p;
    const struct history *h = p->h;
    for (value_id v = 0; v < h->n_values; v++)
        l->author[v] = UINT32_MAX;
    for (dense_id t = 0; t < p->n_txns; t++)
        for (op_id op = h->txn_begin[p->name[t]]; op < h->txn_end[p->name[t]];
             op++) {
            if (!op_is_write(h, op))
                continue;
            dense_id *author = &l->author[h->op_value[op]];
            *author =
                *author == UINT32_MAX || *author == t ? t : ELEMENT_OF_MANY;
        }
}

static void
add_listed(struct problem *p, dense_id a, dense_id b)
{
    problem_add_edge(p, point_commit(p, a), point_ww_to(p, b),
                     (struct label){EDGE_WW, READ_NONE, 1});
}

/* Whether t appended an element to k, as nobody else did, that no read saw. */
static bool
has_unobserved(const struct lists *l, dense_id t, key_id k)
{
    const struct history *h = l->p->h;
    const txn_id name = l->p->name[t];
    for (op_id op = h->txn_begin[name]; op < h->txn_end[name]; op++)
        if (op_is_write(h, op) && op_key(h, op) == k &&
            l->author[h->op_value[op]] == t && !l->observed[h->op_value[op]])
            return true;
    return false;
}

/* The authors of a list's elements come in the order of the elements.  An
 * element that no read saw comes after all that one did. */
static void
add_list(struct lists *l, key_id k)
{
    struct problem *p = l->p;
    const struct history *h = p->h;
    const value_id *items = h->order_items.at;
    const uint32_t begin = h->order_first[k], end = begin + l->length[k];
    dense_id last = UINT32_MAX;
    for (uint32_t i = begin; i < end; i++) {
        const dense_id t = l->author[items[i]];
        l->observed[items[i]] = 1;
        if (t >= ELEMENT_OF_MANY || t == last)
            continue;
        if (last != UINT32_MAX)
            add_listed(p, last, t);
        last = t;
    }
    if (last == UINT32_MAX)
        return;
    for (version_id v = p->key_first[k] + 1; v < p->key_first[k + 1]; v++) {
        const dense_id t = p->version_txn[v];
        if (t != last && has_unobserved(l, t, k))
            add_listed(p, last, t);
    }
}

static void
add_lists(struct problem *p)
{
    const struct history *h = p->h;
    if (!h->order_first)
        return;
    struct lists l = {.p = p};
    l.author = mem_alloc(h->n_values, sizeof *l.author);
    l.observed = mem_calloc(h->n_values, sizeof *l.observed);
    l.length = mem_calloc(h->n_keys, sizeof *l.length);
    find_authors(&l);
    find_lengths(&l);
    for (key_id k = 0; k < h->n_keys; k++)
        add_list(&l, k);
    mem_free(l.author);
    mem_free(l.observed);
    mem_free(l.length);
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
collect_events(const struct problem *p, event_vec *events)
{
    const struct history *h = p->h;
    for (dense_id t = 0; t < p->n_txns; t++) {
        const txn_id name = p->name[t];
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
add_time(struct problem *p, const event_vec *events)
{
    const struct label label = {EDGE_TIME, READ_NONE, 0};
    const uint32_t line = problem_txn_points(p);
    uint32_t instants = 0;
    for (size_t i = 0; i < events->n; i++) {
        const struct event e = events->at[i];
        const bool after_end = i && events->at[i - 1].is_end;
        if (!e.is_end) {
            instants += after_end;
            if (instants)
                problem_add_edge(p, line + instants - 1, point_start(p, e.txn),
                                 label);
        } else if (line + instants < p->g.n) {
            problem_add_edge(p, point_commit(p, e.txn), line + instants, label);
        }
    }
}

/* --- all of it ------------------------------------------------------------ */

static void
make_chains(struct problem *p, uint32_t instants)
{
    const struct history *h = p->h;
    u32_vec lengths = {0};
    for (dense_id t = 0; t < p->n_txns; t++) {
        if (!t || t >= p->n_certain ||
            h->txn_session[p->name[t]] != h->txn_session[p->name[t - 1]])
            vec_push(&lengths, 0);
        vec_top(&lengths) += p->two_points ? 2 : 1;
    }
    if (instants)
        vec_push(&lengths, instants);
    chains_init(&p->g, lengths.at, (uint32_t)lengths.n);
    vec_free(&lengths);
}

void
known_edges_build(struct problem *p)
{
    event_vec events = {0};
    if (p->strict && p->h->txn_began)
        collect_events(p, &events);
    make_chains(p, count_instants(&events));
    add_reads(p);
    add_sessions(p);
    add_lists(p);
    add_time(p, &events);
    vec_free(&events);
    chains_freeze(&p->g);
}
