/* test_edn.c -- Jepsen's logs: what pairs of entries mean, how much of EDN is
 * understood, and that writing gives back what was read.
 *
 * SPDX-License-Identifier: MIT */
#include "base/random.h"
#include "format/told.h"

#define EDN &format_edn

/* --- the log ------------------------------------------------------------- */

static void
a_completion_tells_what_happened(void)
{
    CHECK(means(EDN,
                "{:type :invoke, :process 0, :value [[:w :x 1] [:r :y nil]]}\n"
                "{:type :ok, :process 0, :value [[:w :x 1] [:r :y 2]]}\n",
                "0: w(x, 1) r(y, 2) @0..1"));
    CHECK(means(EDN,
                "{:type :invoke :process 0 :value [[:append 1 1] [:r 2 nil]]}"
                "{:type :ok :process 0 :value [[:append 1 1] [:r 2 [3 4]]]}",
                "0: append(1, 1) r(2, [3 4]) @0..1"));
}

static void
a_failed_transaction_is_aborted(void)
{
    // What it read is not known, where the log does not say it.
    CHECK(means(EDN,
                "{:type :invoke, :process 0, :value [[:w :x 1] [:r :y nil]]}\n"
                "{:type :fail, :process 0, :value [[:w :x 1] [:r :y nil]]}\n"
                "{:type :invoke, :process 0, :value [[:w :x 2] [:r :y nil]]}\n"
                "{:type :fail, :process 0, :value [[:w :x 2] [:r :y 7]]}\n",
                "0: ! w(x, 1) @0..1; 0: ! w(x, 2) r(y, 7) @2..3"));
}

static void
what_is_not_known_to_have_ended_may_end_any_time(void)
{
    CHECK(means(EDN,
                "{:type :invoke, :process 0, :value [[:w :x 1] [:r :y nil]]}\n"
                "{:type :invoke, :process 1, :value [[:w :x 2] [:r :y nil]]}\n"
                "{:type :info, :process 0, :value [[:w :x 1] [:r :y nil]]}\n",
                "0: ? w(x, 1) @0..-; 1: ? w(x, 2) @1..-"));
}

static void
a_completion_without_a_value_means_what_was_invoked(void)
{
    CHECK(means(EDN,
                "{:type :invoke, :process 0, :value [[:w :x 1]], :index 4}\n"
                "{:type :info, :process 0, :index 5, :error :timeout}\n"
                "{:type :invoke, :process 0, :value [[:w :x 2]], :index 6}\n"
                "{:type :fail, :process 0, :value nil, :index 7}\n",
                "0: 5? w(x, 1) @0..- {\"error\":\"timeout\"}; "
                "0: 7! w(x, 2) @2..3"));
}

/* The database may have been sent all operations of the invocation. */
static void
a_completion_with_fewer_operations_lacks_those_invoked(void)
{
    CHECK(means(EDN,
                "{:type :invoke, :process 0, :value [[:r :y nil] [:w :x 1] "
                "[:w :y 2]]}\n"
                "{:type :info, :process 0, :value [[:r :y 7] [:w :x 1]]}\n"
                "{:type :invoke, :process 1, :value [[:r :x nil] [:w :x 3]]}\n"
                "{:type :fail, :process 1, :value []}\n"
                "{:type :invoke, :process 2, :value [[:w :x 4] [:w :y 5]]}\n"
                "{:type :info, :process 2, :value [[:w :y 5]]}\n",
                "0: ? r(y, 7) w(x, 1) w(y, 2) @0..-; "
                "1: ! w(x, 3) @2..3; 2: ? w(x, 4) w(y, 5) @4..-"));
    CHECK(means(&format_json,
                "{\"type\":\"invoke\",\"process\":0,\"value\":"
                "[[\"w\",\"x\",1],[\"w\",\"y\",2]]}\n"
                "{\"type\":\"info\",\"process\":0,\"value\":"
                "[[\"w\",\"x\",1]]}\n",
                "0: ? w(x, 1) w(y, 2) @0..-"));
    CHECK(means(&format_jepsen,
                "0\t:invoke\t:txn\t[[:w :x 1] [:w :y 2]]\n"
                "0\t:info\t:txn\t[[:w :x 1]]\t:timeout\n",
                "0: ? w(x, 1) w(y, 2) @0..-"));
}

