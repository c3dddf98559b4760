/* world.c -- see world.h.
 *
 * SPDX-License-Identifier: MIT */
#include "world.h"

#include "execute/conflict.h"
#include "execute/interleaving.h"

#include <string.h>

/* The number of a state, which is taken over where it is new. */
static uint32_t
add_state(struct world *w, struct dataset *d)
{
    VEC(int64_t) name = {0};
    for (size_t t = 0; t < w->program->tables.n; t++) {
        const struct rows *rows = &d->tables[t];
        vec_push(&name, (int64_t)rows->n);
        for (size_t i = 0; i < rows->n * rows->width; i++) {
            vec_push(&name, rows->at[i].null);
            vec_push(&name, rows->at[i].null ? 0 : rows->at[i].number);
        }
    }
    const uint32_t id = strings_add(&w->state_names, (const char *)name.at,
                                    name.n * sizeof *name.at);
    vec_free(&name);
    if (id == w->states.n) {
        struct dataset *copy = arena_alloc(&w->arena, sizeof *copy);
        *copy = *d;
        vec_push(&w->states, copy);
    } else {
        dataset_free(d);
    }
    return id;
}

/* The row of a table with key k, whose other columns are digits of n; false
 * where n has more digits. */
static void
fill_row(const struct table *t, uint32_t values, uint64_t key, uint64_t n,
         struct datum *row)
{
    row[0] = (struct datum){(int64_t)key, false};
    for (uint32_t c = 1; c < t->n_columns; c++, n /= values)
        row[c] = (struct datum){(int64_t)(n % values), false};
}

/* Every legal state of the domain: for each table and key a digit, which is 0
 * where there is no row. */
static void
add_initial(struct world *w, const struct world_domain *d)
{
    const struct program *p = w->program;
    uint64_t digit[64] = {0}, base[64];
    uint32_t n = 0;
    for (size_t t = 0; t < p->tables.n; t++)
        for (uint32_t k = 0; k < d->keys; k++) {
            assert(n < 64);
            base[n] = 1;
            for (uint32_t c = 1; c < p->tables.at[t].n_columns; c++)
                base[n] *= d->values;
            base[n++]++;
        }
    for (uint32_t i = 0; i < n;) {
        struct dataset s;
        struct datum row[64];
        dataset_init(&s, p);
        for (uint32_t j = 0; j < n; j++)
            if (digit[j]) {
                fill_row(&p->tables.at[j / d->keys], d->values, j % d->keys + 1,
                         digit[j] - 1, row);
                dataset_insert(&s, j / d->keys, row);
            }
        if (dataset_is_legal(&s))
            add_state(w, &s);
        else
            dataset_free(&s);
        for (i = 0; i < n && ++digit[i] == base[i]; i++)
            digit[i] = 0;
    }
    w->initial = (uint32_t)w->states.n;
}

static void
add_instances(struct world *w, const struct world_domain *d)
{
    const uint64_t each = d->last_argument - d->first_argument + 1;
    for (size_t f = 0; f < w->program->functions.n; f++) {
        const struct function *function = w->program->functions.at[f];
        uint64_t all = 1;
        for (uint32_t a = 0; a < function->n_parameters; a++)
            all *= each;
        assert(!function->n_inputs); // all instances would share them
        for (uint64_t n = 0; n < all; n++) {
            struct instance m = {.function = function};
            m.arguments = arena_alloc(&w->arena, (function->n_parameters + 1) *
                                                     sizeof *m.arguments);
            uint64_t rest = n;
            for (uint32_t a = 0; a < function->n_parameters; a++) {
                m.arguments[a] = (struct datum){
                    (int64_t)(d->first_argument + rest % each), false};
                rest /= each;
            }
            vec_push(&w->instances, m);
        }
    }
}

void
world_init(struct world *w, const struct program *p,
           const struct world_domain *d)
{
    memset(w, 0, sizeof *w);
    w->program = p;
    add_initial(w, d);
    add_instances(w, d);
}

void
world_free(struct world *w)
{
    for (size_t i = 0; i < w->states.n; i++)
        dataset_free(w->states.at[i]);
    for (size_t i = 0; i < w->runs.n; i++)
        run_free(&w->runs.at[i]->run);
    vec_free(&w->states);
    vec_free(&w->runs);
    vec_free(&w->instances);
    strings_free(&w->state_names);
    strings_free(&w->run_names);
    strings_free(&w->observations);
    intmap_free(&w->after);
    intmap_free(&w->conflicts);
    intmap_free(&w->blocks);
    arena_free(&w->arena);
}

/* --- runs -----------------------------------------------------------------*/

struct asking {
    struct world *world;
    struct world_run *run;
    bool one_state; // the first view is for all statements
};

