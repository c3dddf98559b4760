/* command_line.h -- the command as the user gave it, for a report.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CLI_COMMAND_LINE_H
#define CLI_COMMAND_LINE_H

#include "base/buf.h"

/* Append "assay check -l si 'a b.hist'": the words behind the program's name,
 * quoted so that a shell takes them for the same words.  Reports are passed
 * on, so nothing goes in that the user did not type, and passwords that were
 * typed become "***": in addresses, and behind "password=". */
void command_line_show(int n, char *const words[], struct buf *out);

#endif
