/* predict_show.c -- see predict_show.h.
 *
 * SPDX-License-Identifier: MIT */
#include "report/predict/predict_show.h"

#include "history/tested.h"
#include "report/parts.h"
#include "report/predict/predict_words.h"

#include <string.h>

const char *
predict_show_answer(enum predict_answer a)
{
    return a == PREDICT_FOUND  ? "predicted"
           : a == PREDICT_NONE ? "none"
                               : "unknown";
}

/* Lines of a paragraph, indented and broken according to the style. */
static void
put_lines(const struct buf *text, const struct report_style *s, struct buf *out)
{
    struct buf lines = {0};
    for (const char *at = text->n ? text->at : ""; *at;) {
        const size_t n = strcspn(at, "\n");
        buf_text(&lines, "  ");
        buf_add(&lines, at, n);
        buf_char(&lines, '\n');
        at += n + (at[n] == '\n');
    }
    if (lines.n && s->width)
        part_wrap(lines.at, s->width, out);
    else if (lines.n)
        buf_text(out, lines.at);
    buf_free(&lines);
}

struct change_row {
    struct buf read, observed, predicted;
};

/* The changed reads, observed and predicted side by side. */
static void
put_table(const struct execution *x, struct buf *out)
{
    const struct observed *o = x->o;
    VEC(struct change_row) rows = {0};
    size_t read = 0, observed = strlen("observed");
    for (uint32_t r = 0; r < o->reads.n; r++) {
        if (!predict_words_is_changed(x, r))
            continue;
        struct change_row row = {{0}, {0}, {0}};
        const key_id k = o->reads.at[r].key;
        history_show_txn(o->h, o->id[o->reads.at[r].txn], &row.read);
        buf_text(&row.read, "  r(");
        history_show_key(o->h, k, &row.read);
        buf_char(&row.read, ')');
        predict_words_source(o, o->reads.at[r].writer, k, "", &row.observed);
        predict_words_source(o, x->writer[r], k, "", &row.predicted);
        read = row.read.n > read ? row.read.n : read;
        observed = row.observed.n > observed ? row.observed.n : observed;
        vec_push(&rows, row);
    }
    if (rows.n)
        buf_printf(out, "\n    %-*s  %-*s  could be\n", (int)read, "",
                   (int)observed, "observed");
    for (size_t i = 0; i < rows.n; i++) {
        buf_printf(out, "    %-*s  %-*s  %s\n", (int)read, rows.at[i].read.at,
                   (int)observed, rows.at[i].observed.at,
                   rows.at[i].predicted.at);
        buf_free(&rows.at[i].read);
        buf_free(&rows.at[i].observed);
        buf_free(&rows.at[i].predicted);
    }
    vec_free(&rows);
}

static void
put_predicted(const struct predict_result *r, size_t i,
              const struct report_style *s, struct buf *out)
{
    const struct prediction *all = r->prediction;
    const struct predicted *p = &all->found.at[i];
    const struct explanation *e = &r->explanations[i];
    buf_char(out, '\n');
    if (all->found.n > 1)
        buf_printf(out, "  %zu of %zu\n", i + 1, all->found.n);
    struct buf words = {0};
    predict_words_premise(p, predict_title(r->options), &words);
    put_lines(&words, s, out);
    put_table(&p->execution, out);
    buf_clear(&words);
    predict_words_notes(p, &words);
    if (words.n)
        buf_char(out, '\n');
    put_lines(&words, s, out);
    buf_clear(&words);
    predict_words_validated(r->validated, i, p, &words);
    if (words.n)
        buf_char(out, '\n');
    put_lines(&words, s, out);
    if (e->anomalies.n) {
        report_anomaly_text(&e->anomalies.at[0], s, "", out);
        buf_clear(&words);
        predict_words_prevention(&e->anomalies.at[0], &words);
        put_lines(&words, s, out);
    }
    buf_free(&words);
}

/* ": 7 predictions, none validated (5 on a condition)". */
static void
put_declined(const struct prediction *p, struct buf *out)
{
    buf_printf(out, ": %zu prediction%s, %s %s", p->declined,
               p->declined == 1 ? "" : "s", p->declined == 1 ? "not" : "none",
               p->observed.rows ? "shown" : "validated");
    if (p->declined_conditional == p->declined)
        buf_text(out, p->declined == 1 ? " (on a condition)"
                                       : " (all on a condition)");
    else if (p->declined_conditional)
        buf_printf(out, " (%zu on a condition)", p->declined_conditional);
}

static const char *
colour_of(enum predict_answer a)
{
    return a == PREDICT_NONE ? "32" : a == PREDICT_FOUND ? "1;31" : "33";
}

void
predict_show_text(const struct predict_result *r, const struct report_style *s,
                  struct buf *out)
{
    const struct prediction *p = r->prediction;
    buf_shown(out, r->path);
    buf_text(out, ": ");
    if (s->colour)
        buf_printf(out, "\033[%sm", colour_of(r->answer));
    buf_printf(out, "%s: %s", predict_name(r->options),
               predict_show_answer(r->answer));
    if (r->answer == PREDICT_DECLINED)
        put_declined(p, out);
    else if (p->is_untested)
        buf_text(out, ": " HISTORY_UNTESTED);
    else if (r->answer == PREDICT_NONE && r->gaps[0])
        buf_printf(out, ", %s", r->gaps);
    else if (r->answer == PREDICT_UNKNOWN && r->stop.kind != LIMIT_NONE) {
        buf_text(out, ": ");
        limit_show(&r->stop, out);
    } else if (p->found.n && (p->found.at[0].must_not_write != ID_NONE ||
                              p->found.at[0].is_open))
        buf_text(out, " on a condition");
    if (r->answer == PREDICT_FOUND && r->explanations[0].anomalies.n)
        buf_printf(out, ": %s", r->explanations[0].anomalies.at[0].headline);
    if (p->found.n > 1)
        buf_printf(out, ", and %zu more", p->found.n - 1);
    buf_text(out, s->colour ? "\033[0m\n" : "\n");
    if (s->verdicts_only)
        return;
    if (r->answer == PREDICT_DECLINED && p->declined > 1)
        buf_text(out, "\n  One of them:\n");
    for (size_t i = 0; i < p->found.n; i++)
        put_predicted(r, i, s, out);
    if (p->found.n)
        buf_char(out, '\n');
    if (p->similar)
        buf_printf(out,
                   "  %zu more prediction%s tell%s the same with other "
                   "transactions.\n\n",
                   p->similar, p->similar == 1 ? "" : "s",
                   p->similar == 1 ? "s" : "");
    if (p->found.n && p->is_cut_short)
        buf_text(out, "  A limit was reached: there may be more.\n\n");
    if (p->found.n && r->stop.kind != LIMIT_NONE) {
        buf_text(out, "  Not explained: ");
        limit_show(&r->stop, out);
        buf_text(out, ".\n\n");
    }
}
