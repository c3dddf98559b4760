/* page.h -- the HTML report while a command goes through its histories.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include "report/report.h"

/* All-zero is a page that nobody wants: adding to it does nothing. */
struct page {
    const char *dir;
    struct report_style style;
    struct buf html;
};

/* Begin the page that goes to dir, or none for NULL. */
void page_begin(struct page *p, const char *dir,
                const struct report_style *style);
void page_add(struct page *p, const struct report_run *run);

/* Write DIR/index.html, making DIR where it is missing; frees the page. */
bool page_end(struct page *p, struct err *err);

#endif
