/* blocks.h -- a large text cut into blocks, scanned by several threads and
 * consumed in order by one.
 *
 * A line belongs to the block in which it begins, so a block can be found and
 * scanned without the blocks before it.  A few buffers for records are reused,
 * so memory does not grow with the file.
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_SCAN_BLOCKS_H
#define FORMAT_SCAN_BLOCKS_H

#include "format/input.h"

struct text_block {
    const char *begin, *end; // whole lines, the last one's newline included
    const char *limit;       // end of the input
    void *records;           // the records of these lines
    const char *error_at;    // where scan or consume found an error

    size_t records_room; // private: bytes
};

/* Room for that many bytes of records in the block's buffer, which holds what
 * it held for an earlier block, or zeros where it is new or larger. */
void *block_records(struct text_block *block, size_t bytes);

struct block_work {
    /* Called on any thread: fill records, or fail with error_at. */
    bool (*scan)(const void *self, struct text_block *block, struct err *err);

    /* Called on the calling thread, block after block. */
    bool (*consume)(void *self, struct text_block *block, struct err *err);

    /* Free what records hold; NULL where that is nothing. */
    void (*release)(void *records);

    void *self;
};

/* Run over all of 'in' with in->threads threads.  The error of the earliest
 * block wins and gets the line and column of error_at, if that is set. */
bool blocks_run(struct input *in, const struct block_work *work,
                struct err *err);

#endif
