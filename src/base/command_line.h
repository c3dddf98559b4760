/* command_line.h -- commands as users give them, for reports.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BASE_COMMAND_LINE_H
#define BASE_COMMAND_LINE_H

#include "base/buf.h"

/* Append "assay check -l si 'a b.hist'": the arguments, quoted for a shell.
 * Reports are passed on to others, so only what the user typed is included, and
 * passwords in addresses and after "password=" or "pwd=" become "***". */
void command_line_show(int n, char *const words[], struct buf *out);

/* Append one argument, quoted for a shell, and the same as it is. */
void command_line_put(const char *word, struct buf *out);
void command_line_hide(const char *word, struct buf *out);

#endif
