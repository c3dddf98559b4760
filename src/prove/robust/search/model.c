/* model.c -- from a model of the solver to an execution; see sequence.h.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/robust/search/sequence.h"

#include <string.h>

/* Keep a number small and not NULL, for models that people read. */
static void
keep_small(struct sequence *q, struct symbol x, enum value_type type)
{
    struct terms *t = &q->terms;
    if (type == TYPE_BOOLEAN)
        return;
    sequence_require(
        q, term_at_most(t, term_number(t, type == TYPE_TEXT ? 0 : 1), x.value));
    sequence_require(q, term_at_most(t, x.value, term_number(t, 30)));
}

void
sequence_keep_small(struct sequence *q)
{
    if (q->waits)
        sequence_require(q, term_not(&q->terms, q->waits));
    for (uint32_t i = 0; i < q->n; i++) {
        const struct function *f = q->runs[i].function;
        for (uint32_t j = 0; j < f->n_parameters; j++) {
            keep_small(q, q->runs[i].arguments[j], f->variables[j].type);
            sequence_require(q,
                             term_not(&q->terms, q->runs[i].arguments[j].null));
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

struct datum
sequence_value(struct sequence *q, struct symbol x, enum value_type type)
{
    if (term_truth(&q->terms, x.null))
        return (struct datum){0, true, false};
    return (struct datum){type == TYPE_BOOLEAN ? term_truth(&q->terms, x.value)
                                               : term_value(&q->terms, x.value),
                          false, false};
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
                row[k] =
                    sequence_value(q, from->columns[k], t->columns[k].type);
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
            sequence_value(q, run->arguments[a], f->variables[a].type);
    uint32_t *used = mem_calloc(f->n_inputs + 1, sizeof *used);
    for (size_t a = 0; a < run->inputs.n; a++) {
        const struct given_input *x = &run->inputs.at[a];
        if (term_truth(&q->terms, x->live) && used[x->site] < INPUTS_EACH)
            m->inputs[x->site * INPUTS_EACH + used[x->site]++] =
                sequence_value(q, x->value, f->inputs[x->site].type);
    }
    mem_free(used);
}

bool
sequence_happens(struct sequence *q, struct finding *out)
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
