/* test_history.c -- the rules of levels.md for what counts, who wrote what,
 * and which reads are inconsistent.
 *
 * SPDX-License-Identifier: MIT */
#include "hist.h"
#include "test.h"

#include "base/random.h"
#include "history/builder/rebuild.h"
#include "history/flaw_text.h"
#include "history/summary.h"
#include "history/tested.h"

#include <stdlib.h>

/* The flaws of a history as text, a line each: "name: sentence". */
static char *
flaws_of(const char *text)
{
    static char out[2048];
    struct history h;
    hist(&h, text);
    flaw_vec flaws = {0};
    struct buf b = {0};
    const size_t n = history_flaws(&h, 10, &flaws);
    CHECK(n == flaws.n);
    for (size_t i = 0; i < flaws.n; i++) {
        buf_printf(&b, "%s: ", flaw_name(flaws.at[i].kind));
        flaw_tell(&h, &flaws.at[i], &b);
        buf_char(&b, '\n');
    }
    snprintf(out, sizeof out, "%s", b.n ? b.at : "");
    buf_free(&b);
    vec_free(&flaws);
    history_free(&h);
    return out;
}

static void
consistent_reads_have_no_flaw(void)
{
    CHECK_TEXT(flaws_of("[x:=1 x==1 x:=2 x==2] [x==2 y==?] --- [x==?]"), "");
}

static void
each_inconsistent_read_is_named(void)
{
    CHECK_TEXT(flaws_of("[x==7]"),
               "thin-air-read: s1/1 did r(x, 7), which no transaction wrote\n");
    CHECK_TEXT(flaws_of("[x:=1]! --- [x==1]"),
               "aborted-read: s2/1 did r(x, 1), but s1/1, which wrote that, "
               "aborted\n");
    CHECK_TEXT(flaws_of("[x==1 x:=1]"),
               "future-read: s1/1 did r(x, 1) before it wrote that value "
               "itself, and no other transaction wrote it\n");
    CHECK_TEXT(flaws_of("[x:=1] --- [x:=2 x==1]"),
               "not-own-write: s2/1 did w(x, 2) and then r(x, 1), which is "
               "not what it had written\n");
    CHECK_TEXT(flaws_of("[x:=1 x:=2 x==1]"),
               "not-latest-write: s1/1 did r(x, 1), which it had overwritten "
               "with w(x, 2)\n");
    CHECK_TEXT(flaws_of("[x:=1 x:=2] --- [x==1]"),
               "not-latest-write: s2/1 did r(x, 1), but that is not the last "
               "write of the key by s1/1\n");
}

static void
reading_the_initial_state_over_an_own_write_is_not_own(void)
{
    CHECK_TEXT(flaws_of("[x:=1 x==?]"),
               "not-own-write: s1/1 did w(x, 1) and then r(x, nil), which is "
               "not what it had written\n");
}

static void
an_aborted_transaction_may_read_anything(void)
{
    CHECK_TEXT(flaws_of("[x==99 y==98]!"), "");
}

static void
a_value_that_another_wrote_too_is_not_from_the_future(void)
{
    CHECK_TEXT(flaws_of("[x:=1] --- [x==1 x:=1]"), "");
}

static void
lists_must_agree(void)
{
    CHECK_TEXT(flaws_of("[l+=1] [l+=2] --- [l==[1 2]] [l==[1]]"), "");
    CHECK(strstr(flaws_of("[l+=1] [l+=2] --- [l==[1 2]] --- [l==[2 1]]"),
                 "incompatible-order: s3/1"));
    CHECK(
        strstr(flaws_of("[l+=1] --- [l==[1 1]]"), "duplicate-elements: s2/1"));
    CHECK(strstr(flaws_of("[l+=2] --- [l==[1 2]]"), "thin-air-read: s2/1"));
    CHECK(strstr(flaws_of("[l+=1]! [l+=2] --- [l==[1 2]]"),
                 "aborted-read: s2/1"));
}

/* --- what counts -----------------------------------------------------------
 */

static void
a_first_transaction_of_initial_writes_is_the_loading(void)
{
    struct history h;
    hist(&h, "[x:=? y:=?] [x==?] --- [x:=1] [x:=?] --- [x:=? y==?]");
    CHECK(h.txn_status[0] == TXN_LOADING && !h.txn_counts[0]);
    CHECK(h.txn_status[3] == TXN_COMMITTED); // not the first of its session
    CHECK(h.txn_status[4] == TXN_COMMITTED); // it reads
    // x has its initial value from INIT or from either rewriter; y from INIT.
    const value_id v = h.op_value[h.txn_begin[1]];
    CHECK(v != VALUE_INIT && history_has_several(&h, v));
    const struct txn_range c = history_candidates(&h, v);
    CHECK(c.n == 3 && c.at[0] == TXN_INIT && c.at[1] == 3 && c.at[2] == 4);
    const value_id y = h.op_value[h.txn_begin[4] + 1];
    CHECK(y == VALUE_INIT && history_writer(&h, y) == TXN_INIT);
    history_free(&h);
}

