/* picture_arrow.c -- see picture_arrow.h.
 *
 * SPDX-License-Identifier: MIT */
#include "report/picture/picture_arrow.h"

#include "report/parts.h"

#include <assert.h>

int
picture_chars(const char *text)
{
    int n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

/* A cubic curve. */
struct arrow {
    int x[4], y[4];
    int side;              // where it enters the box: +1 right, -1 left
    double label;          // the place of its label on the curve, from 0 to 1
    const struct bow *bow; // where its label is, in a picture of one column
};

/* Arrows leave an operation below its middle and enter it above, so that one
 * that leaves and one that enters never look like one with two heads. */
enum { LEAVES = 4, ENTERS = -4 };

static int
height_of(const struct box *b, uint32_t op, int offset)
{
    return offset + (op == ANOMALY_NONE
                         ? b->y + PICTURE_HEAD / 2
                         : b->y + PICTURE_HEAD + (int)op * PICTURE_LINE +
                               PICTURE_LINE / 2);
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
    const int to_x = side > 0 ? b->x + b->width + PICTURE_HEAD_SIZE
                              : b->x - PICTURE_HEAD_SIZE;
    return (struct arrow){.x = {x, x, to_x + side * 40, to_x},
                          .y = {y, y + (to_y - y) / 2, to_y, to_y},
                          .side = side,
                          .label = 0.7};
}

/* Beside the boxes of one column. */
static struct arrow
arrow_beside(const struct anomaly_edge *e, const struct box *a,
             const struct box *b, const struct bow *bow)
{
    const int side = bow->side;
    const int x = side > 0 ? a->x + a->width : a->x;
    const int to_x =
        (side > 0 ? b->x + b->width : b->x) + side * PICTURE_HEAD_SIZE;
    const int y = height_of(a, e->from_op, LEAVES);
    const int to_y = height_of(b, e->to_op, ENTERS);
    // A curve goes three quarters of the way to its control points.
    const int bend = side * (4 * bow->reach / 3);
    return (struct arrow){.x = {x, x + bend, to_x + bend, to_x},
                          .y = {y, y, to_y, to_y},
                          .side = side,
                          .bow = bow};
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
    const int to_x = to_side > 0 ? b->x + b->width + PICTURE_HEAD_SIZE
                                 : b->x - PICTURE_HEAD_SIZE;
    const int y = height_of(a, e->from_op, LEAVES);
    const int to_y = height_of(b, e->to_op, ENTERS);
    const int across = x < to_x ? to_x - x : x - to_x;
    const int down = y < to_y ? to_y - y : y - to_y;
    const int bend = from_side == to_side ? clamp(down / 3, 34, 46)
                                          : clamp(across / 2, 30, 200);
    // If two arrows cross, the label is nearer to the beginning.
    return (struct arrow){
        .x = {x, x + from_side * bend, to_x + to_side * bend, to_x},
        .y = {y, y, to_y, to_y},
        .side = to_side,
        .label = from_side == to_side ? 0.5 : 0.25};
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

/* The kind of the edge and its key, "rw balance"; a long key is truncated, and
 * the reason has it in full. */
static void
name_edge(const struct anomaly_edge *e, struct buf *out)
{
    buf_text(out, part_edge(e->kind));
    if (!e->key)
        return;
    buf_char(out, ' ');
    const char *at = e->brief_key ? e->brief_key : e->key;
    for (int n = 0; *at; at++) {
        n += ((unsigned char)*at & 0xc0) != 0x80;
        if (n > PICTURE_LABEL_CHARS)
            break;
        buf_char(out, *at);
    }
    buf_text(out, *at ? "\xe2\x80\xa6" : "");
}

bool
picture_has_label(const struct anomaly *a, const struct anomaly_edge *e)
{
    return !a->txns.at[e->from].is_init || e->on_cycle;
}

int
picture_label_width(const struct anomaly_edge *e)
{
    struct buf label = {0};
    name_edge(e, &label);
    const int width = picture_chars(label.at) * PICTURE_CHAR + 8;
    buf_free(&label);
    return width;
}

static void
put_label(const struct arrow *w, const char *label, struct buf *out)
{
    const int width = picture_chars(label) * PICTURE_CHAR + 8;
    const int x = w->bow ? w->bow->x - w->bow->side * width / 2
                         : on_curve(w->x, w->label);
    const int y = w->bow ? w->bow->y : on_curve(w->y, w->label);
    buf_printf(out,
               "<rect class=\"plate\" x=\"%d\" y=\"%d\" width=\"%d\" "
               "height=\"%d\" rx=\"9\"/>",
               x - width / 2, y - PICTURE_LABEL / 2, width, PICTURE_LABEL);
    buf_printf(out,
               "<text class=\"label\" x=\"%d\" y=\"%d\" "
               "text-anchor=\"middle\">",
               x, y + 4);
    part_xml(out, label);
    buf_text(out, "</text>");
}

static struct arrow
arrow_of(const struct picture *p, const struct anomaly *a, uint32_t i)
{
    const struct anomaly_edge *e = &a->edges.at[i];
    const struct box *from = &p->boxes.at[p->box_of.at[e->from]];
    const struct box *to = &p->boxes.at[p->box_of.at[e->to]];
    const bool above = p->box_of.at[e->from] >= p->ring && p->ring &&
                       p->box_of.at[e->to] < p->ring;
    return p->bows.n ? arrow_beside(e, from, to, &p->bows.at[i])
           : above   ? arrow_down(p, from, to, height_of(to, e->to_op, ENTERS))
                     : arrow_across(p, e, from, to);
}

/* Begin the group of an edge, with its reason. */
static void
begin_group(const char *class, const struct anomaly *a, uint32_t i,
            const char *prefix, struct buf *out)
{
    const struct anomaly_edge *e = &a->edges.at[i];
    assert(i < a->edges.n);
    buf_printf(out,
               "<g class=\"%s %s%s%s%s\" data-edge=\"%s%u\" data-from=\"%s%u\" "
               "data-to=\"%s%u\"><title>",
               class, part_edge(e->kind), e->on_cycle ? " cycle" : "",
               e->inferred ? " inferred" : "",
               picture_has_label(a, e) ? "" : " plain", prefix, i, prefix,
               e->from, prefix, e->to);
    part_xml(out, e->reason);
    buf_text(out, "</title>");
}

void
picture_arrow(const struct picture *p, const struct anomaly *a, uint32_t i,
              const char *prefix, struct buf *out)
{
    const struct arrow w = arrow_of(p, a, i);
    begin_group("edge", a, i, prefix, out);
    put_path("hit", &w, out);
    put_path("line", &w, out);
    buf_printf(out, "<path class=\"head\" d=\"M%d %dl%d -5v10z\"/>",
               w.x[3] - w.side * PICTURE_HEAD_SIZE, w.y[3],
               w.side * (PICTURE_HEAD_SIZE + 1));
    buf_printf(out, "<circle class=\"dot\" cx=\"%d\" cy=\"%d\" r=\"3\"/></g>",
               w.x[0], w.y[0]);
}

void
picture_label(const struct picture *p, const struct anomaly *a, uint32_t i,
              const char *prefix, struct buf *out)
{
    const struct arrow w = arrow_of(p, a, i);
    struct buf label = {0};
    assert(picture_has_label(a, &a->edges.at[i]));
    name_edge(&a->edges.at[i], &label);
    begin_group("named", a, i, prefix, out);
    put_label(&w, label.at, out);
    buf_text(out, "</g>");
    buf_free(&label);
}
