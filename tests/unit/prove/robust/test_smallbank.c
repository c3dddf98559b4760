/* test_smallbank.c -- every set of SmallBank's programs, against the table of
 * the robustness literature (read promotion and mixed allocation, 2025).
 *
 * What is robust there is proved here.  What is not is an anomaly, but for two
 * sets at si, which are proved because amalgamate writes the checking account
 * that write_check writes, a fact that templates without keys do not know.
 *
 * SPDX-License-Identifier: MIT */
#include "test.h"

#include "prove/program/read.h"
#include "prove/robust/prove.h"

#include <stdlib.h>

enum { AM = 1, BAL = 2, DC = 4, TS = 8, WC = 16, SETS = 32 };

static const char *const names[] = {"amalgamate", "balance", "deposit_checking",
                                    "transact_savings", "write_check"};

/* The largest robust sets; every subset of one is robust, and no other. */
static const unsigned at_si[] = {BAL | DC | WC, AM | BAL | DC | TS,
                                 AM | DC | TS | WC};
static const unsigned at_rc[] = {AM | DC | TS, BAL | DC, BAL | TS};

/* Keep the functions of a set. */
static void
select_functions(struct program *p, unsigned set)
{
    size_t n = 0;
    for (size_t i = 0; i < p->functions.n; i++)
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            if ((set >> k & 1) &&
                strcmp(p->functions.at[i]->name, names[k]) == 0)
                p->functions.at[n++] = p->functions.at[i];
    p->functions.n = n;
}

static enum prove_verdict
verdict_of(unsigned set, enum level level, uint32_t members)
{
    const char *root = getenv("SOURCE_ROOT");
    char path[1000];
    struct program p = {0};
    struct err err = {0};
    struct prove_result r = {0};
    const struct search_limits limits = {
        .members = members, .slots = 2, .seconds = 60};
    snprintf(path, sizeof path, "%s/examples/programs/smallbank_updates.sql",
             root ? root : ".");
    CHECK(program_read(&p, (const char *const[]){path}, 1, &err));
    select_functions(&p, set);
    CHECK(prove_level(&p, &(struct level_choice){.common = level}, &limits, &r,
                      &err));
    const enum prove_verdict verdict = r.verdict;
    prove_free(&r);
    program_free(&p);
    return verdict;
}

static bool
is_robust(unsigned set, const unsigned largest[3])
{
    for (int i = 0; i < 3; i++)
        if ((set & largest[i]) == set)
            return true;
    return false;
}

static void
sets_at_snapshot_isolation_agree_with_the_table(void)
{
    for (unsigned set = 1; set < SETS; set++) {
        const bool knows_keys =
            set == (AM | BAL | WC) || set == (AM | BAL | DC | WC);
        const enum prove_verdict expected =
            is_robust(set, at_si) || knows_keys ? PROVE_PROVED : PROVE_ANOMALY;
        CHECK(verdict_of(set, LEVEL_SI, 3) == expected);
    }
}

static void
sets_at_read_committed_agree_with_the_table(void)
{
    for (unsigned set = 1; set < SETS; set++) {
        // Its anomaly takes four: balance, transact_savings, another balance,
        // deposit_checking.
        const uint32_t members = set == (BAL | DC | TS) ? 4 : 3;
        const enum prove_verdict expected =
            is_robust(set, at_rc) ? PROVE_PROVED : PROVE_ANOMALY;
        CHECK(verdict_of(set, LEVEL_RC, members) == expected);
    }
}

int
main(void)
{
    RUN(sets_at_snapshot_isolation_agree_with_the_table);
    RUN(sets_at_read_committed_agree_with_the_table);
    return test_end();
}
