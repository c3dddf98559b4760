/* html.c -- the report as one self-contained page.
 *
 * The page works from disk and loads nothing.  It contains its style and
 * script, and its content security policy allows only these two, by their
 * hashes.  Text from a history goes through part_xml into text or a quoted
 * attribute; it never becomes part of a style, a script or an address.
 *
 * The size depends on the anomalies, not on the history.
 *
 * SPDX-License-Identifier: MIT */
#include "report/answer.h"
#include "report/page/anomalies.h"
#include "report/page/plots.h"
#include "report/page/words.h"
#include "report/parts.h"
#include "report/power.h"

#include "page.h"

#include <string.h>

static void
begin(struct report *to)
{
    struct buf *out = &to->out;
    buf_printf(out,
               "<!doctype html>\n<html lang=\"en\"><head><meta "
               "charset=\"utf-8\">\n<meta "
               "http-equiv=\"Content-Security-Policy\" content=\"default-src "
               "'none'; style-src '%s'; script-src '%s'; base-uri 'none'; "
               "form-action 'none'\">\n",
               page_css_hash, page_js_hash);
    buf_text(out,
             "<meta name=\"viewport\" content=\"width=device-width, "
             "initial-scale=1\">\n<meta name=\"referrer\" "
             "content=\"no-referrer\">\n<title>assay report</title>\n<style>");
    buf_add(out, page_css, page_css_size);
    buf_text(out, "</style></head>\n<body><header><h1>assay report</h1>\n");
    if (to->style.date) {
        buf_text(out, "<p class=\"made soft\">");
        part_xml(out, to->style.date);
        buf_text(out, "</p>\n");
    }
    buf_text(out,
             "</header><div class=\"tools\" role=\"search\"><input "
             "id=\"filter\" type=\"search\" "
             "placeholder=\"filter by key, session or transaction\" "
             "aria-label=\"filter by key, session or transaction\"><span "
             "id=\"status\" class=\"soft\" role=\"status\"></span><span "
             "class=\"keys soft\"><kbd>/</kbd> filter <kbd>j</kbd> "
             "<kbd>k</kbd> anomalies <kbd>e</kbd> reasons <kbd>Enter</kbd> pin "
             "<kbd>Esc</kbd> release</span></div>\n<main>\n");
}

/* --- the strip of levels
 * ----------------------------------------------------*/

static const struct level_result *
find_result(const struct check *c, int level)
{
    for (size_t i = 0; i < c->results.n; i++)
        if ((int)c->results.at[i].level == level)
            return &c->results.at[i];
    return NULL;
}

static void
put_chip(const struct report_run *run, int level, const char *id,
         struct buf *out)
{
    static const char *const signs[] = {[VERDICT_OK] = "\xe2\x9c\x93",
                                        [VERDICT_VIOLATED] = "\xe2\x9c\x97",
                                        [VERDICT_UNKNOWN] = "?"};
    const struct level_result *r = find_result(run->check, level);
    const int verdict = answer_verdict(run, (enum level)level);
    const struct level_info *info = &level_table[level];
    const bool link = r && verdict == VERDICT_VIOLATED;
    if (link) {
        buf_text(out, "<a href=\"#");
        anomalies_card_of(run, (enum level)level, id, out);
        buf_char(out, '"');
    } else {
        buf_text(out, "<span");
    }
    buf_printf(out,
               " class=\"chip%s%s%s\" title=\"%s: ", verdict < 0 ? "" : " ",
               verdict < 0 ? "" : part_verdict((enum verdict)verdict),
               !r && verdict >= 0 ? " implied" : "", info->title);
    part_xml(out, info->meaning);
    buf_printf(out, "%s\">%s%s%s</%s>",
               !r && verdict >= 0 ? " (follows from the others)"
               : !r               ? " (not checked)"
                                  : "",
               verdict < 0 ? "" : signs[verdict], verdict < 0 ? "" : " ",
               info->name, link ? "a" : "span");
}

/* Whether two levels are drawn side by side. */
static bool
is_beside(int l, int other)
{
    return other >= 0 && other < LEVELS &&
           level_table[l].step == level_table[other].step;
}

static void
put_lattice(const struct report_run *run, const char *id, struct buf *out)
{
    buf_text(out, "<p class=\"soft hint\">Isolation levels, weakest first: "
                  "\xe2\x9c\x93 held, \xe2\x9c\x97 violated.</p>\n"
                  "<ol class=\"lattice\" aria-label=\"levels, weakest "
                  "first\">");
    for (int l = 0; l < LEVELS; l++) {
        // Strict levels only if they were checked.
        if (level_is_orderless((enum level)l) ||
            (level_table[l].needs_times && !find_result(run->check, l)))
            continue;
        const bool first = !is_beside(l, l - 1), last = !is_beside(l, l + 1);
        buf_text(out, first ? "<li>" : "");
        if (first && !last)
            buf_text(out, "<span class=\"beside\">");
        put_chip(run, l, id, out);
        if (last && !first)
            buf_text(out, "</span>");
        buf_text(out, last ? "</li>" : "");
    }
    buf_text(out, "</ol>\n");
}

/* --- what was assumed -------------------------------------------------------
 */

