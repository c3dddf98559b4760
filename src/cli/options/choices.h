/* choices.h -- the words that an option takes: those of the tables below
 * (pipeline/choices.h), and those of the command line itself.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CLI_OPTIONS_CHOICES_H
#define CLI_OPTIONS_CHOICES_H

#include "pipeline/choices.h"

choices choices_commands;  // of this program
choices choices_sweeps;    // what a sweep varies
choices choices_shells;    // that completions are for
choices choices_executors; // of a campaign

#endif