static void
an_indeterminate_transaction_counts_when_it_must_have_been_read(void)
{
    struct history h;
    // 0 is read; 1 is not; 2 might be, but a committed one serves as well;
    // 3 is read by 0 only.
    hist(&h, "[x:=1 z==4]? --- [y:=1]? --- [w:=5]? --- [z:=4]? ---"
             "[w:=5] [x==1 w==5]");
    CHECK(h.txn_counts[0] == TXN_COUNTS && h.txn_counts[1] == TXN_LEFT_OUT);
    CHECK(h.txn_counts[2] == TXN_MAY_COUNT && h.txn_counts[3] == TXN_COUNTS);
    CHECK(h.n_optional == 1);
    CHECK(history_writer(&h, h.op_value[h.txn_begin[0]]) == 0);
    CHECK(history_candidates(&h, h.op_value[h.txn_begin[2]]).n == 2);
    flaw_vec flaws = {0};
    CHECK(history_flaws(&h, 9, &flaws) == 0);
    history_free(&h);
    hist(&h, "[x:=1]? --- [x:=1]? --- [x==1]"); // one of the two: either may
    CHECK(h.n_optional == 2);
    CHECK(history_candidates(&h, h.op_value[0]).n == 2);
    history_free(&h);
    // Whoever is the only other writer counts.
    hist(&h, "[x:=1]? --- [x==1 x:=1]");
    CHECK(h.txn_counts[0] == TXN_COUNTS && !h.n_optional);
    history_free(&h);
}

static void
an_indeterminate_transaction_that_nothing_explains_does_not_count(void)
{
    struct history h;
    flaw_vec flaws = {0};
    // 2 read from one that aborted, 3 from 2, 4 what it had overwritten.
    hist(&h, "[x:=1]? --- [z:=9]! --- [z==9 x:=1 y:=1]? --- [y==1 x:=1]? --- "
             "[w:=1 w==2 x:=1]? --- [x==1]");
    CHECK(h.txn_counts[0] == TXN_COUNTS && h.n_optional == 0);
    CHECK(h.txn_counts[2] == TXN_LEFT_OUT && h.txn_counts[3] == TXN_LEFT_OUT);
    CHECK(h.txn_counts[4] == TXN_LEFT_OUT);
    CHECK(history_flaws(&h, 9, &flaws) == 0);
    history_free(&h);
    // Where there is nobody else, it counts, and what is wrong is told.
    hist(&h, "[z:=9]! --- [z==9 x:=1]? --- [x==1]");
    CHECK(h.txn_counts[1] == TXN_COUNTS);
    CHECK(history_flaws(&h, 9, &flaws) == 1);
    CHECK(flaws.n == 1 && flaws.at[0].kind == FLAW_ABORTED);
    vec_free(&flaws);
    history_free(&h);
}

static void
only_last_writes_are_final_and_only_others_are_external(void)
{
    struct history h;
    hist(&h, "[x==? x:=1 x==1 x:=2 y:=3]");
    const bool external[] = {1, 0, 0, 0, 0}, final[] = {0, 0, 0, 1, 1};
    for (op_id op = 0; op < 5; op++) {
        CHECK(op_is_external_read(&h, op) == external[op]);
        CHECK(op_is_final_write(&h, op) == final[op]);
    }
    history_free(&h);
}

/* --- the builder ------------------------------------------------------------
 */

/* The operations of a history by session and transaction, as text. */
static char *
print(const struct history *h)
{
    struct buf b = {0};
    for (txn_id t = 0; t < h->n_txns; t++) {
        history_show_session(h, h->txn_session[t], &b);
        buf_text(&b, ": ");
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
            history_show_op(h, op, &b);
            buf_char(&b, ' ');
        }
        buf_char(&b, '\n');
    }
    return b.at;
}

enum { OPS = 300, TXNS = 20, LIST_TXN = TXNS };

/* Keys and values that are wide, dense or repeated, of transactions that go on
 * or are scattered. */
