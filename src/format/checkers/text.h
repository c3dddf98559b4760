/* text.h -- what the reader and the writer of 'text' share.
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_CHECKERS_TEXT_H
#define FORMAT_CHECKERS_TEXT_H

#include "format/format.h"

bool text_holds(const struct history *h, struct err *err);
bool text_write(const struct history *h, struct output *out, struct err *err);

#endif
