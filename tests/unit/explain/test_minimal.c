/* test_minimal.c -- reduced histories violate the level, and no transaction can
 * be left out.
 *
 * SPDX-License-Identifier: MIT */
#include "corpus.h"
#include "explained.h"
#include "random_history.h"

#include <unistd.h>

/* As a file, too, the reduced history violates the level. */
static void
check_file(const struct anomaly *a, enum level level)
{
    const char *dir = getenv("TMPDIR");
    struct buf path = {0};
    struct err err = {0};
    struct history again;
    buf_printf(&path, "%s/assay-reduced-XXXXXX", dir ? dir : "/tmp");
    const int file = mkstemp(path.at);
    CHECK(file >= 0);
    close(file);
    const struct format *format = format_find("jsonl");
    if (format->holds(&a->reduced, &err)) {
        CHECK(format_write(&a->reduced, format, path.at, &err));
        CHECK(format_read(path.at, "jsonl", 1, &again, NULL, &err));
        CHECK(is_violated(&again, level));
        history_free(&again);
    }
    unlink(path.at);
    buf_free(&path);
}

static void
check_case(struct corpus_case *c)
{
    for (int l = 0; l < LEVELS; l++) {
        struct explanation e;
        if (!(c->violated >> l & 1) || !explain(&c->h, (enum level)l, 3, &e))
            continue;
        const bool before = test_ok;
        for (size_t i = 0; i < e.anomalies.n; i++)
            check_anomaly(&e.anomalies.at[i], (enum level)l);
        check_file(&e.anomalies.at[0], (enum level)l);
        if (before && !test_ok)
            printf("# first in %s at %s\n", c->name, level_table[l].brief);
        explanation_free(&e);
    }
}

/* Whether fewer than 'size' of the transactions of h violate the level. */
static bool
fewer_violate(const struct history *h, enum level level, size_t size)
{
    struct err err = {0};
    txn_id picked[16], origin[16];
    bool found = false;
    for (uint32_t set = 1; !found && set < 1u << h->n_txns; set++) {
        size_t n = 0;
        for (txn_id t = 0; t < h->n_txns; t++)
            if (set >> t & 1 && h->txn_counts[t])
                picked[n++] = t;
        if (!n || n >= size)
            continue;
        struct history part;
        const struct subhistory_selection selection = {.txns = picked, .n = n};
        CHECK(subhistory_make(h, &selection, &part, origin, &err));
        found = is_violated(&part, level);
        for (txn_id t = 0; t < part.n_txns; t++)
            found = found && part.txn_status[t] != TXN_LOADING;
        history_free(&part);
    }
    return found;
}

static void
check_fewest(struct corpus_case *c)
{
    for (int l = LEVEL_RC; l <= LEVEL_CC; l++) {
        struct explanation e;
        if (!(c->violated >> l & 1) || !explain(&c->h, (enum level)l, 1, &e))
            continue;
        const struct anomaly *a = &e.anomalies.at[0];
        if (a->kind > ANOMALY_DUPLICATE)
            CHECK(!fewer_violate(&c->h, (enum level)l, a->involved));
        explanation_free(&e);
    }
}

static void
tiny_histories_are_reduced_to_the_fewest_transactions(void)
{
    if (!corpus_each("tiny", check_fewest))
        SKIP("the corpus is not here (ASSAY_CORPUS)");
}

static void
reduced_tiny_histories_are_minimal(void)
{
    if (!corpus_each("tiny", check_case))
        SKIP("the corpus is not here (ASSAY_CORPUS)");
}

static void
reduced_named_histories_are_minimal(void)
{
    if (!corpus_each("named", check_case))
        SKIP("the corpus is not here (ASSAY_CORPUS)");
}

static void
reduced_real_histories_are_minimal(void)
{
    if (!corpus_each("real", check_case))
        SKIP("the corpus is not here (ASSAY_CORPUS)");
}

static void
check_random(uint64_t seed, struct random_shape shape)
{
    shape.times = seed % 3 == 0;
    struct corpus_case c = {.name = "a random history"};
    random_history(&shape, seed, &c.h);
    c.violated = level_implied(shape.times ? LEVEL_STRICT_SER : LEVEL_SER) &
                 ~(1u << LEVEL_READS);
    const bool before = test_ok;
    test_ok = true;
    check_case(&c);
    if (!test_ok)
        printf("# seed %llu\n", (unsigned long long)seed);
    test_ok = test_ok && before;
    history_free(&c.h);
}

