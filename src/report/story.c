/* story.c -- an anomaly as plain lines; see parts.h.
 *
 * SPDX-License-Identifier: MIT */
#include "report/parts.h"
#include "report/picture/axis.h"

#include <string.h>

enum {
    MOST_WIDTH = 24, // of a column
    DIGITS = 20,     // a time is exact to a part of its span
};

void
part_times(const struct anomaly *a, const struct anomaly_txn *t,
           struct buf *out)
{
    if (!a->is_recording) {
        buf_printf(out, "@%lld..%lld", (long long)t->began,
                   (long long)t->ended);
        return;
    }
    const double began = (double)t->began - (double)a->zero;
    const double ended = (double)t->ended - (double)a->zero;
    const struct axis_unit unit = axis_unit_for(ended);
    const double least = (ended - began) / DIGITS / unit.size;
    const double step = least * unit.size < 1 ? 1 / unit.size : least;
    buf_char(out, '+');
    axis_number(began / unit.size, step, out);
    buf_text(out, "..");
    axis_number(ended / unit.size, step, out);
    buf_printf(out, " %s", unit.name);
}

void
part_statements(const struct anomaly_txn *t, const char *indent,
                struct buf *out)
{
    for (size_t i = 0; i < t->n_statements; i++) {
        const struct anomaly_statement *s = &t->statements[i];
        if (!*s->text)
            continue; // its line stands beside the transaction
        buf_printf(out, "%s%s%s", indent, s->place, *s->place ? "  " : "");
        buf_text(out, s->text);
        buf_char(out, '\n');
    }
    if (!t->n_statements && t->meta)
        buf_printf(out, "%s%s\n", indent, t->meta);
}

static bool
has_cases(const struct anomaly *a)
{
    for (size_t i = 0; i < a->steps.n; i++)
        if (a->steps.at[i].depth)
            return true;
    return false;
}

/* Append a text in a column of this width, with two blanks behind it. */
static void
put_column(const char *text, size_t width, struct buf *out)
{
    const size_t len = strlen(text);
    buf_text(out, text);
    buf_printf(out, "%*s", (int)(len < width ? width - len + 2 : 2), "");
}

static void
put_txn(const struct anomaly *a, const struct anomaly_txn *t, size_t width,
        size_t places, const char *indent, struct buf *out)
{
    buf_printf(out, "%s  ", indent);
    put_column(t->name, width, out);
    if (places)
        put_column(t->lines, places, out);
    bool skipped = t->elided > 0, first = true;
    for (size_t i = 0; i < t->n_ops; i++) {
        if (!t->ops[i].matters) {
            skipped = true;
            continue;
        }
        buf_text(out, first ? "" : "  ");
        buf_text(out, t->ops[i].text);
        first = false;
    }
    if (skipped)
        buf_text(out, first ? "..." : "  ...");
    if (t->status != TXN_COMMITTED)
        buf_printf(out, "  (%s)", part_status(t->status));
    if (t->has_times) {
        buf_text(out, "  ");
        part_times(a, t, out);
    }
    buf_char(out, '\n');
    struct buf deeper = {0};
    buf_printf(&deeper, "%s  %*s  ", indent, (int)width, "");
    part_statements(t, deeper.at, out);
    buf_free(&deeper);
}

static size_t
wider(size_t width, const char *text)
{
    const size_t len = strlen(text);
    return len <= width ? width : len < MOST_WIDTH ? len : MOST_WIDTH;
}

void
part_story(const struct anomaly *a, const char *indent, struct buf *out)
{
    size_t width = 0, places = 0;
    for (size_t i = 0; i < a->txns.n; i++)
        if (!a->txns.at[i].is_context && !a->txns.at[i].is_init) {
            width = wider(width, a->txns.at[i].name);
            places = wider(places, a->txns.at[i].lines);
        }
    buf_printf(out, "%s%s.\n\n", indent, a->story);
    for (size_t i = 0; i < a->txns.n; i++)
        if (!a->txns.at[i].is_context && !a->txns.at[i].is_init)
            put_txn(a, &a->txns.at[i], width, places, indent, out);
    if (part_unlisted(a))
        buf_printf(out, "%s  ... and %zu more transactions\n", indent,
                   part_unlisted(a));
    buf_printf(out, "\n%sWhy no order works:\n", indent);
    const bool cases = has_cases(a);
    for (size_t i = 0; i < a->steps.n; i++)
        buf_printf(out, "%s%*s%2zu. %s.\n", indent,
                   (int)(cases ? 2 * a->steps.at[i].depth : 0) + 1, "", i + 1,
                   a->steps.at[i].text);
    buf_printf(out, "\n%s", indent);
    part_holds(a, out);
    buf_text(out, ".\n");
}
