/* random_history.c -- see random_history.h.
 *
 * The store keeps every committed version of every key with the number of its
 * commit.  A transaction reads as of a snapshot, and the strengths differ in
 * how the snapshot is chosen and in what a commit checks:
 *
 *     serial     transactions run one after the other
 *     snapshot   the present at the start; a write conflict aborts
 *     lossy      the present at the start; write conflicts pass
 *     stale      any past not before the session's last commit; conflicts pass
 *     committed  each operation reads the present
 *     careless   each operation reads any past
 *
 * A list is the sequence of all elements appended to it.  Damage changes single
 * lists that were read: an element is lost, moved, doubled or strange.
 *
 * SPDX-License-Identifier: MIT */
#include "random_history.h"

#include "base/random.h"

#include <stdio.h>
#include <stdlib.h>

enum strength { SERIAL, SNAPSHOT, LOSSY, STALE, COMMITTED, CARELESS };

struct version {
    uint32_t commit; // the number of the commit that made it
    int64_t value;
};

struct sim_op {
    bool is_write;
    uint32_t key;
    int64_t value;   // registers
    uint32_t length; // reads of lists: how many elements were seen
};

struct sim_txn {
    struct sim_op ops[RANDOM_OPS];
    uint32_t session, n_ops, want_ops, snapshot;
    int64_t began, ended;
    enum txn_status status;
    bool open;
};

struct sim {
    const struct random_shape *shape;
    struct random random;
    enum strength strength;
    VEC(struct version) versions[RANDOM_KEYS];
    uint32_t commits, last_commit[RANDOM_SESSIONS];
    VEC(struct sim_txn) txns;          // in order of their begin
    uint32_t current[RANDOM_SESSIONS]; // open transaction, or UINT32_MAX
    bool is_list[RANDOM_KEYS];
    int64_t next_value, clock;
};

static uint32_t
below(struct sim *s, uint32_t n)
{
    return (uint32_t)random_below(&s->random, n);
}

static bool
percent(struct sim *s, uint32_t p)
{
    return below(s, 100) < p;
}

struct random_shape
random_tiny_shape(uint64_t seed, uint32_t txns)
{
    struct random r;
    random_seed(&r, seed ^ UINT64_C(0x5eed));
    struct random_shape shape = {
        .sessions = 1 + (uint32_t)random_below(&r, 4),
        .txns = 1 + txns / 2 + (uint32_t)random_below(&r, txns - txns / 2),
        .ops = 3 + (uint32_t)random_below(&r, 3),
        .keys = 1 + (uint32_t)random_below(&r, 3),
        .reads = 45 + (uint32_t)random_below(&r, 25),
        .changed = 60,
    };
    if (random_below(&r, 2))
        shape.values = 2 + (uint32_t)random_below(&r, 3);
    if (!random_below(&r, 3))
        shape.aborted = 15;
    if (!random_below(&r, 3))
        shape.indeterminate = 15;
    if (!random_below(&r, 3))
        shape.initial = 20;
    if (!random_below(&r, 3))
        shape.loading = 50;
    if (shape.values || shape.initial)
        shape.indeterminate = 0; // see random_optional_shape
    return shape;
}

struct random_shape
random_optional_shape(uint64_t seed, uint32_t txns)
{
    struct random r;
    random_seed(&r, seed ^ UINT64_C(0x0b7e));
    struct random_shape shape = random_tiny_shape(seed, txns);
    shape.values = 1 + (uint32_t)random_below(&r, 4);
    shape.indeterminate = 20 + 20 * (uint32_t)random_below(&r, 3);
    if (shape.initial)
        shape.initial = 30;
    shape.changed = 80;
    shape.reads += 10;
    return shape;
}

struct random_shape
random_plain_list_shape(uint64_t seed, uint32_t txns)
{
    struct random_shape shape = random_tiny_shape(seed, txns);
    shape.lists = 100;
    shape.plain_lists = true;
    shape.indeterminate = 0;
    shape.changed = 0;
    return shape;
}

struct random_shape
random_list_shape(uint64_t seed, uint32_t txns)
{
    struct random r;
    random_seed(&r, seed ^ UINT64_C(0x1157));
    struct random_shape shape = random_tiny_shape(seed, txns);
    shape.lists = random_below(&r, 3) ? 100 : 50;
    shape.keys = 1 + (uint32_t)random_below(&r, 2);
    shape.reads = 35 + (uint32_t)random_below(&r, 25);
    shape.changed = 30;
    if (!random_below(&r, 2))
        shape.indeterminate = 25;
    if (!random_below(&r, 3))
        shape.repeats = 15;
    if (!random_below(&r, 2))
        shape.damaged = 40;
    if (shape.lists == 50)
        shape.keys++;
    return shape;
}

