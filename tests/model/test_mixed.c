/* test_mixed.c -- proofs for functions at different levels, and for pairs that
 * never run concurrently, against executions at random.
 *
 *     test_mixed [COUNT [SEED]]
 *
 * makes COUNT random SQL programs from SEED on, gives the functions levels of
 * one family, or declares a pair, and tries a proof.  What is proved is run
 * thousands of times on random rows, with random arguments and visibility, or
 * with one transaction that is delayed or interrupted: there is no anomaly
 * among two or three.  A failure names its seed.
 *
 * SPDX-License-Identifier: MIT */
#include "random_program.h"
#include "range.h"
#include "test.h"

#include "prove/execute/interleaving.h"
#include "prove/program/read.h"
#include "prove/robust/proof/proof.h"
#include "prove/robust/prove.h"

#include <string.h>

enum { TRIES = 6000, SITES = 16, KEYS = 2, VALUES = 3 };

static uint64_t first_seed = 1, programs = 8;
static uint64_t tried, proved, executions;

static struct datum
number(uint64_t n)
{
    return (struct datum){(int64_t)n, false, false};
}

/* Random rows that satisfy the constraints. */
static bool
fill(struct dataset *d, struct random *r)
{
    for (uint32_t t = 0; t < d->program->tables.n; t++)
        for (uint64_t k = 1; k <= KEYS; k++) {
            const struct datum row[] = {number(k),
                                        number(random_below(r, VALUES))};
            CHECK(d->program->tables.at[t].n_columns == 2);
            if (random_below(r, 3))
                dataset_insert(d, t, row);
        }
    return dataset_is_legal(d);
}

static void
choose_levels(struct level_choice *i, const struct program *p, struct random *r)
{
    static const enum level seen[] = {LEVEL_RA,  LEVEL_CC, LEVEL_PC,
                                      LEVEL_PSI, LEVEL_SI, LEVEL_SER};
    static const enum level of_postgresql[] = {LEVEL_RC, LEVEL_SI, LEVEL_SER};
    const uint32_t n = (uint32_t)p->functions.n;
    const uint64_t family = random_below(r, 3);
    i->common =
        family == 2 ? (random_below(r, 2) ? LEVEL_SI : LEVEL_RC) : LEVEL_SER;
    for (uint32_t f = 0; family < 2 && f < n; f++)
        isolation_set(i, p, f,
                      family ? of_postgresql[random_below(r, 3)]
                             : seen[random_below(r, 6)]);
    if (family == 2 || random_below(r, 3) == 0)
        isolation_pair(i, p, (uint32_t)random_below(r, n),
                       (uint32_t)random_below(r, n));
}

/* One execution of k transactions; whether it is an anomaly. */
static bool
is_anomaly(const struct program *p, const struct level_choice *levels,
           uint32_t k, struct random *r)
{
    struct instance members[INTERLEAVING_MOST] = {{0}};
    struct datum arguments[INTERLEAVING_MOST][4];
    struct datum inputs[INTERLEAVING_MOST][SITES];
    struct dataset initial;
    struct interleaving e;
    uint32_t order[INTERLEAVING_MOST];
    dataset_init(&initial, p);
    bool bad = fill(&initial, r);
    for (uint32_t i = 0; i < k; i++) {
        const uint64_t f = random_below(r, p->functions.n);
        members[i] =
            (struct instance){p->functions.at[f], arguments[i], inputs[i], 4};
        for (uint32_t a = 0; a < 4; a++)
            arguments[i][a] = number(random_below(r, VALUES));
        for (uint32_t a = 0; a < SITES; a++)
            inputs[i][a] = number(100 + 20 * i + a);
    }
    interleaving_init(&e, p, &initial, members, k);
    const enum shape first =
        isolation_shape(levels, program_number(p, members[0].function));
    const enum shape last =
        isolation_shape(levels, program_number(p, members[k - 1].function));
    e.shape = first == SHAPE_INTERRUPTED ? first : last;
    // At si any visibility shows what one delayed transaction shows.
    if (!levels->levels && levels->common == LEVEL_SI && random_below(r, 2))
        e.shape = SHAPE_VISIBLE;
    const bool possible =
        e.shape == SHAPE_VISIBLE || e.shape == first || last == SHAPE_DELAYED;
    e.split = (uint32_t)random_below(r, 4);
    for (uint32_t i = 0; i < k; i++)
        e.visible[i] = (uint32_t)random_below(r, (uint64_t)1 << i);
    bad = bad && possible && interleaving_run(&e, levels);
    executions += bad;
    bad = bad && interleaving_explain(&e, order) == SERIAL_NONE;
    interleaving_free(&e);
    dataset_free(&initial);
    return bad;
}

static bool
is_delayed(const struct program *p, const struct level_choice *levels)
{
    for (uint32_t i = 0; i < p->functions.n; i++)
        if (isolation_shape(levels, i) == SHAPE_VISIBLE)
            return false;
    return true;
}

static void
look_at(const struct program *p, uint64_t seed, struct random *r)
{
    struct level_choice levels = {0};
    struct robust_proof proof;
    struct err err = {0};
    const struct search_limits limits = {
        .members = 2, .slots = 2, .seconds = 20};
    choose_levels(&levels, p, r);
    if (isolation_is_family(&levels)) {
        tried++;
        CHECK((is_delayed(p, &levels) ? proof_try : proof_try_paths)(
            p, &levels, &limits, &proof, &err));
        proved += proof.end == PROOF_DONE;
        for (uint32_t i = 0; proof.end == PROOF_DONE && i < TRIES; i++)
            if (is_anomaly(p, &levels, 2 + i % 2, r)) {
                CHECK(!"what is proved has no anomaly");
                printf("# seed %llu\n", (unsigned long long)seed);
                break;
            }
    }
    isolation_free(&levels);
}

static void
what_is_proved_has_no_anomaly(void)
{
    for (uint64_t seed = first_seed; seed < first_seed + programs; seed++) {
        struct random r;
        struct buf text = {0};
        struct program p = {0};
        struct err err = {0};
        random_seed(&r, seed);
        random_program(&r, &text);
        CHECK(program_read_text(&p, "random.sql", text.at, &err));
        for (int i = 0; i < 4; i++)
            look_at(&p, seed, &r);
        program_free(&p);
        buf_free(&text);
    }
    printf("# %llu of %llu proved, %llu executions that their levels allow\n",
           (unsigned long long)proved, (unsigned long long)tried,
           (unsigned long long)executions);
    CHECK(proved > 0 && executions > 0);
}

int
main(int argc, char **argv)
{
    take_range(argc, argv, &programs, &first_seed);
    RUN(what_is_proved_has_no_anomaly);
    return test_end();
}
