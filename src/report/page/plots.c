/* plots.c -- see plots.h.
 *
 * Rates are bars from zero; latencies are lines on a logarithmic scale, because
 * a fault makes them a thousand times what they were.  A plot is so narrow that
 * its text is readable on a telephone, and three stand beside each other
 * elsewhere.  The numbers are in a table, for who cannot see plots.
 *
 * SPDX-License-Identifier: MIT */
#include "report/page/plots.h"

#include "report/page/words.h"
#include "report/parts.h"
#include "report/picture/axis.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

enum {
    WIDTH = 340,
    HEIGHT = 170,
    LEFT = 58, // of the plane in which things are drawn
    RIGHT = WIDTH - 12,
    TOP = 10,
    BOTTOM = HEIGHT - 24,
    TICKS = 5, // on the axis of time
    LINES = 3, // on the other one
};

struct plane {
    const struct timeline *t;
    const struct report_origin *o;
    double seconds;   // of the whole run
    double low, high; // values; those of a logarithmic scale are logarithms
};

static double
x_of(const struct plane *p, double seconds)
{
    return LEFT + (RIGHT - LEFT) * seconds / p->seconds;
}

static double
y_of(const struct plane *p, double value)
{
    return BOTTOM - (BOTTOM - TOP) * (value - p->low) / (p->high - p->low);
}

/* --- axes ------------------------------------------------------------------*/

static void
put_seconds_axis(const struct plane *p, struct buf *out)
{
    const struct axis_unit unit = axis_unit_for(p->seconds * 1e9);
    const double whole = p->seconds * 1e9 / unit.size;
    const double step = axis_step(whole, TICKS);
    for (int i = 0; i <= TICKS && i * step <= whole; i++) {
        const double x = x_of(p, i * step * unit.size / 1e9);
        buf_printf(out,
                   "<text class=\"tick\" x=\"%.1f\" y=\"%d\" "
                   "text-anchor=\"%s\">",
                   x, HEIGHT - 6, x > RIGHT - 20 ? "end" : "middle");
        axis_number(i * step, step, out);
        buf_printf(out, " %s</text>", unit.name);
    }
}

static void
put_line(double y, struct buf *out)
{
    buf_printf(out,
               "<line class=\"axis\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" "
               "y2=\"%.1f\"/><text class=\"tick\" x=\"%d\" y=\"%.1f\" "
               "text-anchor=\"end\">",
               LEFT, y, RIGHT, y, LEFT - 6, y + 4);
}

static void
put_rate_axis(const struct plane *p, struct buf *out)
{
    const double step = axis_step(p->high, LINES);
    for (int i = 0; i <= LINES && i * step <= p->high; i++) {
        put_line(y_of(p, i * step), out);
        axis_number(i * step, step, out);
        buf_text(out, "</text>");
    }
}

/* A line for each power of ten, "1 ms". */
static void
put_latency_axis(const struct plane *p, struct buf *out)
{
    for (int power = (int)p->low; power <= (int)p->high; power++) {
        const double time = pow(10, power);
        const struct axis_unit unit = axis_unit_for(time * 1.0001);
        put_line(y_of(p, power), out);
        buf_printf(out, "%.0f %s</text>", time / unit.size, unit.name);
    }
}

static void
put_faults(const struct plane *p, struct buf *out)
{
    for (size_t i = 0; p->o && i < p->o->n_faults; i++) {
        const struct report_fault *f = &p->o->faults[i];
        if (f->began > p->seconds)
            continue;
        const double x = x_of(p, f->began);
        const double end =
            x_of(p, f->ended < p->seconds ? f->ended : p->seconds);
        const bool is_late = x > (LEFT + RIGHT) / 2;
        buf_printf(out,
                   "<g class=\"fault\"><title>%s of node %zu at %.2f s, until "
                   "%.2f s</title><rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" "
                   "height=\"%d\"/><text x=\"%.1f\" y=\"%d\" "
                   "text-anchor=\"%s\">%s</text></g>",
                   f->kind, f->node, f->began, f->ended, x, TOP,
                   end - x < 2 ? 2 : end - x, BOTTOM - TOP,
                   is_late ? x - 3 : end + 3, TOP + 11,
                   is_late ? "end" : "start", f->kind);
    }
}

