/* search.c -- one sequence of functions; see search.h.
 *
 * SPDX-License-Identifier: MIT */
#include "robust/search/search.h"

#include "robust/anomaly/record.h"
#include "robust/symbolic/sym_axioms.h"
#include "robust/symbolic/symbolic.h"

#include <string.h>

enum { MOST_ROUNDS = 60, INPUTS_EACH = 16 };

/* A sequence in symbols. */
struct sequence {
    const struct anomaly_search *search;
    const struct program *program;
    const struct level_choice *isolation;
    enum shape shape;
    uint32_t n;
    uint32_t functions[INTERLEAVING_MOST]; // numbers
    struct terms terms;
    struct symbolic symbolic;
    struct contents initial, final;
    struct sym_run runs[INTERLEAVING_MOST];
    term visible[INTERLEAVING_MOST][INTERLEAVING_MOST]; // [reader][writer]
    struct sym_relations relations; // of the user's own level
    term split, waits;
    bool failed;    // with an error
    VEC(term) told; // ways through the functions whose anomaly was collected
};

static enum level
level_of(const struct sequence *q, uint32_t member)
{
    return isolation_of(q->isolation, q->functions[member]);
}

static bool
is_paired(const struct sequence *q, uint32_t a, uint32_t b)
{
    return isolation_is_paired(q->isolation, q->functions[a], q->functions[b]);
}

static void
require(struct sequence *q, term condition)
{
    term_assert(&q->terms, condition);
}

static void
run_member_on(struct sequence *q, uint32_t i, const struct sym_views *views)
{
    sym_execute(&q->symbolic, &q->runs[i], views, NULL);
    require(q, term_not(&q->terms, q->runs[i].aborts));
    require(q, term_not(&q->terms, q->runs[i].uncertain));
}

static void
run_member(struct sequence *q, uint32_t i, const struct contents *view)
{
    const struct sym_views views = {.before = view};
    run_member_on(q, i, &views);
}

/* The last member is delayed: it sees the initial state only. */
static void
build_delayed(struct sequence *q)
{
    struct terms *t = &q->terms;
    struct contents now = q->initial;
    for (uint32_t i = 0; i + 1 < q->n; i++) {
        run_member(q, i, &now);
        now = contents_after(&q->symbolic, &now, &q->runs[i], t->yes);
    }
    const struct sym_run *last = &q->runs[q->n - 1];
    const struct sym_views views = {.before = &q->initial,
                                    .after = q->isolation->innodb ? &now : NULL,
                                    .innodb = q->isolation->innodb};
    run_member_on(q, q->n - 1, &views);
    q->final = contents_after(&q->symbolic, &now, last, t->yes);
    for (uint32_t i = 0; level_of(q, q->n - 1) != LEVEL_PC && i + 1 < q->n; i++)
        require(q, term_not(t, sym_conflict(&q->symbolic, &q->runs[i], last,
                                            &q->initial, false)));
}

/* The statement that waits does so because of the last of the others. */
static void
require_wait(struct sequence *q)
{
    struct terms *t = &q->terms;
    term hit = t->no;
    for (uint32_t i = 0; i < q->program->tables.n; i++)
        for (uint32_t j = 0; j < q->symbolic.slots[i]; j++) {
            const struct effect *e = &q->runs[q->n - 1].effects[i][j];
            const term holds =
                term_or(t, term_or(t, e->locked, e->shared),
                        sym_writes(&q->symbolic, &q->runs[q->n - 1], i, j));
            hit = term_or(t, hit,
                          term_and(t, q->runs[0].effects[i][j].chosen, holds));
        }
    require(q, term_implies(t, q->waits, hit));
}

