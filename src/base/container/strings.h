/* strings.h -- a pool of distinct strings, each with a small number.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BASE_CONTAINER_STRINGS_H
#define BASE_CONTAINER_STRINGS_H

#include "base/container/vec.h"
#include "base/memory/arena.h"

#include <stdbool.h>

struct string {
    const char *text; // ends in a zero byte, which len does not count
    size_t len;
};

struct strings {
    VEC(struct string) all;
    struct arena arena;
    struct strings_slot *slots; // a power of two of them
    size_t slots_n;
};

/* The number of the string of len bytes at text, added where it is new. */
uint32_t strings_add(struct strings *s, const char *text, size_t len);

static inline struct string
strings_get(const struct strings *s, uint32_t id)
{
    return s->all.at[id];
}

/* Give back the search table.  What is added afterwards is not compared with
 * what was there before. */
void strings_seal(struct strings *s);

void strings_free(struct strings *s);

#endif
