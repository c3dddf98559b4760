/* text_scan.h -- the lines of a block of text (text.c) as records.
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_CHECKERS_TEXT_SCAN_H
#define FORMAT_CHECKERS_TEXT_SCAN_H

#include "format/scan/blocks.h"
#include "history/builder/builder.h"

/* Consecutive lines of one transaction. */
struct text_run {
    uint64_t session;
    int64_t txn;     // -1: aborted, and only writes are kept
    uint32_t offset; // from the start of the block to the first line
};

/* The records of a block; all-zero is empty. */
struct text_lines {
    VEC(struct text_run) runs;
    VEC(struct small_run) places; // of the runs; their 'txn' is not set
    VEC(struct small_op) small;   // the operations, or
    VEC(struct raw_op) wide;      // those of a block with larger numbers
    bool is_wide;
};

/* Scan a block, up to the first error, at block->error_at.  With 'full' every
 * line is read by the code that defines the format.  'found' may hold the
 * records of another block; if these were wide, the new ones are. */
bool text_scan(struct text_block *block, bool full, struct text_lines *found,
               struct err *err);

void text_lines_free(struct text_lines *found);

#endif
