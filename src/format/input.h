/* input.h -- the bytes of one input: a file, a directory, or stdin.
 *
 * Files are mapped; gzip and zstd are recognised by their magic and unpacked
 * into memory, in every format.
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_INPUT_H
#define FORMAT_INPUT_H

#include "base/err.h"

struct input {
    const char *name; // as the user gave it; borrowed
    const char *data; // size bytes; NULL for a directory
    size_t size;
    bool is_directory;
    unsigned threads; // that a reader may use

    // Private: what 'data' is, and how much of it was given back.
    enum { INPUT_NOTHING, INPUT_MAPPED, INPUT_HEAP } held;
    size_t done;
};

/* Open the path; "-" is stdin.  The error carries the path. */
bool input_open(struct input *in, const char *path, struct err *err);
void input_close(struct input *in);

/* Say that the bytes before 'offset' are not needed again, so that a mapped
 * file does not count as memory in use.  They can still be read.  To be said
 * often: mostly it does nothing. */
void input_done(struct input *in, size_t offset);

/* Line and column (from 1) of a byte; for messages only, O(offset). */
void input_position(const struct input *in, size_t offset, uint64_t *line,
                    uint64_t *column);

#endif
