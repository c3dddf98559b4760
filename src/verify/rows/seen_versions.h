/* seen_versions.h -- whether a read of a register of a row stands for what was
 * recorded: exactly the versions have the value of the read that fit what was
 * seen of the row, and match the condition by which it was found.
 *
 * SPDX-License-Identifier: MIT */
#ifndef VERIFY_ROWS_SEEN_VERSIONS_H
#define VERIFY_ROWS_SEEN_VERSIONS_H

#include "base/container/intmap.h"
#include "history/row/row_log.h"

/* The versions of a row are counted once for each register and each choice of
 * columns and condition that reads of it saw: how many have each value, how
 * many look like this in these columns, and how many both.  All-zero but for
 * 'h' is empty. */
struct seen_versions {
    const struct history *h;
    struct strings texts;     // values, looks and groups
    struct intmap pairs;      // of a value and a look
    struct intmap with, both; // of a group and a text, or a pair: in 'counts'
    u32_vec counts;
};

void seen_versions_free(struct seen_versions *s);

/* What a read shows of a row. */
struct seen_row {
    uint32_t content;
    const char *condition; // that the row satisfied as well, or NULL
};

/* Whether the read op, which saw this, is right; versions[0..n) are the
 * contents that its row had.  False with *err where one has no value.
 *
 *   time   O(length of the texts); once a register, columns and condition, O(n)
 *          of that */
bool seen_versions_check(struct seen_versions *s, op_id op,
                         const struct seen_row *seen, const uint32_t *versions,
                         size_t n, bool *right, struct err *err);

#endif
