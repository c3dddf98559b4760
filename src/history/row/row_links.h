/* row_links.h -- versions that name the one before them.
 *
 * Where a recording has it, a version of a row says which version it replaced
 * ("prev").  The writer of that one then comes before the writer of this one,
 * at every level, as with the elements of a list.  More is not concluded: that
 * nothing lies between the two would have to be searched for.
 *
 * Two versions cannot both have replaced the same one, and a version that its
 * own transaction replaced cannot have been replaced by another.  The links of
 * a history keep what is needed to decide (history.h, version_link).
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_ROW_ROW_LINKS_H
#define HISTORY_ROW_ROW_LINKS_H

#include "history/row/row_questions.h"

/* Versions are numbered as in row_questions.versions. */
struct row_links {
    const struct row_questions *q;
    const struct builder *b;
    txn_id *writer;   // by version; TXN_INIT for those of the beginning
    uint32_t *before; // by version: the one that it names, or ID_NONE
};

/* Find the versions that are named.  Nothing is allocated where none is.  *at
 * is the place in the input of what is wrong, where it fails.
 *
 *   require  q lists the versions
 *   time     O(entries of the log) */
bool row_links_init(struct row_links *k, const struct row_questions *q,
                    const struct builder *b, const char **at, struct err *err);
void row_links_free(struct row_links *k);

/* What version v says about the one before it. */
enum row_link {
    ROW_LINK_NONE,    // nothing that orders two transactions
    ROW_LINK_ORDER,   // see *out, whose key is not set
    ROW_LINK_ABORTED, // that one was written by an aborted transaction
};
enum row_link row_links_of(const struct row_links *k, row_id row, uint32_t v,
                           struct version_link *out);

#endif
