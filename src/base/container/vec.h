/* vec.h -- growable arrays of any type.
 *
 *     VEC(uint32_t) v = {0};           all-zero is empty
 *     vec_push(&v, 7);  v.at[0];  v.n;  vec_free(&v);
 *
 * Keep indices, not pointers: a push may move the array.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BASE_CONTAINER_VEC_H
#define BASE_CONTAINER_VEC_H

#include "base/memory/mem.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#define VEC(T)                                                                 \
    struct {                                                                   \
        T *at;                                                                 \
        size_t n, room;                                                        \
    }

/* A vector type that can be named in a function's parameters. */
typedef VEC(uint32_t) u32_vec;
typedef VEC(uint64_t) u64_vec;

#define vec_free(v)                                                            \
    (mem_free((v)->at), (v)->at = NULL, (void)((v)->n = (v)->room = 0))
#define vec_clear(v) ((void)((v)->n = 0))

/* Make room for at least 'want' elements in all. */
#define vec_reserve(v, want)                                                   \
    ((want) <= (v)->room                                                       \
         ? (void)0                                                             \
         : (void)((v)->room = vec_room_((v)->room, (want)),                    \
                  (v)->at = mem_realloc((v)->at, (v)->room, sizeof *(v)->at)))
#define vec_push(v, x)                                                         \
    (vec_reserve((v), (v)->n + 1), (void)((v)->at[(v)->n++] = (x)))
/* Add 'count' elements, not initialised; they are the last ones. */
#define vec_grow(v, count)                                                     \
    (vec_reserve((v), (v)->n + (count)), (void)((v)->n += (count)))
#define vec_pop(v) (assert((v)->n), (v)->at[--(v)->n])
#define vec_top(v) ((v)->at[(v)->n - 1])
/* Give back what is reserved and not used. */
#define vec_trim(v)                                                            \
    ((v)->room == (v)->n                                                       \
         ? (void)0                                                             \
         : (void)((v)->at = mem_realloc((v)->at, (v)->n, sizeof *(v)->at),     \
                  (v)->room = (v)->n))

static inline size_t
vec_room_(size_t room, size_t want)
{
    const size_t next = room + room / 2 + 8;
    return next > want ? next : want;
}

#endif
