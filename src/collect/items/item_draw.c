/* item_draw.c -- see item_draw.h.
 *
 * SPDX-License-Identifier: MIT */
#include "collect/items/item_draw.h"

#include <assert.h>

enum {
    LONG_FACTOR = 8, // operations of a long transaction, by those of others
    ONE_IN_LONG = 8, // transactions is long,
    ONE_IN_SOME = 4, // uses another feature
};

/* Whether the shape has the feature and it is the turn of this one. */
static bool
draw_feature(struct workload *w, enum workload_feature feature, uint64_t one_in)
{
    return w->shape->features >> feature & 1 &&
           random_below(&w->random, one_in) == 0;
}

bool
item_draw_features(struct workload *w)
{
    w->is_autocommit = draw_feature(w, FEATURE_AUTOCOMMIT, ONE_IN_SOME);
    w->is_read_only =
        !w->is_autocommit && draw_feature(w, FEATURE_READ_ONLY, ONE_IN_SOME);
    return w->is_read_only;
}

static uint64_t
draw_group(struct workload *w, uint64_t key)
{
    return key - key % ITEM_BLOCK + random_below(&w->random, ITEM_GROUPS);
}

static enum item_lock
draw_lock(struct workload *w)
{
    return draw_feature(w, FEATURE_FOR_UPDATE, ONE_IN_SOME)  ? ITEM_FOR_UPDATE
           : draw_feature(w, FEATURE_FOR_SHARE, ONE_IN_SOME) ? ITEM_FOR_SHARE
                                                             : ITEM_NO_LOCK;
}

static void
add_read(struct workload *w, bool reads_only, uint64_t key, step_vec *out)
{
    const uint64_t how = random_below(&w->random, 4);
    const bool is_query = how >= 2 && !w->is_autocommit;
    vec_push(out, ((struct workload_step){
                      .kind = is_query ? STEP_ITEM_QUERY : STEP_ITEM_READ,
                      .key = is_query && how == 2 ? draw_group(w, key) : key,
                      .where = how == 2 ? ITEMS_OF_GROUP : ITEMS_OF_BLOCK,
                      .lock = reads_only ? ITEM_NO_LOCK : draw_lock(w)}));
}

/* How often each kind of change is drawn, in percent. */
static const struct {
    enum step_kind kind;
    uint64_t share;
} changes[] = {
    {STEP_ITEM_INSERT, 15},       {STEP_ITEM_UPSERT, 35},
    {STEP_ITEM_UPDATE, 20},       {STEP_ITEM_DELETE, 15},
    {STEP_ITEM_UPDATE_WHERE, 10}, {STEP_ITEM_DELETE_WHERE, 5},
};

/* A change that is a transaction by itself is of one key, and no delete: what
 * it did must be known although the connection is lost. */
static enum step_kind
draw_change(struct workload *w)
{
    uint64_t left = random_below(&w->random, w->is_autocommit ? 70 : 100);
    size_t i = 0;
    while (left >= changes[i].share)
        left -= changes[i++].share;
    assert(i < sizeof changes / sizeof changes[0]);
    return changes[i].kind;
}

static void
add_change(struct workload *w, uint64_t key, step_vec *out)
{
    const enum step_kind kind = draw_change(w);
    const bool by_group = random_below(&w->random, 2);
    const bool is_where =
        kind == STEP_ITEM_UPDATE_WHERE || kind == STEP_ITEM_DELETE_WHERE;
    vec_push(out, ((struct workload_step){
                      .kind = kind,
                      .key = is_where && by_group ? draw_group(w, key) : key,
                      .value = workload_draw_value(w),
                      .group = draw_group(w, key),
                      .where = by_group ? ITEMS_OF_GROUP : ITEMS_OF_BLOCK}));
}

void
item_draw_rows(struct workload *w, bool reads_only, step_vec *out)
{
    uint64_t n = w->shape->operations;
    if (draw_feature(w, FEATURE_LONG, ONE_IN_LONG))
        n *= LONG_FACTOR;
    if (w->is_autocommit)
        n = 1;
    const bool has_savepoint =
        n > 2 && draw_feature(w, FEATURE_SAVEPOINTS, ONE_IN_SOME);
    const uint64_t set_at = has_savepoint ? random_below(&w->random, n) : n;
    const uint64_t back_at =
        has_savepoint ? set_at + 1 + random_below(&w->random, n - set_at) : n;
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t key = workload_draw_key(w);
        if (i == set_at)
            vec_push(out, ((struct workload_step){.kind = STEP_SAVEPOINT}));
        if (i == back_at)
            vec_push(out, ((struct workload_step){.kind = STEP_ROLLBACK_TO}));
        if (reads_only || workload_draw_read(w))
            add_read(w, reads_only, key, out);
        else
            add_change(w, key, out);
    }
}

/* A key that no other transaction of the run inserts. */
static uint64_t
fresh_key(const struct workload *w, uint64_t session)
{
    return w->txns * w->shape->sessions + session;
}

void
item_draw_phantom(struct workload *w, bool reads_only, step_vec *out)
{
    const uint64_t group = w->shape->pairs ? w->focus[0] : workload_draw_key(w);
    w->is_autocommit = false; // the decision needs a transaction
    vec_push(out, ((struct workload_step){.kind = STEP_ITEM_QUERY,
                                          .key = group,
                                          .where = ITEMS_OF_GROUP,
                                          .lock = reads_only ? ITEM_NO_LOCK
                                                             : draw_lock(w)}));
    if (reads_only)
        return;
    vec_push(out, ((struct workload_step){.kind = STEP_ITEM_INSERT,
                                          .key = fresh_key(w, w->session),
                                          .value = workload_draw_value(w),
                                          .group = group,
                                          .when = ITEM_IF_FEW}));
    vec_push(out, ((struct workload_step){.kind = STEP_ITEM_DELETE_WHERE,
                                          .key = group,
                                          .where = ITEMS_OF_GROUP,
                                          .when = ITEM_IF_MANY}));
}

void
item_draw_fresh(struct workload *w, bool reads_only, step_vec *out)
{
    const uint64_t other = w->session ^ 1;
    const struct workload_step insert = {
        .kind = STEP_ITEM_INSERT,
        .key = fresh_key(w, w->session),
        .value = workload_draw_value(w),
        .group = random_below(&w->random, ITEM_GROUPS)};
    const struct workload_step read = {
        .kind = STEP_ITEM_READ,
        .key = fresh_key(w, other < w->shape->sessions ? other : w->session)};
    const bool reads_first = random_below(&w->shared, 2);
    w->is_autocommit = false;
    if (!reads_only && !reads_first)
        vec_push(out, insert);
    vec_push(out, read);
    if (!reads_only && reads_first)
        vec_push(out, insert);
}
