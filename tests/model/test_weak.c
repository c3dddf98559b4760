/* test_weak.c -- the weak levels against the oracle.
 *
 *     test_weak [COUNT [SEED]]
 *
 * checks COUNT random histories from SEED on (a few thousand by default), each
 * at rc, ra and cc: verdicts agree with the oracle, every certificate is
 * accepted by verify, also after it was written and read, and none is after a
 * small change that makes it wrong.  A failure names its seed.
 *
 * SPDX-License-Identifier: MIT */
#include "oracle.h"
#include "random_history.h"
#include "range.h"
#include "test.h"

#include "base/random.h"
#include "evidence/certificate_read.h"
#include "evidence/certificate_write.h"
#include "format/format.h"
#include "history/tested.h"
#include "verify/verify.h"
#include "weak/weak.h"

#include <stdlib.h>

static uint64_t first_seed = 1;
static uint64_t histories = 4000;

static const enum level weak_levels[] = {LEVEL_RC, LEVEL_RA, LEVEL_CC};
enum { N_LEVELS = 3 };

static struct {
    uint64_t ok, violated, flaws, cycles, proofs, damaged, too_long;
} seen;

/* --- one history ----------------------------------------------------------*/

static void
check(const struct history *h, level_set levels, struct certificate *out)
{
    // Half of the histories have causal rows as those of many sessions are,
    // and three of four skip writers of a key as on long histories.
    const struct weak_options options = {
        .threads = 1,
        .always_cover = h->n_ops % 2,
        .walk = (enum weak_walk)(h->n_ops / 2 % (WEAK_WALK_RUNS + 1))};
    struct weak_stats stats;
    memset(out, 0, LEVELS * sizeof *out);
    weak_check(h, levels, &options, out, &stats);
}

static void
free_all(struct certificate *c)
{
    for (int l = 0; l < LEVELS; l++)
        certificate_free(&c[l]);
}

static void
count_evidence(const struct certificate *c)
{
    seen.ok += c->verdict == VERDICT_OK;
    seen.violated += c->verdict == VERDICT_VIOLATED;
    seen.flaws += c->kind == EVIDENCE_FLAW;
    seen.cycles += c->kind == EVIDENCE_CYCLE;
    seen.proofs += c->kind == EVIDENCE_PROOF;
}

/* Whether verify accepts c; says why where it does not. */
static bool
is_accepted(const struct history *h, const struct certificate *c, bool loud)
{
    struct err err = {0};
    const bool accepted = verify_certificate(h, c, &err);
    // An engine knows nothing of this rule, and verify refuses its order.
    if (loud && c->verdict == VERDICT_OK && !history_is_tested(h))
        return !accepted;
    if (accepted)
        return true;
    if (err.kind == ERR_FEATURE)
        return true;
    if (loud)
        printf("# %s: %s\n", level_table[c->level].brief, err.text);
    return false;
}

/* Whether c, written and read again, is accepted and says the same. */
static bool
survives_writing(const struct history *h, const struct certificate *c)
{
    struct buf first = {0}, second = {0};
    struct certificate again;
    struct err err = {0};
    certificate_write(h, c, &first);
    const bool readable = certificate_read(h, first.at, first.n, &again, &err);
    bool same = false;
    if (readable) {
        certificate_write(h, &again, &second);
        same = strcmp(first.at, second.at) == 0 && is_accepted(h, &again, true);
        certificate_free(&again);
    } else {
        printf("# line %llu: %s\n", (unsigned long long)err.line, err.text);
    }
    buf_free(&first);
    buf_free(&second);
    return same;
}

