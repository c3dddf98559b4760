/* explain.c -- see explain.h.
 *
 * Inconsistent reads come first: they are the simplest to understand.  Then
 * cycles: at the weak levels one per component, by weak_witnesses; at the
 * strong ones what the certificate rests on, and then, as long as the budget
 * lasts and more are wanted, what the rest of the history violates without the
 * transactions shown so far.
 *
 * A violation of a strong level is often one of a weaker level, too, and that
 * is simpler to explain: a transaction that reads half of another one should
 * not be shown as a cycle that no serial order allows.  So the reduced history
 * is explained at the weakest level that it violates.
 *
 * SPDX-License-Identifier: MIT */
#include "explain/explain.h"

#include "explain/explain_case.h"
#include "explain/narrate/narrate_anomaly.h"
#include "explain/narrate/narrate_brief.h"
#include "explain/narrate/narrate_flaw.h"
#include "explain/reduce/core.h"
#include "explain/reduce/reduce.h"
#include "explain/reduce/subhistory.h"

#include <stdlib.h>

enum {
    FEW_OPS = 100000,
    // Checking the rest of a history once more takes so many times as long as
    // checking it did, because the rest has to be made first.
    AGAIN = 8,
};

// Steps of a budget: a check that may be repeated several times; the search for
// fewer transactions; the levels of a reduced history, which are always
// decided; cycles where inconsistent reads have been found.
#define CHEAP (BUDGET_SECOND / 4)
#define FURTHER BUDGET_SECOND
#define JUDGING BUDGET_SECOND
#define BESIDE_FLAWS (2 * BUDGET_SECOND)

struct explainer {
    const struct history *h;
    const struct explain_options *o;
    struct explanation *out;
    struct reduce_options reduce; // with 'budget'
    struct budget budget;
    u32_vec shown;    // transactions of the anomalies so far
    bool thorough;    // checking all of h again is cheap
    uint64_t another; // steps that finding one more is likely to take
};

static void
anomaly_free(struct anomaly *a)
{
    history_free(&a->reduced);
    vec_free(&a->txns);
    vec_free(&a->edges);
    vec_free(&a->cycle);
    vec_free(&a->steps);
    arena_free(&a->arena);
}

void
explanation_free(struct explanation *e)
{
    for (size_t i = 0; i < e->anomalies.n; i++)
        anomaly_free(&e->anomalies.at[i]);
    vec_free(&e->anomalies);
}

/* --- anomalies -------------------------------------------------------------*/

static void
add_anomaly(struct explainer *e, struct reduced *r, enum level asked,
            enum level weakest, const struct judgement *judgement)
{
    struct anomaly a;
    narrate_anomaly(e->h, r, asked, weakest, judgement, e->o->context, &a);
    vec_push(&e->out->anomalies, a);
}

static bool
is_shown(const struct explainer *e, txn_id t)
{
    for (size_t i = 0; i < e->shown.n; i++)
        if (e->shown.at[i] == t)
            return true;
    return false;
}

/* All transactions, or all that count. */
static void
take_all(const struct history *h, bool counting, u32_vec *out)
{
    vec_clear(out);
    for (txn_id t = 0; t < h->n_txns; t++)
        if (!counting || h->txn_counts[t])
            vec_push(out, t);
}

/* Look beyond the evidence for an anomaly of fewer transactions, in histories
 * where that is cheap; not among those already shown. */
static bool
shrink_further(struct explainer *e, enum level level, struct reduced *r,
               struct err *err)
{
    if (!e->thorough || r->h.n_txns <= 2)
        return true;
    u32_vec all = {0}, rest = {0};
    take_all(e->h, true, &all);
    for (size_t i = 0; i < all.n; i++)
        if (!is_shown(e, all.at[i]))
            vec_push(&rest, all.at[i]);
    struct budget some = budget_take(&e->budget, FURTHER);
    struct reduce_options soon = e->reduce;
    soon.budget = &some;
    const bool ok = reduce_further(e->h, &rest, level, &soon, r, err);
    budget_give_back(&e->budget, &some);
    vec_free(&all);
    vec_free(&rest);
    return ok;
}

/* Which levels the reduced history violates, whatever is left of the budget. */
static struct judgement
judge(struct explainer *e, const struct reduced *r, enum level asked)
{
    const level_set all = level_untimed() & level_ordered();
    struct budget some = {.left = JUDGING};
    struct reduce_options soon = e->reduce;
    soon.budget = &some;
    struct judgement out = reduce_judge(&r->h, all | level_bit(asked), &soon);
    out.violated |= level_bit(asked);
    out.holds &= ~out.violated;
    assert(level_set_has(out.violated, asked));
    return out;
}

static bool
is_new(const struct explainer *e, const struct reduced *r)
{
    for (size_t i = 0; i < r->origin.n; i++)
        if (!is_shown(e, r->origin.at[i]))
            return true;
    return false;
}

