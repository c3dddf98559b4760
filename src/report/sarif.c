/* sarif.c -- results as SARIF 2.1.0, which code hosts show as alerts.
 *
 * The rules are the names of anomalies.  A result is an anomaly in a history,
 * and its code flow follows the cycle.  A location is the line at which a
 * transaction begins, in formats of lines, and the transaction itself as a
 * logical location.
 *
 * The format is one JSON object, which is written incrementally.
 *
 * SPDX-License-Identifier: MIT */
#include "report/parts.h"
#include "report/power.h"

#include <inttypes.h>

#define WEAK_RULE "weak-test"

static void
put_member(const char *before, const char *text, const char *after,
           struct buf *out)
{
    buf_text(out, before);
    part_json(out, text);
    buf_text(out, after);
}

static void
begin(struct report *to)
{
    struct buf *out = &to->out;
    buf_text(out, "{\"version\":\"2.1.0\",\"$schema\":"
                  "\"https://json.schemastore.org/sarif-2.1.0.json\","
                  "\"runs\":[{\"tool\":{\"driver\":{\"name\":\"assay\"");
    put_member(",\"version\":", to->style.version, ",\"rules\":[", out);
    for (int k = 0; k < ANOMALY_KINDS; k++) {
        const struct anomaly_info *info = &anomaly_table[k];
        put_member(k ? ",\n{\"id\":" : "\n{\"id\":", info->name, "", out);
        put_member(",\"shortDescription\":{\"text\":", info->title, "}", out);
        put_member(",\"fullDescription\":{\"text\":", info->meaning,
                   "},\"defaultConfiguration\":{\"level\":\"error\"}}", out);
    }
    put_member(",\n{\"id\":", WEAK_RULE, "", out);
    put_member(",\"shortDescription\":{\"text\":", "weak test", "}", out);
    put_member(",\"fullDescription\":{\"text\":",
               "a level held, and few transactions could have violated it",
               "},\"defaultConfiguration\":{\"level\":\"warning\"}}", out);
    buf_text(out, "]}},\n\"columnKind\":\"unicodeCodePoints\",\"results\":[");
}

/* The file, and the line of the transaction if it is known; without the brace
 * that ends the location. */
static void
put_place(const struct report_run *run, const struct anomaly_txn *t,
          struct buf *out)
{
    buf_text(out, "{\"physicalLocation\":{\"artifactLocation\":{\"uri\":");
    part_uri(out, t && t->line && run->file ? run->file : run->path);
    buf_char(out, '}');
    if (t && t->line)
        buf_printf(out, ",\"region\":{\"startLine\":%" PRIu64 "}", t->line);
    buf_char(out, '}');
}

/* The transaction at whose line the anomaly is shown: the first of the cycle,
 * or the first that has a line; or NULL. */
static const struct anomaly_txn *
find_placed(const struct anomaly *a)
{
    if (a->cycle.n && a->txns.at[a->edges.at[a->cycle.at[0]].from].line)
        return &a->txns.at[a->edges.at[a->cycle.at[0]].from];
    for (size_t i = 0; i < a->txns.n; i++)
        if (!a->txns.at[i].is_context && a->txns.at[i].line)
            return &a->txns.at[i];
    return NULL;
}

static void
put_flow(const struct report_run *run, const struct anomaly *a, struct buf *out)
{
    if (!a->cycle.n)
        return;
    buf_text(out, ",\"codeFlows\":[{\"threadFlows\":[{\"locations\":[");
    for (size_t i = 0; i < a->cycle.n; i++) {
        const struct anomaly_edge *e = &a->edges.at[a->cycle.at[i]];
        const struct anomaly_txn *t = &a->txns.at[e->from];
        buf_text(out, i ? ",{\"location\":" : "{\"location\":");
        if (t->line)
            put_place(run, t, out);
        put_member(t->line ? ",\"logicalLocations\":[{\"name\":"
                           : "{\"logicalLocations\":[{\"name\":",
                   t->id, ",\"kind\":\"transaction\"}]", out);
        put_member(",\"message\":{\"text\":", e->reason, "}}}", out);
    }
    buf_text(out, "]}]}]");
}

