/* test_meet.c -- orders that are found from both ends.
 *
 *     test_meet [COUNT [SEED]]
 *
 * On small histories nothing is thinned out, so there is an order exactly when
 * the oracle says that the history is serializable.  On larger ones an order
 * that is found makes every read see what was last written, and one mostly is.
 *
 * SPDX-License-Identifier: MIT */
#include "oracle.h"
#include "random_history.h"
#include "range.h"
#include "test.h"

#include "gen/gen.h"
#include "history/read_checks.h"
#include "strong/order/bidirectional.h"

static uint64_t first_seed = 1;
static uint64_t histories = 4000;

/* Whether the transactions, run in that order, read what they did. */
static bool
is_explained(const struct dependencies *p, const uint32_t *order)
{
    const struct history *h = p->h;
    value_id *holds = mem_calloc(h->n_keys, sizeof *holds);
    for (value_id v = 1; v < h->n_values; v++)
        if (atom_equal(history_value_atom(h, v), h->initial))
            holds[h->values[v].key & OP_KEY] = v;
    bool *ran = mem_calloc(h->n_txns, sizeof *ran), ok = true;
    for (uint32_t i = 0; i < p->n_txns; i++) {
        const txn_id t = p->name[order[i]];
        ok = ok && !ran[t];
        ran[t] = true;
        for (txn_id u = h->session_first[h->txn_session[t]]; u < t; u++)
            ok = ok && (ran[u] || !h->txn_counts[u]);
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
            ok = ok && (!op_is_external_read(h, op) ||
                        h->op_value[op] == holds[op_key(h, op)]);
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
            if (op_is_final_write(h, op))
                holds[op_key(h, op)] = h->op_value[op];
    }
    mem_free(ran);
    mem_free(holds);
    return ok;
}

enum answer { UNSUITED, NOT_FOUND, FOUND, WRONG };

static enum answer
run(const struct history *h)
{
    struct dependencies p = {0};
    dependencies_init(&p, h, LEVEL_SER, UINT32_MAX);
    uint32_t *order = mem_alloc(p.g.n, sizeof *order);
    const enum answer answer = !bidirectional_suits(&p) ? UNSUITED
                               : !bidirectional_search(&p, 0, NULL, order)
                                   ? NOT_FOUND
                               : is_explained(&p, order) ? FOUND
                                                         : WRONG;
    mem_free(order);
    dependencies_free(&p);
    return answer;
}

static bool
agrees(uint64_t seed, uint64_t *found)
{
    const struct random_shape shape = seed % 4 == 0
                                          ? random_plain_list_shape(seed, 6)
                                          : random_tiny_shape(seed, 6);
    struct record r;
    struct history h;
    random_record(&shape, seed, &r);
    record_build(&r, &h);
    flaw_vec flaws = {0};
    bool fine = true;
    if (!history_flaws(&h, 0, &flaws)) {
        const enum answer answer = run(&h);
        fine =
            answer == UNSUITED ||
            answer == (oracle(&r, LEVEL_SER) == ORACLE_OK ? FOUND : NOT_FOUND);
        *found += answer == FOUND;
    }
    if (!fine)
        printf("# seed %llu\n", (unsigned long long)seed);
    vec_free(&flaws);
    history_free(&h);
    record_free(&r);
    return fine;
}

static void
small_histories_have_orders_as_the_oracle_says(void)
{
    uint64_t found = 0;
    int failures = 0;
    for (uint64_t i = 0; i < histories && failures < 10; i++)
        failures += !agrees(first_seed + i, &found);
    printf("# %llu orders\n", (unsigned long long)found);
    CHECK(!failures);
    CHECK(found > histories / 20);
}

/* Here sides are thinned out; all of these have an order. */
static void
larger_histories_are_explained(void)
{
    unsigned found = 0, missed = 0;
    for (uint64_t i = 0; i < 10; i++) {
        const struct gen_shape shape = {.level = LEVEL_SER,
                                        .sessions = 10,
                                        .transactions = 60,
                                        .operations = 4,
                                        .keys = 5,
                                        .reads = 0.5,
                                        .duplicates = 1,
                                        .values = 5,
                                        .value_theta = 0.5,
                                        .seed = first_seed + i};
        struct history h;
        struct err err = {0};
        CHECK(gen_history(&shape, &h, &err));
        const enum answer answer = run(&h);
        CHECK(answer == FOUND || answer == NOT_FOUND);
        found += answer == FOUND;
        missed += answer == NOT_FOUND;
        history_free(&h);
    }
    printf("# %u orders, %u not found\n", found, missed);
    CHECK(found > missed);
}

int
main(int argc, char **argv)
{
    take_range(argc, argv, &histories, &first_seed);
    RUN(small_histories_have_orders_as_the_oracle_says);
    RUN(larger_histories_are_explained);
    return test_end();
}
