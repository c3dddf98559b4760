/* test_dbcop.c -- bincode histories: what is kept, what is dropped, and that
 * nothing else is taken for one.
 *
 * SPDX-License-Identifier: MIT */
#include "format/scan/bytes.h"
#include "format/support.h"
#include "hist.h"
#include "test.h"

/* The bytes of a file, from its parts. */
static void
put_head(struct buf *b, uint64_t n_sessions)
{
    for (uint64_t i = 1; i <= 5; i++)
        buf_little64(b, i * 1000); // nobody relies on these
    static const char *const strings[] = {"a database", "2020-01-01T00:00:00Z",
                                          "2020-01-01T00:00:01Z"};
    for (int i = 0; i < 3; i++) {
        buf_little64(b, strlen(strings[i]));
        buf_text(b, strings[i]);
    }
    buf_little64(b, n_sessions);
}

static void
put_event(struct buf *b, char kind, uint64_t key, uint64_t value, bool success)
{
    buf_char(b, kind == 'w');
    buf_little64(b, key);
    buf_little64(b, value);
    buf_char(b, success);
}

/* Two sessions: an aborted transaction and one with a failed statement; one
 * that read the largest numbers there are. */
static void
put_example(struct buf *b)
{
    put_head(b, 2);
    buf_little64(b, 2);
    buf_little64(b, 2);
    put_event(b, 'w', 1, 10, true);
    put_event(b, 'w', 2, 20, false);
    buf_char(b, 0);
    buf_little64(b, 3);
    put_event(b, 'r', 1, 0, true);
    put_event(b, 'w', 1, 11, false);
    put_event(b, 'w', 1, UINT64_MAX, true);
    buf_char(b, 1);
    buf_little64(b, 1);
    buf_little64(b, 1);
    put_event(b, 'r', 1, UINT64_MAX, true);
    buf_char(b, 1);
}

static void
sessions_and_outcomes_are_read(void)
{
    struct buf b = {0};
    struct history h;
    struct err err = {0};
    put_example(&b);
    CHECK(read_memory(&format_dbcop, b.at, b.n, &h, &err));
    CHECK(h.n_sessions == 2 && h.n_txns == 3);
    CHECK(atom_equal(h.session_name[0], atom_int(1)));
    CHECK(h.txn_status[0] == TXN_ABORTED);
    CHECK(h.txn_status[1] == TXN_COMMITTED);
    history_free(&h);
    buf_free(&b);
}

static void
failed_statements_of_committed_transactions_are_dropped(void)
{
    struct buf b = {0};
    struct history h;
    struct err err = {0};
    put_example(&b);
    CHECK(read_memory(&format_dbcop, b.at, b.n, &h, &err));
    CHECK(h.txn_end[0] - h.txn_begin[0] == 2); // aborted: all are kept
    CHECK(h.txn_end[1] - h.txn_begin[1] == 2); // the one in the middle is gone
    history_free(&h);
    buf_free(&b);
}

static void
zero_is_initial_and_values_have_all_64_bits(void)
{
    struct buf b = {0};
    struct history h;
    struct err err = {0};
    put_example(&b);
    CHECK(read_memory(&format_dbcop, b.at, b.n, &h, &err));
    CHECK(h.op_value[h.txn_begin[1]] == VALUE_INIT);
    const value_id v = h.op_value[h.txn_begin[2]];
    CHECK(history_value_atom(&h, v).bits == UINT64_MAX);
    CHECK(history_value_atom(&h, v).tag == ATOM_UINT);
    CHECK(history_writer(&h, v) == 1);
    history_free(&h);
    buf_free(&b);
}

static void
more_operations_than_a_batch_keep_their_order(void)
{
    struct buf b = {0};
    struct history h;
    struct err err = {0};
    put_head(&b, 1);
    buf_little64(&b, 2);
    for (uint64_t t = 0; t < 2; t++) {
        buf_little64(&b, 3000);
        for (uint64_t i = 0; i < 3000; i++)
            put_event(&b, 'w', i % 7, t * 3000 + i + 1, true);
        buf_char(&b, 1);
    }
    CHECK(read_memory(&format_dbcop, b.at, b.n, &h, &err));
    CHECK(h.n_txns == 2 && h.n_ops == 6000);
    for (op_id op = 0; op < h.n_ops; op++)
        CHECK(history_value_atom(&h, h.op_value[op]).bits == op + 1);
    history_free(&h);
    buf_free(&b);
}

