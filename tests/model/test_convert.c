/* test_convert.c -- a history of rows is the same in every format that holds
 * rows.
 *
 *     test_convert [COUNT [SEED]]
 *
 * Random histories of rows, and now and then a generated one, are written and
 * read as hist, edn, json and jsonl, one after another.  After each step the
 * recording is the same, and in the end so are the verdicts at all levels.
 *
 * SPDX-License-Identifier: MIT */
#include "format/survive.h"
#include "random_rows.h"
#include "range.h"
#include "record.h"
#include "test.h"
#include "verdicts.h"

#include "gen/gen.h"

static uint64_t first_seed = 1;
static uint64_t histories = 300;

/* Replace h by what is read where it was written; false where something is
 * lost.  'refused' is set where the format does not hold it. */
static bool
convert(struct history *h, const struct format *format, bool *refused)
{
    struct history again;
    struct err err = {0};
    char *data = NULL;
    size_t size;
    *refused = !format->holds(h, &err);
    if (*refused)
        return true;
    bool ok = write_memory(h, format, &data, &size, &err) &&
              read_memory(format, data, size, &again, &err);
    if (ok) {
        ok = !is_comparable(h, format) ||
             same_history(h, &again, what_is_lost(format));
        history_free(h);
        *h = again;
    }
    if (!ok)
        printf("# %s: %s in\n# %s", format->name,
               err.kind ? err.text : "not the same", data);
    free(data);
    return ok;
}

/* Whether a register was read in the initial state by a transaction that may
 * not have committed, which Jepsen's logs leave out. */
static bool
loses_reads(const struct history *h)
{
    bool any = false;
    for (txn_id t = 0; t < h->n_txns; t++)
        any |= has_open_initial_read(h, t);
    return any;
}

/* Whether a log of Jepsen says when transactions took place, and no more. */
static bool
keeps_times(const struct history *h)
{
    bool all = h->txn_began;
    for (txn_id t = 0; all && t < h->n_txns; t++)
        all = t == h->session_first[h->txn_session[t]] ||
              h->txn_ended[t - 1] < h->txn_began[t];
    return all;
}

static bool
is_kept(struct history *h, size_t *whole)
{
    static const struct format *const formats[] = {
        &format_hist, &format_edn,   &format_hist, &format_json,
        &format_edn,  &format_jsonl, &format_hist, &format_jsonl};
    level_set levels = level_implied(LEVEL_SER);
    if (keeps_times(h))
        levels |= level_implied(LEVEL_STRICT_SER);
    const bool loses = loses_reads(h);
    struct verdicts before, after;
    const bool answered = verdicts_of(h, levels, &before);
    bool refused, any_refused = false;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (!convert(h, formats[i], &refused))
            return false;
        any_refused |= refused;
    }
    *whole += !any_refused;
    const bool same = verdicts_of(h, levels, &after) == answered &&
                      before.ok == after.ok &&
                      before.violated == after.violated;
    if (!same)
        printf("# violated %x, then %x; ok %x, then %x\n", before.violated,
               after.violated, before.ok, after.ok);
    return same || loses;
}

static bool
generate(uint64_t seed, struct history *h)
{
    const struct gen_shape shape = {.level = LEVEL_SI,
                                    .rows = true,
                                    .conditions = 3,
                                    .sessions = 3,
                                    .transactions = 60,
                                    .operations = 4,
                                    .keys = 8,
                                    .theta = 1,
                                    .reads = 0.5,
                                    .values = 10,
                                    .value_theta = 1,
                                    .lag = 3,
                                    .seed = seed};
    struct err err = {0};
    return gen_history(&shape, h, &err);
}

static void
rows_are_the_same_in_all_formats(void)
{
    size_t wrong = 0, whole = 0;
    for (uint64_t i = 0; i < histories && wrong < 5; i++) {
        const uint64_t seed = first_seed + i;
        struct history h;
        if (seed % 50 == 0) {
            CHECK(generate(seed, &h));
        } else {
            struct record r;
            random_rows(seed, &r);
            record_build(&r, &h);
            record_free(&r);
        }
        if (!is_kept(&h, &whole)) {
            printf("# seed %llu\n", (unsigned long long)seed);
            wrong++;
        }
        history_free(&h);
    }
    CHECK(!wrong);
    CHECK(whole > histories / 2);
    printf("# %zu in all formats\n", whole);
}

int
main(int argc, char **argv)
{
    take_range(argc, argv, &histories, &first_seed);
    RUN(rows_are_the_same_in_all_formats);
    return test_end();
}
