/* test_plain.c -- the scans of plain entries change nothing: with them and
 * without, a reader gives the same history or the same message.
 *
 * The inputs are what the writers make of a history, with a few bytes changed:
 * by such a change an entry is mostly not plain any more, or a mistake.
 *
 *     test_plain [COUNT [SEED]]
 *
 * SPDX-License-Identifier: MIT */
#include "base/random.h"
#include "format/scan/decimal_pair.h"
#include "format/scan/find_byte.h"
#include "format/support.h"
#include "gen/gen.h"
#include "test.h"

#include <inttypes.h>

enum { TXNS = 30 };

static long count = 600;
static uint64_t seed = 1;

/* Replace, insert or remove a byte. */
static void
change(struct random *r, char *data, size_t *size)
{
    static const char bytes[] =
        "0123456789 \n\t,:;[]{}()\"'\\?!=-@/#_arwxnNe\r";
    const size_t at = random_below(r, *size);
    const char byte = bytes[random_below(r, sizeof bytes - 1)];
    const uint64_t kind = random_below(r, 4);
    if (kind == 0 && *size > 1) {
        memmove(data + at, data + at + 1, *size - at - 1);
        --*size;
    } else if (kind == 1) {
        memmove(data + at + 1, data + at, *size - at);
        ++*size;
        data[at] = byte;
    } else {
        data[at] = byte;
    }
}

static void
check_format(const char *name, bool has_text)
{
    const struct format *format = format_find(name);
    const struct gen_shape shape = {.sessions = 3,
                                    .transactions = TXNS,
                                    .operations = 3,
                                    .keys = 7,
                                    .reads = 0.5,
                                    .level = LEVEL_SER,
                                    .seed = seed};
    struct history h;
    struct err err = {0};
    char *data = NULL;
    size_t size = 0;
    CHECK(gen_history(&shape, &h, &err) &&
          write_memory(&h, format, &data, &size, &err));
    history_free(&h);
    struct random r;
    random_seed(&r, seed);
    long different = 0;
    char *copy = mem_alloc(size + 8, 1);
    for (long i = 0; i < count; i++) {
        size_t n = size;
        memcpy(copy, data, size);
        // Keys that are words, in half of the runs.
        for (size_t k = 0; has_text && i % 2 && k + 1 < n; k++)
            if (copy[k] == '3' && (copy[k + 1] == ':' || copy[k + 1] == '='))
                copy[k] = 'k';
        for (long changes = i % 4; changes > 0; changes--)
            change(&r, copy, &n);
        if (same_by_full_reader(format, copy, n))
            continue;
        printf("# %s, change %ld\n", name, i);
        different++;
    }
    CHECK(!different);
    mem_free(copy);
    free(data);
}

/* Append one of the numbers below 10^digits that have many digits. */
static void
put_number(struct random *r, unsigned digits, struct buf *out)
{
    uint64_t below = 1;
    for (uint64_t n = 1 + random_below(r, digits); n; n--)
        below *= 10;
    buf_printf(out, "%" PRIu64, random_below(r, below));
}

/* Append a line, mostly of the usual form, of one of a few transactions. */
static void
put_line(struct random *r, unsigned digits, uint64_t most_txns, struct buf *out)
{
    static const char *const ends[] = {"\r\n", "\n\n", ")\n", "", " \n"};
    const uint64_t txn = random_below(r, most_txns), odd = random_below(r, 60);
    buf_printf(out, "%c(", random_below(r, 2) ? 'w' : 'r');
    put_number(r, random_below(r, 40) ? 3 : digits, out);
    buf_char(out, ',');
    put_number(r, random_below(r, 20) ? 8 : digits, out);
    if (!random_below(r, 40))
        buf_printf(out, ",%d,-1)", (int)(txn % 5));
    else
        buf_printf(out, ",%d,%" PRIu64 ")", (int)(txn % 5),
                   txn % 7 ? txn : UINT64_C(12345678900000) + txn);
    // Mistakes are rare: what follows one is not read.
    buf_text(out,
             odd < 2 || (odd < 5 && !random_below(r, 100)) ? ends[odd] : "\n");
}