/* The first member is interrupted. */
static void
build_interrupted(struct sequence *q)
{
    struct terms *t = &q->terms;
    struct contents now = q->initial, before = q->initial;
    for (uint32_t i = 1; i < q->n; i++) {
        before = now;
        run_member(q, i, &now);
        now = contents_after(&q->symbolic, &now, &q->runs[i], t->yes);
    }
    q->split = term_fresh(t, "split", false);
    q->waits = term_fresh(t, "waits", true);
    struct sym_run *p = &q->runs[0];
    const struct sym_views views = {.before = &q->initial,
                                    .after = &now,
                                    .waited_from = &before,
                                    .split = q->split,
                                    .waits = q->waits};
    sym_execute(&q->symbolic, p, &views, NULL);
    require(q, term_not(t, p->aborts));
    require(q, term_not(t, p->uncertain));
    require(q, term_less(t, term_number(t, 0),
                         term_add(t, q->split,
                                  term_if(t, q->waits, term_number(t, 1),
                                          term_number(t, 0)))));
    require(q, term_less(t, q->split, term_number(t, (int64_t)p->steps.n)));
    require(q, term_at_most(t, term_number(t, 0), q->split));
    for (uint32_t i = 1; i < q->n; i++)
        require(q, term_not(t, sym_blocks(&q->symbolic, p, &q->runs[i],
                                          &q->initial)));
    require_wait(q);
    q->final = contents_after(&q->symbolic, &now, p, t->yes);
}

/* What c's level says of those before b, whom it sees. */
static void
require_reads(struct sequence *q, uint32_t b, uint32_t c)
{
    struct terms *t = &q->terms;
    const enum level level = level_of(q, c);
    if (level == LEVEL_SER)
        require(q, q->visible[c][b]);
    for (uint32_t a = 0; level != LEVEL_RA && a < b; a++) {
        const bool prefix = level == LEVEL_PC || level == LEVEL_SI;
        const term seen = prefix ? t->yes : q->visible[b][a];
        require(q, term_implies(t, term_and(t, q->visible[c][b], seen),
                                q->visible[c][a]));
    }
}

/* What b did to make c fail, if c did not see it. */
static term
conflict(struct sequence *q, uint32_t b, uint32_t c)
{
    return sym_conflict(&q->symbolic, &q->runs[b], &q->runs[c], &q->initial,
                        false);
}

/* The user's own level. */
static void
require_own(struct sequence *q)
{
    struct terms *t = &q->terms;
    struct sym_relations *r = &q->relations;
    r->n = q->n;
    for (uint32_t b = 0; b < q->n; b++)
        for (uint32_t a = 0; a < q->n; a++) {
            r->vis[b][a] = a < b ? q->visible[b][a] : t->no;
            r->before[b][a] = a < b ? t->yes : t->no;
            r->conflict[b][a] = a != b ? conflict(q, a, b) : t->no;
        }
    sym_sessions(t, r);
    sym_axioms(t, q->isolation->own, r);
}

/* What the levels say of visibility; a < b < c in the order of commits. */
static void
require_level(struct sequence *q)
{
    struct terms *t = &q->terms;
    for (uint32_t c = 0; c < q->n; c++)
        for (uint32_t b = 0; b < c; b++) {
            if (!q->isolation->own)
                require_reads(q, b, c);
            if (is_paired(q, b, c))
                require(q, q->visible[c][b]);
            if (isolation_minds(q->isolation, q->functions[b], q->functions[c]))
                require(q, term_or(t, q->visible[c][b],
                                   term_not(t, conflict(q, b, c))));
        }
    if (q->isolation->own)
        require_own(q);
}

/* Each member sees some of those before it. */
static void
build_visible(struct sequence *q)
{
    struct terms *t = &q->terms;
    for (uint32_t i = 0; i < q->n; i++) {
        struct contents view = q->initial;
        for (uint32_t j = 0; j < i; j++) {
            q->visible[i][j] = term_fresh(t, "sees", true);
            view = contents_after(&q->symbolic, &view, &q->runs[j],
                                  q->visible[i][j]);
        }
        run_member(q, i, &view);
    }
    require_level(q);
    q->final = q->initial;
    for (uint32_t i = 0; i < q->n; i++)
        q->final = contents_after(&q->symbolic, &q->final, &q->runs[i], t->yes);
}

