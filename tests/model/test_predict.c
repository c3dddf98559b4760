/* test_predict.c -- random small executions: prediction against brute force.
 *
 *     test_model_predict COUNT SEED
 *
 * Executions are run serially, and then in some of them reads are changed, so
 * that also executions that are not serializable are observed; blind writes and
 * several reads of a key in a transaction are frequent.  Some are asked about
 * again among hundreds of transactions that have nothing to do with them, which
 * must change no answer: large executions are searched in another way.
 *
 * SPDX-License-Identifier: MIT */
#include "base/random.h"
#include "brute_predict.h"
#include "history/builder/builder.h"
#include "predict/predict.h"
#include "range.h"
#include "test.h"
#include "verify/absence/verify_absence.h"

static uint64_t count = 400, first_seed = 1;
static uint64_t asked, predicted, forged; // what the test has seen
static uint64_t conditional, declined;
static uint64_t differing; // executions that only a case distinction shows

static const enum level LEVELS_ASKED[] = {LEVEL_RC, LEVEL_RA,  LEVEL_CC,
                                          LEVEL_PC, LEVEL_PSI, LEVEL_SI};

enum { TXNS = BRUTE_PREDICT_TXNS, KEYS = 3, OPS = 5 };

enum { PADDING = 300, PADDED_ONE_IN = 25 };

/* The value of a write says who wrote, so that every value is unique. */
struct shape {
    uint64_t sessions, txns, keys, ops;
    bool changes; // some reads read anything
};

static struct shape
random_shape(struct random *r)
{
    return (struct shape){.sessions = 1 + random_below(r, 3),
                          .txns = 2 + random_below(r, TXNS - 1),
                          .keys = 1 + random_below(r, KEYS),
                          .ops = 1 + random_below(r, OPS),
                          .changes = random_below(r, 5) == 0};
}

/* Draw a value that some transaction but t writes to key k, or 0. */
static int64_t
draw_value(struct random *r, uint64_t txns, uint64_t t, bool writes[TXNS][KEYS],
           uint64_t k)
{
    const uint64_t u = random_below(r, txns);
    return u != t && writes[u][k] ? (int64_t)u + 1 : 0;
}

/* Transactions that write keys which nobody else uses. */
static void
add_padding(struct builder *b, uint64_t first, uint64_t n)
{
    struct err err = {0};
    for (uint64_t i = first; i < first + n; i++) {
        txn_id id;
        CHECK(builder_txn(b, builder_session(b, atom_uint(10 + i % 3)), &id,
                          &err));
        CHECK(builder_write(b, id, atom_uint(KEYS + i), atom_int(1), &err));
    }
}

/* With 'padding' transactions between those that matter. */
static void
random_execution(uint64_t seed, uint64_t padding, struct history *h)
{
    struct random r;
    random_seed(&r, seed);
    const struct shape s = random_shape(&r);
    struct {
        bool is_write;
        uint64_t key;
    } ops[TXNS][OPS];
    uint64_t n[TXNS];
    bool writes[TXNS][KEYS] = {{0}};
    for (uint64_t t = 0; t < s.txns; t++) {
        n[t] = 1 + random_below(&r, s.ops);
        for (uint64_t i = 0; i < n[t]; i++) {
            ops[t][i].is_write = random_below(&r, 2);
            ops[t][i].key = random_below(&r, s.keys);
            writes[t][ops[t][i].key] |= ops[t][i].is_write;
        }
    }
    int64_t store[KEYS] = {0};
    struct builder *b = builder_new(atom_int(0));
    struct err err = {0};
    for (uint64_t t = 0; t < s.txns; t++) {
        const session_id session =
            builder_session(b, atom_uint(random_below(&r, s.sessions)));
        txn_id id;
        add_padding(b, t * padding / s.txns, padding / s.txns);
        CHECK(builder_txn(b, session, &id, &err));
        bool own[KEYS] = {0};
        for (uint64_t i = 0; i < n[t]; i++) {
            const uint64_t k = ops[t][i].key;
            if (ops[t][i].is_write) {
                store[k] = (int64_t)t + 1;
                own[k] = true;
                CHECK(builder_write(b, id, atom_uint(k), atom_int(store[k]),
                                    &err));
                continue;
            }
            const int64_t value =
                !own[k] && s.changes && random_below(&r, 3) == 0
                    ? draw_value(&r, s.txns, t, writes, k)
                    : store[k];
            CHECK(builder_read(b, id, atom_uint(k), atom_int(value), &err));
        }
    }
    CHECK(builder_finish(b, h, &err));
}

