/* unpack_no_gzip.c -- replaces unpack_gzip.c in a build without zlib.
 *
 * SPDX-License-Identifier: MIT */
#include "format/unpack/unpack_stream.h"

bool
unpack_gzip(const char *data, size_t size, char **out, size_t *out_size,
            struct err *err)
{
    (void)data, (void)size, (void)out, (void)out_size;
    return err_set(err, ERR_FEATURE,
                   "this is gzip data, and this build has no zlib");
}

void *
unpack_gzip_begin(struct unpack_calls *calls, struct err *err)
{
    (void)calls;
    err_set(err, ERR_FEATURE, "this is gzip data, and this build has no zlib");
    return NULL;
}
