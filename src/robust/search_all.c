/* search_all.c -- every sequence of functions that can form a cycle.
 *
 * A sequence is left out only when the tables and columns that its functions
 * mention cannot make each depend on the one before.
 *
 * SPDX-License-Identifier: MIT */
#include "robust/search.h"

#include "program/access.h"

#include <string.h>

struct sequences {
    const struct program *program;
    enum level level;
    const struct search_limits *limits;
    struct access *access; // of each function
    struct finding *out;
    struct err *err;
};

/* Whether b may depend on a in any way. */
static bool
may_depend(const struct sequences *s, uint32_t a, uint32_t b)
{
    const struct access *x = &s->access[a], *y = &s->access[b];
    if (access_reads_from(s->program, y, x) ||
        access_reads_from(s->program, x, y))
        return true;
    for (uint32_t i = 0; i < s->program->tables.n; i++)
        if (x->writes[i] & y->writes[i])
            return true;
    return false;
}

/* The shapes with one delayed or interrupted member P, which is first here:
 * P reads what the next one overwrites, and depends on the last one. */
static bool
may_be_cycle_through_first(const struct sequences *s, const uint32_t *at,
                           uint32_t n)
{
    const struct access *p = &s->access[at[0]];
    if (!access_reads_from(s->program, p, &s->access[at[1]]))
        return false;
    for (uint32_t i = 1; i + 1 < n; i++)
        if (!may_depend(s, at[i], at[i + 1]))
            return false;
    return s->level == LEVEL_SI
               ? access_reads_from(s->program, &s->access[at[n - 1]], p)
               : may_depend(s, at[n - 1], at[0]);
}

/* Any shape: every member depends on another in both directions. */
static bool
may_be_cycle(const struct sequences *s, const uint32_t *at, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t partners = 0;
        for (uint32_t j = 0; j < n; j++)
            partners += j != i && may_depend(s, at[i], at[j]);
        if (partners < (n > 2 ? 2u : 1u))
            return false;
    }
    return true;
}

static bool
try_sequence(struct sequences *s, const uint32_t *at, uint32_t n,
             uint32_t slots)
{
    const bool first =
        s->level == LEVEL_RC || s->level == LEVEL_SI || s->level == LEVEL_PC;
    if (first ? !may_be_cycle_through_first(s, at, n) : !may_be_cycle(s, at, n))
        return true;
    const struct function *functions[INTERLEAVING_MOST];
    for (uint32_t i = 0; i < n; i++) {
        // The delayed member commits last.
        const uint32_t to =
            s->level == LEVEL_SI || s->level == LEVEL_PC ? (i + n - 1) % n : i;
        functions[to] = s->program->functions.at[at[i]];
    }
    s->out->sequences++;
    return search_sequence(s->program, s->level, functions, n, slots, s->limits,
                           s->out, s->err);
}

/* All sequences of n functions, until an anomaly or a limit. */
static bool
try_length(struct sequences *s, uint32_t n, uint32_t slots)
{
    uint32_t at[INTERLEAVING_MOST] = {0};
    for (;;) {
        if (!try_sequence(s, at, n, slots))
            return false;
        if (s->out->kind == FINDING_ANOMALY || limit_reached(&s->limits->all))
            return true;
        uint32_t i = n;
        while (i > 0 && ++at[i - 1] == s->program->functions.n)
            at[--i] = 0;
        if (i == 0)
            return true;
    }
}

bool
search_all(const struct program *p, enum level level,
           const struct search_limits *limits, struct finding *out,
           struct err *err)
{
    memset(out, 0, sizeof *out);
    if (level == LEVEL_SER)
        return true;
    struct sequences s = {p, level, limits, NULL, out, err};
    s.access = mem_calloc(p->functions.n + 1, sizeof *s.access);
    for (uint32_t i = 0; i < p->functions.n; i++)
        access_init(&s.access[i], p, p->functions.at[i]);
    bool ok = true;
    for (uint32_t n = 2; ok && n <= limits->members; n++)
        for (uint32_t slots = 2; ok && slots <= limits->slots; slots++) {
            if (out->kind == FINDING_ANOMALY || limit_reached(&limits->all))
                break;
            ok = try_length(&s, n, slots);
        }
    if (out->kind != FINDING_ANOMALY && out->gave_up)
        out->kind = FINDING_UNKNOWN;
    if (out->kind != FINDING_ANOMALY && limit_reached(&limits->all))
        out->kind = FINDING_UNKNOWN;
    for (uint32_t i = 0; i < p->functions.n; i++)
        access_free(&s.access[i]);
    mem_free(s.access);
    return ok;
}
