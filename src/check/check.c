/* check.c -- see check.h.
 *
 * Inconsistent reads come first: with one of them every level is violated, and
 * the strong engine does not run.  The weak engine decides all its levels in
 * one go, because they share most of the work.
 *
 * Strong levels take turns, the strongest first: those that follow from one
 * that holds get its order as a certificate.  The levels of a turn do not
 * follow from each other, so certificates do not depend on threads.
 *
 * Under limits, a level is decided and verified in one try (limit.h).  A level
 * that has reached a limit may still follow from another one.
 *
 * SPDX-License-Identifier: MIT */
#include "check/check.h"

#include "base/limits/context.h"
#include "base/parallel.h"
#include "check/cases.h"
#include "check/convert.h"
#include "check/ladder/ladder.h"
#include "check/lattice.h"
#include "check/reason.h"
#include "history/flaw_text.h"
#include "history/partial.h"
#include "history/tested.h"
#include "level/names.h"
#include "strong/z3_opinion.h"
#include "verify/verify.h"

#include <stdio.h>

enum { REASON = sizeof(((struct level_result *)0)->reason) };

struct check_run {
    const struct history *h;
    const struct check_options *options;
    struct check *out;
    level_set holding; // strong levels that hold, of the turns so far
    double began;      // the try that is under way
    char gaps[REASON]; // what was not recorded; "" where everything was
    char lost[REASON]; // why nothing can be known to hold; "" where it can
    struct err *err;
};

/* The history as a level sees it. */
static const struct history *
seen_at(const struct check_run *run, enum level level)
{
    return history_seen(run->h, level_takes_checks(level));
}

static struct level_result *
find_row(const struct check_run *run, enum level level)
{
    assert(level < LEVELS);
    for (size_t i = 0; i < run->out->results.n; i++)
        if (run->out->results.at[i].level == level)
            return &run->out->results.at[i];
    return NULL;
}

static void
add_rows(struct check *out, level_set levels)
{
    for (int l = 0; l < LEVELS; l++)
        if (level_set_has(levels, (enum level)l))
            vec_push(&out->results,
                     ((struct level_result){
                         .level = (enum level)l,
                         .by = (enum level)l,
                         .certificate = {.level = (enum level)l,
                                         .verdict = VERDICT_UNKNOWN}}));
}

/* --- limits ----------------------------------------------------------------
 */

/* Begin to work for r.  True: go on, and call end_work.  False: the limit was
 * reached, and r says which one. */
static bool
begin_work(struct check_run *run, struct level_result *r, const char *phase)
{
    const struct limits *l = &run->options->limits;
    if (!limits_set(l))
        return true;
    run->began = time_now();
    if (limit_try(l, r->spent, phase, &r->stop))
        return true;
    r->spent += time_now() - run->began;
    return false;
}

static void
end_work(struct check_run *run, struct level_result *r)
{
    if (!limits_set(&run->options->limits))
        return;
    limit_end();
    r->spent += time_now() - run->began;
}

/* --- observers -------------------------------------------------------------
 */

static void
report_phase(const struct check_run *run, enum level level, const char *phase)
{
    const struct check_observer *o = &run->options->observer;
    if (o->phase)
        o->phase(o->self, level, phase);
}

static void
report_decided(const struct check_run *run, struct level_result *r)
{
    const struct check_observer *o = &run->options->observer;
    if (run->gaps[0] && r->certificate.verdict == VERDICT_OK)
        memcpy(r->reason, run->gaps, sizeof r->reason);
    if (o->decided && r->certificate.verdict != VERDICT_UNKNOWN)
        o->decided(o->self, r);
}

/* --- engines ---------------------------------------------------------------
 */

/* The budget of a level. */
static struct budget
budget_of(const struct check_run *run)
{
    const uint64_t work = run->options->work;
    return (struct budget){work ? work : UINT64_MAX, run->options->until};
}

static void
drop_evidence(struct level_result *r)
{
    certificate_free(&r->certificate);
    r->certificate.level = r->level;
    r->verified = false;
    assert(r->certificate.verdict == VERDICT_UNKNOWN);
}

