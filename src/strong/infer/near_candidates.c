/* near_candidates.c -- see near_candidates.h.
 *
 * With the versions of a key in the order of their times, those that a read may
 * have seen are neighbours.  The last of them may have been written before the
 * read.  The first may have been written after the last one that certainly was
 * before the read.
 *
 * SPDX-License-Identifier: MIT */
#include "strong/infer/near_candidates.h"

#include "base/container/sorted.h"
#include "depend/init_edges.h"

struct dated_version {
    uint64_t time; // of its writer
    version_id version;
};

struct near_candidates {
    struct dependencies *p;
    const uint32_t *time;
    uint64_t twice;              // the margin: of a writer and of a reader
    struct dated_version *dated; // by key, then by time; without INIT's
    u32_vec near;                // of the present read, in ascending order
};

/* The versions of key k but for INIT's are dated[first_dated(k) ..
 * first_dated(k + 1)). */
static uint32_t
first_dated(const struct dependencies *p, key_id k)
{
    return p->key_first[k] - k;
}

static void
date_versions(struct near_candidates *c)
{
    const struct dependencies *p = c->p;
    const struct history *h = p->h;
    dense_id *at = mem_alloc(h->n_txns, sizeof *at); // by time
    uint32_t *next = mem_alloc(h->n_keys, sizeof *next);
    memset(at, 0xff, h->n_txns * sizeof *at); // DENSE_INIT: none
    for (dense_id t = 0; t < p->n_txns; t++) {
        assert(c->time[p->name[t]] < h->n_txns);
        at[c->time[p->name[t]]] = t;
    }
    for (key_id k = 0; k < h->n_keys; k++)
        next[k] = first_dated(p, k);
    for (uint32_t i = 0; i < h->n_txns; i++) {
        if (at[i] == DENSE_INIT)
            continue;
        for (version_id v = p->write_first[at[i]];
             v < p->write_first[at[i] + 1]; v++)
            c->dated[next[p->version_key[v]]++] = (struct dated_version){i, v};
    }
    mem_free(next);
    mem_free(at);
}

static void
add_near(struct near_candidates *c, version_id v)
{
    vec_push(&c->near, v);
    for (size_t i = c->near.n - 1; i && c->near.at[i - 1] > v; i--) {
        c->near.at[i] = c->near.at[i - 1];
        c->near.at[i - 1] = v;
    }
}

/* Collect the versions that the read r may have seen. */
static void
find_near(struct near_candidates *c, read_id r)
{
    const struct dependencies *p = c->p;
    const key_id k = read_key(p, r);
    const dense_id t = p->read_txn[r];
    const uint64_t x = c->time[p->name[t]];
    const uint32_t first = first_dated(p, k), end = first_dated(p, k + 1);
    uint32_t low = first, now;
    vec_clear(&c->near);
    LOWER_BOUND(low, end, middle, c->dated[middle].time + c->twice < x);
    for (now = low; now < end && c->dated[now].time <= x + c->twice; now++) {
        const version_id v = c->dated[now].version;
        if (p->version_txn[v] != t && version_serves(p, v, r))
            add_near(c, v);
    }
    bool overwritten = false;
    uint64_t by = 0; // the time of the last writer before r that counts
    for (now = low; now > first; now--) {
        const struct dated_version before = c->dated[now - 1];
        if (overwritten && before.time + c->twice < by)
            break;
        if (!overwritten && p->version_txn[before.version] < p->n_certain) {
            overwritten = true;
            by = before.time;
        }
        if (version_serves(p, before.version, r))
            add_near(c, before.version);
    }
    if (!overwritten && version_serves(p, version_of_init(p, k), r))
        add_near(c, version_of_init(p, k));
}

static void
decide_read(struct dependencies *p, read_id r, version_id v)
{
    depend_fix(p, r, v);
    if (version_is_init(p, v))
        init_edges_add(p, r);
    else
        depend_add_edge(p, point_commit(p, p->version_txn[v]),
                        point_start(p, p->read_txn[r]),
                        (struct label){EDGE_WR, r, v});
}

void
near_candidates_keep(struct dependencies *p, const uint32_t *time,
                     uint32_t margin)
{
    struct near_candidates c = {
        .p = p, .time = time, .twice = 2 * (uint64_t)margin};
    c.dated = mem_alloc(p->n_versions, sizeof *c.dated);
    date_versions(&c);
    size_t kept = 0;
    for (size_t i = 0; i < p->ambiguous.n; i++) {
        struct candidates all = p->ambiguous.at[i];
        find_near(&c, all.read);
        if (c.near.n == 1 && p->n_txns == p->n_certain) {
            decide_read(p, all.read, c.near.at[0]);
            continue;
        }
        if (c.near.n && c.near.n < all.n) {
            candidates_truncate(&p->pool, &all, 0);
            for (size_t j = 0; j < c.near.n; j++)
                candidates_append(&p->pool, &all, c.near.at[j]);
        }
        p->ambiguous.at[kept++] = all;
    }
    p->ambiguous.n = kept;
    chains_freeze(&p->g);
    vec_free(&c.near);
    mem_free(c.dated);
}
