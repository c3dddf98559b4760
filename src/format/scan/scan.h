/* scan.h -- a place in a text input, and how its readers complain.
 *
 * The readers of JSON, EDN and hist move one 'struct scan' over the bytes and
 * never look at a line number: where a mistake is found, its position is
 * counted once.  A mistake is reported as "found 'this', expected that".
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_SCAN_SCAN_H
#define FORMAT_SCAN_SCAN_H

#include "base/buf.h"
#include "format/input.h"
#include "history/atom.h"

/* A piece of text, borrowed. */
struct span {
    const char *at;
    size_t n;
};

struct scan {
    const char *at, *end; // the next byte, and behind the last
    const struct input *in;
    struct err *err;
    bool one_line;      // a value may not go on in the next line
    struct buf decoded; // the last string, where it had escapes
};

/* Begin at the first byte of 'in', behind a byte order mark.  scan_free gives
 * back the memory of 'decoded'. */
void scan_init(struct scan *s, const struct input *in, struct err *err);
void scan_free(struct scan *s);

/* Note an error at a byte of the input and return false. */
__attribute__((format(printf, 4, 5))) bool scan_fail(struct scan *s,
                                                     const char *at,
                                                     enum err_kind kind,
                                                     const char *format, ...);

/* Note that something else than 'expected' stands at 'at'. */
bool scan_unexpected(struct scan *s, const char *at, const char *expected);

/* The same, where what stands there is known better: text, without quotes. */
bool scan_unexpected_text(struct scan *s, const char *at, struct span text,
                          const char *expected);

/* Add the position of 'at' to an error that a lower layer has set. */
bool scan_locate(struct scan *s, const char *at);

/* The integer that a sign and the decimal digits up to 'end' mean; false
 * where it takes more than 64 bits. */
bool scan_integer(bool negative, const char *digits, const char *end,
                  struct atom *out);

static inline bool
span_is(struct span span, const char *text)
{
    size_t i = 0;
    while (i < span.n && text[i] && span.at[i] == text[i])
        i++;
    return i == span.n && !text[i];
}

#endif
