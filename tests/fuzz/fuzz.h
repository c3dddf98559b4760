/* fuzz.h -- what is tried with every input, by the fuzzer and by the replay.
 *
 * SPDX-License-Identifier: MIT */
#ifndef FUZZ_H
#define FUZZ_H

#include "format/format.h"

/* Read the bytes in the format.  Whatever they are, reading must not crash and
 * must end in a history or in an error with a printable message; a history
 * must be what is read again after the format wrote it, and, if it has rows,
 * after any other format that holds rows did.  A reader that scans
 * plain entries gives the same as its full reader alone.  Every format is also
 * asked whether it recognises the bytes.  Abort where something is wrong. */
void fuzz_one(const struct format *format, const char *data, size_t size);

#endif