/* Where the recording was cut, and a transaction read what none is recorded to
 * have written, nothing is known to hold: its writer may be lost.  Nor does a
 * level hold of a history that tests nothing (history/tested.h). */
static void
find_losses(struct check_run *run)
{
    flaw_vec lost = {0};
    const size_t n = history_lost_reads(run->h, 1, &lost);
    if (n) {
        struct buf flaw = {0};
        flaw_tell(run->h, &lost.at[0], &flaw);
        snprintf(run->lost, sizeof run->lost, "%s, %s%s",
                 run->h->n_skipped
                     ? "the log has operations that were skipped; without them"
                     : "the recording was cut; as far as it goes",
                 flaw.at, n > 1 ? ", and there are more such reads" : "");
        buf_free(&flaw);
    } else if (run->h->is_cut && !run->h->n_txns) {
        snprintf(run->lost, sizeof run->lost,
                 "the recording was cut before its first transaction");
    } else if (!run->options->is_part && !history_is_tested(run->h)) {
        snprintf(run->lost, sizeof run->lost, "%s", HISTORY_UNTESTED);
    }
    vec_free(&lost);
}

/* Downgrade r to unknown if the recording lost writers; then verify its
 * certificate with independent code. */
static bool
verify_row(struct check_run *run, struct level_result *r)
{
    if (run->lost[0] && r->certificate.verdict == VERDICT_OK) {
        drop_evidence(r);
        memcpy(r->reason, run->lost, sizeof r->reason);
    }
    assert(r->certificate.level == r->level);
    assert(r->certificate.verdict != VERDICT_OK || !run->lost[0]);
    if (!run->options->verify || r->certificate.verdict == VERDICT_UNKNOWN)
        return true;
    struct err why = {0};
    context_phase("verifying");
    report_phase(run, r->level, "verifying");
    const double begin = time_thread();
    r->verified = verify_certificate(run->h, &r->certificate, &why);
    r->verify_seconds = time_thread() - begin;
    return r->verified ||
           err_set(run->err, ERR_INTERNAL,
                   "bug in assay: the certificate for %s does not hold: %s",
                   level_table[r->level].brief, why.text);
}

/* Cross-check with Z3 the verdict of the strong engine on a level. */
static bool
ask_z3(const struct check_run *run, const struct level_result *r)
{
    if (!run->options->ask_z3 || !level_is_strong(r->level) ||
        level_table[r->level].one_rw || r->certificate.kind == EVIDENCE_FLAW)
        return true;
    enum verdict other;
    assert(level_sees_prefix(r->level));
    if (!z3_opinion(seen_at(run, r->level), r->level,
                    run->options->limits.seconds, &other, run->err))
        return false;
    const enum verdict own = r->certificate.verdict;
    return own == other || own == VERDICT_UNKNOWN || other == VERDICT_UNKNOWN ||
           err_set(run->err, ERR_INTERNAL,
                   "bug in assay: Z3 comes to another verdict at %s",
                   level_table[r->level].brief);
}

/* Decide these weak levels in one child process; its time is charged to
 * 'charged_row', the row of one of them. */
static bool
decide_weak(struct check_run *run, level_set levels,
            struct level_result *charged_row)
{
    assert(levels && !(levels & ~level_weak()));
    if (!begin_work(run, charged_row, "deciding")) {
        for (size_t i = 0; i < run->out->results.n; i++)
            if (level_set_has(levels, run->out->results.at[i].level))
                run->out->results.at[i].stop = charged_row->stop;
        return true;
    }
    struct certificate certificates[LEVELS] = {0};
    struct ladder_stats stats = {0};
    for (int l = 0; l < LEVELS; l++)
        if (level_set_has(levels, (enum level)l))
            report_phase(run, (enum level)l, "deciding");
    const unsigned threads = run->options->threads;
    const double begin = time_work(threads);
    struct budget budget = budget_of(run);
    ladder_decide(seen_at(run, level_highest(levels)), run->options,
                  run->out->n_flaws > 0, levels, &budget, certificates, &stats);
    const double seconds = time_work(threads) - begin;
    assert(budget.left <= budget_of(run).left);
    bool ok = true;
    for (int l = 0; l < LEVELS; l++) {
        if (!level_set_has(levels, (enum level)l))
            continue;
        struct level_result *r = find_row(run, (enum level)l);
        assert(certificates[l].level == (enum level)l);
        r->certificate = certificates[l];
        r->seconds = seconds;
        r->work = budget_of(run).left - budget.left;
        r->ladder = stats;
        ok = ok && verify_row(run, r);
    }
    end_work(run, charged_row);
    for (int l = 0; ok && l < LEVELS; l++)
        if (level_set_has(levels, (enum level)l))
            report_decided(run, find_row(run, (enum level)l));
    return ok;
}