struct random_shape
random_shape_of_kind(const char *kind, uint64_t seed)
{
    const uint32_t txns = 3 + (uint32_t)(seed % 6);
    struct random_shape shape =
        strcmp(kind, "optional") == 0 ? random_optional_shape(seed, txns)
        : strcmp(kind, "lists") == 0  ? random_list_shape(seed, txns)
        : seed % 5 == 0               ? random_plain_list_shape(seed, txns)
                                      : random_tiny_shape(seed, txns);
    shape.times = seed % 3 == 0;
    return shape;
}

/* --- the store ------------------------------------------------------------ */

/* How many versions of k there are as of a snapshot. */
static uint32_t
versions_at(const struct sim *s, uint32_t k, uint32_t snapshot)
{
    uint32_t n = (uint32_t)s->versions[k].n;
    while (n && s->versions[k].at[n - 1].commit > snapshot)
        n--;
    return n;
}

static void
read_key(struct sim *s, struct sim_txn *t, struct sim_op *op)
{
    uint32_t snapshot = t->snapshot;
    if (s->strength == COMMITTED)
        snapshot = s->commits;
    else if (s->strength == CARELESS)
        snapshot = below(s, s->commits + 1);
    op->length = versions_at(s, op->key, snapshot);
    op->value = op->length ? s->versions[op->key].at[op->length - 1].value : 0;
    for (uint32_t i = 0; i < t->n_ops; i++)
        if (t->ops[i].is_write && t->ops[i].key == op->key)
            op->value = t->ops[i].value;
}

/* An element: new, or one that was appended to the key before. */
static int64_t
draw_element(struct sim *s, uint32_t key)
{
    if (percent(s, s->shape->repeats)) {
        const struct sim_txn *t = &s->txns.at[below(s, (uint32_t)s->txns.n)];
        for (uint32_t i = 0; i < t->n_ops; i++)
            if (t->ops[i].is_write && t->ops[i].key == key)
                return t->ops[i].value;
    }
    return ++s->next_value;
}

static bool
appended_already(const struct sim_txn *t, uint32_t key)
{
    for (uint32_t i = 0; i < t->n_ops; i++)
        if (t->ops[i].is_write && t->ops[i].key == key)
            return true;
    return false;
}

static void
step(struct sim *s, struct sim_txn *t)
{
    struct sim_op *op = &t->ops[t->n_ops];
    *op = (struct sim_op){.key = below(s, s->shape->keys)};
    op->is_write = !percent(s, s->shape->reads);
    const bool list = s->is_list[op->key];
    if (list && s->shape->plain_lists && appended_already(t, op->key)) {
        t->want_ops--;
        return;
    }
    if (!op->is_write)
        read_key(s, t, op);
    else if (list)
        op->value = draw_element(s, op->key);
    else if (percent(s, s->shape->initial))
        op->value = 0;
    else if (s->shape->values)
        op->value = 1 + (int64_t)below(s, s->shape->values);
    else
        op->value = ++s->next_value;
    t->n_ops++;
}

static void
begin(struct sim *s, uint32_t session)
{
    struct sim_txn t = {.session = session, .open = true};
    t.want_ops =
        1 + s->shape->ops / 2 + below(s, s->shape->ops - s->shape->ops / 2);
    t.began = s->clock++;
    t.snapshot = s->commits;
    const uint32_t past = s->last_commit[session];
    if (s->strength == STALE)
        t.snapshot = past + below(s, s->commits - past + 1);
    s->current[session] = (uint32_t)s->txns.n;
    vec_push(&s->txns, t);
}

static bool
conflicts(const struct sim *s, const struct sim_txn *t)
{
    for (uint32_t i = 0; i < t->n_ops; i++) {
        const uint32_t k = t->ops[i].key;
        if (t->ops[i].is_write &&
            versions_at(s, k, t->snapshot) != s->versions[k].n)
            return true;
    }
    return false;
}

static void
install(struct sim *s, const struct sim_txn *t)
{
    s->commits++;
    for (uint32_t i = 0; i < t->n_ops; i++) {
        const struct sim_op *op = &t->ops[i];
        if (!op->is_write)
            continue;
        const struct version v = {s->commits, op->value};
        const size_t n = s->versions[op->key].n;
        if (!s->is_list[op->key] && n &&
            s->versions[op->key].at[n - 1].commit == s->commits)
            s->versions[op->key].at[n - 1] = v;
        else
            vec_push(&s->versions[op->key], v);
    }
    s->last_commit[t->session] = s->commits;
}

