/* scan.h -- a place in a text input, and the errors of its readers.
 *
 * The readers of JSON, EDN and hist move one 'struct scan' over the bytes. They
 * do not count lines: the line and column of an error are computed when it is
 * reported.  The message is "found 'this', expected that".
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_SCAN_SCAN_H
#define FORMAT_SCAN_SCAN_H

#include "base/buf.h"
#include "format/input.h"
#include "history/atom.h"

#include <assert.h>

/* A piece of text, borrowed. */
struct span {
    const char *at;
    size_t n;
};

struct scan {
    const char *at, *end; // the next byte; after the last byte
    const struct input *in;
    struct err *err;
    bool one_line;      // a value must end on its line
    struct buf decoded; // the last string, if it had escapes
};

/* Begin at the first byte of 'in', after a byte order mark.  scan_free frees
 * the memory of 'decoded'. */
void scan_init(struct scan *s, const struct input *in, struct err *err);
void scan_free(struct scan *s);

/* Report an error at a byte of the input and return false. */
__attribute__((format(printf, 4, 5))) bool scan_fail(struct scan *s,
                                                     const char *at,
                                                     enum err_kind kind,
                                                     const char *format, ...);

/* Report what was found at 'at', and that 'expected' was expected. */
bool scan_unexpected(struct scan *s, const char *at, const char *expected);

/* The same with the text that was found, shown without quotes. */
bool scan_unexpected_text(struct scan *s, const char *at, struct span text,
                          const char *expected);

/* Add the position of 'at' to an error that a lower layer has set. */
bool scan_locate(struct scan *s, const char *at);

/* Parse a sign and the decimal digits up to 'end'; false if the integer does
 * not fit in 64 bits. */
bool scan_integer(bool negative, const char *digits, const char *end,
                  struct atom *out);

/* Which byte of the input that is. */
static inline uint64_t
scan_offset(const struct scan *s, const char *at)
{
    assert(at >= s->in->data);
    return (uint64_t)(at - s->in->data);
}

static inline bool
span_is(struct span span, const char *text)
{
    size_t i = 0;
    while (i < span.n && text[i] && span.at[i] == text[i])
        i++;
    return i == span.n && !text[i];
}

#endif