static void
lines_of_any_numbers_are_the_same(void)
{
    const struct format *format = format_find("text");
    struct random r;
    random_seed(&r, seed);
    long different = 0;
    struct buf text = {0};
    for (long i = 0; i < count / 6; i++) {
        text.n = 0;
        const unsigned digits = i % 3 ? (unsigned)(6 + i % 13) : 8;
        for (int line = 0; line < 200; line++)
            put_line(&r, digits, 1 + (uint64_t)i % 30, &text);
        if (same_by_full_reader(format, text.at, text.n))
            continue;
        printf("# text %ld\n", i);
        different++;
    }
    CHECK(!different);
    buf_free(&text);
}

/* The table of values has room for somewhat more than twice as many as there
 * are, and grows while it is filled: a pair may be in the hash table although
 * the table has a place for its value by now. */
static void
values_at_the_end_of_the_table_are_the_same(void)
{
    static const char three[] = "r(1,1028,1,1)\nw(99,1026,2,2)\n"
                                "w(1,1028,2,2)\n";
    const struct format *format = format_find("text");
    CHECK(same_by_full_reader(format, three, sizeof three - 1));
    struct random r;
    random_seed(&r, seed);
    long different = 0;
    struct buf text = {0};
    for (long i = 0; i < count; i++) {
        const uint64_t lines = 2 + random_below(&r, i % 4 ? 8 : 100);
        text.n = 0;
        for (uint64_t n = 0; n < lines; n++)
            buf_printf(&text, "%c(%d,%d,%d,%d)\n",
                       random_below(&r, 3) ? 'w' : 'r',
                       (int)random_below(&r, 3),
                       (int)(1018 + random_below(&r, 2 * lines + 12)),
                       (int)(n % 3), (int)n);
        if (same_by_full_reader(format, text.at, text.n))
            continue;
        printf("# values %ld\n", i);
        different++;
    }
    CHECK(!different);
    buf_free(&text);
}

static void
lines_of_text_are_the_same(void)
{
    check_format("text", false);
}

static void
lines_of_jsonl_are_the_same(void)
{
    check_format("jsonl", false);
}

static void
logs_in_edn_are_the_same(void)
{
    check_format("edn", false);
}

static void
logs_in_json_are_the_same(void)
{
    check_format("json", false);
}

static void
transactions_of_hist_are_the_same(void)
{
    check_format("hist", true);
}

/* Read it both ways, and see what was read. */
static bool
reads_as(const char *name, const char *text, size_t txns, size_t ops)
{
    const struct format *format = format_find(name);
    struct history h;
    struct err err = {0};
    struct buf all = {0};
    // What follows gives the scan the room that it needs.
    for (int i = 0; i < 10; i++)
        buf_text(&all, text);
    bool ok = same_by_full_reader(format, all.at, all.n) &&
              read_memory(format, all.at, all.n, &h, &err);
    if (ok) {
        ok = h.n_txns == 10 * txns && h.n_ops == 10 * ops;
        history_free(&h);
    }
    buf_free(&all);
    return ok;
}

static void
every_part_of_an_entry_is_scanned(void)
{
    CHECK(reads_as("jsonl",
                   "{\"session\": \"a b\", \"id\": \"t\", \"status\": "
                   "\"aborted\", \"start\": 1, \"end\": 123456789012345, "
                   "\"ops\": [[\"r\", \"x\", \"y\"], [\"w\", 1, null]]}\n",
                   1, 2));
    CHECK(reads_as("jsonl",
                   "{\"session\":1,\"ops\":[],\"status\":\"unknown\"}\n"
                   "{\"session\":1,\"status\":\"committed\",\"end\":7}\n",
                   1, 0));
    CHECK(reads_as("edn",
                   "{:index 1, :time 77, :type :invoke, :process 1, :f :txn, "
                   ":value [[:w :x \"s\"] [:r 1 nil]]}\n"
                   "{:type :ok, :process 1, :f :txn, :value [[:w :x \"s\"] "
                   "[:r 1 5]], :index 2, :time 78}\n",
                   1, 2));
    CHECK(reads_as("json",
                   "{\"type\": \"invoke\", \"process\": 1, \"value\": "
                   "[[\"w\", \"x\", 3], [\"r\", 1, null]]}\n"
                   "{\"type\": \"ok\", \"process\": 1, \"value\": "
                   "[[\"w\", \"x\", 3], [\"r\", 1, 4]], \"time\": 5}\n",
                   1, 2));
    CHECK(reads_as("hist", "[x:=1 12345678901==word_1]! t7[007:=?]? [] \n", 3,
                   3));
}

