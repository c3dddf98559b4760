/* results.c -- checking a history, and the result as a whole; see assay.h.
 *
 * A check runs in two contexts.  The inner one has the limits of the caller.
 * When one of them is reached, everything that the check allocated is gone,
 * but the outer context has the certificates of the levels that were decided
 * before, as text: from these the result is made.  So a limit never loses a
 * verdict, and no verdict is without evidence.
 *
 * SPDX-License-Identifier: MIT */
#include "api/result.h"

#include "base/memory/mem.h"
#include "base/outfile.h"
#include "evidence/certificate_read.h"
#include "evidence/certificate_write.h"
#include "level/names.h"
#include "pipeline/certification.h"
#include "version.h"

#include <assert.h>
#include <string.h>

/* --- checking --------------------------------------------------------------*/

/* A level that was decided. */
struct kept {
    enum verdict verdict;
    enum level by;
    struct buf text; // its certificate; belongs to the outer context
};

struct checking {
    struct assay_result *r;
    const char *levels;
    struct kept kept[LEVELS];
    struct limit_stop stop; // why the inner context ended
    struct err err;
};

/* Keep the certificate of a level. */
static void
keep_level(void *self, const struct inspection *i, const struct level_result *r,
           bool final)
{
    struct checking *w = self;
    struct kept *k = &w->kept[r->level];
    (void) final;
    buf_clear(&k->text);
    if (r->by == r->level)
        certificate_write(&i->history, &r->certificate, &k->text);
    k->by = r->by;
    k->verdict = r->certificate.verdict; // last: now it is complete
}

static void
tell_level(void *self, enum level level, const char *phase)
{
    const struct checking *w = self;
    (void)level;
    handle_tell(w->r->a, phase);
}

static void
check_inside(void *self)
{
    struct checking *w = self;
    struct assay_result *r = w->r;
    summary_sizes(&r->i.history, &r->i.summary);
    partial_of(&r->i.history, &r->i.partial);
    inspection_decide(&r->options, &r->i, &w->err);
}

/* An inspection of the history without results. */
static void
reset(struct assay_result *r)
{
    r->i = (struct inspection){
        .path = r->name, .format = r->h->format, .history = r->h->h};
}

/* Make the result from what was kept. */
static void
restore(struct checking *w)
{
    struct assay_result *r = w->r;
    struct check_options *o = &r->options.check;
    reset(r);
    summary_sizes(&r->i.history, &r->i.summary);
    partial_of(&r->i.history, &r->i.partial);
    r->i.explanations = mem_calloc(LEVELS, sizeof *r->i.explanations);
    r->i.explained = mem_calloc(LEVELS, sizeof *r->i.explained);
    if (!r->i.history.txn_began && o->levels & LEVEL_SET_ALL)
        o->levels &= ~level_strict();
    check_nothing(o, &w->stop, &r->i.check);
    for (size_t row = 0; row < r->i.check.results.n; row++) {
        struct level_result *to = &r->i.check.results.at[row];
        const struct kept *k = &w->kept[to->level];
        if (k->verdict == VERDICT_UNKNOWN)
            continue;
        if (k->by == to->level &&
            !certificate_read(&r->i.history, k->text.at, k->text.n,
                              &to->certificate, &w->err))
            return;
        to->certificate.verdict = k->verdict;
        to->by = k->by;
        to->verified = o->verify;
        to->reason[0] = 0;
        to->stop = (struct limit_stop){0};
        if (k->verdict == VERDICT_VIOLATED)
            r->i.explanations[row] = (struct explanation){
                .level = to->level, .cut_short = true, .stop = w->stop};
    }
}

static bool
is_limit(enum limit_kind kind)
{
    return kind == LIMIT_TIME || kind == LIMIT_MEMORY || kind == LIMIT_CAPACITY;
}

/* The outer context. */
static void
check_outside(void *self)
{
    struct checking *w = self;
    struct context c;
    if (!level_parse_list(w->levels, w->r->a->options[ASSAY_SESSION_ORDER],
                          &w->r->options.check.levels, &w->err))
        return;
    for (size_t l = 0; l < LEVELS; l++)
        buf_grow(&w->kept[l].text, 0);
    handle_context(w->r->a, true, &c);
    c.progress = NULL; // the observer tells more
    if (!context_run(&c, check_inside, w)) {
        w->stop = c.stop;
        w->stop.seconds = (double)w->r->a->options[ASSAY_TIMEOUT_MS] / 1000;
        w->err = (struct err){0};
        if (!is_limit(c.stop.kind))
            context_stop(c.stop.kind, c.stop.what, c.stop.most);
        restore(w);
    }
    for (size_t l = 0; l < LEVELS; l++)
        buf_free(&w->kept[l].text);
}

