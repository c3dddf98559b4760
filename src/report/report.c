/* report.c -- the table of formats, and writing a report.
 *
 * SPDX-License-Identifier: MIT */
#include "report/report.h"

#include "base/outfile.h"
#include "report/parts.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

const struct report_format *const report_table[] = {
    &report_text,  &report_markdown, &report_json, &report_dot, &report_svg,
    &report_junit, &report_sarif,    &report_html, NULL};

const struct report_format *
report_find(const char *name)
{
    for (size_t i = 0; report_table[i]; i++)
        if (strcmp(report_table[i]->name, name) == 0)
            return report_table[i];
    return NULL;
}

void
report_begin(struct report *r, const struct report_format *format,
             const struct report_style *style)
{
    *r = (struct report){.format = format, .style = *style};
    if (format && format->begin)
        format->begin(r);
}

void
report_add(struct report *r, const struct report_run *run)
{
    assert(run->check && run->explanations && run->summary);
    if (!r->format)
        return;
    assert(r->state.early <= run->check->results.n);
    r->format->add(r, run);
    r->state.runs++;
    r->state.early = 0;
}

bool
report_add_early(struct report *r, const struct report_run *run)
{
    assert(run->check && run->explanations);
    assert(r->state.early < run->check->results.n);
    if (!r->format || !r->format->add_early || !r->format->add_early(r, run))
        return false;
    r->state.early++;
    return true;
}

void
report_fail(struct report *r, const char *path, const char *why)
{
    assert(path && why);
    if (r->format && r->format->fail)
        r->format->fail(r, path, why);
    r->state.early = 0;
}

void
report_end(struct report *r)
{
    if (r->format && r->format->end)
        r->format->end(r);
}

void
report_free(struct report *r)
{
    buf_free(&r->out);
}

bool
report_write_page(const struct report *r, const char *dir, struct err *err)
{
    assert(r->format == &report_html);
    if (mkdir(dir, 0777) != 0 && errno != EEXIST) {
        err_set(err, ERR_IO, "cannot make the directory: %s", strerror(errno));
        return err_in_file(err, dir);
    }
    struct buf path = {0};
    buf_printf(&path, "%s/index.html", dir);
    const bool ok = outfile_write(path.at, &r->out, err);
    buf_free(&path);
    return ok;
}

void
report_verdict(const struct level_result *r, const struct explanation *e,
               struct buf *out)
{
    const enum verdict v = r->certificate.verdict;
    buf_text(out, level_table[r->level].name);
    buf_text(out, ": ");
    buf_text(out, part_verdict(v));
    if (v == VERDICT_VIOLATED && e && e->anomalies.n) {
        buf_text(out, ": ");
        buf_text(out, e->anomalies.at[0].headline);
    }
    if (v == VERDICT_UNKNOWN && r->reason[0])
        buf_printf(out, ": %s", r->reason);
    if (v == VERDICT_OK && r->reason[0])
        buf_printf(out, ", %s", r->reason);
}
