/* text.c -- results for a terminal.
 *
 * The verdict lines come first, in a form that scripts rely on; then the
 * summary, then the anomalies.  All other lines that belong to a level are
 * indented, so that the verdict lines can be found.
 *
 * SPDX-License-Identifier: MIT */
#include "report/answer.h"
#include "report/found.h"
#include "report/parts.h"
#include "report/power.h"

static void
put_colour(const struct report_style *s, const char *code, struct buf *out)
{
    if (s->colour)
        buf_printf(out, "\033[%sm", code);
}

static const char *
colour_of(enum verdict v)
{
    return v == VERDICT_OK ? "32" : v == VERDICT_VIOLATED ? "1;31" : "33";
}

/* Append the text with long names shortened but for the name of the history;
 * where the list of these names begins. */
static size_t
shorten(const struct buf *text, const char *path, const struct report_style *s,
        struct buf *out)
{
    struct buf name = {0};
    size_t end = text->n;
    buf_shown(&name, path);
    if (s->verdicts_only)
        buf_add(out, text->at, text->n);
    else if (text->n)
        end = part_shorten(text->at, name.n ? name.at : "", out);
    buf_free(&name);
    return end;
}

/* Append the text as a person can read it: long names shortened and lines
 * broken.  'before' is how the text begins, which is written already; the list
 * of long names comes where this is the last of it. */
static void
put_readable(const struct buf *text, const struct buf *before, const char *path,
             const struct report_style *s, bool last, struct buf *out)
{
    struct buf brief = {0}, written = {0};
    const size_t first = shorten(before, path, s, &written);
    const size_t end = shorten(text, path, s, &brief);
    assert(first <= end && (!first || !memcmp(brief.at, written.at, first)));
    if (!last && brief.n) {
        brief.n = end;
        brief.at[end] = 0;
    }
    if (brief.n > first && s->width)
        part_wrap(brief.at + first, s->width, out);
    else if (brief.n > first)
        buf_add(out, brief.at + first, brief.n - first);
    buf_free(&written);
    buf_free(&brief);
}

/* The same, before that. */
static void
put_anomaly_text(const struct anomaly *a, const struct report_style *s,
                 const char *number, struct buf *out)
{
    buf_char(out, '\n');
    put_colour(s, "1", out);
    buf_printf(out, "  %s", number);
    buf_text(out, a->headline);
    put_colour(s, "0", out);
    struct buf names = {0};
    part_other_names(a, &names);
    if (names.n)
        buf_printf(out, " (%s)", names.at);
    buf_free(&names);
    buf_char(out, '\n');
    part_story(a, "  ", out);
}

void
report_anomaly_text(const struct anomaly *a, const struct report_style *s,
                    const char *number, struct buf *out)
{
    struct buf text = {0};
    put_anomaly_text(a, s, number, &text);
    put_readable(&text, &(struct buf){0}, "", s, true, out);
    buf_free(&text);
}

/* Why the verdicts say little, on its own line. */
static void
put_weakness(const struct report_run *run, const struct report_style *s,
             struct buf *out)
{
    struct buf weakness = {0};
    power_advice(run->power, power_levels(run->check), run->origin, &weakness);
    if (weakness.n) {
        put_colour(s, "33", out);
        buf_printf(out, "weak test: %s.", weakness.at);
        put_colour(s, "0", out);
        buf_char(out, '\n');
    }
    buf_free(&weakness);
}

static void
put_verdict(const struct report_style *s, const char *path,
            const struct level_result *r, const struct explanation *e,
            struct buf *out)
{
    buf_shown(out, path);
    buf_text(out, ": ");
    put_colour(s, colour_of(r->certificate.verdict), out);
    report_verdict(r, e, out);
    put_colour(s, "0", out);
    buf_char(out, '\n');
}

/* A level: its verdict line, and why there is no anomaly. */
static void
put_level(const struct report_style *s, const struct report_run *run, size_t i,
          struct buf *out)
{
    const struct explanation *e = &run->explanations[i];
    put_verdict(s, run->path, &run->check->results.at[i], e, out);
    if (s->verdicts_only || e->anomalies.n || !part_has_more(e))
        return;
    buf_text(out, "  ");
    part_more(e, out);
    buf_char(out, '\n');
}

/* The first n levels, in lines that are not broken yet. */
static void
put_levels(const struct report_style *style, const struct report_run *run,
           size_t n, struct buf *out)
{
    struct report_style unbroken = *style;
    unbroken.width = 0;
    for (size_t i = 0; i < n; i++)
        put_level(&unbroken, run, i, out);
}

static bool
add_early(struct report *to, const struct report_run *run)
{
    struct buf text = {0}, before = {0};
    put_levels(&to->style, run, to->state.early, &before);
    put_levels(&to->style, run, to->state.early + 1, &text);
    put_readable(&text, &before, run->path, &to->style, false, &to->out);
    buf_free(&text);
    buf_free(&before);
    return true;
}

/* The anomalies, and how many there are. */
static void
put_anomalies(const struct report_run *run, const struct report_style *s,
              struct buf *out)
{
    found_vec show = {0};
    struct buf counts = {0};
    found_to_show(run, s->all, &show);
    for (size_t i = 0; i < show.n; i++)
        put_anomaly_text(show.at[i].a, s, "", out);
    found_counts(run, show.n, &counts);
    if (counts.n) {
        buf_char(out, '\n');
        buf_add(out, counts.at, counts.n);
    }
    if (show.n)
        buf_char(out, '\n');
    buf_free(&counts);
    vec_free(&show);
}

static void
put_run(const struct report_style *style, const struct report_run *run,
        struct buf *out)
{
    struct report_style unbroken = *style, *s = &unbroken;
    s->width = 0;
    put_levels(s, run, run->check->results.n, out);
    if (run->check->all) {
        buf_shown(out, run->path);
        buf_text(out, ": ");
        part_strongest(run->check, out);
        buf_char(out, '\n');
    }
    if (answer_applies(run) && !s->verdicts_only)
        answer_text(run, s, out);
    if (run->power && (!s->verdicts_only || run->power_required))
        put_weakness(run, s, out);
    if (!s->verdicts_only)
        put_anomalies(run, s, out);
}

static void
add(struct report *to, const struct report_run *run)
{
    struct buf text = {0}, before = {0};
    put_levels(&to->style, run, to->state.early, &before);
    put_run(&to->style, run, &text);
    put_readable(&text, &before, run->path, &to->style, true, &to->out);
    buf_free(&text);
    buf_free(&before);
}

const struct report_format report_text = {
    .name = "text",
    .suffix = ".txt",
    .help = "for reading in a terminal",
    .add = add,
    .add_early = add_early,
};
