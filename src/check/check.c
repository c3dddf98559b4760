/* check.c -- see check.h.
 *
 * Inconsistent reads come first: with one of them every level is violated, and
 * the strong engine is not asked.  The weak engine decides all its levels in
 * one go, because they share most of the work.
 *
 * Where values repeat, the weak levels are a search too, and sometimes a hard
 * one although a stronger level is easy: whatever satisfies pc satisfies them
 * with the same order and the same choices.  So the weak engine gets a short
 * time, then the strong engine is asked for pc, and only then the weak engine
 * gets all the time there is.  The verdict does not depend on who was first.
 *
 * SPDX-License-Identifier: MIT */
#include "check/check.h"

#include "level/names.h"
#include "strong/second_opinion.h"
#include "verify/verify.h"

#include <stdio.h>

#define STRICT (1u << LEVEL_STRICT_SI | 1u << LEVEL_STRICT_SER)

struct run {
    const struct history *h;
    const struct check_options *options;
    struct check *out;
};

static struct limit
limit_from_now(const struct check_options *o)
{
    return (struct limit){.deadline =
                              o->timeout > 0 ? time_now() + o->timeout : 0,
                          .memory = o->memory};
}

static struct level_result *
add_result(struct run *run, enum level level)
{
    vec_push(&run->out->results, ((struct level_result){.level = level}));
    return &vec_top(&run->out->results);
}

static level_set
undecided(const struct certificate certificates[LEVELS], level_set levels)
{
    level_set left = 0;
    for (int l = 0; l < LEVELS; l++)
        if ((levels >> l & 1) && certificates[l].verdict == VERDICT_UNKNOWN)
            left |= 1u << l;
    return left;
}

/* The earlier of two deadlines, of which 0 is never. */
static struct limit
limit_earlier(struct limit limit, double deadline)
{
    if (limit.deadline <= 0 || deadline < limit.deadline)
        limit.deadline = deadline;
    return limit;
}

/* Try to settle levels up to cc by showing that pc holds. */
static void
settle_by_prefix(const struct run *run, level_set levels,
                 const struct limit *limit,
                 struct certificate certificates[LEVELS])
{
    struct certificate prefix = {0};
    strong_check(run->h, LEVEL_PC, &run->options->strong, limit, &prefix, NULL);
    for (int l = 0; prefix.verdict == VERDICT_OK && l < LEVELS; l++) {
        if (!(levels >> l & 1))
            continue;
        struct certificate *c = &certificates[l];
        certificate_free(c);
        *c = (struct certificate){.level = (enum level)l,
                                  .verdict = VERDICT_OK,
                                  .kind = EVIDENCE_ORDER};
        for (size_t i = 0; i < prefix.order.n; i++)
            if (prefix.order.at[i] % 2) // a commit
                vec_push(&c->order, prefix.order.at[i] / 2);
        for (size_t i = 0; i < prefix.choices.n; i++)
            vec_push(&c->choices, prefix.choices.at[i]);
    }
    certificate_free(&prefix);
}

static void
weak_portfolio(const struct run *run, level_set levels,
               struct certificate certificates[LEVELS],
               struct weak_stats *stats)
{
    const struct limit all = limit_from_now(run->options);
    struct weak_options weak = {run->options->threads, all};
    const double patience = 0.1 + 1e-6 * run->h->n_ops; // seconds
    if (run->h->several.n && !run->out->n_flaws)
        weak.limit = limit_earlier(all, time_now() + patience);
    weak_check(run->h, levels, &weak, certificates, stats);
    level_set left = undecided(certificates, levels);
    if (!left || weak.limit.deadline == all.deadline)
        return;
    const struct limit longer = limit_earlier(all, time_now() + 20 * patience);
    settle_by_prefix(run, left, &longer, certificates);
    left = undecided(certificates, levels);
    if (!left)
        return;
    for (int l = 0; l < LEVELS; l++)
        if (left >> l & 1)
            certificate_free(&certificates[l]);
    weak.limit = all;
    weak_check(run->h, left, &weak, certificates, stats);
}

static void
decide_weak(struct run *run)
{
    const level_set levels = run->options->levels & WEAK_LEVELS;
    if (!levels)
        return;
    struct certificate certificates[LEVELS] = {0};
    struct weak_stats stats = {0};
    const double begin = time_cpu();
    weak_portfolio(run, levels, certificates, &stats);
    const double seconds = time_cpu() - begin;
    for (int l = 0; l < LEVELS; l++) {
        if (!(levels >> l & 1))
            continue;
        struct level_result *r = add_result(run, (enum level)l);
        r->certificate = certificates[l];
        r->seconds = seconds;
        r->weak = stats;
    }
}

