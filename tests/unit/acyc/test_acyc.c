/* test_acyc.c -- acyclicity as a theory, against trying all assignments.
 *
 * SPDX-License-Identifier: MIT */
#include "acyc/acyc.h"

#include "base/random.h"
#include "sat/sat.h"
#include "test.h"

enum { CHAINS = 3, LENGTH = 3, POINTS = CHAINS * LENGTH, VARS = 6 };

struct edge {
    uint32_t from, to;
};

struct puzzle {
    struct edge base[8], carried[2 * VARS][3];
    size_t n_base, n_carried[2 * VARS];
    lit clauses[8][2];
    size_t n_clauses;
};

static bool
is_acyclic(const struct puzzle *z, uint32_t model)
{
    bool reach[POINTS][POINTS] = {{false}};
    for (uint32_t p = 0; p + 1 < POINTS; p++)
        if (p % LENGTH + 1 < LENGTH)
            reach[p][p + 1] = true;
    for (size_t i = 0; i < z->n_base; i++)
        reach[z->base[i].from][z->base[i].to] = true;
    for (uint32_t v = 0; v < VARS; v++) {
        const lit l = lit_make(v, !(model >> v & 1));
        for (size_t i = 0; i < z->n_carried[l]; i++)
            reach[z->carried[l][i].from][z->carried[l][i].to] = true;
    }
    for (int k = 0; k < POINTS; k++)
        for (int i = 0; i < POINTS; i++)
            for (int j = 0; j < POINTS; j++)
                reach[i][j] |= reach[i][k] && reach[k][j];
    for (int i = 0; i < POINTS; i++)
        if (reach[i][i])
            return false;
    return true;
}

static bool
is_solution(const struct puzzle *z, uint32_t model)
{
    for (size_t i = 0; i < z->n_clauses; i++) {
        bool some = false;
        for (int j = 0; j < 2; j++)
            some |= (model >> lit_var(z->clauses[i][j]) & 1) !=
                    lit_is_negated(z->clauses[i][j]);
        if (!some)
            return false;
    }
    return is_acyclic(z, model);
}

static bool
has_solution(const struct puzzle *z)
{
    for (uint32_t model = 0; model < 1u << VARS; model++)
        if (is_solution(z, model))
            return true;
    return false;
}

static struct edge
random_edge(struct random *r)
{
    struct edge e = {(uint32_t)random_below(r, POINTS), 0};
    e.to = (e.from + 1 + (uint32_t)random_below(r, POINTS - 1)) % POINTS;
    return e;
}

/* Base edges go forward, so that they are acyclic; the rest is anything. */
static struct puzzle
random_puzzle(struct random *r)
{
    struct puzzle z = {.n_base = random_below(r, 5),
                       .n_clauses = random_below(r, 8)};
    for (size_t i = 0; i < z.n_base; i++) {
        const struct edge e = random_edge(r);
        z.base[i] = e.from < e.to ? e : (struct edge){e.to, e.from};
    }
    for (lit l = 0; l < 2 * VARS; l++) {
        z.n_carried[l] = random_below(r, 4);
        for (size_t i = 0; i < z.n_carried[l]; i++)
            z.carried[l][i] = random_edge(r);
    }
    for (size_t i = 0; i < z.n_clauses; i++)
        for (int j = 0; j < 2; j++)
            z.clauses[i][j] = (lit)random_below(r, 2 * VARS);
    return z;
}

/* Add half of the edges and clauses, solve, add the rest, solve again. */
static bool
solve(const struct puzzle *z, uint32_t *model)
{
    struct chains g;
    chains_init(&g, (uint32_t[]){LENGTH, LENGTH, LENGTH}, CHAINS);
    for (size_t i = 0; i < z->n_base; i++)
        chains_add(&g, z->base[i].from, z->base[i].to);
    uint32_t order[POINTS];
    hop_vec none = {0};
    CHECK(chains_sort(&g, order, &none));
    struct acyc a;
    acyc_init(&a, &g, order);
    struct sat *s = sat_new();
    const struct theory t = acyc_theory(&a);
    sat_set_theory(s, &t);
    for (uint32_t v = 0; v < VARS; v++)
        sat_add_var(s);
    enum sat_answer answer = SAT_TRUE;
    for (size_t half = 0; half < 2; half++) {
        sat_to_root(s);
        for (lit l = 0; l < 2 * VARS; l++)
            for (size_t i = half; i < z->n_carried[l]; i += 2)
                acyc_carry(&a, l, z->carried[l][i].from, z->carried[l][i].to,
                           0);
        for (size_t i = half; i < z->n_clauses; i += 2)
            sat_add_clause(s, z->clauses[i], 2);
        answer = sat_solve(s, NULL);
    }
    *model = 0;
    for (uint32_t v = 0; v < VARS; v++)
        *model |= (uint32_t)(sat_value(s, lit_make(v, false)) > 0) << v;
    if (answer == SAT_TRUE)
        order_check(&a.order);
    acyc_check(&a);
    sat_free(s);
    acyc_free(&a);
    chains_free(&g);
    vec_free(&none);
    return answer == SAT_TRUE;
}

static void
agrees_with_all_assignments(void)
{
    struct random r;
    random_seed(&r, 6);
    int solved = 0;
    for (int round = 0; round < 20000; round++) {
        const struct puzzle z = random_puzzle(&r);
        uint32_t model;
        const bool found = solve(&z, &model);
        CHECK(found == has_solution(&z));
        CHECK(!found || is_solution(&z, model));
        solved += found;
    }
    CHECK(solved > 2000 && solved < 18000);
}

int
main(void)
{
    RUN(agrees_with_all_assignments);
    return test_end();
}
