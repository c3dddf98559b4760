/* test_strong.c -- the strong engine against the oracle.
 *
 *     test_strong [COUNT [SEED]]
 *
 * checks COUNT random histories from SEED on, each at all six levels with all
 * optimisations and with a random selection of them: verdicts agree with the
 * oracle and among each other, a level that holds has all weaker ones hold,
 * down to rc, and every certificate is accepted by verify.  No forged one is:
 * orders for violated histories, damaged orders, proofs for histories that are
 * fine.  A failure names its seed.
 *
 * SPDX-License-Identifier: MIT */
#include "deciding.h"
#include "oracle.h"
#include "random_history.h"
#include "range.h"
#include "test.h"

#include "evidence/proof.h"
#include "history/read_checks.h"
#include "history/tested.h"
#include "verify/verify.h"
#include "weak/weak.h"

static uint64_t first_seed = 1;
static uint64_t histories = 3000;

static const enum level levels[] = {LEVEL_PC,        LEVEL_PSI,
                                    LEVEL_SI,        LEVEL_SER,
                                    LEVEL_STRICT_SI, LEVEL_STRICT_SER};
enum { N_LEVELS = sizeof levels / sizeof *levels };

static struct {
    uint64_t histories, flawed, ok[LEVELS], violated[LEVELS], searched;
    uint64_t forged, conflicts, too_long;
} seen;

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
    if (loud)
        printf("# %s: %s\n", level_table[c->level].brief, err.text);
    return false;
}

/* --- forgeries ---------------------------------------------------------------
 */

/* Copy the evidence c claims for another level. */
static bool
is_accepted_at(const struct history *h, struct certificate c, enum level l)
{
    c.level = l;
    seen.forged++;
    return is_accepted(h, &c, false);
}

static bool
rejects_damaged_order(const struct history *h, const struct certificate *c,
                      struct random *r)
{
    if (c->order.n < 2)
        return true;
    struct certificate copy = *c;
    copy.order = (u32_vec){0};
    for (size_t i = 0; i < c->order.n; i++)
        vec_push(&copy.order, c->order.at[i]);
    const size_t i = random_below(r, copy.order.n);
    const size_t j = (i + 1 + random_below(r, copy.order.n - 1)) % copy.order.n;
    bool rejected = true;
    copy.order.at[i] = c->order.at[j]; // a point twice
    rejected &= !is_accepted(h, &copy, false);
    copy.order.at[i] = h->n_txns * 2; // no point at all
    rejected &= !is_accepted(h, &copy, false);
    copy.order.at[i] = c->order.at[i];
    copy.order.n--; // a point too few
    rejected &= !is_accepted(h, &copy, false);
    seen.forged += 3;
    vec_free(&copy.order);
    return rejected;
}

/* Change one thing in a proof; whatever it then proves must be true. */
static void
damage_proof(struct proof *p, struct random *r)
{
    if (p->steps.n && random_below(r, 3) == 0)
        p->steps.at[random_below(r, p->steps.n)].kind =
            (enum proof_step_kind)random_below(r, 5);
    if (p->edges.n) {
        struct proof_edge *e = &p->edges.at[random_below(r, p->edges.n)];
        switch (random_below(r, 4)) {
        case 0:
            e->kind = (enum edge_kind)random_below(r, 7);
            break;
        case 1:
            e->read = (op_id)random_below(r, 20);
            break;
        case 2:
            e->writer = (txn_id)random_below(r, 6);
            break;
        default:
            e->to = (txn_id)random_below(r, 6);
        }
    }
    if (p->lits.n && random_below(r, 2))
        p->lits.at[random_below(r, p->lits.n)] ^= 1;
}

/* --- one history ---------------------------------------------------------- */

struct outcome {
    struct certificate certificate[LEVELS];
    bool holds[LEVELS];
};

