/* test_input_order.c -- an order that is taken as it is, is the one that the
 * topological sort finds, with the same stale transactions; for any number of
 * threads.
 *
 * SPDX-License-Identifier: MIT */
#include "test.h"

#include "base/random.h"
#include "history/builder/builder.h"
#include "weak/input_order.h"

enum {
    KEYS = 3000,
    OPS = 6,
    MANY = 100000, // transactions, enough for several parts
    FEW = 40,
    THREADS = 4,
};

/* How a transaction reads. */
enum reads { LAST, OLD, LATE };

/* Transactions that read what was last written; in one read of 50 an older
 * value, or the one that comes next. */
static bool
make_history(uint32_t txns, enum reads reads, uint64_t seed, struct history *h)
{
    static int64_t last[KEYS], old[KEYS];
    struct builder *b = builder_new(atom_int(0));
    struct err err = {0};
    struct random r;
    random_seed(&r, seed);
    memset(last, 0, sizeof last);
    memset(old, 0, sizeof old);
    int64_t value = 0;
    bool ok = true;
    for (uint32_t i = 0; ok && i < txns; i++) {
        txn_id t;
        ok = builder_txn(b, builder_session(b, atom_int((int64_t)(i % 7))), &t,
                         &err);
        if (ok && random_below(&r, 30) == 0)
            builder_status(b, t, TXN_ABORTED);
        for (unsigned op = 0; ok && op < OPS; op++) {
            // Keys that only some of the parts write.
            const uint64_t k = random_below(&r, 2)
                                   ? random_below(&r, KEYS)
                                   : i / 9000 + random_below(&r, 3);
            const bool unordered = random_below(&r, 50) == 0;
            if (random_below(&r, 2)) {
                old[k] = last[k];
                last[k] = ++value;
                ok = builder_write(b, t, atom_int((int64_t)k),
                                   atom_int(last[k]), &err);
            } else {
                const int64_t seen = unordered && reads == OLD    ? old[k]
                                     : unordered && reads == LATE ? value + 9
                                                                  : last[k];
                ok = builder_read(b, t, atom_int((int64_t)k), atom_int(seen),
                                  &err);
            }
        }
    }
    if (ok)
        return builder_finish(b, h, &err);
    builder_free(b);
    return false;
}

/* Whether the order of the input was taken, and, if so, is what the sort finds.
 */
static bool
check_history(const struct history *h, unsigned threads)
{
    const struct writer_assignment r = {h, NULL, h->txn_counts};
    u32_vec roots = {0}, stale = {0}, expected = {0};
    struct topological_order given, sorted;
    topological_sort_suggest(h, &roots);
    const bool taken = input_order_take(&r, &roots, threads, &given, &stale);
    CHECK(taken || !stale.n);
    const bool is_acyclic =
        topological_sort_find(&r, NULL, &roots, &sorted, &expected);
    if (taken) {
        CHECK(is_acyclic && given.n == sorted.n && stale.n == expected.n);
        CHECK(!memcmp(given.at, sorted.at, given.n * sizeof *given.at));
        CHECK(!memcmp(given.position, sorted.position,
                      h->n_txns * sizeof *given.position));
        CHECK(!stale.n ||
              !memcmp(stale.at, expected.at, stale.n * sizeof *stale.at));
        topological_order_free(&given);
    } else {
        // Something had to move.
        CHECK(!is_acyclic ||
              memcmp(sorted.at, roots.at, sorted.n * sizeof *sorted.at) != 0);
    }
    topological_order_free(&sorted);
    vec_free(&roots);
    vec_free(&stale);
    vec_free(&expected);
    return taken;
}

static void
large_histories_are_the_same(void)
{
    for (enum reads reads = LAST; reads <= LATE; reads++) {
        struct history h;
        CHECK(make_history(MANY, reads, 1, &h));
        for (unsigned threads = 1; threads <= THREADS; threads++)
            CHECK(check_history(&h, threads) == (reads != LATE));
        history_free(&h);
    }
}

static void
small_histories_are_the_same(void)
{
    unsigned taken = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct history h;
        CHECK(make_history((uint32_t)(seed % FEW), (enum reads)(seed % 3), seed,
                           &h));
        taken += check_history(&h, 1 + (unsigned)seed % THREADS);
        history_free(&h);
    }
    CHECK(taken > 200 && taken < 300);
}

int
main(void)
{
    RUN(large_histories_are_the_same);
    RUN(small_histories_are_the_same);
    return test_end();
}
