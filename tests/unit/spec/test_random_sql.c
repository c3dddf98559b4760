/* test_random_sql.c -- a seed gives the same SQL always, and a part that is
 * left out takes nothing else with it.
 *
 * SPDX-License-Identifier: MIT */
#include "test.h"

#include "spec/workload/random_sql.h"

static size_t
lines_of(const struct random_sql *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->schema.n; i++)
        n += r->schema.at[i] == '\n';
    for (size_t s = 0; s < RANDOM_SQL_SCRIPTS; s++)
        for (size_t i = 0; i < r->scripts[s].n; i++)
            n += r->scripts[s].at[i] == '\n';
    return n;
}

static bool
are_equal(const struct random_sql *a, const struct random_sql *b)
{
    bool ok = strcmp(a->schema.at, b->schema.at) == 0;
    for (size_t s = 0; s < RANDOM_SQL_SCRIPTS; s++)
        ok = ok && a->scripts[s].n == b->scripts[s].n &&
             (!a->scripts[s].n ||
              strcmp(a->scripts[s].at, b->scripts[s].at) == 0);
    return ok;
}

static void
a_seed_gives_the_same_text(void)
{
    size_t different = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct random_sql a, b, c;
        random_sql_make(seed, 0, "postgresql", &a);
        random_sql_make(seed, 0, "postgresql", &b);
        random_sql_make(seed + 1, 0, "postgresql", &c);
        CHECK(are_equal(&a, &b));
        different += !are_equal(&a, &c);
        random_sql_free(&a);
        random_sql_free(&b);
        random_sql_free(&c);
    }
    CHECK(different == 200);
}

static void
a_part_that_is_left_out_takes_nothing_else_with_it(void)
{
    for (uint64_t seed = 1; seed <= 100; seed++) {
        struct random_sql all, less;
        random_sql_make(seed, 0, "sqlite", &all);
        CHECK(all.parts > 2 && all.parts <= RANDOM_SQL_PARTS);
        for (unsigned i = 0; i < all.parts; i++) {
            random_sql_make(seed, UINT64_C(1) << i, "sqlite", &less);
            const size_t gone = lines_of(&all) - lines_of(&less);
            // One line, two of a row that is replaced, or a whole transaction.
            const bool is_empty = all.empty >> i & 1;
            CHECK(less.parts == all.parts && gone <= 7);
            CHECK(gone ? !is_empty : is_empty);
            random_sql_free(&less);
        }
        random_sql_make(seed, UINT64_MAX, "sqlite", &less);
        CHECK(strstr(less.schema.at, "create table r0"));
        CHECK(!strstr(less.schema.at, "create index"));
        CHECK(!less.scripts[0].n);
        random_sql_free(&less);
        random_sql_free(&all);
    }
}

static void
parts_have_the_same_numbers_on_every_product(void)
{
    for (uint64_t seed = 1; seed <= 100; seed++) {
        struct random_sql a, b;
        random_sql_make(seed, 0, "duckdb", &a);
        random_sql_make(seed, 0, "", &b);
        CHECK(a.parts == b.parts);
        random_sql_free(&a);
        random_sql_free(&b);
    }
}

static void
only_what_a_product_has_is_made(void)
{
    size_t partial = 0, cascades = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct random_sql pg, maria;
        random_sql_make(seed, 0, "postgresql", &pg);
        random_sql_make(seed, 0, "mariadb", &maria);
        partial += strstr(pg.schema.at, ") where ") != NULL;
        cascades += strstr(pg.schema.at, "cascade") != NULL;
        CHECK(!strstr(maria.schema.at, ") where "));
        CHECK(!strstr(maria.schema.at, "cascade"));
        random_sql_free(&pg);
        random_sql_free(&maria);
    }
    CHECK(partial > 10 && cascades > 10);
}

static void
names_are_read_or_refused(void)
{
    struct random_sql_name n;
    struct err err = {0};
    CHECK(random_sql_is("random") && random_sql_is("random:7"));
    CHECK(!random_sql_is("randomly") && !random_sql_is("random.sql"));
    CHECK(random_sql_parse("random", &n, &err) && !n.has_seed);
    CHECK(random_sql_parse("random:7", &n, &err) && n.seed == 7);
    CHECK(random_sql_parse("random:7:2c", &n, &err) && n.left_out == 0x2c);
    static const char *const bad[] = {"random:",    "random:x",   "random:-1",
                                      "random:7:",  "random:7:g", "random:7:-1",
                                      "random:7:1x"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        err = (struct err){0};
        CHECK(!random_sql_parse(bad[i], &n, &err) && err.kind == ERR_USAGE);
    }
}

int
main(void)
{
    RUN(a_seed_gives_the_same_text);
    RUN(a_part_that_is_left_out_takes_nothing_else_with_it);
    RUN(parts_have_the_same_numbers_on_every_product);
    RUN(only_what_a_product_has_is_made);
    RUN(names_are_read_or_refused);
    return test_end();
}
