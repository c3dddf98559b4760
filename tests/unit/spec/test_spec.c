/* test_spec.c -- specifications are read and walked through.
 *
 * SPDX-License-Identifier: MIT */
#include "test.h"

#include "spec/spec.h"

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
    CHECK_TEXT(s.sessions.at[1].setup.sql, " begin ");
    CHECK_TEXT(s.steps.at[2].block.sql, " select value from t ");
    CHECK(s.steps.at[2].block.line == 7 && s.steps.at[2].block.column == 10);
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
         "another step has this name already", 1, 27},
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

int
main(void)
{
    RUN(a_specification_is_read);
    RUN(all_interleavings_come_once_and_keep_sessions_in_order);
    RUN(mistakes_are_told_with_their_place);
    return test_end();
}
