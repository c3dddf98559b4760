/* test_capacity.c -- every capacity is reached and named, and none of them
 * changes a verdict.
 *
 * This program is linked with a core whose capacities are variables.  For each
 * of them, and each of some histories, it looks for the least number with
 * which the history is still decided: with that one the verdicts are those of
 * the whole capacity, and with one less the program stops and says of what
 * there was too much.  So a capacity that is off by one, or not asked about,
 * shows.
 *
 * SPDX-License-Identifier: MIT */
#include "hist.h"
#include "test.h"

#include "base/limits/capacity.h"
#include "check/check.h"
#include "evidence/certificate_read.h"
#include "evidence/certificate_write.h"
#include "gen/gen.h"

#include <inttypes.h>
#include <sys/wait.h>
#include <unistd.h>

uint64_t capacity_most[CAPACITIES];

enum { ROOM = 1 << 12, OF_A_CAPACITY = 1 << 12 };

static const uint64_t defaults[CAPACITIES] = {
#define CAPACITY_MOST(name, most, what) [CAPACITY_##name] = (most),
    CAPACITY_TABLE(CAPACITY_MOST)
#undef CAPACITY_MOST
};

/* --- histories -------------------------------------------------------------*/

static const char *const texts[] = {
    // Text, lists that disagree, times.
    "[key:=\"a\"]@1..2 [key==\"a\" \"other key\":=\"b\"]@3..4 --- "
    "[l+=1]@1..2 --- [l+=2]@2..3 --- [l==[1 2]]@5..6 --- [l==[2 1]]@5..6",
    // What stands before the own elements of a list is a read of its own.
    "[m+=1] --- [m+=2 m==[1 2]] --- [m+=3 m==[1 2 3] m==[1 2 3]]",
    // A lost update, and a long way round at cc.
    "[x:=1 y:=1] --- [x==1 x:=2] [a:=1] --- [x==1 x:=3] [a==1 b:=1] --- "
    "[b==1 x==3 y==?]",
    // Nothing works, and only a proof by cases shows it.
    "[x:=1 y:=1] [x:=2 y:=2] --- [x:=1 y:=2] [x:=2 y:=1] --- "
    "[x==1 y==1] [x==2 y==1] [x==1 y==2] --- "
    "[x==2 y==2] [x==1 y==2] [x==2 y==1] --- "
    "[y==1 x==2] [y==2 x==1] [x==1 y==1]",
};
enum { TEXTS = sizeof texts / sizeof *texts, SEEDS = 6 };

/* The i-th history: one of the texts, or a generated one with duplicates. */
static bool
make_history(size_t i, struct history *h, struct err *err)
{
    if (i < TEXTS) {
        struct input in = {
            .name = "hist", .data = texts[i], .size = strlen(texts[i])};
        struct builder *b = builder_new(atom_nil());
        if (format_hist.read(&in, b, err))
            return builder_finish(b, h, err);
        builder_free(b);
        return false;
    }
    const struct gen_shape shape = {.level = LEVEL_SI,
                                    .sessions = 4,
                                    .transactions = 30,
                                    .operations = 4,
                                    .keys = 4,
                                    .reads = 0.5,
                                    .duplicates = 0.5,
                                    .values = 3,
                                    .lag = 8,
                                    .seed = i};
    return gen_history(&shape, h, err);
}

/* --- runs in a process of their own ------------------------------------------
 */

/* Check a history at all levels and print the verdicts, the certificates
 * written, read and all. */
