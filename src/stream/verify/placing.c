/* placing.c -- see placing.h.
 *
 * SPDX-License-Identifier: MIT */
#include "stream/verify/placing.h"

#define NOT_READ SIZE_MAX // an operation that is no external read

static bool
reject(const struct placing *c, const struct stream_txn *t, struct err *flaw,
       const char *why)
{
    struct buf name = {0};
    stream_txn_show(c->names, t, &name);
    err_set(flaw, ERR_SYNTAX, "transaction %s (place %llu) %s", name.at,
            (unsigned long long)c->n, why);
    buf_free(&name);
    return false;
}

static struct check_key *
key_at(struct placing *c, uint32_t key)
{
    while (c->keys.n <= key) {
        const struct atom initial = c->names->initial;
        struct check_key k = {0};
        vec_push(&k.versions, ((struct check_version){initial.bits, 0,
                                                      (uint8_t)initial.tag}));
        vec_push(&c->keys, k);
    }
    return &c->keys.at[key];
}

/* --- one transaction by itself ---------------------------------------------*/

/* The latest version with that value, within the window. (C1) */
static size_t
find_version(const struct placing *c, const struct check_key *k,
             const struct stream_op *op)
{
    for (size_t i = k->versions.n; i-- > k->first;) {
        if (i + 1 < k->versions.n &&
            k->versions.at[i + 1].place + c->window < c->n)
            break;
        if (k->versions.at[i].value == op->value &&
            k->versions.at[i].tag == op->tag)
            return i;
    }
    return NOT_READ;
}

/* Go through the operations: a read behind an own write of its key must return
 * that; find the version of every other read. */
static bool
run_ops(struct placing *c, const struct stream_txn *t, struct err *flaw)
{
    vec_clear(&c->read);
    for (uint32_t i = 0; i < t->n_ops; i++) {
        const struct stream_op *op = &t->ops[i];
        struct check_key *k = key_at(c, op->key);
        size_t version = NOT_READ;
        if (op->is_write) {
            k->owner = c->n;
            k->own_op = i;
            k->own_value = op->value;
            k->own_tag = op->tag;
        } else if (k->owner == c->n) {
            if (k->own_value != op->value || k->own_tag != op->tag)
                return reject(c, t, flaw, "does not read its own write");
        } else {
            version = find_version(c, k, op);
            if (version == NOT_READ)
                return reject(c, t, flaw,
                              "reads a value that no version before it has "
                              "within the window");
        }
        vec_push(&c->read, version);
    }
    return true;
}

static bool
is_final(const struct placing *c, const struct stream_txn *t, uint32_t i)
{
    return t->ops[i].is_write && c->keys.at[t->ops[i].key].own_op == i;
}

static const struct check_version *
version_read(const struct placing *c, const struct stream_txn *t, uint32_t i)
{
    return &c->keys.at[t->ops[i].key].versions.at[c->read.at[i]];
}

static bool
is_latest(const struct placing *c, const struct stream_txn *t, uint32_t i)
{
    return c->read.at[i] + 1 == c->keys.at[t->ops[i].key].versions.n;
}

static const struct check_place *
place_at(const struct placing *c, uint64_t place)
{
    assert(place > c->places_at && place < c->n);
    return &c->places.at[place - c->places_at - 1];
}

static bool
has_place(const struct placing *c, uint64_t place)
{
    return place > c->places_at;
}

/* --- levels with snapshots -------------------------------------------------*/

/* The places that the snapshot must contain, and the first that it must not. */
static bool
check_snapshot(const struct placing *c, const struct stream_txn *t,
               struct err *flaw)
{
    uint64_t low = c->sessions.at[t->session], high = c->n;
    for (uint32_t i = 0; i < t->n_ops; i++) {
        const struct check_key *k = &c->keys.at[t->ops[i].key];
        uint64_t needed = 0;
        if (c->read.at[i] != NOT_READ) {
            const size_t next = c->read.at[i] + 1;
            needed = version_read(c, t, i)->place;
            if (next < k->versions.n && k->versions.at[next].place < high)
                high = k->versions.at[next].place;
        } else if (is_final(c, t, i) && level_separates_writers(c->level)) {
            needed = vec_top(&k->versions).place;
        }
        low = needed > low ? needed : low;
    }
    if (low >= high)
        return reject(c, t, flaw, "has no snapshot that serves its reads");
    if (!level_table[c->level].needs_times)
        return true;
    for (uint64_t p = high; p < c->n; p++)
        if (place_at(c, p)->ended < t->began)
            return reject(c, t, flaw,
                          "began after the end of a transaction that is not in "
                          "its snapshot");
    return true;
}

