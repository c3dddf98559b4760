/* unpack_stream.h -- gzip and zstd unpacked piece by piece.
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_UNPACK_UNPACK_STREAM_H
#define FORMAT_UNPACK_UNPACK_STREAM_H

#include "format/unpack/unpack.h"

/* One step: bytes to unpack, and room for what comes of them. */
struct unpack_chunk {
    const char *in;
    size_t in_n;
    char *out;
    size_t out_room;
    size_t taken, made; // of 'in', and in 'out'
};

struct unpack_stream;

/* A method's functions, which it sets when it begins. */
struct unpack_calls {
    bool (*step)(void *state, struct unpack_chunk *c, bool *is_complete,
                 struct err *err);
    void (*end)(void *state);
};

/* Begin with data whose first bytes are these (unpack_recognises); NULL with an
 * error where the method is not available. */
struct unpack_stream *unpack_stream_begin(const char *data, size_t size,
                                          struct err *err);

/* Unpack some; damaged data is ERR_SYNTAX. */
bool unpack_stream_step(struct unpack_stream *s, struct unpack_chunk *c,
                        struct err *err);

/* Whether no member or frame is incomplete. */
bool unpack_stream_is_complete(const struct unpack_stream *s);
void unpack_stream_end(struct unpack_stream *s);

/* The beginning for one method; NULL with an error. */
void *unpack_gzip_begin(struct unpack_calls *calls, struct err *err);
void *unpack_zstd_begin(struct unpack_calls *calls, struct err *err);

#endif
