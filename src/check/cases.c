/* cases.c -- see cases.h.
 *
 * With the authors settled a history is an ordinary one, and is checked as
 * such.  Elements are meant to be unique, so there are few combinations; where
 * there are many, the answer may be 'unknown'.
 *
 * SPDX-License-Identifier: MIT */
#include "check/cases.h"

#include "check/lattice.h"
#include "history/list/reader_outcomes.h"
#include "history/rebuild.h"
#include "verify/verify.h"

#include <stdio.h>
#include <string.h>

enum {
    MOST_CASES = 4096,
    MOST_NAMED = 3, // transactions
};

struct cases {
    const struct history *h;
    struct check_options options; // for the levels that are still open
    struct check *out;
    struct level_cases {
        bool asked, unknown;
        struct level_result result;
        VEC(struct certificate) violated;
    } levels[LEVELS];
};

static void
copy_seen(struct certificate *c, const u32_vec *seen)
{
    for (size_t i = 0; i < seen->n; i++)
        vec_push(&c->seen, seen->at[i]);
}

/* Take over what the copy with these authors says about a level. */
static void
take_result(struct cases *all, struct level_result *r, const u32_vec *seen)
{
    struct level_cases *l = &all->levels[r->level];
    const double seconds = l->result.seconds + r->seconds;
    const uint64_t work = l->result.work + r->work;
    l->asked = true;
    if (r->certificate.verdict == VERDICT_UNKNOWN || r->by != r->level) {
        l->unknown = true;
        memcpy(l->result.reason, r->reason, sizeof r->reason);
    } else if (r->certificate.verdict == VERDICT_OK) {
        l->result = *r;
        r->certificate = (struct certificate){0};
        copy_seen(&l->result.certificate, seen);
        all->options.levels &= ~(1u << r->level);
    } else {
        l->result.weak = r->weak;
        l->result.strong = r->strong;
        vec_push(&l->violated, r->certificate);
        r->certificate = (struct certificate){0};
        copy_seen(&vec_top(&l->violated), seen);
    }
    l->result.level = l->result.by = r->level;
    l->result.seconds = seconds;
    l->result.work = work;
}

static bool
check_copy(struct cases *all, const u32_vec *seen, struct err *err)
{
    struct history copy;
    struct check c;
    if (!history_rebuild_with_authors(all->h, seen->at, &copy, err))
        return false;
    const bool ok = check_history(&copy, &all->options, &c, err);
    for (size_t i = 0; ok && i < c.results.n; i++)
        take_result(all, &c.results.at[i], seen);
    if (ok)
        check_free(&c);
    history_free(&copy);
    return ok;
}

static void
finish_reason(const struct history *h, struct buf *told, struct level_result *r)
{
    if (authors_count(h, MOST_CASES + 1) > MOST_CASES)
        buf_printf(told, ": more than %d combinations to try", MOST_CASES);
    else
        buf_text(told, ": not all combinations were tried");
    snprintf(r->reason, sizeof r->reason, "%s", told->at);
    buf_free(told);
}

/* Why there is no answer: the first element with several candidates, who these
 * are, and how many elements there are like it. */
static void
give_reason(const struct history *h, struct level_result *r)
{
    if (r->reason[0])
        return;
    const struct list_author *a = &h->authors.at[0];
    struct buf told = {0};
    if (reader_outcomes_is(a)) {
        buf_text(&told, "it is not known whether ");
        history_show_txn(h, h->author_items.at[a->first], &told);
        buf_text(&told, ", which read lists, took effect");
        if (h->authors.n > 1)
            buf_printf(&told, ", and %zu more such questions",
                       h->authors.n - 1);
        finish_reason(h, &told, r);
        return;
    }
    buf_text(&told, "the lists of ");
    history_show_key(h, h->values[a->value].key & OP_KEY, &told);
    buf_text(&told, " show ");
    history_show_value(h, a->value, &told);
    buf_text(&told, ", which ");
    for (uint32_t i = 0; i < a->n && i < MOST_NAMED; i++) {
        buf_text(&told, i ? ", " : "");
        history_show_txn(h, h->author_items.at[a->first + i], &told);
    }
    buf_text(&told, a->n > MOST_NAMED ? " and others" : "");
    buf_text(&told, " appended");
    if (h->authors.n > 1)
        buf_printf(&told, ", and %zu more such elements", h->authors.n - 1);
    finish_reason(h, &told, r);
}

/* What all the copies together say. */
static void
conclude(struct cases *all, bool complete)
{
    for (int i = 0; i < LEVELS; i++) {
        struct level_cases *l = &all->levels[i];
        struct certificate *c = &l->result.certificate;
        if (l->asked && c->verdict != VERDICT_OK) {
            *c = (struct certificate){.level = (enum level)i};
            l->result.verified = false;
            if (!complete && !l->unknown)
                give_reason(all->h, &l->result);
        }
        if (l->asked && c->verdict != VERDICT_OK && complete && !l->unknown) {
            c->verdict = VERDICT_VIOLATED;
            c->kind = EVIDENCE_CASES;
            c->cases = l->violated.at;
            c->n_cases = l->violated.n;
            l->violated.at = NULL;
            l->violated.n = 0;
        }
        if (l->asked)
            vec_push(&all->out->results, l->result);
    }
}

/* Check that the cases are all there. */
static bool
verify_all(struct cases *all, struct err *err)
{
    for (size_t i = 0; i < all->out->results.n; i++) {
        struct level_result *r = &all->out->results.at[i];
        struct err why = {0};
        if (!all->options.verify || r->by != r->level ||
            r->certificate.verdict == VERDICT_UNKNOWN)
            continue;
        r->verified = verify_certificate(all->h, &r->certificate, &why);
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
    struct cases all = {.h = h, .options = *options, .out = out};
    assert(!limits_set(&options->limits));
    u32_vec seen = {0};
    authors_begin(h, &seen);
    bool ok = true, more = true;
    for (size_t n = 0; ok && more && all.options.levels && n < MOST_CASES;
         n++) {
        ok = check_copy(&all, &seen, err);
        more = authors_next(h, &seen);
    }
    if (ok)
        conclude(&all, !more);
    lattice_settle(h, &all.options, out);
    ok = ok && verify_all(&all, err);
    for (int i = 0; i < LEVELS; i++) {
        struct level_cases *l = &all.levels[i];
        if (!ok)
            certificate_free(&l->result.certificate);
        for (size_t j = 0; j < l->violated.n; j++)
            certificate_free(&l->violated.at[j]);
        vec_free(&l->violated);
    }
    vec_free(&seen);
    return ok;
}