static struct inspection_options
options_of(const struct assay *a, const char *name, struct checking *w)
{
    struct inspection_options o = inspection_defaults();
    o.name = name;
    o.full_summary = false;
    o.explain = a->options[ASSAY_EXPLAIN] > 0;
    o.explaining.most = (size_t)a->options[ASSAY_EXPLAIN];
    o.check.threads = o.explaining.threads =
        (unsigned)a->options[ASSAY_THREADS];
    o.check.verify = a->options[ASSAY_VERIFY];
    o.check.work = (uint64_t)a->options[ASSAY_WORK];
    o.require_complete = a->options[ASSAY_COMPLETE];
    o.observer = (struct inspection_observer){
        .self = w, .level = tell_level, .decided = keep_level};
    return o;
}

/* Run the check of a result, which is complete but for that. */
static assay_status
run_check(struct checking *w)
{
    struct context c;
    handle_context(w->r->a, false, &c);
    if (!context_run(&c, check_outside, w)) {
        reset(w->r); // the rest is gone
        return handle_fail_stop(&c.stop);
    }
    w->r->options.observer = (struct inspection_observer){0};
    return w->err.kind ? handle_fail_err(&w->err) : ASSAY_OK;
}

assay_result *
assay_check(assay *a, const assay_history *h, const char *levels)
{
    if (!h && assay_error_status() != ASSAY_OK)
        return NULL; // the call that made no history says why
    handle_clear_error();
    if (!a || !h || !levels) {
        handle_fail(ASSAY_E_USAGE, "no assay, no history or no levels");
        return NULL;
    }
    assay_result *r = handle_alloc(sizeof *r);
    if (!r)
        return NULL;
    struct checking w = {.r = r, .levels = levels};
    r->a = handle_keep(a);
    r->h = handle_keep_history(h);
    r->name = handle_copy(r->h->name);
    r->options = options_of(a, r->name, &w);
    reset(r);
    if (r->name && run_check(&w) == ASSAY_OK)
        return r;
    assay_result_free(r);
    return NULL;
}

void
assay_result_free(assay_result *r)
{
    if (!r)
        return;
    r->i.history = (struct history){0}; // it is that of r->h
    inspection_free(&r->i);
    for (size_t f = 0; f < RESULT_FORMATS; f++)
        buf_free(&r->texts[f]);
    buf_free(&r->certificate);
    buf_free(&r->reduced);
    mem_free(r->name);
    assay_history_free(r->h);
    assay_free(r->a);
    mem_free(r);
}

/* --- verdicts --------------------------------------------------------------*/

static assay_verdict_t
verdict_of(enum verdict v)
{
    return v == VERDICT_OK         ? ASSAY_HOLDS
           : v == VERDICT_VIOLATED ? ASSAY_VIOLATED
                                   : ASSAY_UNKNOWN;
}

static const struct level_result *
row_of(const assay_result *r, size_t row)
{
    return r && row < r->i.check.results.n ? &r->i.check.results.at[row] : NULL;
}

assay_verdict_t
assay_verdict(const assay_result *r)
{
    return r ? verdict_of(inspection_verdict(&r->options, &r->i))
             : ASSAY_UNKNOWN;
}

uint64_t
assay_result_partial(const assay_result *r)
{
    return r ? r->i.partial.txns : 0;
}

size_t
assay_result_levels(const assay_result *r)
{
    return r ? r->i.check.results.n : 0;
}

const char *
assay_result_level(const assay_result *r, size_t row)
{
    const struct level_result *l = row_of(r, row);
    return l ? level_table[l->level].brief : NULL;
}

assay_verdict_t
assay_result_verdict(const assay_result *r, size_t row)
{
    const struct level_result *l = row_of(r, row);
    return l ? verdict_of(l->certificate.verdict) : ASSAY_UNKNOWN;
}

const char *
assay_result_reason(const assay_result *r, size_t row)
{
    const struct level_result *l = row_of(r, row);
    return l ? l->reason : NULL;
}

