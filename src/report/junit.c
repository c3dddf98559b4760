/* junit.c -- results as test cases: a suite per history, a case per level.
 *
 * An unknown verdict is an error and not a failure: a limit was reached before
 * the level was decided.  A level that held in a weak test is skipped, which CI
 * shows beside the verdict; where power is required, it is an error.  Findings
 * of a run are separate cases, which never pass.
 *
 * SPDX-License-Identifier: MIT */
#include "report/parts.h"
#include "report/power.h"

#include <inttypes.h>

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

/* Why the level that held says little; nothing where it says enough. */
static void
find_weakness(const struct report_run *run, const struct level_result *r,
              struct buf *out)
{
    struct buf why = {0};
    if (run->power && r->certificate.verdict == VERDICT_OK)
        power_weakness(run->power, 1u << r->level, &why);
    if (why.n)
        buf_printf(out, "weak test: %s", why.at);
    buf_free(&why);
}

static size_t
count_weak(const struct report_run *run)
{
    size_t n = 0;
    for (size_t i = 0; i < run->check->results.n; i++) {
        struct buf weakness = {0};
        find_weakness(run, &run->check->results.at[i], &weakness);
        n += weakness.n > 0;
        buf_free(&weakness);
    }
    return n;
}

static void
put_weakness(const struct report_run *run, const char *weakness,
             struct buf *out)
{
    buf_text(out, run->power_required
                      ? "      <error type=\"weak-test\" message=\""
                      : "      <skipped message=\"");
    part_xml(out, weakness);
    buf_text(out, "\"/>\n");
}

/* A level holds as far as it was recorded. */
static void
put_gaps(const struct report_run *run, const char *gaps, struct buf *out)
{
    buf_text(out, run->must_be_complete
                      ? "      <error type=\"partial\" message=\""
                      : "      <skipped message=\"");
    buf_text(out, "ok, ");
    part_xml(out, gaps);
    buf_text(out, "\"/>\n");
}

static size_t
count_gaps(const struct check *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->results.n; i++)
        n += c->results.at[i].certificate.verdict == VERDICT_OK &&
             c->results.at[i].reason[0];
    return n;
}

/* How much was tested. */
static void
put_power(const struct overlap *p, struct buf *out)
{
    const struct {
        const char *name;
        uint64_t n;
    } rows[] = {{"committed", p->committed},
                {"overlapping_pairs", p->pairs},
                {"conflicting_pairs", p->conflicts}};
    buf_text(out, "    <properties>\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        buf_printf(out, "      <property name=\"%s\" value=\"%" PRIu64 "\"/>\n",
                   rows[i].name, rows[i].n);
    buf_text(out, "    </properties>\n");
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
put_case(const struct report_run *run, size_t i, struct buf *out)
{
    const struct level_result *r = &run->check->results.at[i];
    struct buf weakness = {0};
    find_weakness(run, r, &weakness);
    buf_printf(out, "    <testcase name=\"%s\" classname=\"",
               level_table[r->level].name);
    put_name(run, out);
    buf_printf(out, "\" time=\"%.3f\"", r->seconds);
    const bool has_gaps = r->certificate.verdict == VERDICT_OK && r->reason[0];
    if (r->certificate.verdict == VERDICT_OK && !weakness.n && !has_gaps) {
        buf_text(out, "/>\n");
        return;
    }
    buf_text(out, ">\n");
    if (r->certificate.verdict == VERDICT_VIOLATED)
        put_failure(&run->explanations[i], out);
    else if (r->certificate.verdict == VERDICT_UNKNOWN)
        put_error(r->reason, out);
    else if (has_gaps)
        put_gaps(run, r->reason, out);
    else
        put_weakness(run, weakness.at, out);
    buf_text(out, "    </testcase>\n");
    buf_free(&weakness);
}

/* The findings of a run that ask for an exit status. */
static size_t
count_findings(const struct report_run *run, int status)
{
    size_t n = 0;
    for (size_t i = 0; run->origin && i < run->origin->n_findings; i++)
        n += run->origin->findings[i].status == status;
    return n;
}

/* A defect of the server failed; a workload that does not run is an error. */
static void
put_finding(const struct report_run *run, const struct report_finding *f,
            struct buf *out)
{
    struct buf text = {0};
    origin_finding(f, &text);
    buf_printf(out, "    <testcase name=\"%s\" classname=\"", f->name);
    put_name(run, out);
    buf_printf(out, "\" time=\"0.000\">\n      <%s type=\"finding\" message=\"",
               f->status == FINDING_DEFECT ? "failure" : "error");
    part_xml(out, text.at);
    buf_text(out, "\"/>\n    </testcase>\n");
    buf_free(&text);
}

static void
add(struct report *to, const struct report_run *run)
{
    struct buf *out = &to->out;
    const struct check *c = run->check;
    const size_t gaps = count_gaps(c), weak = gaps ? 0 : count_weak(run);
    const size_t defects = count_findings(run, FINDING_DEFECT);
    const size_t not_run = count_findings(run, FINDING_NOT_RUN);
    double seconds = 0;
    for (size_t i = 0; i < c->results.n; i++)
        seconds += c->results.at[i].seconds;
    buf_text(out, "  <testsuite name=\"");
    put_name(run, out);
    buf_printf(
        out,
        "\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" "
        "skipped=\"%zu\" time=\"%.3f\">\n",
        c->results.n + defects + not_run, count(c, VERDICT_VIOLATED) + defects,
        count(c, VERDICT_UNKNOWN) + not_run + (run->power_required ? weak : 0) +
            (run->must_be_complete ? gaps : 0),
        (run->power_required ? 0 : weak) + (run->must_be_complete ? 0 : gaps),
        seconds);
    if (run->power)
        put_power(run->power, out);
    for (size_t i = 0; i < defects + not_run; i++)
        put_finding(run, &run->origin->findings[i], out);
    for (size_t i = 0; i < c->results.n; i++)
        put_case(run, i, out);
    buf_text(out, "  </testsuite>\n");
}

/* A history that cannot be read is an error of its suite. */
static void
fail(struct report *to, const char *path, const char *why)
{
    struct buf *out = &to->out;
    buf_text(out, "  <testsuite name=\"");
    part_xml(out, path);
    buf_text(out,
             "\" tests=\"1\" failures=\"0\" errors=\"1\" "
             "skipped=\"0\" time=\"0.000\">\n    <testcase name=\"reading\" "
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
