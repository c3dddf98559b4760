/* moved_check.c -- see moved_check.h.
 *
 * First the versions of each key are sorted again.  Those that have not moved
 * are in order among themselves.  Those that moved up are taken from the last
 * to the first, and each passes the versions after it that are below it; then
 * those that moved down, from the first to the last, pass the versions before
 * them that are above them.  Whatever moved down and is still out of place
 * keeps no other version from its place, since it has to go further down.
 *
 * Then everything is looked at that can have changed.  A read is broken if the
 * version after its own is committed before its start.  So something new is
 * broken only where the reader has moved, or its version, or the version after
 * it, and this one may have come there.  If instead the version after it went
 * away, the next one is later still.  What was broken before is looked at
 * again.  The same holds for neighbours whose writers overlap.
 *
 * SPDX-License-Identifier: MIT */
#include "strong/order/moved_check.h"

#include "base/paranoid.h"

#include <stdlib.h>

/* Something broken, with the rank of the point where a run would notice it. */
struct noticed {
    uint32_t rank;
    struct broken what;
};

struct moved_check {
    struct order_check *a;
    const struct dependencies *p;
    const uint32_t *rank;
    VEC(struct noticed) found;
};

bool
moved_check_suits(const struct order_check *a)
{
    return !a->counting && !a->p->ambiguous.n;
}

/* --- versions in order ---------------------------------------------------- */

static uint32_t
commit_rank(const struct moved_check *m, uint32_t place)
{
    return m->rank[point_commit(m->p, m->p->version_txn[m->a->sorted[place]])];
}

static void
put(const struct moved_check *m, version_id v, uint32_t place)
{
    m->a->sorted[place] = v;
    m->a->place[v] = place;
}

static void
pass_up(const struct moved_check *m, version_id v)
{
    const uint32_t end = m->p->key_first[m->p->version_key[v] + 1];
    uint32_t i = m->a->place[v];
    const uint32_t own = commit_rank(m, i);
    for (; i + 1 < end && commit_rank(m, i + 1) < own; i++)
        put(m, m->a->sorted[i + 1], i);
    put(m, v, i);
}

static void
pass_down(const struct moved_check *m, version_id v)
{
    const uint32_t first = m->p->key_first[m->p->version_key[v]] + 1;
    uint32_t i = m->a->place[v];
    const uint32_t own = commit_rank(m, i);
    for (; i > first && commit_rank(m, i - 1) > own; i--)
        put(m, m->a->sorted[i - 1], i);
    put(m, v, i);
}

