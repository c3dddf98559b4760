/* picture.c -- see picture.h.
 *
 * A cycle of n transactions is drawn as a ring of two columns, down on the left
 * and up on the right, so that arrows run along it; what only supports the
 * cycle, such as the transaction that wrote what two others overwrote, stands
 * in a row above.  Cycles are short, because the history was reduced; a long
 * one makes a tall picture, and nothing overlaps.
 *
 * Widths of text are estimated: all fonts used are monospaced.
 *
 *   (1) a box is as wide as its longest line;
 *   (2) columns are apart by at least what a label between them needs;
 *   (3) an arrow leaves and enters at the height of its operation, on the side
 *       where the other box is; between boxes of one column it runs outside.
 *
 * SPDX-License-Identifier: MIT */
#include "report/picture.h"

#include "report/parts.h"

#include <string.h>

enum {
    CHAR = 8,       // width of a character
    LINE = 19,      // height of a line
    PAD = 10,       // inside a box
    HEAD = 26,      // height of a box's title
    GAP_X = 150,    // between columns (2)
    GAP_Y = 34,     // between boxes of a column
    MARGIN = 54,    // around everything, for arrows that run outside (3)
    HEAD_SIZE = 7,  // of an arrow
    MOST_CHARS = 34 // of an operation; longer ones are cut
};

