/* fuzz_readers.c -- the libFuzzer target of one reader.
 *
 * The build makes one program of this file for each format, with its name in
 * FORMAT; -Dfuzz=true asks for them.
 *
 * SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct format *format = format_find(FORMAT);
    assert(format);
    fuzz_one(format, (const char *)data, size);
    return 0;
}
