/* anomalies.h -- all anomalies of a history in the HTML page: what there is of
 * which kind and on which keys, and a card for each.
 *
 * SPDX-License-Identifier: MIT */
#ifndef REPORT_PAGE_ANOMALIES_H
#define REPORT_PAGE_ANOMALIES_H

#include "report/report.h"

/* Append the summary, with links, where there are several; and the cards, of
 * which the first is open.  'id' begins the ids of all elements. */
void anomalies_summary(const struct report_run *run, const char *id,
                       struct buf *out);
void anomalies_cards(const struct report_run *run, const char *id,
                     struct buf *out);

/* Append the id of the card that stands for a violated level; nothing where
 * there is none. */
void anomalies_card_of(const struct report_run *run, enum level level,
                       const char *id, struct buf *out);

#endif
