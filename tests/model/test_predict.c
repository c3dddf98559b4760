/* test_predict.c -- random small executions: prediction against brute force.
 *
 *     test_model_predict COUNT SEED
 *
 * Executions are run serially, and then in some of them reads are changed, so
 * that also executions that are not serializable are observed; blind writes and
 * several reads of a key in a transaction are frequent.
 *
 * SPDX-License-Identifier: MIT */
#include "base/random.h"
#include "brute_predict.h"
#include "history/builder.h"
#include "predict/predict.h"
#include "range.h"
#include "test.h"

static uint64_t count = 400, first_seed = 1;
static uint64_t asked, predicted; // what the test has seen

static const enum level LEVELS_ASKED[] = {LEVEL_RC, LEVEL_RA,  LEVEL_CC,
                                          LEVEL_PC, LEVEL_PSI, LEVEL_SI};

enum { TXNS = BRUTE_PREDICT_TXNS, KEYS = 3, OPS = 5 };

/* The value of a write says who wrote, so that every value is unique. */
struct shape {
    uint64_t sessions, txns, keys, ops;
    bool changes; // some reads read anything
};

static struct shape
random_shape(struct random *r)
{
    return (struct shape){.sessions = 1 + random_below(r, 3),
                          .txns = 2 + random_below(r, TXNS - 1),
                          .keys = 1 + random_below(r, KEYS),
                          .ops = 1 + random_below(r, OPS),
                          .changes = random_below(r, 5) == 0};
}

/* Draw a value that some transaction but t writes to key k, or 0. */
static int64_t
draw_value(struct random *r, uint64_t txns, uint64_t t, bool writes[TXNS][KEYS],
           uint64_t k)
{
    const uint64_t u = random_below(r, txns);
    return u != t && writes[u][k] ? (int64_t)u + 1 : 0;
}

static void
random_execution(uint64_t seed, struct history *h)
{
    struct random r;
    random_seed(&r, seed);
    const struct shape s = random_shape(&r);
    struct {
        bool is_write;
        uint64_t key;
    } ops[TXNS][OPS];
    uint64_t n[TXNS];
    bool writes[TXNS][KEYS] = {{0}};
    for (uint64_t t = 0; t < s.txns; t++) {
        n[t] = 1 + random_below(&r, s.ops);
        for (uint64_t i = 0; i < n[t]; i++) {
            ops[t][i].is_write = random_below(&r, 2);
            ops[t][i].key = random_below(&r, s.keys);
            writes[t][ops[t][i].key] |= ops[t][i].is_write;
        }
    }
    int64_t store[KEYS] = {0};
    struct builder *b = builder_new(atom_int(0));
    struct err err = {0};
    for (uint64_t t = 0; t < s.txns; t++) {
        const session_id session =
            builder_session(b, atom_uint(random_below(&r, s.sessions)));
        txn_id id;
        CHECK(builder_txn(b, session, &id, &err));
        bool own[KEYS] = {0};
        for (uint64_t i = 0; i < n[t]; i++) {
            const uint64_t k = ops[t][i].key;
            if (ops[t][i].is_write) {
                store[k] = (int64_t)t + 1;
                own[k] = true;
                CHECK(builder_write(b, id, atom_uint(k), atom_int(store[k]),
                                    &err));
                continue;
            }
            const int64_t value =
                !own[k] && s.changes && random_below(&r, 3) == 0
                    ? draw_value(&r, s.txns, t, writes, k)
                    : store[k];
            CHECK(builder_read(b, id, atom_uint(k), atom_int(value), &err));
        }
    }
    CHECK(builder_finish(b, h, &err));
}

static void
compare(const struct history *h, uint64_t seed, bool is_strict)
{
    const level_set expected = brute_predict(h, is_strict);
    for (size_t i = 0; i < sizeof LEVELS_ASKED / sizeof *LEVELS_ASKED; i++) {
        struct prediction p;
        struct err err = {0};
        const struct predict_options options = {.level = LEVELS_ASKED[i],
                                                .is_strict = is_strict};
        if (!predict(h, &options, &p, &err)) {
            CHECK(!"predicted");
            printf("# seed %llu: %s\n", (unsigned long long)seed, err.text);
            return;
        }
        const bool found = p.answer == PREDICT_FOUND;
        asked++;
        predicted += found;
        const bool agrees = found == (expected >> LEVELS_ASKED[i] & 1) &&
                            p.answer != PREDICT_UNKNOWN;
        CHECK(agrees);
        if (!agrees)
            printf("# seed %llu, %s, %s: predicted %d\n",
                   (unsigned long long)seed, level_table[LEVELS_ASKED[i]].brief,
                   is_strict ? "strict" : "relaxed", found);
        prediction_free(&p);
    }
}

static void
agrees_with_brute_force(void)
{
    for (uint64_t seed = first_seed; seed < first_seed + count; seed++) {
        struct history h;
        random_execution(seed, &h);
        compare(&h, seed, true);
        compare(&h, seed, false);
        history_free(&h);
    }
    printf("# %llu of %llu questions have a prediction\n",
           (unsigned long long)predicted, (unsigned long long)asked);
    CHECK(predicted > asked / 20 && predicted < asked / 20 * 19);
}

int
main(int argc, char **argv)
{
    take_range(argc, argv, &count, &first_seed);
    RUN(agrees_with_brute_force);
    return test_end();
}