static void
begin_result(struct report *to)
{
    buf_text(&to->out, to->state.results++ ? ",\n{" : "\n{");
}

/* A verdict without an anomaly: a violation that was not explained, no answer,
 * or a level that holds as far as it was recorded. */
static void
put_verdict(struct report *to, const struct report_run *run,
            const struct level_result *r, const struct explanation *e)
{
    struct buf *out = &to->out;
    struct buf text = {0};
    part_verdict_and_more(r, e, &text);
    begin_result(to);
    buf_text(out, r->certificate.verdict == VERDICT_VIOLATED
                      ? "\"level\":\"error\""
                      : "\"kind\":\"open\",\"level\":\"none\"");
    put_member(",\"message\":{\"text\":", text.at, "}", out);
    buf_text(out, ",\"locations\":[");
    put_place(run, NULL, out);
    put_member("}],\"properties\":{\"isolation\":", level_table[r->level].brief,
               "}}", out);
    buf_free(&text);
}

static void
put_result(struct report *to, const struct report_run *run,
           const struct anomaly *a)
{
    struct buf *out = &to->out;
    struct buf text = {0};
    buf_printf(&text, "%s: %s\n\n", level_table[a->level].title, a->headline);
    part_story(a, "", &text);
    begin_result(to);
    put_member("\"ruleId\":", anomaly_table[a->kind].name,
               ",\"level\":\"error\"", out);
    put_member(",\"message\":{\"text\":", text.at, "}", out);
    buf_text(out, ",\"locations\":[");
    put_place(run, find_placed(a), out);
    buf_text(out, ",\"logicalLocations\":[");
    bool first = true;
    for (size_t i = 0; i < a->txns.n; i++)
        if (!a->txns.at[i].is_context && !a->txns.at[i].is_init) {
            put_member(first ? "{\"name\":" : ",{\"name\":", a->txns.at[i].id,
                       ",\"kind\":\"transaction\"}", out);
            first = false;
        }
    buf_text(out, "]}]");
    put_flow(run, a, out);
    put_member(",\"partialFingerprints\":{\"anomaly/v1\":", a->headline, "}",
               out);
    put_member(",\"properties\":{\"isolation\":", level_table[a->level].brief,
               "}}", out);
    buf_free(&text);
}

/* A test that says little is a warning of its own. */
static void
put_weakness(struct report *to, const struct report_run *run)
{
    struct buf *out = &to->out;
    struct buf text = {0}, why = {0};
    power_advice(run->power, power_levels(run->check), run->origin, &why);
    if (why.n) {
        buf_printf(&text, "weak test: %s", why.at);
        begin_result(to);
        put_member("\"ruleId\":", WEAK_RULE, ",\"level\":\"warning\"", out);
        put_member(",\"message\":{\"text\":", text.at, "}", out);
        buf_text(out, ",\"locations\":[");
        put_place(run, NULL, out);
        buf_printf(out,
                   "}],\"properties\":{\"committed\":%" PRIu64
                   ",\"overlapping_pairs\":%" PRIu64
                   ",\"conflicting_pairs\":%" PRIu64 "}}",
                   run->power->committed, run->power->pairs,
                   run->power->conflicts);
    }
    buf_free(&text);
    buf_free(&why);
}

static void
add(struct report *to, const struct report_run *run)
{
    if (run->power)
        put_weakness(to, run);
    for (size_t i = 0; i < run->check->results.n; i++) {
        const struct level_result *r = &run->check->results.at[i];
        const struct explanation *e = &run->explanations[i];
        for (size_t j = 0; j < e->anomalies.n; j++)
            put_result(to, run, &e->anomalies.at[j]);
        if (!e->anomalies.n &&
            (r->certificate.verdict != VERDICT_OK || r->reason[0]))
            put_verdict(to, run, r, e);
    }
}

static void
end(struct report *to)
{
    struct buf *out = &to->out;
    buf_text(out, "\n]}]}\n");
}

const struct report_format report_sarif = {
    .name = "sarif",
    .suffix = ".sarif",
    .help = "SARIF 2.1.0, for the alerts of a code host",
    .is_for_tests = true,
    .begin = begin,
    .add = add,
    .end = end,
};
