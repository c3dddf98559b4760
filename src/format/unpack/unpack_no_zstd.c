/* unpack_no_zstd.c -- replaces unpack_zstd.c in a build without libzstd.
 *
 * SPDX-License-Identifier: MIT */
#include "format/unpack/unpack_stream.h"

bool
unpack_zstd(const char *data, size_t size, char **out, size_t *out_size,
            struct err *err)
{
    (void)data, (void)size, (void)out, (void)out_size;
    return err_set(err, ERR_FEATURE,
                   "this is zstd data, and this build has no libzstd");
}

void *
unpack_zstd_begin(struct unpack_calls *calls, struct err *err)
{
    (void)calls;
    err_set(err, ERR_FEATURE,
            "this is zstd data, and this build has no libzstd");
    return NULL;
}
