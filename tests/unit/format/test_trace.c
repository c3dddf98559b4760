/* test_trace.c -- operations that name their writers.
 *
 * SPDX-License-Identifier: MIT */
#include "format/support.h"
#include "hist.h"
#include "test.h"

static bool
reads(const char *text, struct history *h)
{
    struct err err = {0};
    if (read_text(&format_trace, text, h, &err))
        return true;
    char message[1024];
    err_format(&err, message, sizeof message);
    printf("# %s\n", message);
    return false;
}

static bool
fails_with(const char *text, const char *expected)
{
    struct history h;
    struct err err = {0};
    char message[1024];
    if (read_text(&format_trace, text, &h, &err)) {
        history_free(&h);
        return false;
    }
    err_format(&err, message, sizeof message);
    if (strcmp(message, expected) != 0)
        printf("# fails with: %s\n", message);
    return strcmp(message, expected) == 0;
}

static void
a_read_resolves_to_the_transaction_it_names(void)
{
    struct history h;
    if (!reads("WRITE KEY[x] Txn(0, 0)\n"
               "WRITE KEY[x] Txn(1, 0)\n"
               "WRITE KEY[x] Txn(1, 3)\n"
               "READ KEY[x] Txn(2, 0) From(1, 0)\r\n"
               "\n"
               "READ KEY[x] Txn(2, 1) From(0, 0)",
               &h)) {
        CHECK(false);
        return;
    }
    struct buf name = {0};
    CHECK(h.n_sessions == 2 && h.n_txns == 4 && h.n_ops == 4);
    CHECK(history_writer(&h, h.op_value[2]) == 0);
    CHECK(history_writer(&h, h.op_value[3]) == TXN_INIT);
    history_show_txn(&h, 1, &name);
    CHECK_TEXT(name.at, "1/3");
    buf_free(&name);
    history_free(&h);
}

static void
the_last_of_several_writes_is_the_one_read(void)
{
    struct history h;
    CHECK(reads("WRITE KEY[x] Txn(1, 0)\nREAD KEY[x] Txn(1, 0) From(1, 0)\n"
                "WRITE KEY[x] Txn(1, 0)\nREAD KEY[x] Txn(2, 0) From(1, 0)\n",
                &h));
    CHECK(!op_is_external_read(&h, 1) && !(h.op_key[1] & OP_REJECTED));
    CHECK(op_is_external_read(&h, 3));
    CHECK(history_writer(&h, h.op_value[3]) == 0);
    history_free(&h);
}

static void
a_writer_may_stand_behind_its_reader(void)
{
    struct history h;
    CHECK(reads("READ KEY[x] Txn(2, 0) From(1, 0)\nWRITE KEY[x] Txn(1, 0)\n",
                &h));
    CHECK(history_writer(&h, h.op_value[0]) == 1);
    // The order of the file is kept, though it says nothing about sessions.
    CHECK(h.arrival[0] == 0 && h.arrival[1] == 1);
    history_free(&h);
}

static void
elements_of_sets_are_keys(void)
{
    struct history h;
    CHECK(reads("INSERT[7] to Set[users] Txn(1, 0)\n"
                "DELETE[8] from Set[users] Txn(1, 1)\n"
                "CONTAINS[7] in Set[users] From(1, 0) Txn(2, 0)\n",
                &h));
    CHECK(h.n_keys == 2);
    CHECK(history_writer(&h, h.op_value[2]) == 0);
    struct buf name = {0};
    history_show_key(&h, 0, &name);
    CHECK_TEXT(name.at, "\"Set(users:7)\"");
    buf_free(&name);
    history_free(&h);
}

static void
a_key_reaches_to_the_bracket_before_its_transaction(void)
{
    struct history h;
    struct buf name = {0};
    CHECK(reads("WRITE KEY[a[0] b] Txn(1, 0)\nWRITE KEY[12] Txn(1, 0)\n"
                "WRITE KEY[012] Txn(1, 0)\n",
                &h));
    history_show_key(&h, 0, &name);
    CHECK_TEXT(name.at, "\"a[0] b\"");
    CHECK(atom_equal(history_key_atom(&h, 1), atom_int(12)));
    CHECK(history_key_atom(&h, 2).tag == ATOM_STRING);
    buf_free(&name);
    history_free(&h);
}

