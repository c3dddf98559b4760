/* running_order.c -- see running_order.h.
 *
 * SPDX-License-Identifier: MIT */
#include "stream/order/running_order.h"

enum { MOST_VISITS = 1 << 20 }; // of a search for a path, before it gives up

void
running_order_init(struct running_order *o, struct stream_names *names,
                   size_t window)
{
    uint64_t room = 2;
    while (room < window + 1)
        room *= 2;
    *o = (struct running_order){.names = names,
                                .window = window,
                                .mask = room - 1,
                                .version_mask = 8 * room - 1,
                                .latest_begin = INT64_MIN};
    o->placed = mem_calloc(room, sizeof(struct stream_txn *));
    o->seen = mem_calloc(room, sizeof *o->seen);
    o->marked = mem_calloc(room, sizeof *o->marked);
    o->versions = mem_alloc(8 * room, sizeof *o->versions);
}

void
running_order_free(struct running_order *o)
{
    while (o->n > o->base)
        mem_free(running_order_take_back(o));
    mem_free(o->placed);
    mem_free(o->seen);
    mem_free(o->marked);
    mem_free(o->versions);
    vec_free(&o->keys);
    vec_free(&o->sessions);
    vec_free(&o->passed);
    vec_free(&o->todo);
}

/* --- parts of the state ----------------------------------------------------*/

static struct stream_txn *
txn_at(const struct running_order *o, uint64_t place)
{
    assert(place > o->base && place <= o->n);
    return o->placed[place & o->mask];
}

static bool
has_version(const struct running_order *o, uint64_t v)
{
    return v > o->base_version;
}

static struct placed_version *
version_at(const struct running_order *o, uint64_t v)
{
    assert(has_version(o, v) && v <= o->n_versions);
    return &o->versions[v & o->version_mask];
}

/* The place of a version; 0 where it is before the window. */
static uint64_t
place_of(const struct running_order *o, uint64_t v)
{
    return has_version(o, v) ? version_at(o, v)->place : 0;
}

static struct key_state *
key_of(struct running_order *o, uint32_t key)
{
    while (o->keys.n <= key) {
        const struct atom initial = o->names->initial;
        vec_push(&o->keys, ((struct key_state){.value = initial.bits,
                                               .tag = (uint8_t)initial.tag}));
    }
    return &o->keys.at[key];
}

struct atom
running_order_value(const struct running_order *o, uint32_t key)
{
    if (key >= o->keys.n)
        return o->names->initial;
    return (struct atom){o->keys.at[key].value,
                         (enum atom_tag)o->keys.at[key].tag};
}

static struct session_state *
session_of(struct running_order *o, uint32_t session)
{
    while (o->sessions.n <= session)
        vec_push(&o->sessions, (struct session_state){0});
    return &o->sessions.at[session];
}

/* --- reads -----------------------------------------------------------------*/

/* Find the latest version with the value that op read, which is not the current
 * one.  Note who overwrote it; false where there is none in the window. */
static bool
find_stale(struct running_order *o, struct stream_txn *t, uint32_t i)
{
    struct stream_op *op = &t->ops[i];
    uint64_t v = o->keys.at[op->key].version;
    for (;;) {
        if (!has_version(o, v))
            return false; // (O4)
        const struct placed_version *at = version_at(o, v);
        vec_push(&o->passed, ((struct overwriter){i, at->place}));
        v = at->before;
        if (at->before_value == op->value && at->before_tag == op->tag)
            break;
    }
    op->version = v;
    return true;
}

/* Find the version of each external read; those that are not current only where
 * the level has a use for them. */
static bool
find_versions(struct running_order *o, struct stream_txn *t, bool is_serial)
{
    vec_clear(&o->passed);
    for (uint32_t i = 0; i < t->n_ops; i++) {
        struct stream_op *op = &t->ops[i];
        if (op->is_write || !op->is_main)
            continue;
        const struct key_state *k = key_of(o, op->key);
        if (k->value == op->value && k->tag == op->tag)
            op->version = k->version;
        else if (is_serial || !find_stale(o, t, i))
            return false;
    }
    return true;
}

bool
running_order_resolve(struct running_order *o, struct stream_txn *t)
{
    return find_versions(o, t, false);
}

