/* decimal_pair.h -- two short decimal numbers at once.
 *
 * The digits of a number are the last bytes of the eight that end with it, so
 * the two numbers are the halves of one vector.  What stands before the digits
 * is masked out, and three products with sums make pairs of digits, then four,
 * then eight.
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_SCAN_DECIMAL_PAIR_H
#define FORMAT_SCAN_DECIMAL_PAIR_H

#include "format/scan/decimal.h"

enum { DECIMAL_PAIR_MOST = 8 }; // digits of each

/* The last n bytes of a word, of which the first is lowest. */
static const uint64_t decimal_last[DECIMAL_PAIR_MOST + 1] = {
    0,
    UINT64_C(0xff00000000000000),
    UINT64_C(0xffff000000000000),
    UINT64_C(0xffffff0000000000),
    UINT64_C(0xffffffff00000000),
    UINT64_C(0xffffffffff000000),
    UINT64_C(0xffffffffffff0000),
    UINT64_C(0xffffffffffffff00),
    UINT64_MAX};

#ifdef __SSE2__

#include <emmintrin.h>

/* The number of the n digits before 'a' as the low half of a word, that of the
 * m digits before 'b' as the high half.
 *
 *   require  n, m <= DECIMAL_PAIR_MOST; 8 bytes can be read before a and b */
static inline uint64_t
decimal_pair(const char *a, size_t n, const char *b, size_t m)
{
    uint64_t low, high;
    memcpy(&low, a - 8, sizeof low);
    memcpy(&high, b - 8, sizeof high);
    const __m128i mask =
        _mm_set_epi64x((int64_t)decimal_last[m], (int64_t)decimal_last[n]);
    __m128i x = _mm_set_epi64x((int64_t)high, (int64_t)low);
    x = _mm_and_si128(_mm_xor_si128(x, _mm_set1_epi8('0')), mask);
    // In each 16 bits: 10 times the first digit, which is lower, + the second.
    x = _mm_srli_epi16(_mm_mullo_epi16(x, _mm_set1_epi16(2561)), 8);
    x = _mm_madd_epi16(x, _mm_set1_epi32(1 << 16 | 100));
    x = _mm_madd_epi16(_mm_packs_epi32(x, x), _mm_set1_epi32(1 << 16 | 10000));
    uint64_t both;
    _mm_storel_epi64((__m128i *)(void *)&both, x);
    return both;
}

#else

static inline uint64_t
decimal_pair(const char *a, size_t n, const char *b, size_t m)
{
    const uint64_t low = word_load(a - 8), high = word_load(b - 8);
    return decimal_value(low & decimal_last[n]) |
           decimal_value(high & decimal_last[m]) << 32;
}

#endif

#endif