static int
compare_moved(const void *a, const void *b)
{
    const struct moved_point *x = a, *y = b;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* The transaction that commits with a point, or DENSE_INIT. */
static dense_id
committing(const struct dependencies *p, uint32_t point)
{
    if (point >= depend_txn_points(p))
        return DENSE_INIT;
    const dense_id t = point_txn(p, point);
    return point == point_commit(p, t) ? t : DENSE_INIT;
}

/* Sort the versions of those that moved, which are sorted by where they were.
 */
static void
sort_versions(const struct moved_check *m, const struct moved_point *at,
              size_t n)
{
    const struct dependencies *p = m->p;
    for (size_t i = n; i--;) {
        const dense_id t = committing(p, at[i].point);
        if (t != DENSE_INIT && m->rank[at[i].point] > at[i].rank)
            for (version_id v = p->write_first[t]; v < p->write_first[t + 1];
                 v++)
                pass_up(m, v);
    }
    for (size_t i = 0; i < n; i++) {
        const dense_id t = committing(p, at[i].point);
        if (t != DENSE_INIT && m->rank[at[i].point] < at[i].rank)
            for (version_id v = p->write_first[t]; v < p->write_first[t + 1];
                 v++)
                pass_down(m, v);
    }
}

/* --- what is broken ------------------------------------------------------- */

static void
check_read(struct moved_check *m, read_id r)
{
    const struct dependencies *p = m->p;
    const version_id v = p->read_version[r];
    const uint32_t next = m->a->place[v] + 1;
    const uint32_t start = m->rank[point_start(p, p->read_txn[r])];
    if (next < p->key_first[p->version_key[v] + 1] &&
        commit_rank(m, next) < start)
        vec_push(&m->found,
                 ((struct noticed){start, {r, v, m->a->sorted[next]}}));
}

/* Check the readers of a version, and its writer against the next one. */
static void
check_version(struct moved_check *m, version_id v)
{
    const struct dependencies *p = m->p;
    const uint32_t place = m->a->place[v];
    assert(m->a->sorted[place] == v);
    if (place + 1 == p->key_first[p->version_key[v] + 1])
        return;
    const version_id next = m->a->sorted[place + 1];
    const dense_id t = p->version_txn[next];
    const uint32_t commit = m->rank[point_commit(p, t)];
    for (read_id r = p->reader[v]; r != READ_NONE; r = p->next_reader[r]) {
        const uint32_t start = m->rank[point_start(p, p->read_txn[r])];
        if (commit < start)
            vec_push(&m->found, ((struct noticed){start, {r, v, next}}));
    }
    if (p->separates_writers && !version_is_init(p, v) &&
        m->rank[point_start(p, t)] < commit_rank(m, place))
        vec_push(&m->found, ((struct noticed){commit, {READ_NONE, v, next}}));
}

static void
check_with_previous(struct moved_check *m, version_id v)
{
    check_version(m, m->a->sorted[m->a->place[v] - 1]);
    check_version(m, v);
}

static void
check_moved(struct moved_check *m, dense_id t)
{
    const struct dependencies *p = m->p;
    for (read_id r = p->read_first[t]; r < p->read_first[t + 1]; r++)
        check_read(m, r);
    for (version_id v = p->write_first[t]; v < p->write_first[t + 1]; v++)
        check_with_previous(m, v);
}

static void
check_broken(struct moved_check *m, const struct broken *b)
{
    if (b->read != READ_NONE) {
        check_read(m, b->read);
    } else {
        check_version(m, b->first);
        check_with_previous(m, b->second);
    }
}

static int
compare_noticed(const void *a, const void *b)
{
    const struct noticed *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->what.read != y->what.read)
        return x->what.read < y->what.read ? -1 : 1;
    return x->what.second < y->what.second ? -1
                                           : x->what.second > y->what.second;
}

/* Once each, in the order in which a run would notice them. */
static void
put_broken(struct moved_check *m, broken_vec *broken)
{
    vec_clear(broken);
    if (m->found.n)
        qsort(m->found.at, m->found.n, sizeof *m->found.at, compare_noticed);
    for (size_t i = 0; i < m->found.n; i++)
        if (!i || compare_noticed(&m->found.at[i - 1], &m->found.at[i]))
            vec_push(broken, m->found.at[i].what);
}

/* --- the whole ------------------------------------------------------------ */

void
moved_check_compare(const struct order_check *a, const struct order *o,
                    const broken_vec *broken)
{
    if (o->g->n > PARANOID_SIZE)
        return;
    struct order_check other;
    broken_vec all = {0};
    order_check_init(&other, a->p);
    order_check_all(&other, o->at, o->rank, &all);
    ENSURE(all.n == broken->n);
    for (size_t i = 0; i < all.n; i++)
        ENSURE(all.at[i].read == broken->at[i].read &&
               all.at[i].first == broken->at[i].first &&
               all.at[i].second == broken->at[i].second);
    for (uint32_t i = 0; i < a->p->n_versions; i++)
        ENSURE(a->sorted[i] == other.sorted[i] && a->place[a->sorted[i]] == i);
    order_check_free(&other);
    vec_free(&all);
}

void
moved_check(struct order_check *a, struct order *o, broken_vec *broken)
{
    const struct dependencies *p = a->p;
    struct moved_check m = {.a = a, .p = p, .rank = o->rank};
    assert(moved_check_suits(a));
    if (o->moved.n)
        qsort(o->moved.at, o->moved.n, sizeof *o->moved.at, compare_moved);
    sort_versions(&m, o->moved.at, o->moved.n);
    for (size_t i = 0; i < o->moved.n; i++)
        if (o->moved.at[i].point < depend_txn_points(p))
            check_moved(&m, point_txn(p, o->moved.at[i].point));
    for (size_t i = 0; i < broken->n; i++)
        check_broken(&m, &broken->at[i]);
    put_broken(&m, broken);
    vec_free(&m.found);
    PARANOID(moved_check_compare(a, o, broken));
}