/* --- levels ----------------------------------------------------------------*/

/* The latest commit that the snapshot of t must contain. */
static uint64_t
least_snapshot(struct running_order *o, const struct stream_txn *t,
               enum level l)
{
    uint64_t low = session_of(o, t->session)->place;
    for (uint32_t i = 0; i < t->n_ops; i++) {
        const struct stream_op *op = &t->ops[i];
        if (!op->is_main || (op->is_write && !level_separates_writers(l)))
            continue;
        const uint64_t place = place_of(
            o, op->is_write ? key_of(o, op->key)->version : op->version);
        low = place > low ? place : low;
    }
    return low;
}

/* Whether one of the commits from 'first' on ended before t began. */
static bool
ended_before(const struct running_order *o, const struct stream_txn *t,
             uint64_t first)
{
    for (uint64_t p = first; p <= o->n; p++) {
        const struct stream_txn *u = txn_at(o, p);
        if (u->status == TXN_COMMITTED && u->ended < t->began)
            return true;
    }
    return false;
}

/* Whether a snapshot serves all reads of t: one before everybody who overwrote
 * what t read, and after 'low'. */
static bool
has_snapshot(struct running_order *o, const struct stream_txn *t, enum level l)
{
    uint64_t high = o->n + 1;
    for (size_t i = 0; i < o->passed.n; i++)
        if (o->passed.at[i].place < high)
            high = o->passed.at[i].place;
    return least_snapshot(o, t, l) < high &&
           !(level_table[l].needs_times && ended_before(o, t, high));
}

/* Whether t reads from the transaction at a place, before operation 'end'. */
static bool
reads_from(const struct running_order *o, const struct stream_txn *t,
           uint64_t place, uint32_t end)
{
    for (uint32_t i = 0; i < end; i++)
        if (t->ops[i].is_main && !t->ops[i].is_write &&
            place_of(o, t->ops[i].version) == place)
            return true;
    return false;
}

static void
visit(struct running_order *o, uint64_t place, uint64_t low)
{
    if (place < low || place <= o->base || o->seen[place & o->mask] == o->stamp)
        return;
    o->seen[place & o->mask] = o->stamp;
    vec_push(&o->todo, place);
}

static void
visit_sources(struct running_order *o, const struct stream_txn *t,
              uint64_t session_place, uint64_t low)
{
    visit(o, session_place, low);
    for (uint32_t i = 0; i < t->n_ops; i++)
        if (t->ops[i].is_main && !t->ops[i].is_write)
            visit(o, place_of(o, t->ops[i].version), low);
}

/* Whether a path of so and wr leads to t from a transaction that overwrote what
 * t read.  By (O3) such a path has no place before its beginning. */
static bool
follows_overwriter(struct running_order *o, const struct stream_txn *t)
{
    uint64_t low = UINT64_MAX;
    size_t visits = 0;
    o->stamp++;
    for (size_t i = 0; i < o->passed.n; i++) {
        const uint64_t place = o->passed.at[i].place;
        o->marked[place & o->mask] = o->stamp;
        low = place < low ? place : low;
    }
    vec_clear(&o->todo);
    visit_sources(o, t, session_of(o, t->session)->place, low);
    while (o->todo.n) {
        const uint64_t place = vec_pop(&o->todo);
        if (o->marked[place & o->mask] == o->stamp || ++visits > MOST_VISITS)
            return true;
        const struct stream_txn *u = txn_at(o, place);
        visit_sources(o, u, u->session_place, low);
    }
    return false;
}

static bool
has_premise(struct running_order *o, const struct stream_txn *t,
            const struct overwriter *w, enum level_premise premise)
{
    if (premise == PREMISE_EARLIER_READ)
        return reads_from(o, t, w->place, w->op);
    return txn_at(o, w->place)->session == t->session ||
           reads_from(o, t, w->place, t->n_ops);
}

/* Whether the premise of a weak level holds of nobody who overwrote what t
 * read. */
static bool
has_no_premise(struct running_order *o, const struct stream_txn *t,
               enum level_premise premise)
{
    if (premise == PREMISE_CAUSAL)
        return !follows_overwriter(o, t);
    for (size_t i = 0; i < o->passed.n; i++)
        if (has_premise(o, t, &o->passed.at[i], premise))
            return false;
    return true;
}

