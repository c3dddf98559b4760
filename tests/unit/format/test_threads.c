/* test_threads.c -- threads change nothing: the same history, the same verdict.
 *
 * The inputs are large enough for several blocks and several workers.  This is
 * one of the tests that run under the thread sanitizer.
 *
 * SPDX-License-Identifier: MIT */
#include "base/random.h"
#include "check/check.h"
#include "evidence/certificate_write.h"
#include "format/format.h"
#include "gen/gen.h"
#include "history/summary.h"
#include "test.h"

#include <stdlib.h>
#include <unistd.h>

enum {
    TXNS = 140000, // enough for the threads of the weak engine
    FEW = 30000,   // enough for several blocks
    THREADS = 4
};

static char path[] = "/tmp/assay-threads-XXXXXX";

static bool
read_with(unsigned threads, struct history *h)
{
    struct err err = {0};
    const bool ok = format_read(path, "auto", threads, h, NULL, &err);
    if (!ok)
        printf("# %s\n", err.text);
    return ok;
}

/* Write what was generated to the file. */
static bool
write_as(const char *format, uint32_t txns)
{
    const struct gen_shape shape = {.sessions = 20,
                                    .transactions = txns,
                                    .operations = 4,
                                    .keys = 5000,
                                    .reads = 0.5,
                                    .level = LEVEL_SER,
                                    .seed = 1};
    struct history h;
    struct err err = {0};
    bool ok = gen_history(&shape, &h, &err);
    if (ok) {
        ok = format_write(&h, format_find(format), path, &err);
        history_free(&h);
    }
    return ok;
}

/* The file reads the same with one thread and with many; returns how many
 * transactions it has. */
static uint32_t
check_file(void)
{
    struct history one, many;
    if (!read_with(1, &one) || !read_with(THREADS, &many)) {
        CHECK(!"read");
        return 0;
    }
    const uint32_t txns = one.n_txns;
    CHECK(one.n_txns == many.n_txns && one.n_values == many.n_values);
    CHECK(one.n_ops == many.n_ops && one.n_keys == many.n_keys);
    const size_t bytes = one.n_ops * sizeof(uint32_t);
    CHECK(memcmp(one.op_key, many.op_key, bytes) == 0);
    CHECK(memcmp(one.op_value, many.op_value, bytes) == 0);
    CHECK(memcmp(one.values, many.values, one.n_values * sizeof *one.values) ==
          0);
    CHECK(memcmp(one.txn_begin, many.txn_begin, txns * sizeof(op_id)) == 0);
    CHECK(memcmp(one.arrival, many.arrival, txns * sizeof(txn_id)) == 0);
    struct summary x, y;
    summary_of(&one, 1, &x);
    summary_of(&one, THREADS, &y);
    CHECK(x.reads == y.reads && x.external_reads == y.external_reads &&
          x.initial_reads == y.initial_reads && x.writes == y.writes &&
          x.blind_writes == y.blind_writes && x.values == y.values &&
          x.hottest_key == y.hottest_key && x.hottest_ops == y.hottest_ops);
    history_free(&one);
    history_free(&many);
    return txns;
}

static void
check_format(const char *format, uint32_t txns)
{
    CHECK(write_as(format, txns));
    CHECK(check_file() == txns);
}

/* Write text with some blocks whose values are large. */
static bool
write_mixed(uint32_t txns)
{
    FILE *f = fopen(path, "w");
    for (uint32_t t = 0; f && t < txns; t++) {
        const uint64_t large =
            t / 9000 % 2 ? UINT64_C(1) << (25 + t % 30) : UINT64_C(0);
        const uint64_t value = large + t + 1;
        fprintf(f, "w(%u,%llu,%u,%u)\nr(%u,%llu,%u,%u)\n", t % 100,
                (unsigned long long)value, t % 11, t, t % 100,
                (unsigned long long)value, t % 11, t);
    }
    return f && fclose(f) == 0;
}

/* Write a history in which every value is written once, but for the last line
 * if 'again' is set.  A read may see what a transaction wrote in between, what
 * an aborted one wrote, what is written later, or nothing that was written. */
static bool
write_odd(bool again)
{
    enum { KEYS = 50, OPS = 5, MANY = 60 };
    FILE *f = fopen(path, "w");
    struct random r;
    random_seed(&r, 7);
    unsigned value = 1, written[KEYS] = {0};
    for (unsigned t = 0; f && t < FEW; t++) {
        const unsigned session = t % 7;
        const bool aborted = random_below(&r, 20) == 0;
        const unsigned ops = t % 40 ? OPS : MANY; // with and without a table
        for (unsigned i = 0; i < ops; i++) {
            const unsigned k = (unsigned)random_below(&r, KEYS);
            const unsigned odd = (unsigned)random_below(&r, 100);
            const bool is_write = random_below(&r, 2);
            unsigned v = odd ? written[k] : value + (unsigned)k;
            if (is_write)
                v = written[k] = value++;
            fprintf(f, "%c(%u,%u,%u,%d)\n", is_write ? 'w' : 'r', k, v, session,
                    aborted ? -1 : (int)t);
        }
    }
    if (f)
        fprintf(f, "w(1,%u,0,%d)\nw(1,%u,0,%d)\n", value, FEW,
                again ? value : value + 1, FEW + 1);
    return f && fclose(f) == 0;
}

