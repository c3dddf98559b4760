/* sequence.c -- executions of a sequence in symbols; see sequence.h.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/robust/search/sequence.h"

#include "prove/robust/search/sym_cycle.h"

void
sequence_require(struct sequence *q, term condition)
{
    term_assert(&q->terms, condition);
}

bool
sequence_is_paired(const struct sequence *q, uint32_t a, uint32_t b)
{
    return isolation_is_paired(q->isolation, q->functions[a], q->functions[b]);
}

static enum level
level_of(const struct sequence *q, uint32_t member)
{
    return isolation_of(q->isolation, q->functions[member]);
}

static void
run_member_on(struct sequence *q, uint32_t i, const struct sym_views *views)
{
    sym_execute(&q->symbolic, &q->runs[i], views, NULL);
    sequence_require(q, term_not(&q->terms, q->runs[i].aborts));
    sequence_require(q, term_not(&q->terms, q->runs[i].uncertain));
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
        sequence_require(q,
                         term_not(t, sym_conflict(&q->symbolic, &q->runs[i],
                                                  last, &q->initial, false)));
}

/* The statement that waits does so because of the last of the others, which
 * replaces no row: see interleaving.c. */
static void
require_wait(struct sequence *q)
{
    struct terms *t = &q->terms;
    term hit = t->no, replaces = t->no;
    for (uint32_t i = 0; i < q->program->tables.n; i++)
        for (uint32_t j = 0; j < q->symbolic.slots[i]; j++) {
            const struct effect *e = &q->runs[q->n - 1].effects[i][j];
            replaces = term_or(t, replaces,
                               term_and(t, term_and(t, e->sets_alive, e->alive),
                                        term_not(t, e->fresh)));
            const term holds =
                term_or(t, term_or(t, e->locked, e->shared),
                        sym_writes(&q->symbolic, &q->runs[q->n - 1], i, j));
            hit = term_or(t, hit,
                          term_and(t, q->runs[0].effects[i][j].chosen, holds));
        }
    sequence_require(
        q, term_implies(t, q->waits, term_and(t, hit, term_not(t, replaces))));
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
    sequence_require(q, term_not(t, p->aborts));
    sequence_require(q, term_not(t, p->uncertain));
    sequence_require(q,
                     term_less(t, term_number(t, 0),
                               term_add(t, q->split,
                                        term_if(t, q->waits, term_number(t, 1),
                                                term_number(t, 0)))));
    sequence_require(
        q, term_less(t, q->split, term_number(t, (int64_t)p->steps.n)));
    sequence_require(q, term_at_most(t, term_number(t, 0), q->split));
    for (uint32_t i = 1; i < q->n; i++)
        sequence_require(q, term_not(t, sym_blocks(&q->symbolic, p, &q->runs[i],
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
    if (level_is_serial(level))
        sequence_require(q, q->visible[c][b]);
    for (uint32_t a = 0; level != LEVEL_RA && a < b; a++) {
        const bool prefix = level_table[level].two_points;
        const term seen = prefix ? t->yes : q->visible[b][a];
        sequence_require(q, term_implies(t, term_and(t, q->visible[c][b], seen),
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
            r->ww[b][a] =
                a != b ? sym_write_same(&q->symbolic, &q->runs[a], &q->runs[b])
                       : t->no;
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
            if (sequence_is_paired(q, b, c))
                sequence_require(q, q->visible[c][b]);
            if (isolation_minds(q->isolation, q->functions[b], q->functions[c]))
                sequence_require(q, term_or(t, q->visible[c][b],
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
                sequence_require(
                    q, term_not(t, term_and(t, row->alive,
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
                        sequence_require(
                            q, term_not(t, term_equal(t, x->value.value,
                                                      y->value.value)));
                }
        }
}

void
sequence_build(struct sequence *q)
{
    contents_init(&q->symbolic, &q->initial);
    if (q->shape == SHAPE_DELAYED)
        build_delayed(q);
    else if (q->shape == SHAPE_INTERRUPTED)
        build_interrupted(q);
    else
        build_visible(q);
    require_new_keys(q);
    if (q->search->limits->graph) {
        const struct sym_cycle cycle = {.symbolic = &q->symbolic,
                                        .shape = q->shape,
                                        .n = q->n,
                                        .runs = q->runs,
                                        .initial = &q->initial,
                                        .visible = q->visible};
        sequence_require(q, sym_cycle(&cycle));
    }
}
