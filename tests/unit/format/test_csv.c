/* test_csv.c -- tables of operations: which rows are a transaction, what a
 * field means, outcomes and times.
 *
 * SPDX-License-Identifier: MIT */
#include "format/told.h"

#include "format/scan/scan_time.h"

#define CSV &format_csv
#define HEAD "session,transaction,operation,key,value"

static void
a_row_is_an_operation(void)
{
    CHECK(means(CSV,
                HEAD "\n"
                     "1,7,read,x,\n"
                     "2,8,write,x,5\n"
                     "1,7,write,x,-3\n"
                     "2,9,read,y,caf\xc3\xa9\n",
                "1: 7 r(x, nil) w(x, -3); 2: 8 w(x, 5); "
                "2: 9 r(y, \"caf\xc3\xa9\")"));
}

static void
columns_come_in_any_order(void)
{
    CHECK(means(CSV,
                "\xef\xbb\xbfValue;KEY;op;txn;Session\r\n"
                "5;x;W;1;a\r\n"
                "\r\n"
                ";y;R;1;a\r\n",
                "a: 1 w(x, 5) r(y, nil)"));
}

static void
names_that_sessions_share_are_left_out(void)
{
    CHECK(means(CSV, HEAD "\n1,1,r,x,\n2,1,r,x,\n",
                "1: r(x, nil); "
                "2: r(x, nil)"));
}

static void
only_short_decimals_are_integers(void)
{
    CHECK(means(CSV,
                HEAD "\n"
                     "1,1,r,a,7\n1,1,r,b,\"7\"\n1,1,r,c,07\n1,1,r,d,1.0\n"
                     "1,1,r,e,\"\"\n1,1,r,f,\"a\n\"\"b\"\"\"\n1,1,r,g,-0\n"
                     "1,1,r,h,18446744073709551615\n"
                     "1,1,r,i,18446744073709551616\n",
                "1: 1 r(a, 7) r(b, 7) r(c, \"07\") r(d, 1.0) r(e, \"\") "
                "r(f, \"a\\n\\\"b\\\"\") r(g, \"-0\") "
                "r(h, 18446744073709551615) "
                "r(i, \"18446744073709551616\")"));
}

static void
outcomes_are_in_a_column_or_in_rows(void)
{
    CHECK(means(CSV,
                HEAD ",status\n"
                     "1,1,w,x,1,aborted\n1,2,w,x,2,\n1,3,w,x,3,Unknown\n"
                     "1,2,r,x,2,committed\n",
                "1: 1! w(x, 1); 1: 2 w(x, 2) r(x, 2); 1: 3? w(x, 3)"));
    CHECK(means(CSV,
                HEAD "\n"
                     "1,1,begin,,\n1,1,w,x,1\n1,1,rollback,,\n"
                     "1,2,w,x,2\n1,2,commit,,\n1,3,w,x,3\n",
                "1: 1! w(x, 1); 1: 2 w(x, 2); 1: 3? w(x, 3)"));
}

static void
times_are_of_the_first_and_the_last_row(void)
{
    CHECK(means(CSV,
                HEAD ",start,end\n"
                     "1,1,w,x,1,5,6\n1,1,w,y,1,7,9\n1,2,w,x,2,,10\n",
                "1: 1 w(x, 1) w(y, 1) @5..9; 1: 2 w(x, 2) @-..10"));
}

static void
times_may_be_dates(void)
{
    static const struct {
        const char *text;
        int64_t time;
        enum scan_clock clock;
    } cases[] = {
        {"1970-01-01T00:00:00Z", 0, CLOCK_ZONE},
        {"1970-01-01 00:00:00.000000001", 1, CLOCK_LOCAL},
        {"1970-01-01T01:00+01:00", 0, CLOCK_ZONE},
        {"1969-12-31T23:00:00.5-0100", 500000000, CLOCK_ZONE},
        {"2000-02-29T12:34:56Z", 951827696000000000, CLOCK_ZONE},
        {"2026-11-16T17:14:10.25+00", 1794849250250000000, CLOCK_ZONE},
        {"1999-03-01T00:00Z", 920246400000000000, CLOCK_ZONE},
    };
    static const char *const wrong[] = {
        "2001-02-29T00:00Z",
        "2026-13-01T00:00Z",
        "2026-11-16",
        "2026-11-16T24:00Z",
        "26-11-16T00:00Z",
        "2026-11-16T00:00Zx",
        "2026-11-16T00:00:00.Z",
        "",
        "1600-01-01T00:00Z",
    };
    int64_t time;
    enum scan_clock clock;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct span text = {cases[i].text, strlen(cases[i].text)};
        CHECK(scan_time_parse(text, &time, &clock) && time == cases[i].time &&
              clock == cases[i].clock);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const struct span text = {wrong[i], strlen(wrong[i])};
        CHECK(!scan_time_parse(text, &time, &clock));
    }
    CHECK(means(CSV,
                HEAD ",start,end\n"
                     "1,1,w,x,1,1970-01-01T00:00:00.000000005Z,"
                     "1970-01-01T00:00:00.000000006Z\n",
                "1: 1 w(x, 1) @5..6"));
}

int
main(void)
{
    RUN(a_row_is_an_operation);
    RUN(columns_come_in_any_order);
    RUN(names_that_sessions_share_are_left_out);
    RUN(only_short_decimals_are_integers);
    RUN(outcomes_are_in_a_column_or_in_rows);
    RUN(times_are_of_the_first_and_the_last_row);
    RUN(times_may_be_dates);
    return test_end();
}