static void
draw_ops(struct random *r, int round, struct raw_op *ops)
{
    const unsigned shift = (unsigned)random_below(r, 64);
    for (int i = 0; i < OPS; i++) {
        const struct atom key = atom_uint(round % 3 ? random_below(r, 40)
                                                    : random_next(r) >> shift);
        const struct atom value =
            round % 5 == 1 ? atom_nil()
                           : atom_uint(round % 5 ? random_below(r, 90)
                                                 : random_next(r) >> shift);
        const txn_id t =
            round % 7 ? (txn_id)random_below(r, TXNS) : (txn_id)i * TXNS / OPS;
        ops[i] = (struct raw_op){.key = key.bits,
                                 .value = value.bits,
                                 .txn = t,
                                 .key_tag = (uint8_t)key.tag,
                                 .value_tag = (uint8_t)value.tag,
                                 .is_write = random_below(r, 2)};
    }
}

static struct builder *
begin_txns(void)
{
    struct builder *b = builder_new(atom_int(0));
    struct err err = {0};
    for (uint32_t t = 0; t <= TXNS; t++) {
        txn_id id;
        CHECK(builder_txn(b, builder_session(b, atom_int(t % 3)), &id, &err));
    }
    return b;
}

static void
append(struct builder *b)
{
    struct err err = {0};
    const struct atom list = builder_text(b, ATOM_STRING, "list", 4);
    CHECK(builder_append(b, LIST_TXN, list, atom_int(1), &err));
}

static void
add_singly(struct builder *b, const struct raw_op *ops)
{
    struct err err = {0};
    for (int i = 0; i < OPS; i++) {
        const struct atom k = {ops[i].key, ops[i].key_tag};
        const struct atom v = {ops[i].value, ops[i].value_tag};
        CHECK(ops[i].is_write ? builder_write(b, ops[i].txn, k, v, &err)
                              : builder_read(b, ops[i].txn, k, v, &err));
        CHECK(builder_ops(b) >= (size_t)i + 1);
    }
}

/* The same operations, singly, in batches, and singly among lists, where they
 * are not gathered, make the same history. */
static void
batches_agree_with_single_operations(void)
{
    struct random r;
    random_seed(&r, 3);
    for (int round = 0; round < 300; round++) {
        struct raw_op ops[OPS];
        draw_ops(&r, round, ops);
        struct err err = {0};
        struct builder *b[3] = {begin_txns(), begin_txns(), begin_txns()};
        if (round % 2)
            builder_expect(b[1], OPS);
        add_singly(b[0], ops);
        append(b[0]);
        for (size_t i = 0, n; i < OPS; i += n) {
            n = 1 + random_below(&r, OPS - i);
            CHECK(builder_batch(b[1], ops + i, n, &err));
        }
        append(b[1]);
        append(b[2]);
        add_singly(b[2], ops);
        struct history h[3];
        char *text[3];
        for (int i = 0; i < 3; i++) {
            CHECK(builder_finish(b[i], &h[i], &err));
            text[i] = print(&h[i]);
            CHECK(strcmp(text[0], text[i]) == 0);
            CHECK(h[0].n_values == h[i].n_values && h[0].n_keys == h[i].n_keys);
        }
        for (op_id op = 0; op < h[0].n_ops; op++)
            CHECK(h[0].op_key[op] == h[1].op_key[op] &&
                  h[0].op_value[op] == h[1].op_value[op]);
        for (int i = 0; i < 3; i++) {
            mem_free(text[i]);
            history_free(&h[i]);
        }
    }
}

static void
a_key_is_a_register_or_a_list(void)
{
    const struct atom x = atom_int(1), y = atom_int(2), v = atom_int(7);
    struct err err = {0};
    struct builder *b = begin_txns();
    for (int i = 0; i < OPS; i++)
        CHECK(builder_read(b, 0, x, atom_nil(), &err)); // says nothing
    CHECK(builder_write(b, 0, y, v, &err));
    CHECK(builder_append(b, 1, x, v, &err));
    CHECK(builder_read(b, 2, x, atom_nil(), &err));
    CHECK(builder_read_list(b, 2, x, &v, 1, &err));
    CHECK(!builder_append(b, 1, y, v, &err));
    CHECK_TEXT(err.text, "key 2 is used both as a register and as a list");
    err = (struct err){0};
    CHECK(!builder_write(b, 3, x, v, &err));
    CHECK_TEXT(err.text, "key 1 is used both as a register and as a list");
    err = (struct err){0};
    CHECK(!builder_read(b, 3, x, v, &err));
    CHECK_TEXT(err.text, "key 1 is used both as a register and as a list");
    builder_free(b);
}

