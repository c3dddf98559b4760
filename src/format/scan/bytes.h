/* bytes.h -- integers in binary files.
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_SCAN_BYTES_H
#define FORMAT_SCAN_BYTES_H

#include "base/buf.h"

static inline uint64_t
load_little64(const char *at)
{
    uint64_t x = 0;
    for (int i = 7; i >= 0; i--)
        x = x << 8 | (unsigned char)at[i];
    return x;
}

static inline uint64_t
load_big64(const char *at)
{
    uint64_t x = 0;
    for (int i = 0; i < 8; i++)
        x = x << 8 | (unsigned char)at[i];
    return x;
}

static inline void
buf_little64(struct buf *b, uint64_t x)
{
    char at[8];
    for (int i = 0; i < 8; i++)
        at[i] = (char)(x >> 8 * i);
    buf_add(b, at, sizeof at);
}

static inline void
buf_big64(struct buf *b, uint64_t x)
{
    char at[8];
    for (int i = 0; i < 8; i++)
        at[i] = (char)(x >> (56 - 8 * i));
    buf_add(b, at, sizeof at);
}

#endif
