/* picture_column.c -- a picture of one column, for narrow screens; see
 * picture.h.
 *
 * What supports the cycle comes first, then the cycle, from top to bottom.
 * Arrows run beside the boxes, downwards on the right and upwards on the left,
 * each a little further outside than the one before.  The label of an arrow is
 * in the gap next to the box where it ends, which the arrow passes in any case.
 *
 *   (1) every box is as wide as the widest one;
 *   (2) a gap is high enough for the labels in it, one below the other on each
 *       side;
 *   (3) labels on the two sides of a gap have room beside each other.
 *
 * SPDX-License-Identifier: MIT */
#include "report/picture/picture_arrow.h"

#include <assert.h>

enum {
    GAP = 22,   // between boxes, without labels
    FIRST = 14, // reach of the first arrow of a side
    MORE = 9,   // and of each further one
    EDGE = 4,   // at the sides of the picture
};

/* The place of a box from top to bottom: the ring comes last. */
static uint32_t
place_of(const struct picture *p, uint32_t txn)
{
    const uint32_t box = p->box_of.at[txn];
    const uint32_t others = (uint32_t)p->boxes.n - p->ring;
    assert(box < p->boxes.n);
    return box < p->ring ? others + box : box - p->ring;
}

static uint32_t
box_at(const struct picture *p, uint32_t place)
{
    const uint32_t others = (uint32_t)p->boxes.n - p->ring;
    return place < others ? p->ring + place : place - others;
}

/* Choose the side and the reach of every arrow.  Returns how far the arrows of
 * each side reach. */
static void
bend_arrows(struct picture *p, const struct anomaly *a, int reach[2])
{
    reach[0] = reach[1] = FIRST;
    for (size_t i = 0; i < a->edges.n; i++) {
        const struct anomaly_edge *e = &a->edges.at[i];
        struct bow bow = {0};
        if (picture_draws(p, a, e)) {
            bow.side = place_of(p, e->from) < place_of(p, e->to) ? 1 : -1;
            bow.reach = reach[bow.side > 0];
            reach[bow.side > 0] += MORE;
        }
        vec_push(&p->bows, bow);
    }
}

/* The gap that has the label of an edge: 'k' is above the box at place k. */
static uint32_t
gap_of(const struct picture *p, const struct anomaly_edge *e,
       const struct bow *bow)
{
    const uint32_t end = place_of(p, e->to);
    return bow->side > 0 ? end : end + 1;
}

/* Number the labels of each gap and side; 'labels' has two counts a gap. */
static void
count_labels(struct picture *p, const struct anomaly *a, u32_vec *labels)
{
    for (size_t i = 0; i < 2 * (p->boxes.n + 1); i++)
        vec_push(labels, 0);
    for (size_t i = 0; i < a->edges.n; i++) {
        struct bow *bow = &p->bows.at[i];
        if (!bow->side || !picture_has_label(a, &a->edges.at[i]))
            continue;
        const uint32_t gap = gap_of(p, &a->edges.at[i], bow);
        bow->y = (int)labels->at[2 * gap + (bow->side > 0)]++;
    }
}

static int
widest_box(const struct picture *p, const struct anomaly *a)
{
    int width = 0, label = 0;
    for (size_t i = 0; i < p->boxes.n; i++)
        width = p->boxes.at[i].width > width ? p->boxes.at[i].width : width;
    for (size_t i = 0; i < a->edges.n; i++)
        if (p->bows.at[i].side && picture_has_label(a, &a->edges.at[i])) {
            const int w = picture_label_width(&a->edges.at[i]);
            label = w > label ? w : label;
        }
    return width > 2 * label ? width : 2 * label; // (1), (3)
}

void
picture_init_column(struct picture *p, const struct anomaly *a)
{
    u32_vec labels = {0}, top = {0};
    int reach[2], y = EDGE;
    picture_add_boxes(p, a);
    bend_arrows(p, a, reach);
    count_labels(p, a, &labels);
    const int left = EDGE + reach[0], width = widest_box(p, a);
    for (uint32_t k = 0; k < p->boxes.n; k++) {
        struct box *b = &p->boxes.at[box_at(p, k)];
        const uint32_t l = labels.at[2 * k], r = labels.at[2 * k + 1];
        vec_push(&top, (uint32_t)y);
        y += (k ? GAP : 0) + (int)(l > r ? l : r) * (PICTURE_LABEL + 4); // (2)
        b->x = left;
        b->y = y;
        b->width = width;
        y += b->height;
    }
    for (size_t i = 0; i < a->edges.n; i++) {
        struct bow *bow = &p->bows.at[i];
        if (!bow->side)
            continue;
        const uint32_t gap = gap_of(p, &a->edges.at[i], bow);
        assert(gap > 0 && gap < p->boxes.n);
        bow->x = bow->side > 0 ? left + width + bow->reach : left - bow->reach;
        bow->y = (int)top.at[gap] + GAP / 2 + PICTURE_LABEL / 2 +
                 bow->y * (PICTURE_LABEL + 4);
    }
    p->width = left + width + reach[1] + EDGE;
    p->height = y + EDGE;
    vec_free(&labels);
    vec_free(&top);
}
