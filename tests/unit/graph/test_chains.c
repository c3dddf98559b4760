/* test_chains.c -- sorting, dynamic order, clocks and paths against a closure
 * by squaring, on random graphs of chains; so are horizons.
 *
 * SPDX-License-Identifier: MIT */
#include "graph/clock.h"
#include "graph/horizon.h"
#include "graph/order.h"
#include "graph/rank_heap.h"

#include "base/random.h"
#include "test.h"

enum { CHAINS = 4, LENGTH = 4, POINTS = CHAINS * LENGTH };

struct closure {
    bool reach[POINTS][POINTS]; // by at least one hop
    bool cyclic;
};

static struct closure
close_graph(const struct chains *g, size_t edges)
{
    struct closure c = {0};
    for (uint32_t p = 0; p < g->n; p++)
        if (chains_has_next(g, p))
            c.reach[p][p + 1] = true;
    for (size_t e = 0; e < edges; e++)
        c.reach[g->edges.at[e].from][g->edges.at[e].to] = true;
    for (uint32_t k = 0; k < g->n; k++)
        for (uint32_t i = 0; i < g->n; i++)
            for (uint32_t j = 0; j < g->n; j++)
                c.reach[i][j] |= c.reach[i][k] && c.reach[k][j];
    for (uint32_t i = 0; i < g->n; i++)
        c.cyclic |= c.reach[i][i];
    return c;
}

static void
random_chains(struct random *r, struct chains *g)
{
    uint32_t lengths[CHAINS];
    const uint32_t n = 1 + (uint32_t)random_below(r, CHAINS);
    for (uint32_t i = 0; i < n; i++)
        lengths[i] = (uint32_t)random_below(r, LENGTH + 1);
    lengths[0] += lengths[0] < 2 ? 2 : 0;
    chains_init(g, lengths, n);
}

static void
random_ends(struct random *r, const struct chains *g, uint32_t *u, uint32_t *v)
{
    *u = (uint32_t)random_below(r, g->n);
    *v = (*u + 1 + (uint32_t)random_below(r, g->n - 1)) % g->n;
}

/* Whether the hops lead from u to v over chains and edges below 'limit'. */
static bool
is_path(const struct chains *g, const hop_vec *path, uint32_t u, uint32_t v,
        uint32_t limit)
{
    for (size_t i = 0; i < path->n; i++) {
        const struct hop h = path->at[i];
        if (h.from != u)
            return false;
        if (h.edge == EDGE_NONE
                ? h.to <= h.from || g->seat[h.to].chain != g->seat[h.from].chain
                : h.edge >= limit || g->edges.at[h.edge].from != h.from ||
                      g->edges.at[h.edge].to != h.to)
            return false;
        u = h.to;
    }
    return u == v;
}

static bool
is_order(const struct chains *g, const uint32_t *order)
{
    uint32_t rank[POINTS];
    for (uint32_t i = 0; i < g->n; i++)
        rank[order[i]] = i;
    for (uint32_t p = 0; p < g->n; p++)
        if (chains_has_next(g, p) && rank[p] > rank[p + 1])
            return false;
    for (size_t e = 0; e < g->edges.n; e++)
        if (rank[g->edges.at[e].from] > rank[g->edges.at[e].to])
            return false;
    return true;
}

static void
sorts_or_finds_a_cycle(void)
{
    struct random r;
    random_seed(&r, 3);
    for (int round = 0; round < 20000; round++) {
        struct chains g;
        random_chains(&r, &g);
        for (uint64_t m = random_below(&r, 2 * g.n); m; m--) {
            uint32_t u, v;
            random_ends(&r, &g, &u, &v);
            chains_add(&g, u, v);
        }
        uint32_t order[POINTS];
        hop_vec cycle = {0};
        const bool sorted = chains_sort(&g, order, &cycle);
        CHECK(sorted == !close_graph(&g, g.edges.n).cyclic);
        CHECK(!sorted || is_order(&g, order));
        CHECK(sorted || is_path(&g, &cycle, cycle.at[0].from, cycle.at[0].from,
                                EDGE_NONE));
        vec_free(&cycle);
        chains_free(&g);
    }
}