/* The verdicts of the engine are those of the oracle, with certificates. */
static bool
agrees(const struct record *r, const struct history *h)
{
    struct certificate all[LEVELS], one[LEVELS];
    bool fine = true;
    check(h, level_weak(), all);
    for (int i = 0; i < N_LEVELS; i++) {
        const enum level l = weak_levels[i];
        const enum oracle_answer truth = oracle(r, l);
        if (truth == ORACLE_TOO_LONG) {
            seen.too_long++;
            continue;
        }
        const bool holds = truth == ORACLE_OK;
        check(h, 1u << l, one);
        if ((all[l].verdict == VERDICT_OK) != holds ||
            (one[l].verdict == VERDICT_OK) != holds) {
            printf("# %s: the oracle says %s, the engine %s\n",
                   level_table[l].brief, holds ? "ok" : "violated",
                   holds ? "violated" : "ok");
            fine = false;
        }
        fine &= is_accepted(h, &all[l], true) &&
                is_accepted(h, &one[l], true) && survives_writing(h, &one[l]);
        count_evidence(&one[l]);
        free_all(one);
    }
    free_all(all);
    return fine;
}

/* --- random histories -----------------------------------------------------*/

/* Four kinds in turn: tiny ones as they come, tiny ones with changed reads,
 * larger ones with unique values, which the oracle can still do, and tiny
 * ones in which hardly any value is unique. */
static void
make_record(uint64_t seed, struct record *r)
{
    const uint32_t txns = 2 + (uint32_t)seed % 7;
    struct random_shape shape = random_tiny_shape(seed, txns);
    if (seed % 4)
        shape.changed = 100;
    if (seed % 4 == 2) {
        shape.values = 0;
        shape.txns += 6;
        shape.ops += 2;
        shape.sessions++;
    } else if (seed % 4 == 3) {
        shape.values = 1 + seed % 2;
        shape.initial = 20;
        shape.indeterminate = 0;
    }
    if (seed % 11 == 0)
        shape = random_plain_list_shape(seed, txns);
    random_record(&shape, seed, r);
}

static void
verdicts_are_those_of_the_oracle(void)
{
    for (uint64_t i = 0; i < histories && test_ok; i++) {
        struct record r;
        struct history h;
        make_record(first_seed + i, &r);
        record_build(&r, &h);
        const bool fine = agrees(&r, &h);
        if (!fine)
            printf("# seed %llu\n", (unsigned long long)(first_seed + i));
        CHECK(fine);
        history_free(&h);
        record_free(&r);
    }
    printf("# %llu histories: %llu ok, %llu violated (%llu by a read, %llu by "
           "a cycle, %llu by a proof), %llu too long\n",
           (unsigned long long)histories, (unsigned long long)seen.ok,
           (unsigned long long)seen.violated, (unsigned long long)seen.flaws,
           (unsigned long long)seen.cycles, (unsigned long long)seen.proofs,
           (unsigned long long)seen.too_long);
}

/* --- damage ---------------------------------------------------------------*/

/* Change one thing about a certificate; false where there is nothing. */
static bool
damage(struct random *r, const struct history *h, struct certificate *c)
{
    if (c->kind == EVIDENCE_ORDER) {
        if (!c->order.n)
            return false;
        const size_t i = random_below(r, c->order.n);
        c->order.at[i] = (txn_id)random_below(r, h->n_txns + 1u);
        return true;
    }
    if (c->kind == EVIDENCE_FLAW) {
        c->flaw.op = (op_id)random_below(r, h->n_ops + 1u);
        return true;
    }
    if (c->kind != EVIDENCE_CYCLE)
        return false;
    struct cycle_edge *e =
        &c->cycle.edges.at[random_below(r, c->cycle.edges.n)];
    switch (random_below(r, 6)) {
    case 0:
        e->from = (txn_id)random_below(r, h->n_txns + 1u);
        return true;
    case 1:
        e->to = (txn_id)random_below(r, h->n_txns + 1u);
        return true;
    case 2:
        e->read = (op_id)random_below(r, h->n_ops + 1u);
        return true;
    case 3:
        e->premise = (op_id)random_below(r, h->n_ops + 1u);
        return true;
    case 4:
        e->kind = (enum edge_kind)random_below(r, EDGE_CO + 1u);
        return true;
    default:
        if (!c->cycle.path.n)
            return false;
        c->cycle.path.at[random_below(r, c->cycle.path.n)] =
            (txn_id)random_below(r, h->n_txns + 1u);
        return true;
    }
}

