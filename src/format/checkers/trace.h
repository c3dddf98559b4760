/* trace.h -- what the reader and the writer of 'trace' share.
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_CHECKERS_TRACE_H
#define FORMAT_CHECKERS_TRACE_H

#include "format/format.h"

/* Whether a key with this text is an integer in its usual notation, without
 * leading zeros. */
bool trace_is_integer(const char *text, size_t len, struct atom *out);

bool trace_holds(const struct history *h, struct err *err);
bool trace_write(const struct history *h, struct output *out, struct err *err);

#endif
