/* owner.c -- see owner.h.
 *
 * Records are grouped by key with a counting sort, which keeps the order of the
 * ranks and of what each has sent.  So a group is sorted, or nearly so.
 *
 * SPDX-License-Identifier: MIT */
#include "mpi/owner.h"

#include "base/container/intmap.h"

#include <stdlib.h>

/* Records of the rank r, and how many they are. */
static struct record *
records_of(const struct owner *o, size_t r, size_t *n)
{
    *n = o->in[r].n / sizeof(struct record);
    return (struct record *)(void *)o->in[r].at;
}

static int
compare_places(const void *a, const void *b)
{
    const struct record *x = a, *y = b;
    const uint64_t write = UINT64_C(1) << RECORD_WRITE;
    if (x->label != y->label)
        return x->label < y->label ? -1 : 1;
    // Within a transaction, external reads come before the final write.
    const uint64_t i = x->id & ~(write - 1), j = y->id & ~(write - 1);
    return i < j ? -1 : i > j;
}

/* Number the keys; by record, in the order of the input. */
static void
number_keys(struct owner *o, u32_vec *keys)
{
    struct intmap maps[ATOM_TAGS] = {0};
    for (size_t r = 0; r < o->ranks; r++) {
        size_t n;
        const struct record *at = records_of(o, r, &n);
        for (size_t i = 0; i < n; i++) {
            bool added;
            vec_push(keys, intmap_add(&maps[record_key_tag(&at[i])], at[i].key,
                                      (uint32_t)o->keys, &added));
            o->keys += added;
        }
    }
    for (size_t t = 0; t < ATOM_TAGS; t++)
        intmap_free(&maps[t]);
}

/* Sort the records by key; begin[k] is where those of key k begin. */
static struct record *
group(struct owner *o, const u32_vec *keys, size_t *begin)
{
    struct record *out = mem_alloc(keys->n ? keys->n : 1, sizeof *out);
    size_t k = 0;
    for (size_t i = 0; i < keys->n; i++)
        begin[keys->at[i] + 1]++;
    for (size_t i = 0; i < o->keys; i++)
        begin[i + 1] += begin[i];
    for (size_t r = 0; r < o->ranks; r++) {
        size_t n;
        const struct record *at = records_of(o, r, &n);
        for (size_t i = 0; i < n; i++)
            out[begin[keys->at[k++]]++] = at[i];
        vec_free(&o->in[r]);
    }
    memmove(begin + 1, begin, o->keys * sizeof *begin);
    begin[0] = 0;
    return out;
}

static bool
is_sorted(const struct record *at, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (compare_places(&at[i - 1], &at[i]) > 0)
            return false;
    return true;
}

/* Count the reads of one key that are not fresh. */
static uint64_t
walk(const struct owner *o, struct record *at, size_t n)
{
    struct atom last = o->initial;
    uint64_t stale = 0;
    if (!is_sorted(at, n))
        qsort(at, n, sizeof *at, compare_places);
    for (size_t i = 0; i < n; i++) {
        const struct atom value = {at[i].value,
                                   (enum atom_tag)record_value_tag(&at[i])};
        if (record_is_write(&at[i]))
            last = value;
        else
            stale += !atom_equal(value, last);
    }
    return stale;
}

void
owner_count_stale(struct owner *o)
{
    u32_vec keys = {0};
    size_t total = 0;
    for (size_t r = 0; r < o->ranks; r++)
        total += o->in[r].n / sizeof(struct record);
    o->records = total;
    vec_reserve(&keys, total);
    number_keys(o, &keys);
    size_t *begin = mem_calloc((size_t)o->keys + 2, sizeof *begin);
    struct record *at = group(o, &keys, begin);
    for (uint64_t k = 0; k < o->keys; k++)
        o->stale += walk(o, at + begin[k], begin[k + 1] - begin[k]);
    mem_free(at);
    mem_free(begin);
    vec_free(&keys);
}

void
owner_free(struct owner *o)
{
    for (size_t r = 0; r < o->ranks; r++)
        vec_free(&o->in[r]);
    mem_free(o->in);
}
