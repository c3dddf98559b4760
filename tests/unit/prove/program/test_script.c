/* test_script.c -- pgbench scripts to be run: expressions, branches, values in
 * statements.
 *
 * SPDX-License-Identifier: MIT */
#include "test.h"

#include "prove/program/pgbench/pgbench_script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const given[] = {"scale", NULL};
static struct random numbers;

/* The value of an expression in which x is 7 and y 100.0, or why there is
 * none. */
static const char *
value_of(const char *text)
{
    static char shown[512];
    struct pgbench_bindings b = {0};
    struct pgbench_number x = {0};
    struct err err = {0};
    pgbench_bind(&b, "x", 1, "7");
    pgbench_bind(&b, "name", 4, "'Ann'");
    pgbench_bind_number(&b, "y", 1,
                        (struct pgbench_number){.is_real = true, .real = 100});
    if (!pgbench_evaluate(text, strlen(text), &b, &numbers, &x, &err))
        snprintf(shown, sizeof shown, "%s", err.text);
    else if (x.is_real)
        snprintf(shown, sizeof shown, "%g", x.real);
    else
        snprintf(shown, sizeof shown, "%lld", (long long)x.integer);
    pgbench_bindings_free(&b);
    return shown;
}

static void
expressions_have_the_value_that_pgbench_gives_them(void)
{
    static const char *const cases[][2] = {
        {"1 + 2 * 3", "7"},
        {"(1 + 2) * 3", "9"},
        {"10 - 4 - 3", "3"},
        {"-:x + 10", "3"},
        {"7 / 2", "3"},
        {"-7 % 3", "-1"},
        {"7 / 2.0", "3.5"},
        {":x > 6 and not :x >= 8", "1"},
        {"1 = 2 or 3 <> 4", "1"},
        {"1 + 1 = 2 and true", "1"},
        {"least(3, :x, 2) + greatest(1, 5)", "7"},
        {"abs(-4) * mod(9, 5)", "16"},
        {"int(3.9) - -1", "5"},
        {"int(-2.7)", "-3"},
        {"greatest(3, 2.5) / 2", "1.5"},
        {":y / 3 * 3", "100"},
        {"random(5, 5)", "5"},
        {"random(1 + :x, 8 * 1)", "8"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_TEXT(value_of(cases[i][0]), cases[i][1]);
}

static void
expressions_that_are_not_understood_are_refused(void)
{
    static const char *const cases[][2] = {
        {"1 / 0", "division by zero"},
        {"9223372036854775808",
         "found '9223372036854775808', expected a number"},
        {"9223372036854775807 + 1",
         "a number that is too large, expected one of 64 bits"},
        {"(1 + 2", "found 'the end of the line', expected ')'"},
        {"1 2", "found '2', expected an operator of + - * / % < <= > >= = <> "
                "and or, or the end of the line"},
        {":z", "variable ':z' has no value"},
        {":name + 1", "variable ':name' is 'Ann', expected a number"},
        {"random(1)", "'random' has 1 arguments, expected 2"},
        {"random(5, 1)",
         "found the range 5 to 1, expected two integers in order"},
        {"sqrt(4)",
         "found 'sqrt', expected a number, a variable, random, "
         "random_zipfian, random_exponential, random_gaussian, abs, least, "
         "greatest, mod, int or '('"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_TEXT(value_of(cases[i][0]), cases[i][1]);
}

static void
numbers_are_drawn_from_the_whole_range_and_no_other(void)
{
    static const char *const functions[] = {
        "random(-2, 2)", "random_zipfian(-2, 2, 1.2)",
        "random_exponential(-2, 2, 3)", "random_gaussian(-2, 2, 2.5)"};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        int seen = 0;
        for (int n = 0; n < 3000; n++) {
            const long x = strtol(value_of(functions[i]), NULL, 10);
            CHECK(x >= -2 && x <= 2);
            seen |= 1 << (x + 2);
        }
        CHECK(seen == 31);
    }
}

/* The statements that a script sends, with '|' between them; or an error. */
static const char *
sent_by(const char *text, const char *x)
{
    static char shown[512];
    struct pgbench_script s;
    struct pgbench_bindings b = {0};
    struct buf out = {0};
    struct err err = {0};
    bool ok = pgbench_script_read(&s, "f.sql", text, given, &err);
    const bool is_read = ok;
    pgbench_bind(&b, "scale", 5, "1");
    if (x)
        pgbench_bind(&b, "x", 1, x);
    for (size_t i = 0; ok && i < s.read.commands.n;)
        if (s.read.commands.at[i].kind > COMMAND_ROLLBACK) {
            ok = pgbench_script_step(&s, i, &b, &numbers, &i, &err);
        } else {
            ok = pgbench_script_fill(&s, i++, &b, NULL, &out, &err);
            buf_char(&out, '|');
        }
    if (ok)
        snprintf(shown, sizeof shown, "%s", out.n ? out.at : "");
    else
        err_format(&err, shown, sizeof shown);
    if (is_read)
        pgbench_script_free(&s);
    pgbench_bindings_free(&b);
    buf_free(&out);
    return shown;
}

static void
branches_are_chosen_by_their_conditions(void)
{
    static const char text[] =
        "select 1 as x \\gset\n\\if :x > 5\na;\n\\if :x = "
        "7\nb;\n\\endif\n\\elif :x = 5\nc;\n\\else\nd;\n"
        "\\endif\ne;\n";
    CHECK_TEXT(sent_by(text, "7"), "select 1 as x |a|b|e|");
    CHECK_TEXT(sent_by(text, "6"), "select 1 as x |a|e|");
    CHECK_TEXT(sent_by(text, "5"), "select 1 as x |c|e|");
    CHECK_TEXT(sent_by(text, "4"), "select 1 as x |d|e|");
}

static void
values_replace_variables_in_statements(void)
{
    CHECK_TEXT(sent_by("\\set y -3 * :scale\nselect 1-:y, ':y2'::text;", NULL),
               "select 1-(-3), ':y2'::text|");
    CHECK_TEXT(sent_by("\\set y 1.5\nselect :y;", NULL), "select 1.5|");
}

static void
mistakes_of_scripts_have_their_line(void)
{
    CHECK_TEXT(sent_by("select 1;\nselect :y;", NULL),
               "f.sql:2: variable ':y' is never set, expected \\set or \\gset");
    CHECK_TEXT(sent_by("\\if 1\nselect 1;", NULL),
               "f.sql:1: found \\if, expected \\endif after it");
    CHECK_TEXT(sent_by("select 1;\n\\else\n", NULL),
               "f.sql:2: found \\elif, \\else or \\endif, expected \\if before "
               "it");
    CHECK_TEXT(sent_by("\\set y 1\n\\set y 1 / (:y - 1)\n", NULL),
               "f.sql:2: division by zero");
    CHECK_TEXT(sent_by("\\sleep 1 h\n", NULL),
               "f.sql:1: found another unit after \\sleep, expected us, ms or "
               "s");
}

int
main(void)
{
    random_seed(&numbers, 1);
    RUN(expressions_have_the_value_that_pgbench_gives_them);
    RUN(expressions_that_are_not_understood_are_refused);
    RUN(numbers_are_drawn_from_the_whole_range_and_no_other);
    RUN(branches_are_chosen_by_their_conditions);
    RUN(values_replace_variables_in_statements);
    RUN(mistakes_of_scripts_have_their_line);
    return test_end();
}
