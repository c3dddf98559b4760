/* input_order_psi.c -- see input_order_psi.h.
 *
 * A history that satisfies psi and not si cannot be run on one store, which is
 * what input_order.h does.  But the order of the input may still be the
 * order of versions.  A read takes the last version of its value; most read
 * the latest version of the key, and nothing has to be shown for those.  The
 * others are stale.  With so, wr and the ww edges between neighbouring versions
 * as a graph, the transaction that overwrote what a stale read read must not
 * reach it.
 *
 *   (1) every edge of the graph goes forward in the order.
 *
 * Transactions that may count and lists are not tried.
 *
 * SPDX-License-Identifier: MIT */
#include "strong/order/input_order_psi.h"

struct input_order_psi {
    const struct inference *f;
    const struct dependencies *p;
    dense_id *order;
    uint32_t *rank;
    version_id *now;    // by key: its latest version
    version_id *last;   // by value: its latest version, or VERSION_NONE
    version_id *next;   // by version: the one after it, or VERSION_NONE
    version_id *chosen; // by read
    struct chains g;
};

/* Take the order given[0 .. n_given); false where it does not respect what is
 * known (1). */
static bool
take_order(struct input_order_psi *x, const txn_id *given, uint32_t n_given)
{
    const struct dependencies *p = x->p;
    const struct history *h = p->h;
    dense_id *dense = mem_alloc(h->n_txns, sizeof *dense);
    for (dense_id t = 0; t < p->n_txns; t++)
        dense[p->name[t]] = t;
    uint32_t n = 0;
    for (uint32_t i = 0; i < n_given; i++) {
        if (h->txn_counts[given[i]] != TXN_COUNTS)
            continue;
        x->order[n] = dense[given[i]];
        x->rank[x->order[n]] = n;
        n++;
    }
    mem_free(dense);
    assert(n == p->n_txns && n == p->g.n); // points are transactions
    for (uint32_t t = 0; t < n; t++)
        if (chains_has_previous(&p->g, t) && x->rank[t - 1] > x->rank[t])
            return false;
    for (size_t e = 0; e < p->g.edges.n; e++)
        if (x->rank[p->g.edges.at[e].from] > x->rank[p->g.edges.at[e].to])
            return false;
    return true;
}

/* The version that r reads at this place, or VERSION_NONE. */
static version_id
choose(const struct input_order_psi *x, read_id r)
{
    const struct dependencies *p = x->p;
    if (p->read_version[r] != VERSION_NONE)
        return p->read_version[r];
    assert(p->version_value);
    const version_id last = x->last[p->h->op_value[p->read_op[r]]];
    if (last != VERSION_NONE)
        return last;
    const version_id init = version_of_init(p, read_key(p, r));
    return version_serves(p, init, r) ? init : VERSION_NONE;
}

static bool
read_all(struct input_order_psi *x, dense_id t)
{
    const struct dependencies *p = x->p;
    for (read_id r = p->read_first[t]; r < p->read_first[t + 1]; r++) {
        const version_id v = choose(x, r);
        if (v == VERSION_NONE)
            return false;
        x->chosen[r] = v;
        if (p->read_version[r] == VERSION_NONE && !version_is_init(p, v))
            chains_add(&x->g, p->version_txn[v], t);
    }
    return true;
}

static void
write_all(struct input_order_psi *x, dense_id t)
{
    const struct dependencies *p = x->p;
    for (version_id v = p->write_first[t]; v < p->write_first[t + 1]; v++) {
        version_id *now = &x->now[p->version_key[v]];
        assert(*now != v && x->next[*now] == VERSION_NONE);
        if (!version_is_init(p, *now))
            chains_add(&x->g, p->version_txn[*now], t);
        x->next[*now] = v;
        *now = v;
        if (p->version_value)
            x->last[p->version_value[v]] = v;
    }
}

/* The transaction that overwrote what r read before r's own, or DENSE_INIT. */
static dense_id
find_overwriter(const struct input_order_psi *x, read_id r)
{
    const struct dependencies *p = x->p;
    const version_id next = x->next[x->chosen[r]];
    if (next == VERSION_NONE)
        return DENSE_INIT;
    const dense_id t = p->version_txn[next];
    return x->rank[t] < x->rank[p->read_txn[r]] ? t : DENSE_INIT;
}

/* Whether no stale read comes after what overwrote its version. */
static bool
check_stale(const struct input_order_psi *x)
{
    const struct dependencies *p = x->p;
    struct clocks clocks = {0};
    bool ok = true;
    for (read_id r = 0; ok && r < p->n_reads; r++) {
        const dense_id by = find_overwriter(x, r);
        if (by == DENSE_INIT)
            continue;
        if (!clocks.g && !inference_make_clocks(x->f, &x->g, x->order, &clocks))
            return false;
        ok = !clocks_reach(&clocks, by, p->read_txn[r]);
    }
    if (clocks.g)
        clocks_free(&clocks);
    return ok;
}

static void
conclude(const struct input_order_psi *x, struct certificate *out)
{
    const struct dependencies *p = x->p;
    assert(out->verdict == VERDICT_UNKNOWN && !out->order.n);
    out->verdict = VERDICT_OK;
    out->kind = EVIDENCE_ORDER;
    for (uint32_t i = 0; i < p->n_txns; i++)
        vec_push(&out->order, p->name[x->order[i]]);
    for (read_id r = 0; r < p->n_reads; r++)
        depend_add_choice(p, r, x->chosen[r], out);
}

static uint32_t *
alloc_none(size_t n)
{
    uint32_t *at = mem_alloc(n, sizeof *at);
    memset(at, 0xff, n * sizeof *at); // VERSION_NONE
    return at;
}

static bool
run_all(struct input_order_psi *x)
{
    for (uint32_t i = 0; i < x->p->n_txns; i++) {
        if (!read_all(x, x->order[i]))
            return false;
        write_all(x, x->order[i]);
    }
    return true;
}

bool
input_order_psi_try(const struct inference *f, const txn_id *order, uint32_t n,
                    struct certificate *out)
{
    const struct dependencies *p = f->p;
    assert(p->one_rw && !p->two_points);
    if (p->n_txns != p->n_certain || history_has_orders(p->h))
        return false;
    struct input_order_psi x = {.f = f, .p = p};
    x.order = mem_alloc(p->n_txns, sizeof *x.order);
    x.rank = mem_alloc(p->n_txns, sizeof *x.rank);
    bool ok = take_order(&x, order, n);
    if (ok) {
        x.now = mem_alloc(p->h->n_keys, sizeof *x.now);
        depend_begin(p, x.now);
        x.last = alloc_none(p->h->n_values);
        x.next = alloc_none(p->n_versions);
        x.chosen = alloc_none(p->n_reads);
        chains_copy(&x.g, &p->g);
        ok = run_all(&x) && check_stale(&x);
        if (ok)
            conclude(&x, out);
        chains_free(&x.g);
    }
    mem_free(x.order);
    mem_free(x.rank);
    mem_free(x.now);
    mem_free(x.last);
    mem_free(x.next);
    mem_free(x.chosen);
    return ok;
}
