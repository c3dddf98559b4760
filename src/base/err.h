/* err.h -- the one error convention.
 *
 * A function that can fail because of the world (bad input, I/O, a limit, a
 * missing feature) returns bool and takes a caller-owned 'struct err *' last.
 * The first error wins; upper layers only add the position they know.
 * Messages are one line, lower case, without a full stop, and say what was
 * found and what was expected.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum err_kind {
    ERR_NONE,
    ERR_USAGE,    // the command line asks for something that cannot be
    ERR_SYNTAX,   // the input is not what its format says
    ERR_IO,       // the system refused
    ERR_LIMIT,    // the input is larger than this program can hold
    ERR_FEATURE,  // this build or format leaves the feature out
    ERR_INTERNAL, // a bug in this program
};

struct err {
    enum err_kind kind;
    char file[256];        // "" where unknown
    uint64_t line, column; // from 1; 0 where unknown
    uint64_t byte;         // offset from 0 in a binary input
    bool has_byte;
    char text[512];
};

/* Note an error and return false; a second one is ignored. */
__attribute__((format(printf, 3, 4))) bool
err_set(struct err *err, enum err_kind kind, const char *format, ...);

/* Add a position to the error just set, where it has none yet.  Return false,
 * so that 'return err_at_line(...)' ends a failing function. */
bool err_at_line(struct err *err, uint64_t line, uint64_t column);
bool err_at_byte(struct err *err, uint64_t byte);
bool err_in_file(struct err *err, const char *file);

/* Write "file:line:column: text" (as far as known) and return its length. */
size_t err_format(const struct err *err, char *out, size_t room);

/* Make the bytes of an input safe to quote in a one-line message: cut to a
 * readable length, with everything but printable ASCII escaped. */
const char *err_quote(char *out, size_t room, const char *text, size_t len);
#define ERR_QUOTE_ROOM 64

#endif
