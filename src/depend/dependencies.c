/* dependencies.c -- see dependencies.h.
 *
 * Versions come first, then reads, which point to versions, then the edges,
 * which follow from both.  All passes are linear.
 *
 * SPDX-License-Identifier: MIT */
#include "depend/dependencies.h"

#include "base/container/sorted.h"
#include "base/paranoid.h"
#include "depend/known_edges.h"
#include "depend/reads.h"
#include "depend/versions.h"

enum { FEW_WRITES = 16 }; // of a transaction, that are looked at one by one

static void
number_txns(struct dependencies *d)
{
    const struct history *h = d->h;
    d->name = mem_alloc(h->n_txns, sizeof *d->name);
    for (txn_id t = 0; t < h->n_txns; t++)
        if (h->txn_counts[t] == TXN_COUNTS)
            d->name[d->n_txns++] = t;
    d->n_certain = d->n_txns;
    if (!h->n_optional)
        return;
    for (txn_id t = 0; t < h->n_txns; t++)
        if (h->txn_counts[t] == TXN_MAY_COUNT)
            d->name[d->n_txns++] = t;
    assert(d->n_txns - d->n_certain == h->n_optional);
    d->dense = mem_alloc(h->n_txns, sizeof *d->dense);
    memset(d->dense, 0xff, h->n_txns * sizeof *d->dense); // DENSE_INIT
    for (dense_id t = 0; t < d->n_txns; t++)
        d->dense[d->name[t]] = t;
    d->optional = mem_calloc(h->n_optional, sizeof *d->optional);
}

dense_id
depend_follower(const struct dependencies *d, dense_id t, dense_id last)
{
    assert(t >= d->n_certain && t < d->n_txns);
    if (last != DENSE_INIT && last < d->n_certain)
        return DENSE_INIT;
    const struct history *h = d->h;
    const txn_id end = h->session_first[h->txn_session[d->name[t]] + 1];
    txn_id next = d->name[last == DENSE_INIT ? t : last] + 1;
    while (next < end && d->dense[next] == DENSE_INIT)
        next++;
    return next < end ? d->dense[next] : DENSE_INIT;
}

version_id
depend_find_written(const struct dependencies *d, key_id k, dense_id t)
{
    assert(k < d->h->n_keys && t < d->n_txns);
    const version_id first = d->write_first[t], end = d->write_first[t + 1];
    if (end - first <= FEW_WRITES) {
        for (version_id v = first; v < end; v++)
            if (d->version_key[v] == k)
                return v;
        return VERSION_NONE;
    }
    uint32_t low = d->key_first[k];
    LOWER_BOUND(low, d->key_first[k + 1], middle,
                d->key_version[middle] < first);
    return low < d->key_first[k + 1] && d->key_version[low] < end
               ? d->key_version[low]
               : VERSION_NONE;
}

bool
depend_writes(const struct dependencies *d, dense_id t, key_id k)
{
    return depend_find_written(d, k, t) != VERSION_NONE;
}

version_id
depend_find_version(const struct dependencies *d, key_id k, dense_id t)
{
    if (t == DENSE_INIT)
        return version_of_init(d, k);
    assert(depend_writes(d, t, k));
    return depend_find_written(d, k, t);
}

uint32_t
depend_skip_chain(const struct dependencies *d, key_id k, uint32_t i,
                  uint32_t chain)
{
    const uint32_t end = d->key_first[k + 1];
    const uint32_t point = d->g.first[chain + 1];
    const version_id bound =
        d->write_first[point < depend_txn_points(d) ? point_txn(d, point)
                                                    : d->n_txns];
    uint32_t step = 1; // doubled until it is too far: a session has few or many
    while (i < end && d->key_version[i] < bound) {
        i += step;
        step *= 2;
    }
    if (step == 1)
        return i;
    uint32_t low = i - step / 2 + 1;
    LOWER_BOUND(low, i < end ? i : end, middle, d->key_version[middle] < bound);
    return low;
}

void
depend_begin(const struct dependencies *d, version_id *now)
{
    for (key_id k = 0; k < d->h->n_keys; k++)
        now[k] = version_of_init(d, k);
}

void
depend_fix(struct dependencies *d, read_id r, version_id v)
{
    assert(r < d->n_reads && v < d->n_versions);
    assert(d->read_version[r] == VERSION_NONE);
    d->read_version[r] = v;
    d->next_reader[r] = d->reader[v];
    d->reader[v] = r;
}

void
depend_arrange(const struct dependencies *d, const uint32_t *order,
               version_id *sorted)
{
    const uint32_t n_keys = d->h->n_keys;
    uint32_t *next = mem_alloc(n_keys, sizeof *next);
    for (key_id k = 0; k < n_keys; k++) {
        sorted[d->key_first[k]] = version_of_init(d, k);
        next[k] = d->key_first[k] + 1;
    }
    // Walk the order and append each commit's versions to those of their keys.
    const uint32_t points = depend_txn_points(d);
    for (uint32_t i = 0; i < d->g.n; i++) {
        const uint32_t point = order[i];
        if (point >= points || (d->two_points && point % 2 == 0))
            continue;
        const dense_id t = point_txn(d, point);
        for (version_id v = d->write_first[t]; v < d->write_first[t + 1]; v++)
            sorted[next[d->version_key[v]]++] = v;
    }
    mem_free(next);
}

void
depend_add_choice(const struct dependencies *d, read_id r, version_id v,
                  struct certificate *out)
{
    assert(r < d->n_reads && v < d->n_versions);
    const struct history *h = d->h;
    const op_id first = d->read_op[r];
    const value_id value = h->op_value[first];
    if (!history_has_several(h, value))
        return;
    const txn_id writer =
        version_is_init(d, v) ? TXN_INIT : d->name[d->version_txn[v]];
    for (op_id op = first; op < h->txn_end[d->name[d->read_txn[r]]]; op++)
        if (op_is_external_read(h, op) && h->op_value[op] == value)
            vec_push(&out->choices, ((struct choice){op, writer}));
}

