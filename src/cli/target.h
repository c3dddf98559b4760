/* target.h -- the format of an output: named, or by its suffix.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CLI_TARGET_H
#define CLI_TARGET_H

#include "cli/cli.h"

/* The format that --to names, else the one whose suffix --output has, else
 * jsonl. */
bool cmd_convert_format(const struct options *o, const struct format **out,
                        struct err *err);

#endif
