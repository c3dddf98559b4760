/* test_cut.c -- a recording that was cut is never called violated for what it
 * lost.
 *
 *     test_cut [COUNT [SEED]]
 *
 * Of COUNT random histories with unique values from SEED on, each session loses
 * its last transactions, and perhaps the outcome of the last one that is left.
 * What is violated then was violated before, whatever else was lost; and what
 * is left is judged as the oracle does where nobody read anything that was
 * lost.  A failure is shrunk and printed as text.
 *
 * SPDX-License-Identifier: MIT */
#include "oracle.h"
#include "random_history.h"
#include "range.h"
#include "shrink.h"
#include "test.h"
#include "verdicts.h"

#include "base/random.h"
#include "check/check.h"

static uint64_t first_seed = 1;
static uint64_t histories = 1500;

static struct {
    uint64_t verdicts[3], too_long;
} seen;

struct question {
    enum level level;
    uint64_t seed; // of the cut
    char why[600];
};

/* The same record without what the seed says is lost. */
static void
cut(const struct record *r, uint64_t seed, struct record *out)
{
    struct random random;
    random_seed(&random, seed);
    uint32_t left[RANDOM_SESSIONS] = {0};
    bool open[RANDOM_SESSIONS];
    for (size_t i = 0; i < r->txns.n; i++)
        left[r->txns.at[i].session % RANDOM_SESSIONS]++;
    for (int s = 0; s < RANDOM_SESSIONS; s++) {
        const uint32_t lost = (uint32_t)random_below(&random, 3);
        left[s] -= lost < left[s] ? lost : left[s];
        open[s] = random_below(&random, 3) == 0;
    }
    record_copy(r, out);
    out->txns.n = 0;
    for (size_t i = 0; i < r->txns.n; i++) {
        struct record_txn t = r->txns.at[i];
        const uint32_t s = t.session % RANDOM_SESSIONS;
        if (!left[s])
            continue;
        if (--left[s] == 0 && open[s])
            t.status = TXN_INDETERMINATE;
        vec_push(&out->txns, t);
    }
}

static bool
has_lost_reads(const struct history *h)
{
    flaw_vec none = {0};
    const size_t n = history_lost_reads(h, 0, &none);
    vec_free(&none);
    return n;
}

/* Whether the verdict on what is left is wrong; why says how. */
static bool
is_wrong(const struct record *r, void *question)
{
    struct question *q = question;
    if (level_table[q->level].needs_times && !r->times)
        return false;
    struct record left;
    cut(r, q->seed, &left);
    if (!left.txns.n || !view_is_tested(&left)) {
        record_free(&left);
        return false;
    }
    const enum oracle_answer before = oracle(r, q->level);
    const enum oracle_answer after = oracle(&left, q->level);
    const struct check_options options = verdicts_options(1u << q->level);
    struct history h;
    struct check check;
    struct err err = {0};
    left.is_cut = true;
    record_build(&left, &h);
    *q->why = '\0';
    if (!check_history(&h, &options, &check, &err)) {
        snprintf(q->why, sizeof q->why, "%s", err.text);
    } else {
        const enum verdict v = check.results.at[0].certificate.verdict;
        seen.verdicts[v]++;
        if (before == ORACLE_TOO_LONG || after == ORACLE_TOO_LONG)
            seen.too_long++;
        else if (v == VERDICT_VIOLATED && before == ORACLE_OK)
            snprintf(q->why, sizeof q->why, "violated, but it was ok");
        else if (v != VERDICT_OK && after == ORACLE_OK)
            snprintf(q->why, sizeof q->why, "not ok, but what is left is");
        else if (v == VERDICT_UNKNOWN && !has_lost_reads(&h))
            snprintf(q->why, sizeof q->why, "unknown, but nothing is lost");
        check_free(&check);
    }
    history_free(&h);
    record_free(&left);
    return *q->why;
}

static void
report(const struct record *r, struct question *q, uint64_t seed)
{
    struct record small, left;
    struct buf shown = {0}, rest = {0};
    record_copy(r, &small);
    shrink(&small, is_wrong, q);
    is_wrong(&small, q);
    cut(&small, q->seed, &left);
    record_show(&small, &shown);
    record_show(&left, &rest);
    printf("# seed %llu, %s: %s\n#     %s\n#     left: %s\n",
           (unsigned long long)seed, level_table[q->level].brief, q->why,
           shown.at, rest.n ? rest.at : "");
    fflush(stdout);
    buf_free(&shown);
    buf_free(&rest);
    record_free(&small);
    record_free(&left);
}

static void
what_is_lost_is_no_violation(void)
{
    int failures = 0;
    for (uint64_t i = 0; i < histories && failures < 10; i++) {
        const uint64_t seed = first_seed + i;
        struct random_shape shape =
            random_shape_of_kind(seed % 2 ? "lists" : "plain", seed);
        shape.values = shape.repeats = shape.initial = 0;
        struct record r;
        random_record(&shape, seed, &r);
        for (int l = 0; l < LEVELS; l++) {
            struct question q = {.level = (enum level)l, .seed = seed};
            if (is_wrong(&r, &q)) {
                report(&r, &q, seed);
                failures++;
                break;
            }
        }
        record_free(&r);
    }
    CHECK(!failures);
    printf("# %llu unknown, %llu ok, %llu violated; %llu too long for the "
           "oracle\n",
           (unsigned long long)seen.verdicts[VERDICT_UNKNOWN],
           (unsigned long long)seen.verdicts[VERDICT_OK],
           (unsigned long long)seen.verdicts[VERDICT_VIOLATED],
           (unsigned long long)seen.too_long);
    CHECK(seen.verdicts[VERDICT_UNKNOWN] && seen.verdicts[VERDICT_OK] &&
          seen.verdicts[VERDICT_VIOLATED]);
}

int
main(int argc, char **argv)
{
    take_range(argc, argv, &histories, &first_seed);
    RUN(what_is_lost_is_no_violation);
    return test_end();
}
