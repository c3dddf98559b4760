/* test_oracle.c -- the oracle against levels.md.
 *
 *     test_oracle [COUNT [SEED]]
 *
 * The examples of levels.md have the verdicts that it gives them, and on random
 * histories two ways to apply the definitions agree.
 *
 * SPDX-License-Identifier: MIT */
#include "oracle.h"
#include "random_history.h"
#include "range.h"
#include "test.h"

static uint64_t first_seed = 1;
static uint64_t histories = 3000;

#define BIT(l) (1u << (l))
static const level_set every_level = BIT(LEVELS) - 1;
static const level_set up_to_cc =
    BIT(LEVEL_READS) | BIT(LEVEL_RC) | BIT(LEVEL_RA) | BIT(LEVEL_CC);

/* Whether exactly these levels hold. */
static bool
holds_at(const char *text, level_set expected)
{
    struct record r;
    record_parse(&r, text);
    struct buf shown = {0};
    record_show(&r, &shown);
    bool fine = strcmp(shown.at, text) == 0;
    if (!fine)
        printf("# '%s' is shown as '%s'\n", text, shown.at);
    buf_free(&shown);
    for (int l = 0; l < LEVELS; l++) {
        const enum oracle_answer answer = oracle(&r, (enum level)l);
        const bool ok =
            answer == ((expected >> l & 1) ? ORACLE_OK : ORACLE_VIOLATED);
        if (!ok)
            printf("# %s: %s is not %s\n", text, level_table[l].brief,
                   (expected >> l & 1) ? "ok" : "violated");
        fine &= ok;
    }
    record_free(&r);
    return fine;
}

static void
indeterminate_transactions_are_a_choice(void)
{
    CHECK(holds_at("[x:=1]? --- [x==1 x:=1]", every_level));
    CHECK(holds_at("[x:=1] [x:=2] --- [x:=1]? --- [x==2] [x==1]", every_level));
    CHECK(holds_at("[x:=1]? --- [z:=9]! --- [z==9 x:=1]? --- [x==1]",
                   every_level));
    CHECK(holds_at("[x:=5]? --- [x==5] [x:=5]", every_level));
    CHECK(holds_at("[z:=9]! --- [z==9 x:=1]? --- [x==1]", 0));
    // Whoever is read from counts, with all it wrote.
    CHECK(holds_at("[x:=1 y:=2]? --- [x==1 y==?]", BIT(LEVEL_READS)));
}

static void
the_initial_state_comes_first(void)
{
    CHECK(holds_at("[x:=1] [x==?]", BIT(LEVEL_READS) | BIT(LEVEL_RC)));
    // Recording the loading is part of it, and nothing else is.
    CHECK(
        holds_at("[x:=?] --- [x:=1] [x==?]", BIT(LEVEL_READS) | BIT(LEVEL_RC)));
    CHECK(holds_at("[y:=1] [x:=?] --- [x:=1] [x==?]", every_level));
    CHECK(holds_at("[x:=1]! [x:=?] --- [x:=1] [x==?]", every_level));
}

static void
lists_that_violate_every_level(void)
{
    CHECK(holds_at("[l+=1 l+=2] --- [l==[2]]", 0));
    CHECK(holds_at("[l+=1 l+=2 l==[2]]", 0));
    CHECK(holds_at("[l+=1 l+=2] [l+=3] --- [l==[2 1 3]]", 0));
    CHECK(holds_at("[l+=1 l+=2]? --- [l+=3] --- [l==[1 3]]", 0));
    CHECK(holds_at("[l+=1] [l+=2 l==[2]]", BIT(LEVEL_READS)));
    CHECK(holds_at("[l==[1 2] l+=1] --- [l+=2]", 0));
    CHECK(holds_at("[l+=1 l+=2] --- [l==[1]]", 0));
    CHECK(holds_at("[l+=1 l+=2] --- [l+=3] --- [l==[1 3 2]]", 0));
    CHECK(holds_at("[l+=1] --- [l+=2] --- [l==[1 2]] --- [l==[2 1]]", 0));
    CHECK(holds_at("[l+=1]! --- [l==[1]]", 0));
    CHECK(holds_at("[l==[1]]", 0));
    CHECK(holds_at("[l+=1] --- [l==[1 1]]", 0));
    // Both cannot have been the first to append.
    CHECK(holds_at("[l+=1 l==[1]] --- [l+=1 l==[1]]", 0));
}

