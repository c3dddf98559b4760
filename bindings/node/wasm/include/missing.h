/* missing.h -- what the C library of WebAssembly leaves out of its headers;
 * host.c defines it.  Included before every file.
 *
 * SPDX-License-Identifier: MIT */
#ifndef ASSAY_WASM_MISSING_H
#define ASSAY_WASM_MISSING_H

#include <stddef.h>

char *realpath(const char *path, char *out);
int dup(int descriptor);
int madvise(void *at, size_t n, int advice);

#endif
