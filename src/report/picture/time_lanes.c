/* time_lanes.c -- an anomaly on a time axis; see picture.h.
 *
 * There is one lane per session, and a transaction is a bar from its beginning
 * to its end, which makes overlaps visible, with its operations above.
 * The axis spans the transactions of the anomaly and a little more, and begins
 * with the first of them; neighbours are drawn as far as they lie in it.
 * What has a time says so in data-began and data-ended, from which the script
 * draws the same for another part of the axis (page.js).
 *
 * In a lane, transactions whose texts would overlap are below each other.
 *
 * SPDX-License-Identifier: MIT */
#include "report/page/words.h"
#include "report/parts.h"
#include "report/picture/axis.h"
#include "report/picture/picture.h"

#include <assert.h>
#include <string.h>

enum {
    SESSION = 20, // height of the name of a session
    ROW = 40,     // of a transaction in a lane
    BAR = 18,     // of a bar, at the bottom of its row
    CHAR = 8,     // width of a character
    AXIS = 22,    // height of the numbers
    LEFT = 6,     // where the axis begins
    WIDTH = 400,  // of the axis
    EDGE = 26,    // half of a number
    TICKS = 5,
    CAPTION = WIDTH / CHAR - 5, // characters, without "  ..."
};

struct time_lanes {
    const struct anomaly *a;
    const struct picture_clock *clock;
    double zero;               // when the first of them began
    double from, to;           // what is shown, since then
    VEC(const char *) session; // by lane
    u32_vec rows;              // by lane
    u32_vec lane, row;         // by transaction
};

bool
picture_has_times(const struct anomaly *a)
{
    size_t n = 0;
    for (size_t i = 0; i < a->txns.n; i++) {
        const struct anomaly_txn *t = &a->txns.at[i];
        if (t->is_init || t->is_context)
            continue;
        if (!t->has_times || t->ended < t->began)
            return false;
        n++;
    }
    return n > 0;
}

/* What is shown.  An end that is not known is that of the last one that is. */
static void
set_span(struct time_lanes *l)
{
    double first = 0, last = 0;
    bool is_first = true;
    for (size_t i = 0; i < l->a->txns.n; i++) {
        const struct anomaly_txn *t = &l->a->txns.at[i];
        if (t->is_init || t->is_context)
            continue;
        const double began = (double)t->began;
        const double ended = t->ended == INT64_MAX ? began : (double)t->ended;
        first = is_first || began < first ? began : first;
        last = is_first || ended > last ? ended : last;
        is_first = false;
    }
    const double more = last > first ? (last - first) / 12 : 1;
    l->zero = first;
    l->from = -more;
    l->to = last - first + more;
}

static int
place(const struct time_lanes *l, double time)
{
    const double at = time < l->from ? l->from : time > l->to ? l->to : time;
    return LEFT + (int)(WIDTH * (at - l->from) / (l->to - l->from));
}

static double
began(const struct time_lanes *l, const struct anomaly_txn *t)
{
    return (double)t->began - l->zero;
}

static double
ended(const struct time_lanes *l, const struct anomaly_txn *t)
{
    return t->ended == INT64_MAX ? 2 * l->to : (double)t->ended - l->zero;
}

