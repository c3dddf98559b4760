/* read.h -- SQL files as programs.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PROVE_PROGRAM_READ_H
#define PROVE_PROGRAM_READ_H

#include "base/err.h"
#include "prove/program/ir.h"

/* Read the tables and functions of n files as one program, to be freed in any
 * case.  'paths' stay in use.
 *
 *   error  ERR_SYNTAX with file and line for what is not understood, even
 *          where PostgreSQL would understand it; ERR_FEATURE where this build
 *          has no parser */
bool program_read(struct program *p, const char *const *paths, size_t n,
                  struct err *err);

/* The same for one text, whose name is used in messages. */
bool program_read_text(struct program *p, const char *name, const char *text,
                       struct err *err);

#endif
