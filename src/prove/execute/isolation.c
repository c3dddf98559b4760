/* isolation.c -- see isolation.h.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/execute/isolation.h"

#include "base/memory/mem.h"

#include <assert.h>
#include <string.h>

void
isolation_set(struct level_choice *i, const struct program *p,
              uint32_t function, enum level level)
{
    assert(function < p->functions.n);
    i->functions = (uint32_t)p->functions.n;
    if (!i->levels) {
        i->levels = mem_alloc(i->functions, sizeof *i->levels);
        for (uint32_t f = 0; f < i->functions; f++)
            i->levels[f] = i->common;
    }
    i->levels[function] = level;
}

void
isolation_pair(struct level_choice *i, const struct program *p, uint32_t f,
               uint32_t g)
{
    const size_t n = p->functions.n;
    assert(f < n && g < n);
    i->functions = (uint32_t)n;
    if (!i->pairs)
        i->pairs = mem_calloc(n * n, sizeof *i->pairs);
    i->pairs[f * n + g] = i->pairs[g * n + f] = true;
}

void
isolation_copy(struct level_choice *to, const struct level_choice *from)
{
    const size_t n = from->functions;
    *to = *from;
    if (from->levels) {
        to->levels = mem_alloc(n, sizeof *to->levels);
        memcpy(to->levels, from->levels, n * sizeof *to->levels);
    }
    if (from->pairs) {
        to->pairs = mem_alloc(n * n, sizeof *to->pairs);
        memcpy(to->pairs, from->pairs, n * n * sizeof *to->pairs);
    }
}

void
isolation_free(struct level_choice *i)
{
    mem_free(i->levels);
    mem_free(i->pairs);
    memset(i, 0, sizeof *i);
}

enum level
isolation_of(const struct level_choice *i, uint32_t function)
{
    assert(!i->levels || function < i->functions);
    return i->levels ? i->levels[function] : i->common;
}

bool
isolation_is_paired(const struct level_choice *i, uint32_t f, uint32_t g)
{
    return i->pairs && i->pairs[(size_t)f * i->functions + g];
}

bool
isolation_is_mixed(const struct level_choice *i)
{
    for (uint32_t f = 1; i->levels && f < i->functions; f++)
        if (i->levels[f] != i->levels[0])
            return true;
    return false;
}

bool
isolation_minds(const struct level_choice *i, uint32_t f, uint32_t g)
{
    const enum level both[] = {isolation_of(i, f), isolation_of(i, g)};
    for (int k = 0; !i->own && k < 2; k++)
        if (!level_keeps_updates(both[k]))
            return false;
    return !i->own || axioms_mind_conflicts(i->own);
}

bool
isolation_is_postgresql(const struct level_choice *i)
{
    if (i->own)
        return false;
    for (uint32_t f = 0; f < (i->levels ? i->functions : 1); f++) {
        const enum level l = isolation_of(i, f);
        if (l != LEVEL_RC && l != LEVEL_SI && l != LEVEL_SER)
            return false;
    }
    return true;
}

level_set
isolation_shared(const struct level_choice *i)
{
    if (i->innodb)
        return (level_set)1 << LEVEL_READS;
    if (i->own)
        return (level_set)1 << LEVEL_RA;
    level_set all = level_implied(isolation_of(i, 0));
    for (uint32_t f = 1; i->levels && f < i->functions; f++)
        all &= level_implied(i->levels[f]);
    return level_strongest(all);
}

bool
isolation_is_family(const struct level_choice *i)
{
    if (isolation_is_postgresql(i))
        return true;
    for (uint32_t f = 0; f < (i->levels ? i->functions : 1); f++)
        if (level_orders_reads(isolation_of(i, f)))
            return false;
    return true;
}

enum shape
isolation_shape(const struct level_choice *i, uint32_t p)
{
    const enum level l = isolation_of(i, p);
    if (i->own)
        return SHAPE_VISIBLE;
    if (isolation_is_postgresql(i))
        return level_orders_reads(l) ? SHAPE_INTERRUPTED : SHAPE_DELAYED;
    return l == LEVEL_PC && !isolation_is_mixed(i) ? SHAPE_DELAYED
                                                   : SHAPE_VISIBLE;
}

bool
isolation_is_plain(const struct statement *s)
{
    if (s->kind == STATEMENT_UPDATE || s->kind == STATEMENT_DELETE ||
        s->kind == STATEMENT_INSERT)
        return false;
    const bool reads = s->kind == STATEMENT_SELECT ||
                       s->kind == STATEMENT_ROWS || s->kind == STATEMENT_FOR;
    return !reads || !s->query->lock;
}

bool
isolation_can_wait(const struct statement *s)
{
    if (s->kind == STATEMENT_UPDATE || s->kind == STATEMENT_DELETE)
        return true;
    const bool reads = s->kind == STATEMENT_SELECT ||
                       s->kind == STATEMENT_ROWS || s->kind == STATEMENT_FOR;
    return reads && s->query->lock && s->query->n_sources == 1;
}
