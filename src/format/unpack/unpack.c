/* unpack.c -- compressed input, recognised by its first bytes.
 *
 * SPDX-License-Identifier: MIT */
#include "format/unpack/unpack.h"

#include <string.h>

static bool
begins_with(const char *data, size_t size, const char *magic, size_t len)
{
    return size >= len && memcmp(data, magic, len) == 0;
}

/* The third byte is the method; gzip has only one.  Two bytes would not be
 * enough: a binary history may begin with them. */
static bool
is_gzip(const char *data, size_t size)
{
    return begins_with(data, size, "\x1f\x8b\x08", 3);
}

static bool
is_zstd(const char *data, size_t size)
{
    return begins_with(data, size, "\x28\xb5\x2f\xfd", 4);
}

bool
unpack_recognises(const char *data, size_t size)
{
    return is_gzip(data, size) || is_zstd(data, size);
}

bool
unpack_all(const char *data, size_t size, char **out, size_t *out_size,
           struct err *err)
{
    return is_gzip(data, size) ? unpack_gzip(data, size, out, out_size, err)
                               : unpack_zstd(data, size, out, out_size, err);
}