static int
chars_in(const char *text)
{
    int n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

/* The text above a bar: "s4/29  r(x, 1)  w(x, 2)", those that matter; the first
 * of them where there is no room for all. */
static void
put_caption(const struct anomaly_txn *t, struct buf *out)
{
    buf_text(out, t->name);
    if (*t->lines)
        buf_printf(out, "  %s", t->lines);
    for (size_t k = 0; k < t->n_ops; k++) {
        const struct anomaly_op *o = &t->ops[k];
        const char *text = o->brief ? o->brief : o->text;
        if (!o->matters)
            continue;
        if ((k || *t->lines) &&
            chars_in(out->at) + chars_in(text) + 2 > CAPTION) {
            buf_text(out, "  ...");
            return;
        }
        buf_printf(out, "  %s", text);
    }
}

/* Where a caption of so many characters begins: at its bar, or left of that so
 * that it ends with the axis. */
static int
caption_at(const struct time_lanes *l, const struct anomaly_txn *t, int chars)
{
    const int x = place(l, began(l, t)), most = LEFT + WIDTH - chars * CHAR;
    return x < most ? x : most > LEFT ? most : LEFT;
}

/* Find the lane of each transaction and a row in which its text is free. */
static void
arrange(struct time_lanes *l)
{
    VEC(int) free_from = {0}; // by lane, in the last row
    for (uint32_t i = 0; i < l->a->txns.n; i++) {
        const struct anomaly_txn *t = &l->a->txns.at[i];
        uint32_t k = 0;
        while (k < l->session.n && strcmp(l->session.at[k], t->session) != 0)
            k++;
        if (k == l->session.n && !t->is_init) {
            vec_push(&l->session, t->session);
            vec_push(&l->rows, 1);
            vec_push(&free_from, 0);
        }
        uint32_t row = 0;
        if (!t->is_init && !t->is_context) {
            struct buf caption = {0};
            put_caption(t, &caption);
            const int chars = chars_in(caption.at);
            const int x = caption_at(l, t, chars);
            l->rows.at[k] += x < free_from.at[k];
            free_from.at[k] = x + (chars + 1) * CHAR;
            row = l->rows.at[k] - 1;
            buf_free(&caption);
        }
        vec_push(&l->lane, k);
        vec_push(&l->row, row);
    }
    vec_free(&free_from);
}

static int
top_of(const struct time_lanes *l, uint32_t lane)
{
    int y = 4;
    for (uint32_t k = 0; k < lane; k++)
        y += SESSION + (int)l->rows.at[k] * ROW;
    return y;
}

/* Append a time of the axis in words. */
static void
put_time(const struct time_lanes *l, double time, struct buf *out)
{
    if (l->clock->is_nanoseconds)
        axis_time(time, out);
    else
        buf_printf(out, "%.0f", time);
}

static void
put_title(const struct time_lanes *l, const struct anomaly_txn *t,
          struct buf *out)
{
    buf_text(out, "<title>");
    words_txn(t, out);
    buf_printf(out, ", %s, took ", part_status(t->status));
    put_time(l, (double)t->ended - (double)t->began, out);
    for (size_t k = 0; k < t->n_ops; k++) {
        buf_text(out, k ? "  " : ": ");
        words_short(t->ops[k].text, out);
    }
    buf_text(out, "</title>");
}

static void
put_bar(const struct time_lanes *l, uint32_t i, const char *prefix,
        struct buf *out)
{
    const struct anomaly_txn *t = &l->a->txns.at[i];
    const int begin = place(l, began(l, t)), end = place(l, ended(l, t));
    const int y = top_of(l, l->lane.at[i]) + SESSION + (int)l->row.at[i] * ROW;
    picture_open_txn(t, i, prefix, out);
    put_title(l, t, out);
    buf_printf(out,
               "<rect class=\"bar frame\" x=\"%d\" y=\"%d\" width=\"%d\" "
               "height=\"%d\" rx=\"4\" data-began=\"%.0f\" data-ended=\"%.0f\""
               "/>",
               begin, y + ROW - BAR - 4, end - begin < 4 ? 4 : end - begin, BAR,
               began(l, t), ended(l, t));
    if (!t->is_context) {
        struct buf caption = {0};
        put_caption(t, &caption);
        buf_printf(out,
                   "<text class=\"name\" x=\"%d\" y=\"%d\" data-began=\"%.0f\" "
                   "data-chars=\"%d\">",
                   caption_at(l, t, chars_in(caption.at)), y + ROW - BAR - 9,
                   began(l, t), chars_in(caption.at));
        picture_cut(caption.at, WIDTH / CHAR - 1, out);
        buf_text(out, "</text>");
        buf_free(&caption);
    }
    buf_text(out, "</g>");
}

static void
put_ticks(const struct time_lanes *l, int height, struct buf *out)
{
    const struct axis_unit unit = l->clock->is_nanoseconds
                                      ? axis_unit_for(l->to)
                                      : (struct axis_unit){"", 1};
    const double step = axis_step((l->to - l->from) / unit.size, TICKS);
    buf_printf(out, "<g class=\"ticks\">");
    for (int i = -TICKS; i <= TICKS; i++) {
        const double time = i * step * unit.size;
        if (time < l->from || time > l->to)
            continue;
        const int at = place(l, time);
        buf_printf(out,
                   "<line class=\"axis\" x1=\"%d\" y1=\"0\" x2=\"%d\" "
                   "y2=\"%d\"/><text class=\"tick\" x=\"%d\" y=\"%d\" "
                   "text-anchor=\"%s\">",
                   at, at, height - AXIS, at, height - 6,
                   at < LEFT + EDGE           ? "start"
                   : at > LEFT + WIDTH - EDGE ? "end"
                                              : "middle");
        axis_number(i * step, step, out);
        buf_printf(out, "%s%s</text>", *unit.name ? " " : "", unit.name);
    }
    buf_text(out, "</g>");
}

/* Faults are bands behind everything. */
static void
put_faults(const struct time_lanes *l, int height, struct buf *out)
{
    const struct report_origin *o = l->clock->origin;
    for (size_t i = 0; o && i < o->n_faults; i++) {
        const struct report_fault *f = &o->faults[i];
        const double first = f->began * 1e9 - l->zero;
        const double last = f->ended * 1e9 - l->zero;
        const bool is_shown = last >= l->from && first <= l->to;
        const int x = place(l, first), end = place(l, last);
        buf_printf(out,
                   "<g class=\"fault\"%s><title>%s of node %zu at %.2f s of "
                   "the run</title><rect x=\"%d\" y=\"0\" width=\"%d\" "
                   "height=\"%d\" data-began=\"%.0f\" data-ended=\"%.0f\"/>"
                   "<text x=\"%d\" y=\"12\" data-began=\"%.0f\" "
                   "data-chars=\"%zu\">%s</text></g>",
                   is_shown ? "" : " visibility=\"hidden\"", f->kind, f->node,
                   f->began, x, end - x < 2 ? 2 : end - x, height - AXIS, first,
                   last, x + 3, first, strlen(f->kind), f->kind);
    }
}

/* So are statements that ran beside the workload; their titles say which. */
static void
put_statements(const struct time_lanes *l, int height, struct buf *out)
{
    const struct report_origin *o = l->clock->origin;
    for (size_t i = 0; o && i < o->n_nemesis; i++)
        for (size_t k = 0; k < o->nemesis[i].n_times; k++) {
            const struct report_span *t = &o->nemesis[i].times[k];
            const double first = t->began * 1e9 - l->zero;
            const double last = t->ended * 1e9 - l->zero;
            const bool is_shown = last >= l->from && first <= l->to;
            const int x = place(l, first), end = place(l, last);
            buf_printf(out, "<g class=\"statement time\"%s><title>",
                       is_shown ? "" : " visibility=\"hidden\"");
            words_short(o->nemesis[i].statement, out);
            buf_printf(out,
                       ", at %.2f s of the run</title><rect x=\"%d\" y=\"0\" "
                       "width=\"%d\" height=\"%d\" data-began=\"%.0f\" "
                       "data-ended=\"%.0f\"/></g>",
                       t->began, x, end - x < 2 ? 2 : end - x, height - AXIS,
                       first, last);
        }
}

void
picture_time_lanes(const struct anomaly *a, const struct picture_clock *clock,
                   const char *prefix, int *width, int *height, struct buf *out)
{
    struct time_lanes l = {.a = a, .clock = clock};
    assert(picture_has_times(a));
    set_span(&l);
    arrange(&l);
    *width = LEFT + WIDTH + LEFT;
    *height = top_of(&l, (uint32_t)l.session.n) + AXIS + 4;
    put_statements(&l, *height, out);
    put_faults(&l, *height, out);
    put_ticks(&l, *height, out);
    for (uint32_t k = 0; k < l.session.n; k++) {
        buf_printf(out, "<text class=\"session\" x=\"%d\" y=\"%d\">session ",
                   LEFT, top_of(&l, k) + 14);
        picture_cut(l.session.at[k], WIDTH / CHAR / 2, out);
        buf_text(out, "</text>");
    }
    for (int involved = 0; involved < 2; involved++)
        for (uint32_t i = 0; i < a->txns.n; i++)
            if (!a->txns.at[i].is_init && a->txns.at[i].has_times &&
                a->txns.at[i].is_context == (involved == 0))
                put_bar(&l, i, prefix, out);
    vec_free(&l.session);
    vec_free(&l.rows);
    vec_free(&l.lane);
    vec_free(&l.row);
}
