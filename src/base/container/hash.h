/* hash.h -- mixing of integers and bytes for hash tables.
 *
 * Not keyed: an adversary who chooses the keys of a history can at worst make
 * the reading of that history slow.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BASE_CONTAINER_HASH_H
#define BASE_CONTAINER_HASH_H

#include "base/word.h"

static inline uint64_t
hash_u64(uint64_t x)
{
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    x ^= x >> 32;
    return x;
}

static inline uint64_t
hash_pair(uint64_t a, uint64_t b)
{
    return hash_u64(a * UINT64_C(0x9e3779b97f4a7c15) + b +
                    UINT64_C(0x2545f4914f6cdd1d));
}

static inline uint64_t
hash_bytes(const char *text, size_t len)
{
    uint64_t h = len;
    while (len >= 8) {
        h = hash_pair(h, word_load(text));
        text += 8;
        len -= 8;
    }
    return hash_pair(h, word_load_front(text, len));
}

#endif
