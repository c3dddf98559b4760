/* test_cobra.c -- directories of binary logs: the two flavours, unfinished
 * transactions, the order of sessions, and which flavour is written.
 *
 * SPDX-License-Identifier: MIT */
#include "format/checkers/cobra.h"
#include "format/scan/bytes.h"
#include "format/support.h"
#include "hist.h"
#include "test.h"

/* Append one record: its letter and its integers. */
static void
put_record(struct buf *b, char kind, const uint64_t *integers)
{
    const int n = kind == 'W' ? 3 : kind == 'R' ? 4 : 1;
    buf_char(b, kind);
    for (int i = 0; i < n; i++)
        buf_big64(b, integers[i]);
}

#define PUT(b, kind, ...) put_record((b), (kind), (uint64_t[]){__VA_ARGS__})

/* Put the log into the directory, and empty it. */
static void
put_log(const struct scratch *s, const char *name, struct buf *log)
{
    char path[512];
    scratch_path(s, name, path, sizeof path);
    put_file(path, log->n ? log->at : "", log->n);
    buf_clear(log);
}

static bool
read_logs(const struct scratch *s, struct history *h, struct err *err)
{
    return format_read(s->path, "cobra", 1, h, NULL, err);
}

static void
in_the_standard_flavour_ids_of_writes_are_the_values(void)
{
    struct scratch s;
    struct buf log = {0};
    struct history h;
    struct err err = {0};
    scratch_init(&s);
    PUT(&log, 'S', 100);
    PUT(&log, 'W', 7, 1, 42);
    PUT(&log, 'C', 100);
    put_log(&s, "T1.log", &log);
    PUT(&log, 'S', 200);
    PUT(&log, 'R', 100, 7, 1, 43); // the value does not matter
    PUT(&log, 'R', COBRA_INIT, COBRA_INIT, 2, 9);
    PUT(&log, 'R', COBRA_NULL, COBRA_NULL, 3, 9);
    PUT(&log, 'W', 0, UINT64_MAX, 0); // 0 is an id like any other
    PUT(&log, 'C', 200);
    put_log(&s, "T2.log", &log);
    CHECK(read_logs(&s, &h, &err));
    CHECK(h.n_sessions == 2 && h.n_txns == 2 && h.n_ops == 5);
    CHECK(history_writer(&h, h.op_value[1]) == 0);
    CHECK(h.op_value[2] == VALUE_INIT && h.op_value[3] == VALUE_INIT);
    CHECK(h.op_value[4] != VALUE_INIT);
    CHECK(
        atom_equal(history_key_atom(&h, op_key(&h, 4)), atom_uint(UINT64_MAX)));
    CHECK(atom_equal(history_txn_atom(&h, 1), atom_int(200)));
    history_free(&h);
    buf_free(&log);
    scratch_free(&s);
}

static void
one_universal_write_anywhere_makes_values_count(void)
{
    struct scratch s;
    struct buf log = {0};
    struct history h;
    struct err err = {0};
    const uint64_t u = COBRA_UNIVERSAL;
    scratch_init(&s);
    PUT(&log, 'S', 100);
    PUT(&log, 'R', u, u, 1, 42);
    PUT(&log, 'R', COBRA_INIT, COBRA_INIT, 2, 42);
    PUT(&log, 'C', 100);
    put_log(&s, "T1.log", &log);
    PUT(&log, 'S', 200);
    PUT(&log, 'W', u, 1, 42);
    PUT(&log, 'W', u, 2, 42);
    PUT(&log, 'C', 200);
    put_log(&s, "T2.log", &log);
    CHECK(read_logs(&s, &h, &err));
    CHECK(history_writer(&h, h.op_value[0]) == 1);
    CHECK(h.op_value[1] == VALUE_INIT);
    history_free(&h);
    buf_free(&log);
    scratch_free(&s);
}

/* Two initial values, or a value and an absent row, in either flavour: the
 * second state has no writer. */