/* Change one number of the evidence, within what its reader lets through. */
static void
damage(struct absence *a, struct random *r)
{
    struct absence_step *s = &a->steps.at[random_below(r, a->steps.n)];
    const uint32_t small = (uint32_t)random_below(r, 12);
    switch (random_below(r, 8)) {
    case 0:
        s->rule.a = small;
        break;
    case 1:
        s->rule.b = small;
        break;
    case 2:
        s->rule.kind = (uint32_t)random_below(r, RULE_AT_CAUSE + 1);
        break;
    case 3:
        if (a->picks.n)
            a->picks.at[random_below(r, a->picks.n)] =
                random_below(r, 2) ? ABSENCE_INIT
                                   : (uint32_t)random_below(r, a->n_txns);
        break;
    case 4:
        if (a->lits.n)
            a->lits.at[random_below(r, a->lits.n)] =
                (absence_lit)random_below(r, 2 * a->facts.n);
        break;
    case 5:
        if (a->hints.n)
            a->hints.at[random_below(r, a->hints.n)] =
                (uint32_t)random_below(r, a->steps.n);
        break;
    case 6:
        if (!a->orders.n)
            break;
        a->orders.at[0].place[random_below(r, 2 * a->n_txns)] =
            random_below(r, UINT64_C(1) << 36);
        break;
    default:
        if (a->facts.n)
            a->facts.at[random_below(r, a->facts.n)].a = small;
    }
}

/* Evidence of absence survives being written and read, and does not serve for a
 * question that has another answer. */
static void
forge(const struct history *h, const struct absence *a, level_set strict,
      level_set relaxed, struct random *r)
{
    struct buf text = {0};
    struct absence copy;
    struct err err = {0};
    absence_write(h, a, &text);
    const bool ok = absence_read(h, text.at, text.n, &copy, &err);
    CHECK(ok && verify_absence(h, &copy, &err));
    for (int l = 0; ok && l < LEVELS; l++)
        for (int way = 0; way < 2; way++) {
            if (!((way ? strict : relaxed) >> l & 1))
                continue;
            struct err why = {0};
            copy.level = (enum level)l;
            copy.is_strict = way;
            CHECK(!verify_absence(h, &copy, &why));
            for (int i = 0; i < 3; i++) {
                why = (struct err){0};
                damage(&copy, r);
                CHECK(!verify_absence(h, &copy, &why));
            }
            forged += 4;
        }
    if (ok)
        absence_free(&copy);
    buf_free(&text);
}

static level_set
answer(const struct history *h, bool is_strict, bool is_approximate)
{
    return brute_predict(
        h, (struct brute_question){.is_strict = is_strict,
                                   .is_approximate = is_approximate});
}

static void
compare(const struct history *h, uint64_t seed, bool is_strict,
        level_set strict, level_set relaxed)
{
    const level_set expected = is_strict ? strict : relaxed;
    struct random r;
    random_seed(&r, seed);
    for (size_t i = 0; i < sizeof LEVELS_ASKED / sizeof *LEVELS_ASKED; i++) {
        struct prediction p;
        struct err err = {0};
        const struct predict_options options = {
            .level = LEVELS_ASKED[i], .is_strict = is_strict, .prove = true};
        if (!predict(h, &options, &p, &err)) {
            CHECK(!"predicted");
            printf("# seed %llu: %s\n", (unsigned long long)seed, err.text);
            return;
        }
        const bool found = p.answer == PREDICT_FOUND;
        asked++;
        predicted += found;
        const bool agrees = found == (expected >> LEVELS_ASKED[i] & 1) &&
                            p.answer != PREDICT_UNKNOWN;
        CHECK(agrees);
        CHECK(found || p.absence.steps.n);
        if (!found)
            forge(h, &p.absence, strict, relaxed, &r);
        if (!agrees)
            printf("# seed %llu, %s, %s: predicted %d\n",
                   (unsigned long long)seed, level_table[LEVELS_ASKED[i]].brief,
                   is_strict ? "strict" : "relaxed", found);
        prediction_free(&p);
    }
}

static void
agrees_with_brute_force(void)
{
    for (uint64_t seed = first_seed; seed < first_seed + count; seed++) {
        struct history h;
        random_execution(seed, 0, &h);
        const level_set strict = answer(&h, true, false);
        const level_set relaxed = answer(&h, false, false);
        compare(&h, seed, true, strict, relaxed);
        compare(&h, seed, false, strict, relaxed);
        history_free(&h);
    }
    printf("# %llu of %llu questions have a prediction; %llu forgeries\n",
           (unsigned long long)predicted, (unsigned long long)asked,
           (unsigned long long)forged);
    CHECK(predicted > asked / 20 && predicted < asked / 20 * 19);
}

/* Ask h at every level, exactly or not, and compare with what is expected. */
static void
ask(const struct history *h, uint64_t seed, bool is_strict, bool is_approximate,
    level_set expected)
{
    for (size_t i = 0; i < sizeof LEVELS_ASKED / sizeof *LEVELS_ASKED; i++) {
        struct prediction p;
        struct err err = {0};
        const enum level level = LEVELS_ASKED[i];
        const struct predict_options options = {.level = level,
                                                .is_strict = is_strict,
                                                .is_approximate =
                                                    is_approximate};
        const bool ok = predict(h, &options, &p, &err);
        CHECK(ok);
        if (!ok)
            return;
        const bool agrees =
            p.answer != PREDICT_UNKNOWN &&
            (p.answer == PREDICT_FOUND) == (expected >> level & 1);
        CHECK(agrees);
        if (!agrees)
            printf("# seed %llu, %s, %s%s\n", (unsigned long long)seed,
                   level_table[level].brief, is_strict ? "strict" : "relaxed",
                   is_approximate ? ", approximate" : "");
        prediction_free(&p);
    }
}