static bool
next_view(void *context, uint32_t at, const struct statement *s,
          struct view *out)
{
    struct asking *a = context;
    if (a->one_state)
        at = 0;
    if (at >= a->run->views) {
        a->run->next = s;
        return false;
    }
    const uint32_t before = a->run->before[at];
    out->now = a->world->states.at[a->run->now[at]];
    out->before = before == WORLD_NONE ? NULL : a->world->states.at[before];
    return true;
}

static uint32_t
name_observations(struct world *w, const struct run *r)
{
    VEC(int64_t) name = {0};
    for (size_t i = 0; i < r->observations.n; i++) {
        const struct observation *o = &r->observations.at[i];
        vec_push(&name, (int64_t)o->statement->number);
        vec_push(&name, (int64_t)o->n);
        for (size_t j = 0; j < o->n; j++) {
            const struct datum d = r->values.at[o->first + j];
            vec_push(&name, d.null);
            vec_push(&name, d.null ? 0 : d.number);
        }
    }
    const uint32_t id = strings_add(&w->observations, (const char *)name.at,
                                    name.n * sizeof *name.at);
    vec_free(&name);
    return id;
}

static uint32_t
find_run(struct world *w, const struct world_run *like, bool one_state)
{
    uint32_t name[2 + 2 * WORLD_VIEWS];
    name[0] = like->instance;
    name[1] = one_state;
    memcpy(name + 2, like->now, like->views * sizeof *name);
    memcpy(name + 2 + like->views, like->before, like->views * sizeof *name);
    const uint32_t id = strings_add(&w->run_names, (const char *)name,
                                    (2 + 2 * like->views) * sizeof *name);
    if (id < w->runs.n)
        return id;
    struct world_run *r = arena_alloc(&w->arena, sizeof *r);
    *r = *like;
    memset(&r->run, 0, sizeof r->run);
    r->next = NULL;
    struct asking asking = {w, r, one_state};
    const struct views views = {&asking, next_view, NULL};
    run_instance(w->program, &w->instances.at[r->instance], &views, &r->run);
    r->seen = name_observations(w, &r->run);
    vec_push(&w->runs, r);
    return id;
}

uint32_t
world_run_on(struct world *w, uint32_t instance, uint32_t state)
{
    const struct world_run like = {.instance = instance,
                                   .views = 1,
                                   .now = {state},
                                   .before = {WORLD_NONE}};
    return find_run(w, &like, true);
}

uint32_t
world_begin(struct world *w, uint32_t instance)
{
    const struct world_run like = {.instance = instance};
    return find_run(w, &like, false);
}

uint32_t
world_step(struct world *w, uint32_t run, uint32_t now, uint32_t before)
{
    struct world_run like = *w->runs.at[run];
    assert(like.views < WORLD_VIEWS);
    like.now[like.views] = now;
    like.before[like.views++] = before;
    return find_run(w, &like, false);
}

uint32_t
world_after(struct world *w, uint32_t state, uint32_t run)
{
    const uint64_t pair = (uint64_t)state << 32 | run;
    const struct changes *changes = &w->runs.at[run]->run.changes;
    if (!changes->all.n)
        return state;
    uint32_t after = intmap_find(&w->after, pair);
    if (after == UINT32_MAX) {
        struct dataset s;
        bool added;
        dataset_init(&s, w->program);
        dataset_copy(&s, w->states.at[state]);
        changes_apply(changes, &s);
        after = add_state(w, &s);
        intmap_add(&w->after, pair, after, &added);
    }
    return after;
}

static bool
relation(struct world *w, struct intmap *known, uint32_t a, uint32_t b,
         bool (*holds)(const struct program *, const struct run *,
                       const struct run *))
{
    const uint64_t pair = (uint64_t)a << 32 | b;
    uint32_t is = intmap_find(known, pair);
    if (is == UINT32_MAX) {
        bool added;
        is = holds(w->program, &w->runs.at[a]->run, &w->runs.at[b]->run);
        intmap_add(known, pair, is, &added);
    }
    return is;
}

bool
world_conflict(struct world *w, uint32_t a, uint32_t b)
{
    return relation(w, &w->conflicts, a, b, conflict_between);
}

bool
world_blocks(struct world *w, uint32_t a, uint32_t b)
{
    return relation(w, &w->blocks, a, b, conflict_blocks);
}

bool
world_is_serial(struct world *w, uint32_t state, const uint32_t *members,
                const uint32_t *runs, uint32_t k, uint32_t final)
{
    uint32_t order[INTERLEAVING_MOST];
    for (uint32_t i = 0; i < k; i++)
        order[i] = i;
    do {
        uint32_t now = state, i = 0;
        for (; i < k; i++) {
            const uint32_t run = world_run_on(w, members[order[i]], now);
            const struct world_run *r = w->runs.at[run];
            if (r->run.end == RUN_UNCERTAIN)
                return true;
            if (r->run.end != RUN_COMMITS ||
                r->seen != w->runs.at[runs[order[i]]]->seen)
                break;
            now = world_after(w, now, run);
        }
        if (i == k && now == final)
            return true;
    } while (interleaving_next_order(order, k));
    return false;
}
