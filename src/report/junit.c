/* junit.c -- results as test cases: a suite per history, a case per level.
 *
 * An unknown verdict is an error and not a failure: a limit was reached before
 * the level was decided.
 *
 * SPDX-License-Identifier: MIT */
#include "report/parts.h"

static void
begin(struct report *to)
{
    struct buf *out = &to->out;
    buf_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                  "<testsuites name=\"assay\">\n");
}

static void
put_failure(const struct explanation *e, struct buf *out)
{
    struct buf headline = {0};
    buf_text(&headline,
             e->anomalies.n ? e->anomalies.at[0].headline : "violated");
    if (!e->anomalies.n && e->cut_short) {
        buf_text(&headline, ", ");
        part_more(e, &headline);
    }
    const char *type =
        e->anomalies.n ? anomaly_table[e->anomalies.at[0].kind].name : "cycle";
    buf_printf(out, "      <failure type=\"%s\" message=\"", type);
    part_xml(out, headline.at);
    buf_free(&headline);
    buf_text(out, "\">");
    for (size_t i = 0; i < e->anomalies.n; i++) {
        struct buf text = {0};
        buf_printf(&text, "%s\n", e->anomalies.at[i].headline);
        part_story(&e->anomalies.at[i], "", &text);
        part_xml(out, text.at);
        buf_text(out, i + 1 < e->anomalies.n ? "\n" : "");
        buf_free(&text);
    }
    buf_text(out, "</failure>\n");
}

static void
put_error(const char *reason, struct buf *out)
{
    buf_text(out, "      <error type=\"unknown\" message=\"");
    part_xml(out, *reason ? reason : "not decided");
    buf_text(out, "\"/>\n");
}

/* A name that is the same in every run: no port and no date. */
static void
put_name(const struct report_run *run, struct buf *out)
{
    part_xml(out, run->path);
    if (run->origin) {
        buf_char(out, ' ');
        part_xml(out, run->origin->workload);
    }
}

static size_t
count(const struct check *c, enum verdict v)
{
    size_t n = 0;
    for (size_t i = 0; i < c->results.n; i++)
        n += c->results.at[i].certificate.verdict == v;
    return n;
}

static void
add(struct report *to, const struct report_run *run)
{
    struct buf *out = &to->out;
    const struct check *c = run->check;
    double seconds = 0;
    for (size_t i = 0; i < c->results.n; i++)
        seconds += c->results.at[i].seconds;
    buf_text(out, "  <testsuite name=\"");
    put_name(run, out);
    buf_printf(out,
               "\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" "
               "time=\"%.3f\">\n",
               c->results.n, count(c, VERDICT_VIOLATED),
               count(c, VERDICT_UNKNOWN), seconds);
    for (size_t i = 0; i < c->results.n; i++) {
        const struct level_result *r = &c->results.at[i];
        buf_printf(out, "    <testcase name=\"%s\" classname=\"",
                   level_table[r->level].name);
        put_name(run, out);
        buf_printf(out, "\" time=\"%.3f\"", r->seconds);
        if (r->certificate.verdict == VERDICT_OK) {
            buf_text(out, "/>\n");
            continue;
        }
        buf_text(out, ">\n");
        if (r->certificate.verdict == VERDICT_VIOLATED)
            put_failure(&run->explanations[i], out);
        else
            put_error(r->reason, out);
        buf_text(out, "    </testcase>\n");
    }
    buf_text(out, "  </testsuite>\n");
}

/* A history that cannot be read is an error of its suite. */
static void
fail(struct report *to, const char *path, const char *why)
{
    struct buf *out = &to->out;
    buf_text(out, "  <testsuite name=\"");
    part_xml(out, path);
    buf_text(out, "\" tests=\"1\" failures=\"0\" errors=\"1\" "
                  "time=\"0.000\">\n    <testcase name=\"reading\" "
                  "classname=\"");
    part_xml(out, path);
    buf_text(out, "\" time=\"0.000\">\n      <error type=\"input\" "
                  "message=\"");
    part_xml(out, why);
    buf_text(out, "\"/>\n    </testcase>\n  </testsuite>\n");
}

static void
end(struct report *to)
{
    struct buf *out = &to->out;
    buf_text(out, "</testsuites>\n");
}

const struct report_format report_junit = {
    .name = "junit",
    .suffix = ".xml",
    .help = "JUnit XML: a test suite per history, a case per level",
    .is_for_tests = true,
    .begin = begin,
    .add = add,
    .fail = fail,
    .end = end,
};
