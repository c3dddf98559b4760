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
#include "report/sarif_parts.h"

#define WEAK_RULE "weak-test"
#define FINDING_RULE "finding"

static void
begin(struct report *to)
{
    struct buf *out = &to->out;
    sarif_begin(to->style.version, out);
    for (int k = 0; k < ANOMALY_KINDS; k++) {
        const struct anomaly_info *info = &anomaly_table[k];
        json_break(out, k == 0);
        sarif_rule(info->name, info->title, info->meaning, "error", out);
    }
    json_break(out, false);
    sarif_rule(WEAK_RULE, "weak test",
               "a level held, and few transactions could have violated it",
               "warning", out);
    json_break(out, false);
    sarif_rule(FINDING_RULE, "finding",
               "the server crashed, reported an internal error or damaged "
               "data, or does not run the workload",
               "error", out);
    sarif_begin_results(out);
}

/* Begin a location: the file, and the line of the transaction if it is known.
 */
static void
begin_place(const struct report_run *run, const struct anomaly_txn *t,
            struct buf *out)
{
    const uint64_t line = t ? t->line : 0;
    sarif_begin_location(line && run->file ? run->file : run->path, line, out);
}

/* The array of locations with a single one, the history. */
static void
put_history(const struct report_run *run, struct buf *out)
{
    json_array(out, "locations");
    begin_place(run, NULL, out);
    json_object_end(out);
    json_array_end(out);
}

static void
put_txn(const struct anomaly_txn *t, struct buf *out)
{
    json_object(out, NULL);
    json_text(out, "name", t->id);
    json_text(out, "kind", "transaction");
    json_object_end(out);
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
    sarif_begin_flow(out);
    for (size_t i = 0; i < a->cycle.n; i++) {
        const struct anomaly_edge *e = &a->edges.at[a->cycle.at[i]];
        const struct anomaly_txn *t = &a->txns.at[e->from];
        json_object(out, NULL);
        json_key(out, "location");
        if (t->line)
            begin_place(run, t, out);
        else
            json_object(out, NULL);
        json_array(out, "logicalLocations");
        put_txn(t, out);
        json_array_end(out);
        sarif_message("message", e->reason, out);
        json_object_end(out);
        json_object_end(out);
    }
    sarif_end_flow(out);
}

static void
begin_result(struct report *to)
{
    sarif_begin_result(to->state.results++ == 0, &to->out);
}

/* A verdict without an anomaly: a violation that was not explained, no answer,
 * or a level that holds as far as it was recorded. */
static void
put_verdict(struct report *to, const struct report_run *run,
            const struct level_result *r, const struct explanation *e)
{
    struct buf *out = &to->out;
    struct buf text = {0};
    const bool is_violated = r->certificate.verdict == VERDICT_VIOLATED;
    part_verdict_and_more(r, e, &text);
    begin_result(to);
    if (!is_violated)
        json_text(out, "kind", "open");
    json_text(out, "level", is_violated ? "error" : "none");
    sarif_message("message", text.at, out);
    put_history(run, out);
    sarif_isolation(level_table[r->level].brief, out);
    json_object_end(out);
    buf_free(&text);
}

/* The place of an anomaly, and its transactions. */
static void
put_places(const struct report_run *run, const struct anomaly *a,
           struct buf *out)
{
    json_array(out, "locations");
    begin_place(run, find_placed(a), out);
    json_array(out, "logicalLocations");
    for (size_t i = 0; i < a->txns.n; i++)
        if (!a->txns.at[i].is_context && !a->txns.at[i].is_init)
            put_txn(&a->txns.at[i], out);
    json_array_end(out);
    json_object_end(out);
    json_array_end(out);
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
    json_text(out, "ruleId", anomaly_table[a->kind].name);
    json_text(out, "level", "error");
    sarif_message("message", text.at, out);
    put_places(run, a, out);
    put_flow(run, a, out);
    json_object(out, "partialFingerprints");
    json_text(out, "anomaly/v1", a->headline);
    json_object_end(out);
    sarif_isolation(level_table[a->level].brief, out);
    json_object_end(out);
    buf_free(&text);
}

/* A test that says little is a separate warning. */
static void
put_weakness(struct report *to, const struct report_run *run)
{
    struct buf *out = &to->out;
    struct buf text = {0}, why = {0};
    power_advice(run->power, power_levels(run->check), run->origin, &why);
    if (why.n) {
        buf_printf(&text, "weak test: %s", why.at);
        begin_result(to);
        json_text(out, "ruleId", WEAK_RULE);
        json_text(out, "level", "warning");
        sarif_message("message", text.at, out);
        put_history(run, out);
        json_object(out, "properties");
        json_u64(out, "committed", run->power->committed);
        json_u64(out, "overlapping_pairs", run->power->pairs);
        json_u64(out, "conflicting_pairs", run->power->conflicts);
        json_object_end(out);
        json_object_end(out);
    }
    buf_free(&text);
    buf_free(&why);
}

/* What the run says about the server, not about a level. */
static void
put_finding(struct report *to, const struct report_run *run,
            const struct report_finding *f)
{
    struct buf *out = &to->out;
    struct buf text = {0};
    origin_finding(f, &text);
    begin_result(to);
    json_text(out, "ruleId", FINDING_RULE);
    json_text(out, "level", "error");
    sarif_message("message", text.at, out);
    put_history(run, out);
    json_object(out, "properties");
    json_text(out, "finding", f->name);
    json_object_end(out);
    json_object_end(out);
    buf_free(&text);
}

static void
add(struct report *to, const struct report_run *run)
{
    for (size_t i = 0; run->origin && i < run->origin->n_findings; i++)
        put_finding(to, run, &run->origin->findings[i]);
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
    sarif_end(&to->out);
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
