/* choice_lists.c -- in which order a list grew.
 *
 * All lists that counting transactions read of a key are beginnings of the
 * longest one.  That one is cut into runs: each is everything that one counting
 * transaction appended to the key, in program order.  Only its own reader may
 * see a transaction in part, at the end.  Every read ends between two runs, but
 * for the elements of its own transaction, which begin there.
 *
 * A version of a row that names the one before it is known to follow that one.
 *
 * SPDX-License-Identifier: MIT */
#include "choice.h"

struct growth {
    struct choice_state *c;
    bool (*then)(struct choice_state *);
    uint32_t key;
    const int64_t *items; // the longest list
    uint32_t n;
    uint32_t run[VIEW_TXNS], at[VIEW_TXNS]; // whose, and where it begins
    uint32_t n_runs;
    bool in_part; // the last run is not complete
};

static bool next_key(struct choice_state *c,
                     bool (*then)(struct choice_state *), uint32_t key);

/* The run that begins or, with 'ends', ends at a place; ID_NONE: no run. */
static uint32_t
run_at(const struct growth *g, uint32_t at, bool ends)
{
    for (uint32_t i = 0; i < g->n_runs; i++) {
        const bool last = i + 1 == g->n_runs;
        const uint32_t end = last ? g->n : g->at[i + 1];
        if (ends ? end == at && !(last && g->in_part) : g->at[i] == at)
            return g->run[i];
    }
    return ID_NONE;
}

static uint32_t
place_of(const struct growth *g, uint32_t t)
{
    for (uint32_t i = 0; i < g->n_runs; i++)
        if (g->run[i] == t)
            return g->at[i];
    return ID_NONE;
}

/* Give the reads of the key their writers; false where one cannot be. */
static bool
serve_reads(struct growth *g)
{
    struct choice_state *c = g->c;
    for (uint32_t i = 0; i < c->n_reads; i++) {
        const struct view_read *r = choice_read(c, i);
        if (r->key != g->key)
            continue;
        c->writer[i] = r->n ? run_at(g, r->n, true) : VIEW_INIT;
        if (c->writer[i] == ID_NONE)
            return false;
        if (r->own && run_at(g, r->n, false) != r->txn)
            return false;
        if (place_of(g, r->txn) < r->n) // it would see itself
            return false;
    }
    return true;
}

/* Those seen in their order, and before those not seen. */
static void
order_versions(struct growth *g)
{
    uint64_t *later = g->c->later[g->key];
    uint64_t after = 0;
    memset(later, 0, VIEW_TXNS * sizeof *later);
    if (!g->n_runs)
        return;
    for (uint32_t t = 0; t < g->c->v->txns.n; t++)
        if (choice_counts(g->c, t) && view_writes(g->c->v, t, g->key) &&
            place_of(g, t) == ID_NONE)
            after |= UINT64_C(1) << t;
    for (uint32_t i = g->n_runs; i-- > 0;) {
        later[g->run[i]] = after;
        after |= UINT64_C(1) << g->run[i];
    }
}

/* Whether t may be the next run, at 'at'. */
static bool
fits(const struct growth *g, uint32_t t, uint32_t at)
{
    if (!choice_counts(g->c, t) || place_of(g, t) != ID_NONE)
        return false;
    uint32_t n;
    const int64_t *own = view_appended(g->c->v, t, g->key, &n);
    for (uint32_t i = 0; i < n && at + i < g->n; i++)
        if (own[i] != g->items[at + i])
            return false;
    return n > 0;
}

static bool
grow(struct growth *g, uint32_t at)
{
    struct choice_state *c = g->c;
    if (c->steps-- <= 0)
        return false;
    if (at >= g->n) {
        g->in_part = at > g->n;
        if (!serve_reads(g))
            return false;
        order_versions(g);
        return next_key(c, g->then, g->key + 1);
    }
    for (uint32_t t = 0; t < c->v->txns.n; t++) {
        if (!fits(g, t, at))
            continue;
        uint32_t n;
        view_appended(c->v, t, g->key, &n);
        g->run[g->n_runs] = t;
        g->at[g->n_runs++] = at;
        const bool ok = grow(g, at + n);
        g->n_runs--;
        if (ok)
            return true;
    }
    return false;
}

/* Those whose versions of a row are named come before those that name them. */
static void
order_rows(struct choice_state *c, uint32_t key)
{
    memset(c->later[key], 0, sizeof c->later[key]);
    for (size_t i = 0; i < c->v->links.n; i++) {
        const struct view_link *link = &c->v->links.at[i];
        if (link->key == key && choice_counts(c, link->after) &&
            link->before < VIEW_TXNS)
            c->later[key][link->before] |= UINT64_C(1) << link->after;
    }
}

static bool
next_key(struct choice_state *c, bool (*then)(struct choice_state *),
         uint32_t key)
{
    bool read = false;
    struct growth g = {.c = c, .then = then, .key = key};
    for (; key < c->v->n_keys && !read; key += !read) {
        g.key = key;
        order_rows(c, key);
        for (uint32_t i = 0; i < c->n_reads; i++) {
            const struct view_read *r = choice_read(c, i);
            if (r->key != key || !r->is_list)
                continue;
            read = true;
            if (r->n + r->own > g.n) {
                g.n = r->n + r->own;
                g.items = r->items;
            }
        }
    }
    if (!read)
        return then(c);
    for (uint32_t i = 0; i < c->n_reads; i++) {
        const struct view_read *r = choice_read(c, i);
        for (uint32_t j = 0; r->key == g.key && j < r->n + r->own; j++)
            if (r->items[j] != g.items[j])
                return false; // no beginning of the longest
    }
    return grow(&g, 0);
}

bool
choice_lists(struct choice_state *c, bool (*then)(struct choice_state *))
{
    return next_key(c, then, 0);
}
