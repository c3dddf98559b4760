/* workload.c -- the kinds of workload.
 *
 * Unless duplicates are requested, every write of a run has its own value: the
 * n-th write of session s of k sessions writes n k + s + 1, plus the size of
 * the space that duplicates are drawn from.
 *
 * SPDX-License-Identifier: MIT */
#include "collect/workload.h"

#include "collect/items/item_draw.h"

#include <string.h>

/* --- drawing ---------------------------------------------------------------*/

uint64_t
workload_draw_key(struct workload *w)
{
    if (w->shape->pairs)
        return w->focus[random_below(&w->random, 2)];
    return gen_draw_key(w->shape->distribution, w->shape->keys, &w->keys,
                        &w->random);
}

int64_t
workload_draw_value(struct workload *w)
{
    const struct workload_shape *shape = w->shape;
    const uint64_t below = shape->duplicates > 0 ? shape->values : 0;
    if (below && random_unit(&w->random) < shape->duplicates)
        return (int64_t)zipf_next(&w->values, &w->random) + 1;
    return (int64_t)(below + w->written++ * shape->sessions + w->session + 1);
}

bool
workload_draw_read(struct workload *w)
{
    return random_unit(&w->random) < w->shape->reads;
}

static void
add_read(step_vec *out, uint64_t key)
{
    vec_push(out, ((struct workload_step){.kind = STEP_READ, .key = key}));
}

static void
add_write(struct workload *w, step_vec *out, uint64_t key)
{
    vec_push(out, ((struct workload_step){.kind = STEP_WRITE,
                                          .key = key,
                                          .value = workload_draw_value(w)}));
}

/* Draw the keys that both sessions of a pair use in their next transactions. */
static void
draw_focus(struct workload *w)
{
    for (size_t i = 0; i < 2; i++)
        w->focus[i] = gen_draw_key(w->shape->distribution, w->shape->keys,
                                   &w->keys, &w->shared);
}

/* --- the kinds -------------------------------------------------------------*/

static void
draw_mixed(struct workload *w, bool reads_only, step_vec *out)
{
    for (uint64_t i = 0; i < w->shape->operations; i++)
        if (reads_only || workload_draw_read(w))
            add_read(out, workload_draw_key(w));
        else
            add_write(w, out, workload_draw_key(w));
}

static void
draw_blind(struct workload *w, bool reads_only, step_vec *out)
{
    const bool reads = reads_only || workload_draw_read(w);
    for (uint64_t i = 0; i < w->shape->operations; i++)
        if (reads)
            add_read(out, workload_draw_key(w));
        else
            add_write(w, out, workload_draw_key(w));
}

/* One or two keys, read and then written, or only read. */
static void
draw_update(struct workload *w, bool reads_only, step_vec *out)
{
    const uint64_t first = workload_draw_key(w), second = workload_draw_key(w);
    const bool both = first != second && random_below(&w->random, 2);
    const bool reads = reads_only || workload_draw_read(w);
    add_read(out, first);
    if (both)
        add_read(out, second);
    if (!reads) {
        add_write(w, out, first);
        if (both)
            add_write(w, out, second);
    }
}

static void
draw_append(struct workload *w, bool reads_only, step_vec *out)
{
    for (uint64_t i = 0; i < w->shape->operations; i++) {
        const uint64_t key = workload_draw_key(w);
        if (reads_only || workload_draw_read(w))
            vec_push(out, ((struct workload_step){.kind = STEP_READ_LIST,
                                                  .key = key}));
        else
            vec_push(out,
                     ((struct workload_step){
                         .kind = STEP_APPEND,
                         .key = key,
                         .value = (int64_t)(w->written++ * w->shape->sessions +
                                            w->session + 1)}));
    }
}

/* Both keys of a pair are read, then one is written: two concurrent
 * transactions can each miss the write of the other. */
static void
draw_skew(struct workload *w, bool reads_only, step_vec *out)
{
    const uint64_t pairs = w->shape->keys / 2 ? w->shape->keys / 2 : 1;
    const uint64_t first = w->shape->pairs
                               ? w->focus[0] % (2 * pairs) & ~UINT64_C(1)
                               : 2 * random_below(&w->random, pairs);
    add_read(out, first);
    add_read(out, first + 1);
    if (!reads_only && !workload_draw_read(w))
        add_write(w, out, first + random_below(&w->random, 2));
}

/* Either one key is written or all are read.  If two readers each see a write
 * that the other misses, that is a fork. */
