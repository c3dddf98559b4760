/* test_hist.c -- the format to write by hand: what its signs mean, what its
 * writer quotes, and what it is not taken for.
 *
 * SPDX-License-Identifier: MIT */
#include "format/support.h"
#include "hist.h"
#include "test.h"

/* All operations of h as history_show_op tells them, and the names of the
 * transactions in front. */
static const char *
shown(const struct history *h, struct buf *out)
{
    buf_clear(out);
    buf_text(out, "");
    for (txn_id t = 0; t < h->n_txns; t++) {
        if (t)
            buf_text(out, "; ");
        history_show_txn(h, t, out);
        buf_char(out, ':');
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
            if (op_is_implied(h, op))
                continue;
            buf_char(out, ' ');
            history_show_op(h, op, out);
        }
    }
    return out->at;
}

static bool
reads_as(const char *text, const char *expected)
{
    struct history h;
    struct buf out = {0};
    hist(&h, text);
    const bool same = strcmp(shown(&h, &out), expected) == 0;
    if (!same)
        printf("# %s reads as %s\n", text, out.at);
    buf_free(&out);
    history_free(&h);
    return same;
}

static bool
fails_with(const char *text, const char *expected)
{
    struct history h;
    struct err err = {0};
    char message[1024];
    if (read_text(&format_hist, text, &h, &err)) {
        history_free(&h);
        return false;
    }
    err_format(&err, message, sizeof message);
    if (strcmp(message, expected) != 0)
        printf("# %s fails with: %s\n", text, message);
    return strcmp(message, expected) == 0;
}

/* The text that the writer makes of what the reader makes of 'text'. */
static bool
is_written_as(const char *text, const char *expected)
{
    struct history h;
    struct err err = {0};
    char *data;
    size_t size;
    hist(&h, text);
    const bool same = write_memory(&h, &format_hist, &data, &size, &err) &&
                      strcmp(data, expected) == 0;
    if (!same)
        printf("# %s is written as %s\n", text, data);
    free(data);
    history_free(&h);
    return same;
}

static void
brackets_are_transactions_and_dashes_open_sessions(void)
{
    CHECK(reads_as("[x:=1 y:=2] [y==2 x:=3]\n---\n[x==1]",
                   "s1/1: w(x, 1) w(y, 2); s1/2: r(y, 2) w(x, 3); "
                   "s2/1: r(x, 1)"));
    CHECK(reads_as("[x:=1] --- [x==1] ------ [x==?]",
                   "s1/1: w(x, 1); s2/1: r(x, 1); s3/1: r(x, nil)"));
}

static void
comments_and_blanks_may_stand_anywhere(void)
{
    CHECK(reads_as("// head\n[ x // key\n := // write\n 1 ]\r\n// end",
                   "s1/1: w(x, 1)"));
}

static void
a_question_mark_is_the_initial_state(void)
{
    struct history h;
    hist(&h, "[x:=1] --- [x==? y:=?] --- [y:=?]");
    CHECK(op_is_external_read(&h, 1));
    CHECK(history_writer(&h, h.op_value[1]) == TXN_INIT);
    // The third session records the loading; the second does more.
    CHECK(h.txn_status[2] == TXN_LOADING);
    CHECK(h.txn_status[1] == TXN_COMMITTED);
    history_free(&h);
}

static void
zero_is_a_value_like_any_other(void)
{
    struct history h;
    hist(&h, "[x:=0] [x==0]");
    CHECK(history_writer(&h, h.op_value[1]) == 0);
    history_free(&h);
}

static void
marks_behind_a_bracket_are_the_outcome(void)
{
    struct history h;
    hist(&h, "[x:=1]! [x:=2]? [x:=3]@-5..7 [x:=4]!@..9 [x:=5]@3.. []");
    CHECK(h.txn_status[0] == TXN_ABORTED);
    CHECK(h.txn_status[1] == TXN_INDETERMINATE);
    CHECK(h.txn_status[2] == TXN_COMMITTED);
    CHECK(h.txn_began[2] == -5 && h.txn_ended[2] == 7);
    CHECK(h.txn_status[3] == TXN_ABORTED);
    CHECK(h.txn_began[3] == INT64_MIN && h.txn_ended[3] == 9);
    CHECK(h.txn_began[4] == 3 && h.txn_ended[4] == INT64_MAX);
    CHECK(h.txn_began[5] == INT64_MIN && h.txn_ended[5] == INT64_MAX);
    history_free(&h);
}

static void
words_in_front_are_names(void)
{
    CHECK(reads_as("pay[x:=1] 17[x:=2] \"a b\" [x:=3]",
                   "pay: w(x, 1); 17: w(x, 2); \"a b\": w(x, 3)"));
    CHECK(reads_as("--- alice [x:=1] --- bob[x:=2]",
                   "alice/1: w(x, 1); bob: w(x, 2)"));
}