static void
lists_that_hold_everywhere(void)
{
    CHECK(holds_at("[l+=1]! --- [l+=1] --- [l==[1]]", every_level));
    CHECK(holds_at("[l+=1] --- [l+=2] --- [l==[1 2]] --- [l==[2 1]]?",
                   every_level));
    CHECK(holds_at("[l+=1 l+=2 l==[1 2] l+=3] --- [l==[1 2 3]]", every_level));
    CHECK(holds_at("[l==[1] l+=1] --- [l+=1]", every_level));
}

static void
lists_that_hold_at_some_levels(void)
{
    CHECK(holds_at("[l+=1 x:=1] --- [l+=2] --- [l==[1 2] x==?]", up_to_cc));
    // What stands before own elements was read when the list was taken up.
    CHECK(holds_at("[l+=1] --- [l==[] l+=2 l==[1 2]]",
                   BIT(LEVEL_READS) | BIT(LEVEL_RC)));
    CHECK(holds_at("[l+=1]? --- [l==[] l+=2 l==[1 2]]",
                   BIT(LEVEL_READS) | BIT(LEVEL_RC)));
    CHECK(holds_at("[l+=1 x:=5]? --- [l+=2 l==[1 2]] [x==?]",
                   BIT(LEVEL_READS) | BIT(LEVEL_RC) | BIT(LEVEL_RA)));
    // Of a list only the last element's transaction is read from.
    CHECK(holds_at("[x:=1 l+=1] --- [l+=2] --- [l==[1 2]] [x==?]", up_to_cc));
}

static void
time_binds_only_the_strict_levels(void)
{
    const level_set strict = BIT(LEVEL_STRICT_SI) | BIT(LEVEL_STRICT_SER);
    CHECK(holds_at("[x:=1]@1..2 --- [x==?]@3..4", every_level & ~strict));
    CHECK(holds_at("[x:=1]@1..3 --- [x==?]@2..4", every_level));
    // When an indeterminate one took effect, nobody knows.
    CHECK(holds_at("[x:=1]?@1..2 --- [x==?]@3..4 [x==1]@5..6", every_level));
}

/* --- random histories -----------------------------------------------------*/

static struct random_shape
shape_of(uint64_t seed)
{
    struct random_shape shape = seed % 3 == 0   ? random_list_shape(seed, 4)
                                : seed % 3 == 1 ? random_optional_shape(seed, 4)
                                                : random_tiny_shape(seed, 4);
    return shape;
}

static void
two_ways_agree(void)
{
    static const enum level levels[] = {LEVEL_RC, LEVEL_RA, LEVEL_CC,
                                        LEVEL_PC, LEVEL_SI, LEVEL_SER};
    uint64_t ok[LEVELS] = {0};
    for (uint64_t i = 0; i < histories && test_ok; i++) {
        struct record r;
        const struct random_shape shape = shape_of(first_seed + i);
        random_record(&shape, first_seed + i, &r);
        for (int j = 0; j < 6; j++) {
            const enum oracle_answer one = oracle(&r, levels[j]);
            CHECK(one != ORACLE_TOO_LONG);
            CHECK(one == oracle_by_axiom(&r, levels[j]));
            ok[levels[j]] += one == ORACLE_OK;
            if (!test_ok) {
                struct buf shown = {0};
                record_show(&r, &shown);
                printf("# %s: %s\n", level_table[levels[j]].brief, shown.at);
                buf_free(&shown);
                break;
            }
        }
        record_free(&r);
    }
    for (int j = 0; j < 6; j++)
        printf("# %s: %llu of %llu ok\n", level_table[levels[j]].brief,
               (unsigned long long)ok[levels[j]],
               (unsigned long long)histories);
}

static void
stronger_levels_imply_weaker_ones(void)
{
    for (uint64_t i = 0; i < histories && test_ok; i++) {
        struct record r;
        struct random_shape shape = shape_of(first_seed + i);
        shape.times = true;
        random_record(&shape, first_seed + i, &r);
        level_set ok = 0;
        for (int l = 0; l < LEVELS; l++)
            if (oracle(&r, (enum level)l) == ORACLE_OK)
                ok |= BIT(l);
        for (int l = 0; l < LEVELS; l++)
            if (ok >> l & 1)
                CHECK(!(level_implied((enum level)l) & ~ok));
        record_free(&r);
    }
}

int
main(int argc, char **argv)
{
    take_range(argc, argv, &histories, &first_seed);
    RUN(indeterminate_transactions_are_a_choice);
    RUN(the_initial_state_comes_first);
    RUN(lists_that_violate_every_level);
    RUN(lists_that_hold_everywhere);
    RUN(lists_that_hold_at_some_levels);
    RUN(time_binds_only_the_strict_levels);
    RUN(two_ways_agree);
    RUN(stronger_levels_imply_weaker_ones);
    return test_end();
}
