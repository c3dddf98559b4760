/* test_forger.c -- no forged certificate is believed.
 *
 *     [FORGE=damaged] test_forger KIND [COUNT [SEED]]
 *
 * For COUNT random histories from SEED on, of a kind as in test_truth.c, every
 * level gets forged evidence for the verdict that the oracle says is wrong:
 * made up (forge.h), and damaged certificates of the same history and of a
 * sibling that differs in one operation.  FORGE=damaged leaves out what is made
 * up, which is most of the time, for runs over many histories.  A failure is
 * shrunk and printed with its certificate.
 *
 * SPDX-License-Identifier: MIT */
#include "forge.h"
#include "random_history.h"
#include "random_rows.h"
#include "range.h"
#include "record_rows.h"
#include "shrink.h"
#include "test.h"

#include "check/check.h"
#include "evidence/certificate_write.h"

#include <stdlib.h>

static uint64_t first_seed = 1;
static uint64_t histories = 100;
static const char *kind = "plain";
static bool only_damaged;

static struct {
    uint64_t tried[EVIDENCE_ROOM], steps;
} seen;

/* Change one operation or outcome. */
static void
change_one(struct record *r, struct random *random)
{
    if (!r->ops.n)
        return;
    struct record_op *op = &r->ops.at[random_below(random, r->ops.n)];
    const struct record_op *other = &r->ops.at[random_below(random, r->ops.n)];
    const bool same = other->key == op->key;
    if (random_below(random, 5) == 0) {
        r->txns.at[random_below(random, r->txns.n)].status =
            (enum txn_status)random_below(random, 3);
    } else if (op->asks == ASKS_QUERY) {
        op->items_n -= op->items_n > 0;
    } else if (r->keys.at[op->key].is_row && op->prev &&
               random_below(random, 2)) {
        op->prev = same ? other->serial : PREV_NONE;
    } else if (r->keys.at[op->key].is_row) {
        op->value = (int64_t)random_below(random, ROWS_VALUES);
    } else if (op->is_write) {
        op->value = same && other->is_write ? other->value : op->value + 1;
    } else if (!r->keys.at[op->key].is_list) {
        op->value = same ? other->value : 0;
    } else if (op->items_n && random_below(random, 2)) {
        op->items_n--;
    } else if (same && !other->is_write) {
        op->items = other->items;
        op->items_n = other->items_n;
    }
}

/* The true certificates of r, damaged, for the history of f. */
static void
forge_from_truth(struct forger *f, const struct record *r)
{
    struct check_options options = {
        .threads = 1, .verify = false, .strong = strong_defaults};
    for (int l = 0; l < LEVELS; l++)
        if (r->times || !level_table[l].needs_times)
            options.levels |= 1u << l;
    struct history h;
    struct check check;
    struct err err = {0};
    record_build(r, &h);
    if (check_history(&h, &options, &check, &err)) {
        for (size_t i = 0; i < check.results.n && !f->lie.n; i++) {
            struct buf text = {0};
            certificate_write(&h, &check.results.at[i].certificate, &text);
            forge_from(f, text.at);
            buf_free(&text);
        }
        check_free(&check);
    }
    history_free(&h);
}

/* Try everything on r; true where a lie was believed, which is in f. */
static bool
is_fooled(struct forger *f, const struct record *r, uint64_t seed)
{
    forger_init(f, r, seed);
    struct record sibling;
    record_copy(r, &sibling);
    change_one(&sibling, &f->random);
    for (int l = 0; l < LEVELS && !f->lie.n && !only_damaged; l++) {
        forge_orders(f, (enum level)l);
        forge_flaws(f, (enum level)l);
        forge_cases(f, (enum level)l);
        if (l <= LEVEL_CC)
            forge_cycles(f, (enum level)l);
        else
            forge_proofs(f, (enum level)l);
    }
    if (!f->lie.n)
        forge_from_truth(f, r);
    if (!f->lie.n)
        forge_from_truth(f, &sibling);
    record_free(&sibling);
    return f->lie.n;
}

static bool
still_fooled(const struct record *r, void *about)
{
    struct forger f;
    const bool fooled = is_fooled(&f, r, *(const uint64_t *)about);
    forger_free(&f);
    return fooled;
}

static void
report(const struct record *r, uint64_t seed)
{
    struct record small;
    struct forger f;
    struct buf shown = {0};
    record_copy(r, &small);
    shrink(&small, still_fooled, &seed);
    is_fooled(&f, &small, seed);
    record_show(&small, &shown);
    printf("# seed %llu: a lie about %s\n", (unsigned long long)seed, shown.at);
    for (const char *p = f.lie.at; p && *p;) {
        const size_t n = strcspn(p, "\n");
        printf("#     %.*s\n", (int)n, p);
        p += n + (p[n] == '\n');
    }
    fflush(stdout);
    forger_free(&f);
    buf_free(&shown);
    record_free(&small);
}

static void
no_forgery_is_believed(void)
{
    int failures = 0;
    for (uint64_t i = 0; i < histories && failures < 5; i++) {
        const uint64_t seed = first_seed + i;
        struct record r;
        struct forger f;
        if (strcmp(kind, "rows") == 0) {
            random_rows(seed, &r);
        } else {
            const struct random_shape shape = random_shape_of_kind(kind, seed);
            random_record(&shape, seed, &r);
        }
        if (is_fooled(&f, &r, seed)) {
            report(&r, seed);
            failures++;
        }
        for (int k = 0; k < EVIDENCE_ROOM; k++)
            seen.tried[k] += f.tried[k];
        seen.steps += f.steps;
        forger_free(&f);
        record_free(&r);
    }
    CHECK(!failures);
    printf("# %llu histories: %llu orders, %llu flaws, %llu cycles, %llu "
           "proofs and %llu trees of cases forged; %llu steps of proofs were "
           "right\n",
           (unsigned long long)histories,
           (unsigned long long)seen.tried[EVIDENCE_ORDER],
           (unsigned long long)seen.tried[EVIDENCE_FLAW],
           (unsigned long long)seen.tried[EVIDENCE_CYCLE],
           (unsigned long long)seen.tried[EVIDENCE_PROOF],
           (unsigned long long)seen.tried[EVIDENCE_CASES],
           (unsigned long long)seen.steps);
    CHECK(only_damaged || seen.steps > histories);
}

int
main(int argc, char **argv)
{
    const char *forge = getenv("FORGE");
    only_damaged = forge && strcmp(forge, "damaged") == 0;
    if (argc > 1) {
        kind = argv[1];
        take_range(argc - 1, argv + 1, &histories, &first_seed);
    }
    RUN(no_forgery_is_believed);
    return test_end();
}