static void
a_session_named_again_goes_on(void)
{
    CHECK(reads_as("--- a\n[x:=1]\n--- b\n[x:=2]\n--- a\n[x:=3]",
                   "a/1: w(x, 1); a/2: w(x, 3); b/1: w(x, 2)"));
}

static void
keys_and_values_are_integers_words_strings_or_keywords(void)
{
    struct history h;
    hist(&h, "[7:=-1 x:=a-b.c \"7\":=\"\" :k:=:v]");
    CHECK(h.n_keys == 4);
    CHECK(history_key_atom(&h, 0).tag == ATOM_INT);
    CHECK(history_key_atom(&h, 1).tag == ATOM_STRING);
    CHECK(history_key_atom(&h, 2).tag == ATOM_STRING);
    CHECK(history_key_atom(&h, 3).tag == ATOM_KEYWORD);
    CHECK(history_value_atom(&h, h.op_value[0]).bits == (uint64_t)-1);
    CHECK(history_value_atom(&h, h.op_value[3]).tag == ATOM_KEYWORD);
    history_free(&h);
    CHECK(reads_as("[18446744073709551615:=-9223372036854775808]",
                   "s1/1: w(18446744073709551615, -9223372036854775808)"));
}

static void
lists_are_appended_to_and_read(void)
{
    CHECK(reads_as("[l+=1] [l+=2 l==[1 2]] --- [l==[]]",
                   "s1/1: append(l, 1); s1/2: append(l, 2) r(l, [1 2]); "
                   "s2/1: r(l, [])"));
}

static void
escapes_in_strings_stand_for_their_bytes(void)
{
    struct history h;
    hist(&h, "[\"a\\\"\\\\\\n\\t\\x00\\xff\":=1]");
    const struct string s =
        strings_get(&h.strings, (uint32_t)history_key_atom(&h, 0).bits);
    CHECK(s.len == 7 && memcmp(s.text, "a\"\\\n\t\0\xff", 7) == 0);
    history_free(&h);
}

static void
mistakes_have_their_place(void)
{
    CHECK(fails_with("[x:=1]\n[y=2]", "2:3: found '=', expected ':=', '==' or "
                                      "'+='"));
    CHECK(fails_with("[x:=1", "1:6: the input ends here, expected a key or "
                              "']'"));
    CHECK(fails_with("[x:=1 x+=2]", "1:7: key x is used both as a register "
                                    "and as a list"));
    CHECK(fails_with(
        "--- 2 [] --- []",
        "1:13: this would be session 2, but another session has that name"));
}

static void
what_is_no_plain_word_is_written_in_quotes(void)
{
    CHECK(is_written_as("[x:=1] [\"x\"==1]", "[x:=1] [x==1]\n"));
    CHECK(is_written_as("[\"7\":=\"-\" \"\":=\"a b\" :k:=:\"]\"]",
                        "[\"7\":=\"-\" \"\":=\"a b\" :k:=:\"]\"]\n"));
    CHECK(is_written_as("[\"\\n\\\"\":=\"\\xe2\\x82\\xac\"]",
                        "[\"\\x0a\\\"\":=\xe2\x82\xac]\n"));
}

static void
names_times_and_outcomes_are_written(void)
{
    CHECK(is_written_as("--- a\nt1[x:=?]? [l+=1]@1..2 [l==[1]]!@..2\n"
                        "---\n--- 7\n[]\n",
                        "--- a\nt1[x:=?]? [l+=1]@1..2 [l==[1]]!@..2\n"
                        "---\n--- 7\n[]\n"));
}

static void
a_long_line_ends_before_the_next_transaction(void)
{
    CHECK(is_written_as("[a:=1111111111111111] [b:=1111111111111111] "
                        "[c:=1111111111111111] [d:=1111111111111111]",
                        "[a:=1111111111111111] [b:=1111111111111111] "
                        "[c:=1111111111111111]\n[d:=1111111111111111]\n"));
}

static void
what_it_has_no_word_for_is_refused(void)
{
    static const char *const cases[] = {
        "[:w 1.5 2]",  // a key
        "[:w 1 true]", // a value
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct history h;
        struct err err = {0};
        struct buf log = {0};
        buf_printf(&log, "{:type :ok, :process 0, :value [%s]}", cases[i]);
        CHECK(read_text(&format_edn, log.at, &h, &err));
        CHECK(!format_hist.holds(&h, &err));
        CHECK(err.kind == ERR_FEATURE);
        history_free(&h);
        buf_free(&log);
    }
}

static void
a_directory_is_no_history(void)
{
    const struct format *const formats[] = {&format_hist, &format_trace};
    struct scratch s;
    scratch_init(&s);
    for (size_t i = 0; i < 2; i++) {
        struct history h;
        struct err err = {0};
        CHECK(!format_read(s.path, formats[i]->name, 1, &h, NULL, &err));
        CHECK_TEXT(err.text, "a directory, expected a file");
    }
    scratch_free(&s);
}

