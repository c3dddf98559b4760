/* test_truncation.c -- an input cut at any byte gives an error or a history,
 * never a crash, and a binary one always an error.
 *
 * A disc that was full, a copy that was interrupted: cut files are the
 * commonest malformed input, and a verdict about one would be about a history
 * that nobody had.  Text formats cannot tell a file cut between two lines from
 * a shorter one; the others can.  Cuts of compressed files are in
 * test_unpack.c.
 *
 * SPDX-License-Identifier: MIT */
#include "format/support.h"
#include "hist.h"
#include "test.h"

/* Reading a strict prefix may succeed only where 'lines' says so. */
static void
cut_everywhere(const struct format *format, const char *data, size_t size,
               bool lines)
{
    for (size_t n = 0; n < size; n++) {
        struct history h;
        struct err err = {0};
        if (read_memory(format, data, n, &h, &err)) {
            if (!lines)
                printf("# %s: %zu of %zu bytes\n", format->name, n, size);
            CHECK(lines);
            history_free(&h);
            continue;
        }
        CHECK(err.kind == ERR_SYNTAX);
        CHECK(err.line || err.has_byte || !n);
        CHECK(err.text[0]);
    }
    struct history h;
    struct err err = {0};
    CHECK(read_memory(format, data, size, &h, &err));
    if (err.kind)
        printf("# %s: %s\n", format->name, err.text);
    else
        history_free(&h);
}

static void
cut_text(const struct format *format, const char *text)
{
    cut_everywhere(format, text, strlen(text), true);
}

static void
a_cut_text_is_no_surprise(void)
{
    cut_text(&format_text, "w(1,1,1,1)\nr(1,1,2,2)\r\n\nr(18446744073709551615,"
                           "0,2,3)\nw(3,4,1,-1)\n");
}

static void
a_cut_hist_is_no_surprise(void)
{
    cut_text(&format_hist, "// two sessions\n--- alice\nt1[x:=1 \"a\\n\":=:k]@1"
                           "..5 [l+=1 l==[1]]!\n--- 7\n[x==? y:=?]?\n");
}

static void
a_cut_trace_is_no_surprise(void)
{
    cut_text(&format_trace, "WRITE KEY[x] Txn(1, 0)\n"
                            "READ KEY[x] Txn(2, 0) From(1, 0)\n"
                            "INSERT[7] to Set[s] Txn(1, 1)\n"
                            "DELETE[8] from Set[s] Txn(1, 1)\n"
                            "CONTAINS[7] in Set[s] From(1, 1) Txn(2, 1)\n");
}

static void
a_cut_jsonl_is_no_surprise(void)
{
    cut_text(&format_jsonl,
             "{\"session\":1,\"id\":\"pay-17\",\"status\":\"committed\","
             "\"start\":1200,\"end\":1350,\"ops\":[[\"r\",\"x\",null],[\"w\","
             "\"y\",\"a\\u00e9\"],[\"append\",\"l\",3],[\"r\",\"l\",[1,2,3]]],"
             "\"meta\":{\"node\":\"n1\"}}\n"
             "{\"session\":2,\"status\":\"unknown\",\"ops\":[[\"r\",\"y\","
             "\"a\"]]}\n");
}

static void
a_cut_edn_is_no_surprise(void)
{
    cut_text(
        &format_edn,
        "{:type :invoke, :process 0, :f :txn, :value [[:r :x nil] [:append "
        "\"l\" 1]], :time 1, :index 0}\n"
        "{:type :ok, :process 0, :f :txn, :value [[:r :x 2] [:append "
        "\"l\" 1]], :time 5, :index 1} ; comment\n"
        "#_ {:a 1} {:type :info, :process :nemesis, :value #{1 2}}\n");
    cut_text(&format_edn,
             "[{:type :ok, :process 0, :value [[:w 1 2] [:r 1 2]]}]");
}

static void
a_cut_json_is_no_surprise(void)
{
    cut_text(&format_json,
             "[{\"type\": \"invoke\", \"process\": 0, \"f\": \"txn\", "
             "\"value\": [[\"r\", \"x\", null]], \"time\": 1},\n"
             "{\"type\": \"ok\", \"process\": 0, \"f\": \"txn\", "
             "\"value\": [[\"r\", \"x\", 2]], \"time\": 5}]\n");
}

