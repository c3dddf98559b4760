/* test_jsonl.c -- our own format: what its entries mean, what it refuses, and
 * that writing gives back what was read.
 *
 * SPDX-License-Identifier: MIT */
#include "format/told.h"

#define JSONL &format_jsonl

static void
a_line_is_a_transaction(void)
{
    CHECK(means(JSONL, "", ""));
    CHECK(means(JSONL, "{\"session\":1,\"ops\":[]}", "1:"));
    CHECK(
        means(JSONL,
              "{\"session\":1,\"ops\":[[\"r\",\"x\",5],[\"w\",\"y\",\"a\"]]}\n"
              "{\"session\":1,\"ops\":[[\"r\",7,null]]}\n",
              "1: r(x, 5) w(y, a); 1: r(7, nil)"));
}

static void
sessions_interleave_as_they_like(void)
{
    CHECK(means(JSONL,
                "{\"session\":\"b\",\"ops\":[[\"w\",1,1]]}\n"
                "{\"session\":\"a\",\"ops\":[[\"w\",1,2]]}\n"
                "{\"session\":\"b\",\"ops\":[[\"w\",1,3]]}\n",
                "b: w(1, 1); b: w(1, 3); a: w(1, 2)"));
}

static void
every_entry_is_kept(void)
{
    CHECK(means(JSONL,
                "{\"session\":1,\"id\":\"pay-17\",\"status\":\"aborted\","
                "\"start\":1200,\"end\":1350,\"ops\":[[\"append\",\"l\",3],"
                "[\"r\",\"l\",[1,2,3]]],"
                "\"meta\":{ \"node\" : \"n1\", \"tries\":[1, 2.50] }}",
                "1: pay-17! append(l, 3) r(l, [1 2 3]) @1200..1350 "
                "{\"node\":\"n1\",\"tries\":[1,2.50]}"));
}

static void
entries_come_in_any_order(void)
{
    CHECK(means(JSONL,
                "{\"ops\":[[\"w\",\"x\",\"]}\"]],\"end\":9,\"id\":3,"
                "\"session\":4,\"start\":8}",
                "4: 3 w(x, \"]}\") @8..9"));
}

static void
an_outcome_that_stays_unknown_leaves_its_session(void)
{
    CHECK(means(JSONL,
                "{\"session\":1,\"status\":\"unknown\",\"ops\":[[\"w\",1,1]]}\n"
                "{\"session\":1,\"status\":\"unknown\"}\n"
                "{\"session\":1,\"ops\":[[\"w\",1,2]]}\n",
                "1: w(1, 2); 1-unknown-1: ? w(1, 1)"));
    // A session that has the name already is another one.
    CHECK(means(
        JSONL,
        "{\"session\":\"a-unknown-1\",\"ops\":[[\"w\",1,1]]}\n"
        "{\"session\":\"a\",\"status\":\"unknown\",\"ops\":[[\"w\",1,2]]}\n"
        "{\"session\":\"a\",\"status\":\"unknown\"}\n",
        "a-unknown-1: w(1, 1); a-unknown-2: ? w(1, 2)"));
}

static void
white_space_and_blank_lines_mean_nothing(void)
{
    CHECK(means(JSONL,
                "\xef\xbb\xbf\n \t\r\n { \"session\" : 1 , \"ops\" : "
                "[ [ \"r\" , \"x\" , [ 1 , 2 ] ] ] } \r\n\n",
                "1: r(x, [1 2])"));
}

static void
an_unknown_outcome_has_no_end(void)
{
    CHECK(means(JSONL,
                "{\"session\":1,\"status\":\"unknown\",\"start\":5,\"end\":9,"
                "\"ops\":[[\"w\",1,1]]}",
                "1: ? w(1, 1) @5..-"));
}

static void
a_time_may_be_known_at_one_end_only(void)
{
    CHECK(means(JSONL,
                "{\"session\":1,\"start\":5,\"ops\":[]}\n"
                "{\"session\":2,\"end\":-6,\"ops\":[]}\n"
                "{\"session\":3,\"ops\":[]}\n",
                "1: @5..-; 2: @-..-6; 3: @-..-"));
}

static void
integers_have_64_bits(void)
{
    CHECK(means(JSONL,
                "{\"session\":1,\"ops\":[[\"w\",-9223372036854775808,"
                "18446744073709551615],[\"w\",9223372036854775807,-0]]}",
                "1: w(-9223372036854775808, 18446744073709551615) "
                "w(9223372036854775807, 0)"));
    CHECK(fails(JSONL,
                "{\"session\":1,\"ops\":[[\"w\",1,18446744073709551616]]}",
                "1:28: found '18446744073709551616', expected an integer of "
                "at most 64 bits"));
    CHECK(fails(JSONL,
                "{\"session\":1,\"ops\":[[\"w\",-9223372036854775809,1]]}",
                "1:26: found '-9223372036854775809', expected an integer of "
                "at most 64 bits"));
}

