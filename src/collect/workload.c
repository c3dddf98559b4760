/* workload.c -- the kinds of workload.
 *
 * Unless duplicates are requested, every write of a run has its own value: the
 * n-th write of session s of k sessions writes n k + s + 1, plus the size of
 * the space that duplicates are drawn from.
 *
 * SPDX-License-Identifier: MIT */
#include "collect/workload.h"

#include <string.h>

/* --- drawing ---------------------------------------------------------------*/

static uint64_t
draw_key(struct workload *w)
{
    return gen_draw_key(w->shape->distribution, w->shape->keys, &w->keys,
                        &w->random);
}

static int64_t
draw_value(struct workload *w)
{
    const struct workload_shape *shape = w->shape;
    const uint64_t below = shape->duplicates > 0 ? shape->values : 0;
    if (below && random_unit(&w->random) < shape->duplicates)
        return (int64_t)zipf_next(&w->values, &w->random) + 1;
    return (int64_t)(below + w->written++ * shape->sessions + w->session + 1);
}

static bool
draw_read(struct workload *w)
{
    return random_unit(&w->random) < w->shape->reads;
}

static void
add_read(step_vec *out, uint64_t key)
{
    vec_push(out, ((struct workload_step){STEP_READ, key, 0}));
}

static void
add_write(struct workload *w, step_vec *out, uint64_t key)
{
    vec_push(out, ((struct workload_step){STEP_WRITE, key, draw_value(w)}));
}

/* --- the kinds -------------------------------------------------------------*/

static void
draw_mixed(struct workload *w, bool reads_only, step_vec *out)
{
    for (uint64_t i = 0; i < w->shape->operations; i++)
        if (reads_only || draw_read(w))
            add_read(out, draw_key(w));
        else
            add_write(w, out, draw_key(w));
}

static void
draw_blind(struct workload *w, bool reads_only, step_vec *out)
{
    const bool reads = reads_only || draw_read(w);
    for (uint64_t i = 0; i < w->shape->operations; i++)
        if (reads)
            add_read(out, draw_key(w));
        else
            add_write(w, out, draw_key(w));
}

/* One or two keys, read and then written, or only read. */
static void
draw_update(struct workload *w, bool reads_only, step_vec *out)
{
    const uint64_t first = draw_key(w), second = draw_key(w);
    const bool both = first != second && random_below(&w->random, 2);
    const bool reads = reads_only || draw_read(w);
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
        const uint64_t key = draw_key(w);
        if (reads_only || draw_read(w))
            vec_push(out, ((struct workload_step){STEP_READ_LIST, key, 0}));
        else
            vec_push(out, ((struct workload_step){
                              STEP_APPEND, key,
                              (int64_t)(w->written++ * w->shape->sessions +
                                        w->session + 1)}));
    }
}

/* Both keys of a pair are read, then one is written: two concurrent
 * transactions can each miss the write of the other. */
static void
draw_skew(struct workload *w, bool reads_only, step_vec *out)
{
    const uint64_t pairs = w->shape->keys / 2 ? w->shape->keys / 2 : 1;
    const uint64_t first = 2 * random_below(&w->random, pairs);
    add_read(out, first);
    add_read(out, first + 1);
    if (!reads_only && !draw_read(w))
        add_write(w, out, first + random_below(&w->random, 2));
}

/* Either one key is written or all are read.  If two readers each see a write
 * that the other misses, that is a fork. */
static void
draw_fork(struct workload *w, bool reads_only, step_vec *out)
{
    const uint64_t keys = workload_keys(w->shape);
    if (!reads_only && !draw_read(w))
        add_write(w, out, w->session % keys);
    else
        for (uint64_t k = 0; k < keys; k++)
            add_read(out, k);
}

const struct workload_kind workload_table[] = {
    {"mixed", "reads and writes of random keys", false, false, draw_mixed},
    {"blind", "transactions that only read, or only write", false, false,
     draw_blind},
    {"update", "one or two keys, each read before it is written", false, false,
     draw_update},
    {"append", "lists: append an element, or read all of them", true, false,
     draw_append},
    {"skew", "read a pair of keys, write one of them", false, false, draw_skew},
    {"fork", "write one key, or read all", false, true, draw_fork},
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
    vec_clear(out);
    w->shape->kind->draw(w, reads_only, out);
    if (w->shape->sorted)
        sort_steps(out);
    return random_unit(&w->random) < w->shape->aborts;
}
