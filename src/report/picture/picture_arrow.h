/* picture_arrow.h -- the arrows of a picture, and the sizes that boxes and
 * arrows share.
 *
 * SPDX-License-Identifier: MIT */
#ifndef REPORT_PICTURE_PICTURE_ARROW_H
#define REPORT_PICTURE_PICTURE_ARROW_H

#include "report/picture/picture.h"

// Sizes in pixels; the numbers in parentheses are invariants of picture.c.
enum {
    PICTURE_CHAR = 8,      // width of a character
    PICTURE_LINE = 19,     // height of a line
    PICTURE_PAD = 10,      // inside a box
    PICTURE_HEAD = 26,     // height of a box's title
    PICTURE_GAP_X = 150,   // between columns (2)
    PICTURE_GAP_Y = 34,    // between boxes of a column
    PICTURE_MARGIN = 54,   // around everything, for arrows that run outside (3)
    PICTURE_HEAD_SIZE = 7, // size of an arrowhead
    PICTURE_LABEL = 18,    // height of a label
    PICTURE_LABEL_CHARS = 13, // of a key in a label (2)
    PICTURE_MOST_CHARS = 34   // longer operations are truncated
};

/* The length of UTF-8 text in characters. */
int picture_chars(const char *text);

/* Make the boxes of all transactions that edges connect, without a place. */
void picture_add_boxes(struct picture *p, const struct anomaly *a);

/* Whether an edge has a label.  A read of the initial state needs none. */
bool picture_has_label(const struct anomaly *a, const struct anomaly_edge *e);

/* How wide the label of an edge is. */
int picture_label_width(const struct anomaly_edge *e);

/* Append the arrow of edge i of the anomaly, and its label. */
void picture_arrow(const struct picture *p, const struct anomaly *a, uint32_t i,
                   const char *prefix, struct buf *out);
void picture_label(const struct picture *p, const struct anomaly *a, uint32_t i,
                   const char *prefix, struct buf *out);

#endif