static void
a_comment_ends_with_its_line(void)
{
    CHECK(means(EDN,
                "; one\r{:type :ok, :process 0, ; two\r\n :value ; three\n"
                "[[:w :x 1]]}\r;{",
                "0: w(x, 1)"));
}

/* Whether two EDN values are the same one. */
static bool
are_one_value(const char *a, const char *b)
{
    struct buf text = {0};
    struct history h;
    struct err err = {0};
    buf_printf(&text,
               "{:type :ok, :process 0, :value [[:w :x %s]]}\n"
               "{:type :ok, :process 1, :value [[:r :x %s]]}\n",
               a, b);
    const bool is_read = read_text(EDN, text.at, &h, &err);
    CHECK(is_read);
    const bool same = is_read && h.op_value[0] == h.op_value[1];
    if (is_read)
        history_free(&h);
    buf_free(&text);
    return same;
}

static void
moments_and_uuids_are_compared_by_value(void)
{
    static const struct {
        const char *a, *b;
        bool same;
    } cases[] = {
        {"#inst \"2020-01-01T00:00:00.000-00:00\"", "#inst \"2020\"", true},
        {"#inst \"2019-12-31T23:30:05.5Z\"",
         "#inst \"2020-01-01T01:00:05.500+01:30\"", true},
        {"#inst \"2020-02-29T00:10\"", "#inst \"2020-02-28T23:10-01:00\"",
         true},
        {"#inst \"2020-03-01T00:10+01:00\"", "#inst \"2020-02-29T23:10\"",
         true},
        {"#inst \"2020-05:00\"", "#inst \"2020-01-01T05Z\"", true},
        {"#inst \"2020-05-05:00\"", "#inst \"2020-05-01T05\"", true},
        {"#inst \"2020-01-01T00:00:00.001Z\"", "#inst \"2020\"", false},
        {"#inst \"2020-13\"", "#inst \"2021-01\"", false},
        {"#inst \"2019-02-29\"", "#inst \"2019-03-01\"", false},
        {"#uuid \"0A000000-0000-0000-0000-00000000000f\"",
         "#uuid \"0a000000-0000-0000-0000-00000000000F\"", true},
        {"#uuid \"a-0-0-0-F\"",
         "#uuid \"0000000A-0000-0000-0000-00000000000f\"", true},
        {"#uuid \"a-0-0-0-F\"", "#uuid \"a-0-0-1-F\"", false},
        {"#uuid \"a-0-0-0-F\"", "#inst \"a-0-0-0-F\"", false},
        {"#mine \"A\"", "#mine \"a\"", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const bool same = are_one_value(cases[i].a, cases[i].b);
        if (same != cases[i].same)
            printf("# %s and %s\n", cases[i].a, cases[i].b);
        CHECK(same == cases[i].same);
    }
}

static void
processes_are_sessions_and_overlap(void)
{
    CHECK(means(EDN,
                "{:type :invoke, :process 7, :value [[:w :x 1]]}\n"
                "{:type :invoke, :process 3, :value [[:w :x 2]]}\n"
                "{:type :ok, :process 3, :value [[:w :x 2]]}\n"
                "{:type :invoke, :process 3, :value [[:w :x 3]]}\n"
                "{:type :ok, :process 7, :value [[:w :x 1]]}\n"
                "{:type :ok, :process 3, :value [[:w :x 3]]}\n",
                "7: w(x, 1) @0..4; 3: w(x, 2) @1..2; 3: w(x, 3) @3..5"));
}

static void
names_of_tables_and_columns_are_strings_or_keywords(void)
{
    CHECK(same_texts(
        &format_edn,
        "{:type :info, :process :assay/initial, :value [[[:t 1] {:v 3}]]}\n"
        "{:type :ok, :process 0, :value [[:i [:t 7] {:v 8} {:ver 1}] "
        "[:q {:table :t, :where \"v > 5\"} [[[:t 7] {:v 8} {:ver 1}]]] "
        "[:get [:t 2] nil]]}",
        &format_edn,
        "{\"type\" \"info\", \"process\" \"assay/initial\", "
        "\"value\" [[[\"t\" 1] {\"v\" 3}]]}\n"
        "{:type :ok, :process 0, :value (\n"
        "(\"i\" (\"t\" 7) {\"v\" 8N} {\"ver\" 1}) (q {\"where\" \"v > 5\" "
        "\"table\" \"t\"} (((\"t\" 7) {\"v\" 8} {\"ver\" 1}))) "
        "[:get [\"t\" 2] \"absent\"])}"));
}

static void
a_row_without_an_answer_was_not_read(void)
{
    CHECK(same_texts(
        &format_edn,
        "{:type :invoke, :process 0, :value [[:get [:t 1] nil] [:d [:t 1]]]}\n"
        "{:type :info, :process 0, :value [[:get [:t 1]] [:d [:t 1]] "
        "[:q {:table :t :where \"TRUE\"} nil]]}\n"
        "{:type :invoke, :process 1, :value [[:get [:t 1] nil]]}\n"
        "{:type :fail, :process 1, :value [[:get [:t 1] :absent]]}\n"
        "{:type :invoke, :process 2, :value [[:i [:t 1] {:v 1}]]}\n",
        &format_hist,
        "--- 0\n[t(1):=none]?@0..\n--- 1\n[t(1)==none]!@2..3\n"
        "--- 2\n[t(1)+={v:1}]?@4.."));
}

static void
other_processes_are_no_clients(void)
{
    CHECK(means(EDN,
                "{:type :info, :process :nemesis, :f :kill, :value {:n 1}}\n"
                "{:type :invoke, :process 0, :value []}\n"
                "{:type :info, :process :nemesis, :f :kill, :value nil}\n"
                "{:type :ok, :process 0, :value []}\n",
                "0: @1..3"));
    CHECK(fails(EDN, " {:type :ok, :process \"0\", :value [[:w :x 1]]}",
                "1:23: found '0', expected an integer, as every process of a "
                "client"));
}

static void
a_log_of_completions_alone_has_no_times(void)
{
    CHECK(means(EDN,
                "{:type :ok, :process 0, :value [[:w :x 1]]}\n"
                "{:type :fail, :process 1, :value [[:w :x 2]]}\n"
                "{:type :ok, :process 0, :value [[:r :x 1]]}\n",
                "0: w(x, 1); 0: r(x, 1); 1: ! w(x, 2)"));
    CHECK(fails(EDN,
                "{:type :ok, :process 0, :value []}\n"
                "{:type :invoke, :process 1, :value []}\n",
                "1:1: a completion without an invocation before it"));
}

static void
without_processes_every_pair_is_a_session(void)
{
    CHECK(means(EDN,
                "[{:type :invoke, :f :read, :value [[:r 0 nil] [:r 1 nil]]},\n"
                "{:type :ok, :f :read, :value [[:r 0 1] [:r 1 nil]]},\n"
                "{:type :invoke, :f :read, :value [[:r 0 nil] [:r 1 nil]]}]",
                "0: r(0, 1) r(1, nil) @0..1; 1: ? @2..-"));
    CHECK(fails(EDN,
                "{:type :ok, :value []}\n"
                "{:type :ok, :process 1, :value []}\n",
                "2:1: an operation with 'process', expected none as in those "
                "before it"));
    CHECK(fails(EDN,
                "{:type :ok, :process 1, :value []}\n"
                "{:type :ok, :value []}\n",
                "2:1: an operation without 'process', expected one as in "
                "those before it"));
}

static void
names_and_meta_data_are_kept(void)
{
    CHECK(means(EDN,
                "{:type :ok :process 0 :index 9 :time 12 :value [] :node n1}",
                "0: 9 {\"time\":12,\"node\":\"n1\"}"));
    CHECK(means(EDN,
                "{:type :ok :process 0 :index 9 :txn-id \"pay 1\" :value []}",
                "0: \"pay 1\" {\"index\":9}"));
    CHECK(means(EDN, "{:type :ok :process 0 :value [] :meta {:type 1}}",
                "0: {\"type\":1}"));
}

/* --- the notation -------------------------------------------------------- */

static void
maps_stand_alone_or_in_one_vector(void)
{
    const char *const forms[] = {
        "{:type :ok, :process 0, :value [[:w 1 2]]}",
        "[{:type :ok, :process 0, :value [[:w 1 2]]}]",
        "({:type :ok, :process 0, :value ((:w 1 2))})",
        "#jepsen.history.Op{:type :ok, :process 0, :value [[:w 1 2]]}",
        "\xef\xbb\xbf; a comment\n{,:type,:ok,:process 0N :value [[:w +1 2]]};",
        "[#_ #_ a {:b c} {:type :ok #_:x :process 0 :value [#_ 3 [:w 1 2]]}]",
        "[{:type :ok :process 0 :value [#_[:w 3 4] [:w 1 2]]} #_{:type :ok}]",
        "{\"type\" \"ok\" \"process\" 0 \"value\" [[\"w\" 1 2]]}",
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        CHECK(means(EDN, forms[i], "0: w(1, 2)"));
}

/* Whether both texts, as values, are one value. */
static bool
are_equal(const char *a, const char *b)
{
    struct buf text = {0};
    struct history h;
    struct err err = {0};
    buf_printf(&text, "{:type :ok :process 0 :value [[:w :x %s] [:w :x %s]]}",
               a, b);
    if (!read_text(EDN, text.at, &h, &err)) {
        printf("# %s: %s\n", text.at, err.text);
        buf_free(&text);
        return false;
    }
    const bool equal = h.n_values == 2;
    history_free(&h);
    buf_free(&text);
    return equal;
}

static void
equal_forms_are_equal_values(void)
{
    CHECK(are_equal("1", "1N"));
    CHECK(are_equal("1", "+1"));
    CHECK(are_equal("#{1 2 3}", "#{3,1 2}"));
    CHECK(are_equal("{:a 1 :b [2]}", "{:b (2), :a 1N}"));
    CHECK(are_equal("#{{:a #{1 2}}}", "#{{:a #{2 1}}}"));
    CHECK(are_equal("1.5", "15e-1"));
    CHECK(are_equal("1e3", "1000.0"));
    CHECK(are_equal("0.0", "-0.0"));
    CHECK(are_equal("0xFf", "255"));
    CHECK(are_equal("-0x8000000000000000", "-9223372036854775808"));
    CHECK(are_equal("0xffffffffffffffff", "18446744073709551615N"));
    CHECK(are_equal("#{[0x1]}", "#{[1]}"));
    CHECK(are_equal("\"a\\u0062\"", "\"ab\""));
    CHECK(are_equal("\\a", "\\u0061"));
    CHECK(are_equal("\\newline", "\\u000a"));
    CHECK(are_equal("#inst \"2020\"", "#inst   \"2020\""));
    CHECK(are_equal("123456789012345678901", "123456789012345678901N"));
    CHECK(are_equal("true", "true"));
}

static void
different_forms_are_different_values(void)
{
    CHECK(!are_equal("1", "1.0"));
    CHECK(!are_equal("1", "\"1\""));
    CHECK(!are_equal(":a", "\"a\""));
    CHECK(!are_equal(":a", "a"));
    CHECK(!are_equal("\\a", "\"a\""));
    CHECK(!are_equal("true", ":true"));
    CHECK(!are_equal("{:a 1}", "{:a 2}"));
    CHECK(!are_equal("#{1 2}", "#{1 2 3}"));
    CHECK(!are_equal("#a 1", "#b 1"));
    CHECK(!are_equal("{}", "#{}"));
    CHECK(!are_equal("1.5", "1.5M"));
    CHECK(!are_equal("1/2", "0.5"));
    CHECK(!are_equal("##Inf", "##-Inf"));
    CHECK(!are_equal("0x1F", "0x1E"));
    CHECK(!are_equal("0x10000000000000000", "0x10000000000000001"));
    CHECK(!are_equal(":a/b", ":a"));
}

static void
keys_may_be_anything_but_nil(void)
{
    CHECK(means(EDN,
                "{:type :ok :process 0 :value [[:w [1 :a] 1] [:w \"s\" 2] "
                "[:w {:k 1} 3] [:w 1.5 4] [:w \\( 5] [:w x/y 6]]}",
                "0: w(\"[1 :a]\", 1) w(s, 2) w(\"{:k 1}\", 3) w(1.5, 4) "
                "w(\"\\\\(\", 5) w(x/y, 6)"));
}

static void
lists_hold_any_elements(void)
{
    CHECK(means(EDN,
                "{:type :ok :process 0 :value [[:append :l :a] "
                "[:append :l [1]] [:r :l [:a [1] \"b\" 2]]]}",
                "0: append(l, a) append(l, \"[1]\") r(l, [a \"[1]\" b 2])"));
}

static void
meta_data_becomes_json(void)
{
    CHECK(means(EDN,
                "{:type :ok :process 0 :value [] :error [:a/b c \\d \"e\"] "
                ":m {1 #{2}, [3] nil, :k #t [true 1.50 2M 3/4 0x5]} n 7N}",
                "0: {\"error\":[\"a/b\",\"c\",\"d\",\"e\"],"
                "\"m\":{\"1\":[2],\"[3]\":null,"
                "\"k\":[true,1.50,2,\"3/4\",5]},\"n\":7}"));
}

/* --- mistakes ------------------------------------------------------------ */

static void
a_cut_log_is_whole_between_entries_only(void)
{
    // Nothing; the first entry, with and without its newline; and the second.
    CHECK(count_readable_cuts(
              EDN, "{:type :invoke, :process 0, :value [[:w \"x\" 1]]}\n"
                   "{:type :ok, :process 0, :value [[:w \"x\" 1]], "
                   ":m #{\\a}}\n") == 5);
    CHECK(count_readable_cuts(EDN, "[{:type :ok :process 0 :value []}]\n") ==
          3);
}

static void
damage_is_survived(void)
{
    survive_damage(EDN, "[{:type :invoke, :process 0, :value [[:r :x nil]]} "
                        "#t {:type :ok :process 0 :value [[:r :x [1 \"a\"]]] "
                        ":m #{\\a 1.5 nil} #_b}]\n");
}

static void
a_zero_byte_does_not_end_the_log(void)
{
    struct history h;
    struct err err = {0};
    static const char text[] = "{:type :ok :process 0 :value []}\0{";
    CHECK(!read_memory(EDN, text, sizeof text - 1, &h, &err));
    CHECK(err.line == 1 && err.column == 33);
}

static void
depth_is_limited(void)
{
    const char *const openers[] = {"[", "{:a ", "#{", "(", "#_", "#t "};
    for (size_t i = 0; i < sizeof openers / sizeof *openers; i++) {
        char *deep = repeated(openers[i], 100000, "");
        struct history h;
        struct err err = {0};
        CHECK(!read_text(EDN, deep, &h, &err));
        CHECK(err.kind == ERR_LIMIT);
        mem_free(deep);
    }
    // As deep as allowed, with the map that is the operation.
    char *opened = repeated("[", 199, ""), *closed = repeated("]", 199, "");
    struct buf text = {0};
    struct history h;
    struct err err = {0};
    buf_printf(&text, "[{:type :ok :process 0 :value [] :m %s%s}]", opened,
               closed);
    CHECK(read_text(EDN, text.at, &h, &err));
    history_free(&h);
    buf_free(&text);
    mem_free(opened);
    mem_free(closed);
}

/* --- writing ------------------------------------------------------------- */

static void
a_log_is_written_as_it_was_read(void)
{
    const char *log =
        "{:type :invoke, :process 7, :f :txn, :value [[:w :x 1]]}\n"
        "{:type :invoke, :process 3, :f :txn, :value [[:append \"l\" 2] "
        "[:r \"l\" nil]]}\n"
        "{:type :ok, :process 3, :f :txn, :value [[:append \"l\" 2] "
        "[:r \"l\" [1.5 2]]], :txn-id 12, :error \"none\"}\n"
        "{:type :invoke, :process 3, :f :txn, :value [[:w :x nil]]}\n"
        "{:type :fail, :process 7, :f :txn, :value [[:w :x 1]]}\n"
        "{:type :info, :process 3, :f :txn, :value [[:w :x nil]]}\n";
    CHECK(writes(EDN, log, EDN, log));
    CHECK(survives(EDN, log, EDN));
}

static void
the_order_of_the_log_is_real_time(void)
{
    // t1 and t2 overlap because one ends when the other begins.
    CHECK(writes(&format_jsonl,
                 "{\"session\":0,\"start\":10,\"end\":20,\"ops\":[]}\n"
                 "{\"session\":1,\"start\":20,\"end\":30,\"ops\":[]}\n"
                 "{\"session\":2,\"start\":31,\"end\":32,\"ops\":[]}\n",
                 EDN,
                 "{:type :invoke, :process 0, :f :txn, :value []}\n"
                 "{:type :invoke, :process 1, :f :txn, :value []}\n"
                 "{:type :ok, :process 0, :f :txn, :value []}\n"
                 "{:type :ok, :process 1, :f :txn, :value []}\n"
                 "{:type :invoke, :process 2, :f :txn, :value []}\n"
                 "{:type :ok, :process 2, :f :txn, :value []}\n"));
}

static void
a_process_completes_before_it_invokes_again(void)
{
    // Its clock stands still; session 1 overlaps with both transactions.
    CHECK(writes(&format_jsonl,
                 "{\"session\":0,\"start\":10,\"end\":20,\"ops\":[]}\n"
                 "{\"session\":0,\"start\":20,\"end\":20,\"ops\":[]}\n"
                 "{\"session\":1,\"start\":20,\"end\":20,\"ops\":[]}\n",
                 EDN,
                 "{:type :invoke, :process 0, :f :txn, :value []}\n"
                 "{:type :invoke, :process 1, :f :txn, :value []}\n"
                 "{:type :ok, :process 0, :f :txn, :value []}\n"
                 "{:type :invoke, :process 0, :f :txn, :value []}\n"
                 "{:type :ok, :process 0, :f :txn, :value []}\n"
                 "{:type :ok, :process 1, :f :txn, :value []}\n"));
}

/* A history of three sessions on one coarse clock.  Within a session time goes
 * on; across sessions many times are the same. */
static void
make_timed(struct random *r, struct history *h)
{
    struct builder *b = builder_new(atom_nil());
    struct err err = {0};
    for (int s = 0; s < 3; s++) {
        const session_id session = builder_session(b, atom_int(s));
        int64_t now = (int64_t)random_below(r, 4);
        for (int i = 0; i < 4; i++) {
            txn_id t;
            CHECK(builder_txn(b, session, &t, &err));
            const int64_t began = now;
            now += (int64_t)random_below(r, 4);
            builder_times(b, t, began, now);
            now += 1 + (int64_t)random_below(r, 3);
        }
    }
    CHECK(builder_finish(b, h, &err));
}

/* All pairs of 300 histories: who ended before whom began. */
static void
real_time_order_survives(void)
{
    struct random r;
    random_seed(&r, 1);
    for (int i = 0; i < 300; i++) {
        struct history h, again;
        struct err err = {0};
        char *data;
        size_t size;
        make_timed(&r, &h);
        CHECK(write_memory(&h, EDN, &data, &size, &err));
        CHECK(read_memory(EDN, data, size, &again, &err));
        // Sessions may be numbered in another order: those of their names.
        txn_id map[12];
        for (session_id s = 0; s < 3; s++)
            for (txn_id j = 0; j < 4; j++)
                map[again.session_name[s].bits * 4 + j] = s * 4 + j;
        for (txn_id a = 0; a < 12; a++)
            for (txn_id b = 0; b < 12; b++)
                CHECK((h.txn_ended[a] < h.txn_began[b]) ==
                      (again.txn_ended[map[a]] < again.txn_began[map[b]]));
        free(data);
        history_free(&h);
        history_free(&again);
    }
}

static void
sessions_of_any_name_survive(void)
{
    CHECK(
        survives(&format_jsonl,
                 "{\"session\":\"alice\",\"id\":\"a 1\",\"start\":0,"
                 "\"end\":1,\"ops\":[[\"w\",\"x\",1]]}\n"
                 "{\"session\":0,\"start\":2,\"end\":3,\"ops\":[]}\n"
                 "{\"session\":\"alice\",\"start\":4,\"end\":5,\"ops\":[]}\n"
                 "{\"session\":18446744073709551615,\"start\":6,\"end\":7,"
                 "\"ops\":[]}\n"
                 "{\"session\":-4,\"status\":\"aborted\",\"start\":8,\"end\":9,"
                 "\"ops\":[]}\n",
                 EDN));
}

static void
meta_data_is_told_apart_from_the_log(void)
{
    CHECK(
        survives(&format_jsonl,
                 "{\"session\":0,\"start\":0,\"end\":1,\"ops\":[],"
                 "\"meta\":{\"type\":\"pay\",\"k\":1}}\n"
                 "{\"session\":0,\"start\":2,\"end\":3,\"ops\":[],"
                 "\"meta\":{\"k\":{\"l m\":[1.50,true,null]},\"a b\":\"c\"}}\n"
                 "{\"session\":0,\"start\":4,\"end\":5,\"ops\":[],"
                 "\"meta\":{}}\n"
                 "{\"session\":0,\"start\":6,\"end\":7,\"ops\":[],"
                 "\"meta\":{\"meta\":{\"a\":1}}}\n",
                 EDN));
}

static void
odd_names_are_refused(void)
{
    struct builder *b = builder_new(atom_nil());
    struct history h;
    struct err err = {0};
    txn_id t;
    CHECK(builder_txn(b, builder_session(b, atom_int(0)), &t, &err));
    CHECK(builder_write(b, t, builder_text(b, ATOM_KEYWORD, "a b", 3),
                        atom_int(1), &err));
    CHECK(builder_finish(b, &h, &err));
    CHECK(!format_edn.holds(&h, &err));
    CHECK_TEXT(
        err.text,
        "format 'edn' cannot hold key \"a b\": it is not a keyword of EDN");
    history_free(&h);
}

int
main(void)
{
    RUN(a_completion_tells_what_happened);
    RUN(a_failed_transaction_is_aborted);
    RUN(what_is_not_known_to_have_ended_may_end_any_time);
    RUN(a_completion_without_a_value_means_what_was_invoked);
    RUN(a_completion_with_fewer_operations_lacks_those_invoked);
    RUN(a_comment_ends_with_its_line);
    RUN(moments_and_uuids_are_compared_by_value);
    RUN(processes_are_sessions_and_overlap);
    RUN(names_of_tables_and_columns_are_strings_or_keywords);
    RUN(a_row_without_an_answer_was_not_read);
    RUN(other_processes_are_no_clients);
    RUN(a_log_of_completions_alone_has_no_times);
    RUN(without_processes_every_pair_is_a_session);
    RUN(names_and_meta_data_are_kept);
    RUN(maps_stand_alone_or_in_one_vector);
    RUN(equal_forms_are_equal_values);
    RUN(different_forms_are_different_values);
    RUN(keys_may_be_anything_but_nil);
    RUN(lists_hold_any_elements);
    RUN(meta_data_becomes_json);
    RUN(a_cut_log_is_whole_between_entries_only);
    RUN(damage_is_survived);
    RUN(a_zero_byte_does_not_end_the_log);
    RUN(depth_is_limited);
    RUN(a_log_is_written_as_it_was_read);
    RUN(the_order_of_the_log_is_real_time);
    RUN(a_process_completes_before_it_invokes_again);
    RUN(real_time_order_survives);
    RUN(sessions_of_any_name_survive);
    RUN(meta_data_is_told_apart_from_the_log);
    RUN(odd_names_are_refused);
    return test_end();
}