static bool
is_in_time(const struct running_order *o, const struct stream_txn *t)
{
    return t->status != TXN_COMMITTED || t->ended >= o->latest_begin;
}

/* Whether t fits at the end; finds the versions that it read. */
static bool
fits(struct running_order *o, struct stream_txn *t, enum level l)
{
    const struct level_info *level = &level_table[l];
    const struct session_state *s = session_of(o, t->session);
    if (t->is_flawed || t->position <= s->position || // (O3)
        (level->needs_times && !is_in_time(o, t)) ||
        !find_versions(o, t, level_is_serial(l)))
        return false;
    if (!o->passed.n)
        return true;
    return level_is_weak(l) ? has_no_premise(o, t, level->premise)
                            : has_snapshot(o, t, l);
}

/* --- placing ---------------------------------------------------------------*/

static void
grow_versions(struct running_order *o)
{
    const uint64_t old = o->version_mask, mask = 2 * old + 1;
    struct placed_version *more = mem_alloc(mask + 1, sizeof *more);
    for (uint64_t v = o->base_version + 1; v <= o->n_versions; v++)
        more[v & mask] = o->versions[v & old];
    mem_free(o->versions);
    o->versions = more;
    o->version_mask = mask;
}

static void
add_version(struct running_order *o, struct stream_op *op, uint64_t place)
{
    struct key_state *k = key_of(o, op->key);
    if (o->n_versions - o->base_version > o->version_mask)
        grow_versions(o);
    op->version = ++o->n_versions;
    *version_at(o, op->version) =
        (struct placed_version){.value = op->value,
                                .tag = op->tag,
                                .before_value = k->value,
                                .before_tag = k->tag,
                                .before = k->version,
                                .place = place};
    *k = (struct key_state){op->value, op->version, op->tag};
}

/* Forget the first transaction of the window, and its versions. */
static void
forget_first(struct running_order *o)
{
    struct stream_txn *t = txn_at(o, o->base + 1);
    const uint64_t next = o->base + 2 <= o->n
                              ? txn_at(o, o->base + 2)->first_version
                              : o->n_versions + 1;
    o->base_version = next - 1;
    o->base++;
    if (o->out)
        order_writer_place(o->out, t->number);
    mem_free(t);
}

static void
commit(struct running_order *o, struct stream_txn *t)
{
    struct session_state *s = session_of(o, t->session);
    t->place = ++o->n;
    o->placed[t->place & o->mask] = t;
    t->session_place = s->place;
    t->session_position = s->position;
    t->first_version = o->n_versions + 1;
    t->latest_begin = o->latest_begin;
    *s = (struct session_state){t->place, t->position};
    if (t->began > o->latest_begin)
        o->latest_begin = t->began;
    for (uint32_t i = 0; i < t->n_ops; i++)
        if (t->ops[i].is_write && t->ops[i].is_main)
            add_version(o, &t->ops[i], t->place);
}

bool
running_order_place(struct running_order *o, struct stream_txn *t, enum level l)
{
    if (!fits(o, t, l))
        return false;
    if (running_order_depth(o) >= o->window)
        forget_first(o);
    commit(o, t);
    return true;
}

void
running_order_write_rest(const struct running_order *o)
{
    for (uint64_t p = o->base + 1; p <= o->n; p++)
        order_writer_place(o->out, txn_at(o, p)->number);
}

void
running_order_put_back(struct running_order *o, struct stream_txn *t)
{
    // It may have been tried elsewhere since, where its reads were others.
    const bool found = find_versions(o, t, false);
    assert(found);
    (void)found;
    commit(o, t);
}

struct stream_txn *
running_order_take_back(struct running_order *o)
{
    struct stream_txn *t = txn_at(o, o->n);
    for (uint32_t i = t->n_ops; i-- > 0;) {
        if (!t->ops[i].is_write || !t->ops[i].is_main)
            continue;
        assert(t->ops[i].version == o->n_versions);
        const struct placed_version *v = version_at(o, o->n_versions);
        o->keys.at[t->ops[i].key] =
            (struct key_state){v->before_value, v->before, v->before_tag};
        o->n_versions--;
    }
    *session_of(o, t->session) =
        (struct session_state){t->session_place, t->session_position};
    o->latest_begin = t->latest_begin;
    o->n--;
    return t;
}

