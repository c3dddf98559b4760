/* verify_links.h -- whether the links of a history are what versions of rows
 * were recorded to name as the ones before them.
 *
 * SPDX-License-Identifier: MIT */
#ifndef VERIFY_ROWS_VERIFY_LINKS_H
#define VERIFY_ROWS_VERIFY_LINKS_H

#include "history/row/row_log.h"

/* By entry of the log: the entry of the write that it names, LINK_INITIAL or
 * ID_NONE.  NULL where no version names another. */
struct verify_links {
    uint32_t *named;
};

#define LINK_INITIAL (UINT32_MAX - 1)

void verify_links_init(struct verify_links *v, const struct history *h);
void verify_links_free(struct verify_links *v);

/* Whether h->links are these, for all transactions that did not abort. */
bool verify_links_check(const struct verify_links *v, const struct history *h,
                        struct err *err);

/* The content that an entry names where an aborted transaction wrote it, which
 * is a read of that; ID_NONE where it names no such. */
uint32_t verify_links_aborted(const struct verify_links *v,
                              const struct history *h, size_t entry);

#endif
