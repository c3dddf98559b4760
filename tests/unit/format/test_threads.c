/* test_threads.c -- threads change nothing: the same history, the same verdict.
 *
 * The inputs are large enough for several blocks and several workers.  This is
 * one of the tests that run under the thread sanitizer.
 *
 * SPDX-License-Identifier: MIT */
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

static void
check_format(const char *format, uint32_t txns)
{
    struct history one, many;
    if (!write_as(format, txns) || !read_with(1, &one) ||
        !read_with(THREADS, &many)) {
        CHECK(!"read");
        return;
    }
    CHECK(one.n_txns == txns && many.n_txns == txns);
    CHECK(one.n_ops == many.n_ops && one.n_keys == many.n_keys);
    const size_t bytes = one.n_ops * sizeof(uint32_t);
    CHECK(memcmp(one.op_key, many.op_key, bytes) == 0);
    CHECK(memcmp(one.op_value, many.op_value, bytes) == 0);
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
}

static void
the_history_is_the_same(void)
{
    static const char *const formats[] = {"jsonl", "json", "edn", "hist"};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        check_format(formats[i], FEW);
    check_format("text", TXNS);
}

/* Append the certificates of rc, ra and cc. */
static void
check_with(unsigned threads, const struct history *h, struct buf *out)
{
    const struct check_options options = {
        .levels = 1u << LEVEL_RC | 1u << LEVEL_RA | 1u << LEVEL_CC,
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
    unlink(path);
    return test_end();
}