static void
transactions_that_do_not_count_do_not_order_lists(void)
{
    // Only the aborted one ever saw its own element 2.
    struct history h;
    flaw_vec flaws = {0};
    hist(&h, "[l+=1] --- [l+=2 l==[1 2]]! --- [l+=3 l==[1 3]]");
    CHECK(history_flaws(&h, 5, &flaws) == 0);
    history_free(&h);
    hist(&h, "[l+=1 l==[1]] --- [l+=2 l==[1 2]]! --- [l==[1 2]]");
    CHECK(history_flaws(&h, 5, &flaws) == 1);
    CHECK(flaws.n == 1 && flaws.at[0].kind == FLAW_ABORTED);
    history_free(&h);
    // Nobody knows whether the first one happened, and nobody saw its element.
    hist(&h, "[l+=5 l==[5]]? --- [l+=1] --- [l==[1]]");
    CHECK(history_flaws(&h, 5, &flaws) == 0);
    history_free(&h);
    // Here somebody did, so it counts, and it saw what it saw.
    hist(&h, "[l+=5 l==[5]]? --- [l+=1] --- [l==[1]] --- [l==[1 5]]");
    CHECK(history_flaws(&h, 5, &flaws) > 0);
    history_free(&h);
    vec_free(&flaws);
}

/* --- resolution against a twin
 * ------------------------------------------------ */

/* By definition: the candidates of an external read in a history without
 * indeterminate transactions. */
static size_t
candidates_by_definition(const struct history *h, txn_id reader, op_id read,
                         txn_id *out)
{
    size_t n = 0;
    const bool initial =
        atom_equal(history_value_atom(h, h->op_value[read]), h->initial);
    if (initial)
        out[n++] = TXN_INIT;
    for (txn_id t = 0; t < h->n_txns; t++) {
        if (t == reader || h->txn_status[t] != TXN_COMMITTED)
            continue;
        op_id last = ID_NONE;
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
            if (op_is_write(h, op) && op_key(h, op) == op_key(h, read))
                last = op;
        if (last != ID_NONE &&
            atom_equal(history_value_atom(h, h->op_value[last]),
                       history_value_atom(h, h->op_value[read])))
            out[n++] = t;
    }
    return n;
}

static size_t
candidates_resolved(const struct history *h, txn_id reader, op_id read,
                    txn_id *out)
{
    const value_id v = h->op_value[read];
    if (h->op_key[read] & OP_REJECTED)
        return 0;
    if (!history_has_several(h, v)) {
        out[0] = history_writer(h, v);
        return 1;
    }
    size_t n = 0;
    const struct txn_range c = history_candidates(h, v);
    for (size_t i = 0; i < c.n; i++)
        if (c.at[i] != reader)
            out[n++] = c.at[i];
    return n;
}

static void
random_txns(struct builder *b, struct random *r, struct err *err)
{
    for (int i = 0; i < 12; i++) {
        txn_id t;
        builder_txn(b,
                    builder_session(b, atom_int((int64_t)random_below(r, 3))),
                    &t, err);
        if (random_below(r, 6) == 0)
            builder_status(b, t, TXN_ABORTED);
        for (uint64_t n = random_below(r, 5); n; n--) {
            const struct atom key = atom_int((int64_t)random_below(r, 3));
            const struct atom value = atom_int((int64_t)random_below(r, 5));
            if (random_below(r, 2))
                builder_read(b, t, key, value, err);
            else
                builder_write(b, t, key, value, err);
        }
    }
}

static void
resolution_agrees_with_the_definition(void)
{
    struct random r;
    random_seed(&r, 11);
    for (int round = 0; round < 3000; round++) {
        struct builder *b = builder_new(atom_int(0));
        struct err err = {0};
        random_txns(b, &r, &err);
        struct history h;
        CHECK(builder_finish(b, &h, &err));
        size_t aside = 0;
        for (txn_id t = 0; t < h.n_txns; t++) {
            op_id own = ID_NONE; // irrelevant but for the key of the read
            for (op_id op = h.txn_begin[t];
                 h.txn_status[t] == TXN_COMMITTED && op < h.txn_end[t]; op++) {
                if (op_is_write(&h, op))
                    continue;
                own = ID_NONE;
                for (op_id w = h.txn_begin[t]; w < op; w++)
                    if (op_is_write(&h, w) && op_key(&h, w) == op_key(&h, op))
                        own = w;
                aside += (h.op_key[op] & OP_REJECTED) != 0;
                if (own != ID_NONE) {
                    CHECK(!op_is_external_read(&h, op));
                    CHECK(!(h.op_key[op] & OP_REJECTED) ==
                          (h.op_value[own] == h.op_value[op]));
                    continue;
                }
                txn_id expected[16], got[16];
                const size_t n = candidates_by_definition(&h, t, op, expected);
                CHECK(candidates_resolved(&h, t, op, got) == n);
                CHECK(memcmp(expected, got, n * sizeof *got) == 0);
            }
        }
        flaw_vec flaws = {0};
        CHECK(history_flaws(&h, 1000, &flaws) == aside && flaws.n == aside);
        vec_free(&flaws);
        history_free(&h);
    }
}

