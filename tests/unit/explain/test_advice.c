/* test_advice.c -- advice fits the database and the level of a run.
 *
 * SPDX-License-Identifier: MIT */
#include "test.h"

#include "explain/advice.h"
#include "explain/promise.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[ADVICE_ISOLATIONS] = {
    [ADVICE_READ_UNCOMMITTED] = "READ UNCOMMITTED",
    [ADVICE_READ_COMMITTED] = "READ COMMITTED",
    [ADVICE_REPEATABLE_READ] = "REPEATABLE READ",
    [ADVICE_SERIALIZABLE] = "SERIALIZABLE"};

/* Whether the text recommends the level. */
static bool
recommends(const char *text, const char *level)
{
    static const char *const forms[] = {"Use %s", "use %s",
                                        "on PostgreSQL, %s"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct buf form = {0};
        const char *at = strstr(forms[i], "%s");
        buf_add(&form, forms[i], (size_t)(at - forms[i]));
        buf_text(&form, level);
        const bool found = strstr(text, form.at);
        buf_free(&form);
        if (found)
            return true;
    }
    return false;
}

static void
every_kind_has_advice(void)
{
    for (int k = 0; k < ANOMALY_KINDS; k++) {
        const struct anomaly_advice *a = &advice_table[k];
        CHECK(a->risk && *a->risk && a->remedy && *a->remedy);
        CHECK(!a->forbidden_from == !a->instead);
        // A level that the remedy recommends is one that the table knows of.
        for (int l = ADVICE_READ_COMMITTED; l < ADVICE_ISOLATIONS; l++)
            CHECK(!recommends(a->remedy, names[l]) || a->forbidden_from);
    }
}

static void
the_level_in_use_is_not_recommended(void)
{
    for (int k = 0; k < ANOMALY_KINDS; k++)
        for (int used = 1; used < ADVICE_ISOLATIONS; used++) {
            struct buf text = {0};
            advice_remedy((enum anomaly_kind)k, "PostgreSQL 15.18",
                          (enum advice_isolation)used, &text);
            for (int l = 1; l <= used; l++) {
                const bool wrong = recommends(text.at, names[l]);
                if (wrong)
                    printf("# %s at %s: %s\n", anomaly_table[k].name,
                           names[used], text.at);
                CHECK(!wrong);
            }
            buf_free(&text);
        }
}

/* doc/databases.md has these anomalies as what the database does at the level:
 * the advice must not call them impossible. */
static void
documented_behaviour_is_not_denied(void)
{
    static const struct {
        enum anomaly_kind kind;
        const char *database, *level, *row; // how the row of the page begins
    } facts[] = {
        {ANOMALY_NOT_OWN, "PostgreSQL 15.18", "repeatable read",
         "| PostgreSQL 15.18, REPEATABLE READ | an insert succeeds"},
        {ANOMALY_NOT_OWN, "MariaDB 10.11", "repeatable read",
         "| MariaDB 10.11, REPEATABLE READ (MDEV-26642) |"},
        {ANOMALY_FRACTURED, "MariaDB 10.11", "repeatable read",
         "| MariaDB 10.11, REPEATABLE READ | half of another"},
        {ANOMALY_PHANTOM_READ, "MariaDB 10.11", "repeatable read",
         "| MariaDB 10.11, REPEATABLE READ | a phantom after"},
        {ANOMALY_WRITE_SKEW, "H2 2.1.214", "serializable",
         "| H2 2.1.214, SERIALIZABLE, by PostgreSQL's protocol | write skew"},
    };
    struct buf path = {0}, page = {0};
    buf_printf(&path, "%s/doc/databases.md", getenv("SOURCE_ROOT"));
    FILE *file = fopen(path.at, "r");
    CHECK(file);
    char piece[4096];
    size_t n;
    while (file && (n = fread(piece, 1, sizeof piece, file)) > 0)
        buf_add(&page, piece, n);
    if (file)
        fclose(file);
    for (size_t i = 0; page.n && i < sizeof facts / sizeof *facts; i++) {
        struct buf text = {0};
        advice_remedy(facts[i].kind, facts[i].database,
                      advice_isolation_of(facts[i].level), &text);
        CHECK(strstr(page.at, facts[i].row));
        CHECK(strstr(text.at, " was requested, and "));
        CHECK(strstr(text.at, facts[i].database));
        CHECK(!strstr(advice_table[facts[i].kind].remedy, "No level"));
        CHECK(!strstr(text.at, "allows this"));
        buf_free(&text);
    }
    buf_free(&path);
    buf_free(&page);
}