/* All weak levels together, or, where that reaches a limit, those that are left
 * one by one, each with its own time. */
static bool
decide_weak_levels(struct check_run *run, level_set levels)
{
    if (!levels)
        return true;
    const enum level strongest = level_highest(levels);
    struct level_result *charged_row = find_row(run, strongest);
    assert(charged_row && charged_row->level == strongest);
    charged_row->spent = run->out->results.at[0].spent; // so far
    bool ok = decide_weak(run, levels, charged_row);
    for (int l = (int)strongest - 1; ok && charged_row->stop.kind && l >= 0;
         l--) {
        struct level_result *r = find_row(run, (enum level)l);
        if (!level_set_has(levels, (enum level)l))
            continue;
        r->stop = (struct limit_stop){0};
        r->spent = 0;
        ok = decide_weak(run, level_bit((enum level)l), r);
        if (r->certificate.verdict == VERDICT_OK)
            break; // and so do the weaker ones
    }
    return ok;
}

/* Try the order that the timestamps claim, if there are some. */
static bool
explained_by_claim(struct check_run *run, struct level_result *r)
{
    struct buf why = {0};
    struct certificate certificate;
    if (!run->h->txn_commit_ts || run->lost[0])
        return false;
    r->claim =
        claimed_order_try(seen_at(run, r->level), r->level, &certificate, &why);
    snprintf(r->claim_reason, sizeof r->claim_reason, "%s",
             why.n ? why.at : "");
    buf_free(&why);
    if (r->claim == CLAIM_HOLDS)
        r->certificate = certificate;
    assert(r->claim != CLAIM_HOLDS || r->certificate.verdict == VERDICT_OK);
    return r->claim == CLAIM_HOLDS;
}

/* Derive r from a stronger level that holds.  Where timestamps claim an order,
 * each level reports whether the claimed order explains it. */
static bool
follows(struct check_run *run, struct level_result *r)
{
    int by = LEVELS - 1;
    assert(level_is_strong(r->level));
    assert(r->certificate.verdict == VERDICT_UNKNOWN);
    while (by >= 0 && !(level_set_has(run->holding, (enum level)by) &&
                        level_implies((enum level)by, r->level)))
        by--;
    if (by < 0 || run->h->txn_commit_ts)
        return false;
    const double begin = time_thread();
    const bool ok =
        lattice_follow(run->h, run->options, find_row(run, (enum level)by), r);
    r->seconds = time_thread() - begin;
    return ok;
}

/* Find an inconsistent read that a level sees; false if there is none.  Those
 * of constraint checks are not among the flaws of all levels. */
static bool
find_flaw(const struct check_run *run, enum level level, struct flaw *out)
{
    flaw_vec checks = {0};
    const flaw_vec *all = &run->out->flaws;
    if (!all->n && run->h->unchecked)
        history_flaws(seen_at(run, level), 1, &checks);
    if (!all->n)
        all = &checks;
    const bool found = all->n;
    if (found)
        *out = all->at[0];
    vec_free(&checks);
    return found;
}

