/* stream_inspection.c -- see stream_inspection.h.
 *
 * SPDX-License-Identifier: MIT */
#include "pipeline/stream_inspection.h"

#include "base/outfile.h"
#include "evidence/certificate_write.h"
#include "pipeline/reduced_file.h"

#include <assert.h>

/* The result in the form that reports take. */
struct shown {
    struct check check;
    struct explanation explanations[LEVELS];
    struct summary summary;
};

void
stream_inspection_sum_up(const struct stream_sizes *n, uint64_t keys,
                         struct summary *out)
{
    *out = (struct summary){.sessions = n->sessions,
                            .transactions = n->transactions,
                            .operations = n->operations,
                            .keys = keys,
                            .committed = n->committed,
                            .aborted = n->aborted,
                            .indeterminate = n->indeterminate,
                            .loading = n->loading,
                            .reads = n->reads,
                            .writes = n->writes,
                            .hottest_key = ID_NONE};
}

/* Explain a violated level with its part. */
static bool
explain_part(const struct inspection_options *o, const struct stream_result *r,
             struct explanation *out, struct err *err)
{
    *out = (struct explanation){.level = r->level, .cut_short = true};
    return !o->explain ||
           explain_result(&r->part, &r->check, &r->check.results.at[0],
                          &o->explaining, out, err);
}

static bool
show_all(const struct inspection_options *o, const struct stream_check *c,
         struct shown *out, struct err *err)
{
    stream_inspection_sum_up(&c->sizes, c->keys, &out->summary);
    out->summary.has_times = c->has_times;
    out->check.skipped = c->skipped;
    out->check.all = o->check.levels >> LEVELS;
    for (size_t i = 0; i < c->results.n; i++) {
        const struct stream_result *r = &c->results.at[i];
        struct level_result row = {.level = r->level, .by = r->level};
        row.certificate.level = r->level;
        row.certificate.verdict = r->verdict;
        snprintf(row.reason, sizeof row.reason, "%s", r->reason);
        vec_push(&out->check.results, row);
        if (r->verdict == VERDICT_VIOLATED &&
            !explain_part(o, r, &out->explanations[i], err))
            return false;
    }
    return true;
}

static void
free_shown(struct shown *s)
{
    for (size_t i = 0; i < s->check.results.n; i++)
        explanation_free(&s->explanations[i]);
    check_free(&s->check);
}

/* --- files -----------------------------------------------------------------*/

/* The first level that is violated, or NULL. */
static const struct stream_result *
find_violated(const struct stream_check *c)
{
    for (size_t i = 0; i < c->results.n; i++)
        if (c->results.at[i].verdict == VERDICT_VIOLATED)
            return &c->results.at[i];
    return NULL;
}

static bool
write_part(const struct stream_result *r, const char *part,
           const char *certificate, struct err *err)
{
    struct buf text = {0};
    if (part && !format_write(&r->part, format_find("jsonl"), part, err))
        return false;
    if (!certificate)
        return true;
    certificate_write(&r->part, &r->check.results.at[0].certificate, &text);
    const bool ok = outfile_write(certificate, &text, err);
    buf_free(&text);
    return ok;
}

static bool
write_reduced(const struct inspection_options *o, const struct shown *s,
              struct buf *notes, struct err *err)
{
    bool written;
    for (size_t i = 0; i < s->check.results.n; i++)
        if (s->explanations[i].anomalies.n)
            return reduced_file_write(&s->explanations[i].anomalies.at[0],
                                      o->reduced_format, o->reduced, &written,
                                      notes, err);
    buf_text(notes, "nothing to reduce: no violation was explained\n");
    return true;
}

static bool
write_files(const struct inspection_options *o, const struct stream_check *c,
            const struct shown *s, const char *part, struct buf *notes,
            struct err *err)
{
    const struct stream_result *r = find_violated(c);
    if (!r && part)
        buf_text(notes, "no part is written: no level is violated\n");
    if (r && o->certificate && !part)
        buf_text(notes, "no certificate is written: it would be about the "
                        "part that shows the violation; give --part FILE\n");
    if (!r && o->certificate && !c->has_order)
        buf_text(notes, "no certificate is written: the pass found no order; "
                        "'assay check' without --stream may find one\n");
    return (!r || write_part(r, part, part ? o->certificate : NULL, err)) &&
           (!o->reduced || write_reduced(o, s, notes, err));
}

/* --- a run -----------------------------------------------------------------*/

static void
add_to_reports(const struct inspection_options *o, const char *path,
               const struct stream_check *c, const struct shown *s)
{
    const struct report_run run = {.path = path,
                                   .format = c->format->name,
                                   .summary = &s->summary,
                                   .check = &s->check,
                                   .explanations = s->explanations};
    for (size_t r = 0; r < o->n_reports; r++)
        report_add(&o->reports[r], &run);
}

bool
stream_inspection_run(const struct inspection_options *o, const char *path,
                      size_t window, const char *part, struct pass_stats *stats,
                      struct inspection_result *out, struct err *err)
{
    const struct stream_options options = {
        .source = {.path = path, .format = o->format},
        .window = window,
        .order = o->certificate,
        .check = o->check};
    struct stream_check c;
    assert(!limits_set(&o->check.limits));
    *out = (struct inspection_result){.verdict = VERDICT_UNKNOWN};
    if (o->certificate && (o->check.levels & (o->check.levels - 1)))
        return err_set(err, ERR_USAGE, "--certificate needs exactly one level");
    struct shown *s = mem_calloc(1, sizeof *s);
    bool ok = stream_check_run(&options, &c, err);
    if (ok) {
        ok = show_all(o, &c, s, err);
        if (ok) {
            add_to_reports(o, path, &c, s);
            out->verdict = check_worst(&s->check);
            ok = write_files(o, &c, s, part, &out->notes, err);
        }
        if (stats)
            *stats = c.stats;
        stream_check_free(&c);
    }
    free_shown(s);
    mem_free(s);
    return ok || err_in_file(err, path);
}