const char *
assay_result_notes(const assay_result *r)
{
    return r ? (r->h->h.notes.n ? r->h->h.notes.at : "") : NULL;
}

/* --- reports ---------------------------------------------------------------*/

struct showing {
    struct assay_result *r;
    const struct report_format *format;
    const char *path; // where to write it; or NULL
    struct buf out;
    struct err err;
};

/* The row of a format in the table. */
static size_t
index_of(const struct report_format *format)
{
    size_t i = 0;
    while (report_table[i] != format)
        i++;
    assert(i < RESULT_FORMATS);
    return i;
}

static void
show(void *self)
{
    struct showing *w = self;
    struct inspection i = w->r->i;
    struct report to;
    const bool is_page = strcmp(w->format->name, "html") == 0;
    if (is_page) {
        summary_of(&i.history, 1, &i.summary);
        if (timeline_applies(&i.history))
            timeline_of(&i.history, &i.timeline);
    }
    report_begin(&to, w->format,
                 &(struct report_style){.version = ASSAY_VERSION});
    inspection_show(&w->r->options, &i, &to);
    report_end(&to);
    if (is_page)
        timeline_free(&i.timeline);
    w->out = to.out;
    if (w->path)
        outfile_write(w->path, &w->out, &w->err);
}

static assay_status
run_show(struct showing *w, const char *format)
{
    if (!w->r || !format)
        return handle_fail(ASSAY_E_USAGE, "no result or no format");
    w->format = report_find(format);
    if (!w->format)
        return handle_fail(ASSAY_E_USAGE, "an unknown format of reports");
    const assay_status status = handle_run(w->r->a, show, w, &w->err);
    if (status == ASSAY_E_LIMIT || status == ASSAY_E_CANCELLED ||
        status == ASSAY_E_MEMORY)
        w->out = (struct buf){0}; // it is gone
    return status;
}

const char *
assay_result_text(assay_result *r, const char *format, size_t *len)
{
    struct showing w = {.r = r};
    if (len)
        *len = 0;
    if (run_show(&w, format) != ASSAY_OK) {
        buf_free(&w.out);
        return NULL;
    }
    struct buf *to = &r->texts[index_of(w.format)];
    buf_free(to);
    *to = w.out;
    if (len)
        *len = to->n;
    return to->at;
}

assay_status
assay_result_save(assay_result *r, const char *format, const char *path)
{
    if (!path)
        return handle_fail(ASSAY_E_USAGE, "no path");
    struct showing w = {.r = r, .path = handle_path(path)};
    const assay_status status = run_show(&w, format);
    buf_free(&w.out);
    return status;
}

/* --- certificates ----------------------------------------------------------*/

struct certifying {
    const struct assay_result *r;
    const struct history *h;
    const struct level_result *row;
    const char *text;
    size_t n;
    struct buf out;
    struct err err;
};

static void
write_certificate(void *self)
{
    struct certifying *w = self;
    certificate_write(w->h, check_evidence(&w->r->i.check, w->row), &w->out);
}

const char *
assay_certificate(assay_result *r, size_t row, size_t *len)
{
    struct certifying w = {.r = r, .row = row_of(r, row)};
    if (len)
        *len = 0;
    if (!w.row) {
        handle_fail(ASSAY_E_USAGE, "no result or no such row");
        return NULL;
    }
    w.h = &r->i.history;
    if (handle_run(r->a, write_certificate, &w, &w.err) != ASSAY_OK)
        return NULL;
    buf_free(&r->certificate);
    r->certificate = w.out;
    if (len)
        *len = w.out.n;
    return w.out.at;
}

static void
verify_text(void *self)
{
    struct certifying *w = self;
    struct certification c;
    context_phase("verifying");
    if (!certification_of_text(w->text, w->n, w->h, &c, &w->err))
        return;
    if (c.flaw.kind) {
        w->err = c.flaw;
        w->err.kind = ERR_SYNTAX;
    }
}

assay_status
assay_certify(assay *a, const assay_history *h, const char *certificate,
              size_t len)
{
    if (!a || !h || !certificate)
        return handle_fail(ASSAY_E_USAGE, "no history or no certificate");
    struct certifying w = {.h = &h->h, .text = certificate, .n = len};
    return handle_run(a, verify_text, &w, &w.err);
}