/* Generated keys are new: different from each other and from what is there. */
static void
require_new_keys(struct sequence *q)
{
    struct terms *t = &q->terms;
    for (uint32_t i = 0; i < q->n; i++)
        for (size_t a = 0; a < q->runs[i].inputs.n; a++) {
            const struct given_input *x = &q->runs[i].inputs.at[a];
            const struct input_site *site =
                &q->runs[i].function->inputs[x->site];
            if (site->kind != INPUT_KEY)
                continue;
            for (uint32_t k = 0; k < q->symbolic.slots[site->table]; k++) {
                const struct cell_row *row = &q->initial.rows[site->table][k];
                const struct symbol c = row->columns[site->column];
                require(q, term_not(t, term_and(t, row->alive,
                                                term_equal(t, c.value,
                                                           x->value.value))));
            }
            for (uint32_t j = 0; j <= i; j++)
                for (size_t b = 0; b < (j < i ? q->runs[j].inputs.n : a); b++) {
                    const struct given_input *y = &q->runs[j].inputs.at[b];
                    const struct input_site *other =
                        &q->runs[j].function->inputs[y->site];
                    if (other->kind == INPUT_KEY &&
                        other->table == site->table &&
                        other->column == site->column)
                        require(q, term_not(t, term_equal(t, x->value.value,
                                                          y->value.value)));
                }
        }
}

/* Keep a number small and not NULL, for models that people read. */
static void
keep_small(struct sequence *q, struct symbol x, enum value_type type)
{
    struct terms *t = &q->terms;
    if (type == TYPE_BOOLEAN)
        return;
    require(
        q, term_at_most(t, term_number(t, type == TYPE_TEXT ? 0 : 1), x.value));
    require(q, term_at_most(t, x.value, term_number(t, 30)));
}

static void
keep_all_small(struct sequence *q)
{
    if (q->waits)
        require(q, term_not(&q->terms, q->waits));
    for (uint32_t i = 0; i < q->n; i++) {
        const struct function *f = q->runs[i].function;
        for (uint32_t j = 0; j < f->n_parameters; j++) {
            keep_small(q, q->runs[i].arguments[j], f->variables[j].type);
            require(q, term_not(&q->terms, q->runs[i].arguments[j].null));
        }
        for (size_t j = 0; j < q->runs[i].inputs.n; j++)
            keep_small(q, q->runs[i].inputs.at[j].value,
                       f->inputs[q->runs[i].inputs.at[j].site].type);
    }
    for (uint32_t i = 0; i < q->program->tables.n; i++)
        for (uint32_t j = 0; j < q->symbolic.slots[i]; j++)
            for (uint32_t k = 0; k < q->program->tables.at[i].n_columns; k++)
                keep_small(q, q->initial.rows[i][j].columns[k],
                           q->program->tables.at[i].columns[k].type);
}

/* --- from a model to an execution -----------------------------------------*/

static struct datum
read_value(struct sequence *q, struct symbol x, enum value_type type)
{
    if (term_truth(&q->terms, x.null))
        return (struct datum){0, true};
    return (struct datum){type == TYPE_BOOLEAN ? term_truth(&q->terms, x.value)
                                               : term_value(&q->terms, x.value),
                          false};
}

static void
read_initial(struct sequence *q, struct finding *out)
{
    struct datum row[64];
    for (uint32_t i = 0; i < q->program->tables.n; i++) {
        const struct table *t = &q->program->tables.at[i];
        for (uint32_t j = 0; j < q->symbolic.slots[i]; j++) {
            const struct cell_row *from = &q->initial.rows[i][j];
            if (!term_truth(&q->terms, from->alive))
                continue;
            for (uint32_t k = 0; k < t->n_columns; k++)
                row[k] = read_value(q, from->columns[k], t->columns[k].type);
            dataset_insert(&out->initial, i, row);
        }
    }
}

