/* summary.c -- see summary.h: the words that formats share, and text.
 *
 * SPDX-License-Identifier: MIT */
#include "campaign/summary.h"

#include "base/print.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

const struct summary_format summary_table[] = {
    {"text", summary_put_text}, {"markdown", summary_put_markdown},
    {"json", summary_put_json}, {"junit", summary_put_junit},
    {"html", summary_put_html}, {0},
};

const struct summary_format *
summary_find(const char *name)
{
    for (const struct summary_format *f = summary_table; f->name; f++)
        if (strcmp(f->name, name) == 0)
            return f;
    return NULL;
}

void
summary_count(uint64_t n, struct buf *out)
{
    char digits[24];
    const size_t length = print_text(digits, sizeof digits, "%" PRIu64, n);
    for (size_t i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            buf_char(out, ',');
        buf_char(out, digits[i]);
    }
}

void
summary_rate(uint64_t k, uint64_t n, struct buf *out)
{
    double low, high;
    tally_interval(k, n, &low, &high);
    buf_printf(out, "%" PRIu64 " of %" PRIu64 " run%s (%.0f to %.0f %%)", k, n,
               n == 1 ? "" : "s", floor(low * 100), ceil(high * 100));
}

void
summary_runs(const struct tally *t, struct buf *out)
{
    const char *between = ": ";
    buf_printf(out, "%zu of %zu runs", t->done, t->planned);
    for (int i = 0; i < TALLY_VERDICTS; i++)
        if (t->runs[i]) {
            buf_printf(out, "%s%" PRIu64 " %s", between, t->runs[i],
                       tally_verdicts[i]);
            between = ", ";
        }
    buf_text(out, "; ");
    summary_count(t->committed, out);
    buf_text(out, " commits, ");
    summary_count(t->pairs, out);
    buf_text(out, " overlapping pairs");
}

void
summary_cell(const struct tally_cell *c, struct buf *out)
{
    const uint64_t took_place =
        c->runs[TALLY_HELD] + c->runs[TALLY_VIOLATED] + c->runs[TALLY_UNKNOWN];
    const size_t before = out->n;
    if (c->runs[TALLY_VIOLATED]) {
        buf_text(out, "violated in ");
        summary_rate(c->runs[TALLY_VIOLATED], took_place, out);
    } else if (c->runs[TALLY_HELD]) {
        double low, high;
        tally_interval(0, took_place, &low, &high);
        buf_printf(out, "held in %" PRIu64 " (violated in at most %.0f %%)",
                   c->runs[TALLY_HELD], ceil(high * 100));
    }
    for (int i = TALLY_UNKNOWN; i < TALLY_VERDICTS; i++)
        if (c->runs[i])
            buf_printf(out, "%s%s in %" PRIu64, out->n > before ? ", " : "",
                       tally_verdicts[i], c->runs[i]);
}

void
summary_headline(const struct tally_finding *f, struct buf *out)
{
    buf_text(out, f->smallest.kind);
    if (*f->smallest.tables)
        buf_printf(out, " in %s", f->smallest.tables);
    if (*f->smallest.shape)
        buf_printf(out, " (%s)", f->smallest.shape);
    buf_printf(out, " on %s at %s", f->target, f->level);
}

/* --- text ------------------------------------------------------------------*/

static void
pad(struct buf *out, const char *text, size_t width)
{
    buf_text(out, text);
    for (size_t n = strlen(text); n < width; n++)
        buf_char(out, ' ');
    buf_char(out, ' ');
}

static void
put_number(struct buf *out, uint64_t n, size_t width)
{
    struct buf text = {0};
    summary_count(n, &text);
    for (size_t i = text.n; i < width; i++)
        buf_char(out, ' ');
    buf_add(out, text.at, text.n);
    buf_char(out, ' ');
    buf_free(&text);
}

static size_t
longest(size_t a, const char *text)
{
    const size_t n = strlen(text);
    return n > a ? n : a;
}