static bool
agrees(const struct record *record, const struct history *h, struct random *r,
       struct outcome *o)
{
    bool fine = true;
    for (int i = 0; i < N_LEVELS; i++) {
        const enum level l = levels[i];
        if (level_table[l].needs_times && !h->txn_began)
            continue;
        struct ladder_stats stats;
        const enum oracle_answer truth = oracle(record, l);
        decide_level(h, l, &strong_defaults, NULL, &o->certificate[l], &stats);
        // Where it takes the oracle too long, the two ways have to agree.
        seen.too_long += truth == ORACLE_TOO_LONG;
        o->holds[l] = truth == ORACLE_TOO_LONG
                          ? o->certificate[l].verdict == VERDICT_OK
                          : truth == ORACLE_OK;
        struct certificate other;
        const struct strong_options options = random_strong_options(r);
        decide_level(h, l, &options, NULL, &other, &stats);
        const enum verdict expected =
            o->holds[l] ? VERDICT_OK : VERDICT_VIOLATED;
        if (o->certificate[l].verdict != expected ||
            other.verdict != expected) {
            printf("# %s: the oracle says %s\n", level_table[l].brief,
                   o->holds[l] ? "ok" : "violated");
            fine = false;
        }
        fine &= is_accepted(h, &o->certificate[l], true) &&
                is_accepted(h, &other, true);
        seen.searched += stats.strong.search_rounds != 0;
        seen.conflicts += stats.strong.conflicts;
        (o->holds[l] ? seen.ok : seen.violated)[l]++;
        certificate_free(&other);
    }
    return fine;
}

/* What holds implies the weak levels, and they imply each other. */
static bool
implies_weak(const struct history *h, const struct outcome *o)
{
    struct certificate weak[LEVELS] = {0};
    struct weak_stats stats;
    weak_check(h, level_weak(), &(struct weak_options){.threads = 1}, weak,
               &stats);
    bool fine = true;
    for (int l = 0; l < LEVELS; l++)
        for (int m = 0; m < LEVEL_PC; m++) {
            const bool holds =
                l < LEVEL_PC ? weak[l].verdict == VERDICT_OK : o->holds[l];
            fine &= !holds || !(level_implied((enum level)l) >> m & 1) ||
                    weak[m].verdict == VERDICT_OK;
        }
    for (int m = 0; m < LEVEL_PC; m++) {
        fine &= is_accepted(h, &weak[m], true);
        certificate_free(&weak[m]);
    }
    return fine;
}

/* The lattice of levels holds, and evidence serves no level but its own and
 * those that follow. */
static bool
forgeries_fail(const struct history *h, struct random *r, struct outcome *o)
{
    bool fine = true;
    for (int i = 0; i < N_LEVELS; i++)
        for (int j = 0; j < N_LEVELS; j++) {
            const enum level l = levels[i], m = levels[j];
            if ((level_table[l].needs_times || level_table[m].needs_times) &&
                !h->txn_began)
                continue;
            fine &= !(level_implied(l) >> m & 1) || !o->holds[l] || o->holds[m];
            if (o->holds[l] != o->holds[m])
                fine &= !is_accepted_at(h, o->certificate[l], m);
        }
    for (int i = 0; i < N_LEVELS; i++) {
        const struct certificate *c = &o->certificate[levels[i]];
        if (c->kind == EVIDENCE_ORDER)
            fine &= rejects_damaged_order(h, c, r);
        for (int j = 0; c->kind == EVIDENCE_PROOF && j < N_LEVELS; j++)
            if (o->holds[levels[j]] && c->proof) {
                damage_proof(c->proof, r);
                fine &= !is_accepted_at(h, *c, levels[j]);
            }
    }
    return fine;
}