static void
strings_are_decoded(void)
{
    CHECK(means(JSONL,
                "{\"session\":\"\\u0041\\ud83d\\ude00\",\"ops\":"
                "[[\"w\",\"a\\/b\",\"\\\"\\n\\u0001\xc3\xa9\"]]}",
                "\"A\xf0\x9f\x98\x80\": w(a/b, \"\\\"\\n\\u0001\xc3\xa9\")"));
    CHECK(means(JSONL, "{\"sess\\u0069on\":1,\"ops\":[[\"\\u0072\",1,2]]}",
                "1: r(1, 2)"));
}

static void
a_string_is_not_the_integer_it_looks_like(void)
{
    struct history h;
    struct err err = {0};
    CHECK(read_text(JSONL,
                    "{\"session\":1,\"ops\":[[\"w\",\"7\",\"1\"],[\"w\",7,1]]}",
                    &h, &err));
    CHECK(h.n_keys == 2 && h.n_values == 3);
    history_free(&h);
}

static void
loading_is_recognised(void)
{
    CHECK(means(JSONL,
                "{\"session\":0,\"ops\":[[\"w\",\"x\",null]]}\n"
                "{\"session\":1,\"ops\":[[\"r\",\"x\",null]]}\n",
                "0: * w(x, nil); 1: r(x, nil)"));
}

static void
a_cut_file_is_whole_at_line_ends_only(void)
{
    // Nothing, the first line without and with its end, and the same again.
    CHECK(count_readable_cuts(
              JSONL, "{\"session\":1,\"id\":2,\"ops\":[[\"w\",1,\"a\"]]}\n"
                     "{\"ops\":[[\"r\",2,[1]]],\"session\":12,"
                     "\"meta\":{\"a\":[{}]}}\n") == 5);
}

static void
damage_is_survived(void)
{
    survive_damage(JSONL,
                   "{\"session\":1,\"ops\":[[\"r\",\"l\",[1,\"\\u00e9\"]]],"
                   "\"start\":-1,\"meta\":{\"a\":[1.5e3,null]}}\n");
}

static void
depth_is_limited(void)
{
    char *deep = repeated("[", 100000, "");
    struct buf text = {0};
    buf_text(&text, "{\"meta\":{\"a\":");
    buf_text(&text, deep);
    CHECK(fails(JSONL, text.at, "1:213: values nested deeper than 200 levels"));
    buf_clear(&text);
    buf_text(&text, "{\"ops\":");
    buf_text(&text, deep);
    CHECK(fails(JSONL, text.at,
                "1:100008: the input ends here, expected ']' or '}'"));
    buf_free(&text);
    mem_free(deep);
}

static void
a_key_is_a_register_or_a_list(void)
{
    CHECK(fails(JSONL,
                "{\"session\":1,\"ops\":[[\"w\",\"x\",1]]}\n"
                "{\"session\":1,\"ops\":[[\"append\",\"x\",2]]}\n",
                "2:21: key x is used both as a register and as a list"));
    CHECK(means(JSONL,
                "{\"session\":1,\"ops\":[[\"r\",\"x\",null],[\"r\",\"x\",[]],"
                "[\"append\",\"x\",0]]}",
                "1: r(x, []) r(x, []) append(x, 0)"));
}

#define FIRST "{\"recording\":\"begin\"}\n"
#define LAST "{\"recording\":\"end\"}\n"

static void
an_outcome_may_follow_in_a_line_of_its_own(void)
{
    CHECK(means(JSONL,
                "{\"session\":1,\"status\":\"unknown\",\"start\":5,"
                "\"ops\":[[\"w\",1,1]]}\n"
                "{\"session\":2,\"status\":\"unknown\",\"start\":6,"
                "\"ops\":[[\"r\",1,1]]}\n"
                "{\"session\":2,\"status\":\"aborted\",\"end\":7}\n"
                "{\"session\":1,\"status\":\"committed\",\"end\":9}\n"
                "{\"session\":1,\"status\":\"unknown\",\"ops\":[]}\n",
                "1: w(1, 1) @5..9; 1: ? @-..-; 2: ! r(1, 1) @6..7"));
    CHECK(means(JSONL,
                "{\"session\":1,\"status\":\"unknown\",\"ops\":[]}\n"
                "{\"session\":1,\"status\":\"committed\"}\n",
                "1:"));
}