/* Decide r with the strong engine, in one try. */
static bool
decide_by_engine(struct check_run *run, struct level_result *r)
{
    struct flaw flaw;
    const bool has_flaw = find_flaw(run, r->level, &flaw);
    if (has_flaw)
        r->certificate = (struct certificate){.level = r->level,
                                              .verdict = VERDICT_VIOLATED,
                                              .kind = EVIDENCE_FLAW,
                                              .flaw = flaw};
    if (!begin_work(run, r, "deciding")) {
        drop_evidence(r);
        return true;
    }
    report_phase(run, r->level, "deciding");
    const double begin = time_thread();
    struct budget budget = budget_of(run);
    if (!has_flaw && !explained_by_claim(run, r)) {
        struct certificate found[LEVELS] = {0};
        ladder_decide(seen_at(run, r->level), run->options, false,
                      level_bit(r->level), &budget, found, &r->ladder);
        r->certificate = found[r->level];
        assert(r->certificate.level == r->level);
    }
    r->seconds = time_thread() - begin;
    r->work = budget_of(run).left - budget.left;
    const bool ok = verify_row(run, r);
    end_work(run, r);
    return ok;
}

static bool
decide_strong(struct check_run *run, struct level_result *r)
{
    const bool ok =
        (follows(run, r) || decide_by_engine(run, r)) && ask_z3(run, r);
    if (ok)
        report_decided(run, r);
    return ok;
}

/* --- several levels --------------------------------------------------------
 */

/* The weak levels are one level_group of the work, and each strong level is
 * another.
 */
struct level_group {
    struct check_options options;
    struct check_run run;
    level_set levels;
    struct err err;
    bool ok;
};

static void
decide_group(void *self, size_t i)
{
    struct level_group *p = (struct level_group *)self + i;
    assert(p->levels && p->run.options == &p->options);
    if (p->levels & level_weak())
        p->ok = decide_weak_levels(&p->run, p->levels);
    else
        p->ok =
            decide_strong(&p->run, find_row(&p->run, level_lowest(p->levels)));
}

static void
add_group(const struct check_run *run, level_set levels, struct level_group *p)
{
    *p = (struct level_group){
        .options = *run->options, .run = *run, .levels = levels};
    p->options.threads = 1;
    p->run.options = &p->options;
    p->run.err = &p->err;
}

/* Decide the levels on several threads.  Groups share the history, which does
 * not change, and each writes to its own rows. */
static bool
decide_together(struct check_run *run, level_set levels)
{
    struct level_group groups[LEVELS];
    size_t n = 0;
    if (levels & level_weak())
        add_group(run, levels & level_weak(), &groups[n++]);
    for (int l = 0; l < LEVELS; l++)
        if (level_set_has(levels, (enum level)l) &&
            level_is_strong((enum level)l))
            add_group(run, level_bit((enum level)l), &groups[n++]);
    assert(n <= LEVELS);
    parallel_for(run->options->threads, n, decide_group, groups);
    for (size_t i = 0; i < n; i++)
        if (!groups[i].ok) {
            *run->err = groups[i].err;
            return false;
        }
    return true;
}

/* Whether several levels can be decided at once.  Limits are kept by processes,
 * which threads would get in the way of; a context reports phases one at a
 * time; and Z3 is loaded by the first that asks it. */
static bool
can_decide_together(const struct check_run *run, level_set levels)
{
    const size_t groups = ((levels & level_weak()) != 0) +
                          (size_t)__builtin_popcount(levels & ~level_weak());
    return run->options->threads > 1 && groups > 1 &&
           !limits_set(&run->options->limits) && !run->options->ask_z3 &&
           !context_current();
}

static bool
decide_one_by_one(struct check_run *run, level_set levels)
{
    bool ok = decide_weak_levels(run, levels & level_weak());
    for (int l = 0; ok && l < LEVELS; l++)
        if (level_set_has(levels, (enum level)l) &&
            level_is_strong((enum level)l))
            ok = decide_strong(run, find_row(run, (enum level)l));
    return ok;
}

