/* text_stream.h -- a history as text in memory.
 *
 * SPDX-License-Identifier: MIT */
#ifndef API_TEXT_STREAM_H
#define API_TEXT_STREAM_H

#include "base/buf.h"
#include "format/format.h"

/* Append h in a format that is one file. */
bool text_stream_history(const struct history *h, const struct format *format,
                         struct buf *out, struct err *err);

#endif
