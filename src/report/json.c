/* json.c -- results for programs: JSON Lines, one object per history.
 *
 * The names of the members are a contract (doc/result.schema.json).  Members
 * may be added; "schema" grows when one changes its meaning.
 *
 * SPDX-License-Identifier: MIT */
#include "report/answer.h"
#include "report/parts.h"
#include "report/power.h"

enum { SCHEMA = 1 }; // of doc/result.schema.json

static void
put_member(const char *name, const char *text, struct buf *out)
{
    buf_printf(out, ",\"%s\":", name);
    part_json(out, text);
}

static void
put_levels(const char *name, level_set set, struct buf *out)
{
    bool first = true;
    buf_printf(out, ",\"%s\":[", name);
    for (int l = 0; l < LEVELS; l++)
        if (set >> l & 1 && l != LEVEL_READS) {
            buf_printf(out, "%s\"%s\"", first ? "" : ",", level_table[l].brief);
            first = false;
        }
    buf_char(out, ']');
}

static void
put_cycle(const struct anomaly *a, struct buf *out)
{
    buf_text(out, ",\"cycle\":[");
    for (size_t i = 0; i < a->cycle.n; i++) {
        const struct anomaly_edge *e = &a->edges.at[a->cycle.at[i]];
        buf_text(out, i ? ",{\"from\":" : "{\"from\":");
        part_json(out, a->txns.at[e->from].id);
        put_member("to", a->txns.at[e->to].id, out);
        put_member("edge", part_edge(e->kind), out);
        if (e->key)
            put_member("key", e->key_id, out);
        put_member("reason", e->reason, out);
        if (e->rejected)
            put_member("rejected", e->rejected, out);
        buf_char(out, '}');
    }
    buf_char(out, ']');
}

void
report_anomaly_json(const struct anomaly *a, struct buf *out)
{
    const struct anomaly_info *info = &anomaly_table[a->kind];
    buf_printf(out, "{\"name\":\"%s\"", info->name);
    put_member("title", a->headline, out);
    if (*info->adya)
        put_member("adya", info->adya, out);
    if (*a->also)
        put_member("elle", a->also, out);
    buf_text(out, ",\"transactions\":[");
    bool first = true;
    for (size_t i = 0; i < a->txns.n; i++) {
        const struct anomaly_txn *t = &a->txns.at[i];
        if (t->is_context || t->is_init)
            continue;
        buf_text(out, first ? "" : ",");
        part_json(out, t->id);
        first = false;
    }
    buf_char(out, ']');
    put_cycle(a, out);
    buf_text(out, ",\"reasons\":[");
    for (size_t i = 0; i < a->steps.n; i++) {
        buf_text(out, i ? "," : "");
        part_json(out, a->steps.at[i].text);
    }
    buf_char(out, ']');
    buf_printf(out, ",\"minimal\":%s", a->unfinished ? "false" : "true");
    put_levels("violated", a->violated, out);
    put_levels("holds", a->holds, out);
    struct buf text = {0};
    part_story(a, "", &text);
    put_member("text", text.at, out);
    buf_free(&text);
    buf_char(out, '}');
}

static void
put_result(const struct level_result *r, const struct explanation *e,
           struct buf *out)
{
    buf_printf(out,
               "{\"level\":\"%s\",\"verdict\":\"%s\",\"seconds\":%.6f,"
               "\"verified\":%s",
               level_table[r->level].brief,
               part_verdict(r->certificate.verdict), r->seconds,
               r->verified ? "true" : "false");
    if (r->by != r->level)
        put_member("follows_from", level_table[r->by].brief, out);
    if (r->reason[0]) {
        buf_text(out, ",\"reason\":");
        buf_json(out, r->reason, strlen(r->reason));
    }
    if (part_has_claim(r)) {
        static const char *const words[] = {[CLAIM_NONE] = "not tried",
                                            [CLAIM_HOLDS] = "explains",
                                            [CLAIM_CONTRADICTED] =
                                                "contradicted",
                                            [CLAIM_OPEN] = "open"};
        buf_printf(out, ",\"timestamps\":{\"order\":\"%s\"", words[r->claim]);
        if (r->claim_reason[0])
            put_member("reason", r->claim_reason, out);
        buf_char(out, '}');
    }
    if (r->certificate.verdict == VERDICT_VIOLATED) {
        buf_text(out, ",\"anomalies\":[");
        for (size_t i = 0; i < e->anomalies.n; i++) {
            buf_text(out, i ? "," : "");
            report_anomaly_json(&e->anomalies.at[i], out);
        }
        buf_char(out, ']');
        if (e->more)
            buf_printf(out, ",\"more\":%zu", e->more);
        if (e->capped)
            buf_text(out, ",\"capped\":true");
        if (e->cut_short)
            buf_text(out, ",\"cut_short\":true");
        if (e->stop.kind) {
            struct buf reason = {0};
            limit_show(&e->stop, &reason);
            buf_text(out, ",\"reason\":");
            buf_json(out, reason.at, reason.n);
            buf_free(&reason);
        }
    }
    buf_char(out, '}');
}