/* Numbers of any length in front of any byte, against digit by digit. */
static void
numbers_are_those_of_their_digits(void)
{
    static const char digits[] = "90817263545463728";
    for (size_t n = 0; n < sizeof digits; n++)
        for (int byte = 0; byte < 256; byte++) {
            char text[2 * DECIMAL_SHORT] = {0};
            uint64_t expected = 0, found = 0;
            memcpy(text, digits, n);
            text[n] = (char)byte;
            if (is_digit((char)byte))
                continue;
            const bool is_short = parse_decimal(text, n, &expected) && n <= 15;
            const char *at = text;
            CHECK(decimal_short(&at, &found) == is_short);
            CHECK(!is_short || (found == expected && at == text + n));
            const unsigned brief = decimal_brief(text, &found);
            CHECK(brief == (n < 8 ? n : 8));
            CHECK(!n || brief == 8 || found == expected);
        }
}

/* Two numbers at once, whatever stands in front of them. */
static void
pairs_are_those_of_their_digits(void)
{
    static const char digits[] = "90817263";
    for (size_t n = 0; n <= DECIMAL_PAIR_MOST; n++)
        for (size_t m = 0; m <= DECIMAL_PAIR_MOST; m++) {
            char a[2 * DECIMAL_PAIR_MOST], b[2 * DECIMAL_PAIR_MOST];
            uint64_t first = 0, second = 0;
            memset(a, '7', sizeof a);
            memset(b, 0xff, sizeof b);
            memcpy(a + 8, digits, n);
            memcpy(b + 8, digits + 8 - m, m);
            CHECK(parse_decimal(a + 8, n, &first) == (n > 0));
            CHECK(parse_decimal(b + 8, m, &second) == (m > 0));
            CHECK(decimal_pair(a + 8 + n, n, b + 8 + m, m) ==
                  (first | second << 32));
        }
}

static void
digits_are_found_where_they_stand(void)
{
    for (unsigned i = 0; i < FIND_BYTE_ROOM; i++)
        for (int byte = 0; byte < 256; byte++) {
            char text[FIND_BYTE_ROOM];
            memset(text, 0xff, sizeof text);
            text[i] = (char)byte;
            CHECK(find_digits(text) ==
                  (is_digit((char)byte) ? UINT32_C(1) << i : 0));
            memset(text, '5', sizeof text);
            text[i] = (char)byte;
            CHECK(find_digits(text) ==
                  (is_digit((char)byte) ? UINT32_MAX : ~(UINT32_C(1) << i)));
        }
}

static void
bytes_are_found_where_they_stand(void)
{
    char text[FIND_BYTE_ROOM] = {0};
    for (unsigned i = 0; i < sizeof text; i++) {
        text[i] = ']';
        const uint32_t found = find_byte(text, ']');
        CHECK(!found || found == UINT32_C(1) << i); // none without vectors
        text[i] = 0;
    }
    CHECK(!find_byte(text, ']'));
}

int
main(int argc, char **argv)
{
    if (argc > 1)
        count = strtol(argv[1], NULL, 10);
    if (argc > 2)
        seed = strtoull(argv[2], NULL, 10);
    RUN(numbers_are_those_of_their_digits);
    RUN(pairs_are_those_of_their_digits);
    RUN(digits_are_found_where_they_stand);
    RUN(bytes_are_found_where_they_stand);
    RUN(lines_of_text_are_the_same);
    RUN(lines_of_any_numbers_are_the_same);
    RUN(values_at_the_end_of_the_table_are_the_same);
    RUN(lines_of_jsonl_are_the_same);
    RUN(logs_in_edn_are_the_same);
    RUN(logs_in_json_are_the_same);
    RUN(transactions_of_hist_are_the_same);
    RUN(every_part_of_an_entry_is_scanned);
    return test_end();
}
