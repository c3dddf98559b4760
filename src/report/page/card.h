/* card.h -- an anomaly as a part of the HTML page.
 *
 * SPDX-License-Identifier: MIT */
#ifndef REPORT_PAGE_CARD_H
#define REPORT_PAGE_CARD_H

#include "report/picture/picture.h"

/* Append the card of an anomaly; 'id' is unique in the page and plain.  Of one
 * that is not open the headline and the story are seen. */
void card_html(const struct anomaly *a, const struct picture_clock *clock,
               const char *id, level_set levels, bool is_open, struct buf *out);

#endif
