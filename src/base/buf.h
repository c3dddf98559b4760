/* buf.h -- text that grows: every writer and every message builds in one.
 *
 * All-zero is empty.  'at' always ends in a zero byte once something was added.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stddef.h>
#include <stdint.h>

struct buf {
    char *at;
    size_t n, room;
};

void buf_add(struct buf *b, const char *text, size_t len);
void buf_text(struct buf *b, const char *text);
void buf_char(struct buf *b, char c);
void buf_u64(struct buf *b, uint64_t x);
void buf_i64(struct buf *b, int64_t x);
__attribute__((format(printf, 2, 3))) void buf_printf(struct buf *b,
                                                      const char *format, ...);

/* A JSON string with its quotes; bytes that are not UTF-8 become U+FFFD, and
 * what a terminal or a reader could be misled by is escaped. */
void buf_json(struct buf *b, const char *text, size_t len);

void buf_clear(struct buf *b);
void buf_free(struct buf *b);

#endif