static bool
check_serial(const struct placing *c, const struct stream_txn *t,
             struct err *flaw)
{
    for (uint32_t i = 0; i < t->n_ops; i++)
        if (c->read.at[i] != NOT_READ && !is_latest(c, t, i))
            return reject(c, t, flaw,
                          "reads a version that is not the latest one");
    return true;
}

/* --- levels with a premise -------------------------------------------------*/

static bool
reads_from_before(const struct placing *c, const struct stream_txn *t,
                  uint64_t place, uint32_t end)
{
    for (uint32_t i = 0; i < end; i++)
        if (c->read.at[i] != NOT_READ && version_read(c, t, i)->place == place)
            return true;
    return false;
}

static void
reach(struct placing *c, uint64_t place, uint64_t target)
{
    if (place < target || !has_place(c, place))
        return;
    uint64_t *bits = &c->seen.at[(place - target) / 64];
    const uint64_t bit = UINT64_C(1) << (place - target) % 64;
    if (!(*bits & bit))
        vec_push(&c->todo, place);
    *bits |= bit;
}

/* Whether a path of session order and reads leads from a place to t.  Places
 * rise along it. */
static bool
is_reached(struct placing *c, const struct stream_txn *t, uint64_t target)
{
    vec_clear(&c->todo);
    vec_clear(&c->seen);
    vec_grow(&c->seen, (c->n - target) / 64 + 1);
    memset(c->seen.at, 0, c->seen.n * sizeof *c->seen.at);
    reach(c, c->sessions.at[t->session], target);
    for (uint32_t i = 0; i < t->n_ops; i++)
        if (c->read.at[i] != NOT_READ)
            reach(c, version_read(c, t, i)->place, target);
    while (c->todo.n) {
        const uint64_t place = vec_pop(&c->todo);
        if (place == target)
            return true;
        const struct check_place *p = place_at(c, place);
        reach(c, p->before, target);
        for (uint32_t i = 0; i < p->n_sources; i++)
            reach(c, c->sources.at[p->sources - c->sources_at + i], target);
    }
    return false;
}

/* Whether the premise holds of the transaction at a place and t, at its read
 * i. */
static bool
holds_premise(struct placing *c, const struct stream_txn *t, uint32_t i,
              uint64_t place)
{
    switch (level_table[c->level].premise) {
    case PREMISE_EARLIER_READ:
        return reads_from_before(c, t, place, i);
    case PREMISE_DIRECT:
        return place_at(c, place)->session == t->session ||
               reads_from_before(c, t, place, t->n_ops);
    default:
        return is_reached(c, t, place);
    }
}

/* No transaction that overwrote what t read, before t, satisfies the premise.
 */
static bool
check_premises(struct placing *c, const struct stream_txn *t, struct err *flaw)
{
    for (uint32_t i = 0; i < t->n_ops; i++) {
        if (c->read.at[i] == NOT_READ)
            continue;
        const uint32_t key = t->ops[i].key;
        for (size_t v = c->read.at[i] + 1; v < c->keys.at[key].versions.n; v++)
            if (holds_premise(c, t, i, c->keys.at[key].versions.at[v].place))
                return reject(c, t, flaw,
                              "reads a version, and has seen a transaction "
                              "that overwrote it");
    }
    return true;
}

/* --- placing ---------------------------------------------------------------*/

