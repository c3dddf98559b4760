/* test_json.c -- Jepsen's logs in JSON: an array or lines, and that it means
 * what the same log means in EDN.
 *
 * SPDX-License-Identifier: MIT */
#include "format/told.h"

#define JSON &format_json

static void
an_array_and_lines_mean_the_same(void)
{
    const char *meaning = "0: w(x, 1) r(y, nil) @0..1; 1: ? w(x, 2) @2..-";
    CHECK(means(JSON,
                "[{\"type\":\"invoke\",\"process\":0,\"value\":"
                "[[\"w\",\"x\",1],[\"r\",\"y\",null]]},\n"
                " {\"type\":\"ok\",\"process\":0,\"value\":"
                "[[\"w\",\"x\",1],[\"r\",\"y\",null]]} ,\n"
                " {\"type\":\"invoke\",\"process\":1,\"value\":"
                "[[\"w\",\"x\",2]]}]\n",
                meaning));
    CHECK(means(JSON,
                "{\"type\":\"invoke\",\"process\":0,\"value\":"
                "[[\"w\",\"x\",1],[\"r\",\"y\",null]]}\n"
                "{\"type\":\"ok\",\"process\":0,\"value\":"
                "[[\"w\",\"x\",1],\n[\"r\",\"y\",null]]}\n\n"
                "{\"type\":\"invoke\",\"process\":1,\"value\":"
                "[[\"w\",\"x\",2]]}\n",
                meaning));
}

static void
an_empty_log_is_an_empty_history(void)
{
    CHECK(means(JSON, "[]", ""));
    CHECK(means(JSON, " \n", ""));
}

static void
values_may_be_any_json(void)
{
    CHECK(means(JSON,
                "{\"type\":\"ok\",\"process\":0,\"value\":[[\"w\",true,1.50],"
                "[\"w\",[1,\"a\"],{\"b\":null,\"a\":-0}],"
                "[\"append\",2,123456789012345678901]],\"time\":1.0}",
                "0: w(true, 1.5) w(\"[1 \\\"a\\\"]\", "
                "\"{\\\"a\\\" 0 \\\"b\\\" nil}\") "
                "append(2, 123456789012345678901N) {\"time\":1.0}"));
}

static void
a_cut_log_is_whole_between_entries_only(void)
{
    CHECK(count_readable_cuts(
              JSON, "{\"type\":\"ok\",\"process\":0,\"value\":"
                    "[[\"r\",1,[1.5,true]]],\"a\":\"\\u00e9\"}\n"
                    "{\"type\":\"ok\",\"process\":0,\"value\":[]}") == 4);
    CHECK(count_readable_cuts(JSON, "[{\"type\":\"ok\",\"process\":0,"
                                    "\"value\":[]}]") == 2);
}

static void
damage_is_survived(void)
{
    survive_damage(JSON, "[{\"type\":\"invoke\",\"process\":0,\"value\":"
                         "[[\"r\",1,null]]},{\"type\":\"ok\",\"process\":0,"
                         "\"value\":[[\"r\",1,[2,3.5e1]]],\"a\":{}}]\n");
}

static void
depth_is_limited(void)
{
    const char *const openers[] = {"[", "{\"a\":"};
    for (size_t i = 0; i < sizeof openers / sizeof *openers; i++) {
        char *deep = repeated(openers[i], 100000, "");
        struct history h;
        struct err err = {0};
        CHECK(!read_text(JSON, deep, &h, &err));
        CHECK(err.kind == ERR_LIMIT);
        mem_free(deep);
    }
}

static void
a_log_is_written_as_lines(void)
{
    const char *log =
        "{\"type\":\"invoke\",\"process\":7,\"f\":\"txn\",\"value\":"
        "[[\"w\",\"x\",1.5],[\"r\",[1],null]]}\n"
        "{\"type\":\"ok\",\"process\":7,\"f\":\"txn\",\"value\":"
        "[[\"w\",\"x\",1.5],[\"r\",[1],{\"a\":true}]],\"txn-id\":\"a\","
        "\"error\":[null,1.0]}\n"
        "{\"type\":\"invoke\",\"process\":7,\"f\":\"txn\",\"value\":"
        "[[\"r\",\"x\",null]]}\n"
        "{\"type\":\"fail\",\"process\":7,\"f\":\"txn\",\"value\":"
        "[[\"r\",\"x\",1.5]],\"meta\":{\"type\":1}}\n";
    CHECK(writes(JSON, log, JSON, log));
    CHECK(survives(JSON, log, JSON));
    CHECK(survives(JSON, log, &format_edn));
}

static void
what_json_cannot_say_is_refused(void)
{
    CHECK(writes(&format_edn, "{:type :ok :process 0 :value [[:w :x #{1}]]}",
                 JSON,
                 "format 'json' cannot hold value \"#{1}\": it has no JSON "
                 "notation"));
    CHECK(writes(&format_edn,
                 "{:type :ok :process 0 :value [[:w 1 :a] [:w 1 \"a\"]]}", JSON,
                 "format 'json' cannot hold value a: it is both a string and "
                 "a keyword"));
}

int
main(void)
{
    RUN(an_array_and_lines_mean_the_same);
    RUN(an_empty_log_is_an_empty_history);
    RUN(values_may_be_any_json);
    RUN(a_cut_log_is_whole_between_entries_only);
    RUN(damage_is_survived);
    RUN(depth_is_limited);
    RUN(a_log_is_written_as_lines);
    RUN(what_json_cannot_say_is_refused);
    return test_end();
}
