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

static struct atom
value_of(const struct record *r)
{
    return (struct atom){r->value, (enum atom_tag)record_value_tag(r)};
}

/* Find the reads of one key that are not fresh. */
static void
walk(struct owner *o, struct record *at, size_t n)
{
    struct atom last = o->initial;
    if (!is_sorted(at, n))
        qsort(at, n, sizeof *at, compare_places);
    for (size_t i = 0; i < n; i++) {
        if (record_is_write(&at[i])) {
            last = value_of(&at[i]);
        } else if (!atom_equal(value_of(&at[i]), last)) {
            o->stale++;
            vec_push(&o->readers, at[i].id);
        }
    }
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
    o->begin = mem_calloc((size_t)o->keys + 2, sizeof *o->begin);
    o->at = group(o, &keys, o->begin);
    for (uint64_t k = 0; k < o->keys; k++)
        walk(o, o->at + o->begin[k], o->begin[k + 1] - o->begin[k]);
    vec_free(&keys);
}

/* --- bounds ----------------------------------------------------------------*/

static int
compare_ids(const void *key, const void *element)
{
    const uint64_t a = record_txn(*(const uint64_t *)key);
    const uint64_t b = record_txn(*(const uint64_t *)element);
    return a < b ? -1 : a > b;
}

static bool
asks(const u64_vec *asking, uint64_t id)
{
    return asking->n &&
           bsearch(&id, asking->at, asking->n, sizeof id, compare_ids) != NULL;
}

static struct place
place_of(const struct record *r)
{
    return (struct place){r->label, r->id};
}

/* The bound of the read at i: its version is the latest one before it that has
 * its value. */
static bool
bound_read(const struct owner *o, const struct record *at, size_t i,
           struct bound *b)
{
    const struct atom value = value_of(&at[i]);
    size_t next = i; // the write after the one that is looked at
    for (size_t j = i; j-- > 0;) {
        if (!record_is_write(&at[j]))
            continue;
        if (atom_equal(value_of(&at[j]), value)) {
            b->low = place_of(&at[j]);
            break;
        }
        next = j;
    }
    b->has_high = next < i;
    if (b->has_high)
        b->high = place_of(&at[next]);
    return b->low.id || atom_equal(value, o->initial);
}

/* The bound of the write at i: the version before it. */
static void
bound_write(const struct record *at, size_t i, struct bound *b)
{
    for (size_t j = i; j-- > 0 && !b->low.id;)
        if (record_is_write(&at[j]))
            b->low = place_of(&at[j]);
}

static bool
bounds_of_key(const struct owner *o, const struct record *at, size_t n,
              const u64_vec *asking, bool writes, bound_vec *out)
{
    for (size_t i = 0; i < n; i++) {
        struct bound b = {.id = at[i].id};
        if (!asks(asking, at[i].id))
            continue;
        if (!record_is_write(&at[i]) && !bound_read(o, at, i, &b))
            return false;
        if (record_is_write(&at[i]) && writes)
            bound_write(at, i, &b);
        if (b.low.id || b.has_high)
            vec_push(out, b);
    }
    return true;
}

bool
owner_bounds(const struct owner *o, const u64_vec *asking, bool writes,
             bound_vec *out)
{
    bool ok = true;
    for (uint64_t k = 0; k < o->keys && ok; k++)
        ok = bounds_of_key(o, o->at + o->begin[k],
                           o->begin[k + 1] - o->begin[k], asking, writes, out);
    return ok;
}

void
owner_free(struct owner *o)
{
    for (size_t r = 0; r < o->ranks; r++)
        vec_free(&o->in[r]);
    mem_free(o->in);
    mem_free(o->at);
    mem_free(o->begin);
    vec_free(&o->readers);
}
