/* prove_none.c -- a build without Z3 proves nothing.
 *
 * SPDX-License-Identifier: MIT */
#include "robust/prove.h"

#include <string.h>

bool
prove_level(const struct program *p, enum level level,
            const struct search_limits *limits, struct prove_result *out,
            struct err *err)
{
    (void)p;
    (void)limits;
    memset(out, 0, sizeof *out);
    out->level = level;
    return err_set(err, ERR_FEATURE, "this build has no Z3");
}

bool
prove_sequence(const struct program *p, enum level level, const char *names,
               const struct search_limits *limits, struct prove_result *out,
               struct err *err)
{
    (void)names;
    return prove_level(p, level, limits, out, err);
}

void
prove_free(struct prove_result *r)
{
    (void)r;
}
