/* strings.c -- see strings.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/strings.h"

#include "base/hash.h"

/* The slot of the string, or the empty one where it belongs. */
static uint32_t *
probe(const struct strings *s, const char *text, size_t len)
{
    size_t i = hash_bytes(text, len) & (s->slots_n - 1);
    for (;; i = (i + 1) & (s->slots_n - 1)) {
        if (!s->slots[i])
            return &s->slots[i];
        const struct string found = s->all.at[s->slots[i] - 1];
        if (found.len == len && memcmp(found.text, text, len) == 0)
            return &s->slots[i];
    }
}

static void
grow(struct strings *s)
{
    s->slots_n = s->slots_n ? s->slots_n * 2 : 64;
    mem_free(s->slots);
    s->slots = mem_calloc(s->slots_n, sizeof *s->slots);
    for (size_t id = 0; id < s->all.n; id++)
        *probe(s, s->all.at[id].text, s->all.at[id].len) = (uint32_t)id + 1;
}

uint32_t
strings_add(struct strings *s, const char *text, size_t len)
{
    if ((s->all.n + 1) * 4 > s->slots_n * 3)
        grow(s);
    uint32_t *slot = probe(s, text, len);
    if (!*slot) {
        vec_push(&s->all,
                 ((struct string){arena_copy(&s->arena, text, len), len}));
        *slot = (uint32_t)s->all.n;
    }
    return *slot - 1;
}

void
strings_seal(struct strings *s)
{
    mem_free(s->slots);
    s->slots = NULL;
    s->slots_n = 0;
}

void
strings_free(struct strings *s)
{
    strings_seal(s);
    vec_free(&s->all);
    arena_free(&s->arena);
}
