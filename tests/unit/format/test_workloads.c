/* test_workloads.c -- Jepsen's logs of other workloads than transactions, in
 * EDN, JSON and lines: what their operations read and write, and what is
 * skipped.
 *
 * SPDX-License-Identifier: MIT */
#include "format/told.h"

#define EDN &format_edn
#define JSON &format_json
#define LINES &format_jepsen

static void
a_register_is_one_row(void)
{
    CHECK(means(LINES,
                "0\t:invoke\t:write\t3\n"
                "1\t:invoke\t:read\tnil\n"
                "0\t:ok\t:write\t3\n"
                "1\t:ok\t:read\t3\n"
                "2\t:invoke\t:cas\t[3 4]\n"
                "2\t:ok\t:cas\t[3 4]\n",
                "0: w(register, 3) @0..2; 1: r(register, 3) @1..3; "
                "2: r(register, 3) w(register, 4) @4..5"));
    CHECK(means(JSON,
                "[{\"type\":\"invoke\",\"process\":0,\"f\":\"read\"},"
                "{\"type\":\"ok\",\"process\":0,\"f\":\"read\",\"value\":null}"
                "]",
                "0: r(register, nil) @0..1"));
}

static void
independent_registers_have_keys(void)
{
    CHECK(means(EDN,
                "{:type :invoke, :process 0, :f :write, :value [7 3]}\n"
                "{:type :ok, :process 0, :f :write, :value [7 3]}\n"
                "{:type :invoke, :process 0, :f :read, :value [7 nil]}\n"
                "{:type :ok, :process 0, :f :read, :value [7 3]}\n"
                "{:type :invoke, :process 0, :f :cas, :value [7 [3 4]]}\n"
                "{:type :ok, :process 0, :f :cas, :value [7 [3 4]]}\n",
                "0: w(7, 3) @0..1; 0: r(7, 3) @2..3; "
                "0: r(7, 3) w(7, 4) @4..5"));
}

static void
an_unknown_outcome_is_what_was_invoked(void)
{
    // A compare-and-set that took effect has read what it compares with.
    CHECK(means(LINES,
                "0\t:invoke\t:cas\t[nil 4]\n"
                "0\t:info\t:cas\t:timed-out\n"
                "1\t:invoke\t:read\tnil\n"
                "1\t:fail\t:read\t:timed-out\n"
                "2\t:invoke\t:write\t5\n",
                "0: ? r(register, nil) w(register, 4) @0..-; 1: ! @2..3; "
                "2: ? w(register, 5) @4..-"));
}

static void
a_store_has_keys_and_no_value_is_an_empty_text(void)
{
    CHECK(means(EDN,
                "{:process 0, :type :invoke, :f :put, :key \"a\", :value "
                "\"1\"}\n"
                "{:process 0, :type :ok, :f :put, :key \"a\", :value \"1\"}\n"
                "{:process 0, :type :invoke, :f :get, :key \"b\", :value nil}\n"
                "{:process 0, :type :ok, :f :get, :key \"b\", :value \"\"}\n",
                "0: w(a, \"1\") @0..1 {\"key\":\"a\"}; "
                "0: r(b, nil) @2..3 {\"key\":\"b\"}"));
}

static void
a_mutex_is_a_row_that_is_held(void)
{
    CHECK(means(EDN,
                "{:type :invoke, :f :acquire, :process 0}"
                "{:type :ok, :f :acquire, :process 0}"
                "{:type :invoke, :f :release, :process 0}"
                "{:type :ok, :f :release, :process 0}"
                "{:type :invoke, :f :release, :process 0}"
                "{:type :fail, :f :release, :process 0, :error :not-held}",
                "0: r(mutex, nil) w(mutex, held) @0..1; "
                "0: r(mutex, held) w(mutex, nil) @2..3; "
                "0: ! r(mutex, held) w(mutex, nil) @4..5 "
                "{\"error\":\"not-held\"}"));
}