/* Marks for the statements that ran beside the workload.  What they say is in
 * their titles: names beside marks that repeat would cover each other. */
static void
put_statements(const struct plane *p, struct buf *out)
{
    for (size_t i = 0; p->o && i < p->o->n_nemesis; i++) {
        const struct report_nemesis *n = &p->o->nemesis[i];
        for (size_t k = 0; k < n->n_times; k++) {
            const struct report_span *t = &n->times[k];
            if (t->began > p->seconds)
                break;
            const double x = x_of(p, t->began);
            const double end =
                x_of(p, t->ended < p->seconds ? t->ended : p->seconds);
            buf_text(out, "<g class=\"statement time\"><title>");
            words_short(n->statement, out);
            buf_printf(out,
                       ", at %.2f s, until %.2f s</title><rect x=\"%.1f\" "
                       "y=\"%d\" width=\"%.1f\" height=\"%d\"/></g>",
                       t->began, t->ended, x, TOP, end - x < 2 ? 2 : end - x,
                       BOTTOM - TOP);
        }
    }
}

static void
begin_plot(const char *title, const char *legend, struct buf *out)
{
    buf_printf(out,
               "<figure class=\"plot\"><figcaption><b>%s</b>%s</figcaption>"
               "<svg viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
               "role=\"img\" aria-label=\"%s, over time\">",
               title, legend, WIDTH, HEIGHT, WIDTH, HEIGHT, title);
}

static void
end_plot(struct buf *out)
{
    buf_text(out, "</svg></figure>");
}

/* --- rates -----------------------------------------------------------------*/

static void
put_bar(const struct plane *p, const char *class, size_t i, double from,
        double to, struct buf *out)
{
    const double x = x_of(p, (double)i * p->t->seconds);
    const double end = x_of(p, (double)(i + 1) * p->t->seconds);
    if (to > from)
        buf_printf(out,
                   "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                   "height=\"%.1f\"/>",
                   class, x, y_of(p, to), end - x > 2 ? end - x - 1 : end - x,
                   y_of(p, from) - y_of(p, to));
}

/* Commits, or aborts with those of unknown outcome above them. */
static void
put_rates(struct plane *p, bool is_commits, struct buf *out)
{
    double most = 0;
    bool unknown = false;
    for (size_t i = 0; i < p->t->intervals.n; i++) {
        const struct timeline_interval *in = &p->t->intervals.at[i];
        const double n = is_commits ? (double)in->committed
                                    : (double)(in->aborted + in->unknown);
        most = n > most ? n : most;
        unknown |= !is_commits && in->unknown;
    }
    p->low = 0;
    p->high = most > 0 ? most / p->t->seconds * 1.1 : 1;
    begin_plot(is_commits ? "Commits per second" : "Aborts per second",
               unknown ? " <span class=\"swatch unknown\"></span> outcome "
                         "unknown"
                       : "",
               out);
    put_statements(p, out);
    put_faults(p, out);
    put_rate_axis(p, out);
    for (size_t i = 0; i < p->t->intervals.n; i++) {
        const struct timeline_interval *in = &p->t->intervals.at[i];
        const double first =
            (double)(is_commits ? in->committed : in->aborted) / p->t->seconds;
        put_bar(p, is_commits ? "committed" : "aborted", i, 0, first, out);
        if (!is_commits)
            put_bar(p, "unknown", i, first,
                    first + (double)in->unknown / p->t->seconds, out);
    }
    put_seconds_axis(p, out);
    end_plot(out);
}

/* --- latency ---------------------------------------------------------------*/

/* A line through the middles of the intervals; where nothing was committed
 * there is a gap, and a lonely interval is a dot. */
