/* input.h -- the bytes of one input: a file, a directory, or stdin.
 *
 * Files are mapped.  In every format, gzip and zstd are recognised by their
 * first bytes and unpacked into memory.
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
    unsigned threads; // how many a reader may use
    bool full;        // do not use the scans of plain.h; for tests, and lines
    bool lines;       // the lines of transactions are to be known

    // Private: how 'data' is held, and how much of it was released.
    enum { INPUT_NOTHING, INPUT_MAPPED, INPUT_HEAP } held;
    size_t done;
};

/* Open the path; "-" is stdin.  The error carries the path. */
bool input_open(struct input *in, const char *path, struct err *err);
void input_close(struct input *in);

/* The bytes of the caller, which stay there until input_close; 'name' is for
 * messages. */
bool input_of_bytes(struct input *in, const char *data, size_t size,
                    const char *name, struct err *err);

/* Whether 'in' is a directory that holds a file of that name. */
bool input_holds(const struct input *in, const char *file);

/* Release the bytes before 'offset', so that a mapped file does not count as
 * memory in use.  They can still be read.  Cheap: most calls do nothing.  May
 * be called on any thread. */
void input_done(struct input *in, size_t offset);

/* Line and column (from 1) of a byte; for messages only, O(offset). */
void input_position(const struct input *in, size_t offset, uint64_t *line,
                    uint64_t *column);

#endif
