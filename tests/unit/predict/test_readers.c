/* test_readers.c -- one transaction writes, and all the others read.
 *
 * So it is in the benchmark Voter as IsoPredict runs it.  From cc on, a
 * transaction sees all that the writer wrote or nothing, and whoever comes
 * later in its session sees no less: every execution is serializable.  At rc a
 * transaction can see a part.
 *
 * SPDX-License-Identifier: MIT */
#include "base/random.h"
#include "history/builder/builder.h"
#include "predict/predict.h"
#include "test.h"

enum { KEYS = 6, SESSIONS = 5 };

/* n transactions read all keys, one of them, at a random place, writes one or
 * more of them. */
static void
make(struct random *r, uint64_t n, struct history *h)
{
    struct builder *b = builder_new(atom_int(0));
    struct err err = {0};
    const uint64_t writer = random_below(r, n / 2);
    const uint64_t written = 2 + random_below(r, KEYS - 1);
    for (uint64_t t = 0; t < n; t++) {
        txn_id id;
        CHECK(builder_txn(b, builder_session(b, atom_uint(t % SESSIONS)), &id,
                          &err));
        for (uint64_t k = 0; k < KEYS; k++)
            CHECK(builder_read(b, id, atom_uint(k),
                               atom_int(t > writer && k < written), &err));
        for (uint64_t k = 0; t == writer && k < written; k++)
            CHECK(builder_write(b, id, atom_uint(k), atom_int(1), &err));
    }
    CHECK(builder_finish(b, h, &err));
}

static enum predict_answer
ask(const struct history *h, enum level level, bool is_strict)
{
    struct prediction p;
    struct err err = {0};
    const struct predict_options options = {
        .level = level, .is_strict = is_strict, .prove = true};
    const bool ok = predict(h, &options, &p, &err);
    CHECK(ok);
    if (!ok)
        return PREDICT_UNKNOWN;
    const enum predict_answer answer = p.answer;
    CHECK(answer != PREDICT_NONE || p.absence.steps.n);
    prediction_free(&p);
    return answer;
}

static void
ask_all(uint64_t n, uint64_t seeds)
{
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        struct random r;
        struct history h;
        random_seed(&r, seed);
        make(&r, n, &h);
        for (int strict = 0; strict < 2; strict++) {
            CHECK(ask(&h, LEVEL_RC, strict) == PREDICT_FOUND);
            CHECK(ask(&h, LEVEL_CC, strict) == PREDICT_NONE);
            CHECK(ask(&h, LEVEL_PC, strict) == PREDICT_NONE);
            CHECK(ask(&h, LEVEL_PSI, strict) == PREDICT_NONE);
            CHECK(ask(&h, LEVEL_SI, strict) == PREDICT_NONE);
        }
        history_free(&h);
    }
}

static void
few_readers(void)
{
    ask_all(12, 10);
    ask_all(24, 10);
}

/* Enough of them to be searched by samples first. */
static void
many_readers(void)
{
    ask_all(200, 3);
    ask_all(1000, 1);
}

/* A limit that ends the search leaves the answer open. */
static void
no_time_is_no_answer(void)
{
    struct random r;
    struct history h;
    struct prediction p;
    struct err err = {0};
    random_seed(&r, 1);
    make(&r, 200, &h);
    struct predict_options options = {.level = LEVEL_CC, .timeout = 1e-9};
    CHECK(predict(&h, &options, &p, &err));
    CHECK(p.is_cut_short && p.answer == PREDICT_UNKNOWN);
    prediction_free(&p);
    history_free(&h);
}

int
main(void)
{
    RUN(no_time_is_no_answer);
    RUN(few_readers);
    RUN(many_readers);
    return test_end();
}
