/* test_triangles.c -- histories made from graphs.
 *
 * The lower bounds of "AWDIT: An Optimal Weak Database Isolation Tester" turn a
 * graph into a history that satisfies a level exactly when the graph has no
 * triangle.  Node a becomes a transaction that writes key a, once for a itself,
 * and the keys of its neighbours; and one that reads the keys of its
 * neighbours, each from the neighbour itself:
 *
 *     every   for rc, ra and cc, each transaction in a session of its own: the
 *             assignment one first reads a key per neighbour that only the
 *             neighbour's transaction writes;
 *     one     for rc, the same in one session, the writing ones first;
 *     two     for ra, without those keys, in two sessions.
 *
 * SPDX-License-Identifier: MIT */
#include "test.h"

#include "base/random.h"
#include "history/builder/builder.h"
#include "verify/verify.h"
#include "weak/weak.h"

enum { NODES = 24 };

enum sessions { EVERY, ONE, TWO };

struct graph {
    uint32_t n;
    bool edge[NODES][NODES];
};

static bool
has_triangle(const struct graph *g)
{
    for (uint32_t a = 0; a < g->n; a++)
        for (uint32_t b = 0; b < a; b++)
            for (uint32_t c = 0; c < b; c++)
                if (g->edge[a][b] && g->edge[b][c] && g->edge[a][c])
                    return true;
    return false;
}

/* Key a, and the key that only a writes and only b reads. */
static struct atom
own_key(uint32_t a)
{
    return atom_int((int64_t)a);
}

static struct atom
private_key(uint32_t a, uint32_t b)
{
    return atom_int((int64_t)(NODES * (a + 1) + b));
}

static txn_id
begin(struct builder *b, enum sessions sessions, uint32_t number, bool reads)
{
    const uint32_t s = sessions == EVERY ? number : sessions == TWO && reads;
    txn_id t = TXN_NONE;
    struct err err = {0};
    CHECK(builder_txn(b, builder_session(b, atom_int((int64_t)s)), &t, &err));
    return t;
}

static void
make(const struct graph *g, enum sessions sessions, struct history *h)
{
    struct builder *b = builder_new(atom_nil());
    struct err err = {0};
    bool fine = true;
    for (uint32_t a = 0; a < g->n; a++) {
        const txn_id t = begin(b, sessions, a, false);
        const struct atom value = atom_int((int64_t)a + 1);
        fine &= builder_write(b, t, own_key(a), value, &err);
        for (uint32_t c = 0; c < g->n; c++)
            if (g->edge[a][c]) {
                fine &= builder_write(b, t, own_key(c), value, &err);
                if (sessions != TWO)
                    fine &= builder_write(b, t, private_key(a, c), value, &err);
            }
    }
    for (uint32_t a = 0; a < g->n; a++) {
        const txn_id t = begin(b, sessions, g->n + a, true);
        for (uint32_t c = 0; c < g->n && sessions != TWO; c++)
            if (g->edge[c][a])
                fine &= builder_read(b, t, private_key(c, a),
                                     atom_int((int64_t)c + 1), &err);
        for (uint32_t c = 0; c < g->n; c++)
            if (g->edge[c][a])
                fine &= builder_read(b, t, own_key(c), atom_int((int64_t)c + 1),
                                     &err);
    }
    CHECK(fine && builder_finish(b, h, &err));
}

/* Whether the history of g satisfies the level, with a sound certificate. */
static bool
holds(const struct graph *g, enum sessions sessions, enum level level)
{
    struct history h;
    struct certificate out[LEVELS];
    struct weak_stats stats;
    struct err err = {0};
    make(g, sessions, &h);
    weak_check(&h, 1u << level, &(struct weak_options){.threads = 1}, out,
               &stats);
    CHECK(verify_certificate(&h, &out[level], &err));
    const bool ok = out[level].verdict == VERDICT_OK;
    certificate_free(&out[level]);
    history_free(&h);
    return ok;
}

static void
draw(struct random *r, uint32_t percent, struct graph *g)
{
    *g = (struct graph){.n = 3 + (uint32_t)random_below(r, NODES - 2)};
    for (uint32_t a = 0; a < g->n; a++)
        for (uint32_t b = 0; b < a; b++)
            g->edge[a][b] = g->edge[b][a] = random_below(r, 100) < percent;
}

static void
check_graphs(enum sessions sessions, const enum level *levels, size_t n)
{
    struct random r;
    random_seed(&r, 7);
    uint32_t with = 0, without = 0;
    for (uint32_t i = 0; i < 400; i++) {
        struct graph g;
        draw(&r, 2 + i % 20, &g);
        const bool triangle = has_triangle(&g);
        with += triangle;
        without += !triangle;
        for (size_t l = 0; l < n; l++)
            CHECK(holds(&g, sessions, levels[l]) == !triangle);
    }
    CHECK(with > 50 && without > 50);
}

static void
a_triangle_violates_every_weak_level(void)
{
    check_graphs(EVERY, (enum level[]){LEVEL_RC, LEVEL_RA, LEVEL_CC}, 3);
}

static void
a_triangle_violates_read_committed_in_one_session(void)
{
    check_graphs(ONE, (enum level[]){LEVEL_RC}, 1);
}

static void
a_triangle_violates_read_atomic_in_two_sessions(void)
{
    check_graphs(TWO, (enum level[]){LEVEL_RA}, 1);
}

static void
a_large_bipartite_graph_satisfies_every_level(void)
{
    struct graph g = {.n = NODES};
    for (uint32_t a = 0; a < NODES; a++)
        for (uint32_t b = 0; b < NODES; b++)
            g.edge[a][b] = a % 2 != b % 2;
    CHECK(holds(&g, EVERY, LEVEL_CC));
    CHECK(holds(&g, ONE, LEVEL_RC));
    CHECK(holds(&g, TWO, LEVEL_RA));
    g.edge[0][2] = g.edge[2][0] = true;
    CHECK(!holds(&g, EVERY, LEVEL_RC));
    CHECK(!holds(&g, ONE, LEVEL_RC));
    CHECK(!holds(&g, TWO, LEVEL_RA));
}

int
main(void)
{
    RUN(a_triangle_violates_every_weak_level);
    RUN(a_triangle_violates_read_committed_in_one_session);
    RUN(a_triangle_violates_read_atomic_in_two_sessions);
    RUN(a_large_bipartite_graph_satisfies_every_level);
    return test_end();
}
