/* find_byte.h -- where a byte stands among the next ones.
 *
 * A scan that goes from number to number cannot begin with one before it has
 * seen the end of the one before.  Looking for the end of a line or operation
 * takes fewer steps, so the processor works on several of them at once.
 *
 * Without vector instructions nothing is found.  Callers then go on from where
 * they are, which is the same place.
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_SCAN_FIND_BYTE_H
#define FORMAT_SCAN_FIND_BYTE_H

#include <stdint.h>

enum { FIND_BYTE_ROOM = 32 }; // bytes that find_byte looks at

#ifdef __SSE2__

#include <emmintrin.h>

/* Bit i: c is the byte at[i].
 *
 *   require  FIND_BYTE_ROOM bytes can be read */
static inline uint32_t
find_byte(const char *at, char c)
{
    const __m128i wanted = _mm_set1_epi8(c);
    const __m128i low = _mm_loadu_si128((const __m128i *)(const void *)at);
    const __m128i high =
        _mm_loadu_si128((const __m128i *)(const void *)(at + 16));
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(low, wanted)) |
           (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(high, wanted)) << 16;
}

#else

static inline uint32_t
find_byte(const char *at, char c)
{
    (void)at, (void)c;
    return 0;
}

#endif

#endif
