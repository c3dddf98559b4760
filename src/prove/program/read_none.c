/* read_none.c -- a build without PostgreSQL's parser reads no programs.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/program/read.h"

static bool
refuse(struct err *err)
{
    return err_set(err, ERR_FEATURE,
                   "this build has no SQL parser (libpg_query)");
}

bool
program_read(struct program *p, const char *const *paths, size_t n,
             struct err *err)
{
    (void)p;
    (void)paths;
    (void)n;
    return refuse(err);
}

bool
program_read_text(struct program *p, const char *name, const char *text,
                  struct err *err)
{
    (void)p;
    (void)name;
    (void)text;
    return refuse(err);
}
