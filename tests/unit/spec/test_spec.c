/* test_spec.c -- specifications are read, walked through and played.
 *
 * SPDX-License-Identifier: MIT */
#include "test.h"

#include "spec/play.h"
#include "spec/statement.h"

#include <stdlib.h>
#include <unistd.h>

static const char two_by_two[] = "setup { create table t (id int primary key,\n"
                                 "  value int); insert into t values (1, 0) }\n"
                                 "session \"s 1\" # a comment\n"
                                 "step r1 { select value from t }\n"
                                 "step w1 { update t set value = 1 }\n"
                                 "session s2 setup { begin }\n"
                                 "step r2 { select value from t }\n"
                                 "step c2 { commit }\n";

static bool
parse(const char *text, struct spec *out, struct err *err)
{
    *err = (struct err){0};
    return spec_parse(text, strlen(text), out, err);
}

static void
a_specification_is_read(void)
{
    struct spec s;
    struct err err;
    char text[512];
    snprintf(text, sizeof text, "%spermutation r1 r2(*) w1 c2\n", two_by_two);
    CHECK(parse(text, &s, &err));
    CHECK(s.setups.n == 1 && s.sessions.n == 2 && s.steps.n == 4);
    CHECK_TEXT(s.sessions.at[0].name, "s 1");
    CHECK_TEXT(s.sessions.at[1].setup, " begin ");
    CHECK_TEXT(s.steps.at[2].sql, " select value from t ");
    CHECK(s.steps.at[2].session == 1);
    u32_vec order = {0};
    CHECK(spec_count(&s, 100) == 1 && spec_next(&s, 0, &order));
    CHECK(order.n == 4 && order.at[1] == 2 && order.at[2] == 1);
    CHECK(!spec_next(&s, 1, &order));
    vec_free(&order);
    spec_free(&s);
}

static void
all_interleavings_come_once_and_keep_sessions_in_order(void)
{
    struct spec s;
    struct err err;
    u32_vec order = {0};
    unsigned seen = 0, n = 0;
    CHECK(parse(two_by_two, &s, &err));
    CHECK(spec_count(&s, 100) == 6);
    while (spec_next(&s, n, &order)) {
        unsigned where[4], sessions = 0;
        n++;
        for (unsigned i = 0; i < 4; i++) {
            where[order.at[i]] = i;
            sessions |= s.steps.at[order.at[i]].session << i;
        }
        CHECK(where[0] < where[1] && where[2] < where[3]);
        CHECK(!(seen >> sessions & 1));
        seen |= 1u << sessions;
    }
    CHECK(n == 6);
    vec_free(&order);
    spec_free(&s);
}

static void
mistakes_are_told_with_their_place(void)
{
    static const struct {
        const char *text, *said;
        unsigned line, column;
    } mistakes[] = {
        {"", "a specification without steps", 0, 0},
        {"setup x", "expected '{' and SQL", 1, 7},
        {"session s\nstep a { select 1", "this '{' is not closed", 2, 8},
        {"step a { }", "a step outside a session", 1, 6},
        {"session s step a { } step a { }",
         "a step of this name was there already", 1, 27},
        {"session s step a { }\npermutation a b",
         "there is no step of this name", 2, 15},
        {"session s stop",
         "expected setup, teardown, session, step or permutation", 1, 11},
    };
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        struct spec s;
        struct err err;
        CHECK(!parse(mistakes[i].text, &s, &err));
        CHECK_TEXT(err.text, mistakes[i].said);
        CHECK(err.line == mistakes[i].line);
        CHECK(err.column == mistakes[i].column);
    }
}

