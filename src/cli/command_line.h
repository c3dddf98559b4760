/* command_line.h -- the command as the user gave it, for a report.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CLI_COMMAND_LINE_H
#define CLI_COMMAND_LINE_H

#include "base/buf.h"

/* Append "assay check -l si 'a b.hist'": the arguments, quoted for a shell.
 * Reports are passed on to others, so only what the user typed is included, and
 * passwords in addresses and after "password=" become "***". */
void command_line_show(int n, char *const words[], struct buf *out);

#endif