static void
approximates_as_brute_force(void)
{
    for (uint64_t seed = first_seed; seed < first_seed + count; seed++)
        for (int strict = 0; strict < 2; strict++) {
            struct history h;
            random_execution(seed, 0, &h);
            const level_set expected = answer(&h, strict, true);
            differing += expected != answer(&h, strict, false);
            ask(&h, seed, strict, true, expected);
            history_free(&h);
        }
    printf("# %llu answers differ from the exact ones\n",
           (unsigned long long)differing);
}

/* A prediction is on a condition only where there is no other. */
static void
ask_for_unconditional(const struct history *h, uint64_t seed, bool is_strict,
                      const uint32_t *rows)
{
    static const enum level levels[] = {LEVEL_PSI, LEVEL_SI};
    const level_set expected = brute_predict(
        h, (struct brute_question){
               .is_strict = is_strict, .is_unconditional = true, .rows = rows});
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        struct prediction p;
        struct err err = {0};
        const struct predict_options options = {
            .level = levels[i], .is_strict = is_strict, .rows = rows};
        const bool ok = predict(h, &options, &p, &err);
        CHECK(ok);
        if (!ok)
            return;
        const bool found =
            p.answer == PREDICT_FOUND && !p.found.at[0].is_conditional;
        // What was observed is the answer on any condition.
        const bool agrees = (p.found.n && !p.found.at[0].changed) ||
                            found == (expected >> levels[i] & 1);
        CHECK(agrees);
        if (!agrees)
            printf("# seed %llu, %s, %s%s: %s\n", (unsigned long long)seed,
                   level_table[levels[i]].brief,
                   is_strict ? "strict" : "relaxed", rows ? ", rows" : "",
                   found ? "unconditional" : "none or conditional");
        conditional += p.answer == PREDICT_FOUND && !found;
        prediction_free(&p);
    }
}

static void
prefers_unconditional_ones_as_brute_force(void)
{
    static const uint32_t rows[] = {0, 0, 1}; // by key
    for (uint64_t seed = first_seed; seed < first_seed + count; seed++) {
        struct history h;
        random_execution(seed, 0, &h);
        ask_for_unconditional(&h, seed, true, NULL);
        ask_for_unconditional(&h, seed, true, rows);
        ask_for_unconditional(&h, seed, false, rows);
        history_free(&h);
    }
    printf("# %llu predictions are on a condition\n",
           (unsigned long long)conditional);
    CHECK(conditional);
}

/* A caller who takes no prediction, or only one in which a given transaction
 * is the last boundary transaction. */
struct caller {
    txn_id wanted; // TXN_NONE: nothing
    uint64_t asked;
};

static unsigned
take(void *self, const struct execution *x)
{
    struct caller *c = self;
    c->asked++;
    for (uint32_t t = x->o->n; t; t--)
        if (x->role[t - 1] == ROLE_BOUNDARY)
            return x->o->id[t - 1] == c->wanted ? PREDICT_ACCEPTED : 0;
    return 0;
}

static void
gives_only_what_the_caller_accepts(void)
{
    for (uint64_t seed = first_seed; seed < first_seed + count; seed++)
        for (int strict = 0; strict < 2; strict++) {
            struct history h;
            random_execution(seed, 0, &h);
            for (txn_id t = 0; t <= h.n_txns; t++) {
                struct caller c = {t < h.n_txns ? t : TXN_NONE, 0};
                struct prediction p;
                struct err err = {0};
                const struct predict_options options = {.level = LEVEL_SI,
                                                        .is_strict = strict,
                                                        .prove = true,
                                                        .accept = take,
                                                        .self = &c};
                CHECK(predict(&h, &options, &p, &err));
                if (p.answer == PREDICT_FOUND && p.found.at[0].changed)
                    CHECK(take(&c, &p.found.at[0].execution));
                if (p.answer == PREDICT_DECLINED)
                    CHECK(p.declined && c.asked && p.found.n == 1 &&
                          !take(&c, &p.found.at[0].execution));
                CHECK(p.answer != PREDICT_NONE || (!c.asked && !p.found.n));
                declined += p.answer == PREDICT_DECLINED;
                prediction_free(&p);
            }
            history_free(&h);
        }
    CHECK(declined);
}

static void
agrees_among_many_transactions(void)
{
    for (uint64_t seed = first_seed; seed < first_seed + count;
         seed += PADDED_ONE_IN)
        for (int strict = 0; strict < 2; strict++) {
            struct history small, h;
            random_execution(seed, 0, &small);
            random_execution(seed, PADDING, &h);
            ask(&h, seed, strict, false, answer(&small, strict, false));
            history_free(&small);
            history_free(&h);
        }
}

int
main(int argc, char **argv)
{
    take_range(argc, argv, &count, &first_seed);
    RUN(agrees_with_brute_force);
    RUN(approximates_as_brute_force);
    RUN(prefers_unconditional_ones_as_brute_force);
    RUN(gives_only_what_the_caller_accepts);
    RUN(agrees_among_many_transactions);
    return test_end();
}
