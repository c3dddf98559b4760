/* word.h -- eight bytes of a text as one number, the first byte lowest.
 *
 * Readers and hashes look at eight bytes in one step.  Both depend on which
 * byte is the lowest one, so machines whose first byte is the highest one swap
 * them: the same text gives the same number everywhere.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BASE_WORD_H
#define BASE_WORD_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined __BYTE_ORDER__ && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define WORD_IS_SWAPPED 1
#else
#define WORD_IS_SWAPPED 0
#endif

/* The word as it is in memory <-> with its first byte lowest. */
static inline uint64_t
word_order(uint64_t word)
{
    return WORD_IS_SWAPPED ? __builtin_bswap64(word) : word;
}

/*   require  8 bytes can be read */
static inline uint64_t
word_load(const char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word_order(word);
}

/* The first n bytes, at most 8; the others are 0. */
static inline uint64_t
word_load_front(const char *at, size_t n)
{
    uint64_t word = 0;
    if (n)
        memcpy(&word, at, n);
    return word_order(word);
}

#endif