static void
a_cut_viper_is_no_surprise(void)
{
    cut_text(&format_viper,
             "{\"value\": [[\"w\", \"x\", 1, true], [\"w\", \"y\", 2, true]], "
             "\"isInitial\": true}\n"
             "{\"value\": [[\"r\", \"x\", 1, false]]}\n");
}

static void
a_cut_dbcop_is_no_surprise(void)
{
    struct history h;
    struct err err = {0};
    char *data;
    size_t size;
    hist(&h, "[1:=1 2==?]! [] --- --- [1==? 2:=18446744073709551615]");
    CHECK(write_memory(&h, &format_dbcop, &data, &size, &err));
    cut_everywhere(&format_dbcop, data, size, false);
    free(data);
    history_free(&h);
}

/* The one log of the directory that format_cobra writes of h. */
static void
write_log(const struct history *h, const struct scratch *s, struct buf *out)
{
    char path[512];
    struct buf log = {0};
    struct input in;
    struct err err = {0};
    scratch_path(s, "logs", path, sizeof path);
    CHECK(format_write(h, &format_cobra, path, &err));
    buf_printf(&log, "%s/T1.log", path);
    CHECK(input_open(&in, log.at, &err));
    buf_add(out, in.data, in.size);
    input_close(&in);
    buf_free(&log);
}

static void
a_cut_cobra_is_no_surprise(void)
{
    struct scratch s;
    struct history h, cut;
    struct buf log = {0};
    char path[512];
    scratch_init(&s);
    hist(&h, "[1:=1 2==?] [2==?]");
    write_log(&h, &s, &log);
    scratch_path(&s, "T1.log", path, sizeof path);
    for (size_t n = 0; n < log.n; n++) {
        struct err err = {0};
        put_file(path, log.at, n);
        // A log that ends behind a record has an unfinished transaction.
        if (format_read(s.path, "cobra", 1, &cut, NULL, &err)) {
            CHECK(cut.n_txns <= 2);
            history_free(&cut);
        } else {
            CHECK(err.kind == ERR_SYNTAX && err.has_byte);
            CHECK(strstr(err.file, "T1.log"));
        }
    }
    buf_free(&log);
    history_free(&h);
    scratch_free(&s);
}

/* Every cut of a file that recognition has to find its way in. */
static void
recognition_bears_every_cut(void)
{
    static const char *const texts[] = {
        "w(1,1,1,1)\nr(1,1,2,2)\n",
        "--- a\nt1[x:=1] [x==1]\n",
        "WRITE KEY[x] Txn(1, 0)\nREAD KEY[x] Txn(2, 0) From(1, 0)\n",
        "{\"session\":1,\"ops\":[[\"r\",\"x\",null]]}\n",
        "{:type :ok, :process 0, :value [[:r :x nil]]}\n",
        "[{\"type\": \"ok\", \"process\": 0, \"value\": [[\"r\", 1, 2]]}]\n",
        "{\"value\": [[\"w\", \"x\", 1, true]]}\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (size_t n = 0; n <= strlen(texts[i]); n++) {
            char *copy = mem_alloc(n + 1, 1);
            memcpy(copy, texts[i], n);
            const struct input in = {.name = "m", .data = copy, .size = n};
            const struct format *format = NULL;
            struct err err = {0};
            CHECK(format_recognise(&in, &format, &err) == (format != NULL));
            mem_free(copy);
        }
}

int
main(void)
{
    RUN(a_cut_text_is_no_surprise);
    RUN(a_cut_hist_is_no_surprise);
    RUN(a_cut_trace_is_no_surprise);
    RUN(a_cut_jsonl_is_no_surprise);
    RUN(a_cut_edn_is_no_surprise);
    RUN(a_cut_json_is_no_surprise);
    RUN(a_cut_viper_is_no_surprise);
    RUN(a_cut_dbcop_is_no_surprise);
    RUN(a_cut_cobra_is_no_surprise);
    RUN(recognition_bears_every_cut);
    return test_end();
}
