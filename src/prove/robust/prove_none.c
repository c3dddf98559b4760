/* prove_none.c -- a build without Z3 proves nothing.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/robust/repair/repair.h"
#include "prove/robust/weakest.h"

#include <string.h>

bool
prove_level(const struct program *p, const struct level_choice *isolation,
            const struct search_limits *limits, struct prove_result *out,
            struct err *err)
{
    (void)p;
    (void)isolation;
    (void)limits;
    memset(out, 0, sizeof *out);
    return err_set(err, ERR_FEATURE, "this build has no Z3");
}

bool
prove_sequence(const struct program *p, const struct level_choice *isolation,
               const char *names, const struct search_limits *limits,
               struct prove_result *out, struct err *err)
{
    (void)names;
    return prove_level(p, isolation, limits, out, err);
}

bool
prove_each(const struct program *p, const struct level_choice *isolation,
           const struct search_limits *limits, struct findings *each,
           struct prove_result *out, struct err *err)
{
    (void)each;
    return prove_level(p, isolation, limits, out, err);
}

void
findings_free(struct findings *f)
{
    (void)f;
}

void
prove_free(struct prove_result *r)
{
    (void)r;
}

bool
weakest_find(const struct program *p, const struct search_limits *limits,
             double timeout, struct weakest *out, struct err *err)
{
    (void)p;
    (void)limits;
    (void)timeout;
    memset(out, 0, sizeof *out);
    return err_set(err, ERR_FEATURE, "this build has no Z3");
}

void
weakest_free(struct weakest *w)
{
    (void)w;
}

bool
weakest_is_lowest(const struct weakest *w, enum level level)
{
    (void)w;
    (void)level;
    return false;
}

bool
repair_find(const struct program *p, const struct level_choice *levels,
            enum repair_by by, const struct search_limits *limits,
            struct repair *out, struct err *err)
{
    (void)p;
    (void)levels;
    (void)by;
    (void)limits;
    memset(out, 0, sizeof *out);
    return err_set(err, ERR_FEATURE, "this build has no Z3");
}

void
repair_free(struct repair *r)
{
    (void)r;
}
