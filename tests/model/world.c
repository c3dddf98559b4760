/* world.c -- see world.h.
 *
 * SPDX-License-Identifier: MIT */
#include "world.h"

#include "prove/execute/conflict.h"
#include "prove/execute/interleaving.h"

#include <string.h>

/* The number of a state, which is taken over where it is new. */
static uint32_t
add_state(struct world *w, world_states *to, struct dataset *d)
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
    const uint32_t id = strings_add(&to->names, (const char *)name.at,
                                    name.n * sizeof *name.at);
    vec_free(&name);
    if (id == to->all.n) {
        struct dataset *copy = arena_alloc(&w->arena, sizeof *copy);
        *copy = *d;
        vec_push(&to->all, copy);
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
    row[0] = (struct datum){(int64_t)key, false, false};
    for (uint32_t c = 1; c < t->n_columns; c++, n /= values)
        row[c] = (struct datum){(int64_t)(n % values), false, false};
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
            add_state(w, &w->states, &s);
        else
            dataset_free(&s);
        for (i = 0; i < n && ++digit[i] == base[i]; i++)
            digit[i] = 0;
    }
    w->initial = (uint32_t)w->states.all.n;
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
                    (int64_t)(d->first_argument + rest % each), false, false};
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

static void
free_states(world_states *s)
{
    for (size_t i = 0; i < s->all.n; i++)
        dataset_free(s->all.at[i]);
    vec_free(&s->all);
    strings_free(&s->names);
}

void
world_free(struct world *w)
{
    free_states(&w->states);
    free_states(&w->lost);
    for (size_t i = 0; i < w->runs.n; i++)
        run_free(&w->runs.at[i]->run);
    vec_free(&w->runs);
    vec_free(&w->instances);
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
    uint32_t given; // views
    bool one_state; // the first view is for all statements
};

static const struct dataset *
state_of(const world_states *all, uint32_t state)
{
    return state == WORLD_NONE ? NULL : all->all.at[state];
}

/* The next view; false where there is none. */
static bool
give(struct asking *a, struct view *out)
{
    const uint32_t at = a->one_state ? 0 : a->given++;
    if (at >= a->run->n)
        return false;
    const struct world_view *v = &a->run->views[at];
    out->now = state_of(&a->world->states, v->now);
    out->before = state_of(&a->world->states, v->before);
    out->lost = state_of(&a->world->lost, v->lost);
    return true;
}

static bool
next_view(void *context, uint32_t number, const struct statement *s,
          struct view *out)
{
    struct asking *a = context;
    (void)number;
    a->run->next = s;
    a->run->between = false;
    return give(a, out);
}

static bool
later_view(void *context, const struct statement *s, struct view *out)
{
    struct asking *a = context;
    a->run->next = s;
    a->run->between = true;
    return give(a, out);
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
find_run(struct world *w, uint32_t instance, const struct world_view *views,
         uint32_t n, bool one_state)
{
    VEC(uint32_t) name = {0};
    vec_push(&name, instance);
    vec_push(&name, one_state);
    for (uint32_t i = 0; i < n; i++) {
        vec_push(&name, views[i].now);
        vec_push(&name, views[i].before);
        vec_push(&name, views[i].lost);
    }
    const uint32_t id = strings_add(&w->run_names, (const char *)name.at,
                                    name.n * sizeof *name.at);
    vec_free(&name);
    if (id < w->runs.n)
        return id;
    struct world_run *r = arena_alloc(&w->arena, sizeof *r);
    struct world_view *copy = arena_alloc(&w->arena, (n + 1) * sizeof *copy);
    memset(r, 0, sizeof *r);
    for (uint32_t i = 0; i < n; i++)
        copy[i] = views[i];
    r->instance = instance;
    r->n = n;
    r->views = copy;
    struct asking asking = {w, r, 0, one_state};
    const struct views all = {
        .context = &asking, .next = next_view, .later = later_view};
    run_instance(w->program, &w->instances.at[instance], &all, &r->run);
    if (r->run.end != RUN_STOPPED) {
        r->next = NULL;
        r->between = false;
    }
    r->seen = name_observations(w, &r->run);
    vec_push(&w->runs, r);
    return id;
}

uint32_t
world_run_on(struct world *w, uint32_t instance, uint32_t state)
{
    const struct world_view view = {state, WORLD_NONE, WORLD_NONE};
    return find_run(w, instance, &view, 1, true);
}

uint32_t
world_begin(struct world *w, uint32_t instance)
{
    return find_run(w, instance, NULL, 0, false);
}

uint32_t
world_step(struct world *w, uint32_t run, struct world_view view)
{
    const struct world_run *r = w->runs.at[run];
    VEC(struct world_view) views = {0};
    for (uint32_t i = 0; i < r->n; i++)
        vec_push(&views, r->views[i]);
    vec_push(&views, view);
    const uint32_t next =
        find_run(w, r->instance, views.at, (uint32_t)views.n, false);
    vec_free(&views);
    return next;
}

uint32_t
world_lose(struct world *w, uint32_t lost, uint32_t run)
{
    const struct changes *c = &w->runs.at[run]->run.changes;
    struct dataset s;
    bool any = false;
    dataset_init(&s, w->program);
    if (lost != WORLD_NONE)
        dataset_copy(&s, w->lost.all.at[lost]);
    for (size_t i = 0; i < c->all.n; i++) {
        const struct change *x = &c->all.at[i];
        if (x->kind == CHANGE_UPDATE || !x->existed ||
            dataset_find(&s, x->table, changes_row(c, i)) != SIZE_MAX)
            continue;
        dataset_insert(&s, x->table, changes_row(c, i));
        any = true;
    }
    if (any)
        return add_state(w, &w->lost, &s);
    dataset_free(&s);
    return lost;
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
        dataset_copy(&s, w->states.all.at[state]);
        changes_apply(changes, &s);
        after = add_state(w, &w->states, &s);
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
