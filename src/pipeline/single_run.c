/* single_run.c -- see single_run.h.
 *
 * SPDX-License-Identifier: MIT */
#include "pipeline/single_run.h"

#include "pipeline/history_file.h"
#include "pipeline/inspection.h"
#include "pipeline/run_origin.h"
#include "report/power.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

void
single_run_free(struct single_run *r)
{
    buf_free(&r->reason);
    buf_free(&r->finding);
    buf_free(&r->weakness);
    buf_free(&r->edges);
    buf_free(&r->headline);
    buf_free(&r->story);
    buf_free(&r->history);
}

/* The history as the text of a file. */
static bool
write_history(const struct history *h, struct buf *out, struct err *err)
{
    char piece[4096];
    struct output to = {.file = tmpfile()};
    if (!to.file)
        return err_set(err, ERR_IO, "cannot make a temporary file: %s",
                       strerror(errno));
    const bool ok = format_find("jsonl")->write(h, &to, err);
    rewind(to.file);
    size_t n;
    while (ok && (n = fread(piece, 1, sizeof piece, to.file)) > 0)
        buf_add(out, piece, n);
    fclose(to.file);
    return ok;
}

static bool
take_anomaly(const struct anomaly *a, struct single_run *out, struct err *err)
{
    out->has_anomaly = true;
    out->kind = a->kind;
    out->transactions = a->involved;
    buf_text(&out->edges, a->edges_in_words);
    buf_text(&out->headline, a->headline);
    buf_text(&out->story, a->story);
    // Of rows whose recording is not there the file would be another history.
    return (a->reduced.key_rows && !a->reduced.rows) ||
           write_history(&a->reduced, &out->history, err);
}

static bool
judge(const struct single_run_request *q, const char *path,
      struct single_run *out, struct err *err)
{
    struct inspection_options options = inspection_defaults();
    struct inspection i;
    options.session_order = q->session_order;
    options.power = true;
    options.check.levels = q->levels;
    options.check.verify = q->verify;
    options.check.threads = options.explaining.threads = q->threads;
    if (!inspection_read(&options, path, &i, err))
        return false;
    bool ok = true;
    out->verdict = VERDICT_OK;
    for (size_t r = 0; r < i.check.results.n; r++) {
        const enum verdict v = i.check.results.at[r].certificate.verdict;
        if (v == VERDICT_VIOLATED || out->verdict == VERDICT_OK)
            out->verdict = v;
        if (v == VERDICT_UNKNOWN && !out->reason.n)
            buf_text(&out->reason, i.check.results.at[r].reason);
        if (ok && !out->has_anomaly && i.explanations[r].anomalies.n)
            ok = take_anomaly(&i.explanations[r].anomalies.at[0], out, err);
    }
    power_weakness(&i.overlap, power_levels(&i.check), &out->weakness);
    out->pairs = i.overlap.pairs;
    out->conflicts = i.overlap.conflicts;
    inspection_free(&i);
    return ok;
}

static void
take_finding(const struct test_run *run, const char *workload,
             struct single_run *out)
{
    struct run_origin origin;
    run_origin_fill(run, workload, &origin);
    out->finding_status = run_origin_status(&origin);
    if (out->finding_status)
        origin_finding(&origin.origin.findings[0], &out->finding);
    run_origin_free(&origin);
}

bool
single_run(const struct single_run_request *q, const char *served,
           struct single_run *out, struct err *err)
{
    struct test_run_options options = q->run;
    struct test_run run;
    struct history_file file;
    *out = (struct single_run){0};
    assert(q->levels && q->threads);
    if (!history_file_open(&file, NULL, err))
        return false;
    if (served) {
        options.start = NULL;
        options.target = served;
    }
    bool ok = test_run_begin(&options, &run, err);
    if (ok) {
        snprintf(out->target, sizeof out->target, "%s", run.name);
        ok = test_run_record(&run, file.path.at, err);
        memcpy(out->note, run.note, sizeof out->note);
        out->stats = run.stats;
        take_finding(&run, q->workload, out);
        test_run_end(&run);
    }
    ok = ok && judge(q, file.path.at, out, err);
    history_file_close(&file);
    return ok;
}
