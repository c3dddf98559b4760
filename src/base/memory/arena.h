/* arena.h -- memory that is freed all at once.
 *
 * One arena per lifetime: a history, an explanation, a report.  Nothing in an
 * arena is freed singly.  All-zero is an empty arena.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BASE_MEMORY_ARENA_H
#define BASE_MEMORY_ARENA_H

#include <stddef.h>

struct arena_block;

struct arena {
    struct arena_block *top;
    char *next, *end;
};

/* size bytes, aligned for any object, not initialised. */
void *arena_alloc(struct arena *a, size_t size);

/* A copy of the len bytes at text, with a zero byte behind them. */
char *arena_copy(struct arena *a, const char *text, size_t len);

void arena_free(struct arena *a);

#endif