static void
decide(size_t i)
{
    struct history h;
    struct err err = {0};
    if (!make_history(i, &h, &err)) {
        printf("assay: %s", err.text);
        return;
    }
    for (enum level l = LEVEL_READS; l < LEVELS; l++) {
        if (l >= LEVEL_STRICT_SI && !h.txn_began)
            continue;
        const struct check_options o = {.levels = 1u << l,
                                        .threads = 1,
                                        .verify = true,
                                        .most_flaws = 10,
                                        .strong = strong_defaults};
        struct check c;
        if (!check_history(&h, &o, &c, &err)) {
            printf("%s", err.text);
            return;
        }
        struct buf text = {0};
        struct certificate again = {0};
        certificate_write(&h, &c.results.at[0].certificate, &text);
        const bool read = certificate_read(&h, text.at, text.n, &again, &err);
        printf("%s %d%s; ", level_table[l].brief,
               c.results.at[0].certificate.verdict, read ? "" : err.text);
        certificate_free(&again);
        buf_free(&text);
        check_free(&c);
    }
    history_free(&h);
}

/* Decide in a child, and keep what it says. */
static void
run(size_t i, char said[ROOM])
{
    int ends[2];
    fflush(stdout);
    if (pipe(ends) != 0)
        abort();
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 1);
        dup2(ends[1], 2);
        decide(i);
        fflush(stdout);
        _exit(0);
    }
    close(ends[1]);
    size_t n = 0;
    for (ssize_t more = 1; more > 0; n += (size_t)more)
        more = read(ends[0], said + n, n < ROOM - 1 ? ROOM - 1 - n : 0);
    said[n] = 0;
    close(ends[0]);
    waitpid(child, NULL, 0);
}

/* Whether a run stopped for the want of c alone. */
static bool
names_capacity(const char *said, enum capacity c)
{
    char expected[128];
    snprintf(expected, sizeof expected, "assay: more than %" PRIu64 " %s",
             capacity_most[c], capacity_name(c));
    return strncmp(said, expected, strlen(expected)) == 0;
}

/* The least number of c with which history i is decided as 'whole' says; all
 * numbers below have to be refused. */
static uint64_t
least(enum capacity c, size_t i, const char *whole)
{
    char said[ROOM];
    uint64_t low = 0, high = OF_A_CAPACITY;
    while (low < high) {
        capacity_most[c] = low + (high - low) / 2;
        run(i, said);
        const bool refused = names_capacity(said, c);
        if (!refused && strcmp(said, whole) != 0) {
            printf("# %s %" PRIu64 ": %s\n", capacity_name(c), capacity_most[c],
                   said);
            CHECK(!"a verdict that depends on a capacity");
        }
        if (refused)
            low = capacity_most[c] + 1;
        else
            high = capacity_most[c];
    }
    capacity_most[c] = defaults[c];
    return low;
}

static char whole[TEXTS + SEEDS][ROOM];

static void
each_capacity_is_reached_and_named(void)
{
    for (int c = 0; c < CAPACITIES; c++) {
        if (c == CAPACITY_EPOCHS)
            continue;
        uint64_t most = 0;
        for (size_t i = 0; i < TEXTS + SEEDS; i++) {
            const uint64_t n = least((enum capacity)c, i, whole[i]);
            most = n > most ? n : most;
        }
        printf("# %s: %" PRIu64 "\n", capacity_name((enum capacity)c), most);
        CHECK(most > 0);
    }
}

static void
stamps_are_cleared_when_epochs_are_used_up(void)
{
    char said[ROOM];
    for (uint64_t epochs = 1; epochs < 8; epochs++)
        for (size_t i = 0; i < TEXTS + SEEDS; i++) {
            capacity_most[CAPACITY_EPOCHS] = epochs;
            run(i, said);
            CHECK_TEXT(said, whole[i]);
        }
    capacity_most[CAPACITY_EPOCHS] = defaults[CAPACITY_EPOCHS];
}

int
main(void)
{
    memcpy(capacity_most, defaults, sizeof defaults);
    for (size_t i = 0; i < TEXTS + SEEDS; i++) {
        run(i, whole[i]);
        printf("# %s\n", whole[i]);
    }
    RUN(each_capacity_is_reached_and_named);
    RUN(stamps_are_cleared_when_epochs_are_used_up);
    return test_end();
}
