/* picture.c -- see picture.h.
 *
 * A cycle of n transactions is drawn as a ring of two columns, down on the left
 * and up on the right, and the arrows follow the ring.  Transactions that only
 * support the cycle, such as the writer of a version that two others
 * overwrote, are in a row above.  Cycles are short, because the history was
 * reduced; a long one makes a tall picture without overlaps.
 *
 * Widths of text are estimated, which works because all fonts are monospaced.
 *
 *   (1) a box is as wide as its longest line;
 *   (2) the gap between columns is wide enough for two labels;
 *   (3) an arrow leaves and enters at the height of its operation, on the side
 *       where the other box is; between boxes of one column it runs outside.
 *
 * SPDX-License-Identifier: MIT */
#include "report/picture/picture.h"

#include "report/parts.h"
#include "report/picture/picture_arrow.h"

#include <string.h>

/* What a picture shows of an operation. */
static const char *
brief_of(const struct anomaly_op *o)
{
    return o->brief ? o->brief : o->text;
}

/* The head of a box: its name, and where its statements are. */
static void
put_head(const struct anomaly_txn *t, struct buf *out)
{
    buf_text(out, t->name);
    if (*t->lines)
        buf_printf(out, "  %s", t->lines);
}

static int
shown_chars(const char *text)
{
    const int n = picture_chars(text);
    return n < PICTURE_MOST_CHARS ? n : PICTURE_MOST_CHARS;
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
    struct buf head = {0};
    put_head(t, &head);
    int chars = shown_chars(head.at) + 2;
    buf_free(&head);
    for (size_t i = 0; i < t->n_ops; i++)
        if (shown_chars(brief_of(&t->ops[i])) > chars)
            chars = shown_chars(brief_of(&t->ops[i]));
    chars = t->elided && chars < 8 ? 8 : chars;
    p->box_of.at[txn] = (uint32_t)p->boxes.n;
    vec_push(&p->boxes,
             ((struct box){
                 .txn = txn,
                 .width = chars * PICTURE_CHAR + 2 * PICTURE_PAD, // (1)
                 .height = PICTURE_HEAD + lines_of(t) * PICTURE_LINE +
                           (lines_of(t) ? PICTURE_PAD : 0),
             }));
}