static void
a_key_has_one_initial_state(void)
{
    const uint64_t ids[] = {7, COBRA_UNIVERSAL};
    for (size_t i = 0; i < 2; i++) {
        struct scratch s;
        struct buf log = {0};
        struct history h;
        struct err err = {0};
        scratch_init(&s);
        PUT(&log, 'S', 100);
        PUT(&log, 'R', COBRA_INIT, COBRA_INIT, 1, 5);
        PUT(&log, 'R', COBRA_NULL, COBRA_NULL, 2, 5);
        PUT(&log, 'R', COBRA_INIT, COBRA_INIT, 1, 5);
        PUT(&log, 'R', COBRA_NULL, COBRA_NULL, 2, 6);
        PUT(&log, 'R', COBRA_INIT, COBRA_INIT, 1, 6);
        PUT(&log, 'R', COBRA_NULL, COBRA_NULL, 1, 5);
        PUT(&log, 'R', COBRA_INIT, COBRA_INIT, 2, 6);
        PUT(&log, 'W', ids[i], 1, 6);
        PUT(&log, 'W', ids[i], 2, 6);
        PUT(&log, 'C', 100);
        put_log(&s, "T1.log", &log);
        CHECK(read_logs(&s, &h, &err));
        CHECK(h.n_ops == 9);
        for (op_id op = 0; op < 4; op++)
            CHECK(h.op_value[op] == VALUE_INIT);
        for (op_id op = 4; op < 7; op++)
            CHECK(h.op_value[op] != VALUE_INIT &&
                  history_writer(&h, h.op_value[op]) == TXN_NONE);
        history_free(&h);
        buf_free(&log);
        scratch_free(&s);
    }
}

static void
a_transaction_without_commit_at_the_end_is_indeterminate(void)
{
    struct scratch s;
    struct buf log = {0};
    struct history h;
    struct err err = {0};
    scratch_init(&s);
    PUT(&log, 'S', 1);
    PUT(&log, 'C', 1);
    PUT(&log, 'S', 2);
    PUT(&log, 'W', 7, 1, 7);
    put_log(&s, "T1.log", &log);
    CHECK(read_logs(&s, &h, &err));
    CHECK(h.txn_status[0] == TXN_COMMITTED);
    CHECK(h.txn_status[1] == TXN_INDETERMINATE);
    history_free(&h);
    buf_free(&log);
    scratch_free(&s);
}

static void
sessions_go_by_the_number_in_the_name(void)
{
    static const char *const names[] = {"T10.log",  "T9.log", "extra.log",
                                        "T011.log", "README", "x.log.bak"};
    struct scratch s;
    struct buf log = {0};
    struct history h;
    struct err err = {0};
    scratch_init(&s);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        put_log(&s, names[i], &log);
    CHECK(read_logs(&s, &h, &err));
    CHECK(h.n_sessions == 4);
    CHECK(atom_equal(h.session_name[0], atom_int(9)));
    CHECK(atom_equal(h.session_name[1], atom_int(10)));
    CHECK(atom_equal(h.session_name[2], atom_int(11)));
    CHECK(h.session_name[3].tag == ATOM_STRING);
    history_free(&h);
    put_log(&s, "U9.log", &log);
    CHECK(!read_logs(&s, &h, &err));
    CHECK_TEXT(err.text, "this file and 'T9.log' both name session 9");
    buf_free(&log);
    scratch_free(&s);
}

static void
a_mistake_is_told_with_its_file_and_byte(void)
{
    struct scratch s;
    struct buf log = {0};
    struct history h;
    struct err err = {0};
    char message[1024];
    scratch_init(&s);
    PUT(&log, 'S', 1);
    PUT(&log, 'C', 1);
    put_log(&s, "T1.log", &log);
    PUT(&log, 'S', 1);
    PUT(&log, 'C', 2);
    put_log(&s, "T2.log", &log);
    CHECK(!read_logs(&s, &h, &err));
    CHECK_TEXT(message_of(&err, message, sizeof message),
               "T2.log: byte 9: found a commit of transaction 2 while "
               "transaction 1 is open");
    buf_free(&log);
    scratch_free(&s);
}

static void
a_directory_whose_logs_begin_with_a_start_is_recognised(void)
{
    struct scratch s;
    struct buf log = {0};
    scratch_init(&s);
    const struct input in = {.name = s.path, .is_directory = true};
    CHECK(format_cobra.sniff(&in) == 0); // nothing there
    put_log(&s, "T1.log", &log);
    CHECK(format_cobra.sniff(&in) == 0); // nothing in it
    PUT(&log, 'S', 1);
    put_log(&s, "T2.log", &log);
    CHECK(format_cobra.sniff(&in) > 50);
    buf_text(&log, "{\"value\": []}");
    put_log(&s, "T1.log", &log);
    CHECK(format_cobra.sniff(&in) == 0);
    CHECK(sniff_memory(&format_cobra, "S", 1) == 0); // no directory
    buf_free(&log);
    scratch_free(&s);
}

