/* summary_data.c -- see summary.h: JSON and JUnit.
 *
 * SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "campaign/summary.h"
#include "report/parts.h"

#include <inttypes.h>

/* --- JSON ------------------------------------------------------------------*/

static void
put_verdicts(const uint64_t runs[TALLY_VERDICTS], struct buf *out)
{
    json_object(out, "runs");
    for (int i = 0; i < TALLY_VERDICTS; i++)
        json_u64(out, tally_verdicts[i], runs[i]);
    json_object_end(out);
}

static void
put_rate(uint64_t k, uint64_t n, struct buf *out)
{
    double low, high;
    tally_interval(k, n, &low, &high);
    json_array(out, "rate_95");
    json_fixed(out, NULL, low, 4);
    json_fixed(out, NULL, high, 4);
    json_array_end(out);
}

static void
put_cell_json(const struct tally_cell *c, struct buf *out)
{
    const uint64_t *runs = c->runs;
    json_object(out, NULL);
    json_text(out, "target", c->target);
    json_text(out, "level", c->level);
    json_text(out, "workload", c->workload);
    put_verdicts(runs, out);
    put_rate(runs[TALLY_VIOLATED],
             runs[TALLY_HELD] + runs[TALLY_VIOLATED] + runs[TALLY_UNKNOWN],
             out);
    json_u64(out, "committed", c->committed);
    json_u64(out, "overlapping_pairs", c->pairs);
    json_u64(out, "conflicting_pairs", c->conflicts);
    json_object_end(out);
}

static void
put_finding_json(const struct tally_finding *f, struct buf *out)
{
    json_object(out, NULL);
    json_text(out, "target", f->target);
    json_text(out, "level", f->level);
    json_text(out, "kind", f->smallest.kind);
    json_text(out, "tables", f->smallest.tables);
    json_text(out, "shape", f->smallest.shape);
    if (f->known)
        json_text(out, "known", f->known);
    json_u64(out, "runs", f->runs);
    json_u64(out, "of", f->of);
    put_rate(f->runs, f->of, out);
    json_u64(out, "run", f->run);
    json_text(out, "command", f->command);
    json_text(out, "kept", f->kept);
    json_u64(out, "transactions", f->smallest.transactions);
    json_text(out, "title", f->smallest.title);
    json_text(out, "text", f->smallest.text);
    json_text(out, "script", f->script);
    json_object_end(out);
}

void
summary_put_json(const struct tally *t, struct buf *out)
{
    json_object(out, NULL);
    json_u64(out, "schema", 1);
    json_u64(out, "planned", t->planned);
    json_u64(out, "done", t->done);
    put_verdicts(t->runs, out);
    json_u64(out, "committed", t->committed);
    json_u64(out, "overlapping_pairs", t->pairs);
    json_u64(out, "new_findings", t->new_findings);
    json_array(out, "cells");
    for (size_t i = 0; i < t->cells.n; i++)
        put_cell_json(&t->cells.at[i], out);
    json_array_end(out);
    json_array(out, "findings");
    for (size_t i = 0; i < t->findings.n; i++)
        put_finding_json(&t->findings.at[i], out);
    json_array_end(out);
    json_array(out, "untested");
    for (size_t i = 0; i < t->cells.n; i++)
        if (tally_is_untested(&t->cells.at[i])) {
            json_object(out, NULL);
            json_text(out, "target", t->cells.at[i].target);
            json_text(out, "level", t->cells.at[i].level);
            json_text(out, "workload", t->cells.at[i].workload);
            json_object_end(out);
        }
    json_array_end(out);
    json_array(out, "unseen");
    for (size_t i = 0; i < t->unseen.n; i++)
        json_text(out, NULL, t->unseen.at[i]);
    json_array_end(out);
    json_u64(out, "unreadable", t->unreadable);
    json_array(out, "leads");
    for (size_t i = 0; i < t->leads.n; i++) {
        json_object(out, NULL);
        json_u64(out, "runs", t->leads.at[i].runs);
        json_u64(out, "run", t->leads.at[i].run);
        json_text(out, "message", t->leads.at[i].example);
        json_text(out, "command", t->leads.at[i].command);
        json_object_end(out);
    }
    json_array_end(out);
    json_object_end(out);
    buf_char(out, '\n');
}