static void
rows_are_those_of_jsonl(void)
{
    CHECK(same_texts(
        &format_hist,
        "{t(1):={v:3, w:b}#a~[big] u(k, 2):=none}\n"
        "[x:=1 t(7)+={v:8, w:null}#1<-null~[] x==1\n"
        " t{v > 5}==[7{v:8}#1] l+=2 l==[2] t(1):={v:9, w:\"null\"}#2<-a\n"
        " t(7):=none<-1 t(7)==none t(1)=={w:\"null\"} u(7,)==none]\n"
        "[u{~3}==[]]",
        &format_jsonl,
        "{\"initial\":{\"rows\":[[[\"t\",1],{\"v\":3,\"w\":\"b\"},"
        "{\"ver\":\"a\",\"satisfies\":[\"big\"]}],[[\"u\",[\"k\",2]]]]}}\n"
        "{\"session\":1,\"ops\":[[\"w\",\"x\",1],[\"i\",[\"t\",7],{\"v\":8,"
        "\"w\":null},{\"ver\":1,\"prev\":null,\"satisfies\":[]}],"
        "[\"r\",\"x\",1],[\"q\",{\"table\":\"t\",\"where\":\"v > 5\"},"
        "[[[\"t\",7],{\"v\":8},{\"ver\":1}]]],[\"append\",\"l\",2],"
        "[\"r\",\"l\",[2]],[\"u\",[\"t\",1],{\"v\":9,\"w\":\"null\"},"
        "{\"ver\":2,\"prev\":\"a\"}],[\"d\",[\"t\",7],{\"prev\":1}],"
        "[\"r\",[\"t\",7]],[\"r\",[\"t\",1],{\"w\":\"null\"}],"
        "[\"r\",[\"u\",[7]]]]}\n"
        "{\"session\":1,\"ops\":[[\"q\",{\"table\":\"u\",\"id\":3},[]]]}"));
}

static void
blanks_may_stand_between_the_signs_of_rows(void)
{
    CHECK(same_texts(
        &format_hist,
        "{t(1):={v:3}#a~[b c]}[t(7,8)+={v:8}#1<-null~[] t{v < 5}==[1{}#a] "
        "t(1):=none<-a t(9)==none]",
        &format_hist,
        "{ t ( 1 ) := { v : 3 } # a ~ [ b c ] } // rows\n"
        "[ t ( 7 , 8 ) += { v : 8 } # 1 <- null ~ [ ]\n"
        "  t {v < 5} == [ 1 { } # a ] t ( 1 ) := none <- a\n"
        "  t // table\n ( 9 ) == // nothing\n none ]"));
}

static void
only_its_own_text_is_recognised(void)
{
    static const struct {
        const char *text;
        bool is_hist;
    } cases[] = {
        {"[x:=1]", true},
        {"// c\n\n[x ==2]", true},
        {"--- a\nt[\"x y\"+=2]", true},
        {"[t(7)==none]", true},
        {"[t{v > 5}==[]]", true},
        {"[t\"v > 5\"==[]]", true},
        {"{ t (7):=none}", true},
        {"{t :a}", false},
        {"[{:type :ok}]", false},
        {"[:a :b]", false},
        {"[[\"r\", 1, 2]]", false},
        {"{\"session\": 1}", false},
        {"r(1,2,3,4)", false},
        {"WRITE KEY[x] Txn(1, 0)", false},
        {"hello", false},
        {"", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK((sniff_memory(&format_hist, cases[i].text,
                            strlen(cases[i].text)) > 50) == cases[i].is_hist);
}

int
main(void)
{
    RUN(brackets_are_transactions_and_dashes_open_sessions);
    RUN(comments_and_blanks_may_stand_anywhere);
    RUN(a_question_mark_is_the_initial_state);
    RUN(zero_is_a_value_like_any_other);
    RUN(marks_behind_a_bracket_are_the_outcome);
    RUN(words_in_front_are_names);
    RUN(a_session_named_again_goes_on);
    RUN(keys_and_values_are_integers_words_strings_or_keywords);
    RUN(lists_are_appended_to_and_read);
    RUN(escapes_in_strings_stand_for_their_bytes);
    RUN(mistakes_have_their_place);
    RUN(what_is_no_plain_word_is_written_in_quotes);
    RUN(names_times_and_outcomes_are_written);
    RUN(a_long_line_ends_before_the_next_transaction);
    RUN(what_it_has_no_word_for_is_refused);
    RUN(a_directory_is_no_history);
    RUN(rows_are_those_of_jsonl);
    RUN(blanks_may_stand_between_the_signs_of_rows);
    RUN(only_its_own_text_is_recognised);
    return test_end();
}
