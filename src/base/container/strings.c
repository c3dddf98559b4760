/* strings.c -- see strings.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/container/strings.h"

#include "base/container/hash.h"
#include "base/limits/capacity.h"

/* The hash stands beside the id, so that a search looks at the text of another
 * string next to never, and a larger table is filled without looking at any. */
struct strings_slot {
    uint32_t hash;
    uint32_t id; // plus 1; 0 = empty
};

/* The slot of the string, or the empty one where it belongs. */
static struct strings_slot *
probe(const struct strings *s, uint32_t hash, const char *text, size_t len)
{
    for (size_t i = hash & (s->slots_n - 1);; i = (i + 1) & (s->slots_n - 1)) {
        struct strings_slot *slot = &s->slots[i];
        if (!slot->id)
            return slot;
        if (slot->hash != hash)
            continue;
        const struct string found = s->all.at[slot->id - 1];
        if (found.len == len && memcmp(found.text, text, len) == 0)
            return slot;
    }
}

static void
grow(struct strings *s)
{
    struct strings_slot *old = s->slots;
    const size_t old_n = s->slots_n;
    s->slots_n = old_n ? old_n * 2 : 64;
    s->slots = mem_calloc(s->slots_n, sizeof *s->slots);
    for (size_t i = 0; i < old_n; i++) {
        size_t to = old[i].hash & (s->slots_n - 1);
        while (old[i].id && s->slots[to].id)
            to = (to + 1) & (s->slots_n - 1);
        if (old[i].id)
            s->slots[to] = old[i];
    }
    mem_free(old);
}

uint32_t
strings_add(struct strings *s, const char *text, size_t len)
{
    if ((s->all.n + 1) * 4 > s->slots_n * 3)
        grow(s);
    const uint32_t hash = (uint32_t)hash_bytes(text, len);
    struct strings_slot *slot = probe(s, hash, text, len);
    if (!slot->id) {
        capacity_want(CAPACITY_STRINGS, s->all.n + 1);
        vec_push(&s->all,
                 ((struct string){arena_copy(&s->arena, text, len), len}));
        *slot = (struct strings_slot){hash, (uint32_t)s->all.n};
    }
    return slot->id - 1;
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