/* Write what 'text' says, read it again, and say whether it is the same and
 * was written in the universal flavour as expected. */
static bool
survives(const char *text, bool universal)
{
    struct scratch s;
    struct history h, again;
    struct err err = {0};
    char path[512], inner[1024];
    scratch_init(&s);
    scratch_path(&s, "logs", path, sizeof path);
    hist(&h, text);
    bool ok = format_write(&h, &format_cobra, path, &err);
    if (ok)
        ok = format_read(path, "cobra", 1, &again, NULL, &err);
    if (ok) {
        ok = same_history(&h, &again, LOSES_TXN_NAMES);
        history_free(&again);
        // The first operation is a write in all cases here.
        struct input in;
        snprintf(inner, sizeof inner, "%s/T1.log", path);
        ok = ok && input_open(&in, inner, &err);
        ok = ok && (load_big64(in.data + 10) == COBRA_UNIVERSAL) == universal;
        input_close(&in);
    } else {
        printf("# %s: %s\n", text, err.text);
    }
    history_free(&h);
    scratch_free(&s);
    return ok;
}

static void
the_standard_flavour_is_written_where_values_are_unique(void)
{
    CHECK(survives("[1:=1 2:=2] --- [1==1 2==? 1==9]?", false));
    CHECK(survives("[1:=1 2:=1] --- [1==1 2==1]", true));
    CHECK(survives("[1:=1] --- [1:=1]", true));
    CHECK(survives("[1:=0] --- [1==0 2==?]", false));
    CHECK(survives("[1:=3735928559] --- [1==3735928559]", true));
}

static void
a_directory_that_is_there_is_left_alone(void)
{
    struct scratch s;
    struct history h;
    struct err err = {0};
    scratch_init(&s);
    hist(&h, "[1:=1]");
    CHECK(!format_write(&h, &format_cobra, s.path, &err));
    CHECK(err.kind == ERR_IO);
    history_free(&h);
    scratch_free(&s);
}

static void
nothing_is_left_of_a_directory_that_cannot_be_written(void)
{
    struct scratch s;
    struct history h;
    char path[512];
    scratch_init(&s);
    hist(&h, "[1:=1]");
    struct err err = {0};
    scratch_path(&s, "nowhere/logs", path, sizeof path);
    CHECK(!format_write(&h, &format_cobra, path, &err));
    CHECK(err.kind == ERR_IO);
    err = (struct err){0};
    scratch_path(&s, "logs.partial", path, sizeof path);
    put_file(path, "", 0); // where the directory would be made
    scratch_path(&s, "logs", path, sizeof path);
    CHECK(!format_write(&h, &format_cobra, path, &err));
    CHECK(err.kind == ERR_IO);
    CHECK(access(path, F_OK) != 0);
    history_free(&h);
    scratch_free(&s);
}

static void
what_it_has_no_word_for_is_refused(void)
{
    static const char *const cases[] = {"[1:=1]!", "[1:=1]? []", "[x:=1]",
                                        "[1+=1]", "[1==3735928559]"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct history h;
        struct err err = {0};
        hist(&h, cases[i]);
        CHECK(!format_cobra.holds(&h, &err));
        CHECK(err.kind == ERR_FEATURE);
        history_free(&h);
    }
}

int
main(void)
{
    RUN(in_the_standard_flavour_ids_of_writes_are_the_values);
    RUN(one_universal_write_anywhere_makes_values_count);
    RUN(a_key_has_one_initial_state);
    RUN(a_transaction_without_commit_at_the_end_is_indeterminate);
    RUN(sessions_go_by_the_number_in_the_name);
    RUN(a_mistake_is_told_with_its_file_and_byte);
    RUN(a_directory_whose_logs_begin_with_a_start_is_recognised);
    RUN(the_standard_flavour_is_written_where_values_are_unique);
    RUN(a_directory_that_is_there_is_left_alone);
    RUN(nothing_is_left_of_a_directory_that_cannot_be_written);
    RUN(what_it_has_no_word_for_is_refused);
    return test_end();
}
