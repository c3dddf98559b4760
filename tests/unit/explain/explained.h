/* explained.h -- explanations for tests: what is shown is small, violates the
 * level, and says so.
 *
 * The verdicts about reduced histories do not come from the engines that
 * reduced them.  They come from refute.c, and from the oracle of the model
 * tests where the histories are small enough, as most are.
 *
 * SPDX-License-Identifier: MIT */
#ifndef TEST_EXPLAINED_H
#define TEST_EXPLAINED_H

#include "explain/explain.h"
#include "explain/reduce/subhistory.h"
#include "explain/refute.h"

#include "hist.h"
#include "oracle.h"
#include "test.h"

static size_t asked_oracle;

/* --- verdicts --------------------------------------------------------------*/

static inline enum oracle_answer
ask_oracle(const struct history *h, enum level level)
{
    struct record r;
    record_take(h, &r);
    const enum oracle_answer answer = oracle(&r, level);
    record_free(&r);
    return answer;
}

static inline bool
is_violated(const struct history *h, enum level level)
{
    flaw_vec flaws = {0};
    const size_t n = history_flaws(h, 1, &flaws);
    vec_free(&flaws);
    if (n || level == LEVEL_READS)
        return n;
    struct model m;
    struct refutation r;
    model_init(&m, h, level);
    const enum refute_verdict v = refute_model(&m, 4000000000, &r);
    model_free(&m);
    if (v == REFUTE_YES)
        refutation_free(&r);
    CHECK(v != REFUTE_TOO_LONG);
    const enum oracle_answer truth = ask_oracle(h, level);
    if (truth != ORACLE_TOO_LONG) {
        CHECK((truth == ORACLE_OK) == (v != REFUTE_YES));
        asked_oracle++;
    }
    return v == REFUTE_YES;
}

/* An inconsistent read, and no cycle. */
static inline bool
is_flaw(const struct anomaly *a)
{
    return a->kind <= ANOMALY_LOST_APPEND ||
           ((a->kind == ANOMALY_DIRTY_WRITE ||
             a->kind == ANOMALY_LOST_COMMIT) &&
            !a->cycle.n);
}

/* Whether t of the reduced history is to blame: others are there because lists
 * show what they appended. */
static inline bool
is_blamed(const struct anomaly *a, txn_id t)
{
    struct buf name = {0};
    history_show_txn(&a->reduced, t, &name);
    bool involved = false;
    for (size_t i = 0; i < a->txns.n; i++)
        involved |= !a->txns.at[i].is_context && !a->txns.at[i].is_init &&
                    strcmp(a->txns.at[i].id, name.at) == 0;
    buf_free(&name);
    return involved;
}

/* The transactions to blame alone, with what of the lists is theirs. */
static inline void
take_blamed(const struct anomaly *a, struct history *out)
{
    u32_vec txns = {0};
    for (txn_id t = 0; t < a->reduced.n_txns; t++)
        if (is_blamed(a, t))
            vec_push(&txns, t);
    CHECK(txns.n == a->involved);
    const struct subhistory_selection selection = {
        .txns = txns.at, .n = txns.n, .inconsistent = is_flaw(a)};
    txn_id *origin = mem_alloc(txns.n, sizeof *origin);
    struct err err = {0};
    CHECK(subhistory_make(&a->reduced, &selection, out, origin, &err));
    mem_free(origin);
    vec_free(&txns);
}

static inline bool
is_violated_without(const struct anomaly *a, const struct history *h,
                    txn_id out, enum level level)
{
    u32_vec rest = {0};
    for (txn_id t = 0; t < h->n_txns; t++)
        if (t != out)
            vec_push(&rest, t);
    struct history part;
    struct err err = {0};
    txn_id *origin = mem_alloc(h->n_txns, sizeof *origin);
    const struct subhistory_selection selection = {
        .txns = rest.at, .n = rest.n, .inconsistent = is_flaw(a)};
    CHECK(subhistory_make(h, &selection, &part, origin, &err));
    bool violated = is_violated(&part, level);
    // A transaction that now only loads initial values is not what it was.
    for (txn_id t = 0; t < part.n_txns; t++)
        violated = violated && part.txn_status[t] != TXN_LOADING;
    history_free(&part);
    mem_free(origin);
    vec_free(&rest);
    return violated;
}

/* Check h against the level and explain; false where it holds.  Every
 * violation has an anomaly, however small the budget is. */
static inline bool
explain_within(double seconds, const struct history *h, enum level level,
               size_t most, struct explanation *out)
{
    struct check c;
    struct err err = {0};
    const struct check_options options = {.levels = 1u << level,
                                          .threads = 1,
                                          .most_flaws = 20,
                                          .strong = strong_defaults};
    const struct explain_options how = {
        .most = most,
        .work = seconds > 0 ? (uint64_t)(seconds * (double)BUDGET_SECOND) : 0,
        .context = 4,
        .threads = 1,
        .strong = strong_defaults};
    CHECK(check_history(h, &options, &c, &err));
    const struct level_result *r = &c.results.at[0];
    const bool violated = r->certificate.verdict == VERDICT_VIOLATED;
    if (violated) {
        CHECK(explain_result(h, &c, r, &how, out, &err));
        CHECK(out->anomalies.n >= 1 && out->anomalies.n <= most);
    }
    check_free(&c);
    return violated;
}

static inline bool
explain(const struct history *h, enum level level, size_t most,
        struct explanation *out)
{
    return explain_within(100, h, level, most, out);
}

/* --- properties ------------------------------------------------------------*/

static inline void
check_edges(const struct anomaly *a)
{
    for (size_t i = 0; i < a->edges.n; i++) {
        const struct anomaly_edge *e = &a->edges.at[i];
        CHECK(e->from < a->txns.n && e->to < a->txns.n && e->reason);
        CHECK(e->from_op == ANOMALY_NONE ||
              e->from_op < a->txns.at[e->from].n_ops);
        CHECK(e->to_op == ANOMALY_NONE || e->to_op < a->txns.at[e->to].n_ops);
    }
    for (size_t i = 0; i < a->cycle.n; i++)
        CHECK(a->edges.at[a->cycle.at[i]].to ==
              a->edges.at[a->cycle.at[(i + 1) % a->cycle.n]].from);
    CHECK(a->steps.n && *a->headline && *a->story);
}

static inline void
check_anomaly(const struct anomaly *a, enum level level)
{
    check_edges(a);
    CHECK(!a->unfinished);
    CHECK(a->reduced.key_is_list ? a->involved <= a->reduced.n_txns
                                 : a->involved == a->reduced.n_txns);
    CHECK(is_violated(&a->reduced, level));
    // The list of a flaw is one, and not made of parts.
    if (is_flaw(a) && a->reduced.key_is_list)
        return;
    struct history involved;
    take_blamed(a, &involved);
    for (int l = 0; l < LEVELS; l++)
        if (a->holds >> l & 1)
            CHECK(!is_violated(&involved, (enum level)l));
        else if (a->violated >> l & 1 && !is_flaw(a))
            CHECK(is_violated(&involved, (enum level)l));
    // What an inconsistent read violates is read consistency.
    const enum level least = is_flaw(a) ? LEVEL_READS : level;
    for (txn_id t = 0; t < involved.n_txns; t++)
        CHECK(!is_violated_without(a, &involved, t, least));
    history_free(&involved);
}

#endif
