/* level_words.h -- the levels of programs as text.
 *
 * SPDX-License-Identifier: MIT */
#ifndef REPORT_PROVE_LEVEL_WORDS_H
#define REPORT_PROVE_LEVEL_WORDS_H

#include "base/buf.h"
#include "prove/execute/isolation.h"

/* The short name; 'ec' is read atomic without sessions. */
const char *level_words_brief(enum level l);

/* "snapshot, balance at rc". */
void level_words_show(const struct level_choice *i, const struct program *p,
                      struct buf *out);
/* The members of an object. */
void level_words_json(const struct level_choice *i, const struct program *p,
                      struct buf *out);

#endif