static void
a_directory_stands_for_the_file_in_it(void)
{
    struct scratch scratch;
    char path[512];
    struct buf b = {0};
    struct history h;
    struct err err = {0};
    const struct format *used = NULL;
    scratch_init(&scratch);
    scratch_path(&scratch, "history.bincode", path, sizeof path);
    put_example(&b);
    put_file(path, b.at, b.n);
    CHECK(format_dbcop.sniff(&(struct input){.name = scratch.path,
                                             .is_directory = true}) > 50);
    CHECK(format_read(scratch.path, "dbcop", 1, &h, &used, &err));
    CHECK(h.n_txns == 3);
    history_free(&h);
    put_file(path, b.at, b.n - 1);
    CHECK(!format_read(scratch.path, "dbcop", 1, &h, &used, &err));
    CHECK(strstr(err.file, "history.bincode"));
    CHECK(err.has_byte);
    buf_free(&b);
    scratch_free(&scratch);
}

static void
only_its_own_bytes_are_recognised(void)
{
    struct buf b = {0};
    put_example(&b);
    CHECK(sniff_memory(&format_dbcop, b.at, b.n) > 50);
    // A cut file is recognised, so that reading it says where it ends.
    struct buf head = {0};
    put_head(&head, 0);
    for (size_t n = 0; n < b.n; n++)
        CHECK((sniff_memory(&format_dbcop, b.at, n) > 50) == (n >= head.n - 8));
    buf_free(&head);
    // A boolean that is none.
    b.at[b.n - 1] = 2;
    CHECK(sniff_memory(&format_dbcop, b.at, b.n) == 0);
    buf_free(&b);
    static const char *const others[] = {
        "r(1,2,3,4)\nw(1,2,3,4)\nr(1,2,3,4)\nw(1,2,3,4)\nr(1,2,3,4)\n",
        "[x:=1 y:=2 z:=3] [x==1 y==2 z==3] [x:=4 y:=5 z:=6] [x==4 y==5]",
        "{\"session\":1,\"id\":\"pay-17\",\"status\":\"committed\",\"ops\":[]}",
        "{:type :invoke, :process 0, :f :txn, :value [[:r 1 nil]], :time 1}",
        "WRITE KEY[x] Txn(1, 0)\nREAD KEY[x] Txn(2, 0) From(1, 0)\n",
        "",
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        CHECK(sniff_memory(&format_dbcop, others[i], strlen(others[i])) == 0);
}

static void
what_is_written_is_read_again(void)
{
    struct history h, again;
    struct err err = {0};
    char *data;
    size_t size;
    hist(&h, "[1:=? 2:=?] [1:=5 2==?]! --- --- [1==5 2==?] []");
    CHECK(write_memory(&h, &format_dbcop, &data, &size, &err));
    CHECK(read_memory(&format_dbcop, data, size, &again, &err));
    CHECK(same_history(&h, &again, LOSES_SESSION_NAMES | LOSES_TXN_NAMES));
    history_free(&again);
    free(data);
    history_free(&h);
}

static void
what_it_has_no_word_for_is_refused(void)
{
    static const char *const cases[] = {
        "[1:=1]?", "[x:=1]", "[1:=x]", "[1:=0]", "[-1:=1]", "[1:=-1]", "[1+=1]",
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct history h;
        struct err err = {0};
        hist(&h, cases[i]);
        CHECK(!format_dbcop.holds(&h, &err));
        CHECK(err.kind == ERR_FEATURE);
        history_free(&h);
    }
}

int
main(void)
{
    RUN(sessions_and_outcomes_are_read);
    RUN(failed_statements_of_committed_transactions_are_dropped);
    RUN(zero_is_initial_and_values_have_all_64_bits);
    RUN(more_operations_than_a_batch_keep_their_order);
    RUN(a_directory_stands_for_the_file_in_it);
    RUN(only_its_own_bytes_are_recognised);
    RUN(what_is_written_is_read_again);
    RUN(what_it_has_no_word_for_is_refused);
    return test_end();
}
