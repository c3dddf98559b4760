/* ir.c -- see ir.h.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/program/ir.h"

#include <string.h>

uint32_t
program_find_table(const struct program *p, const char *name)
{
    for (uint32_t i = 0; i < p->tables.n; i++)
        if (strcmp(p->tables.at[i].name, name) == 0)
            return i;
    return UINT32_MAX;
}

uint32_t
program_find_function(const struct program *p, const char *name)
{
    for (uint32_t i = 0; i < p->functions.n; i++)
        if (strcmp(p->functions.at[i]->name, name) == 0)
            return i;
    return UINT32_MAX;
}

uint32_t
program_number(const struct program *p, const struct function *f)
{
    uint32_t i = 0;
    while (p->functions.at[i] != f)
        i++;
    assert(i < p->functions.n);
    return i;
}

uint32_t
table_find_column(const struct table *t, const char *name)
{
    for (uint32_t i = 0; i < t->n_columns; i++)
        if (strcmp(t->columns[i].name, name) == 0)
            return i;
    return UINT32_MAX;
}

bool
columns_have(const struct columns *columns, uint32_t c)
{
    for (uint32_t i = 0; i < columns->n; i++)
        if (columns->at[i] == c)
            return true;
    return false;
}

bool
columns_meet(const struct columns *columns, uint64_t set)
{
    for (uint32_t i = 0; i < columns->n; i++)
        if (set >> columns->at[i] & 1)
            return true;
    return false;
}

void *
program_alloc(struct program *p, size_t n, size_t size)
{
    assert(size > 0 && n <= SIZE_MAX / size);
    if (!n)
        return NULL;
    void *const memory = arena_alloc(&p->arena, n * size);
    memset(memory, 0, n * size);
    return memory;
}

char *
program_copy(struct program *p, const char *text)
{
    return arena_copy(&p->arena, text, strlen(text));
}

void
program_free(struct program *p)
{
    strings_free(&p->texts);
    vec_free(&p->tables);
    vec_free(&p->functions);
    vec_free(&p->invariants);
    vec_free(&p->refused);
    vec_free(&p->skipped);
    arena_free(&p->arena);
}

bool
block_has(const struct block *b, enum statement_kind kind)
{
    for (uint32_t i = 0; i < b->n; i++)
        if (b->at[i]->kind == kind || block_has(&b->at[i]->body, kind) ||
            block_has(&b->at[i]->other, kind))
            return true;
    return false;
}

bool
program_number_fits(enum value_type type, enum number_kind number, int64_t n)
{
    // Dates and timestamps of the years 1 to 9999.
    static const int64_t first_day = -730119, last_day = 2921939;
    enum { DAY = 24 * 60 * 60 };
    if (type == TYPE_DATE)
        return n >= first_day && n <= last_day;
    if (type == TYPE_TIMESTAMP)
        return n >= first_day * DAY && n < (last_day + 1) * DAY;
    if (type != TYPE_INTEGER || number >= NUMBER_BIGINT)
        return true;
    return number == NUMBER_SMALLINT ? n >= INT16_MIN && n <= INT16_MAX
                                     : n >= INT32_MIN && n <= INT32_MAX;
}

/* Variables get theirs from columns and parameters: a constant has none, and
 * a division that leaves one is refused. */
bool
program_has_fractions(const struct program *p)
{
    for (size_t i = 0; i < p->tables.n; i++)
        for (uint32_t c = 0; c < p->tables.at[i].n_columns; c++)
            if (p->tables.at[i].columns[c].number == NUMBER_NUMERIC)
                return true;
    for (size_t i = 0; i < p->functions.n; i++)
        for (uint32_t v = 0; v < p->functions.at[i]->n_parameters; v++)
            if (p->functions.at[i]->variables[v].number == NUMBER_NUMERIC)
                return true;
    return false;
}

uint32_t
function_moment(const struct function *f, uint32_t site)
{
    assert(site < f->n_inputs && f->inputs[site].kind == INPUT_MOMENT);
    uint32_t first = 0;
    while (f->inputs[first].kind != INPUT_MOMENT ||
           f->inputs[first].type != f->inputs[site].type)
        first++;
    return first;
}
