/* test_stamps.c -- formats with timestamps of the server, and dbcop's JSON.
 *
 * SPDX-License-Identifier: MIT */
#include "format/told.h"

static void
timekiller_lists_transactions_with_timestamps(void)
{
    const char *text =
        "[{\"sid\":\"a\",\"tid\":7,\"sts\":{\"p\":\"3\",\"l\":1},"
        "\"cts\":{\"p\":4,\"l\":0},\"ops\":["
        "{\"t\":\"w\",\"k\":1,\"v\":2},{\"t\":\"r\",\"k\":2,\"v\":null},"
        "{\"t\":\"r\",\"k\":4,\"v\":0},"
        "{\"t\":\"a\",\"k\":3,\"v\":5},{\"t\":\"r\",\"k\":3,\"v\":[5]}]}]";
    CHECK(means(&format_timekiller, text,
                "a: 7 w(1, 2) r(2, 0) r(4, 0) append(3, 5) r(3, [5])"));
    struct history h;
    struct err err = {0};
    CHECK(read_memory(&format_timekiller, text, strlen(text), &h, &err));
    CHECK(h.txn_start_ts[0].physical == 3 && h.txn_start_ts[0].logical == 1);
    CHECK(h.txn_commit_ts[0].physical == 4 && !h.txn_commit_ts[0].logical);
    history_free(&h);
}

/* A key that begins as null does not begin as 0, wherever the null is. */
static void
a_key_of_timekiller_begins_as_null_or_as_zero(void)
{
    const char *text =
        "[{\"sid\":1,\"tid\":1,\"sts\":{\"p\":1,\"l\":0},"
        "\"cts\":{\"p\":2,\"l\":0},\"ops\":["
        "{\"t\":\"r\",\"k\":1,\"v\":0},{\"t\":\"r\",\"k\":1,\"v\":null},"
        "{\"t\":\"r\",\"k\":2,\"v\":0},{\"t\":\"r\",\"k\":3,\"v\":null},"
        "{\"t\":\"r\",\"k\":3,\"v\":0},{\"t\":\"w\",\"k\":3,\"v\":0}]}]";
    struct history h;
    struct err err = {0};
    CHECK(read_memory(&format_timekiller, text, strlen(text), &h, &err));
    static const bool is_initial[] = {false, true, true, true, false, false};
    for (op_id op = 0; op < 6; op++)
        CHECK((h.op_value[op] == VALUE_INIT) == is_initial[op]);
    CHECK(history_writer(&h, h.op_value[0]) == TXN_NONE);
    CHECK(h.op_value[4] == h.op_value[5]);
    history_free(&h);
}

static void
jsonl_keeps_timestamps(void)
{
    const char *lines = "{\"session\":1,\"start_ts\":448719026770149417,"
                        "\"commit_ts\":\"448719026770149418.61\",\"ops\":[]}\n"
                        "{\"session\":1,\"commit_ts\":5,\"ops\":[]}\n"
                        "{\"session\":1,\"ops\":[]}\n";
    CHECK(writes(&format_jsonl, lines, &format_jsonl, lines));
}

static void
an_outcome_may_bring_its_timestamp(void)
{
    CHECK(writes(&format_jsonl,
                 "{\"session\":1,\"status\":\"unknown\",\"start_ts\":3,"
                 "\"ops\":[]}\n"
                 "{\"session\":1,\"status\":\"committed\",\"commit_ts\":4}\n",
                 &format_jsonl,
                 "{\"session\":1,\"start_ts\":3,\"commit_ts\":4,\"ops\":[]}"
                 "\n"));
}

static void
dbcop_writes_sessions_as_arrays(void)
{
    const char *meaning = "1: w(0, 1) r(1, 0); 1: ! r(0, 1); 2: r(7, 0)";
    CHECK(means(&format_dbcop_json,
                "{\"params\":{\"id\":0},\"info\":\"i\",\"data\":[[{\"events\":"
                "[{\"Write\":{\"variable\":0,\"version\":1}},"
                "{\"Read\":{\"version\":null,\"variable\":1}}],"
                "\"committed\":true},"
                "{\"events\":[[\"r\",0,1]],\"committed\":false}],"
                "[{\"committed\":true,\"events\":[[\"r\",7,0]]}]],"
                "\"end\":\"e\"}",
                meaning));
    CHECK(means(&format_dbcop_json,
                "[[{\"events\":[[\"w\",0,1],[\"r\",1,null]],"
                "\"committed\":true},\n"
                "{\"events\":[[\"r\",0,1]],\"committed\":false}],\n"
                "[{\"committed\":true,\"events\":[[\"r\",7,0]]}]]",
                meaning));
}

static void
a_cut_file_is_never_read(void)
{
    CHECK(count_readable_cuts(&format_timekiller,
                              "[{\"sid\":1,\"tid\":2,\"sts\":{\"p\":1,\"l\":0},"
                              "\"cts\":{\"p\":2,\"l\":0},\"ops\":[]}]") == 1);
    CHECK(count_readable_cuts(&format_dbcop_json,
                              "{\"data\":[[{\"events\":[[\"r\",0,1]],"
                              "\"committed\":true}]]}") == 1);
}

int
main(void)
{
    RUN(timekiller_lists_transactions_with_timestamps);
    RUN(a_key_of_timekiller_begins_as_null_or_as_zero);
    RUN(jsonl_keeps_timestamps);
    RUN(an_outcome_may_bring_its_timestamp);
    RUN(dbcop_writes_sessions_as_arrays);
    RUN(a_cut_file_is_never_read);
    return test_end();
}