static void
put_curve(const struct plane *p, bool is_median, struct buf *out)
{
    bool is_down = false;
    buf_printf(out, "<path class=\"%s\" d=\"", is_median ? "p50" : "p99");
    for (size_t i = 0; i < p->t->intervals.n; i++) {
        const struct timeline_interval *in = &p->t->intervals.at[i];
        const int64_t time = is_median ? in->median : in->percentile_99;
        if (time >= 0)
            buf_printf(out, "%c%.1f %.1f%s", is_down ? 'L' : 'M',
                       x_of(p, ((double)i + 0.5) * p->t->seconds),
                       y_of(p, log10(time > 0 ? (double)time : 1)),
                       is_down ? "" : "h0");
        is_down = time >= 0;
    }
    buf_text(out, "\"/>");
}

static void
put_latency(struct plane *p, struct buf *out)
{
    int64_t least = INT64_MAX, most = 0;
    for (size_t i = 0; i < p->t->intervals.n; i++) {
        const struct timeline_interval *in = &p->t->intervals.at[i];
        if (in->median < 0)
            continue;
        assert(in->median <= in->percentile_99);
        least = in->median < least ? in->median : least;
        most = in->percentile_99 > most ? in->percentile_99 : most;
    }
    if (least > most)
        return; // nothing was committed
    p->low = floor(log10(least > 0 ? (double)least : 1));
    p->high = ceil(log10(most > 0 ? (double)most : 1));
    p->high += p->high <= p->low;
    begin_plot("Latency of commits",
               " <span class=\"swatch p50\"></span> median <span "
               "class=\"swatch p99\"></span> 99th percentile",
               out);
    put_statements(p, out);
    put_faults(p, out);
    put_latency_axis(p, out);
    put_curve(p, true, out);
    put_curve(p, false, out);
    put_seconds_axis(p, out);
    end_plot(out);
}

/* --- numbers ---------------------------------------------------------------*/

static void
put_time_cell(double nanoseconds, struct buf *out)
{
    buf_text(out, "<td>");
    if (nanoseconds >= 0)
        axis_time(nanoseconds, out);
    buf_text(out, "</td>");
}

static void
put_numbers(const struct plane *p, struct buf *out)
{
    buf_text(out, "<details class=\"numbers\"><summary>The same as numbers"
                  "</summary><table><thead><tr><th scope=\"col\">from</th>"
                  "<th scope=\"col\">committed</th><th scope=\"col\">aborted"
                  "</th><th scope=\"col\">outcome unknown</th><th "
                  "scope=\"col\">median</th><th scope=\"col\">99th percentile"
                  "</th></tr></thead><tbody>");
    for (size_t i = 0; i < p->t->intervals.n; i++) {
        const struct timeline_interval *in = &p->t->intervals.at[i];
        buf_text(out, "<tr>");
        put_time_cell((double)i * p->t->seconds * 1e9, out);
        buf_printf(
            out, "<td>%" PRIu64 "</td><td>%" PRIu64 "</td><td>%" PRIu64 "</td>",
            in->committed, in->aborted, in->unknown);
        put_time_cell((double)in->median, out);
        put_time_cell((double)in->percentile_99, out);
        buf_text(out, "</tr>");
    }
    buf_text(out, "</tbody></table></details>");
}

/* What the marks are. */
static void
put_legend(const struct report_origin *o, struct buf *out)
{
    for (size_t i = 0; o && i < o->n_nemesis; i++) {
        if (!o->nemesis[i].n_times)
            continue;
        buf_text(out, "<p class=\"soft\"><span class=\"swatch time\">"
                      "</span> ");
        words_short(o->nemesis[i].statement, out);
        buf_text(out, "</p>");
    }
}

void
plots_html(const struct timeline *t, const struct report_origin *o,
           struct buf *out)
{
    struct plane p = {
        .t = t, .o = o, .seconds = t->seconds * (double)t->intervals.n};
    uint64_t failed = 0;
    assert(t->intervals.n && t->seconds > 0);
    for (size_t i = 0; i < t->intervals.n; i++)
        failed += t->intervals.at[i].aborted + t->intervals.at[i].unknown;
    buf_text(out, "<details class=\"plots\" open><summary>How it went over time"
                  "</summary><div class=\"row\">");
    put_rates(&p, true, out);
    put_latency(&p, out);
    if (failed)
        put_rates(&p, false, out);
    buf_text(out, "</div>");
    put_legend(o, out);
    put_numbers(&p, out);
    buf_text(out, "</details>\n");
}