/* A changed certificate may still be right, for another reason; but never for
 * another verdict.  What is accepted must be true. */
static void
damaged_certificates_do_not_lie(void)
{
    struct random r;
    random_seed(&r, first_seed);
    uint64_t rejected = 0, accepted = 0;
    for (uint64_t i = 0; i < histories && test_ok; i++) {
        struct record record;
        struct history h;
        struct certificate c[LEVELS];
        make_record(first_seed + i, &record);
        record_build(&record, &h);
        const enum level l = weak_levels[i % N_LEVELS];
        check(&h, 1u << l, c);
        // The damaged certificate, claimed for a level drawn anew.
        const enum level claimed = weak_levels[random_below(&r, N_LEVELS)];
        const bool holds = oracle(&record, claimed) == ORACLE_OK;
        const bool changed = damage(&r, &h, &c[l]);
        c[l].level = claimed;
        if (is_accepted(&h, &c[l], false)) {
            accepted++;
            CHECK((c[l].verdict == VERDICT_OK) == holds);
            if (!test_ok)
                printf("# seed %llu\n", (unsigned long long)(first_seed + i));
        } else {
            rejected++;
        }
        seen.damaged += changed;
        free_all(c);
        history_free(&h);
        record_free(&record);
    }
    printf("# %llu damaged, %llu rejected, %llu still right\n",
           (unsigned long long)seen.damaged, (unsigned long long)rejected,
           (unsigned long long)accepted);
    CHECK(rejected > histories / 4);
}

/* --- the corpus -----------------------------------------------------------*/

static const char *
corpus(void)
{
    const char *dir = getenv("ASSAY_CORPUS");
    return dir ? dir : "../shared/corpus";
}

/* Check one line "name,rc,ra,cc,..." of a file of verdicts. */
static bool
check_line(const char *folder, char *line)
{
    char *field[8] = {0};
    size_t n = 0;
    for (char *p = line; p && n < 8; n++) {
        field[n] = p;
        p = strchr(p, ',');
        if (p)
            *p++ = '\0';
    }
    char path[8192];
    const bool has_suffix = strstr(field[0], ".txt");
    snprintf(path, sizeof path, "%s/%s/%s%s", corpus(), folder, field[0],
             has_suffix ? "" : ".txt");
    struct history h;
    struct err err = {0};
    if (!format_read(path, "text", 1, &h, NULL, &err)) {
        printf("# %s: %s\n", path, err.text);
        return false;
    }
    struct certificate c[LEVELS];
    check(&h, level_weak(), c);
    bool fine = n >= 4;
    for (int i = 0; fine && i < N_LEVELS; i++) {
        const struct certificate *one = &c[weak_levels[i]];
        fine = (one->verdict == VERDICT_OK) ==
                   (strncmp(field[i + 1], "ok", 2) == 0) &&
               is_accepted(&h, one, true) && survives_writing(&h, one);
    }
    free_all(c);
    history_free(&h);
    if (!fine)
        printf("# %s\n", path);
    return fine;
}

static void
check_folder(const char *folder)
{
    char path[4096], line[4096];
    snprintf(path, sizeof path, "%s/%s/verdicts.csv", corpus(), folder);
    FILE *file = fopen(path, "r");
    if (!file) {
        SKIP("the corpus is not here (ASSAY_CORPUS)");
        return;
    }
    unsigned lines = 0;
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\r\n")] = '\0';
        if (lines++ && *line)
            CHECK(check_line(folder, line));
    }
    printf("# %u histories\n", lines - 1);
    fclose(file);
}

static void
tiny_corpus_has_its_verdicts(void)
{
    check_folder("tiny");
}

static void
named_corpus_has_its_verdicts(void)
{
    check_folder("named");
}

int
main(int argc, char **argv)
{
    take_range(argc, argv, &histories, &first_seed);
    RUN(verdicts_are_those_of_the_oracle);
    RUN(damaged_certificates_do_not_lie);
    RUN(tiny_corpus_has_its_verdicts);
    RUN(named_corpus_has_its_verdicts);
    return test_end();
}
