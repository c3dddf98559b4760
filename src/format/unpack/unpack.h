/* unpack.h -- gzip and zstd, if the build has them; others are refused by name.
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_UNPACK_UNPACK_H
#define FORMAT_UNPACK_UNPACK_H

#include "base/err.h"

/* Whether the bytes begin with the magic number of a compressed file. */
bool unpack_recognises(const char *data, size_t size);

/* Unpack all members or frames into memory that the caller frees with
 * mem_free.  Truncated or damaged data is ERR_SYNTAX with a byte offset; a
 * build without the library fails with ERR_FEATURE, and so do methods that no
 * build has, such as xz. */
bool unpack_all(const char *data, size_t size, char **out, size_t *out_size,
                struct err *err);

/* The same for one method whose magic number was found.  Each has its own
 * file; a build without the library takes a file that reports this. */
bool unpack_gzip(const char *data, size_t size, char **out, size_t *out_size,
                 struct err *err);
bool unpack_zstd(const char *data, size_t size, char **out, size_t *out_size,
                 struct err *err);

#endif