static void
put_matrix(const struct tally *t, struct buf *out)
{
    size_t target = 6, level = 5, workload = 8;
    for (size_t i = 0; i < t->cells.n; i++) {
        target = longest(target, t->cells.at[i].target);
        level = longest(level, t->cells.at[i].level);
        workload = longest(workload, t->cells.at[i].workload);
    }
    buf_char(out, '\n');
    pad(out, "target", target);
    pad(out, "level", level);
    pad(out, "workload", workload);
    buf_text(out, "   commits        pairs result\n");
    for (size_t i = 0; i < t->cells.n; i++) {
        const struct tally_cell *c = &t->cells.at[i];
        pad(out, c->target, target);
        pad(out, c->level, level);
        pad(out, c->workload, workload);
        put_number(out, c->committed, 10);
        put_number(out, c->pairs, 12);
        summary_cell(c, out);
        buf_char(out, '\n');
    }
}

/* Lines of a text from outside, each with an indent. */
static void
put_lines(const char *text, const char *indent, struct buf *out)
{
    while (*text) {
        const size_t n = strcspn(text, "\n");
        struct buf line = {0};
        buf_add(&line, text, n);
        buf_text(out, indent);
        buf_shown(out, line.at);
        buf_char(out, '\n');
        buf_free(&line);
        text += n + (text[n] == '\n');
    }
}

static void
put_finding(const struct tally_finding *f, size_t number, struct buf *out)
{
    struct buf text = {0};
    buf_printf(out, "\n%zu. %s: ", number, f->known ? "known" : "NEW");
    summary_headline(f, &text);
    buf_shown(out, text.at);
    buf_text(out, ", in ");
    summary_rate(f->runs, f->of, out);
    buf_char(out, '\n');
    if (f->known) {
        put_lines(f->known, "   known: ", out);
    } else {
        put_lines(f->smallest.title, "   ", out);
        buf_printf(out, "   run %zu: ", f->run);
        buf_shown(out, f->command);
        buf_char(out, '\n');
        if (*f->kept) {
            buf_text(out, "   kept in ");
            buf_shown(out, f->kept);
            buf_char(out, '\n');
        }
        put_lines(*f->script ? f->script : f->smallest.text, "     ", out);
    }
    buf_free(&text);
}

static void
put_untested(const struct tally *t, struct buf *out)
{
    const char *before = "\n";
    for (size_t i = 0; i < t->cells.n; i++) {
        const struct tally_cell *c = &t->cells.at[i];
        if (!tally_is_untested(c))
            continue;
        buf_printf(out, "%snot tested: %s at %s with %s\n", before, c->target,
                   c->level, c->workload);
        before = "";
    }
    if (t->unreadable)
        buf_printf(out, "%s%" PRIu64 " files of results cannot be read\n",
                   before, t->unreadable);
}

void
summary_put_text(const struct tally *t, struct buf *out)
{
    summary_runs(t, out);
    buf_char(out, '\n');
    put_matrix(t, out);
    buf_printf(out, "\nfindings: %zu, %zu of them new\n", t->findings.n,
               t->new_findings);
    for (size_t i = 0; i < t->findings.n; i++)
        put_finding(&t->findings.at[i], i + 1, out);
    put_untested(t, out);
    for (size_t i = 0; i < t->unseen.n; i++) {
        buf_text(out, i ? "" : "\nknown findings that no run showed:\n");
        put_lines(t->unseen.at[i], "  ", out);
    }
    if (t->leads.n)
        buf_text(out, "\nleads: what runs refused or did not check\n");
    for (size_t i = 0; i < t->leads.n; i++) {
        const struct tally_lead *l = &t->leads.at[i];
        buf_printf(out, "  %" PRIu64 " run%s, first %zu: ", l->runs,
                   l->runs == 1 ? "" : "s", l->run);
        buf_shown(out, l->example);
        buf_char(out, '\n');
    }
}