static void
order_survives_edges_and_refuses_cycles(void)
{
    struct random r;
    random_seed(&r, 4);
    for (int round = 0; round < 5000; round++) {
        struct chains g;
        random_chains(&r, &g);
        uint32_t at[POINTS];
        hop_vec path = {0};
        CHECK(chains_sort(&g, at, &path));
        struct order o;
        order_init(&o, &g, at);
        for (uint32_t i = 0; i < 3 * g.n; i++) {
            uint32_t u, v;
            random_ends(&r, &g, &u, &v);
            vec_clear(&path);
            const struct closure c = close_graph(&g, g.edges.n);
            const bool added = order_add(&o, u, v, &path);
            CHECK(added == !c.reach[v][u]);
            CHECK(added || is_path(&g, &path, v, u, EDGE_NONE));
            CHECK(is_order(&g, o.at));
            order_check(&o);
            if (g.edges.n && random_below(&r, 4) == 0)
                chains_pop(&g);
        }
        vec_free(&path);
        order_free(&o);
        chains_free(&g);
    }
}

static void
clocks_are_reachability_and_paths_exist(void)
{
    struct random r;
    random_seed(&r, 5);
    for (int round = 0; round < 3000; round++) {
        struct chains g;
        random_chains(&r, &g);
        uint32_t at[POINTS];
        hop_vec path = {0};
        struct clocks c;
        struct path_finder f;
        const bool covered = random_below(&r, 2);
        CHECK(chains_sort(&g, at, &path));
        if (covered)
            CHECK(clocks_init_cover(&c, &g, at, SIZE_MAX));
        else
            clocks_init(&c, &g);
        path_finder_init(&f, &g);
        const struct clocks none = {.g = &g};
        uint32_t rank[POINTS];
        for (int batch = 0; batch < 4; batch++) {
            for (uint64_t m = random_below(&r, g.n); m; m--) {
                uint32_t u, v;
                random_ends(&r, &g, &u, &v);
                if (close_graph(&g, g.edges.n).reach[v][u])
                    continue;
                chains_add(&g, u, v);
                clocks_touch(&c, v);
            }
            CHECK(chains_sort(&g, at, &path));
            if (random_below(&r, 4) == 0)
                chains_freeze(&g);
            if (covered && random_below(&r, 2))
                CHECK(clocks_cover_again(&c, at, SIZE_MAX));
            else
                clocks_update(&c, at);
            chains_check(&g);
            clocks_check(&c);
            for (uint32_t i = 0; i < g.n; i++)
                rank[at[i]] = i;
            const struct closure now = close_graph(&g, g.edges.n);
            const uint32_t limit = (uint32_t)random_below(&r, g.edges.n + 1);
            const struct closure then = close_graph(&g, limit);
            for (uint32_t u = 0; u < g.n; u++)
                for (uint32_t v = 0; v < g.n; v++) {
                    CHECK(clocks_reach(&c, u, v) ==
                          (u == v || now.reach[u][v]));
                    vec_clear(&path);
                    const bool found = clocks_path(&c, &f, u, v, limit, &path);
                    CHECK(found == (u == v || then.reach[u][v]));
                    CHECK(!found || is_path(&g, &path, u, v, limit));
                    vec_clear(&path);
                    f.rank = rank;
                    CHECK(clocks_path(&none, &f, u, v, limit, &path) == found);
                    CHECK(!found || is_path(&g, &path, u, v, limit));
                }
        }
        vec_free(&path);
        path_finder_free(&f);
        clocks_free(&c);
        chains_free(&g);
    }
}

/* Whatever the width, a horizon knows exactly what reaches what within it, and
 * nothing wrong beyond. */
static void
a_horizon_is_exact_within_its_width(void)
{
    struct random r;
    random_seed(&r, 6);
    uint64_t far = 0, known = 0;
    for (int round = 0; round < 5000; round++) {
        struct chains g;
        random_chains(&r, &g);
        uint32_t at[POINTS], rank[POINTS];
        hop_vec cycle = {0};
        for (uint64_t m = random_below(&r, 3 * g.n); m; m--) {
            uint32_t u, v;
            random_ends(&r, &g, &u, &v);
            if (!close_graph(&g, g.edges.n).reach[v][u])
                chains_add(&g, u, v);
        }
        CHECK(chains_sort(&g, at, &cycle));
        for (uint32_t i = 0; i < g.n; i++)
            rank[at[i]] = i;
        struct horizon h;
        horizon_init(&h, &g, 1u << random_below(&r, 5));
        horizon_begin(&h, rank);
        for (uint32_t j = 0; j < g.n; j++) {
            horizon_pass(&h, at[j]);
            if (j && random_below(&r, 4) == 0) { // an edge to it comes late
                const uint32_t i = (uint32_t)random_below(&r, j);
                chains_add(&g, at[i], at[j]);
                horizon_add(&h, i);
            }
            horizon_check(&h);
            const struct closure c = close_graph(&g, g.edges.n);
            for (uint32_t b = 0; b <= j; b++)
                for (uint32_t a = 0; a < b; a++) {
                    const bool reaches = c.reach[at[a]][at[b]];
                    const bool found = horizon_reach(&h, a, b);
                    CHECK(found ? reaches
                                : !reaches || !horizon_is_near(&h, a, b));
                    CHECK(b < j || found == horizon_reach_last(&h, a));
                    far += reaches && !horizon_is_near(&h, a, b);
                    known += found && !horizon_is_near(&h, a, b);
                }
        }
        horizon_free(&h);
        chains_free(&g);
    }
    CHECK(known > far / 4); // landmarks are of use
}