static void
read_member(struct sequence *q, uint32_t i, struct finding *out)
{
    const struct sym_run *run = &q->runs[i];
    const struct function *f = run->function;
    struct instance *m = &out->members[i];
    m->function = f;
    m->inputs_each = INPUTS_EACH;
    m->arguments =
        arena_alloc(&out->arena, (f->n_parameters + 1) * sizeof *m->arguments);
    const size_t size =
        ((size_t)f->n_inputs * INPUTS_EACH + 1) * sizeof *m->inputs;
    m->inputs = arena_alloc(&out->arena, size);
    memset(m->inputs, 0, size);
    for (uint32_t a = 0; a < f->n_parameters; a++)
        m->arguments[a] =
            read_value(q, run->arguments[a], f->variables[a].type);
    uint32_t *used = mem_calloc(f->n_inputs + 1, sizeof *used);
    for (size_t a = 0; a < run->inputs.n; a++) {
        const struct given_input *x = &run->inputs.at[a];
        if (term_truth(&q->terms, x->live) && used[x->site] < INPUTS_EACH)
            m->inputs[x->site * INPUTS_EACH + used[x->site]++] =
                read_value(q, x->value, f->inputs[x->site].type);
    }
    mem_free(used);
}

/* Run what the model says; whether it happens, and is allowed. */
static bool
happens(struct sequence *q, struct finding *out)
{
    dataset_init(&out->initial, q->program);
    out->n = q->n;
    read_initial(q, out);
    for (uint32_t i = 0; i < q->n; i++)
        read_member(q, i, out);
    struct interleaving *e = &out->interleaving;
    interleaving_init(e, q->program, &out->initial, out->members, q->n);
    if (!dataset_is_legal(&out->initial))
        return false;
    e->shape = q->shape;
    if (q->shape == SHAPE_INTERRUPTED) {
        const int64_t split = term_value(&q->terms, q->split);
        for (int64_t i = 0; i < split; i++)
            e->split += term_truth(&q->terms, q->runs[0].steps.at[i].live);
        e->waits = term_truth(&q->terms, q->waits);
    }
    for (uint32_t i = 0; q->shape == SHAPE_VISIBLE && i < q->n; i++)
        for (uint32_t j = 0; j < i; j++)
            if (term_truth(&q->terms, q->visible[i][j]))
                e->visible[i] |= (uint32_t)1 << j;
    for (uint32_t i = 0; q->isolation->own && i < q->n; i++)
        for (uint32_t j = 0; j < i; j++)
            if (term_truth(&q->terms, q->relations.so[i][j]))
                e->session[i] |= (uint32_t)1 << j;
    return interleaving_run(e, q->isolation);
}

static void
forget(struct finding *out)
{
    interleaving_free(&out->interleaving);
    dataset_free(&out->initial);
    arena_free(&out->arena);
}

/* Ask for a model that differs from what this serial order gives. */
static void
exclude_order(struct sequence *q, const uint32_t order[INTERLEAVING_MOST])
{
    struct terms *t = &q->terms;
    struct contents now = q->initial;
    term differs = t->no, uncertain = t->no;
    for (uint32_t i = 0; i < q->n; i++) {
        const struct sym_run *run = &q->runs[order[i]];
        struct sym_run again = {.function = run->function,
                                .arguments = run->arguments};
        const struct sym_views views = {.before = &now};
        sym_execute(&q->symbolic, &again, &views, run);
        differs = term_or(t, differs, again.aborts);
        differs = term_or(t, differs, sym_differ(&q->symbolic, run, &again));
        uncertain = term_or(t, uncertain, again.uncertain);
        now = contents_after(&q->symbolic, &now, &again, t->yes);
        sym_run_free(&again);
    }
    differs =
        term_or(t, differs, contents_differ(&q->symbolic, &now, &q->final));
    require(q, differs);
    require(q, term_not(t, uncertain));
}

