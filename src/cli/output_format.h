/* output_format.h -- the format of an output file, by its name or suffix.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CLI_OUTPUT_FORMAT_H
#define CLI_OUTPUT_FORMAT_H

#include "format/format.h"

/* The format called 'name', or else the one with the suffix of 'path', or else
 * the one whose name is that suffix, or else jsonl.  Fails if there is no
 * format of that name. */
bool output_format_choose(const char *name, const char *path,
                          const struct format **out, struct err *err);

#endif
