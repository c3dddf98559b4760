/* json.c -- results for programs: JSON Lines, one object per history.
 *
 * The names of the members are a contract (doc/result.schema.json).  Members
 * may be added; "schema" grows when one changes its meaning.
 *
 * SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "report/answer.h"
#include "report/parts.h"
#include "report/power.h"

enum { SCHEMA = 1 }; // of doc/result.schema.json

static void
put_levels(const char *name, level_set set, struct buf *out)
{
    json_array(out, name);
    for (enum level l = 0; l < LEVELS; l++)
        if (level_set_has(set & level_ordered(), l))
            json_text(out, NULL, level_table[l].brief);
    json_array_end(out);
}

static void
put_cycle(const struct anomaly *a, struct buf *out)
{
    json_array(out, "cycle");
    for (size_t i = 0; i < a->cycle.n; i++) {
        const struct anomaly_edge *e = &a->edges.at[a->cycle.at[i]];
        json_object(out, NULL);
        json_text(out, "from", a->txns.at[e->from].id);
        json_text(out, "to", a->txns.at[e->to].id);
        json_text(out, "edge", part_edge(e->kind));
        if (e->key)
            json_text(out, "key", e->key_id);
        json_text(out, "reason", e->reason);
        if (e->rejected)
            json_text(out, "rejected", e->rejected);
        json_object_end(out);
    }
    json_array_end(out);
}

/* What was sent for each transaction, and from where. */
static void
put_statements(const struct anomaly *a, struct buf *out)
{
    const size_t before = out->n;
    json_array(out, "statements");
    const size_t empty = out->n;
    for (size_t i = 0; i < a->txns.n; i++) {
        const struct anomaly_txn *t = &a->txns.at[i];
        if (t->is_init || t->is_context)
            continue;
        for (size_t j = 0; j < t->n_statements; j++) {
            json_object(out, NULL);
            json_text(out, "transaction", t->id);
            if (*t->statements[j].place)
                json_text(out, "place", t->statements[j].place);
            if (*t->statements[j].text)
                json_text(out, "sql", t->statements[j].text);
            json_object_end(out);
        }
    }
    if (out->n == empty)
        out->n = before;
    else
        json_array_end(out);
}

void
report_anomaly_json(const char *name, const struct anomaly *a, struct buf *out)
{
    const struct anomaly_info *info = &anomaly_table[a->kind];
    json_object(out, name);
    json_text(out, "name", info->name);
    json_text(out, "title", a->headline);
    if (*info->adya)
        json_text(out, "adya", info->adya);
    if (*a->also)
        json_text(out, "elle", a->also);
    json_array(out, "transactions");
    for (size_t i = 0; i < a->txns.n; i++)
        if (!a->txns.at[i].is_context && !a->txns.at[i].is_init)
            json_text(out, NULL, a->txns.at[i].id);
    json_array_end(out);
    if (*a->places)
        json_text(out, "places", a->places);
    put_statements(a, out);
    put_cycle(a, out);
    json_array(out, "reasons");
    for (size_t i = 0; i < a->steps.n; i++)
        json_text(out, NULL, a->steps.at[i].text);
    json_array_end(out);
    json_bool(out, "minimal", !a->unfinished);
    put_levels("violated", a->violated, out);
    put_levels("holds", a->holds, out);
    struct buf text = {0};
    part_story(a, "", &text);
    json_text(out, "text", text.at);
    buf_free(&text);
    json_object_end(out);
}

static void
put_anomalies(const struct explanation *e, struct buf *out)
{
    json_array(out, "anomalies");
    for (size_t i = 0; i < e->anomalies.n; i++)
        report_anomaly_json(NULL, &e->anomalies.at[i], out);
    json_array_end(out);
    if (e->more)
        json_u64(out, "more", e->more);
    if (e->capped)
        json_bool(out, "capped", true);
    if (e->cut_short)
        json_bool(out, "cut_short", true);
    if (e->stop.kind) {
        struct buf reason = {0};
        limit_show(&e->stop, &reason);
        json_text(out, "reason", reason.at);
        buf_free(&reason);
    }
}