static void
statements_are_understood(void)
{
    struct arena arena = {0};
    table_vec tables = {0};
    struct statement s;
    text_vec keys = {0};
    table_learn("create table t (a int, id int primary key, b text, "
                "check (a > 0))",
                &arena, &tables);
    CHECK(tables.n == 1 && tables.at[0].columns.n == 3);
    CHECK(tables.at[0].key == 1);
    statement_parse("SELECT sum(a) FROM t WHERE id IN (1, 2)", &tables, &arena,
                    &s);
    CHECK(s.kind == STATEMENT_SELECT && s.table == &tables.at[0]);
    CHECK_TEXT(s.rest, "WHERE id IN (1, 2)");
    statement_free(&s);
    statement_parse("update t set a = a + 1, b = 'x, y' where id = 7", &tables,
                    &arena, &s);
    CHECK(s.kind == STATEMENT_UPDATE && s.columns.n == 2 && s.values.n == 2);
    CHECK_TEXT(s.values.at[0], "a + 1");
    CHECK_TEXT(s.values.at[1], "'x, y'");
    CHECK(condition_keys(s.condition, "id", &arena, &keys) && keys.n == 1);
    CHECK_TEXT(keys.at[0], "7");
    statement_free(&s);
    statement_parse("insert into t (id, a) values (1, 2), (3, 4)", &tables,
                    &arena, &s);
    CHECK(s.kind == STATEMENT_INSERT && s.columns.n == 2 && s.values.n == 4);
    statement_free(&s);
    statement_parse("begin isolation level repeatable read, read only", &tables,
                    &arena, &s);
    CHECK(s.kind == STATEMENT_BEGIN);
    CHECK_TEXT(s.isolation, "repeatable read");
    statement_free(&s);
    statement_parse("select 1 from elsewhere", &tables, &arena, &s);
    CHECK(s.kind == STATEMENT_OTHER);
    statement_free(&s);
    CHECK(condition_keys("id in (1, 2)", "id", &arena, &keys) && keys.n == 2);
    CHECK(!condition_keys("id = 1 or id = 2", "id", &arena, &keys));
    CHECK(!condition_keys("a = 1", "id", &arena, &keys));
    vec_free(&keys);
    tables_free(&tables);
    arena_free(&arena);
}

/* The lines of the history that an interleaving leaves. */
static void
a_play_leaves_a_history(void)
{
    struct spec s;
    struct err err = {0};
    struct database db;
    struct played played;
    u32_vec order = {0};
    char path[] = "/tmp/assay-play-XXXXXX", line[4][256] = {""};
    const int fd = mkstemp(path);
    CHECK(fd >= 0 && close(fd) == 0);
    if (!driver_is_built("sqlite", &err)) {
        SKIP("this build leaves SQLite out");
        unlink(path);
        return;
    }
    CHECK(parse(two_by_two, &s, &err));
    CHECK(database_open("sqlite:", ISOLATION_UNCHANGED, NULL, &db, &err));
    CHECK(spec_next(&s, 0, &order)); // r1 w1 r2 c2
    CHECK(spec_play(&s, &db, &order, &(struct play_options){0.2}, path, &played,
                    &err));
    CHECK(played.is_possible && played.committed == 3 && !played.aborted);
    FILE *file = fopen(path, "r");
    for (int i = 0; i < 4 && file && fgets(line[i], sizeof line[i], file); i++)
        *strstr(line[i], ",\"start\"") = 0;
    if (file)
        fclose(file);
    CHECK_TEXT(line[0], "{\"session\":\"s 1\",\"ops\":[[\"r\","
                        "\"t:1:value\",null]]");
    CHECK_TEXT(line[1], "{\"session\":\"s 1\",\"ops\":[[\"w\","
                        "\"t:1:value\",1]]");
    CHECK_TEXT(line[2], "{\"session\":\"s2\",\"ops\":[[\"r\","
                        "\"t:1:value\",1]]");
    unlink(path);
    vec_free(&order);
    database_close(&db);
    spec_free(&s);
}

int
main(void)
{
    RUN(a_specification_is_read);
    RUN(all_interleavings_come_once_and_keep_sessions_in_order);
    RUN(mistakes_are_told_with_their_place);
    RUN(statements_are_understood);
    RUN(a_play_leaves_a_history);
    return test_end();
}
