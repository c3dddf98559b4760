/* verify_psi.c -- checks an order of transactions at psi.
 *
 * The order gives every key its version order.  With so, wr and the ww edges
 * between neighbouring versions as a graph, the order must be topological, and
 * a transaction that overwrites what another read must not reach it.  The next
 * version is enough to look at, because it reaches all later ones.
 *
 * SPDX-License-Identifier: MIT */
#include "verify/verify_psi.h"

#include "base/limits/context.h"
#include "graph/clock.h"
#include "verify/lists/verify_list_order.h"

// With more sessions than fit, paths are searched without clocks.
#define CLOCK_BYTES_MAX ((size_t)1 << 30)

struct psi_order {
    const struct history *h;
    const struct certificate *c;
    uint32_t *place; // by transaction: 1 + its place in the order, 0 = none
    uint32_t *point; // by transaction: its point in the graph
    txn_id *chosen;  // by operation; NULL without choices
    uint32_t *first; // by key: where its versions begin in 'version'
    txn_id *version; // those of a key in order
    struct chains g;
    bool searching; // the next three are in use
    struct clocks clocks;
    struct path_finder finder;
    hop_vec path;
    struct err *err;
};

static bool
wrong(struct psi_order *o, const char *what)
{
    return err_set(o->err, ERR_SYNTAX, "the order %s", what);
}

static bool
place_all(struct psi_order *o)
{
    const struct history *h = o->h;
    for (uint32_t i = 0; i < o->c->order.n; i++) {
        context_poll_at(i);
        const txn_id t = o->c->order.at[i];
        if (t >= h->n_txns || h->txn_counts[t] == TXN_LEFT_OUT || o->place[t])
            return wrong(o,
                         "has a transaction twice, or one that does not count");
        o->place[t] = i + 1;
    }
    for (txn_id t = 0; t < h->n_txns; t++)
        if (h->txn_counts[t] == TXN_COUNTS && !o->place[t])
            return wrong(o, "leaves a transaction out");
    return true;
}

static void
make_chains(struct psi_order *o)
{
    const struct history *h = o->h;
    uint32_t *lengths = mem_calloc(h->n_sessions, sizeof *lengths);
    uint32_t n = 0;
    for (txn_id t = 0; t < h->n_txns; t++) {
        context_poll_at(t);
        if (o->place[t]) {
            lengths[h->txn_session[t]]++;
            o->point[t] = n++;
        }
    }
    assert(n == o->c->order.n);
    chains_init(&o->g, lengths, h->n_sessions);
    mem_free(lengths);
}

/* Add an edge of the graph, which the order must agree with. */
static bool
add_edge(struct psi_order *o, txn_id from, txn_id to)
{
    assert(o->place[from] && o->place[to]);
    if (o->place[from] >= o->place[to])
        return wrong(o, "contradicts a read or the order of a list");
    chains_add(&o->g, o->point[from], o->point[to]);
    return true;
}

/* The writer that op read from, by the choices; TXN_NONE if it is no writer. */
static txn_id
writer_of(const struct psi_order *o, op_id op)
{
    const value_id v = o->h->op_value[op];
    if (!history_has_several(o->h, v))
        return history_writer(o->h, v);
    const struct txn_range all = history_candidates(o->h, v);
    for (size_t i = 0; o->chosen && i < all.n; i++)
        if (all.at[i] == o->chosen[op])
            return all.at[i];
    return TXN_NONE;
}

static bool
note_choices(struct psi_order *o)
{
    if (!o->c->choices.n)
        return true;
    o->chosen = mem_alloc(o->h->n_ops, sizeof *o->chosen);
    memset(o->chosen, 0xff, o->h->n_ops * sizeof *o->chosen);
    for (size_t i = 0; i < o->c->choices.n; i++) {
        const struct choice *c = &o->c->choices.at[i];
        if (c->read >= o->h->n_ops)
            return wrong(o, "has a choice for no read");
        o->chosen[c->read] = c->writer;
    }
    return true;
}

static bool
add_reads(struct psi_order *o)
{
    const struct history *h = o->h;
    for (size_t i = 0; i < o->c->order.n; i++) {
        context_poll_at(i);
        const txn_id t = o->c->order.at[i];
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
            if (!op_is_external_read(h, op))
                continue;
            const txn_id w = writer_of(o, op);
            if (w == TXN_NONE || w == t)
                return wrong(o, "names no writer for a read");
            if (w != TXN_INIT && !o->place[w])
                return wrong(o, "leaves out the writer of a read");
            if (w != TXN_INIT && !add_edge(o, w, t))
                return false;
        }
    }
    return true;
}

/* List the versions of each key in order, with an edge from each to the next.
 */
