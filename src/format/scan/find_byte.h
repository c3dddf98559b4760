/* find_byte.h -- where a byte stands among the next ones, and which of them are
 * digits.
 *
 * A scan that goes from number to number cannot begin with one before it has
 * seen the end of the one before.  Looking for the end of a line or operation
 * takes fewer steps, so the processor works on several of them at once.
 *
 * Without vector instructions no byte is found.  Callers then go on from where
 * they are, which is the same place.
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_SCAN_FIND_BYTE_H
#define FORMAT_SCAN_FIND_BYTE_H

#include "base/word.h"

#include <stdbool.h>

enum { FIND_BYTE_ROOM = 32 }; // bytes that find_byte looks at

/* --- without vector instructions -------------------------------------------*/

/* As find_digits. */
static inline uint32_t
find_digits_plain(const char *at)
{
    uint32_t others = 0;
    for (unsigned i = 0; i < FIND_BYTE_ROOM; i += 8) {
        // As in decimal_brief, but without a carry.
        const uint64_t ones = UINT64_C(0x0101010101010101);
        uint64_t word = word_load(at + i) ^ ones * '0';
        word = (((word & ones * 0x7f) + ones * 0x76) | word) >> 7 & ones;
        others |= (uint32_t)(word * UINT64_C(0x0102040810204080) >> 56) << i;
    }
    return ~others;
}

/* As same_bytes. */
static inline bool
same_bytes_plain(const char *a, const char *b, uint32_t which)
{
    uint32_t other = ~UINT32_C(0xffff); // nothing is known of the others
    for (unsigned i = 0; i < 16; i++)
        other |= (uint32_t)(a[i] != b[i]) << i;
    return !(other & which);
}

/* --- as this machine can ---------------------------------------------------*/

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

/* Bit i: the byte at[i] is a digit.
 *
 *   require  FIND_BYTE_ROOM bytes can be read */
static inline uint32_t
find_digits(const char *at)
{
    // Digits become the ten least signed bytes.
    const __m128i shift = _mm_set1_epi8((char)(0x80 - '0'));
    const __m128i after = _mm_set1_epi8(-128 + 10);
    const __m128i low = _mm_loadu_si128((const __m128i *)(const void *)at);
    const __m128i high =
        _mm_loadu_si128((const __m128i *)(const void *)(at + 16));
    return (uint32_t)_mm_movemask_epi8(
               _mm_cmplt_epi8(_mm_add_epi8(low, shift), after)) |
           (uint32_t)_mm_movemask_epi8(
               _mm_cmplt_epi8(_mm_add_epi8(high, shift), after))
               << 16;
}

/* Whether the bytes at a and b agree where 'which' has a bit.  Only 16 bytes
 * are compared: a bit above them is a difference. */
static inline bool
same_bytes(const char *a, const char *b, uint32_t which)
{
    const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)a);
    const __m128i y = _mm_loadu_si128((const __m128i *)(const void *)b);
    return !(~(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(x, y)) & which);
}

#else

static inline uint32_t
find_byte(const char *at, char c)
{
    (void)at, (void)c;
    return 0;
}

static inline uint32_t
find_digits(const char *at)
{
    return find_digits_plain(at);
}

static inline bool
same_bytes(const char *a, const char *b, uint32_t which)
{
    return same_bytes_plain(a, b, which);
}

#endif

#endif
