/* hist.h -- what the reader and the writer of 'hist' share.
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_HIST_H
#define FORMAT_HIST_H

#include "format/format.h"

/* Whether c may stand in a word without quotes. */
bool hist_is_word(char c);

/* Whether a word reads as an integer, of whatever size. */
bool hist_is_integer(const char *text, size_t len);

bool hist_holds(const struct history *h, struct err *err);
bool hist_write(const struct history *h, struct output *out, struct err *err);

#endif