/* --- JUnit -----------------------------------------------------------------*/

/* An attribute. */
static void
put_attribute(const char *name, const char *text, struct buf *out)
{
    buf_printf(out, " %s=\"", name);
    part_xml(out, text);
    buf_char(out, '"');
}

static void
put_failure(const struct tally_finding *f, struct buf *out)
{
    struct buf text = {0};
    summary_headline(f, &text);
    buf_text(out, "      <failure");
    put_attribute("type", f->smallest.kind, out);
    put_attribute("message", text.at, out);
    buf_char(out, '>');
    buf_clear(&text);
    buf_printf(&text, "%s\n%s\n%s", f->smallest.title, f->command,
               *f->script ? f->script : f->smallest.text);
    part_xml(out, text.at);
    buf_text(out, "</failure>\n");
    buf_free(&text);
}

/* A case is a target and a level; it fails for each new finding. */
static void
put_case(const struct tally *t, const struct tally_cell *c, struct buf *out)
{
    struct buf text = {0};
    bool took_place = false;
    buf_text(out, "    <testcase");
    put_attribute("name", c->level, out);
    put_attribute("classname", c->target, out);
    buf_text(out, ">\n");
    for (size_t i = 0; i < t->findings.n; i++) {
        const struct tally_finding *f = &t->findings.at[i];
        if (!f->known && strcmp(f->target, c->target) == 0 &&
            strcmp(f->level, c->level) == 0)
            put_failure(f, out);
    }
    for (size_t i = 0; i < t->cells.n; i++) {
        const struct tally_cell *other = &t->cells.at[i];
        if (strcmp(other->target, c->target) != 0 ||
            strcmp(other->level, c->level) != 0)
            continue;
        buf_printf(&text, "%s: ", other->workload);
        summary_cell(other, &text);
        buf_char(&text, '\n');
        took_place |= other->runs[TALLY_HELD] || other->runs[TALLY_VIOLATED] ||
                      other->runs[TALLY_UNKNOWN];
    }
    if (!took_place)
        buf_text(out, "      <skipped message=\"every run was refused\"/>\n");
    buf_text(out, "      <system-out>");
    part_xml(out, text.n ? text.at : "");
    buf_text(out, "</system-out>\n    </testcase>\n");
    buf_free(&text);
}

static bool
is_first_of_case(const struct tally *t, size_t i)
{
    // Cells are sorted.
    return i == 0 ||
           strcmp(t->cells.at[i - 1].target, t->cells.at[i].target) != 0 ||
           strcmp(t->cells.at[i - 1].level, t->cells.at[i].level) != 0;
}

void
summary_put_junit(const struct tally *t, struct buf *out)
{
    size_t cases = 0, failed = 0;
    for (size_t i = 0; i < t->cells.n; i++) {
        bool fails = false;
        if (!is_first_of_case(t, i))
            continue;
        for (size_t f = 0; f < t->findings.n; f++)
            fails |=
                !t->findings.at[f].known &&
                strcmp(t->findings.at[f].target, t->cells.at[i].target) == 0 &&
                strcmp(t->findings.at[f].level, t->cells.at[i].level) == 0;
        cases++;
        failed += fails;
    }
    buf_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    buf_printf(out,
               "  <testsuite name=\"assay campaign\" tests=\"%zu\" "
               "failures=\"%zu\">\n",
               cases, failed);
    for (size_t i = 0; i < t->cells.n; i++)
        if (is_first_of_case(t, i))
            put_case(t, &t->cells.at[i], out);
    buf_text(out, "  </testsuite>\n</testsuites>\n");
}
