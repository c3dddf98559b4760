/* weakest.c -- see weakest.h.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/robust/weakest.h"

#include <stdio.h>
#include <string.h>

/* Some levels of the functions, tried within a limit of time. */
struct levels_tried {
    const struct program *program;
    const struct level_choice *levels;
    const struct search_limits *limits;
    struct limits within;
    struct weakest_try *out;
    struct {
        bool ok;
        struct err err;
    } end;
};

static int
try_here(void *self)
{
    struct levels_tried *t = self;
    struct weakest_try *out = t->out;
    struct prove_result r;
    struct limit_stop stop;
    t->end.ok = true;
    if (limits_set(&t->within) && !limit_try(&t->within, 0, "proving", &stop))
        prove_give_up(&r, &stop);
    else
        t->end.ok =
            prove_level(t->program, t->levels, t->limits, &r, &t->end.err);
    limit_end();
    out->tried = true;
    out->verdict = r.verdict;
    if (r.verdict == PROVE_UNKNOWN)
        memcpy(out->why, r.reason, sizeof out->why);
    size_t n = 0;
    const uint32_t members = r.verdict == PROVE_ANOMALY ? r.finding.n : 0;
    for (uint32_t i = 0; i < members && n < sizeof out->why; i++)
        n += (size_t)snprintf(out->why + n, sizeof out->why - n, "%s%s",
                              i ? ", " : "",
                              r.finding.members[i].function->name);
    prove_free(&r);
    return 0;
}

static bool
try_levels(const struct program *p, const struct level_choice *levels,
           const struct search_limits *limits, double timeout,
           struct weakest_try *out, struct err *err)
{
    struct levels_tried t = {.program = p,
                             .levels = levels,
                             .limits = limits,
                             .within = {.seconds = timeout},
                             .out = out};
    const struct limit_result results[] = {
        {.value = out, .size = sizeof *out},
        {.value = &t.end, .size = sizeof t.end}};
    if (limits_set(&t.within))
        limit_run(try_here, &t, results, 2);
    else
        try_here(&t);
    if (!t.end.ok)
        *err = t.end.err;
    return t.end.ok;
}

static bool
is_proved(const struct weakest *w, enum level level)
{
    return w->levels[level].tried && w->levels[level].verdict == PROVE_PROVED;
}

/* Whether all levels directly above, as far as they are tried here, are
 * proved. */
static bool
is_due(const struct weakest *w, enum level level)
{
    switch (level) {
    case LEVEL_PC:
    case LEVEL_PSI:
        return is_proved(w, LEVEL_SI);
    case LEVEL_CC:
        return is_proved(w, LEVEL_PC) && is_proved(w, LEVEL_PSI);
    case LEVEL_RA:
        return is_proved(w, LEVEL_CC);
    default:
        return true;
    }
}

static bool
find_for_all(const struct program *p, const struct search_limits *limits,
             double timeout, struct weakest *w, struct err *err)
{
    static const enum level downwards[] = {
        LEVEL_SER, LEVEL_RC, LEVEL_SI, LEVEL_PC, LEVEL_PSI, LEVEL_CC, LEVEL_RA};
    for (size_t i = 0; i < sizeof downwards / sizeof *downwards; i++) {
        const struct level_choice all = {.common = downwards[i]};
        if (is_due(w, downwards[i]) &&
            !try_levels(p, &all, limits, timeout, &w->levels[downwards[i]],
                        err))
            return false;
    }
    return true;
}

/* Lower a function as far as it goes; the others stay. */
static bool
lower(const struct program *p, uint32_t f, const struct search_limits *limits,
      double timeout, struct level_choice *levels, struct weakest *w,
      struct err *err)
{
    isolation_set(levels, p, f, LEVEL_RC);
    if (!try_levels(p, levels, limits, timeout, &w->at_rc[f], err))
        return false;
    if (w->at_rc[f].verdict != PROVE_PROVED) {
        isolation_set(levels, p, f, LEVEL_SI);
        if (!try_levels(p, levels, limits, timeout, &w->at_si[f], err))
            return false;
        if (w->at_si[f].verdict != PROVE_PROVED)
            isolation_set(levels, p, f, LEVEL_SER);
    }
    w->functions[f] = isolation_of(levels, f);
    return true;
}

bool
weakest_find(const struct program *p, const struct search_limits *limits,
             double timeout, struct weakest *out, struct err *err)
{
    const uint32_t n = (uint32_t)p->functions.n;
    memset(out, 0, sizeof *out);
    out->n = n;
    out->functions = mem_calloc(n + 1, sizeof *out->functions);
    out->at_rc = mem_calloc(n + 1, sizeof *out->at_rc);
    out->at_si = mem_calloc(n + 1, sizeof *out->at_si);
    struct level_choice levels = {.common = LEVEL_SER};
    bool ok = find_for_all(p, limits, timeout, out, err);
    for (uint32_t f = 0; ok && f < n; f++)
        ok = lower(p, f, limits, timeout, &levels, out, err);
    isolation_free(&levels);
    return ok;
}

void
weakest_free(struct weakest *w)
{
    mem_free(w->functions);
    mem_free(w->at_rc);
    mem_free(w->at_si);
    memset(w, 0, sizeof *w);
}

bool
weakest_is_lowest(const struct weakest *w, enum level level)
{
    if (!is_proved(w, level))
        return false;
    if (level == LEVEL_RC)
        return true;
    for (enum level l = LEVEL_RA; l < level; l++)
        if (is_proved(w, l) && level_implied(level) & (level_set)1 << l)
            return false;
    return level != LEVEL_SER || !is_proved(w, LEVEL_RC);
}