void
depend_add_edge(struct dependencies *d, uint32_t from, uint32_t to,
                struct label label)
{
    assert(d->labels.n == d->g.edges.n); // (D2)
    chains_add(&d->g, from, to);
    vec_push(&d->labels, label);
}

/* --- the whole -------------------------------------------------------------*/

/* Take the columns of the level's row. */
static void
take_level(struct dependencies *d, enum level l)
{
    const struct level_info *row = &level_table[l];
    assert(level_is_strong(l));
    // Edges rely on where so, wr and rw are placed; only the placement of ww
    // differs between levels.
    assert(!row->two_points || (row->place[DEPENDS_SEES].from == POINT_COMMIT &&
                                row->place[DEPENDS_SEES].to == POINT_START &&
                                row->place[DEPENDS_RW].from == POINT_START &&
                                row->place[DEPENDS_RW].to == POINT_COMMIT &&
                                row->place[DEPENDS_WW].from == POINT_COMMIT));
    d->level = l;
    d->two_points = row->two_points;
    d->separates_writers = level_separates_writers(l);
    d->ww_to_commit = row->two_points && !d->separates_writers;
    d->one_rw = row->one_rw;
    d->strict = row->needs_times;
}

void
dependencies_init(struct dependencies *d, const struct history *h, enum level l,
                  uint64_t most_init)
{
    *d = (struct dependencies){.h = h};
    take_level(d, l);
    number_txns(d);
    versions_init(d);
    reads_init(d);
    known_edges_build(d, most_init);
    d->base_edges = (uint32_t)d->g.edges.n;
    PARANOID(dependencies_check(d));
}

void
dependencies_free(struct dependencies *d)
{
    mem_free(d->name);
    mem_free(d->dense);
    mem_free(d->optional);
    vec_free(&d->removed);
    versions_free(d);
    reads_free(d);
    chains_free(&d->g);
    vec_free(&d->labels);
    *d = (struct dependencies){0};
}

/* --- checks ----------------------------------------------------------------*/

static void
check_versions(const struct dependencies *d)
{
    const struct history *h = d->h;
    ENSURE(d->key_first[0] == 0 && d->key_first[h->n_keys] == d->n_versions);
    for (key_id k = 0; k < h->n_keys; k++) {
        const uint32_t first = d->key_first[k];
        ENSURE(d->key_version[first] == version_of_init(d, k));
        ENSURE(d->version_txn[version_of_init(d, k)] == DENSE_INIT);
        for (uint32_t i = first; i < d->key_first[k + 1]; i++)
            ENSURE(d->version_key[d->key_version[i]] == k &&
                   (i == first || d->key_version[i - 1] < d->key_version[i]));
    }
    ENSURE(d->write_first[0] == h->n_keys &&
           d->write_first[d->n_txns] == d->n_versions);
    for (dense_id t = 0; t < d->n_txns; t++)
        for (version_id v = d->write_first[t]; v < d->write_first[t + 1]; v++)
            ENSURE(d->version_txn[v] == t);
}

static void
check_reads(const struct dependencies *d)
{
    const struct history *h = d->h;
    for (dense_id t = 0; t < d->n_txns; t++)
        for (read_id r = d->read_first[t]; r < d->read_first[t + 1]; r++) {
            const txn_id name = d->name[t];
            ENSURE(d->read_txn[r] == t);
            ENSURE(h->txn_begin[name] <= d->read_op[r] &&
                   d->read_op[r] < h->txn_end[name]);
            ENSURE(op_is_external_read(h, d->read_op[r]));
        }
    size_t n_open = 0;
    for (read_id r = 0; r < d->n_reads; r++) {
        const version_id v = d->read_version[r];
        n_open += v == VERSION_NONE;
        if (v == VERSION_NONE)
            continue;
        ENSURE(d->version_key[v] == read_key(d, r));
        ENSURE(d->version_txn[v] != d->read_txn[r]);
        read_id other = d->reader[v];
        while (other != r && other != READ_NONE)
            other = d->next_reader[other];
        ENSURE(other == r);
    }
    ENSURE(n_open == d->ambiguous.n);
}

static void
check_candidates(const struct dependencies *d)
{
    for (size_t i = 0; i < d->ambiguous.n; i++) {
        const struct candidates c = d->ambiguous.at[i];
        ENSURE(c.n && c.first + c.n <= d->pool.items.n);
        ENSURE(d->read_version[c.read] == VERSION_NONE);
        ENSURE(!i ||
               read_key(d, d->ambiguous.at[i - 1].read) <= read_key(d, c.read));
        for (uint32_t j = 0; j < c.n; j++) {
            const version_id v = d->pool.items.at[c.first + j];
            ENSURE(d->version_key[v] == read_key(d, c.read));
            ENSURE(version_serves(d, v, c.read));
        }
    }
}

void
dependencies_check(const struct dependencies *d)
{
    ENSURE(d->n_certain <= d->n_txns && d->n_txns <= d->h->n_txns);
    check_versions(d);
    if (d->n_reads <= 64 * PARANOID_SIZE)
        check_reads(d);
    check_candidates(d);
    ENSURE(d->labels.n == d->g.edges.n); // (D2)
    for (size_t i = 0; i < d->labels.n; i++) {
        const struct label label = d->labels.at[i];
        ENSURE(d->g.edges.at[i].from != d->g.edges.at[i].to);
        ENSURE((label.kind != EDGE_WR && label.kind != EDGE_RW) ||
               d->read_version[label.read] == label.version);
    }
}
