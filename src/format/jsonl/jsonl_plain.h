/* jsonl_plain.h -- the keys of a line of 'jsonl', and the scan of one that a
 * program has written.
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_JSONL_JSONL_PLAIN_H
#define FORMAT_JSONL_JSONL_PLAIN_H

#include "format/scan/plain.h"

enum line_key {
    LINE_SESSION,
    LINE_ID,
    LINE_STATUS,
    LINE_START,
    LINE_END,
    LINE_OPS,
    LINE_META,
    LINE_RECORDING,
    LINE_INITIAL,
    LINE_START_TS,
    LINE_COMMIT_TS,
    LINE_PARTIAL,
    LINE_KEYS
};

/* plain.h: the flags of an entry have bit k set for key k.  It has a session
 * and operations, and what it says of its times is in order. */
bool jsonl_plain_scan(struct plain_block *found, struct plain_entry *e);

#endif
