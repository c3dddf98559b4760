/* test_z3.c -- the strong engine against Z3, where this build has it.
 *
 *     test_z3 [tiny] [COUNT [SEED]]
 *
 * checks COUNT random histories of 10 to 40 transactions from SEED on; 'tiny'
 * ones have up to 5, and a hundred thousand take minutes.
 *
 * SPDX-License-Identifier: MIT */
#include "random_history.h"
#include "range.h"
#include "test.h"

#include "base/random.h"
#include "deciding.h"
#include "strong/z3_opinion.h"
#include "verify/verify.h"

#include <string.h>

static uint64_t first_seed = 1;
static uint64_t histories = 25;
static uint64_t compared, violated, unknown;
static bool tiny;

static const enum level levels[] = {LEVEL_PC, LEVEL_SI, LEVEL_SER,
                                    LEVEL_STRICT_SI, LEVEL_STRICT_SER};

static struct random_shape
random_middle_shape(uint64_t seed)
{
    struct random r;
    random_seed(&r, ~seed);
    struct random_shape shape = random_tiny_shape(seed, 5);
    shape.sessions = 2 + (uint32_t)random_below(&r, 7);
    shape.txns = 10 + (uint32_t)random_below(&r, 31);
    shape.ops = 2 + (uint32_t)random_below(&r, 4);
    shape.keys = 3 + (uint32_t)random_below(&r, 12);
    if (shape.values)
        shape.values = 3 + (uint32_t)random_below(&r, 10);
    if (shape.values && random_below(&r, 2))
        shape.indeterminate = 20;
    shape.changed = 30;
    return shape;
}

/* Whether both say the same, as far as both say something. */
static bool
agree(const struct history *h, enum level l)
{
    struct budget budget = {.left = 10 * BUDGET_SECOND};
    struct certificate c;
    struct err err = {0};
    enum verdict other;
    decide_level(h, l, &strong_defaults, &budget, &c, NULL);
    const enum verdict own = c.verdict;
    certificate_free(&c);
    if (!z3_opinion(h, l, 10, &other, &err))
        return false;
    if (own == VERDICT_UNKNOWN || other == VERDICT_UNKNOWN) {
        unknown++;
        return true;
    }
    compared++;
    violated += own == VERDICT_VIOLATED;
    return own == other;
}

static void
engine_and_z3_agree(void)
{
    struct history empty;
    struct random_shape shape = {.sessions = 1, .txns = 1, .ops = 1, .keys = 1};
    random_history(&shape, 1, &empty);
    enum verdict verdict;
    struct err err = {0};
    const bool here = z3_opinion(&empty, LEVEL_SER, 0, &verdict, &err);
    history_free(&empty);
    if (!here) {
        SKIP("this build has no Z3");
        return;
    }
    int failures = 0;
    for (uint64_t i = 0; i < histories && failures < 10; i++) {
        struct history h;
        shape = tiny ? random_tiny_shape(first_seed + i, 5)
                     : random_middle_shape(first_seed + i);
        shape.times = true;
        random_history(&shape, first_seed + i, &h);
        for (size_t l = 0; l < sizeof levels / sizeof *levels; l++)
            if (!agree(&h, levels[l])) {
                printf("# seed %llu, %s\n",
                       (unsigned long long)(first_seed + i),
                       level_table[levels[l]].brief);
                failures++;
            }
        history_free(&h);
    }
    printf("# %llu compared, %llu of them violated, %llu unknown to one\n",
           (unsigned long long)compared, (unsigned long long)violated,
           (unsigned long long)unknown);
    CHECK(!failures);
}

int
main(int argc, char **argv)
{
    tiny = argc > 1 && strcmp(argv[1], "tiny") == 0;
    take_range(argc - tiny, argv + tiny, &histories, &first_seed);
    RUN(engine_and_z3_agree);
    return test_end();
}
