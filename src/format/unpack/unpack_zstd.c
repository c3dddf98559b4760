/* unpack_zstd.c -- unpack zstd with libzstd.
 *
 * A zstd file is one or more frames.  The library reads them as one stream.
 * After each step it returns how much of the current frame is missing, which is
 * 0 when the frame is complete.
 *
 * SPDX-License-Identifier: MIT */
#include "format/unpack/unpack_stream.h"

#include "base/container/vec.h"
#include "base/library.h"

#include <zstd.h>

/* The functions of the library that are used; see base/library.h. */
// clang-format off
#define CALLS(F) F(ZSTD_createDStream) F(ZSTD_decompressStream) \
    F(ZSTD_DStreamOutSize) F(ZSTD_freeDStream) F(ZSTD_getErrorName) \
    F(ZSTD_isError)
// clang-format on
static struct {
    CALLS(LIBRARY_MEMBER)
} lib;
static const char *const calls[] = {CALLS(LIBRARY_NAME)};

typedef VEC(char) char_vec;

/* *taken: how many bytes the library has read. */
static bool
unzstd_all(ZSTD_DStream *stream, const char *data, size_t size, char_vec *out,
           size_t *taken, struct err *err)
{
    ZSTD_inBuffer in = {data, size, 0};
    size_t missing = 1;
    while (missing || in.pos < in.size) {
        const size_t pos = in.pos, n = out->n;
        vec_reserve(out, out->n + lib.ZSTD_DStreamOutSize());
        ZSTD_outBuffer to = {out->at, out->room, out->n};
        missing = lib.ZSTD_decompressStream(stream, &to, &in);
        out->n = to.pos;
        *taken = in.pos;
        if (lib.ZSTD_isError(missing))
            return err_set(err, ERR_SYNTAX, "damaged zstd data: %s",
                           lib.ZSTD_getErrorName(missing));
        if (missing && in.pos == pos && out->n == n)
            return err_set(err, ERR_SYNTAX,
                           "the zstd data ends before it is complete");
    }
    return true;
}

bool
unpack_zstd(const char *data, size_t size, char **out, size_t *out_size,
            struct err *err)
{
    if (!library_load("libzstd.so.1", calls, LIBRARY_LENGTH(calls), &lib, err))
        return false;
    ZSTD_DStream *stream = lib.ZSTD_createDStream();
    if (!stream)
        return err_set(err, ERR_LIMIT, "libzstd has no memory");
    char_vec unpacked = {0};
    size_t taken = 0;
    const bool ok = unzstd_all(stream, data, size, &unpacked, &taken, err);
    lib.ZSTD_freeDStream(stream);
    if (!ok) {
        vec_free(&unpacked);
        return err_at_byte(err, taken);
    }
    *out = unpacked.at;
    *out_size = unpacked.n;
    return true;
}

/* --- piece by piece --------------------------------------------------------*/

static bool
unzstd_step(void *state, struct unpack_chunk *c, bool *is_complete,
            struct err *err)
{
    ZSTD_inBuffer in = {c->in, c->in_n, 0};
    ZSTD_outBuffer out = {c->out, c->out_room, 0};
    const size_t missing = lib.ZSTD_decompressStream(state, &out, &in);
    c->taken = in.pos;
    c->made = out.pos;
    if (c->taken || c->made)
        *is_complete = !missing;
    return !lib.ZSTD_isError(missing) ||
           err_set(err, ERR_SYNTAX, "damaged zstd data: %s",
                   lib.ZSTD_getErrorName(missing));
}

static void
unzstd_end(void *state)
{
    lib.ZSTD_freeDStream(state);
}

void *
unpack_zstd_begin(struct unpack_calls *to, struct err *err)
{
    if (!library_load("libzstd.so.1", calls, LIBRARY_LENGTH(calls), &lib, err))
        return NULL;
    *to = (struct unpack_calls){unzstd_step, unzstd_end};
    ZSTD_DStream *stream = lib.ZSTD_createDStream();
    if (!stream)
        err_set(err, ERR_LIMIT, "libzstd has no memory");
    return stream;
}