/* Stack the boxes from 'first' to 'end', centred at x. */
static int
stack(struct picture *p, size_t first, size_t end, int step, int x, int y)
{
    for (size_t i = first; i != end; i += (size_t)step) {
        struct box *b = &p->boxes.at[i];
        b->x = x - b->width / 2;
        b->y = y;
        y += b->height + PICTURE_GAP_Y;
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

/* Lay out the row above the ring; returns where the ring begins. */
static int
place_row(struct picture *p, size_t first, int centre)
{
    int width = 0, height = 0;
    for (size_t i = first; i < p->boxes.n; i++) {
        width += p->boxes.at[i].width + (i > first ? PICTURE_GAP_Y : 0);
        if (p->boxes.at[i].height > height)
            height = p->boxes.at[i].height;
    }
    int x = centre - width / 2;
    for (size_t i = first; i < p->boxes.n; i++) {
        p->boxes.at[i].x = x;
        p->boxes.at[i].y = PICTURE_MARGIN / 3;
        x += p->boxes.at[i].width + PICTURE_GAP_Y;
    }
    return PICTURE_MARGIN / 3 +
           (height ? height + PICTURE_GAP_Y + PICTURE_GAP_Y / 2 : 0);
}

/* Move everything to the right of the margin, and measure the picture. */
static void
move_to_margin(struct picture *p)
{
    int left = 0;
    for (size_t i = 0; i < p->boxes.n; i++)
        if (i == 0 || p->boxes.at[i].x < left)
            left = p->boxes.at[i].x;
    for (size_t i = 0; i < p->boxes.n; i++) {
        struct box *b = &p->boxes.at[i];
        b->x += PICTURE_MARGIN - left;
        if (b->x + b->width + PICTURE_MARGIN > p->width)
            p->width = b->x + b->width + PICTURE_MARGIN;
        if (b->y + b->height + PICTURE_MARGIN / 3 > p->height)
            p->height = b->y + b->height + PICTURE_MARGIN / 3;
    }
}

/* Room for the labels of two arrows side by side (2). */
static int
gap_between_columns(const struct anomaly *a)
{
    int label = 0;
    for (size_t i = 0; i < a->cycle.n; i++) {
        const int width = picture_label_width(&a->edges.at[a->cycle.at[i]]);
        label = width > label ? width : label;
    }
    const int gap = 5 * label / 2 + 40;
    return gap > PICTURE_GAP_X ? gap : PICTURE_GAP_X;
}

void
picture_add_boxes(struct picture *p, const struct anomaly *a)
{
    *p = (struct picture){0};
    for (size_t i = 0; i < a->txns.n; i++)
        vec_push(&p->box_of, ANOMALY_NONE);
    for (size_t i = 0; i < a->cycle.n; i++)
        add_box(p, a, a->edges.at[a->cycle.at[i]].from);
    const uint32_t ring = (uint32_t)p->boxes.n;
    p->ring = ring;
    for (uint32_t i = 0; i < a->txns.n; i++) {
        bool used = !ring && !a->txns.at[i].is_context;
        for (size_t j = 0; j < a->edges.n; j++)
            used |= a->edges.at[j].from == i || a->edges.at[j].to == i;
        if (used && p->box_of.at[i] == ANOMALY_NONE)
            add_box(p, a, i);
    }
}

void
picture_init(struct picture *p, const struct anomaly *a)
{
    picture_add_boxes(p, a);
    const size_t ring = p->ring;
    const size_t left = (ring + 1) / 2;
    const int left_width = widest(p, 0, left);
    const int right_width = widest(p, left, ring);
    const int gap = gap_between_columns(a);
    const int centre = left_width + gap / 2;
    const int top = place_row(p, ring, ring ? centre : 0);
    stack(p, 0, left, 1, left_width / 2, top);
    if (ring > left)
        stack(p, ring - 1, left - 1, -1, left_width + gap + right_width / 2,
              top);
    move_to_margin(p);
}

void
picture_free(struct picture *p)
{
    vec_free(&p->boxes);
    vec_free(&p->box_of);
    vec_free(&p->bows);
}

/* --- boxes ------------------------------------------------------------------
 */

/* Text, truncated to the width of a box; 'full' is what it stands for. */
static void
put_text(int x, int y, const char *class, const char *text, const char *full,
         struct buf *out)
{
    const bool is_brief = strcmp(text, full) != 0;
    buf_printf(out, "<text x=\"%d\" y=\"%d\" class=\"%s\">", x, y, class);
    if (picture_chars(text) <= PICTURE_MOST_CHARS) {
        part_xml(out, text);
        buf_text(out, is_brief ? "<title>" : "");
        part_xml(out, is_brief ? full : "");
        buf_text(out, is_brief ? "</title>" : "");
    } else {
        struct buf cut = {0};
        int n = 0;
        for (const char *c = text; *c; c++) {
            n += ((unsigned char)*c & 0xc0) != 0x80;
            if (n >= PICTURE_MOST_CHARS)
                break;
            buf_char(&cut, *c);
        }
        part_xml(out, cut.at);
        buf_text(out, "\xe2\x80\xa6<title>");
        part_xml(out, full);
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
    struct buf head = {0};
    put_head(t, &head);
    put_text(b->x + PICTURE_PAD, b->y + PICTURE_HEAD - 8, "name", head.at,
             head.at, out);
    buf_free(&head);
    int y = b->y + PICTURE_HEAD + PICTURE_LINE - 5;
    for (size_t i = 0; i < t->n_ops; i++, y += PICTURE_LINE) {
        const struct anomaly_op *o = &t->ops[i];
        if (o->matters)
            buf_printf(out,
                       "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" "
                       "rx=\"3\" class=\"cell %s\"/>",
                       b->x + 4, y - PICTURE_LINE + 6, b->width - 8,
                       PICTURE_LINE - 1,
                       o->is_changed ? "read changed"
                       : o->is_write ? "write"
                                     : "read");
        put_text(b->x + PICTURE_PAD, y, o->matters ? "op" : "op dim",
                 brief_of(o), o->text, out);
    }
    if (t->elided) {
        struct buf more = {0};
        buf_printf(&more, "+ %zu more", t->elided);
        put_text(b->x + PICTURE_PAD, y, "op dim", more.at, more.at, out);
        buf_free(&more);
    }
    buf_text(out, "</g>");
}

bool
picture_draws(const struct picture *p, const struct anomaly *a,
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
    // Edges of the cycle come last, so that they are on top.
    for (int cycle = 0; cycle < 2; cycle++)
        for (uint32_t i = 0; i < a->edges.n; i++) {
            const struct anomaly_edge *e = &a->edges.at[i];
            if (e->on_cycle == (cycle == 1) && picture_draws(p, a, e))
                picture_arrow(p, a, i, prefix, out);
        }
    // No arrow crosses a label.
    for (uint32_t i = 0; i < a->edges.n; i++)
        if (picture_draws(p, a, &a->edges.at[i]) &&
            picture_has_label(a, &a->edges.at[i]))
            picture_label(p, a, i, prefix, out);
}
