/* spelling.h -- the word of a list that a misspelt one resembles most.
 *
 * The distance is the number of letters to change, add or remove, in any case;
 * two neighbours that are exchanged count as one change.  A short word must be
 * nearer than a long one, so that "-l xy" suggests nothing.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BASE_SPELLING_H
#define BASE_SPELLING_H

#include <stddef.h>

struct spelling {
    const char *text; // as written
    size_t n;
    const char *best; // the nearest candidate so far, or NULL
    unsigned least;   // its distance
};

/* Begin to search for the word that these n bytes resemble. */
struct spelling spelling_of(const char *text, size_t n);

/* Compare with one candidate, which is suggested as 'shown'. */
void spelling_try(struct spelling *s, const char *candidate, const char *shown);

#endif