/* --- the rest
 * ------------------------------------------------------------------ */

static void
renumbering_keeps_everything_but_names_of_keys_and_values(void)
{
    struct history h, n;
    struct err err = {0};
    hist(&h,
         "[x:=a y:=?] [y==? \"q q\":=-3] --- [x==a l+=7] --- [l==[7] x==b]!");
    CHECK(history_rebuild_numbered(&h, &n, &err));
    CHECK(n.n_txns == h.n_txns && n.n_ops == h.n_ops && n.n_keys == h.n_keys);
    for (op_id op = 0; op < h.n_ops; op++)
        CHECK((n.op_key[op] & ~OP_KEY) == (h.op_key[op] & ~OP_KEY));
    for (txn_id t = 0; t < h.n_txns; t++)
        CHECK(n.txn_status[t] == h.txn_status[t]);
    for (key_id k = 0; k < n.n_keys; k++)
        CHECK(history_key_atom(&n, k).tag == ATOM_INT);
    history_free(&n);
    history_free(&h);
}

static void
summaries_count(void)
{
    struct history h;
    hist(&h, "[x:=? y:=?] [x==? x:=1 x==1] --- [x==1 y:=2 y:=3]! --- "
             "[y:=9] [x==5 y==9]");
    struct summary s;
    summary_of(&h, 1, &s);
    CHECK(s.sessions == 3 && s.transactions == 5 && s.operations == 11);
    CHECK(s.committed == 3 && s.aborted == 1 && s.loading == 1);
    CHECK(s.reads == 5 && s.writes == 6 && s.blind_writes == 4);
    CHECK(s.external_reads == 2 && s.initial_reads == 1);
    CHECK(s.inconsistent_reads == 1 && s.keys == 2 && s.values == 5);
    CHECK(s.smallest_txn == 1 && s.largest_txn == 3);
    history_free(&h);
}

static uint64_t
count_tested(const char *text)
{
    struct history h;
    hist(&h, text);
    const uint64_t n = history_tested_count(&h);
    CHECK(history_is_tested(&h) == (n > 0));
    history_free(&h);
    return n;
}

static void
only_committed_operations_test_something(void)
{
    CHECK(count_tested("[]") == 0);
    CHECK(count_tested("[x:=1]! --- [x==?]!") == 0);
    CHECK(count_tested("[x:=1]? --- [x:=2]?") == 0);
    CHECK(count_tested("[x:=1]? --- [x==?]") == 1);
}

static void
a_query_that_finds_nothing_tests_something(void)
{
    CHECK(count_tested("[t{v > 5}==[]]") == 1);
    CHECK(count_tested("[t{v > 5}==[]]!") == 0);
    CHECK(count_tested("[t{v > 5}==[] t{v > 6}==[]] [t{v > 5}==[]]") == 2);
}

int
main(void)
{
    RUN(consistent_reads_have_no_flaw);
    RUN(each_inconsistent_read_is_named);
    RUN(reading_the_initial_state_over_an_own_write_is_not_own);
    RUN(an_aborted_transaction_may_read_anything);
    RUN(a_value_that_another_wrote_too_is_not_from_the_future);
    RUN(lists_must_agree);
    RUN(a_first_transaction_of_initial_writes_is_the_loading);
    RUN(an_indeterminate_transaction_counts_when_it_must_have_been_read);
    RUN(an_indeterminate_transaction_that_nothing_explains_does_not_count);
    RUN(only_last_writes_are_final_and_only_others_are_external);
    RUN(batches_agree_with_single_operations);
    RUN(transactions_that_do_not_count_do_not_order_lists);
    RUN(a_key_is_a_register_or_a_list);
    RUN(resolution_agrees_with_the_definition);
    RUN(renumbering_keeps_everything_but_names_of_keys_and_values);
    RUN(summaries_count);
    RUN(only_committed_operations_test_something);
    RUN(a_query_that_finds_nothing_tests_something);
    return test_end();
}
