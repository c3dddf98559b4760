/* search.c -- one sequence of functions; see search.h.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/robust/search/search.h"

#include "prove/robust/anomaly/dependency.h"
#include "prove/robust/anomaly/record.h"
#include "prove/robust/search/sequence.h"

#include <string.h>

enum { MOST_ROUNDS = 60 };

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
    sequence_require(q, differs);
    sequence_require(q, term_not(t, uncertain));
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
            const struct datum d = sequence_value(q, x, f->variables[a].type);
            const term value = f->variables[a].type == TYPE_BOOLEAN
                                   ? (d.number ? t->yes : t->no)
                                   : term_number(t, d.number);
            same = term_and(t, same,
                            d.null ? x.null
                                   : term_and(t, term_not(t, x.null),
                                              term_equal(t, x.value, value)));
        }
    }
    sequence_require(q, term_not(t, same));
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
    copy->graph = f->graph;
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
    sequence_require(q, term_not(t, same));
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

/* Whether what happened is an anomaly. */
static bool
confirm(const struct finding *f, enum serial serial, bool *confirmed,
        struct err *err)
{
    struct dependency cycle[INTERLEAVING_MOST];
    bool allowed = false, serializable = false;
    *confirmed = false;
    if (f->graph ? !dependency_cycle(f, cycle) : serial != SERIAL_NONE)
        return true;
    if (!record_check(f, &allowed, &serializable, err))
        return false;
    *confirmed = allowed && (f->graph || !serializable);
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
        const bool happened = sequence_happens(q, out);
        const enum serial serial =
            happened && !out->graph
                ? interleaving_explain(&out->interleaving, order)
                : SERIAL_UNCERTAIN;
        bool confirmed = false;
        if (happened && !confirm(out, serial, &confirmed, err)) {
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

/* Models with small numbers first, then any. */
static enum finding_kind
solve_all(struct sequence *q, struct finding *out, struct err *err)
{
    struct orders_tried *tried = mem_calloc(1, sizeof *tried);
    terms_push(&q->terms);
    sequence_keep_small(q);
    enum finding_kind kind = solve(q, tried, out, err);
    terms_pop(&q->terms);
    if (kind != FINDING_ANOMALY && !q->failed) {
        tried->n = 0; // what was excluded went with the pop
        for (size_t i = 0; i < q->told.n; i++)
            sequence_require(q, q->told.at[i]);
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
        if (i != p && sequence_is_paired(q, i, p))
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
    out->graph = search->limits->graph;
    out->kind = FINDING_NONE;
    const bool runs = !is_excluded(q);
    bool ok = !runs || terms_init(&q->terms, false, err);
    if (ok && runs) {
        symbolic_init(&q->symbolic, &q->terms, search->program, slots);
        q->symbolic.notes_reads = search->limits->graph;
        for (uint32_t i = 0; i < n; i++)
            sym_instance(&q->symbolic, &q->runs[i], functions[i]);
        sequence_build(q);
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
