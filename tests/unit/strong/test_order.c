/* test_order.c -- an order that is checked again after points moved.
 *
 * SPDX-License-Identifier: MIT */
#include "strong/order/moved_check.h"

#include "base/random.h"
#include "gen/gen.h"
#include "test.h"

enum { ROUNDS = 200, MOVES = 6 };

static bool
is_same(const broken_vec *a, const broken_vec *b)
{
    bool same = a->n == b->n;
    for (size_t i = 0; same && i < a->n; i++)
        same = a->at[i].read == b->at[i].read &&
               a->at[i].first == b->at[i].first &&
               a->at[i].second == b->at[i].second;
    return same;
}

/* Add edges at random, and after every few of them check what moved. */
static void
move_points(const struct history *h, enum level l)
{
    struct dependencies d;
    struct order_check a, whole;
    struct order o;
    struct random random;
    hop_vec path = {0};
    broken_vec broken = {0};
    uint64_t most = 0;
    dependencies_init(&d, h, l, UINT32_MAX);
    uint32_t *first = mem_alloc(d.g.n, sizeof *first);
    CHECK(chains_sort(&d.g, first, &path));
    order_init(&o, &d.g, first);
    order_check_init(&a, &d);
    order_check_init(&whole, &d);
    CHECK(moved_check_suits(&a));
    order_check_all(&a, o.at, o.rank, &broken);
    random_seed(&random, 1 + (uint64_t)l);
    for (int i = 0; i < ROUNDS; i++) {
        for (int j = 0; j < MOVES; j++) {
            const uint32_t u = (uint32_t)random_below(&random, d.g.n);
            const uint32_t v = (uint32_t)random_below(&random, d.g.n);
            vec_clear(&path);
            if (u != v)
                (void)order_add(&o, u, v, &path);
        }
        broken_vec all = {0};
        moved_check(&a, &o, &broken);
        order_clear_moved(&o);
        order_check_all(&whole, o.at, o.rank, &all);
        CHECK(is_same(&broken, &all));
        most = all.n > most ? all.n : most;
        vec_free(&all);
    }
    CHECK(most > 20);
    order_check_free(&a);
    order_check_free(&whole);
    order_free(&o);
    mem_free(first);
    vec_free(&path);
    vec_free(&broken);
    dependencies_free(&d);
}

static void
what_moved_tells_what_is_broken(void)
{
    const struct gen_shape shape = {.level = LEVEL_SER,
                                    .sessions = 20,
                                    .transactions = 300,
                                    .operations = 6,
                                    .keys = 25,
                                    .reads = 0.5,
                                    .seed = 7};
    struct history h;
    struct err err = {0};
    CHECK(gen_history(&shape, &h, &err));
    move_points(&h, LEVEL_SER);
    move_points(&h, LEVEL_SI);
    move_points(&h, LEVEL_PC);
    history_free(&h);
}

int
main(void)
{
    RUN(what_moved_tells_what_is_broken);
    return test_end();
}
