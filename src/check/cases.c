/* cases.c -- see cases.h.
 *
 * With chosen authors a history is an ordinary one, and is checked as
 * such.  One combination of authors often satisfies all levels; those that it
 * does not satisfy are searched, weakest first.  Authors that satisfy one are
 * tried on the others, and cases that refute one refute all that imply it.
 *
 * SPDX-License-Identifier: MIT */
#include "check/cases.h"

#include "check/case_search.h"
#include "check/lattice.h"
#include "history/builder/rebuild.h"
#include "history/tested.h"
#include "verify/verify.h"

#include <stdio.h>
#include <string.h>

struct cases {
    struct case_search search;
    level_set open;
    struct level_result results[LEVELS];
};

static void
copy_seen(struct certificate *c, const u32_vec *seen)
{
    for (size_t i = 0; i < seen->n; i++)
        vec_push(&c->seen, seen->at[i]);
}

/* Decide the open levels that hold with these authors. */
static bool
try_authors(struct cases *all, const u32_vec *seen, struct err *err)
{
    struct history copy;
    struct check c;
    if (!history_rebuild_with_authors(all->search.h, seen->at, &copy, err))
        return false;
    struct check_options o = all->search.options;
    o.levels = all->open;
    const bool ok = check_history(&copy, &o, &c, err);
    for (size_t i = 0; ok && i < c.results.n; i++) {
        struct level_result *r = &c.results.at[i];
        all->results[r->level].work += r->work + copy.n_ops;
        if (r->certificate.verdict != VERDICT_OK || r->by != r->level)
            continue;
        assert(level_set_has(all->open, r->level));
        all->results[r->level] = *r;
        copy_seen(&all->results[r->level].certificate, seen);
        r->certificate = (struct certificate){0};
        all->open &= ~(level_bit(r->level));
    }
    if (ok)
        check_free(&c);
    history_free(&copy);
    return ok;
}

/* Refute a level with the leaves of another one, which it implies. */
static bool
refute(struct cases *all, enum level level, const case_vec *leaves,
       struct err *err)
{
    struct case_search *s = &all->search;
    struct certificate *c = &all->results[level].certificate;
    assert(leaves->n && c->verdict == VERDICT_UNKNOWN);
    c->cases = mem_calloc(leaves->n, sizeof *c->cases);
    c->verdict = VERDICT_VIOLATED;
    c->kind = EVIDENCE_CASES;
    for (size_t i = 0; i < leaves->n; i++) {
        const struct certificate *leaf = &leaves->at[i];
        if (!case_check(s, level, &leaf->seen, 0, err))
            return false;
        struct certificate *to = &c->cases[c->n_cases++];
        *to = s->last.certificate;
        s->last.certificate = (struct certificate){0};
        copy_seen(to, &leaf->seen);
        for (size_t j = 0; j < leaf->branches.n; j++)
            vec_push(&to->branches, leaf->branches.at[j]);
        if (to->verdict == VERDICT_VIOLATED)
            continue;
        certificate_free(c); // the budget is spent
        c->level = level;
        memcpy(all->results[level].reason, s->last.reason,
               sizeof s->last.reason);
        return true;
    }
    assert(c->n_cases == leaves->n);
    all->results[level].ladder = s->last.ladder;
    return true;
}

/* Refute the level and all open ones that imply it. */
static bool
refute_all(struct cases *all, enum level level, const case_vec *leaves,
           struct err *err)
{
    for (int l = 0; l < LEVELS; l++)
        if (level_set_has(all->open, (enum level)l) &&
            level_implies((enum level)l, level)) {
            all->open &= ~(level_bit((enum level)l));
            if (!refute(all, (enum level)l, leaves, err))
                return false;
        }
    return true;
}

/* Decide an open level. */
static bool
decide_open_level(struct cases *all, enum level level, const u32_vec *seen,
                  struct err *err)
{
    struct case_result found;
    const double begin = time_cpu();
    const uint64_t before = all->search.work;
    bool ok = case_search(&all->search, level, seen, &found, err);
    struct level_result *r = &all->results[level];
    assert(level_set_has(all->open, level));
    if (ok && found.verdict == VERDICT_OK)
        ok = try_authors(all, &found.seen, err);
    else if (ok && found.verdict == VERDICT_VIOLATED)
        ok = refute_all(all, level, &found.leaves, err);
    else
        memcpy(r->reason, found.reason, sizeof r->reason);
    all->open &= ~(level_bit(level));
    r->seconds += time_cpu() - begin;
    r->work += all->search.work - before;
    case_result_free(&found);
    return ok;
}

/* No level holds of a history that tests nothing (history/tested.h), also where
 * a transaction of a case counts. */
static void
withdraw_untested(const struct history *h, struct check *out)
{
    if (history_is_tested(h))
        return;
    for (size_t i = 0; i < out->results.n; i++) {
        struct level_result *r = &out->results.at[i];
        if (r->certificate.verdict != VERDICT_OK)
            continue;
        certificate_free(&r->certificate);
        r->certificate.level = r->by = r->level;
        snprintf(r->reason, sizeof r->reason, "%s", HISTORY_UNTESTED);
    }
}

/* Check the certificates against the history itself. */
static bool
verify_all(const struct history *h, struct check *out, struct err *err)
{
    limit_phase("verifying");
    for (size_t i = 0; i < out->results.n; i++) {
        struct level_result *r = &out->results.at[i];
        struct err why = {0};
        if (r->by != r->level || r->certificate.verdict == VERDICT_UNKNOWN)
            continue;
        const double begin = time_cpu();
        r->verified = verify_certificate(h, &r->certificate, &why);
        r->verify_seconds = time_cpu() - begin;
        if (!r->verified)
            return err_set(err, ERR_INTERNAL,
                           "bug in assay: the certificate for %s does not "
                           "hold: %s",
                           level_table[r->level].brief, why.text);
    }
    return true;
}

bool
check_cases(const struct history *h, const struct check_options *options,
            struct check *out, struct err *err)
{
    struct cases all = {.search = {.h = h, .options = *options},
                        .open = options->levels};
    assert(!limits_set(&options->limits) && h->authors.n);
    all.search.options.verify = false; // that is for all of it at the end
    u32_vec seen = {0};
    for (size_t i = 0; i < h->authors.n; i++)
        vec_push(&seen, h->authors.at[i].seen);
    for (int l = 0; l < LEVELS; l++)
        all.results[l] =
            (struct level_result){.level = (enum level)l,
                                  .by = (enum level)l,
                                  .certificate = {.level = (enum level)l}};
    bool ok = try_authors(&all, &seen, err);
    for (int l = 0; ok && l < LEVELS; l++)
        if (level_set_has(all.open, (enum level)l))
            ok = decide_open_level(&all, (enum level)l, &seen, err);
    assert(!ok || !all.open);
    for (int l = 0; l < LEVELS; l++)
        if (level_set_has(options->levels, (enum level)l))
            vec_push(&out->results, all.results[l]);
    certificate_free(&all.search.last.certificate);
    vec_free(&seen);
    if (ok) {
        lattice_derive(h, options, out);
        if (!options->is_part)
            withdraw_untested(h, out);
    }
    return ok && (!options->verify || verify_all(h, out, err));
}