static void
add_place(struct placing *c, const struct stream_txn *t)
{
    struct check_place p = {.before = c->sessions.at[t->session],
                            .sources = c->sources_at + c->sources.n,
                            .ended = t->status == TXN_COMMITTED ? t->ended
                                                                : INT64_MAX,
                            .session = t->session};
    for (uint32_t i = 0; i < t->n_ops; i++)
        if (c->read.at[i] != NOT_READ && version_read(c, t, i)->place) {
            vec_push(&c->sources, version_read(c, t, i)->place);
            p.n_sources++;
        }
    vec_push(&c->places, p);
}

/* Drop what is more than the window back, now and then. (C2) */
static void
drop_places(struct placing *c)
{
    if (c->places.n < 2 * c->window + 64)
        return;
    const size_t gone = c->places.n - (size_t)c->window;
    const uint64_t first = c->places.at[gone - 1].sources +
                           c->places.at[gone - 1].n_sources - c->sources_at;
    c->places.n -= gone;
    memmove(c->places.at, c->places.at + gone,
            c->places.n * sizeof *c->places.at);
    c->places_at += gone;
    c->sources.n -= first;
    memmove(c->sources.at, c->sources.at + first,
            c->sources.n * sizeof *c->sources.at);
    c->sources_at += first;
}

static void
add_version(struct placing *c, const struct stream_op *op)
{
    struct check_key *k = &c->keys.at[op->key];
    while (k->first + 1 < k->versions.n &&
           k->versions.at[k->first + 1].place + c->window < c->n)
        k->first++; // (C1)
    if (k->first > 8 && 2 * k->first > k->versions.n) {
        k->versions.n -= k->first;
        memmove(k->versions.at, k->versions.at + k->first,
                k->versions.n * sizeof *k->versions.at);
        k->first = 0;
    }
    vec_push(&k->versions, ((struct check_version){op->value, c->n, op->tag}));
}

static void
commit(struct placing *c, const struct stream_txn *t)
{
    add_place(c, t);
    for (uint32_t i = 0; i < t->n_ops; i++)
        if (is_final(c, t, i))
            add_version(c, &t->ops[i]);
    c->sessions.at[t->session] = c->n;
    c->positions.at[t->session] = t->position;
    if (t->began > c->latest_begin)
        c->latest_begin = t->began;
    drop_places(c);
}

static bool
check_level(struct placing *c, const struct stream_txn *t, struct err *flaw)
{
    const struct level_info *l = &level_table[c->level];
    if (l->needs_times && t->status == TXN_COMMITTED &&
        t->ended < c->latest_begin)
        return reject(c, t, flaw,
                      "ended before the beginning of one placed before it");
    return level_is_serial(c->level) ? check_serial(c, t, flaw)
           : level_is_weak(c->level) ? check_premises(c, t, flaw)
                                     : check_snapshot(c, t, flaw);
}

bool
placing_place(struct placing *c, const struct stream_txn *t, struct err *flaw)
{
    if (!c->n++)
        c->latest_begin = INT64_MIN;
    while (c->sessions.n <= t->session) {
        vec_push(&c->sessions, 0);
        vec_push(&c->positions, 0);
    }
    if (t->position <= c->positions.at[t->session])
        return reject(c, t, flaw, "comes after a later one of its session");
    if (!run_ops(c, t, flaw) || !check_level(c, t, flaw))
        return false;
    commit(c, t);
    return true;
}

void
placing_keep_names(struct placing *c, struct names_collection *collection)
{
    for (size_t i = 0; i < c->keys.n; i++) {
        struct check_key *k = &c->keys.at[i];
        for (size_t v = 0; v < k->versions.n; v++)
            k->versions.at[v].value = names_keep(
                collection, k->versions.at[v].tag, k->versions.at[v].value);
    }
}

void
placing_free(struct placing *c)
{
    for (size_t i = 0; i < c->keys.n; i++)
        vec_free(&c->keys.at[i].versions);
    vec_free(&c->keys);
    vec_free(&c->sessions);
    vec_free(&c->positions);
    vec_free(&c->places);
    vec_free(&c->sources);
    vec_free(&c->read);
    vec_free(&c->todo);
    vec_free(&c->seen);
}
