/* unpack.h -- gzip and zstd, where the build has them.
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_UNPACK_UNPACK_H
#define FORMAT_UNPACK_UNPACK_H

#include "base/err.h"

/* Whether the bytes begin with the magic of gzip or zstd. */
bool unpack_recognises(const char *data, size_t size);

/* Unpack all of it, several concatenated members too, into memory that the
 * caller frees with mem_free.  Truncated or damaged data is ERR_SYNTAX with a
 * byte offset; a build without the library says so with ERR_FEATURE. */
bool unpack_all(const char *data, size_t size, char **out, size_t *out_size,
                struct err *err);

/* The same for one method whose magic was seen.  Each is in a file of its own,
 * and the build takes that file or one that says the library is missing. */
bool unpack_gzip(const char *data, size_t size, char **out, size_t *out_size,
                 struct err *err);
bool unpack_zstd(const char *data, size_t size, char **out, size_t *out_size,
                 struct err *err);

#endif
