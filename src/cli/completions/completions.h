/* completions.h -- completions for shells, from the tables of commands and
 * options.
 *
 * Each shell has a file.  All of them complete the command; its options with
 * their help; the words that an option takes, after each comma where it takes
 * several; and the words that the command itself takes.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CLI_COMPLETIONS_COMPLETIONS_H
#define CLI_COMPLETIONS_COMPLETIONS_H

#include "cli/options/options.h"

/* Append the script for a shell. */
void completions_bash(struct buf *out);
void completions_zsh(struct buf *out);
void completions_fish(struct buf *out);

/* Whether the command takes the option, and its help lists it. */
bool completions_has(const struct command *c, const struct option *o);

/* What comes before the name of a flag that is on by default: "no-" or "". */
const char *completions_no(const struct option *o);

/* What the option does, as the help says it: "do not ..." for such a flag. */
void completions_help(const struct option *o, struct buf *out);

/* Whether its value is a list of words with commas between them: the name of
 * its value is a plural. */
bool completions_is_list(const struct option *o);

#endif