/* What the verdicts assume about the history. */
static void
put_assumptions(const struct summary *m, struct buf *out)
{
    if (m->ambiguous_reads)
        buf_printf(out,
                   "<li>%llu of %llu reads could have come from several "
                   "writers; every choice was considered.</li>",
                   (unsigned long long)m->ambiguous_reads,
                   (unsigned long long)m->reads);
    else
        buf_text(out, "<li>Each read can have come from one writer only."
                      "</li>");
    if (m->aborted)
        buf_printf(out, "<li>%llu aborted transactions are left out.</li>",
                   (unsigned long long)m->aborted);
    if (m->indeterminate)
        buf_printf(
            out,
            "<li>The outcome of %llu transactions is not known; %llu of "
            "these count, because other transactions read from them.</li>",
            (unsigned long long)m->indeterminate,
            (unsigned long long)m->indeterminate_read);
    buf_printf(out, "<li>Times: %s.</li>",
               m->has_times ? "recorded; only the strict levels look at them"
                            : "none, so nothing is said about real time");
}

/* What the results rest on: assumptions, checked evidence, the command. */
static void
put_basis(const struct report_run *run, const struct report_style *s,
          struct buf *out)
{
    size_t verified = 0, decided = 0;
    for (size_t i = 0; i < run->check->results.n; i++) {
        const struct level_result *r = &run->check->results.at[i];
        decided += r->certificate.verdict != VERDICT_UNKNOWN;
        verified += r->verified;
    }
    buf_text(out, "<section class=\"box\"><h2>What this rests on</h2><ul>");
    if (run->sides)
        buf_text(out, "<li>This execution was not observed. It consists of "
                      "transactions that were, with the reads changed that are "
                      "marked; that the level in question allows it was "
                      "checked.</li>");
    buf_text(out, "<li>Sessions are as recorded: what a session did earlier "
                  "comes first. The initial state comes before everything."
                  "</li>");
    put_assumptions(run->summary, out);
    buf_printf(out,
               "<li>Of %zu level%s checked, %zu %s decided, exactly and not "
               "by sampling; the evidence for %zu of the verdicts was checked "
               "by separate code.</li>",
               run->check->results.n, run->check->results.n == 1 ? "" : "s",
               decided, decided == 1 ? "was" : "were", verified);
    buf_text(out, "<li>An anomaly shows transactions that together violate the "
                  "level; without any one of them it would hold, unless "
                  "it says otherwise. Others may exist beside those shown."
                  "</li>");
    buf_text(out, "<li>Made by assay ");
    part_xml(out, s->version);
    if (s->command) {
        buf_text(out, " with <code>");
        part_xml(out, s->command);
        buf_text(out, "</code>");
    }
    buf_text(out, ".</li></ul></section>\n");
}

/* What the timestamps of a server claim, and whether that can be. */
static void
put_claims(const struct check *c, struct buf *out)
{
    bool any = false;
    for (size_t i = 0; i < c->results.n; i++) {
        const struct level_result *r = &c->results.at[i];
        struct buf text = {0};
        if (!part_has_claim(r))
            continue;
        buf_text(out, any ? ""
                          : "<section class=\"box claims\"><h2>Timestamps of "
                            "the server</h2><ul>");
        any = true;
        part_claim(r, &text);
        buf_printf(out, "<li%s>%s: ",
                   r->claim == CLAIM_CONTRADICTED ? " class=\"weak\"" : "",
                   level_table[r->level].title);
        words_short(text.at, out);
        buf_text(out, ".</li>");
        buf_free(&text);
    }
    buf_text(out, any ? "</ul></section>\n" : "");
}

/* How much was tested, and whether that is enough. */
static void
put_power(const struct report_run *run, struct buf *out)
{
    struct buf weakness = {0};
    power_advice(run->power, power_levels(run->check), run->origin, &weakness);
    if (weakness.n) {
        buf_printf(out, "<p class=\"weak\"><b>Weak test</b>%s: ",
                   check_worst(run->check) == VERDICT_VIOLATED
                       ? " for what was not found"
                       : "");
        part_xml(out, weakness.at);
        buf_text(out, ".</p>\n");
    }
    buf_free(&weakness);
    power_html(run->power, out);
}

static void
add(struct report *to, const struct report_run *run)
{
    struct buf *out = &to->out;
    struct buf id = {0}; // of the run, the prefix of all ids in it
    buf_printf(&id, "h%zu", to->state.runs + 1);
    buf_printf(out, "<section class=\"run\" data-verdict=\"%s\"><h2>",
               part_verdict(check_worst(run->check)));
    part_xml(out, run->path);
    buf_printf(out,
               "</h2><p class=\"soft\">%s \xc2\xb7 %llu sessions \xc2\xb7 %llu "
               "transactions \xc2\xb7 %llu operations</p>\n",
               run->format, (unsigned long long)run->summary->sessions,
               (unsigned long long)run->summary->transactions,
               (unsigned long long)run->summary->operations);
    if (answer_applies(run))
        answer_html(run, out);
    if (run->power)
        put_power(run, out);
    put_lattice(run, id.at, out);
    put_claims(run->check, out);
    anomalies_summary(run, id.at, out);
    if (run->sides)
        sides_html(run->sides, out);
    anomalies_cards(run, id.at, out);
    if (run->origin)
        origin_html(run->origin, out);
    if (run->timeline)
        plots_html(run->timeline, run->origin, out);
    if (*run->format) // otherwise it was not read
        put_basis(run, &to->style, out);
    buf_text(out, "</section>\n");
    buf_free(&id);
}

static void
end(struct report *to)
{
    struct buf *out = &to->out;
    buf_text(out, "</main>\n<script>");
    buf_add(out, page_js, page_js_size);
    buf_text(out, "</script></body></html>\n");
}

const struct report_format report_html = {
    .name = "html",
    .suffix = ".html",
    .help = "a self-contained page",
    .begin = begin,
    .add = add,
    .end = end,
};
