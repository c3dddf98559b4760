/* ir.c -- see ir.h.
 *
 * SPDX-License-Identifier: MIT */
#include "program/ir.h"

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