static void
put_claim(const struct level_result *r, struct buf *out)
{
    static const char *const words[] = {[CLAIM_NONE] = "not tried",
                                        [CLAIM_HOLDS] = "explains",
                                        [CLAIM_CONTRADICTED] = "contradicted",
                                        [CLAIM_OPEN] = "open"};
    json_object(out, "timestamps");
    json_text(out, "order", words[r->claim]);
    if (r->claim_reason[0])
        json_text(out, "reason", r->claim_reason);
    json_object_end(out);
}

static void
put_result(const struct level_result *r, const struct explanation *e,
           struct buf *out)
{
    json_object(out, NULL);
    json_text(out, "level", level_table[r->level].brief);
    json_text(out, "verdict", part_verdict(r->certificate.verdict));
    json_fixed(out, "seconds", r->seconds, 6);
    json_bool(out, "verified", r->verified);
    if (r->by != r->level)
        json_text(out, "follows_from", level_table[r->by].brief);
    if (r->reason[0])
        json_text(out, "reason", r->reason);
    if (part_has_claim(r))
        put_claim(r, out);
    if (r->certificate.verdict == VERDICT_VIOLATED)
        put_anomalies(e, out);
    json_object_end(out);
}

/* A time in seconds, or null where there is none. */
static void
put_seconds(const char *name, int64_t nanoseconds, struct buf *out)
{
    if (nanoseconds < 0)
        json_null(out, name);
    else
        json_real(out, name, (double)nanoseconds / 1e9);
}

static void
put_timeline(const struct timeline *t, struct buf *out)
{
    json_object(out, "timeline");
    json_real(out, "interval", t->seconds);
    json_array(out, "intervals");
    for (size_t i = 0; i < t->intervals.n; i++) {
        const struct timeline_interval *in = &t->intervals.at[i];
        json_object(out, NULL);
        json_u64(out, "committed", in->committed);
        json_u64(out, "aborted", in->aborted);
        json_u64(out, "unknown", in->unknown);
        put_seconds("latency_p50", in->median, out);
        put_seconds("latency_p99", in->percentile_99, out);
        json_object_end(out);
    }
    json_array_end(out);
    json_object_end(out);
}

void
report_sizes_json(const struct summary *s, struct buf *out)
{
    json_u64(out, "sessions", s->sessions);
    json_u64(out, "transactions", s->transactions);
    json_u64(out, "operations", s->operations);
}

/* What was not recorded. */
static void
put_partial(const struct partial *p, struct buf *out)
{
    struct buf member = {0};
    json_object(out, "partial");
    json_u64(out, "transactions", p->txns);
    json_u64(out, "of", p->of);
    json_object(out, "what");
    for (uint32_t i = 0; i < p->what_of.n; i++) {
        const struct string what = strings_get(&p->what, i);
        buf_clear(&member);
        buf_add(&member, what.text, what.len);
        buf_char(&member, ':');
        buf_u64(&member, p->what_of.at[i]);
        json_raw(out, NULL, member.at, member.n);
    }
    json_object_end(out);
    json_object_end(out);
    buf_free(&member);
}

static void
add(struct report *to, const struct report_run *run)
{
    struct buf *out = &to->out;
    json_object(out, NULL);
    json_text(out, "history", run->path);
    json_text(out, "format", run->format);
    json_u64(out, "schema", SCHEMA);
    report_sizes_json(run->summary, out);
    json_array(out, "results");
    for (size_t i = 0; i < run->check->results.n; i++)
        put_result(&run->check->results.at[i], &run->explanations[i], out);
    json_array_end(out);
    if (run->check->all) {
        put_levels("strongest", check_strongest(run->check), out);
        put_levels("not_checked", run->check->skipped, out);
    }
    if (answer_applies(run))
        answer_json(run, out);
    if (run->partial && run->partial->txns)
        put_partial(run->partial, out);
    if (run->origin)
        origin_json(run->origin, out);
    if (run->origin && run->timeline)
        put_timeline(run->timeline, out);
    if (run->power)
        power_json(run->power, power_levels(run->check), run->origin, out);
    json_end_line(out);
}

const struct report_format report_json = {
    .name = "json",
    .suffix = ".json",
    .help = "JSON Lines, one object per history",
    .add = add,
};