static void
decide_strong(struct run *run, enum level level)
{
    struct level_result *r = add_result(run, level);
    if (run->out->n_flaws) {
        r->certificate = (struct certificate){.level = level,
                                              .verdict = VERDICT_VIOLATED,
                                              .kind = EVIDENCE_FLAW,
                                              .flaw = run->out->flaws.at[0]};
        return;
    }
    const struct limit limit = limit_from_now(run->options);
    const double begin = time_cpu();
    strong_check(run->h, level, &run->options->strong, &limit, &r->certificate,
                 &r->strong);
    r->seconds = time_cpu() - begin;
}

/* Where the recording was cut, and somebody read what nobody is recorded to
 * have written, nothing is known to hold: who wrote it may be lost. */
static void
admit_losses(struct run *run)
{
    flaw_vec lost = {0};
    const size_t n = history_lost_reads(run->h, 1, &lost);
    for (size_t i = 0; n && i < run->out->results.n; i++) {
        struct level_result *r = &run->out->results.at[i];
        if (r->certificate.verdict != VERDICT_OK)
            continue;
        certificate_free(&r->certificate);
        r->certificate =
            (struct certificate){.level = r->level, .verdict = VERDICT_UNKNOWN};
        struct buf told = {0};
        flaw_tell(run->h, &lost.at[0], &told);
        snprintf(r->reason, sizeof r->reason,
                 "the recording was cut; as far as it goes, %s%s", told.at,
                 n > 1 ? ", and there are more such reads" : "");
        buf_free(&told);
    }
    vec_free(&lost);
}

static bool
verify_result(const struct history *h, struct level_result *r, struct err *err)
{
    if (r->certificate.verdict == VERDICT_UNKNOWN)
        return true;
    struct err why = {0};
    const double begin = time_cpu();
    r->verified = verify_certificate(h, &r->certificate, &why);
    r->verify_seconds = time_cpu() - begin;
    return r->verified ||
           err_set(err, ERR_INTERNAL,
                   "bug in assay: the certificate for %s does not hold: %s",
                   level_table[r->level].brief, why.text);
}

/* Ask Z3 what it thinks of a level that the strong engine decided. */
static bool
ask_z3(const struct run *run, const struct level_result *r, struct err *err)
{
    if (r->level < LEVEL_PC || r->level == LEVEL_PSI || run->out->n_flaws)
        return true;
    const struct limit limit = limit_from_now(run->options);
    enum verdict other;
    if (!second_opinion(run->h, r->level, &limit, &other, err))
        return false;
    const enum verdict own = r->certificate.verdict;
    return own == other || own == VERDICT_UNKNOWN || other == VERDICT_UNKNOWN ||
           err_set(err, ERR_INTERNAL,
                   "bug in assay: Z3 comes to another verdict at %s",
                   level_table[r->level].brief);
}

bool
check_history(const struct history *h, const struct check_options *options,
              struct check *out, struct err *err)
{
    *out = (struct check){0};
    level_set levels = options->levels & ~LEVEL_SET_ALL;
    if (!h->txn_began && (options->levels & LEVEL_SET_ALL))
        levels &= ~(out->skipped = STRICT);
    if ((levels & STRICT) && !h->txn_began)
        return err_set(err, ERR_USAGE,
                       "strict levels need begin and end times, and this "
                       "history has none");
    out->all = options->levels & LEVEL_SET_ALL;
    struct run run = {h, options, out};
    const size_t most = options->most_flaws ? options->most_flaws : 1;
    out->n_flaws = history_flaws(h, most, &out->flaws);
    decide_weak(&run);
    for (int l = LEVEL_PC; l < LEVELS; l++)
        if (levels >> l & 1)
            decide_strong(&run, (enum level)l);
    admit_losses(&run);
    bool ok = true;
    for (size_t i = 0; ok && options->verify && i < out->results.n; i++)
        ok = verify_result(h, &out->results.at[i], err);
    for (size_t i = 0; ok && options->ask_z3 && i < out->results.n; i++)
        ok = ask_z3(&run, &out->results.at[i], err);
    if (!ok)
        check_free(out);
    return ok;
}

level_set
check_strongest(const struct check *c)
{
    level_set holds = 0, below = 0;
    for (size_t i = 0; i < c->results.n; i++) {
        const enum level l = c->results.at[i].level;
        if (c->results.at[i].certificate.verdict != VERDICT_OK)
            continue;
        holds |= 1u << l;
        below |= level_implied(l) & ~(1u << l);
    }
    return holds & ~below;
}

void
check_free(struct check *c)
{
    for (size_t i = 0; i < c->results.n; i++)
        certificate_free(&c->results.at[i].certificate);
    vec_free(&c->results);
    vec_free(&c->flaws);
}