/* Take out the operations that do not matter, and narrate the rest. */
static bool
explain_reduced(struct explainer *e, struct reduced *r, enum level level,
                struct err *err)
{
    struct judgement judgement = judge(e, r, level);
    enum level weakest = level;
    for (int l = LEVELS - 1; l >= 0; l--)
        if (level_set_has(judgement.violated & level_implied(level),
                          (enum level)l))
            weakest = (enum level)l;
    const txn_id n = r->h.n_txns;
    if (!reduce_ops(e->h, r, weakest, &e->reduce, err))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!is_shown(e, r->origin.at[i]))
            vec_push(&e->shown, r->origin.at[i]);
    judgement = judge(e, r, level);
    add_anomaly(e, r, level, weakest, &judgement);
    return true;
}

/* Reduce the core and narrate what is left; *found: whether it violates. */
static bool
explain_core(struct explainer *e, const u32_vec *core, enum level level,
             bool *found, struct err *err)
{
    struct reduced r;
    *found = false;
    if (!core->n)
        return true;
    if (!reduce_txns(e->h, core, level, &e->reduce, &r, err)) {
        e->out->cut_short |= r.unfinished;
        return err->kind == ERR_NONE;
    }
    *found = true;
    const bool ok = shrink_further(e, level, &r, err) &&
                    (!is_new(e, &r) || explain_reduced(e, &r, level, err));
    reduced_free(&r);
    return ok;
}

static bool
may_go_on(const struct explainer *e)
{
    e->out->capped = e->out->anomalies.n >= e->o->most;
    if (!e->out->anomalies.n || e->out->capped)
        return !e->out->anomalies.n;
    if (e->another >= e->budget.left)
        e->out->cut_short = true;
    return !e->out->cut_short;
}

/* One anomaly per component that has a cycle. */
static bool
explain_weak(struct explainer *e, enum level level, struct err *err)
{
    cycle_vec cycles = {0};
    const struct weak_options weak = {.threads = e->o->threads,
                                      .budget = &e->budget};
    if (!may_go_on(e))
        return true;
    weak_witnesses(e->h, level, &weak, e->o->most, &cycles);
    if (!cycles.n && budget_is_spent(&e->budget))
        e->out->cut_short = true;
    txn_id *owners = core_owners(e->h);
    u32_vec core = {0};
    bool ok = true, found;
    for (size_t i = 0; ok && i < cycles.n && may_go_on(e); i++) {
        core_of_cycle(e->h, owners, &cycles.at[i], &core);
        ok = explain_core(e, &core, level, &found, err);
    }
    for (size_t i = 0; i < cycles.n; i++)
        cycle_free(&cycles.at[i]);
    vec_free(&cycles);
    vec_free(&core);
    mem_free(owners);
    return ok;
}

/* Show the core as it is, or everything where it is not a proper part. */
static bool
show_unreduced(struct explainer *e, u32_vec *core, enum level level,
               struct err *err)
{
    for (;;) {
        struct reduced r = {.unfinished = true};
        const struct subhistory_selection selection = {.txns = core->at,
                                                       .n = core->n};
        vec_grow(&r.origin, core->n);
        const bool ok =
            subhistory_make(e->h, &selection, &r.h, r.origin.at, err);
        const bool done =
            !ok || core->n == e->h->n_txns || reduced_is_proper(e->h, &r);
        if (ok && done)
            add_anomaly(e, &r, level, level,
                        &(struct judgement){.violated = level_bit(level)});
        reduced_free(&r);
        if (done)
            return ok;
        take_all(e->h, false, core);
    }
}

/* Where the core is too large to be read and a transaction contradicts itself,
 * narrate that instead of reducing the core. */
static bool
explain_contradiction(struct explainer *e, const u32_vec *core,
                      enum level level, bool *found, struct err *err)
{
    struct row_contradiction c;
    struct reduced r;
    *found = core->n > MODEL_MOST_TXNS && level_repeats_reads(level) &&
             row_contradiction_find(e->h, &e->budget, &c);
    if (!*found)
        return true;
    if (!row_contradiction_reduce(e->h, &c, level, &e->reduce, &r, err))
        return false;
    *found = reduced_is_proper(e->h, &r);
    if (*found) {
        const struct judgement judgement = reduce_judge(
            &r.h, level_bit(level_lowest(level_ordered())), &e->reduce);
        vec_push(&e->shown, c.txn);
        add_anomaly(e, &r, level, level, &judgement);
    }
    reduced_free(&r);
    return true;
}

/* The transactions of the evidence violate the level by themselves.  The
 * exception is a transaction that would become part of the loading without what
 * came before it in its session (reduce.h): then everything that counts may do,
 * and everything there is does.  Where the budget does not suffice to see any
 * of this, the evidence is shown. */
static bool
explain_evidence(struct explainer *e, enum level level,
                 const struct certificate *evidence, struct err *err)
{
    u32_vec named = {0}, core = {0};
    bool found;
    txn_id *owners = core_owners(e->h);
    core_of_certificate(e->h, owners, evidence, &named);
    mem_free(owners);
    bool ok = explain_contradiction(e, &named, level, &found, err);
    if (ok && !found)
        ok = explain_core(e, &named, level, &found, err);
    for (int counting = 1; ok && !found && counting >= 0; counting--) {
        take_all(e->h, counting, &core);
        ok = explain_core(e, &core, level, &found, err);
    }
    if (ok && !found)
        ok = show_unreduced(e, &named, level, err);
    vec_free(&named);
    vec_free(&core);
    return ok;
}