static void
what_is_not_known_gets_the_general_advice(void)
{
    struct buf text = {0};
    advice_remedy(ANOMALY_WRITE_SKEW, "", ADVICE_NO_ISOLATION, &text);
    CHECK_TEXT(text.at, advice_table[ANOMALY_WRITE_SKEW].remedy);
    CHECK(advice_isolation_of("") == ADVICE_NO_ISOLATION);
    CHECK(advice_isolation_of("serializable, read committed") ==
          ADVICE_NO_ISOLATION);
    CHECK(advice_isolation_of("Repeatable Read") == ADVICE_REPEATABLE_READ);
    buf_free(&text);
}

/* A user of one product is not sent to the settings of another. */
static void
advice_names_no_other_product(void)
{
    static const struct {
        const char *database, *words[4]; // what others have
    } all[] = {
        {"PostgreSQL 15.18", {"MariaDB", "MySQL", "innodb", "wsrep"}},
        {"MariaDB 10.11", {"PostgreSQL", "synchronous_commit"}},
        {"SQLite 3.40.1",
         {"MariaDB", "PostgreSQL", "FOR UPDATE", "SERIALIZABLE"}},
        {"DuckDB 1.5.6",
         {"MariaDB", "PostgreSQL", "FOR UPDATE", "Use SERIALIZABLE"}},
    };
    // These kinds are mistakes of a recording, or of one product.
    const uint32_t left_out = 1u << ANOMALY_NOT_OWN | 1u << ANOMALY_LOST_APPEND;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (int k = 0; k < ANOMALY_KINDS; k++) {
            struct buf text = {0};
            if (left_out >> k & 1 || (i > 1 && (k == ANOMALY_LOST_COMMIT ||
                                                k == ANOMALY_READ_YOUR_WRITES ||
                                                k == ANOMALY_NON_MONOTONIC)))
                continue;
            advice_remedy((enum anomaly_kind)k, all[i].database,
                          ADVICE_NO_ISOLATION, &text);
            for (size_t w = 0; w < 4 && all[i].words[w]; w++) {
                const char *found = strstr(text.at, all[i].words[w]);
                if (found)
                    printf("# %s on %s: %s\n", anomaly_table[k].name,
                           all[i].database, text.at);
                CHECK(!found);
            }
            buf_free(&text);
        }
}

static void
promises_are_those_of_the_manuals(void)
{
    struct promise p;
    CHECK(promise_find("PostgreSQL 15.18", ADVICE_REPEATABLE_READ, "", &p));
    CHECK(p.level == LEVEL_SI);
    CHECK_TEXT(p.name, "PostgreSQL");
    CHECK(promise_find("SQLite 3.40.1", ADVICE_NO_ISOLATION, "", &p));
    CHECK(p.level == LEVEL_SER);
    CHECK(promise_find("MariaDB 11.8", ADVICE_REPEATABLE_READ,
                       "a = b\ninnodb_snapshot_isolation = ON", &p));
    CHECK(p.level == LEVEL_SI);
    CHECK(promise_find("MySQL 8.4", ADVICE_REPEATABLE_READ, "", &p));
    CHECK(p.level == LEVEL_RC);
    CHECK_TEXT(p.name, "MySQL");
    CHECK(!promise_find("PostgreSQL 15.18", ADVICE_NO_ISOLATION, "", &p));
    CHECK(!promise_find("Firebird 3.0", ADVICE_SERIALIZABLE, "", &p));
    CHECK(!promise_find("H2 2.1.214", ADVICE_SERIALIZABLE, "", &p));
    CHECK(!promise_find("exec:./store", ADVICE_SERIALIZABLE, "", &p));
}

int
main(void)
{
    RUN(every_kind_has_advice);
    RUN(the_level_in_use_is_not_recommended);
    RUN(documented_behaviour_is_not_denied);
    RUN(what_is_not_known_gets_the_general_advice);
    RUN(advice_names_no_other_product);
    RUN(promises_are_those_of_the_manuals);
    return test_end();
}