/* Two sessions that take turns: every point is known to reach every later one,
 * at any distance. */
static void
landmarks_lead_beyond_the_horizon(void)
{
    enum { N = 1000 };
    const uint32_t lengths[] = {N / 2, N / 2};
    uint32_t rank[N];
    struct chains g;
    struct horizon h;
    chains_init(&g, lengths, 2);
    for (uint32_t i = 0; i < N / 2; i++) {
        rank[i] = 2 * i;
        rank[N / 2 + i] = 2 * i + 1;
        chains_add(&g, i, N / 2 + i);
        if (i + 1 < N / 2)
            chains_add(&g, N / 2 + i, i + 1);
    }
    horizon_init(&h, &g, 64);
    horizon_begin(&h, rank);
    for (uint32_t i = 0; i < N; i++)
        horizon_pass(&h, i % 2 ? N / 2 + i / 2 : i / 2);
    for (uint32_t i = 0; i + 40 < N; i++)
        CHECK(horizon_reach_last(&h, i));
    horizon_free(&h);
    chains_free(&g);
}

/* Ranks come out of a heap in order, however they went in. */
static void
a_heap_sorts(void)
{
    struct random r;
    random_seed(&r, 11);
    struct rank_heap h = {0};
    for (int round = 0; round < 200; round++) {
        uint32_t last = 0;
        const size_t n = 1 + (size_t)random_below(&r, 40);
        for (size_t i = 0; i < n; i++) {
            rank_heap_push(&h, (uint32_t)random_below(&r, 20));
            rank_heap_check(&h);
        }
        for (size_t i = 0; i < n; i++) {
            const uint32_t next = rank_heap_pop(&h);
            rank_heap_check(&h);
            CHECK(next >= last);
            last = next;
        }
        CHECK(h.at.n == 0);
    }
    vec_free(&h.at);
}

/* 300 chains of one point are one chain of a cover where each reaches the next,
 * and 300 where none does. */
static void
a_cover_is_as_wide_as_the_graph(void)
{
    enum { N = 300 };
    uint32_t lengths[N], at[N];
    for (uint32_t i = 0; i < N; i++)
        lengths[i] = 1;
    hop_vec cycle = {0};
    for (uint32_t apart = 1; apart <= N; apart *= 2) {
        struct chains g;
        struct clocks c;
        chains_init(&g, lengths, N);
        for (uint32_t i = 0; i + apart < N; i++)
            chains_add(&g, i, i + apart);
        CHECK(chains_sort(&g, at, &cycle));
        CHECK(!clocks_init_cover(&c, &g, at, 1000));
        CHECK(clocks_init_cover(&c, &g, at, SIZE_MAX));
        CHECK(c.n_chains == apart);
        for (uint32_t i = 0; i < N; i++)
            for (uint32_t j = 0; j < N; j++)
                CHECK(clocks_reach(&c, i, j) ==
                      (i <= j && (j - i) % apart == 0));
        clocks_free(&c);
        chains_free(&g);
    }
}

/* An entry of a row has 16 bits. */
static void
a_long_chain_is_cut(void)
{
    const uint32_t n = 3 * UINT16_MAX;
    struct chains g;
    struct clocks c;
    uint32_t *at = mem_alloc(n, sizeof *at);
    hop_vec cycle = {0};
    chains_init(&g, &n, 1);
    CHECK(chains_sort(&g, at, &cycle));
    CHECK(clocks_init_cover(&c, &g, at, SIZE_MAX));
    CHECK(c.n_chains == 4);
    for (uint32_t i = 0; i + 1 < n; i++)
        CHECK(clocks_reach(&c, i, i + 1) && !clocks_reach(&c, i + 1, i));
    clocks_free(&c);
    chains_free(&g);
    mem_free(at);
}

int
main(void)
{
    RUN(a_heap_sorts);
    RUN(sorts_or_finds_a_cycle);
    RUN(order_survives_edges_and_refuses_cycles);
    RUN(clocks_are_reachability_and_paths_exist);
    RUN(a_horizon_is_exact_within_its_width);
    RUN(landmarks_lead_beyond_the_horizon);
    RUN(a_cover_is_as_wide_as_the_graph);
    RUN(a_long_chain_is_cut);
    return test_end();
}
