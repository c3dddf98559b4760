/* test_advice.c -- advice fits the database and the level of a run.
 *
 * SPDX-License-Identifier: MIT */
#include "test.h"

#include "explain/advice.h"

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

int
main(void)
{
    RUN(every_kind_has_advice);
    RUN(the_level_in_use_is_not_recommended);
    RUN(documented_behaviour_is_not_denied);
    RUN(what_is_not_known_gets_the_general_advice);
    return test_end();
}