static void
a_read_of_a_set_reads_all_of_its_rows(void)
{
    CHECK(means(EDN,
                "{:type :invoke, :process 0, :f :add, :value 1}"
                "{:type :ok, :process 0, :f :add, :value 1}"
                "{:type :invoke, :process 1, :f :read}"
                "{:type :invoke, :process 0, :f :add, :value 2}"
                "{:type :ok, :process 1, :f :read, :value #{1 9}}",
                "0: w(1, added) @0..1; 0: ? w(2, added) @3..-; "
                "1: r(1, added) r(9, added) r(2, nil) @2..4"));
    CHECK(means(EDN,
                "{:type :invoke, :process 0, :f :add, :value [:a 1]}"
                "{:type :ok, :process 0, :f :add, :value [:a 1]}"
                "{:type :invoke, :process 0, :f :add, :value [:b 1]}"
                "{:type :ok, :process 0, :f :add, :value [:b 1]}"
                "{:type :invoke, :process 1, :f :read, :value [:a nil]}"
                "{:type :ok, :process 1, :f :read, :value [:a []]}"
                "{:type :invoke, :process 1, :f :read, :value [:b nil]}"
                "{:type :ok, :process 1, :f :read, :value [:b [1]]}",
                "0: w(\"[:a 1]\", added) @0..1; 0: w(\"[:b 1]\", added) @2..3; "
                "1: r(\"[:a 1]\", nil) @4..5; 1: r(\"[:b 1]\", added) @6..7"));
}

static void
operations_that_are_no_transactions_are_skipped(void)
{
    // Wherever they stand; the sessions are those of transactions.
    CHECK(means(EDN,
                "{:type :invoke, :process 5, :f :create, :value {:a 1}}"
                "{:type :info, :process :nemesis, :f :start}"
                "{:type :ok, :process 5, :f :create, :value nil}"
                "{:type :invoke, :process 0, :f :read, :value [[:r 1 nil]]}"
                "{:type :ok, :process 0, :f :read, :value [[:r 1 nil]]}"
                "{:type :invoke, :process 0, :f :dump, :value 7}",
                "0: r(1, nil) @3..4"));
    struct history h;
    struct err err = {0};
    const char log[] = "{:type :invoke, :process 0, :value [[:w 1 1]]}"
                       "{:type :ok, :process 0, :value [[:w 1 1]]}\n"
                       "{:type :invoke, :process 1, :f :dump, :value 7}";
    CHECK(read_memory(EDN, log, sizeof log - 1, &h, &err));
    CHECK(h.n_skipped == 1 && h.is_cut && h.n_sessions == 1);
    CHECK_TEXT(h.notes.at,
               "1 operation is no transaction and was skipped, as if it wrote "
               "nothing that was read: 'dump' at 2:1\n");
    history_free(&h);
}

static void
lines_may_have_words_before_and_after(void)
{
    CHECK(means(LINES,
                "INFO  jepsen.core - hello\n"
                "INFO  jepsen.util - :nemesis\t:info\t:start\t#object[0x1 \"a\n"
                "INFO  jepsen.util - 0   :invoke :txn  [[:w 1 1]]\r\n"
                "INFO  jepsen.util - 0\t:info\t:txn\t[[:w 1 1]]\tan error: {[\n"
                "  at Some.class\n",
                "0: ? w(1, 1) @1..-"));
}

int
main(void)
{
    RUN(a_register_is_one_row);
    RUN(independent_registers_have_keys);
    RUN(an_unknown_outcome_is_what_was_invoked);
    RUN(a_store_has_keys_and_no_value_is_an_empty_text);
    RUN(a_mutex_is_a_row_that_is_held);
    RUN(a_read_of_a_set_reads_all_of_its_rows);
    RUN(operations_that_are_no_transactions_are_skipped);
    RUN(lines_may_have_words_before_and_after);
    return test_end();
}
