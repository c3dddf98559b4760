/* jsonl.h -- what the reader and the writer of 'jsonl' share.
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_JSONL_JSONL_H
#define FORMAT_JSONL_JSONL_H

#include "format/format.h"

bool jsonl_holds(const struct history *h, struct err *err);
bool jsonl_write(const struct history *h, struct output *out, struct err *err);

/* Append h as text in the format 'jsonl'; for small histories.
 *
 *   require  jsonl_holds */
void jsonl_show(const struct history *h, struct buf *out);

#endif
