/* words.h -- words in SQL text.
 *
 * SPDX-License-Identifier: MIT */
#ifndef RECORD_WORDS_H
#define RECORD_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a text has a word, in any case; '*' at its end stands for more
 * letters, '(' for a call.  Comments and strings count. */
bool words_has(const char *text, const char *word);
size_t words_count(const char *text, const char *word);

#endif