static void
draw_fork(struct workload *w, bool reads_only, step_vec *out)
{
    const uint64_t keys = workload_keys(w->shape);
    if (!reads_only && !workload_draw_read(w))
        add_write(w, out, w->session % keys);
    else
        for (uint64_t k = 0; k < keys; k++)
            add_read(out, k);
}

const struct workload_kind workload_table[] = {
    {.name = "mixed",
     .help = "reads and writes of random keys",
     .draw = draw_mixed},
    {.name = "blind",
     .help = "transactions that only read, or only write",
     .draw = draw_blind},
    {.name = "update",
     .help = "one or two keys, each read before it is written",
     .draw = draw_update},
    {.name = "append",
     .help = "lists: append an element, or read all of them",
     .has_lists = true,
     .draw = draw_append},
    {.name = "skew",
     .help = "read a pair of keys, write one of them",
     .draw = draw_skew},
    {.name = "fork",
     .help = "write one key, or read all",
     .reads_all = true,
     .draw = draw_fork},
    {.name = "rows",
     .help = "rows are inserted, updated, deleted, read and searched",
     .has_items = true,
     .draw = item_draw_rows},
    {.name = "phantom",
     .help = "search a group of rows, insert one if there are few",
     .has_items = true,
     .draw = item_draw_phantom},
    {.name = "fresh",
     .help = "insert a new row, look for the new row of another session",
     .has_items = true,
     .draw = item_draw_fresh},
    {0},
};

const struct workload_kind *
workload_find(const char *name)
{
    for (const struct workload_kind *k = workload_table; k->name; k++)
        if (strcmp(k->name, name) == 0)
            return k;
    return NULL;
}

/* --- features --------------------------------------------------------------*/

const char *const workload_feature_names[FEATURES] = {
    [FEATURE_FOR_UPDATE] = "for-update",
    [FEATURE_FOR_SHARE] = "for-share",
    [FEATURE_SAVEPOINTS] = "savepoints",
    [FEATURE_READ_ONLY] = "read-only",
    [FEATURE_LONG] = "long",
    [FEATURE_AUTOCOMMIT] = "autocommit",
};

bool
workload_features_parse(const char *text, unsigned *out)
{
    *out = 0;
    for (;;) {
        const size_t n = strcspn(text, ",");
        int i = 0;
        while (i < FEATURES &&
               (strlen(workload_feature_names[i]) != n ||
                memcmp(workload_feature_names[i], text, n) != 0))
            i++;
        if (i == FEATURES)
            return false;
        *out |= 1u << i;
        if (!text[n])
            return true;
        text += n + 1;
    }
}

/* --- sessions --------------------------------------------------------------*/

uint64_t
workload_keys(const struct workload_shape *shape)
{
    if (shape->kind->draw == draw_skew && shape->keys < 2)
        return 2;
    return shape->kind->reads_all && shape->operations < shape->keys
               ? shape->operations
               : shape->keys;
}

void
workload_seed(struct random *r, uint64_t seed, uint64_t session)
{
    random_seed(r, seed * UINT64_C(0x9e3779b97f4a7c15) + session);
}

void
workload_init(struct workload *w, const struct workload_shape *shape,
              uint64_t session)
{
    *w = (struct workload){.shape = shape, .session = session};
    workload_seed(&w->random, shape->seed, session);
    random_seed(&w->shared, shape->seed + session / 2);
    zipf_init(&w->keys, shape->keys, shape->theta);
    zipf_init(&w->values, shape->values, shape->value_theta);
}

/* Sort by key; operations of one key stay in their order. */
static void
sort_steps(step_vec *steps)
{
    for (size_t i = 1; i < steps->n; i++)
        for (size_t j = i; j && steps->at[j - 1].key > steps->at[j].key; j--) {
            const struct workload_step s = steps->at[j];
            steps->at[j] = steps->at[j - 1];
            steps->at[j - 1] = s;
        }
}

bool
workload_next(struct workload *w, bool reads_only, step_vec *out)
{
    const struct workload_shape *shape = w->shape;
    vec_clear(out);
    w->is_autocommit = w->is_read_only = false;
    if (shape->pairs)
        draw_focus(w);
    if (shape->kind->has_items && !reads_only)
        reads_only = item_draw_features(w);
    shape->kind->draw(w, reads_only, out);
    w->txns++;
    if (shape->sorted)
        sort_steps(out);
    return random_unit(&w->random) < shape->aborts;
}
