/* test_engines.c -- what the checkers say about runs of the store.
 *
 * Over ten thousand small runs of each level the checkers find that level
 * satisfied every time, and by and by all the anomalies that it permits.
 *
 * SPDX-License-Identifier: MIT */
#include "test.h"
#include "tiny.h"

#include "explain/explain.h"
#include "history/builder/builder.h"

enum { RUNS = 10000 };

typedef unsigned kind_set;

#define KIND(name) (1u << ANOMALY_##name)

// What a level permits, by the weakest level that forbids it.
static const struct {
    enum level forbidden_by;
    kind_set kinds;
} anomalies[] = {
    {LEVEL_RA, KIND(NON_REPEATABLE) | KIND(FRACTURED) | KIND(READ_YOUR_WRITES) |
                   KIND(NON_MONOTONIC)},
    {LEVEL_CC, KIND(CAUSALITY)},
    {LEVEL_PC, KIND(LONG_FORK)},
    {LEVEL_PSI, KIND(LOST_UPDATE)},
    {LEVEL_SER, KIND(WRITE_SKEW) | KIND(READ_ONLY)},
};

static kind_set
permitted(enum level level)
{
    kind_set kinds = 0;
    for (size_t i = 0; i < sizeof anomalies / sizeof anomalies[0]; i++)
        if (!(level_implied(level) & 1u << anomalies[i].forbidden_by))
            kinds |= anomalies[i].kinds;
    return kinds;
}

/* A run as a history: the number of a transaction is the value it writes. */
static void
make_history(const struct tiny *p, const struct tiny_run *run,
             struct history *h)
{
    struct builder *b = builder_new(atom_nil());
    struct err err = {0};
    for (int t = 0; t < p->n_txns; t++) {
        const struct tiny_txn *txn = &p->txns[t];
        txn_id id;
        builder_txn(b, builder_session(b, atom_int(txn->session)), &id, &err);
        if (!run->committed[t])
            builder_status(b, id, TXN_ABORTED);
        for (unsigned i = 0; i < txn->n_ops; i++) {
            const struct atom key = atom_int(txn->ops[i].key);
            const int from = run->from[t][i];
            const struct atom seen = from == TINY_INIT  ? atom_nil()
                                     : from == TINY_OWN ? atom_int(t)
                                                        : atom_int(from);
            if (txn->ops[i].is_write)
                builder_write(b, id, key, atom_int(t), &err);
            else
                builder_read(b, id, key, seen, &err);
        }
    }
    CHECK(builder_finish(b, h, &err));
}

static kind_set
explain(const struct history *h, const struct check *check)
{
    struct explanation e = {0};
    struct err err = {0};
    kind_set kinds = 0;
    const struct explain_options o = {
        .most = 5, .threads = 1, .strong = strong_defaults};
    CHECK(explain_result(h, check, &vec_top(&check->results), &o, &e, &err));
    for (size_t i = 0; i < e.anomalies.n; i++)
        kinds |= 1u << e.anomalies.at[i].kind;
    explanation_free(&e);
    return kinds;
}

/* Check a run at its own level, and until everything was seen at the others
 * too. */
static void
judge(const struct history *h, enum level level, kind_set *seen)
{
    const kind_set wanted = permitted(level);
    const level_set others = 1u << LEVEL_RA | 1u << LEVEL_CC | 1u << LEVEL_PC |
                             1u << LEVEL_PSI | 1u << LEVEL_SER;
    for (int l = LEVEL_RC; l <= LEVEL_SER; l++) {
        const bool own = l == (int)level;
        if (!own && ((*seen & wanted) == wanted || !(others >> l & 1)))
            continue;
        struct check check = {0};
        struct err err = {0};
        const struct check_options o = {.levels = 1u << l,
                                        .threads = 1,
                                        .verify = true,
                                        .most_flaws = 5,
                                        .strong = strong_defaults};
        CHECK(check_history(h, &o, &check, &err));
        const enum verdict verdict =
            vec_top(&check.results).certificate.verdict;
        CHECK(!own || verdict == VERDICT_OK);
        if (verdict == VERDICT_VIOLATED)
            *seen |= explain(h, &check);
        check_free(&check);
    }
}

static void
every_run_satisfies_its_level_and_all_anomalies_occur(void)
{
    for (int l = LEVEL_RC; l <= LEVEL_SER; l++) {
        const enum level level = (enum level)l;
        kind_set seen = 0;
        struct random r;
        random_seed(&r, 4711 + (uint64_t)l);
        for (int i = 0; i < RUNS; i++) {
            struct tiny p;
            struct tiny_run run;
            struct history h;
            tiny_random(&p, 3 + (unsigned)random_below(&r, TINY_TXNS - 2),
                        1 + (unsigned)random_below(&r, TINY_KEYS), 0.6, &r);
            tiny_execute(&p, level, 0, 0.25, random_next(&r), &run);
            make_history(&p, &run, &h);
            judge(&h, level, &seen);
            history_free(&h);
        }
        for (int k = 0; k < ANOMALY_KINDS; k++)
            if (seen >> k & 1)
                printf("# %s: %s\n", level_table[l].brief,
                       anomaly_table[k].title);
        CHECK((seen & permitted(level)) == permitted(level));
    }
}

int
main(void)
{
    RUN(every_run_satisfies_its_level_and_all_anomalies_occur);
    return test_end();
}
