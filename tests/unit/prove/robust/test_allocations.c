/* test_allocations.c -- the lowest level of each of SmallBank's programs, by
 * which of their reads are promoted to writes, against the table of the
 * robustness literature (read promotion and mixed allocation, 2025).
 *
 *     test_allocations [all]
 *
 * SPDX-License-Identifier: MIT */
#include "test.h"

#include "prove/program/read.h"
#include "prove/robust/repair/repair_site.h"
#include "prove/robust/weakest.h"

#include <stdlib.h>

enum { NONE = 0, SAVINGS = 1, CHECKING = 2, BOTH = 3 };

/* Levels of amalgamate, balance, deposit_checking, transact_savings and
 * write_check: R, S (si) or T (ser). */
struct row {
    unsigned balance, write_check; // reads that are promoted
    const char *levels;
    bool quick;
};

static const struct row rows[] = {
    // Amalgamate is T in the table: that it writes the checking account which
    // write_check writes is not known there.
    {NONE, NONE, "RTRTT", false},        {NONE, CHECKING, "RTRTT", false},
    {SAVINGS, NONE, "TTTTT", false},     {SAVINGS, CHECKING, "TTTTT", false},
    {NONE, SAVINGS, "RSRRS", false},     {NONE, BOTH, "RSRRR", false},
    {CHECKING, BOTH, "RSRRR", false},    {CHECKING, NONE, "RSRRS", false},
    {CHECKING, SAVINGS, "RSRRS", false}, {CHECKING, CHECKING, "RSRRS", false},
    {BOTH, NONE, "RRRRS", false},        {SAVINGS, SAVINGS, "RRRRS", false},
    {BOTH, SAVINGS, "RRRRS", false},     {BOTH, CHECKING, "RRRRS", false},
    {SAVINGS, BOTH, "RRRRR", true},      {BOTH, BOTH, "RRRRR", false},
};

static const char *const names[] = {"amalgamate", "balance", "deposit_checking",
                                    "transact_savings", "write_check"};
static bool all;

static bool
read_programs(struct program *p)
{
    const char *root = getenv("SOURCE_ROOT");
    static char path[1000]; // the program keeps it
    struct err err = {0};
    snprintf(path, sizeof path, "%s/examples/programs/smallbank_updates.sql",
             root ? root : ".");
    if (!program_read(p, (const char *const[]){path}, 1, &err))
        return false;
    for (uint32_t i = 0; i < 5; i++) {
        const uint32_t f = program_find_function(p, names[i]);
        CHECK(f >= i && f < p->functions.n);
        struct function *const swap = p->functions.at[i];
        p->functions.at[i] = p->functions.at[f];
        p->functions.at[f] = swap;
    }
    p->functions.n = 5;
    return true;
}

static void
look_at(const struct program *p, const struct row *row)
{
    const struct level_choice levels = {.common = LEVEL_SER};
    const struct search_limits limits = {
        .members = 2, .slots = 2, .seconds = 60};
    const uint32_t savings = program_find_table(p, "savings");
    repair_sites sites = {0};
    bool chosen[64] = {false};
    struct repaired c;
    struct weakest w;
    struct err err = {0};
    repair_sites_find(p, &levels, &sites);
    CHECK(sites.n < 64);
    for (size_t i = 0; i < sites.n; i++) {
        const struct repair_site *s = &sites.at[i];
        const unsigned promoted = s->function == 1   ? row->balance
                                  : s->function == 4 ? row->write_check
                                                     : 0;
        chosen[i] = s->kind == REPAIR_PROMOTE &&
                    promoted & (s->table == savings ? SAVINGS : CHECKING);
    }
    repaired_init(&c, p, &levels, &sites, chosen);
    CHECK(weakest_find(&c.program, &limits, 0, &w, &err));
    char got[6] = "";
    for (uint32_t f = 0; f < 5; f++)
        got[f] = w.functions[f] == LEVEL_RC   ? 'R'
                 : w.functions[f] == LEVEL_SI ? 'S'
                                              : 'T';
    CHECK_TEXT(got, row->levels);
    weakest_free(&w);
    repaired_free(&c);
    vec_free(&sites);
}

static void
allocations_are_those_of_the_table(void)
{
    struct program p = {0};
    CHECK(read_programs(&p));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (all || rows[i].quick)
            look_at(&p, &rows[i]);
    program_free(&p);
}

int
main(int argc, char **argv)
{
    all = argc > 1 && strcmp(argv[1], "all") == 0;
    RUN(allocations_are_those_of_the_table);
    return test_end();
}