static void
an_outcome_belongs_to_the_last_transaction_of_its_session(void)
{
    static const char *const texts[] = {
        "{\"session\":1,\"status\":\"committed\"}\n",
        "{\"session\":2,\"status\":\"unknown\",\"ops\":[]}\n"
        "{\"session\":1,\"status\":\"committed\"}\n",
        "{\"session\":1,\"ops\":[]}\n"
        "{\"session\":1,\"status\":\"committed\"}\n",
        "{\"session\":1,\"status\":\"unknown\",\"ops\":[]}\n"
        "{\"session\":1,\"ops\":[]}\n"
        "{\"session\":1,\"status\":\"committed\"}\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct history h;
        struct err err = {0};
        CHECK(!read_text(JSONL, texts[i], &h, &err));
        CHECK_TEXT(err.text, "an outcome, but no transaction of the session "
                             "is pending");
    }
}

static bool
was_cut(const char *text)
{
    struct history h;
    struct err err = {0};
    const bool ok = read_text(JSONL, text, &h, &err);
    CHECK(ok);
    const bool is_cut = ok && h.is_cut;
    if (ok)
        history_free(&h);
    return is_cut;
}

static void
a_recording_without_its_last_line_was_cut(void)
{
    CHECK(!was_cut("{\"session\":1,\"ops\":[]}\n"));
    CHECK(!was_cut(FIRST LAST));
    CHECK(!was_cut(FIRST "{\"session\":1,\"ops\":[]}\n" LAST "\n"));
    CHECK(was_cut(FIRST));
    CHECK(was_cut(FIRST "{\"session\":1,\"ops\":[]}\n\n\n"));
}

/* Wherever a recorder is killed, what is left can be read. */
static void
a_recording_can_be_cut_anywhere(void)
{
    static const char text[] =
        FIRST "{\"session\":1,\"status\":\"unknown\",\"start\":5,"
              "\"ops\":[[\"w\",\"}\",1]],\"meta\":{\"node\":{}}}\n"
              "{\"session\":1,\"status\":\"committed\",\"end\":7}\n"
              "{\"session\":2,\"ops\":[[\"r\",\"}\",1]]}\n" LAST;
    const size_t end = sizeof text - sizeof LAST;
    for (size_t n = sizeof FIRST - 1; n < sizeof text; n++) {
        struct buf cut = {0};
        struct history h;
        struct err err = {0};
        buf_add(&cut, text, n);
        // The window of a journal has empty lines behind the last one.
        for (int i = 0; i < 3; i++, buf_char(&cut, '\n')) {
            CHECK(read_text(JSONL, cut.at, &h, &err));
            CHECK(h.is_cut == (n < end + sizeof LAST - 2));
            CHECK(h.n_txns <= 2);
            CHECK(!h.n_txns || h.txn_status[0] == TXN_INDETERMINATE ||
                  h.txn_status[0] == TXN_COMMITTED);
            history_free(&h);
        }
        buf_free(&cut);
    }
}

static void
that_a_recording_was_cut_is_kept_or_refused(void)
{
    static const char thin_air[] =
        FIRST "{\"session\":1,\"ops\":[[\"r\",1,2]]}\n";
    CHECK(writes(JSONL, thin_air, JSONL, thin_air));
    struct history h;
    struct err err = {0};
    CHECK(read_text(JSONL, thin_air, &h, &err));
    CHECK(!format_write(&h, &format_hist, "/dev/null", &err));
    CHECK(err.kind == ERR_FEATURE);
    CHECK_TEXT(err.text,
               "format 'hist' cannot mark the recording as truncated, "
               "and the history has reads that no transaction served");
    history_free(&h);
    CHECK(writes(JSONL, FIRST "{\"session\":1,\"ops\":[]}\n" LAST, JSONL,
                 "{\"session\":1,\"ops\":[]}\n"));
}

