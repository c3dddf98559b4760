/* time_lanes.c -- an anomaly on a time axis; see picture.h.
 *
 * There is one lane per session, and a transaction is a bar from its beginning
 * to its end, so that overlaps are seen at a glance.  The axis spans the
 * transactions of the anomaly and a little more; neighbours are drawn as far as
 * they lie in it.  Its numbers are the times of the input.
 *
 * SPDX-License-Identifier: MIT */
#include "report/parts.h"
#include "report/picture/picture.h"

#include <assert.h>
#include <string.h>

enum {
    LANE = 46,   // height
    BAR = 18,    // height of a bar
    CHAR = 8,    // width of a character
    AXIS = 22,   // height of the numbers
    WIDTH = 400, // of the axis
    TICKS = 3,
    MOST_CHARS = 16,
};

struct time_axis {
    double from, to; // times
    int left;        // where it begins
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

/* An end that is not known is that of the last one that is. */
static struct time_axis
span(const struct anomaly *a)
{
    struct time_axis x = {0};
    bool first = true;
    for (size_t i = 0; i < a->txns.n; i++) {
        const struct anomaly_txn *t = &a->txns.at[i];
        if (t->is_init || t->is_context)
            continue;
        const double ended =
            (double)(t->ended == INT64_MAX ? t->began : t->ended);
        x.from = first || (double)t->began < x.from ? (double)t->began : x.from;
        x.to = first || ended > x.to ? ended : x.to;
        first = false;
    }
    const double more = (x.to - x.from) / 12 + 1;
    x.from -= more;
    x.to += more;
    return x;
}

static int
place(const struct time_axis *x, double time)
{
    const double at = time < x->from ? x->from : time > x->to ? x->to : time;
    return x->left + (int)(WIDTH * (at - x->from) / (x->to - x->from));
}

static void
put_bar(const struct anomaly_txn *t, uint32_t i, const struct time_axis *x,
        int y, const char *prefix, struct buf *out)
{
    const int begin = place(x, (double)t->began);
    const int end = place(x, (double)t->ended);
    const int width = end - begin < 4 ? 4 : end - begin;
    buf_printf(out,
               "<g class=\"txn%s%s\" data-txn=\"%s%u\" tabindex=\"0\" "
               "role=\"button\"><title>",
               t->is_context ? " context" : "",
               t->status == TXN_ABORTED         ? " aborted"
               : t->status == TXN_INDETERMINATE ? " indeterminate"
                                                : "",
               prefix, i);
    part_xml(out, t->name);
    buf_printf(out, ", %s, from %lld to %lld", part_status(t->status),
               (long long)t->began, (long long)t->ended);
    for (size_t k = 0; k < t->n_ops; k++) {
        buf_text(out, k ? "  " : ": ");
        part_xml(out, t->ops[k].text);
    }
    buf_printf(out,
               "</title><rect class=\"bar frame\" x=\"%d\" y=\"%d\" "
               "width=\"%d\" height=\"%d\" rx=\"4\"/>",
               begin, y, width, BAR);
    if (!t->is_context) {
        const bool is_right = begin > x->left + 3 * WIDTH / 4;
        buf_printf(out,
                   "<text class=\"name\" x=\"%d\" y=\"%d\" "
                   "text-anchor=\"%s\">",
                   is_right ? begin + width : begin, y - 4,
                   is_right ? "end" : "start");
        picture_cut(t->name, MOST_CHARS, out);
        buf_text(out, "</text>");
    }
    buf_text(out, "</g>");
}

static void
put_axis(const struct time_axis *x, int height, struct buf *out)
{
    for (int i = 0; i <= TICKS; i++) {
        const double time = x->from + (x->to - x->from) * i / TICKS;
        const int at = place(x, time);
        buf_printf(out,
                   "<line class=\"axis\" x1=\"%d\" y1=\"0\" x2=\"%d\" "
                   "y2=\"%d\"/><text class=\"tick\" x=\"%d\" y=\"%d\" "
                   "text-anchor=\"%s\">%.0f</text>",
                   at, at, height - AXIS, at, height - 6,
                   i == 0       ? "start"
                   : i == TICKS ? "end"
                                : "middle",
                   time);
    }
}

void
picture_time_lanes(const struct anomaly *a, const char *prefix, int *width,
                   int *height, struct buf *out)
{
    struct time_axis x = span(a);
    VEC(const char *) sessions = {0};
    u32_vec lane = {0};
    int name = 0;
    assert(picture_has_times(a));
    for (size_t i = 0; i < a->txns.n; i++) {
        const char *session = a->txns.at[i].session;
        uint32_t k = 0;
        while (k < sessions.n && strcmp(sessions.at[k], session) != 0)
            k++;
        if (k == sessions.n && !a->txns.at[i].is_init)
            vec_push(&sessions, session);
        vec_push(&lane, k);
        const int n = (int)strlen(session);
        name = n > name && !a->txns.at[i].is_init ? n : name;
    }
    name = name > MOST_CHARS ? MOST_CHARS : name;
    x.left = (8 + name + 1) * CHAR + 10;
    *width = x.left + WIDTH + 10;
    *height = (int)sessions.n * LANE + AXIS + 8;
    put_axis(&x, *height, out);
    for (uint32_t k = 0; k < sessions.n; k++) {
        buf_printf(out, "<text class=\"session\" x=\"4\" y=\"%d\">session ",
                   (int)k * LANE + LANE - 10);
        picture_cut(sessions.at[k], MOST_CHARS, out);
        buf_text(out, "</text>");
    }
    for (int blamed = 0; blamed < 2; blamed++)
        for (uint32_t i = 0; i < a->txns.n; i++) {
            const struct anomaly_txn *t = &a->txns.at[i];
            if (t->is_init || t->is_context != (blamed == 0) || !t->has_times ||
                (double)t->ended < x.from || (double)t->began > x.to)
                continue;
            put_bar(t, i, &x, (int)lane.at[i] * LANE + LANE - BAR - 5, prefix,
                    out);
        }
    vec_free(&sessions);
    vec_free(&lane);
}