static void
mistakes_have_their_place(void)
{
    CHECK(fails_with("WRITE KEY[x] Txn(1, 0)\nREAD KEY[x] Txn(2, 0) From(3, 0)",
                     "2:28: Txn(3, 0) is read from here, but never writes "
                     "this key"));
    CHECK(fails_with("WRITE KEY[x] Txn(1, 0)\nREAD KEY[y] Txn(2, 0) From(1, 0)",
                     "2:28: Txn(1, 0) is read from here, but never writes "
                     "this key"));
    CHECK(fails_with("WRITE KEY[x] Txn(1, 0)\nWRITE KEY[x] Txn(1, 1)\n"
                     "WRITE KEY[x] Txn(1, 0)",
                     "3:18: Txn(1, 0) comes back after Txn(1, 1) of its "
                     "session"));
    CHECK(fails_with("READ KEY[x] Txn(0, 0) From(0, 0)",
                     "1:17: Txn(0, 0) is the initial state and reads nothing"));
}

static void
what_is_written_is_read_again(void)
{
    struct history h, again;
    struct err err = {0};
    char *data;
    size_t size;
    hist(&h, "[x:=1 x:=2 y==?] --- [x==2 x:=3] [x==3 z:=?]");
    CHECK(write_memory(&h, &format_trace, &data, &size, &err));
    CHECK_TEXT(data, "WRITE KEY[x] Txn(1, 0)\nWRITE KEY[x] Txn(1, 0)\n"
                     "READ KEY[y] Txn(1, 0) From(0, 0)\n"
                     "READ KEY[x] Txn(2, 0) From(1, 0)\n"
                     "WRITE KEY[x] Txn(2, 0)\n"
                     "READ KEY[x] Txn(2, 1) From(2, 0)\n"
                     "WRITE KEY[z] Txn(2, 1)\n");
    CHECK(read_memory(&format_trace, data, size, &again, &err));
    CHECK(again.n_txns == 3 && again.n_ops == 7);
    free(data);
    // What has the labels of a trace keeps them.
    CHECK(write_memory(&again, &format_trace, &data, &size, &err));
    CHECK(strstr(data, "READ KEY[x] Txn(2, 1) From(2, 0)"));
    free(data);
    history_free(&again);
    history_free(&h);
}

static void
own_labels_are_kept(void)
{
    static const char text[] = "WRITE KEY[x] Txn(7, 4)\n"
                               "READ KEY[x] Txn(3, 2) From(7, 4)\n"
                               "READ KEY[x] Txn(7, 9) From(7, 4)\n";
    struct history h;
    struct err err = {0};
    char *data;
    size_t size;
    CHECK(reads(text, &h));
    CHECK(write_memory(&h, &format_trace, &data, &size, &err));
    CHECK_TEXT(data, text);
    free(data);
    history_free(&h);
}

static void
what_it_has_no_word_for_is_refused(void)
{
    static const char *const cases[] = {
        "[x:=1]!",                       // not committed
        "[x:=1]?",                       //
        "[]",                            // without operations
        "[x:=1] ---",                    //
        "[x==1]",                        // nobody wrote it
        "[x:=1] [x:=1 x==1] --- [x==1]", // two may have
        "[x+=1]",                        // a list
        "[\"7\":=1]",                    // would be read as a number
        "[\"a\\n\":=1]",                 // would end the line
        "[:x:=1]",                       //
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct history h;
        struct err err = {0};
        hist(&h, cases[i]);
        CHECK(!format_trace.holds(&h, &err));
        CHECK(err.kind == ERR_FEATURE);
        history_free(&h);
    }
}

int
main(void)
{
    RUN(a_read_resolves_to_the_transaction_it_names);
    RUN(the_last_of_several_writes_is_the_one_read);
    RUN(a_writer_may_stand_behind_its_reader);
    RUN(elements_of_sets_are_keys);
    RUN(a_key_reaches_to_the_bracket_before_its_transaction);
    RUN(mistakes_have_their_place);
    RUN(what_is_written_is_read_again);
    RUN(own_labels_are_kept);
    RUN(what_it_has_no_word_for_is_refused);
    return test_end();
}