static const char *const samples[] = {
    "",
    "{\"session\":1,\"ops\":[]}\n",
    "{\"session\":\"b\",\"id\":\"q\\\"\",\"status\":\"aborted\",\"start\":1,"
    "\"end\":2,\"ops\":[[\"w\",\"x\",1],[\"r\",\"y\",null]],"
    "\"meta\":{\"a\":[1,{\"b\":null}]}}\n"
    "{\"session\":-3,\"id\":18446744073709551615,\"status\":\"unknown\","
    "\"start\":5,\"ops\":[[\"w\",\"x\",\"1\"]]}\n"
    "{\"session\":\"b\",\"ops\":[[\"r\",\"x\",1]]}\n",
    "{\"session\":0,\"ops\":[[\"append\",\"l\",\"a\"],[\"r\",\"l\",[\"a\",2]],"
    "[\"r\",\"m\",[]]]}\n"
    "{\"session\":1,\"ops\":[[\"append\",\"l\",2],[\"r\",\"l\",[2,2]]]}\n",
    "{\"session\":0,\"ops\":[[\"w\",\"x\",null],[\"w\",\"y\",null]]}\n"
    "{\"session\":1,\"ops\":[[\"w\",\"x\",null],[\"r\",\"x\",null]]}\n"
    "{\"session\":1,\"ops\":[[\"w\",\"x\",null]]}\n",
};

static void
the_writer_gives_back_every_byte(void)
{
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        CHECK(writes(JSONL, samples[i], JSONL, samples[i]));
}

static void
times_of_unknown_outcomes_are_the_only_loss(void)
{
    CHECK(writes(JSONL,
                 "{\"session\":1,\"status\":\"unknown\",\"start\":1,\"end\":2,"
                 "\"ops\":[]}",
                 JSONL,
                 "{\"session\":1,\"status\":\"unknown\",\"start\":1,"
                 "\"ops\":[]}\n"));
}

static void
keywords_become_strings(void)
{
    CHECK(writes(&format_edn, "{:type :ok, :process 1, :value [[:w :x :a]]}",
                 JSONL, "{\"session\":1,\"ops\":[[\"w\",\"x\",\"a\"]]}\n"));
}

static void
what_strings_cannot_tell_apart_is_refused(void)
{
    CHECK(writes(&format_edn,
                 "{:type :ok, :process 1, :value [[:w :x 1] [:w \"x\" 1]]}",
                 JSONL,
                 "format 'jsonl' cannot hold key x: it is both a string and a "
                 "keyword"));
    CHECK(writes(&format_edn, "{:type :ok, :process 1, :value [[:w :x 1.0]]}",
                 JSONL,
                 "format 'jsonl' cannot hold value 1.0: it would be read as "
                 "something else"));
    CHECK(writes(&format_edn, "{:type :ok, :process 1, :value [[:w [1] 2]]}",
                 JSONL,
                 "format 'jsonl' cannot hold key \"[1]\": it would be read as "
                 "something else"));
}

static void
the_initial_value_of_other_formats_is_null(void)
{
    CHECK(writes(&format_text, "w(1,2,3,4)\nr(1,0,3,5)\nw(1,0,3,6)\n", JSONL,
                 "{\"session\":3,\"id\":4,\"ops\":[[\"w\",1,2]]}\n"
                 "{\"session\":3,\"id\":5,\"ops\":[[\"r\",1,null]]}\n"
                 "{\"session\":3,\"id\":6,\"ops\":[[\"w\",1,null]]}\n"));
}

static void
it_is_recognised_by_its_keys(void)
{
    const struct {
        const char *text;
        const struct format *format;
    } rows[] = {
        {"{\"session\":1,\"ops\":[]}\n", &format_jsonl},
        {"\xef\xbb\xbf\n {\"id\":\"type\",\"ops\":[],\"session\":1}",
         &format_jsonl},
        {"{\"meta\":{\"type\":1},\"session\":1,\"ops\":[", &format_jsonl},
        {"{\"index\":0,\"value\":[],\"type\":\"ok\",\"process\":0}",
         &format_json},
        {"[{\"type\":\"ok\"}]", &format_json},
        {"{\"value\":[[\"r\",1,2,false]]}", &format_viper},
        {FIRST, &format_jsonl},
        {"{:type :ok}", &format_edn},
        {"; a comment\n[{:type :ok}]", &format_edn},
        {"#jepsen.history.Op{:type :ok}", &format_edn},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct input in = {.name = "memory",
                                 .data = rows[i].text,
                                 .size = strlen(rows[i].text)};
        const struct format *found = NULL;
        struct err err = {0};
        CHECK(format_recognise(&in, &found, &err));
        CHECK(found == rows[i].format);
    }
}