/* The length of UTF-8 text in characters. */
static int
count_chars(const char *text)
{
    int n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

static int
shown_chars(const char *text)
{
    const int n = count_chars(text);
    return n < MOST_CHARS ? n : MOST_CHARS;
}

/* --- layout
 * -----------------------------------------------------------------*/

static int
lines_of(const struct anomaly_txn *t)
{
    return (int)t->n_ops + (t->elided ? 1 : 0);
}

static void
add_box(struct picture *p, const struct anomaly *a, uint32_t txn)
{
    const struct anomaly_txn *t = &a->txns.at[txn];
    int chars = shown_chars(t->name) + 2;
    for (size_t i = 0; i < t->n_ops; i++)
        if (shown_chars(t->ops[i].text) > chars)
            chars = shown_chars(t->ops[i].text);
    chars = t->elided && chars < 8 ? 8 : chars;
    p->box_of.at[txn] = (uint32_t)p->boxes.n;
    vec_push(&p->boxes,
             ((struct box){
                 .txn = txn,
                 .width = chars * CHAR + 2 * PAD, // (1)
                 .height = HEAD + lines_of(t) * LINE + (lines_of(t) ? PAD : 0),
             }));
}

/* The boxes from 'first' to 'end' below each other, centred at x. */
static int
stack(struct picture *p, size_t first, size_t end, int step, int x, int y)
{
    for (size_t i = first; i != end; i += (size_t)step) {
        struct box *b = &p->boxes.at[i];
        b->x = x - b->width / 2;
        b->y = y;
        y += b->height + GAP_Y;
    }
    return y;
}

static int
widest(const struct picture *p, size_t first, size_t end)
{
    int width = 0;
    for (size_t i = first; i < end; i++)
        if (p->boxes.at[i].width > width)
            width = p->boxes.at[i].width;
    return width;
}

/* The row above the ring; returns where the ring begins. */
static int
place_row(struct picture *p, size_t first, int centre)
{
    int width = 0, height = 0;
    for (size_t i = first; i < p->boxes.n; i++) {
        width += p->boxes.at[i].width + (i > first ? GAP_Y : 0);
        if (p->boxes.at[i].height > height)
            height = p->boxes.at[i].height;
    }
    int x = centre - width / 2;
    for (size_t i = first; i < p->boxes.n; i++) {
        p->boxes.at[i].x = x;
        p->boxes.at[i].y = MARGIN / 3;
        x += p->boxes.at[i].width + GAP_Y;
    }
    return MARGIN / 3 + (height ? height + GAP_Y + GAP_Y / 2 : 0);
}

/* Move everything so that nothing lies left of the margin, and measure. */
static void
settle(struct picture *p)
{
    int left = 0;
    for (size_t i = 0; i < p->boxes.n; i++)
        if (i == 0 || p->boxes.at[i].x < left)
            left = p->boxes.at[i].x;
    for (size_t i = 0; i < p->boxes.n; i++) {
        struct box *b = &p->boxes.at[i];
        b->x += MARGIN - left;
        if (b->x + b->width + MARGIN > p->width)
            p->width = b->x + b->width + MARGIN;
        if (b->y + b->height + MARGIN / 3 > p->height)
            p->height = b->y + b->height + MARGIN / 3;
    }
}

void
picture_init(struct picture *p, const struct anomaly *a)
{
    *p = (struct picture){0};
    for (size_t i = 0; i < a->txns.n; i++)
        vec_push(&p->box_of, ANOMALY_NONE);
    for (size_t i = 0; i < a->cycle.n; i++)
        add_box(p, a, a->edges.at[a->cycle.at[i]].from);
    const size_t ring = p->boxes.n;
    p->ring = (uint32_t)ring;
    for (uint32_t i = 0; i < a->txns.n; i++) {
        bool used = !ring && !a->txns.at[i].is_context;
        for (size_t j = 0; j < a->edges.n; j++)
            used |= a->edges.at[j].from == i || a->edges.at[j].to == i;
        if (used && p->box_of.at[i] == ANOMALY_NONE)
            add_box(p, a, i);
    }
    const size_t left = (ring + 1) / 2;
    const int left_width = widest(p, 0, left);
    const int right_width = widest(p, left, ring);
    const int centre = left_width + GAP_X / 2;
    const int top = place_row(p, ring, ring ? centre : 0);
    stack(p, 0, left, 1, left_width / 2, top);
    if (ring > left)
        stack(p, ring - 1, left - 1, -1, left_width + GAP_X + right_width / 2,
              top);
    settle(p);
}

void
picture_free(struct picture *p)
{
    vec_free(&p->boxes);
    vec_free(&p->box_of);
}

/* --- boxes ------------------------------------------------------------------
 */

/* Text, cut to what a box holds. */
static void
put_text(int x, int y, const char *class, const char *text, struct buf *out)
{
    buf_printf(out, "<text x=\"%d\" y=\"%d\" class=\"%s\">", x, y, class);
    if (count_chars(text) <= MOST_CHARS) {
        part_xml(out, text);
    } else {
        struct buf cut = {0};
        int n = 0;
        for (const char *c = text; *c; c++) {
            n += ((unsigned char)*c & 0xc0) != 0x80;
            if (n >= MOST_CHARS)
                break;
            buf_char(&cut, *c);
        }
        part_xml(out, cut.at);
        buf_text(out, "\xe2\x80\xa6<title>");
        part_xml(out, text);
        buf_text(out, "</title>");
        buf_free(&cut);
    }
    buf_text(out, "</text>");
}

static const char *
box_class(const struct anomaly_txn *t)
{
    return t->is_init                   ? "txn init"
           : t->is_context              ? "txn context"
           : t->status == TXN_COMMITTED ? "txn"
           : t->status == TXN_ABORTED   ? "txn aborted"
                                        : "txn indeterminate";
}

static void
put_box(const struct box *b, const struct anomaly_txn *t, const char *prefix,
        struct buf *out)
{
    buf_printf(out, "<g class=\"%s\" data-txn=\"%s%u\">", box_class(t), prefix,
               b->txn);
    buf_printf(out,
               "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"6\" "
               "class=\"frame\"/>",
               b->x, b->y, b->width, b->height);
    put_text(b->x + PAD, b->y + HEAD - 8, "name", t->name, out);
    int y = b->y + HEAD + LINE - 5;
    for (size_t i = 0; i < t->n_ops; i++, y += LINE) {
        const struct anomaly_op *o = &t->ops[i];
        if (o->matters)
            buf_printf(out,
                       "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" "
                       "rx=\"3\" class=\"cell %s\"/>",
                       b->x + 4, y - LINE + 6, b->width - 8, LINE - 1,
                       o->is_changed ? "read changed"
                       : o->is_write ? "write"
                                     : "read");
        put_text(b->x + PAD, y, o->matters ? "op" : "op dim", o->text, out);
    }
    if (t->elided) {
        struct buf more = {0};
        buf_printf(&more, "+ %zu more", t->elided);
        put_text(b->x + PAD, y, "op dim", more.at, out);
        buf_free(&more);
    }
    buf_text(out, "</g>");
}

/* --- arrows
 * ------------------------------------------------------------------*/

/* A cubic curve. */
struct arrow {
    int x[4], y[4];
    int side;     // of the box that it enters: +1 right, -1 left
    double label; // where on the curve its label sits, from 0 to 1
};

static int
height_of(const struct box *b, uint32_t op)
{
    return op == ANOMALY_NONE ? b->y + HEAD / 2
                              : b->y + HEAD + (int)op * LINE + LINE / 2;
}

static int
clamp(int x, int low, int high)
{
    return x < low ? low : x > high ? high : x;
}

/* From a box of the row above, down through the middle. */
static struct arrow
arrow_down(const struct picture *p, const struct box *a, const struct box *b,
           int to_y)
{
    const int side = b->x + b->width / 2 < p->width / 2 ? 1 : -1;
    const int x = a->x + a->width / 2, y = a->y + a->height;
    const int to_x = side > 0 ? b->x + b->width + HEAD_SIZE : b->x - HEAD_SIZE;
    return (struct arrow){.x = {x, x, to_x + side * 40, to_x},
                          .y = {y, y + (to_y - y) / 2, to_y, to_y},
                          .side = side,
                          .label = 0.42};
}

/* From the side of one box to the side of another (3). */
static struct arrow
arrow_across(const struct picture *p, const struct anomaly_edge *e,
             const struct box *a, const struct box *b)
{
    int from_side, to_side;
    if (a->x + a->width + 20 < b->x) {
        from_side = 1;
        to_side = -1;
    } else if (b->x + b->width + 20 < a->x) {
        from_side = -1;
        to_side = 1;
    } else {
        from_side = to_side =
            a->x + a->width / 2 + b->x + b->width / 2 < p->width ? -1 : 1;
    }
    const int x = from_side > 0 ? a->x + a->width : a->x;
    const int to_x =
        to_side > 0 ? b->x + b->width + HEAD_SIZE : b->x - HEAD_SIZE;
    const int y = height_of(a, e->from_op), to_y = height_of(b, e->to_op);
    const int across = x < to_x ? to_x - x : x - to_x;
    const int down = y < to_y ? to_y - y : y - to_y;
    const int bend = from_side == to_side ? clamp(down / 3, 34, 46)
                                          : clamp(across / 2, 30, 200);
    // The label is nearer to the beginning where two arrows cross.
    return (struct arrow){
        .x = {x, x + from_side * bend, to_x + to_side * bend, to_x},
        .y = {y, y, to_y, to_y},
        .side = to_side,
        .label = from_side == to_side ? 0.5 : 0.32};
}

static int
on_curve(const int c[4], double s)
{
    const double r = 1 - s;
    return (int)(r * r * r * c[0] + 3 * r * r * s * c[1] +
                 3 * r * s * s * c[2] + s * s * s * c[3]);
}

static void
put_path(const char *class, const struct arrow *w, struct buf *out)
{
    buf_printf(out, "<path class=\"%s\" d=\"M%d %dC%d %d %d %d %d %d\"/>",
               class, w->x[0], w->y[0], w->x[1], w->y[1], w->x[2], w->y[2],
               w->x[3], w->y[3]);
}

static void
put_label(const struct arrow *w, const char *label, struct buf *out)
{
    const int x = on_curve(w->x, w->label), y = on_curve(w->y, w->label);
    const int width = count_chars(label) * CHAR + 8;
    buf_printf(out,
               "<rect class=\"plate\" x=\"%d\" y=\"%d\" width=\"%d\" "
               "height=\"18\" rx=\"9\"/>",
               x - width / 2, y - 9, width);
    buf_printf(out,
               "<text class=\"label\" x=\"%d\" y=\"%d\" "
               "text-anchor=\"middle\">%s</text>",
               x, y + 4, label);
}

static void
put_edge(const struct picture *p, const struct anomaly *a, uint32_t i,
         const char *prefix, struct buf *out)
{
    const struct anomaly_edge *e = &a->edges.at[i];
    const struct box *from = &p->boxes.at[p->box_of.at[e->from]];
    const struct box *to = &p->boxes.at[p->box_of.at[e->to]];
    const bool above = p->box_of.at[e->from] >= p->ring && p->ring &&
                       p->box_of.at[e->to] < p->ring;
    const struct arrow w =
        above ? arrow_down(p, from, to, height_of(to, e->to_op))
              : arrow_across(p, e, from, to);
    // That the initial state was read goes without saying, and without label.
    const bool plain = a->txns.at[e->from].is_init && !e->on_cycle;
    buf_printf(
        out,
        "<g class=\"edge %s%s%s%s\" data-edge=\"%s%u\" data-from=\"%s%u\" "
        "data-to=\"%s%u\"><title>",
        part_edge(e->kind), e->on_cycle ? " cycle" : "",
        e->inferred ? " inferred" : "", plain ? " plain" : "", prefix, i,
        prefix, e->from, prefix, e->to);
    part_xml(out, e->reason);
    buf_text(out, "</title>");
    put_path("hit", &w, out);
    put_path("line", &w, out);
    buf_printf(out, "<path class=\"head\" d=\"M%d %dl%d -5v10z\"/>",
               w.x[3] - w.side * HEAD_SIZE, w.y[3], w.side * (HEAD_SIZE + 1));
    if (!plain)
        put_label(&w, part_edge(e->kind), out);
    buf_text(out, "</g>");
}

/* Whether to draw an edge.  Of those that are not part of the cycle, orders of
 * versions that go along with a read, or lie between two transactions of the
 * cycle, are in the list of reasons and would only cover the rest here. */
static bool
is_drawn(const struct picture *p, const struct anomaly *a,
         const struct anomaly_edge *e)
{
    if (p->box_of.at[e->from] == ANOMALY_NONE ||
        p->box_of.at[e->to] == ANOMALY_NONE)
        return false;
    if (e->on_cycle || e->kind != EDGE_WW)
        return true;
    if (p->box_of.at[e->from] < p->ring && p->box_of.at[e->to] < p->ring)
        return false;
    for (size_t i = 0; i < a->edges.n; i++) {
        const struct anomaly_edge *other = &a->edges.at[i];
        if (other->kind == EDGE_WR && other->from == e->from &&
            other->to == e->to)
            return false;
    }
    return true;
}

void
picture_svg(const struct picture *p, const struct anomaly *a,
            const char *prefix, struct buf *out)
{
    for (size_t i = 0; i < p->boxes.n; i++)
        put_box(&p->boxes.at[i], &a->txns.at[p->boxes.at[i].txn], prefix, out);
    // Those of the cycle last, so that they lie on top.
    for (int cycle = 0; cycle < 2; cycle++)
        for (uint32_t i = 0; i < a->edges.n; i++) {
            const struct anomaly_edge *e = &a->edges.at[i];
            if (e->on_cycle == (cycle == 1) && is_drawn(p, a, e))
                put_edge(p, a, i, prefix, out);
        }
}