/* Ask for other arguments. */
static void
exclude_arguments(struct sequence *q)
{
    struct terms *t = &q->terms;
    term same = t->yes;
    for (uint32_t i = 0; i < q->n; i++) {
        const struct function *f = q->runs[i].function;
        for (uint32_t a = 0; a < f->n_parameters; a++) {
            const struct symbol x = q->runs[i].arguments[a];
            const struct datum d = read_value(q, x, f->variables[a].type);
            const term value = f->variables[a].type == TYPE_BOOLEAN
                                   ? (d.number ? t->yes : t->no)
                                   : term_number(t, d.number);
            same = term_and(t, same,
                            d.null ? x.null
                                   : term_and(t, term_not(t, x.null),
                                              term_equal(t, x.value, value)));
        }
    }
    require(q, term_not(t, same));
}

/* --- the search -----------------------------------------------------------*/

/* A copy for the collection, run again. */
static void
collect(struct sequence *q, const struct finding *f)
{
    struct finding *copy = mem_calloc(1, sizeof *copy);
    copy->kind = FINDING_ANOMALY;
    copy->isolation = f->isolation;
    copy->shape = f->shape;
    copy->n = f->n;
    dataset_init(&copy->initial, q->program);
    dataset_copy(&copy->initial, &f->initial);
    for (uint32_t i = 0; i < f->n; i++) {
        const struct instance *from = &f->members[i];
        const size_t inputs = (size_t)from->function->n_inputs * INPUTS_EACH;
        struct instance *to = &copy->members[i];
        *to = *from;
        to->arguments =
            arena_alloc(&copy->arena, (from->function->n_parameters + 1) *
                                          sizeof *to->arguments);
        memcpy(to->arguments, from->arguments,
               from->function->n_parameters * sizeof *to->arguments);
        to->inputs =
            arena_alloc(&copy->arena, (inputs + 1) * sizeof *to->inputs);
        memcpy(to->inputs, from->inputs, inputs * sizeof *to->inputs);
    }
    struct interleaving *e = &copy->interleaving;
    interleaving_init(e, q->program, &copy->initial, copy->members, f->n);
    e->shape = f->shape;
    memcpy(e->visible, f->interleaving.visible, sizeof e->visible);
    memcpy(e->session, f->interleaving.session, sizeof e->session);
    e->split = f->interleaving.split;
    e->waits = f->interleaving.waits;
    interleaving_run(e, q->isolation);
    vec_push(&q->search->each->all, copy);
}

/* Ask for another way through the functions than that of the model. */
static void
exclude_way(struct sequence *q)
{
    struct terms *t = &q->terms;
    term same = t->yes;
    for (uint32_t i = 0; i < q->n; i++)
        for (size_t j = 0; j < q->runs[i].steps.n; j++) {
            const term live = q->runs[i].steps.at[j].live;
            same = term_and(t, same,
                            term_truth(t, live) ? live : term_not(t, live));
        }
    vec_push(&q->told, term_not(t, same));
    require(q, term_not(t, same));
}

struct orders_tried {
    uint32_t order[MOST_ROUNDS][INTERLEAVING_MOST];
    uint32_t n;
};

static bool
add_order(struct orders_tried *tried, const uint32_t *order, uint32_t n)
{
    for (uint32_t i = 0; i < tried->n; i++)
        if (memcmp(tried->order[i], order, n * sizeof *order) == 0)
            return false;
    if (tried->n == MOST_ROUNDS)
        return false;
    memcpy(tried->order[tried->n++], order, n * sizeof *order);
    return true;
}