static void
values_are_scalars_and_objects(void)
{
    CHECK(means(JSONL,
                "{\"session\":1,\"ops\":[[\"w\",\"x\",1.50],"
                "[\"r\",true,false],[\"r\",\"y\",-2.0],"
                "[\"w\",{\"t\":1,\"a\":[]},{\"z\":1,\"a\":null}],"
                "[\"append\",\"l\",1e2],[\"r\",\"l\",[1E2,0.5]]]}\n",
                "1: w(x, 1.5) r(true, false) r(y, -2) "
                "w(\"{\\\"a\\\" [] \\\"t\\\" 1}\", "
                "\"{\\\"a\\\" nil \\\"z\\\" 1}\") "
                "append(l, 100) r(l, [100 0.5])"));
    const char *line = "{\"session\":1,\"ops\":[[\"w\",true,1.5],"
                       "[\"w\",{\"a\":1.0},false]]}\n";
    CHECK(writes(JSONL, line, JSONL, line));
}

static void
a_whole_number_is_an_integer_in_any_notation(void)
{
    CHECK(means(JSONL,
                "{\"session\":1,\"ops\":[[\"w\",1,9007199254740993.0],"
                "[\"w\",1,1e16],[\"w\",1,1.8446744073709551615E+19],"
                "[\"w\",1,-922337203685477580800e-2],[\"w\",1,-0.0e9],"
                "[\"w\",1,0.00100e+3],[\"w\",1,1200e-2]]}\n",
                "1: w(1, 9007199254740993) w(1, 10000000000000000) "
                "w(1, 18446744073709551615) w(1, -9223372036854775808) "
                "w(1, 0) w(1, 1) w(1, 12)"));
    // Beyond 64 bits, or not whole although a floating-point number would be.
    CHECK(means(JSONL,
                "{\"session\":1,\"ops\":[[\"w\",1,1844674407370955161.6e1],"
                "[\"w\",1,1e-400],[\"w\",1,1e99999999999999999999],"
                "[\"w\",1,120e-2]]}\n",
                "1: w(1, 1.8446744073709552e+19) w(1, 0.0) "
                "w(1, 1e99999999999999999999) w(1, 1.2)"));
}

static void
lines_may_be_an_array(void)
{
    CHECK(means(JSONL,
                "[{\"recording\":\"begin\"},"
                "{\"session\":1,\"ops\":[[\"w\",1,1]]},"
                "{\"recording\":\"end\"}]",
                "1: w(1, 1)"));
    const char *meaning = "1: w(x, 1); 2: r(x, 1)";
    CHECK(means(JSONL,
                " [{\"session\":1,\n\"ops\":[[\"w\",\"x\",1]]},\n"
                "{\"session\":2,\"ops\":[[\"r\",\n\"x\",1]]}]\n",
                meaning));
    CHECK(means(JSONL, "[]", ""));
    CHECK(count_readable_cuts(JSONL, "[{\"session\":1,\"ops\":[]}]") == 2);
}

static void
times_may_be_dates(void)
{
    CHECK(means(JSONL,
                "{\"session\":1,\"start\":\"1970-01-01T00:00:01Z\","
                "\"end\":\"1970-01-01T01:00:01.5+01:00\",\"ops\":[]}\n",
                "1: @1000000000..1500000000"));
}

int
main(void)
{
    RUN(a_line_is_a_transaction);
    RUN(sessions_interleave_as_they_like);
    RUN(every_entry_is_kept);
    RUN(entries_come_in_any_order);
    RUN(an_outcome_that_stays_unknown_leaves_its_session);
    RUN(white_space_and_blank_lines_mean_nothing);
    RUN(an_unknown_outcome_has_no_end);
    RUN(a_time_may_be_known_at_one_end_only);
    RUN(integers_have_64_bits);
    RUN(values_are_scalars_and_objects);
    RUN(a_whole_number_is_an_integer_in_any_notation);
    RUN(lines_may_be_an_array);
    RUN(times_may_be_dates);
    RUN(strings_are_decoded);
    RUN(a_string_is_not_the_integer_it_looks_like);
    RUN(loading_is_recognised);
    RUN(a_cut_file_is_whole_at_line_ends_only);
    RUN(damage_is_survived);
    RUN(depth_is_limited);
    RUN(a_key_is_a_register_or_a_list);
    RUN(an_outcome_may_follow_in_a_line_of_its_own);
    RUN(an_outcome_belongs_to_the_last_transaction_of_its_session);
    RUN(a_recording_without_its_last_line_was_cut);
    RUN(a_recording_can_be_cut_anywhere);
    RUN(that_a_recording_was_cut_is_kept_or_refused);
    RUN(the_writer_gives_back_every_byte);
    RUN(times_of_unknown_outcomes_are_the_only_loss);
    RUN(keywords_become_strings);
    RUN(what_strings_cannot_tell_apart_is_refused);
    RUN(the_initial_value_of_other_formats_is_null);
    RUN(it_is_recognised_by_its_keys);
    return test_end();
}
