/* lines.h -- the lines of an input of any length, one at a time.
 *
 * The input is a file, stdin or text in memory, plain or compressed.  Memory is
 * a buffer that holds the longest line.
 *
 * An input that is followed is plain.  It may have no line at the moment; a
 * file never has an end then, only a pipe has.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STREAM_INPUT_LINES_H
#define STREAM_INPUT_LINES_H

#include "base/container/vec.h"
#include "base/err.h"

struct stream_lines {
    const char *name; // as the user gave it; borrowed
    uint64_t number;  // of the last line, from 1
    bool is_followed;
    bool is_waiting; // followed: there was no line at the last call

    // Private.
    int fd; // -1: none
    VEC(char) buffer, packed;
    size_t at;        // the next byte of the buffer
    size_t packed_at; // likewise of the packed bytes
    bool is_at_end;   // of the file
    bool is_file;     // regular: it may grow
    struct unpack_stream *unpack;
    uint64_t next, limit; // of a range: offset of the next line; 0: no range
    bool is_joined;
    VEC(char) last; // joined: the end of the last line
};

/* Open a path; "-" is stdin. */
bool lines_open(struct stream_lines *l, const char *path, struct err *err);

/* Lines of a text, which is copied. */
void lines_of_text(struct stream_lines *l, const char *name, const char *text,
                   size_t n);
/* Where the next line of a file begins; false: the input is no file. */
bool lines_offset(const struct stream_lines *l, uint64_t *out);

/* Go on at such a place of a file that was just opened; 'number' lines are
 * before it. */
bool lines_go_to(struct stream_lines *l, uint64_t offset, uint64_t number,
                 struct err *err);

/* A hash of the bytes before a place, by which a file is recognised. */
uint64_t lines_hash_before(const struct stream_lines *l, uint64_t offset);

/* Take only the lines of a file that begin at the bytes from .. to - 1.  With
 * 'joined', lines whose last two fields are the same belong together, and to
 * the range of the first of them.  The input was just opened.  False: it is no
 * plain file, or no line begins in the few bytes before the range. */
bool lines_take_range(struct stream_lines *l, uint64_t from, uint64_t to,
                      bool joined, struct err *err);

void lines_close(struct stream_lines *l);

/* The next line without its line end, valid until the next call; *line is NULL
 * at the end, or if l->is_waiting. */
bool lines_next(struct stream_lines *l, const char **line, size_t *n,
                struct err *err);

/* The beginning of the input, some bytes of it at least, before any line was
 * taken. */
bool lines_peek(struct stream_lines *l, const char **text, size_t *n,
                struct err *err);

#endif
