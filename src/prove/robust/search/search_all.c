/* search_all.c -- every sequence of functions that can form a cycle.
 *
 * A sequence is left out only when the tables and columns that its functions
 * mention, or the solver (links.h), cannot make it a cycle, or when PostgreSQL
 * is sure to refuse it.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/robust/search/search.h"

#include "prove/program/access.h"
#include "prove/robust/search/links.h"

#include <string.h>

struct sequences {
    struct anomaly_search search;
    struct access *access; // of each function
    struct links **links;  // by the number of rows; NULL: nothing was asked
    struct finding *out;
    struct err *err;
};

/* Whether b may depend on a in any way. */
static bool
may_depend(const struct sequences *s, uint32_t a, uint32_t b)
{
    const struct access *x = &s->access[a], *y = &s->access[b];
    const struct program *p = s->search.program;
    if (access_reads_from(p, y, x) || access_reads_from(p, x, y))
        return true;
    for (uint32_t i = 0; i < p->tables.n; i++)
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
    const struct program *program = s->search.program;
    const struct level_choice *levels = s->search.isolation;
    const struct access *p = &s->access[at[0]];
    const enum level level = isolation_of(levels, at[0]);
    if (!access_reads_from(program, p, &s->access[at[1]]))
        return false;
    for (uint32_t i = 1; i + 1 < n; i++)
        if (!may_depend(s, at[i], at[i + 1]))
            return false;
    // P would be a pivot among serializable transactions.
    if (level_is_serial(level) &&
        level_is_serial(isolation_of(levels, at[1])) &&
        level_is_serial(isolation_of(levels, at[n - 1])))
        return false;
    return level_separates_writers(level) || level_is_serial(level)
               ? access_reads_from(program, &s->access[at[n - 1]], p)
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

/* Whether the anomaly's functions are among those of a longer sequence. */
static bool
has_part(const struct sequences *s, const struct finding *f, const uint32_t *at,
         uint32_t n)
{
    uint32_t used = 0; // bits
    if (f->n >= n)
        return false;
    for (uint32_t i = 0; i < f->n; i++) {
        const uint32_t g =
            program_number(s->search.program, f->members[i].function);
        uint32_t j = 0;
        while (j < n && (at[j] != g || used >> j & 1))
            j++;
        if (j == n)
            return false;
        used |= (uint32_t)1 << j;
    }
    return true;
}

static bool
is_told(const struct sequences *s, const uint32_t *at, uint32_t n)
{
    const struct findings *each = s->search.each;
    for (size_t i = 0; each && i < each->all.n; i++)
        if (has_part(s, each->all.at[i], at, n))
            return true;
    return false;
}

/* Of two members and two rows the links would be as dear as the search. */
static bool
is_linked(struct sequences *s, enum shape shape, const uint32_t *at, uint32_t n,
          uint32_t slots)
{
    if ((n == 2 && slots == 2) || shape == SHAPE_VISIBLE ||
        s->search.isolation->innodb || s->search.limits->graph)
        return n <= s->search.limits->members;
    assert(slots <= s->search.limits->slots);
    if (!s->links[slots])
        s->links[slots] = links_new(&s->search, slots, s->err);
    return n <= s->search.limits->members
               ? links_connect(s->links[slots], at, n)
               : links_chain(s->links[slots], at, n);
}

static bool
try_sequence(struct sequences *s, const uint32_t *at, uint32_t n,
             uint32_t slots)
{
    const enum shape shape = isolation_shape(s->search.isolation, at[0]);
    if (shape == SHAPE_VISIBLE ? !may_be_cycle(s, at, n)
                               : !may_be_cycle_through_first(s, at, n))
        return true;
    if (is_told(s, at, n) || !is_linked(s, shape, at, n, slots))
        return !s->links[slots] || !links_failed(s->links[slots]);
    const struct function *functions[INTERLEAVING_MOST];
    for (uint32_t i = 0; i < n; i++) {
        // The delayed member commits last.
        const uint32_t to = shape == SHAPE_DELAYED ? (i + n - 1) % n : i;
        functions[to] = s->search.program->functions.at[at[i]];
    }
    s->out->sequences++;
    return search_sequence(&s->search, shape, functions, n, slots, s->out,
                           s->err);
}

/* All sequences of n functions, until an anomaly or a limit. */
static bool
try_length(struct sequences *s, uint32_t n, uint32_t slots)
{
    uint32_t at[INTERLEAVING_MOST] = {0};
    for (;;) {
        if (!try_sequence(s, at, n, slots))
            return false;
        if (s->out->kind == FINDING_ANOMALY ||
            limit_reached(&s->search.limits->all))
            return true;
        uint32_t i = n;
        while (i > 0 && ++at[i - 1] == s->search.program->functions.n)
            at[--i] = 0;
        if (i == 0)
            return true;
    }
}

static bool
try_lengths(struct sequences *s)
{
    const struct search_limits *limits = s->search.limits;
    const bool longer = !s->search.each && limits->chained > limits->members;
    const uint32_t most = longer ? limits->chained : limits->members;
    assert(most <= INTERLEAVING_MOST);
    for (uint32_t n = 2; n <= most; n++)
        for (uint32_t slots = 2; slots <= limits->slots; slots++) {
            if (s->out->kind == FINDING_ANOMALY || limit_reached(&limits->all))
                return true;
            if (!try_length(s, n, slots))
                return false;
        }
    return true;
}

bool
search_each(const struct program *p, const struct level_choice *isolation,
            const struct search_limits *limits, struct findings *each,
            struct finding *out, struct err *err)
{
    memset(out, 0, sizeof *out);
    struct sequences s = {{p, isolation, limits, each}, NULL, NULL, out, err};
    s.access = mem_calloc(p->functions.n + 1, sizeof *s.access);
    s.links = mem_calloc(limits->slots + 1, sizeof *s.links);
    for (uint32_t i = 0; i < p->functions.n; i++)
        access_init(&s.access[i], p, p->functions.at[i]);
    const bool ok = try_lengths(&s);
    if (out->kind != FINDING_ANOMALY &&
        (out->gave_up || limit_reached(&limits->all)))
        out->kind = FINDING_UNKNOWN;
    for (uint32_t i = 0; i < p->functions.n; i++)
        access_free(&s.access[i]);
    mem_free(s.access);
    for (uint32_t i = 0; i <= limits->slots; i++)
        links_free(s.links[i]);
    mem_free(s.links);
    return ok;
}

bool
search_all(const struct program *p, const struct level_choice *isolation,
           const struct search_limits *limits, struct finding *out,
           struct err *err)
{
    return search_each(p, isolation, limits, NULL, out, err);
}