/* Instead of aborting: what could not be written is read. */
static void
make_read_only(struct sim *s, struct sim_txn *t)
{
    for (uint32_t i = 0; i < t->n_ops; i++)
        t->ops[i].is_write = false;
    for (uint32_t i = 0; i < t->n_ops; i++)
        read_key(s, t, &t->ops[i]);
}

static void
end(struct sim *s, struct sim_txn *t)
{
    t->open = false;
    t->ended = s->clock++;
    s->current[t->session] = UINT32_MAX;
    t->status = TXN_COMMITTED;
    bool takes_effect = true;
    if (percent(s, s->shape->aborted)) {
        t->status = TXN_ABORTED;
        takes_effect = percent(s, 5);
    } else if (percent(s, s->shape->indeterminate)) {
        t->status = TXN_INDETERMINATE;
        takes_effect = percent(s, 50);
    } else if (s->strength == SNAPSHOT && conflicts(s, t)) {
        takes_effect = !s->shape->aborted;
        t->status = s->shape->aborted ? TXN_ABORTED : TXN_COMMITTED;
        if (!s->shape->aborted)
            make_read_only(s, t);
    }
    if (takes_effect)
        install(s, t);
}

static void
run(struct sim *s)
{
    for (uint32_t i = 0; i < s->shape->sessions; i++)
        s->current[i] = UINT32_MAX;
    uint32_t open = 0;
    while (s->txns.n < s->shape->txns || open) {
        uint32_t session = below(s, s->shape->sessions);
        if (s->strength == SERIAL && open)
            session = s->txns.at[s->txns.n - 1].session;
        if (s->current[session] == UINT32_MAX) {
            if (s->txns.n < s->shape->txns) {
                begin(s, session);
                open++;
            }
            continue;
        }
        struct sim_txn *t = &s->txns.at[s->current[session]];
        if (t->n_ops < t->want_ops) {
            step(s, t);
        } else {
            end(s, t);
            open--;
        }
    }
}

/* Times that have nothing to do with what happened, but for the order in each
 * session. */
static void
redraw_times(struct sim *s)
{
    int64_t now[RANDOM_SESSIONS] = {0};
    for (size_t i = 0; i < s->txns.n; i++) {
        struct sim_txn *t = &s->txns.at[i];
        t->began = now[t->session] + 1 + below(s, 6);
        t->ended = t->began + 1 + below(s, 6);
        now[t->session] = t->ended;
    }
}

/* --- changes and output --------------------------------------------------- */

/* Let a few reads return something else that the key once held. */
static void
change_reads(struct sim *s)
{
    const uint32_t times = 1 + below(s, 3);
    for (uint32_t i = 0; i < times; i++) {
        struct sim_txn *t = &s->txns.at[below(s, (uint32_t)s->txns.n)];
        struct sim_op *op = &t->ops[below(s, t->n_ops)];
        if (op->is_write)
            continue;
        op->length = below(s, (uint32_t)s->versions[op->key].n + 1);
        op->value =
            op->length ? s->versions[op->key].at[op->length - 1].value : 0;
    }
}

/* Damage a list that was read: its length may change by one. */
static void
damage_items(struct sim *s, const struct record *r, uint32_t key,
             int64_t *items, size_t *n)
{
    const uint32_t at = below(s, (uint32_t)*n + 1);
    int64_t strange = s->next_value + 1;
    const struct record_op *op = &r->ops.at[below(s, (uint32_t)r->ops.n)];
    if (op->is_write && op->key == key)
        strange = op->value;
    switch (below(s, 4)) {
    case 0: // one is lost
        if (at < *n) {
            memmove(items + at, items + at + 1, (*n - at - 1) * sizeof *items);
            --*n;
        }
        return;
    case 1: // two have changed places
        if (at + 1 < *n) {
            const int64_t first = items[at];
            items[at] = items[at + 1];
            items[at + 1] = first;
        }
        return;
    case 2: // one was replaced
        if (at < *n)
            items[at] = strange;
        return;
    default: // one was added
        memmove(items + at + 1, items + at, (*n - at) * sizeof *items);
        items[at] = strange;
        ++*n;
    }
}

