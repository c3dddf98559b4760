/* arena.c -- bump allocation in blocks of growing size.
 *
 * SPDX-License-Identifier: MIT */
#include "base/memory/arena.h"

#include "base/memory/mem.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { ALIGN = 16, FIRST_BLOCK = 4096, LARGEST_BLOCK = 1 << 20 };

struct arena_block {
    struct arena_block *below;
    size_t size;
};

/* The front of a block, with room to align what follows: with 32 bits malloc
 * aligns by 8. */
static const size_t front =
    sizeof(struct arena_block) +
    (_Alignof(max_align_t) < ALIGN || sizeof(struct arena_block) % ALIGN != 0
         ? ALIGN
         : 0);

static void
add_block(struct arena *a, size_t need)
{
    size_t size = a->top ? a->top->size * 2 : FIRST_BLOCK;
    if (size > LARGEST_BLOCK)
        size = LARGEST_BLOCK;
    if (size < need)
        size = need;
    struct arena_block *b = mem_alloc(1, front + size);
    b->below = a->top;
    b->size = size;
    a->top = b;
    a->next =
        (char *)(((uintptr_t)(b + 1) + ALIGN - 1) & ~(uintptr_t)(ALIGN - 1));
    a->end = a->next + size;
}

void *
arena_alloc(struct arena *a, size_t size)
{
    if (size > SIZE_MAX / 2)
        size = SIZE_MAX / 2; // cannot be had; mem_alloc will say so
    size = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    if (!a->top || (size_t)(a->end - a->next) < size)
        add_block(a, size);
    void *p = a->next;
    a->next += size;
    return p;
}

char *
arena_copy(struct arena *a, const char *text, size_t len)
{
    char *copy = arena_alloc(a, len + 1);
    if (len)
        memcpy(copy, text, len);
    copy[len] = 0;
    return copy;
}

void
arena_free(struct arena *a)
{
    while (a->top) {
        struct arena_block *below = a->top->below;
        mem_free(a->top);
        a->top = below;
    }
    a->next = a->end = NULL;
}
