/* prove_junit.c -- proofs as JUnit XML; see prove_report.h.
 *
 * A level is a test case: an anomaly fails it, and 'unknown' is an error, as in
 * the results of 'check'.  The counts stand before the cases, so cases are kept
 * until the end.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/robust/anomaly/story.h"
#include "report/parts.h"
#include "report/prove/prove_formats.h"

static void
begin(struct prove_report *to)
{
    (void)to;
}

static void
put_message(const char *element, const char *type, const char *about,
            struct buf *out)
{
    buf_printf(out, "      <%s type=\"%s\" message=\"", element, type);
    part_xml(out, about);
    buf_char(out, '"');
}

static bool
add(struct prove_report *to, const struct prove_shown *r, struct err *err)
{
    struct buf *out = &to->cases;
    const double seconds = r->result->seconds;
    (void)err;
    buf_text(out, "    <testcase name=\"");
    part_xml(out, r->levels);
    buf_text(out, "\" classname=\"");
    part_xml(out, to->files);
    buf_printf(out, "\" time=\"%.3f\"", seconds);
    to->seconds += seconds;
    if (r->result->verdict == PROVE_PROVED) {
        buf_text(out, "/>\n");
        return true;
    }
    buf_text(out, ">\n");
    if (r->finding) {
        struct story story;
        struct buf text = {0};
        story_init(&story, r->finding);
        story_text(&story, &text);
        put_message("failure", r->verdict, r->about, out);
        buf_char(out, '>');
        part_xml(out, text.n ? text.at : "");
        buf_text(out, "</failure>\n");
        buf_free(&text);
        story_free(&story);
        to->failures++;
    } else {
        put_message("error", r->verdict, r->about, out);
        buf_text(out, "/>\n");
        to->errors++;
    }
    buf_text(out, "    </testcase>\n");
    return true;
}

static void
end(struct prove_report *to)
{
    struct buf *out = &to->out;
    buf_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                  "<testsuites name=\"assay\">\n  <testsuite name=\"");
    part_xml(out, to->files);
    buf_printf(out,
               "\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" "
               "skipped=\"0\" time=\"%.3f\">\n",
               to->n, to->failures, to->errors, to->seconds);
    buf_add(out, to->cases.at, to->cases.n);
    buf_text(out, "  </testsuite>\n</testsuites>\n");
}

const struct prove_format prove_junit = {"junit", false, begin, add, end};