static void
damage_lists(struct sim *s, struct record *r)
{
    for (uint32_t times = 1 + below(s, 2); times && r->ops.n; times--) {
        struct record_op *op = &r->ops.at[below(s, (uint32_t)r->ops.n)];
        if (op->is_write || !r->keys.at[op->key].is_list)
            continue;
        int64_t items[RANDOM_TXNS * RANDOM_OPS + 1];
        size_t n = op->items_n;
        for (size_t i = 0; i < n; i++)
            items[i] = r->items.at[op->items + i];
        damage_items(s, r, op->key, items, &n);
        op->items = (uint32_t)r->items.n;
        op->items_n = (uint32_t)n;
        for (size_t i = 0; i < n; i++)
            vec_push(&r->items, items[i]);
    }
}

static void
emit_list_read(const struct sim *s, struct record *r, const struct sim_txn *t,
               uint32_t i)
{
    int64_t items[RANDOM_TXNS * RANDOM_OPS];
    size_t n = 0;
    const struct sim_op *op = &t->ops[i];
    for (uint32_t j = 0; j < op->length; j++)
        items[n++] = s->versions[op->key].at[j].value;
    for (uint32_t j = 0; j < i; j++) // its own appends come last
        if (t->ops[j].is_write && t->ops[j].key == op->key)
            items[n++] = t->ops[j].value;
    record_read_list(r, op->key, items, n);
}

static void
emit(const struct sim *s, struct record *r)
{
    for (size_t i = 0; i < s->txns.n; i++) {
        const struct sim_txn *t = &s->txns.at[i];
        record_begin(r, t->session, t->status);
        if (s->shape->times) {
            vec_top(&r->txns).began = t->began;
            vec_top(&r->txns).ended = t->ended;
        }
        for (uint32_t j = 0; j < t->n_ops; j++) {
            const struct sim_op *op = &t->ops[j];
            if (op->is_write)
                record_write(r, op->key, op->value);
            else if (s->is_list[op->key])
                emit_list_read(s, r, t, j);
            else
                record_read(r, op->key, op->value);
        }
    }
}

static void
emit_loading(struct sim *s, struct record *r)
{
    // In a session of its own, or as the first of somebody's session.
    record_begin(r, percent(s, 50) ? 0 : s->shape->sessions, TXN_COMMITTED);
    if (s->shape->times) {
        vec_top(&r->txns).began = -2;
        vec_top(&r->txns).ended = -1;
    }
    for (uint32_t k = 0; k < s->shape->keys; k++)
        if (!s->is_list[k])
            record_write(r, k, 0);
}

static void
name_keys(struct sim *s, struct record *r)
{
    for (uint32_t k = 0; k < s->shape->keys; k++) {
        char name[16];
        s->is_list[k] =
            s->shape->lists && (k == 0 || percent(s, s->shape->lists));
        if (k < 3)
            snprintf(name, sizeof name, "%c",
                     (s->is_list[k] ? "lmn" : "xyz")[k]);
        else
            snprintf(name, sizeof name, "k%u", k);
        record_key(r, name, s->is_list[k]);
    }
}

void
random_record(const struct random_shape *shape, uint64_t seed, struct record *r)
{
    struct sim s = {.shape = shape};
    assert(shape->sessions <= RANDOM_SESSIONS && shape->keys <= RANDOM_KEYS);
    assert(shape->txns <= RANDOM_TXNS && shape->ops <= RANDOM_OPS);
    random_seed(&s.random, seed);
    // The weaker ones more often: by chance they hold at strong levels too.
    const uint32_t draw = below(&s, 2 * (CARELESS + 1));
    s.strength = draw <= CARELESS ? (enum strength)draw
                 : draw % 2       ? CARELESS
                                  : STALE;
    *r = (struct record){.times = shape->times,
                         .initial_is_nil = shape->lists || seed % 2};
    name_keys(&s, r);
    run(&s);
    if (percent(&s, shape->changed))
        change_reads(&s);
    if (shape->times && percent(&s, 50))
        redraw_times(&s);
    if (percent(&s, shape->loading))
        emit_loading(&s, r);
    emit(&s, r);
    if (percent(&s, shape->damaged))
        damage_lists(&s, r);
    vec_free(&s.txns);
    for (uint32_t k = 0; k < RANDOM_KEYS; k++)
        vec_free(&s.versions[k]);
}

void
random_history(const struct random_shape *shape, uint64_t seed,
               struct history *h)
{
    struct record r;
    random_record(shape, seed, &r);
    record_build(&r, h);
    record_free(&r);
}