void
running_order_keep_names(struct running_order *o, struct names_collection *c)
{
    for (size_t k = 0; k < o->keys.n; k++)
        o->keys.at[k].value =
            names_keep(c, o->keys.at[k].tag, o->keys.at[k].value);
    for (uint64_t i = o->base_version + 1; i <= o->n_versions; i++) {
        struct placed_version *v = version_at(o, i);
        v->value = names_keep(c, v->tag, v->value);
        v->before_value = names_keep(c, v->before_tag, v->before_value);
    }
    for (uint64_t p = o->base + 1; p <= o->n; p++)
        stream_txn_keep_names(txn_at(o, p), c);
}

/* --- checkpoints -----------------------------------------------------------*/

/* What a key held when the window began. */
static struct key_state
first_value(const struct running_order *o, size_t key)
{
    struct key_state k = o->keys.at[key];
    while (has_version(o, k.version)) {
        const struct placed_version *v = version_at(o, k.version);
        k = (struct key_state){v->before_value, v->before, v->before_tag};
    }
    k.version = 0;
    return k;
}

/* The positions of all sessions when the window began. */
static void
first_positions(const struct running_order *o, u64_vec *out)
{
    for (size_t i = 0; i < o->sessions.n; i++)
        vec_push(out, o->sessions.at[i].position);
    for (uint64_t p = o->n; p > o->base; p--)
        out->at[txn_at(o, p)->session] = txn_at(o, p)->session_position;
}

/* Place again what was placed: its reads were served then, also those of
 * versions that are older than the window. */
static void
place_again(struct running_order *o, struct stream_txn *t)
{
    vec_clear(&o->passed);
    for (uint32_t i = 0; i < t->n_ops; i++) {
        struct stream_op *op = &t->ops[i];
        op->version = 0;
        if (op->is_write || !op->is_main)
            continue;
        const struct key_state *k = key_of(o, op->key);
        if (k->value == op->value && k->tag == op->tag)
            op->version = k->version;
        else
            find_stale(o, t, i);
    }
    commit(o, t);
}

void
running_order_archive(struct running_order *o, struct archive *a)
{
    VEC(struct key_state) keys = {0};
    u64_vec positions = {0};
    stream_txns placed = {0};
    for (size_t i = 0; i < o->keys.n; i++)
        vec_push(&keys, first_value(o, i));
    first_positions(o, &positions);
    for (uint64_t p = o->base + 1; p <= o->n; p++)
        vec_push(&placed, txn_at(o, p));
    archive_vec(a, &keys);
    archive_vec(a, &positions);
    stream_txns_archive(&placed, 0, o->names, a);
    if (a->reads && !a->failed) {
        assert(!o->n && !o->keys.n);
        a->failed = placed.n > o->window || keys.n > o->names->keys.all.tags.n;
        for (size_t i = 0; i < keys.n; i++)
            vec_push(&o->keys, keys.at[i]);
        for (size_t i = 0; i < positions.n; i++)
            session_of(o, (uint32_t)i)->position = positions.at[i];
        for (size_t i = 0; i < placed.n && !a->failed; i++)
            place_again(o, placed.at[i]);
        placed.n = a->failed ? placed.n : 0;
    }
    if (a->reads)
        for (size_t i = 0; i < placed.n; i++)
            mem_free(placed.at[i]);
    vec_free(&placed);
    vec_free(&keys);
    vec_free(&positions);
}

bool
running_order_find(const struct running_order *o, const struct stream_op *op,
                   uint64_t *place, uint64_t *last)
{
    if (op->key >= o->keys.n)
        return false;
    uint64_t v = o->keys.at[op->key].version;
    *last = place_of(o, v);
    for (; has_version(o, v); v = version_at(o, v)->before)
        if (version_at(o, v)->value == op->value &&
            version_at(o, v)->tag == op->tag) {
            *place = version_at(o, v)->place;
            return true;
        }
    return false;
}
