/* test_truth.c -- the whole program against the oracle, at every level.
 *
 *     test_truth KIND [COUNT [SEED]]
 *     test_truth '[x:=1]? --- [x==1]'
 *
 * checks COUNT random histories of a kind from SEED on:
 *
 *   plain     registers; indeterminate transactions or repeated values, not
 *             both; lists to which a transaction appends at most once
 *   optional  many indeterminate transactions and many repeated values
 *   lists     lists with several appends, own reads, repeated elements,
 *             indeterminate appenders, and damage
 *   rows      rows, queries, inserts, deletes and NULL (record_rows.h)
 *
 * The verdicts are those of the oracle, with all strong options and with some,
 * for a level alone and among all levels, and every certificate is accepted,
 * also after it was written and read.  A failure is shrunk and printed as text.
 * With a history in place of a kind, says what the oracle and the program think
 * of it.
 *
 * SPDX-License-Identifier: MIT */
#include "deciding.h"
#include "oracle.h"
#include "random_history.h"
#include "random_rows.h"
#include "range.h"
#include "shrink.h"
#include "test.h"
#include "verdicts.h"

#include "base/random.h"
#include "check/check.h"
#include "evidence/certificate_read.h"
#include "evidence/certificate_write.h"
#include "verify/verify.h"

static uint64_t first_seed = 1;
static uint64_t histories = 1500;
static const char *kind = "plain";

static struct {
    uint64_t ok[LEVELS], violated[LEVELS], too_long;
} seen;

/* --- one history, one level -----------------------------------------------*/

/* How the program is asked. */
struct question {
    enum level level;
    uint64_t seed; // of the options; 0 = the defaults
    bool together; // with all other levels
    char why[600]; // the answer is wrong
};

static struct check_options
options_of(const struct record *record, const struct question *q)
{
    level_set levels = 1u << q->level;
    for (int l = 0; q->together && l < LEVELS; l++)
        if (record->times || !level_table[l].needs_times)
            levels |= 1u << l;
    struct check_options o = verdicts_options(levels);
    if (!q->seed)
        return o;
    struct random r;
    random_seed(&r, q->seed);
    o.strong = random_strong_options(&r);
    return o;
}

/* Whether c, written and read again, is accepted. */
static bool
survives_writing(const struct history *h, const struct certificate *c,
                 struct err *err)
{
    struct buf text = {0};
    struct certificate again;
    certificate_write(h, c, &text);
    bool ok = certificate_read(h, text.at, text.n, &again, err);
    if (ok) {
        ok = verify_certificate(h, &again, err);
        certificate_free(&again);
    }
    buf_free(&text);
    return ok;
}

/* Whether the program's answer is wrong; why says how. */
static bool
is_wrong(const struct record *r, void *question)
{
    struct question *q = question;
    if (level_table[q->level].needs_times && !r->times)
        return false;
    const enum oracle_answer truth = oracle(r, q->level);
    if (truth == ORACLE_TOO_LONG)
        return false;
    const char *const names[] = {"?", "ok", "violated"};
    struct history h;
    struct check check;
    struct err err = {0};
    const struct check_options options = options_of(r, q);
    record_build(r, &h);
    bool wrong = true;
    *q->why = '\0';
    if (!check_history(&h, &options, &check, &err)) {
        snprintf(q->why, sizeof q->why, "%s", err.text);
    } else {
        size_t row = 0;
        while (check.results.at[row].level != q->level)
            row++;
        const struct certificate *c = &check.results.at[row].certificate;
        const enum verdict expected = truth != ORACLE_OK  ? VERDICT_VIOLATED
                                      : view_is_tested(r) ? VERDICT_OK
                                                          : VERDICT_UNKNOWN;
        if (c->verdict != expected)
            snprintf(q->why, sizeof q->why, "the oracle says %s, the engine %s",
                     names[truth],
                     c->verdict == VERDICT_OK         ? "ok"
                     : c->verdict == VERDICT_VIOLATED ? "violated"
                                                      : "unknown");
        else if (!survives_writing(&h, c, &err))
            snprintf(q->why, sizeof q->why, "written and read: %s", err.text);
        else
            wrong = false;
        check_free(&check);
    }
    history_free(&h);
    return wrong;
}

static void
report(const struct record *r, struct question *q, uint64_t seed)
{
    struct record small;
    struct buf shown = {0};
    record_copy(r, &small);
    shrink(&small, is_wrong, q);
    is_wrong(&small, q);
    record_show(&small, &shown);
    printf("# seed %llu, %s%s: %s\n#     %s\n", (unsigned long long)seed,
           level_table[q->level].brief,
           q->together ? " among all levels"
           : q->seed   ? " with random options"
                       : "",
           q->why, shown.at);
    fflush(stdout);
    buf_free(&shown);
    record_free(&small);
}

/* --- random histories -----------------------------------------------------*/

static void
verdicts_are_those_of_the_oracle(void)
{
    int failures = 0;
    for (uint64_t i = 0; i < histories && failures < 10; i++) {
        const uint64_t seed = first_seed + i;
        struct record r;
        if (strcmp(kind, "rows") == 0) {
            random_rows(seed, &r);
        } else {
            const struct random_shape shape = random_shape_of_kind(kind, seed);
            random_record(&shape, seed, &r);
        }
        for (int l = 0; l < LEVELS; l++) {
            if (level_table[l].needs_times && !r.times)
                continue;
            const enum oracle_answer truth = oracle(&r, (enum level)l);
            seen.ok[l] += truth == ORACLE_OK;
            seen.violated[l] += truth == ORACLE_VIOLATED;
            seen.too_long += truth == ORACLE_TOO_LONG;
            struct question q = {.level = (enum level)l};
            bool wrong = is_wrong(&r, &q);
            if (!wrong && l >= LEVEL_PC) {
                q.seed = seed;
                wrong = is_wrong(&r, &q);
            }
            if (!wrong && (uint64_t)l == LEVEL_PC + seed % 3) {
                q = (struct question){.level = (enum level)l, .together = true};
                wrong = is_wrong(&r, &q);
            }
            if (wrong) {
                report(&r, &q, seed);
                failures++;
                break; // other levels mostly fail for the same reason
            }
        }
        record_free(&r);
    }
    CHECK(!failures);
    for (int l = 0; l < LEVELS; l++)
        printf("# %s: %llu ok, %llu violated\n", level_table[l].brief,
               (unsigned long long)seen.ok[l],
               (unsigned long long)seen.violated[l]);
    printf("# %llu too long for the oracle\n",
           (unsigned long long)seen.too_long);
}

/* --- one history from the command line -------------------------------------*/

static int
judge(const char *text)
{
    struct record r;
    bool wrong = false;
    record_parse(&r, text);
    for (int l = 0; l < LEVELS; l++) {
        if (level_table[l].needs_times && !r.times)
            continue;
        struct question q = {.level = (enum level)l};
        const bool bad = is_wrong(&r, &q);
        printf("%-10s %s%s%s\n", level_table[l].brief,
               oracle(&r, (enum level)l) == ORACLE_OK ? "ok" : "violated",
               bad ? "   WRONG: " : "", bad ? q.why : "");
        wrong |= bad;
    }
    record_free(&r);
    return wrong;
}

int
main(int argc, char **argv)
{
    if (argc > 1 && *argv[1] == '[')
        return judge(argv[1]);
    if (argc > 1) {
        kind = argv[1];
        take_range(argc - 1, argv + 1, &histories, &first_seed);
    }
    RUN(verdicts_are_those_of_the_oracle);
    return test_end();
}
