/* summary_page.c -- see summary.h: Markdown and HTML.
 *
 * SPDX-License-Identifier: MIT */
#include "campaign/summary.h"
#include "report/parts.h"

#include <inttypes.h>

/* --- Markdown --------------------------------------------------------------*/

static void
put_markdown_cell(const struct tally_cell *c, struct buf *out)
{
    struct buf text = {0};
    const char *const names[] = {c->target, c->level, c->workload};
    summary_cell(c, &text);
    for (int i = 0; i < 3; i++) {
        buf_text(out, "| ");
        part_markdown(out, names[i]);
        buf_char(out, ' ');
    }
    buf_text(out, "| ");
    summary_count(c->committed, out);
    buf_text(out, " | ");
    summary_count(c->pairs, out);
    buf_text(out, " | ");
    part_markdown(out, text.n ? text.at : "");
    buf_text(out, " |\n");
    buf_free(&text);
}

/* Lines that Markdown leaves as they are. */
static void
put_block(const char *text, struct buf *out)
{
    while (*text) {
        const size_t n = strcspn(text, "\n");
        struct buf line = {0};
        buf_add(&line, text, n);
        buf_text(out, "    ");
        buf_shown(out, line.at);
        buf_char(out, '\n');
        buf_free(&line);
        text += n + (text[n] == '\n');
    }
}

void
summary_put_markdown(const struct tally *t, struct buf *out)
{
    struct buf text = {0};
    buf_text(out, "# Campaign\n\n");
    summary_runs(t, out);
    buf_text(out, ".\n\n| target | level | workload | commits | pairs | result "
                  "|\n| --- | --- | --- | ---: | ---: | --- |\n");
    for (size_t i = 0; i < t->cells.n; i++)
        put_markdown_cell(&t->cells.at[i], out);
    buf_printf(out, "\n## Findings: %zu, %zu of them new\n", t->findings.n,
               t->new_findings);
    for (size_t i = 0; i < t->findings.n; i++) {
        const struct tally_finding *f = &t->findings.at[i];
        buf_clear(&text);
        buf_printf(&text, "%s: ", f->known ? "known" : "new");
        summary_headline(f, &text);
        buf_text(out, "\n### ");
        part_markdown(out, text.at);
        buf_clear(&text);
        summary_rate(f->runs, f->of, &text);
        buf_printf(out, "\n\n%s. ", text.at);
        part_markdown(out, f->known ? f->known : f->smallest.title);
        buf_text(out, "\n\n");
        if (f->known)
            continue;
        put_block(f->command, out);
        put_block(*f->script ? f->script : f->smallest.text, out);
    }
    buf_printf(out, "\n## Leads: %zu\n\n", t->leads.n);
    for (size_t i = 0; i < t->leads.n; i++) {
        buf_printf(out, "- %" PRIu64 " runs: ", t->leads.at[i].runs);
        part_markdown(out, t->leads.at[i].example);
        buf_char(out, '\n');
    }
    buf_free(&text);
}

/* --- HTML ------------------------------------------------------------------*/

static const char head[] =
    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
    "<meta name=\"viewport\" content=\"width=device-width\">"
    "<title>assay campaign</title><style>\n"
    "body{font:16px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;"
    "padding:0 1rem;color:#222;background:#fff}\n"
    "table{border-collapse:collapse;width:100%}\n"
    "td,th{padding:.2rem .6rem;border-bottom:1px solid #ddd;text-align:left}\n"
    "td.n{text-align:right;font-variant-numeric:tabular-nums}\n"
    "tr.bad td:last-child{color:#a00}\n"
    "pre{overflow-x:auto;background:#f5f5f5;padding:.6rem}\n"
    "summary{cursor:pointer}\n.new{color:#a00;font-weight:bold}\n"
    "@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}"
    "pre{background:#222}td,th{border-color:#444}"
    ".new,tr.bad td:last-child{color:#f88}}\n"
    "</style></head><body>\n<h1>Campaign</h1>\n";

static void
put_element(const char *name, const char *text, struct buf *out)
{
    buf_printf(out, "<%s>", name);
    part_xml(out, text);
    buf_printf(out, "</%s>", name);
}

static void
put_html_cell(const struct tally_cell *c, struct buf *out)
{
    struct buf text = {0};
    buf_text(out, c->runs[TALLY_VIOLATED] ? "<tr class=\"bad\">" : "<tr>");
    put_element("td", c->target, out);
    put_element("td", c->level, out);
    put_element("td", c->workload, out);
    buf_text(out, "<td class=\"n\">");
    summary_count(c->committed, out);
    buf_text(out, "</td><td class=\"n\">");
    summary_count(c->pairs, out);
    buf_text(out, "</td>");
    summary_cell(c, &text);
    put_element("td", text.n ? text.at : "", out);
    buf_text(out, "</tr>\n");
    buf_free(&text);
}

static void
put_html_finding(const struct tally_finding *f, struct buf *out)
{
    struct buf text = {0};
    buf_text(out, f->known ? "<details><summary>known: "
                           : "<details open><summary><span class=\"new\">new"
                             "</span>: ");
    summary_headline(f, &text);
    buf_text(&text, ", in ");
    summary_rate(f->runs, f->of, &text);
    part_xml(out, text.at);
    buf_text(out, "</summary>\n");
    if (f->known)
        put_element("p", f->known, out);
    put_element("p", f->smallest.title, out);
    put_element("pre", f->command, out);
    if (*f->smallest.text)
        put_element("pre", f->smallest.text, out);
    if (*f->script)
        put_element("pre", f->script, out);
    buf_text(out, "</details>\n");
    buf_free(&text);
}

void
summary_put_html(const struct tally *t, struct buf *out)
{
    struct buf text = {0};
    buf_text(out, head);
    summary_runs(t, &text);
    put_element("p", text.at, out);
    buf_text(out, "\n<table><tr><th>target</th><th>level</th><th>workload</th>"
                  "<th>commits</th><th>pairs</th><th>result</th></tr>\n");
    for (size_t i = 0; i < t->cells.n; i++)
        put_html_cell(&t->cells.at[i], out);
    buf_printf(out, "</table>\n<h2>Findings: %zu, %zu of them new</h2>\n",
               t->findings.n, t->new_findings);
    for (size_t i = 0; i < t->findings.n; i++)
        put_html_finding(&t->findings.at[i], out);
    buf_printf(out, "<h2>Leads: %zu</h2>\n<ul>\n", t->leads.n);
    for (size_t i = 0; i < t->leads.n; i++) {
        buf_printf(out, "<li>%" PRIu64 " runs: ", t->leads.at[i].runs);
        part_xml(out, t->leads.at[i].example);
        buf_text(out, "</li>\n");
    }
    buf_text(out, "</ul>\n</body></html>\n");
    buf_free(&text);
}
