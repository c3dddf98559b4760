/* markdown.c -- results for an issue or the summary of a CI run.
 *
 * SPDX-License-Identifier: MIT */
#include "report/answer.h"
#include "report/found.h"
#include "report/parts.h"
#include "report/power.h"

/* The fence cannot end early: no line of the text begins with a back quote. */
static void
put_txns(const struct anomaly *a, struct buf *out)
{
    buf_text(out, "```text\n");
    for (size_t i = 0; i < a->txns.n; i++) {
        const struct anomaly_txn *t = &a->txns.at[i];
        if (t->is_context || t->is_init)
            continue;
        buf_text(out, "  ");
        buf_text(out, t->name);
        if (*t->lines)
            buf_printf(out, " (%s)", t->lines);
        buf_char(out, ':');
        bool skipped = t->elided > 0;
        for (size_t j = 0; j < t->n_ops; j++) {
            skipped |= !t->ops[j].matters;
            if (t->ops[j].matters) {
                buf_text(out, "  ");
                buf_text(out, t->ops[j].text);
            }
        }
        buf_text(out, skipped ? "  ..." : "");
        if (t->status != TXN_COMMITTED)
            buf_printf(out, "  (%s)", part_status(t->status));
        buf_char(out, '\n');
        part_statements(t, "      ", out);
    }
    if (part_unlisted(a))
        buf_printf(out, "... and %zu more transactions\n", part_unlisted(a));
    buf_text(out, "```\n\n");
}

static void
put_anomaly(const struct anomaly *a, struct buf *out)
{
    buf_text(out, "### ");
    part_markdown(out, a->headline);
    buf_text(out, "\n\n");
    part_markdown(out, a->story);
    buf_text(out, ".\n");
    struct buf names = {0};
    part_other_names(a, &names);
    if (names.n) {
        buf_text(out, "(");
        part_markdown(out, names.at);
        buf_text(out, ")\n");
    }
    buf_free(&names);
    buf_char(out, '\n');
    put_txns(a, out);
    buf_text(out, "Why no order works:\n\n");
    for (size_t i = 0; i < a->steps.n; i++) {
        buf_printf(out, "%zu. ", i + 1);
        part_markdown(out, a->steps.at[i].text);
        buf_char(out, '\n');
    }
    buf_char(out, '\n');
    part_holds(a, out);
    buf_text(out, ".\n\n");
}

/* What the timestamps of a server claim, and whether that can be. */
static void
put_claims(const struct check *c, struct buf *out)
{
    bool any = false;
    for (size_t i = 0; i < c->results.n; i++) {
        const struct level_result *r = &c->results.at[i];
        struct buf line = {0};
        if (!part_has_claim(r))
            continue;
        buf_printf(&line, "%s: ", level_table[r->level].title);
        part_claim(r, &line);
        buf_text(out, "- ");
        part_markdown(out, line.at);
        buf_text(out, ".\n");
        buf_free(&line);
        any = true;
    }
    buf_text(out, any ? "\n" : "");
}

static void
put_findings(const struct report_origin *o, struct buf *out)
{
    for (size_t i = 0; i < o->n_findings; i++) {
        struct buf text = {0};
        origin_finding(&o->findings[i], &text);
        buf_text(out, "**finding:** ");
        part_markdown(out, text.at);
        buf_text(out, "\n\n");
        buf_free(&text);
    }
}

static void
put_anomalies(const struct report_run *run, bool all, struct buf *out)
{
    found_vec show = {0};
    struct buf counts = {0};
    found_to_show(run, all, &show);
    for (size_t i = 0; i < show.n; i++)
        put_anomaly(show.at[i].a, out);
    found_counts(run, show.n, &counts);
    if (counts.n)
        buf_printf(out, "```text\n%s```\n\n", counts.at);
    buf_free(&counts);
    vec_free(&show);
}

static void
add(struct report *to, const struct report_run *run)
{
    struct buf *out = &to->out;
    buf_text(out, "## ");
    struct buf path = {0};
    buf_shown(&path, run->path);
    part_markdown(out, path.n ? path.at : "");
    buf_free(&path);
    buf_text(out, "\n\n");
    if (run->origin)
        put_findings(run->origin, out);
    buf_text(out, "| level | verdict | |\n| --- | --- | --- |\n");
    for (size_t i = 0; i < run->check->results.n; i++) {
        const struct level_result *r = &run->check->results.at[i];
        const struct explanation *e = &run->explanations[i];
        buf_printf(out, "| %s | **%s** | ", level_table[r->level].title,
                   part_verdict(r->certificate.verdict));
        if (e->anomalies.n)
            part_markdown(out, e->anomalies.at[0].headline);
        else
            part_markdown(out, r->reason);
        buf_text(out, " |\n");
    }
    buf_char(out, '\n');
    put_claims(run->check, out);
    if (run->check->all) {
        struct buf line = {0};
        part_strongest(run->check, &line);
        part_markdown(out, line.at);
        buf_text(out, ".\n\n");
        buf_free(&line);
    }
    if (answer_applies(run))
        answer_markdown(run, out);
    if (run->power) {
        struct buf weakness = {0};
        power_advice(run->power, power_levels(run->check), run->origin,
                     &weakness);
        if (weakness.n)
            buf_printf(out, "**weak test:** %s.\n\n", weakness.at);
        buf_free(&weakness);
    }
    for (size_t i = 0; !to->style.verdicts_only && i < run->check->results.n;
         i++) {
        const struct explanation *e = &run->explanations[i];
        if (run->sides)
            sides_markdown(run->sides, out);
        if (part_has_more(e) && !e->anomalies.n) {
            part_more(e, out);
            buf_text(out, "\n\n");
        }
    }
    if (!to->style.verdicts_only)
        put_anomalies(run, to->style.all, out);
}

const struct report_format report_markdown = {
    .name = "markdown",
    .suffix = ".md",
    .help = "for an issue or the summary of a CI run",
    .add = add,
};
