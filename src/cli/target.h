/* target.h -- the format of an output file: named, or by its suffix.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CLI_TARGET_H
#define CLI_TARGET_H

#include "format/format.h"

/* The format called 'name', else the one that has the suffix of 'path', else
 * jsonl.  Fails where there is no format of that name. */
bool target_format(const char *name, const char *path,
                   const struct format **out, struct err *err);

#endif
