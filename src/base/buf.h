/* buf.h -- text that grows: every writer and every message builds in one.
 *
 * All-zero is empty.  'at' always ends in a zero byte once something was added.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct buf {
    char *at;
    size_t n, room;
};

/* Make room for that many bytes more, and a zero byte. */
void buf_grow(struct buf *b, size_t more);

// Recorders write text while others wait for it, so the usual case, a few
// bytes into a buffer that has room, is worth having in place.
static inline void
buf_add(struct buf *b, const char *text, size_t len)
{
    if (b->room - b->n <= len)
        buf_grow(b, len);
    if (len)
        memcpy(b->at + b->n, text, len);
    b->n += len;
    b->at[b->n] = 0;
}

static inline void
buf_text(struct buf *b, const char *text)
{
    buf_add(b, text, strlen(text));
}

static inline void
buf_char(struct buf *b, char c)
{
    buf_add(b, &c, 1);
}

void buf_u64(struct buf *b, uint64_t x);
void buf_i64(struct buf *b, int64_t x);

/* That many digits behind the point, in every locale. */
void buf_decimal(struct buf *b, double x, int digits);

/* The directives of print.h. */
__attribute__((format(printf, 2, 3))) void buf_printf(struct buf *b,
                                                      const char *format, ...);
__attribute__((format(printf, 2, 0))) void
buf_vprintf(struct buf *b, const char *format, va_list args);

/* A JSON string with its quotes; bytes that are not UTF-8 become U+FFFD, and
 * what a terminal or a reader could be misled by is escaped. */
void buf_json(struct buf *b, const char *text, size_t len);

/* Text from outside, for a terminal.  Invisible characters, those that change
 * how others are shown, line ends, and bytes that are not UTF-8 are escaped. */
void buf_shown(struct buf *b, const char *text);

void buf_clear(struct buf *b);
void buf_free(struct buf *b);

#endif
