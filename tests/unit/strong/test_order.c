/* test_order.c -- an order that is checked again after points moved, and orders
 * that respect real time.
 *
 * SPDX-License-Identifier: MIT */
#include "strong/order/moved_check.h"

#include "base/random.h"
#include "gen/gen.h"
#include "strong/order/input_order.h"
#include "strong/order/timed_order.h"
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

/* Whether the search in real time finds an order of the generated history at
 * that level and its strict form, if it has one. */
static bool
finds_timed_order(const struct gen_shape *shape, enum timed_reads reads,
                  enum level strict)
{
    struct history h;
    struct err err = {0};
    struct budget budget = {.left = 10000000};
    u32_vec order = {0};
    struct certificate c = {.level = shape->level}, d = {.level = strict};
    CHECK(gen_history(shape, &h, &err));
    bool ok = timed_order_find(&h, reads, &budget, &order);
    const uint32_t n = (uint32_t)order.n;
    ok = ok && n == h.n_txns && input_order_try_given(&h, order.at, n, &c) &&
         (strict == LEVEL_READS || input_order_try_given(&h, order.at, n, &d));
    certificate_free(&c);
    certificate_free(&d);
    vec_free(&order);
    history_free(&h);
    return ok;
}

/* With two values a key, and ends that are no order of commits. */
static void
an_order_in_real_time_is_found(void)
{
    struct gen_shape shape = {.sessions = 5,
                              .transactions = 80,
                              .operations = 4,
                              .keys = 5,
                              .reads = 0.5,
                              .duplicates = 1,
                              .values = 2,
                              .lag = 20};
    int serial = 0, snapshot = 0, prefix = 0;
    for (shape.seed = 0; shape.seed < 30; shape.seed++) {
        shape.order = shape.seed % 2 ? GEN_ORDER_END : GEN_ORDER_LISTED;
        shape.level = LEVEL_SER;
        serial += finds_timed_order(&shape, TIMED_SERIAL, LEVEL_STRICT_SER);
        shape.level = LEVEL_SI;
        snapshot += finds_timed_order(&shape, TIMED_SNAPSHOT, LEVEL_READS);
        shape.level = LEVEL_PC;
        prefix += finds_timed_order(&shape, TIMED_PREFIX, LEVEL_READS);
    }
    printf("# found %d serial orders, %d of si, %d of pc\n", serial, snapshot,
           prefix);
    CHECK(serial == 30 && snapshot == 30 && prefix == 30);
}

int
main(void)
{
    RUN(an_order_in_real_time_is_found);
    RUN(what_moved_tells_what_is_broken);
    return test_end();
}