/* What the certificate rests on; then what the rest violates without it. */
static bool
explain_certificate(struct explainer *e, enum level level,
                    const struct certificate *evidence, struct err *err)
{
    u32_vec core = {0}, rest = {0};
    bool ok = true, found = true;
    if (evidence->kind != EVIDENCE_FLAW && may_go_on(e))
        ok = explain_evidence(e, level, evidence, err);
    while (ok && found && may_go_on(e)) {
        vec_clear(&rest);
        take_all(e->h, true, &core);
        for (size_t i = 0; i < core.n; i++)
            if (!is_shown(e, core.at[i]))
                vec_push(&rest, core.at[i]);
        ok = explain_core(e, &rest, level, &found, err);
    }
    vec_free(&core);
    vec_free(&rest);
    return ok;
}

/* Flaws of different kinds first, and then of different keys; what is the same
 * again is counted. */
static bool
is_news(const struct history *h, const flaw_vec *flaws, size_t i, int round)
{
    const struct flaw *f = &flaws->at[i];
    int seen = 0;
    for (size_t j = 0; j < i; j++) {
        const struct flaw *other = &flaws->at[j];
        if (other->kind == f->kind)
            seen = seen > 1 || op_key(h, other->op) == op_key(h, f->op) ? 2 : 1;
    }
    return seen == round;
}

static bool
explain_flaws(struct explainer *e, const flaw_vec *flaws, size_t n_flaws,
              enum level level, struct err *err)
{
    size_t shown = 0;
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < flaws->n; i++) {
            if (e->out->anomalies.n >= e->o->most ||
                !is_news(e->h, flaws, i, round))
                continue;
            struct anomaly a;
            if (!narrate_flaw(e->h, &flaws->at[i], level, e->o->context, &a,
                              err))
                return false;
            vec_push(&e->out->anomalies, a);
            shown++;
        }
    e->out->more = n_flaws - shown;
    return true;
}

/* The inconsistent reads that a level sees: those of the check, or, where it
 * sees constraint checks as well, these among them. */
static bool
explain_seen_flaws(struct explainer *e, const struct check *c, enum level level,
                   struct err *err)
{
    flaw_vec all = {0};
    if (!e->h->unchecked)
        return explain_flaws(e, &c->flaws, c->n_flaws, level, err);
    const size_t n = history_flaws(e->h, e->o->most, &all);
    const bool ok = explain_flaws(e, &all, n, level, err);
    vec_free(&all);
    return ok;
}

/* --- all of it -------------------------------------------------------------*/

static int
rank_of(enum anomaly_kind kind)
{
    int i = 0;
    while (anomaly_order[i] != kind)
        i++;
    return i;
}

static int
compare_anomalies(const void *a, const void *b)
{
    const struct anomaly *x = a, *y = b;
    return x->kind != y->kind           ? rank_of(x->kind) - rank_of(y->kind)
           : x->involved != y->involved ? (x->involved < y->involved ? -1 : 1)
                                        : strcmp(x->headline, y->headline);
}

bool
explain_result(const struct history *h, const struct check *c,
               const struct level_result *r, const struct explain_options *o,
               struct explanation *out, struct err *err)
{
    assert(r->certificate.verdict == VERDICT_VIOLATED);
    *out = (struct explanation){.level = r->level};
    if (r->certificate.kind == EVIDENCE_CASES)
        return explain_case(h, r, o, out, err);
    h = history_seen(h, level_takes_checks(r->level));
    struct explainer e = {.h = h,
                          .o = o,
                          .out = out,
                          .budget = {.left = o->work + r->work},
                          .another = AGAIN * r->work,
                          .thorough = h->n_ops <= FEW_OPS && r->work < CHEAP,
                          .reduce = {o->threads, NULL, o->strong}};
    e.reduce.budget = &e.budget;
    bool ok = explain_seen_flaws(&e, c, r->level, err);
    if (out->anomalies.n && o->work > BESIDE_FLAWS)
        e.budget.left -= o->work - BESIDE_FLAWS;
    if (ok && level_is_weak(r->level))
        ok = explain_weak(&e, r->level, err);
    if (ok && !level_is_orderless(r->level) &&
        (level_is_strong(r->level) || !out->anomalies.n))
        ok = explain_certificate(&e, r->level, check_evidence(c, r), err);
    if (ok && out->anomalies.n > 1)
        qsort(out->anomalies.at, out->anomalies.n, sizeof *out->anomalies.at,
              compare_anomalies);
    assert(!ok || out->anomalies.n); // there is no violation without an anomaly
    assert(ok || err->kind != ERR_NONE);
    for (size_t i = 0; ok && i < out->anomalies.n; i++) {
        narrate_brief(&out->anomalies.at[i]);
        assert(level_set_has(out->anomalies.at[i].violated, r->level));
        assert(!(out->anomalies.at[i].violated & out->anomalies.at[i].holds));
    }
    vec_free(&e.shown);
    if (!ok)
        explanation_free(out);
    return ok;
}