static enum finding_kind
solve(struct sequence *q, struct orders_tried *tried, struct finding *out,
      struct err *err)
{
    for (uint32_t round = 0; round < MOST_ROUNDS; round++) {
        if (limit_reached(&q->search->limits->all))
            return FINDING_UNKNOWN;
        out->queries++;
        const enum answer answer =
            terms_check(&q->terms, q->search->limits->seconds);
        if (answer != ANSWER_YES)
            return answer == ANSWER_NO ? FINDING_NONE : FINDING_UNKNOWN;
        out->rounds++;
        uint32_t order[INTERLEAVING_MOST];
        const bool happened = happens(q, out);
        const enum serial serial =
            happened ? interleaving_explain(&out->interleaving, order)
                     : SERIAL_UNCERTAIN;
        bool confirmed = false;
        if (serial == SERIAL_NONE && !record_confirm(out, &confirmed, err)) {
            forget(out);
            q->failed = true;
            return FINDING_UNKNOWN;
        }
        if (confirmed && !q->search->each)
            return FINDING_ANOMALY;
        if (confirmed)
            collect(q, out);
        forget(out);
        out->mismatches += !happened;
        out->unconfirmed += serial == SERIAL_NONE && !confirmed;
        if (confirmed)
            exclude_way(q);
        else if (serial == SERIAL_FOUND && add_order(tried, order, q->n))
            exclude_order(q, order);
        else
            exclude_arguments(q);
    }
    return FINDING_UNKNOWN;
}

static void
build(struct sequence *q)
{
    contents_init(&q->symbolic, &q->initial);
    if (q->shape == SHAPE_DELAYED)
        build_delayed(q);
    else if (q->shape == SHAPE_INTERRUPTED)
        build_interrupted(q);
    else
        build_visible(q);
    require_new_keys(q);
}

/* Models with small numbers first, then any. */
static enum finding_kind
solve_all(struct sequence *q, struct finding *out, struct err *err)
{
    struct orders_tried *tried = mem_calloc(1, sizeof *tried);
    terms_push(&q->terms);
    keep_all_small(q);
    enum finding_kind kind = solve(q, tried, out, err);
    terms_pop(&q->terms);
    if (kind != FINDING_ANOMALY && !q->failed) {
        tried->n = 0; // what was excluded went with the pop
        for (size_t i = 0; i < q->told.n; i++)
            require(q, q->told.at[i]);
        kind = solve(q, tried, out, err);
    }
    mem_free(tried);
    return kind;
}

/* Whether the delayed or interrupted member must not run beside another. */
static bool
is_excluded(const struct sequence *q)
{
    const uint32_t p = q->shape == SHAPE_INTERRUPTED ? 0 : q->n - 1;
    for (uint32_t i = 0; q->shape != SHAPE_VISIBLE && i < q->n; i++)
        if (i != p && is_paired(q, i, p))
            return true;
    return false;
}

bool
search_sequence(const struct anomaly_search *search, enum shape shape,
                const struct function *const *functions, uint32_t n,
                uint32_t slots, struct finding *out, struct err *err)
{
    assert(n >= 2 && n <= INTERLEAVING_MOST);
    struct sequence *q = mem_calloc(1, sizeof *q);
    *q = (struct sequence){.search = search,
                           .program = search->program,
                           .isolation = search->isolation,
                           .shape = shape,
                           .n = n};
    for (uint32_t i = 0; i < n; i++)
        q->functions[i] = program_number(search->program, functions[i]);
    out->isolation = search->isolation;
    out->shape = shape;
    out->kind = FINDING_NONE;
    const bool runs = !is_excluded(q);
    bool ok = !runs || terms_init(&q->terms, err);
    if (ok && runs) {
        symbolic_init(&q->symbolic, &q->terms, search->program, slots);
        for (uint32_t i = 0; i < n; i++)
            sym_instance(&q->symbolic, &q->runs[i], functions[i]);
        build(q);
        out->kind = solve_all(q, out, err);
        out->slots = slots;
        out->gave_up += out->kind == FINDING_UNKNOWN;
        for (uint32_t i = 0; i < n; i++)
            sym_run_free(&q->runs[i]);
        symbolic_free(&q->symbolic);
        ok = !q->failed;
    }
    vec_free(&q->told);
    terms_free(&q->terms);
    mem_free(q);
    return ok;
}

void
finding_free(struct finding *f)
{
    if (f->kind == FINDING_ANOMALY)
        forget(f);
    memset(f, 0, sizeof *f);
}

void
findings_free(struct findings *f)
{
    for (size_t i = 0; i < f->all.n; i++) {
        finding_free(f->all.at[i]);
        mem_free(f->all.at[i]);
    }
    vec_free(&f->all);
}