static bool
add_versions(struct psi_order *o)
{
    const struct history *h = o->h;
    for (size_t i = 0; i < o->c->order.n; i++) {
        context_poll_at(i);
        const txn_id t = o->c->order.at[i];
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
            o->first[op_key(h, op) + 2] += op_is_final_write(h, op);
    }
    for (key_id k = 0; k <= h->n_keys; k++)
        o->first[k + 1] += o->first[k];
    uint32_t *next = o->first + 1;
    o->version = mem_alloc(next[h->n_keys], sizeof *o->version);
    for (size_t i = 0; i < o->c->order.n; i++) {
        context_poll_at(i);
        const txn_id t = o->c->order.at[i];
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
            if (!op_is_final_write(h, op))
                continue;
            const key_id k = op_key(h, op);
            o->version[next[k]++] = t;
        }
    }
    assert(!h->n_keys || o->first[0] == 0);
    for (key_id k = 0; k < h->n_keys; k++)
        for (uint32_t v = o->first[k] + 1; v < o->first[k + 1]; v++)
            if (!add_edge(o, o->version[v - 1], o->version[v]))
                return false;
    return true;
}

/* The first version of k placed after 'place'; TXN_NONE if there is none. */
static txn_id
version_after(const struct psi_order *o, key_id k, uint32_t place)
{
    uint32_t low = o->first[k], high = o->first[k + 1];
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (o->place[o->version[middle]] <= place)
            low = middle + 1;
        else
            high = middle;
    }
    assert(low == o->first[k + 1] || o->place[o->version[low]] > place);
    return low < o->first[k + 1] ? o->version[low] : TXN_NONE;
}

static void
fill_clocks(struct psi_order *o)
{
    assert(o->g.n == o->c->order.n);
    uint32_t *order = mem_alloc(o->g.n, sizeof *order);
    for (uint32_t i = 0; i < o->g.n; i++)
        order[i] = o->point[o->c->order.at[i]];
    clocks_init(&o->clocks, &o->g);
    clocks_update(&o->clocks, order);
    mem_free(order);
}

/* Whether a reaches b.  What comes after b in the order does not. */
static bool
reaches(struct psi_order *o, txn_id a, txn_id b)
{
    assert(a != b && o->place[a] && o->place[b]);
    if (o->place[a] > o->place[b])
        return false;
    if (!o->searching) { // few orders need to be asked at all
        o->searching = true;
        path_finder_init(&o->finder, &o->g);
        o->clocks.g = &o->g;
        if (clocks_bytes(&o->g) <= CLOCK_BYTES_MAX)
            fill_clocks(o);
    }
    vec_clear(&o->path);
    return clocks_path(&o->clocks, &o->finder, o->point[a], o->point[b],
                       EDGE_NONE, &o->path);
}

static bool
check_reads(struct psi_order *o)
{
    const struct history *h = o->h;
    for (size_t i = 0; i < o->c->order.n; i++) {
        context_poll_at(i);
        const txn_id t = o->c->order.at[i];
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
            if (!op_is_external_read(h, op))
                continue;
            const txn_id w = writer_of(o, op);
            assert(w == TXN_INIT || (w != TXN_NONE && o->place[w]));
            const txn_id next = version_after(o, op_key(h, op),
                                              w == TXN_INIT ? 0 : o->place[w]);
            if (next != TXN_NONE && next != t && reaches(o, next, t))
                return wrong(o, "lets a read miss what it depends on");
        }
    }
    return true;
}

static bool
check_all(struct psi_order *o)
{
    if (!place_all(o) || !note_choices(o))
        return false;
    make_chains(o);
    if (!add_reads(o) || !add_versions(o))
        return false;
    for (txn_id t = 1; t < o->h->n_txns; t++)
        if (o->place[t] && o->point[t] && // sessions are chains
            chains_has_previous(&o->g, o->point[t])) {
            txn_id before = t - 1;
            while (!o->place[before])
                before--;
            if (o->place[before] > o->place[t])
                return wrong(o, "contradicts the order of a session");
        }
    return check_reads(o) &&
           verify_list_order_check(o->h, &o->c->order, false, o->err);
}

bool
verify_psi_order(const struct history *h, const struct certificate *c,
                 struct err *err)
{
    assert(level_is_parallel(c->level));
    struct psi_order o = {.h = h, .c = c, .err = err};
    o.place = mem_calloc(h->n_txns, sizeof *o.place);
    o.point = mem_calloc(h->n_txns, sizeof *o.point);
    o.first = mem_calloc((size_t)h->n_keys + 2, sizeof *o.first);
    const bool ok = check_all(&o);
    assert(ok || err->kind != ERR_NONE);
    mem_free(o.place);
    mem_free(o.point);
    mem_free(o.chosen);
    mem_free(o.first);
    mem_free(o.version);
    clocks_free(&o.clocks);
    path_finder_free(&o.finder);
    vec_free(&o.path);
    chains_free(&o.g);
    return ok;
}
