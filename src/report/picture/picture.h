/* picture.h -- an anomaly as a picture: boxes of operations, and arrows from
 * operation to operation.
 *
 * SPDX-License-Identifier: MIT */
#ifndef REPORT_PICTURE_PICTURE_H
#define REPORT_PICTURE_PICTURE_H

#include "report/report.h"

struct box {
    uint32_t txn; // index into the anomaly's transactions
    int x, y, width, height;
};

/* How an edge runs in a picture of one column. */
struct bow {
    int side;  // +1 on the right, downwards; -1 on the left, upwards
    int reach; // how far it goes outside of the boxes
    int x, y;  // the outer end of its label, and the middle of its line
};

struct picture {
    VEC(struct box) boxes; // the cycle's, in order; then the others
    uint32_t ring;         // how many boxes the cycle has
    u32_vec box_of;        // by transaction, or ANOMALY_NONE
    VEC(struct bow) bows;  // by edge, in a picture of one column; else empty
    int width, height;
};

/* Lay out the transactions that the edges of a connect: the cycle as a ring;
 * or, for narrow screens, everything in one column. */
void picture_init(struct picture *p, const struct anomaly *a);
void picture_init_column(struct picture *p, const struct anomaly *a);
void picture_free(struct picture *p);

/* Whether an edge is drawn.  A version order outside the cycle is not if it
 * accompanies a read or joins two transactions of the cycle: it is in the list
 * of reasons, and would only cover other edges here. */
bool picture_draws(const struct picture *p, const struct anomaly *a,
                   const struct anomaly_edge *e);

/* Append the boxes and arrows as SVG elements without the <svg> around them.
 * 'prefix' makes ids and references unique in a page. */
void picture_svg(const struct picture *p, const struct anomaly *a,
                 const char *prefix, struct buf *out);

/* Draw the same transactions and their neighbours, one lane per session, from
 * left to right; sets the size of the drawing. */
void picture_lanes(const struct anomaly *a, const char *prefix, int *width,
                   int *height, struct buf *out);

/* Append the beginning of the group that shows the i-th transaction in a lane;
 * "</g>" ends it. */
void picture_open_txn(const struct anomaly_txn *t, uint32_t i,
                      const char *prefix, struct buf *out);

/* What is known about the clock of a history. */
struct picture_clock {
    bool is_nanoseconds;                // else units are not known
    int64_t zero;                       // when the run began
    const struct report_origin *origin; // has faults and statements, or NULL
};

/* The same on a time axis, with bars from beginning to end, faults, and
 * statements that ran beside the workload.
 *
 *   require  picture_has_times(a): the times of all involved ones are known */
bool picture_has_times(const struct anomaly *a);
void picture_time_lanes(const struct anomaly *a,
                        const struct picture_clock *clock, const char *prefix,
                        int *width, int *height, struct buf *out);

/* Append the first 'most' characters of text, escaped. */
void picture_cut(const char *text, int most, struct buf *out);

#endif
