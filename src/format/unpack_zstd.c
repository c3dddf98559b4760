/* unpack_zstd.c -- zstd by way of libzstd.
 *
 * A zstd file is one or more frames, one after the other.  The library reads
 * them as one stream and says after each step how much it still misses of the
 * frame at hand: nothing, when the frame is complete.
 *
 * SPDX-License-Identifier: MIT */
#include "format/unpack.h"

#include "base/vec.h"

#include <zstd.h>

typedef VEC(char) char_vec;

/* *taken: how far the library got in the data. */
static bool
unzstd_all(ZSTD_DStream *stream, const char *data, size_t size, char_vec *out,
           size_t *taken, struct err *err)
{
    ZSTD_inBuffer in = {data, size, 0};
    size_t missing = 1;
    while (missing || in.pos < in.size) {
        const size_t pos = in.pos, n = out->n;
        vec_reserve(out, out->n + ZSTD_DStreamOutSize());
        ZSTD_outBuffer to = {out->at, out->room, out->n};
        missing = ZSTD_decompressStream(stream, &to, &in);
        out->n = to.pos;
        *taken = in.pos;
        if (ZSTD_isError(missing))
            return err_set(err, ERR_SYNTAX, "damaged zstd data: %s",
                           ZSTD_getErrorName(missing));
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
    ZSTD_DStream *stream = ZSTD_createDStream();
    if (!stream)
        return err_set(err, ERR_LIMIT, "libzstd has no memory");
    char_vec unpacked = {0};
    size_t taken = 0;
    const bool ok = unzstd_all(stream, data, size, &unpacked, &taken, err);
    ZSTD_freeDStream(stream);
    if (!ok) {
        vec_free(&unpacked);
        return err_at_byte(err, taken);
    }
    *out = unpacked.at;
    *out_size = unpacked.n;
    return true;
}