/* A time in seconds, or null where there is none. */
static void
put_seconds(int64_t nanoseconds, struct buf *out)
{
    if (nanoseconds < 0)
        buf_text(out, "null");
    else
        buf_printf(out, "%.9g", (double)nanoseconds / 1e9);
}

static void
put_timeline(const struct timeline *t, struct buf *out)
{
    buf_printf(out, ",\"timeline\":{\"interval\":%.9g,\"intervals\":[",
               t->seconds);
    for (size_t i = 0; i < t->intervals.n; i++) {
        const struct timeline_interval *in = &t->intervals.at[i];
        buf_printf(out,
                   "%s{\"committed\":%llu,\"aborted\":%llu,\"unknown\":%llu"
                   ",\"latency_p50\":",
                   i ? "," : "", (unsigned long long)in->committed,
                   (unsigned long long)in->aborted,
                   (unsigned long long)in->unknown);
        put_seconds(in->median, out);
        buf_text(out, ",\"latency_p99\":");
        put_seconds(in->percentile_99, out);
        buf_char(out, '}');
    }
    buf_text(out, "]}");
}

/* What was not recorded. */
static void
put_partial(const struct partial *p, struct buf *out)
{
    buf_printf(out,
               ",\"partial\":{\"transactions\":%llu,\"of\":%llu,\"what\":{",
               (unsigned long long)p->txns, (unsigned long long)p->of);
    for (uint32_t i = 0; i < p->what_of.n; i++) {
        const struct string what = strings_get(&p->what, i);
        buf_text(out, i ? "," : "");
        buf_add(out, what.text, what.len);
        buf_printf(out, ":%llu", (unsigned long long)p->what_of.at[i]);
    }
    buf_text(out, "}}");
}

static void
add(struct report *to, const struct report_run *run)
{
    struct buf *out = &to->out;
    buf_text(out, "{\"history\":");
    part_json(out, run->path);
    put_member("format", run->format, out);
    buf_printf(out, ",\"schema\":%d", SCHEMA);
    buf_printf(out,
               ",\"sessions\":%llu,\"transactions\":%llu,\"operations\":%llu,"
               "\"results\":[",
               (unsigned long long)run->summary->sessions,
               (unsigned long long)run->summary->transactions,
               (unsigned long long)run->summary->operations);
    for (size_t i = 0; i < run->check->results.n; i++) {
        buf_text(out, i ? "," : "");
        put_result(&run->check->results.at[i], &run->explanations[i], out);
    }
    buf_char(out, ']');
    if (run->check->all) {
        put_levels("strongest", check_strongest(run->check), out);
        put_levels("not_checked", run->check->skipped, out);
    }
    if (answer_applies(run)) {
        buf_text(out, ",\"answer\":");
        answer_json(run, out);
    }
    if (run->partial && run->partial->txns)
        put_partial(run->partial, out);
    if (run->origin) {
        buf_text(out, ",\"run\":");
        origin_json(run->origin, out);
    }
    if (run->origin && run->timeline)
        put_timeline(run->timeline, out);
    if (run->power) {
        buf_text(out, ",\"power\":");
        power_json(run->power, power_levels(run->check), run->origin, out);
    }
    buf_text(out, "}\n");
}

const struct report_format report_json = {
    .name = "json",
    .suffix = ".json",
    .help = "JSON Lines, one object per history",
    .add = add,
};
