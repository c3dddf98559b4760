/* names.c -- see names.h.
 *
 * SPDX-License-Identifier: MIT */
#include "stream/input/names.h"

#include "base/container/hash.h"

enum { MANY = 1 << 20 }; // texts of values, before the first collection

uint32_t
name_number(struct name_map *m, struct atom name)
{
    bool added;
    const uint32_t fresh = (uint32_t)m->all.tags.n;
    const uint32_t id =
        intmap_add(&m->by_tag[name.tag], name.bits, fresh, &added);
    if (added)
        atoms_push(&m->all, name);
    return id;
}

struct atom
names_text(struct stream_names *n, const char *text, size_t len)
{
    return (struct atom){strings_add(&n->texts, text, len), ATOM_STRING};
}

struct atom
names_value(struct stream_names *n, const char *text, size_t len)
{
    return (struct atom){strings_add(&n->values, text, len), ATOM_STRING};
}

uint64_t
names_hash(const struct stream_names *n, uint32_t key, struct atom value)
{
    uint64_t bits = value.bits;
    if (atom_is_text(value)) {
        const struct string s = strings_get(&n->values, (uint32_t)value.bits);
        bits = hash_bytes(s.text, s.len);
    }
    return hash_pair(bits, (uint64_t)key * ATOM_TAGS + value.tag);
}

static size_t
least_values(const struct stream_names *n)
{
    return n->least_values ? n->least_values : MANY;
}

bool
names_are_many(const struct stream_names *n)
{
    return n->values.all.n >=
           (n->most_values ? n->most_values : least_values(n));
}

void
names_collect_begin(struct names_collection *c, struct stream_names *n)
{
    *c = (struct names_collection){.names = n};
}

uint64_t
names_keep(struct names_collection *c, uint8_t tag, uint64_t bits)
{
    if (tag < ATOM_STRING)
        return bits;
    const struct string s = strings_get(&c->names->values, (uint32_t)bits);
    return strings_add(&c->kept, s.text, s.len);
}

void
names_collect_end(struct names_collection *c)
{
    struct stream_names *n = c->names;
    strings_free(&n->values);
    n->values = c->kept;
    n->most_values = 2 * n->values.all.n;
    if (n->most_values < least_values(n))
        n->most_values = least_values(n);
}

/* Not every name can be found: see reader_leave. */
static void
archive_map(struct name_map *m, struct archive *a)
{
    size_t n = m->all.tags.n;
    archive_count(a, &n, 1 + sizeof(uint64_t));
    for (size_t i = 0; i < n; i++) {
        struct atom x = a->reads ? atom_nil() : atoms_get(&m->all, i);
        archive_atom(a, &x);
        bool is_found =
            !a->reads && intmap_find(&m->by_tag[x.tag], x.bits) == i;
        archive_value(a, is_found);
        if (!a->reads)
            continue;
        if (is_found)
            intmap_add(&m->by_tag[x.tag], x.bits, (uint32_t)i, &is_found);
        atoms_push(&m->all, x);
    }
}

void
names_archive(struct stream_names *n, struct archive *a)
{
    archive_strings(a, &n->texts);
    archive_strings(a, &n->values);
    archive_map(&n->keys, a);
    archive_map(&n->sessions, a);
}

static void
free_map(struct name_map *m)
{
    for (int t = 0; t < ATOM_TAGS; t++)
        intmap_free(&m->by_tag[t]);
    atoms_free(&m->all);
}

void
names_free(struct stream_names *n)
{
    free_map(&n->keys);
    free_map(&n->sessions);
    strings_free(&n->texts);
    strings_free(&n->values);
}