/* Decide all levels, in turns: the weak ones go with the first. */
static bool
decide_levels(struct check_run *run, level_set levels)
{
    const bool together = can_decide_together(run, levels);
    level_set left = levels & ~level_weak();
    level_set turn = (levels & level_weak()) | level_strongest(left);
    bool ok = true;
    while (ok && turn) {
        ok = together ? decide_together(run, turn)
                      : decide_one_by_one(run, turn);
        for (int l = 0; l < LEVELS; l++)
            if (level_set_has(turn & left, (enum level)l) &&
                find_row(run, (enum level)l)->certificate.verdict == VERDICT_OK)
                run->holding |= level_bit((enum level)l);
        assert(!(run->holding & ~levels));
        left &= ~turn;
        turn = level_strongest(left);
    }
    assert(!ok || !left);
    return ok;
}

/* Look for inconsistent reads; false where a limit was reached, and then no
 * level is decided. */
static bool
find_flaws(struct check_run *run)
{
    struct check *out = run->out;
    const size_t most = run->options->most_flaws ? run->options->most_flaws : 1;
    struct level_result *first = &out->results.at[0];
    if (!begin_work(run, first, "looking for inconsistent reads")) {
        for (size_t i = 1; i < out->results.n; i++)
            out->results.at[i].stop = first->stop;
        return false;
    }
    out->n_flaws =
        history_flaws(history_seen(run->h, false), most, &out->flaws);
    find_losses(run);
    partial_tell(run->h, run->gaps, REASON);
    end_work(run, first);
    return true;
}

/* --- all of it -------------------------------------------------------------
 */

/* Check a history with open authors, in one try for all levels. */
static bool
check_by_cases(const struct history *h, const struct check_options *options,
               level_set levels, struct check *out, struct err *err)
{
    const struct limits *l = &options->limits;
    struct check_options each = *options;
    struct limit_stop stop;
    each.levels = levels;
    each.limits = (struct limits){0};
    each.observer = (struct check_observer){0}; // cases are no verdicts
    // The time of all levels together, of which the first has spent some.
    const double more = (__builtin_popcount(levels) - 1) * l->seconds;
    if (limits_set(l) &&
        !limit_try(l, options->spent - more, "deciding", &stop)) {
        const struct check before = *out;
        check_nothing(&each, &stop, out);
        out->all = before.all;
        out->skipped = before.skipped;
        return true;
    }
    const bool ok = check_cases(h, &each, out, err);
    assert(ok || err->kind != ERR_NONE);
    assert(!ok || lattice_is_sound(&each, out));
    limit_end();
    if (ok)
        reason_gaps(h, out);
    else
        check_free(out);
    return ok;
}

bool
check_history(const struct history *h, const struct check_options *options,
              struct check *out, struct err *err)
{
    assert(h->txn_counts); // resolved
    *out = (struct check){.all = options->levels & LEVEL_SET_ALL};
    level_set levels = options->levels & ~LEVEL_SET_ALL;
    if (!h->txn_began && out->all)
        levels &= ~(out->skipped = level_strict());
    if ((levels & level_strict()) && !h->txn_began)
        return err_set(err, ERR_USAGE,
                       "strict levels need begin and end times, and this "
                       "history has none");
    if (h->authors.n)
        return check_by_cases(h, options, levels, out, err);
    add_rows(out, levels);
    if (!out->results.n)
        return true;
    struct check_run run = {.h = h, .options = options, .out = out, .err = err};
    out->results.at[0].spent = options->spent;
    if (!find_flaws(&run)) {
        reason_limits(out);
        return true;
    }
    const bool ok = decide_levels(&run, levels);
    assert(ok || err->kind != ERR_NONE);
    if (ok) {
        lattice_derive(h, options, out);
        reason_limits(out);
        reason_gaps(h, out);
        assert(lattice_is_sound(options, out));
    } else {
        check_free(out);
    }
    return ok;
}

void
check_nothing(const struct check_options *options,
              const struct limit_stop *stop, struct check *out)
{
    *out = (struct check){.all = options->levels & LEVEL_SET_ALL};
    add_rows(out, options->levels & ~LEVEL_SET_ALL);
    for (size_t i = 0; i < out->results.n; i++)
        out->results.at[i].stop = *stop;
    reason_limits(out);
}