static bool
try_seed(uint64_t seed, bool lists)
{
    struct random r;
    random_seed(&r, seed ^ 0xabcdef);
    struct random_shape shape =
        lists ? random_plain_list_shape(seed, 6) : random_tiny_shape(seed, 6);
    shape.times = random_below(&r, 2);
    struct record record;
    struct history h;
    random_record(&shape, seed, &record);
    record_build(&record, &h);
    flaw_vec flaws = {0};
    bool fine = true;
    if (history_flaws(&h, 0, &flaws)) {
        seen.flawed++;
    } else {
        struct outcome o = {0};
        fine = agrees(&record, &h, &r, &o) && implies_weak(&h, &o) &&
               forgeries_fail(&h, &r, &o);
        for (int l = 0; l < LEVELS; l++)
            certificate_free(&o.certificate[l]);
    }
    seen.histories++;
    if (!fine)
        printf("# seed %llu%s\n", (unsigned long long)seed,
               lists ? ", lists" : "");
    vec_free(&flaws);
    history_free(&h);
    record_free(&record);
    return fine;
}

static void
registers_agree_with_the_oracle(void)
{
    int failures = 0;
    for (uint64_t i = 0; i < histories && failures < 10; i++)
        failures += !try_seed(first_seed + i, false);
    CHECK(!failures);
}

static void
lists_agree_with_the_oracle(void)
{
    int failures = 0;
    for (uint64_t i = 0; i < histories / 4 && failures < 10; i++)
        failures += !try_seed(first_seed + i, true);
    CHECK(!failures);
}

/* --- larger ones: engine against engine ----------------------------------- */

/* Without the oracle: different options must agree, and be certified. */
static void
options_agree_on_larger_histories(void)
{
    int failures = 0;
    for (uint64_t i = 0; i < histories / 20 && failures < 10; i++) {
        struct random r;
        random_seed(&r, first_seed + i);
        struct random_shape shape = random_tiny_shape(first_seed + i, 5);
        shape.sessions = 2 + (uint32_t)random_below(&r, 6);
        shape.txns = 10 + (uint32_t)random_below(&r, 40);
        shape.ops = 2 + (uint32_t)random_below(&r, 6);
        shape.keys = 2 + (uint32_t)random_below(&r, 10);
        shape.times = true;
        struct history h;
        random_history(&shape, first_seed + i, &h);
        for (int l = 0; l < N_LEVELS; l++) {
            struct certificate a, b;
            struct ladder_stats stats;
            const struct strong_options options = random_strong_options(&r);
            struct budget budget = {.left = 2 * BUDGET_SECOND};
            decide_level(&h, levels[l], &strong_defaults, &budget, &a, &stats);
            seen.conflicts += stats.strong.conflicts;
            budget.left = 2 * BUDGET_SECOND;
            decide_level(&h, levels[l], &options, &budget, &b, &stats);
            bool fine = a.verdict == b.verdict ||
                        a.verdict == VERDICT_UNKNOWN ||
                        b.verdict == VERDICT_UNKNOWN;
            flaw_vec flaws = {0};
            if (!history_flaws(&h, 0, &flaws))
                fine &= is_accepted(&h, &a, true) && is_accepted(&h, &b, true);
            vec_free(&flaws);
            if (!fine)
                printf("# seed %llu, %s: %d and %d\n",
                       (unsigned long long)(first_seed + i),
                       level_table[levels[l]].brief, a.verdict, b.verdict);
            failures += !fine;
            certificate_free(&a);
            certificate_free(&b);
        }
        history_free(&h);
    }
    CHECK(!failures);
}

int
main(int argc, char **argv)
{
    take_range(argc, argv, &histories, &first_seed);
    RUN(registers_agree_with_the_oracle);
    RUN(lists_agree_with_the_oracle);
    RUN(options_agree_on_larger_histories);
    printf("# %llu histories, %llu of them flawed; %llu searches, %llu "
           "conflicts, %llu forgeries; %llu questions too long for the "
           "oracle\n",
           (unsigned long long)seen.histories, (unsigned long long)seen.flawed,
           (unsigned long long)seen.searched,
           (unsigned long long)seen.conflicts, (unsigned long long)seen.forged,
           (unsigned long long)seen.too_long);
    for (int i = 0; i < N_LEVELS; i++)
        printf("# %s: %llu ok, %llu violated\n", level_table[levels[i]].brief,
               (unsigned long long)seen.ok[levels[i]],
               (unsigned long long)seen.violated[levels[i]]);
    return test_end();
}