/* Write one session after the other, with reads of values that come later in
 * the file, that come later in the same transaction, that were written more
 * than once, and that nobody wrote. */
static bool
write_listed(void)
{
    enum { SESSIONS = 10, EACH = FEW / SESSIONS, KEYS = 50 };
    FILE *f = fopen(path, "w");
    struct random r;
    random_seed(&r, 11);
    for (unsigned t = 0; f && t < FEW; t++) {
        const unsigned session = t / EACH;
        for (unsigned i = 0; i < 3; i++) {
            const unsigned v = (unsigned)random_below(&r, FEW + FEW / 100);
            fprintf(f, "r(%u,%u,%u,%u)\n", v % KEYS, v, session, t);
        }
        const unsigned odd = (unsigned)random_below(&r, 20);
        if (odd == 0)
            fprintf(f, "r(%u,%u,%u,%u)\n", t % KEYS, t, session, t);
        fprintf(f, "w(%u,%u,%u,%u)\n", t % KEYS, odd == 1 ? t % 7 : t, session,
                t);
        if (odd == 2)
            fprintf(f, "r(%u,%u,%u,%u)\n", t % KEYS, t, session, t);
    }
    return f && fclose(f) == 0;
}

static void
the_history_is_the_same(void)
{
    CHECK(write_mixed(FEW));
    CHECK(check_file() == FEW);
    CHECK(write_odd(false) && check_file() > FEW / 2);
    CHECK(write_odd(true) && check_file() > FEW / 2);
    CHECK(write_listed() && check_file() == FEW);
    static const char *const formats[] = {"jsonl", "json", "edn", "hist"};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        check_format(formats[i], FEW);
    check_format("text", TXNS);
}

/* The writers that the builder notes are those that resolution finds. */
static void
noted_writers_are_right(void)
{
    struct history found, noted;
    if (!write_odd(true) || !read_with(1, &found)) {
        CHECK(!"read");
        return;
    }
    CHECK(found.several.n == 2);
    for (unsigned threads = 1; threads <= THREADS; threads++) {
        if (!write_odd(false) || !read_with(threads, &noted)) {
            CHECK(!"read");
            break;
        }
        CHECK(!noted.several.n && noted.n_values == found.n_values + 1);
        CHECK(noted.n_ops == found.n_ops && noted.n_txns == found.n_txns);
        unsigned wrong = 0, aside = 0;
        // Up to the last two writes, which differ.
        for (op_id op = 0; op < found.n_ops; op++) {
            const value_id v = found.op_value[op], w = noted.op_value[op];
            wrong += found.op_key[op] != noted.op_key[op];
            wrong += op + 2 < found.n_ops &&
                     found.values[v].writer != noted.values[w].writer;
            aside += (found.op_key[op] & OP_REJECTED) != 0;
        }
        CHECK(!wrong && aside > 100);
        history_free(&noted);
    }
    history_free(&found);
}

/* Append the certificates of all levels that need no times. */
static void
check_with(unsigned threads, const struct history *h, struct buf *out)
{
    const struct check_options options = {
        .levels = level_implied(LEVEL_SER),
        .threads = threads,
        .verify = true,
        .strong = strong_defaults,
    };
    struct check check;
    struct err err = {0};
    CHECK(check_history(h, &options, &check, &err));
    for (size_t i = 0; i < check.results.n; i++)
        certificate_write(h, &check.results.at[i].certificate, out);
    check_free(&check);
}

static void
the_verdict_is_the_same(void)
{
    struct history h;
    if (!read_with(THREADS, &h)) {
        CHECK(!"read");
        return;
    }
    struct buf one = {0}, many = {0};
    check_with(1, &h, &one);
    check_with(THREADS, &h, &many);
    CHECK(one.n && one.n == many.n && memcmp(one.at, many.at, one.n) == 0);
    buf_free(&one);
    buf_free(&many);
    history_free(&h);
}

int
main(void)
{
    const int fd = mkstemp(path);
    if (fd < 0 || close(fd) != 0) {
        printf("Bail out! no file\n");
        return 1;
    }
    RUN(the_history_is_the_same);
    RUN(the_verdict_is_the_same);
    RUN(noted_writers_are_right);
    unlink(path);
    return test_end();
}