static void
check_text(const char *text, enum level level)
{
    struct corpus_case c = {
        .name = text, .violated = level_implied(level) & ~(1u << LEVEL_READS)};
    hist(&c.h, text);
    check_case(&c);
    history_free(&c.h);
}

/* Found by random histories: other mistakes in the same transactions. */
static void
other_mistakes_in_the_same_transactions_do_no_harm(void)
{
    // An element that an aborted transaction appended, in a list that also
    // contradicts another.
    check_text("[l+=3]! [l==[3 4]] --- [l+=4] [l+=10 l==[10]]", LEVEL_SER);
    // A transaction that read its own element before it appended it.
    check_text("[l+=6 l==[6]] --- [l==[1 6] l+=1]", LEVEL_SER);
    // An unknown end: the first transaction may have ended much later.
    check_text("[x:=1]?@1..2 [x==2]@5..9 --- [x:=2]@4..6 --- [x==1]@8..10",
               LEVEL_STRICT_SER);
}

/* Without a budget, the transactions of the evidence are shown unreduced. */
static void
check_hurried(uint64_t seed)
{
    struct random_shape shape = seed % 4 == 0
                                    ? random_plain_list_shape(seed, 12)
                                    : random_tiny_shape(seed, 12);
    shape.aborted = 20;
    shape.initial = 30;
    shape.indeterminate = 0;
    struct history h;
    random_history(&shape, seed, &h);
    for (int l = LEVEL_RC; l <= LEVEL_SER; l++) {
        struct explanation e;
        if (!explain_within(-100, &h, (enum level)l, 2, &e))
            continue;
        for (size_t i = 0; i < e.anomalies.n; i++) {
            const struct anomaly *a = &e.anomalies.at[i];
            check_edges(a);
            CHECK(a->unfinished || is_flaw(a));
            CHECK(is_violated(&a->reduced, (enum level)l));
        }
        explanation_free(&e);
    }
    history_free(&h);
}

/* How many seeds: SEEDS in the environment asks for more. */
static uint64_t
seeds(void)
{
    const char *const wanted = getenv("SEEDS");
    return wanted ? strtoull(wanted, NULL, 10) : 40;
}

static void
reduced_random_histories_are_minimal(void)
{
    for (uint64_t seed = 1; seed <= seeds(); seed++)
        check_random(seed, random_tiny_shape(seed, 12));
}

/* Whoever counts is a choice. */
static void
reduced_random_optional_histories_are_minimal(void)
{
    for (uint64_t seed = 1; seed <= seeds(); seed++)
        check_random(seed, random_optional_shape(seed, 8));
}

static void
reduced_random_lists_are_minimal(void)
{
    for (uint64_t seed = 1; seed <= seeds(); seed++)
        check_random(seed, random_plain_list_shape(seed, 12));
    // Several appends, own reads and damaged lists in one transaction.
    for (uint64_t seed = 1; seed <= seeds(); seed++) {
        struct random_shape shape = random_list_shape(seed, 10);
        shape.indeterminate = 0;
        shape.repeats = 0;
        check_random(seed, shape);
    }
}

static void
every_violation_has_an_anomaly_however_small_the_budget(void)
{
    for (uint64_t seed = 1; seed <= 3 * seeds(); seed++)
        check_hurried(seed);
}

static void
the_oracle_decided_many_cases(void)
{
    printf("# %zu times\n", asked_oracle);
    CHECK(asked_oracle > 100);
}

int
main(void)
{
    RUN(reduced_named_histories_are_minimal);
    RUN(reduced_tiny_histories_are_minimal);
    RUN(tiny_histories_are_reduced_to_the_fewest_transactions);
    RUN(reduced_real_histories_are_minimal);
    RUN(other_mistakes_in_the_same_transactions_do_no_harm);
    RUN(reduced_random_histories_are_minimal);
    RUN(reduced_random_optional_histories_are_minimal);
    RUN(reduced_random_lists_are_minimal);
    RUN(every_violation_has_an_anomaly_however_small_the_budget);
    RUN(the_oracle_decided_many_cases);
    return test_end();
}
