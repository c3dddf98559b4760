/* constraints.c -- what a row and a state must satisfy.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/execute/runner.h"

static bool
has_null(const struct columns *columns, const struct datum *row)
{
    for (uint32_t i = 0; i < columns->n; i++)
        if (row[columns->at[i]].null)
            return true;
    return false;
}

static bool
has_parent(const struct dataset *s, const struct foreign_key *f,
           const struct datum *row)
{
    if (has_null(&f->columns, row))
        return true;
    for (size_t i = 0; i < s->tables[f->table].n; i++)
        if (dataset_same_values(&f->columns, row, &f->referenced,
                                dataset_row(s, f->table, i)))
            return true;
    return false;
}

/* Whether no other row has the same unique values. */
static bool
is_unique(const struct dataset *s, uint32_t table,
          const struct columns *columns, const struct datum *row)
{
    const struct table *t = &s->program->tables.at[table];
    for (size_t i = 0; i < s->tables[table].n; i++) {
        const struct datum *other = dataset_row(s, table, i);
        if (!dataset_same_key(t, other, row) &&
            dataset_same_values(columns, other, columns, row))
            return false;
    }
    return true;
}

bool
runner_is_taken(const struct runner *r, uint32_t table, const struct datum *a,
                const struct datum *b)
{
    const struct table *t = &r->program->tables.at[table];
    for (uint32_t i = 0; i < t->n_unique; i++)
        if (dataset_same_values(&t->unique[i], a, &t->unique[i], b))
            return true;
    return false;
}

/* Whether the column's type has this value. */
static bool
is_held(const struct table_column *column, int64_t n)
{
    if (column->number != NUMBER_NUMERIC || !column->rounds)
        return program_number_fits(column->type, column->number, n);
    int64_t most = 1;
    for (uint32_t i = 0; i < column->limit && i < 18; i++)
        most *= 10;
    return column->limit > 18 || (n > -most && n < most);
}

/* Keys and references are looked for by their values, and a text may be too
 * long for its column: what an opaque one does there is not known. */
static bool
is_decided(const struct table *t, const struct datum *row)
{
    for (uint32_t i = 0; i < t->n_columns; i++) {
        bool matters = t->columns[i].limit || columns_have(&t->primary, i);
        for (uint32_t u = 0; u < t->n_unique; u++)
            matters = matters || columns_have(&t->unique[u], i);
        for (uint32_t f = 0; f < t->n_foreign; f++)
            matters = matters || columns_have(&t->foreign[f].columns, i);
        if (row[i].opaque && matters)
            return false;
    }
    return true;
}

bool
runner_keeps_checks(struct runner *r, uint32_t table, const struct datum *row)
{
    const struct table *t = &r->program->tables.at[table];
    if (!is_decided(t, row))
        runner_give_up(r);
    for (uint32_t i = 0; i < t->n_columns; i++)
        if (row[i].null
                ? t->columns[i].not_null
                : !row[i].opaque && !is_held(&t->columns[i], row[i].number))
            return false;
    const struct datum **bound = r->bound;
    r->bound = &row;
    bool ok = true;
    for (uint32_t i = 0; ok && i < t->n_checks; i++) {
        const struct datum d = runner_evaluate(r, t->checks[i]);
        if (d.opaque)
            runner_give_up(r);
        ok = d.null || d.number;
    }
    r->bound = bound;
    return ok;
}

void
runner_check_values(struct runner *r, uint32_t table, const struct datum *row,
                    uint64_t set)
{
    const struct table *t = &r->program->tables.at[table];
    bool ok = runner_keeps_checks(r, table, row);
    for (uint32_t i = 0; i < t->n_unique; i++)
        if (columns_meet(&t->unique[i], set))
            runner_note_check(r, table, &t->unique[i], row, t->n_columns,
                              &t->unique[i]);
    for (uint32_t i = 0; ok && i < t->n_unique; i++)
        ok = !columns_meet(&t->unique[i], set) ||
             is_unique(&r->mine, table, &t->unique[i], row);
    if (!ok)
        runner_abort(r);
}

void
runner_check_parents(struct runner *r, uint32_t table, const struct datum *row,
                     uint64_t set)
{
    const struct table *t = &r->program->tables.at[table];
    bool ok = true;
    for (uint32_t i = 0; i < t->n_foreign; i++)
        if (columns_meet(&t->foreign[i].columns, set))
            runner_note_check(r, t->foreign[i].table, &t->foreign[i].referenced,
                              row, t->n_columns, &t->foreign[i].columns);
    for (uint32_t i = 0; ok && i < t->n_foreign; i++)
        ok = !columns_meet(&t->foreign[i].columns, set) ||
             has_parent(&r->mine, &t->foreign[i], row);
    if (!ok)
        runner_abort(r);
}

void
runner_check_removed(struct runner *r, uint32_t table, const struct datum *row)
{
    for (uint32_t i = 0; i < r->program->tables.n; i++) {
        const struct table *child = &r->program->tables.at[i];
        for (uint32_t j = 0; j < child->n_foreign; j++) {
            const struct foreign_key *f = &child->foreign[j];
            if (f->table == table)
                runner_note_check(r, i, &f->columns, row,
                                  r->program->tables.at[table].n_columns,
                                  &f->referenced);
            for (size_t k = 0; f->table == table && k < r->mine.tables[i].n;
                 k++)
                if (dataset_same_values(&f->columns,
                                        dataset_row(&r->mine, i, k),
                                        &f->referenced, row))
                    runner_abort(r);
        }
    }
}

/* Whether the invariant holds for every combination of rows. */
static bool
keeps_invariant(struct runner *r, const struct dataset *s,
                const struct invariant *inv)
{
    size_t *at = mem_calloc(inv->n_sources, sizeof *at);
    r->bound = mem_calloc(inv->n_sources, sizeof *r->bound);
    bool ok = true, more = true;
    for (uint32_t i = 0; i < inv->n_sources; i++)
        more = more && s->tables[inv->source_tables[i]].n > 0;
    while (ok && more) {
        for (uint32_t i = 0; i < inv->n_sources; i++)
            r->bound[i] = dataset_row(s, inv->source_tables[i], at[i]);
        if (runner_holds(r, inv->given)) {
            const struct datum d = runner_evaluate(r, inv->then);
            ok = d.null || d.number;
        }
        uint32_t i = 0;
        while (i < inv->n_sources &&
               ++at[i] == s->tables[inv->source_tables[i]].n)
            at[i++] = 0;
        more = i < inv->n_sources;
    }
    mem_free(r->bound);
    mem_free(at);
    r->bound = NULL;
    return ok;
}

bool
dataset_is_legal(const struct dataset *s)
{
    const struct program *p = s->program;
    struct run nothing = {0};
    struct runner r = {.program = p, .out = &nothing, .mine = *s};
    bool ok = true;
    for (uint32_t t = 0; ok && t < p->tables.n; t++)
        for (size_t i = 0; ok && i < s->tables[t].n; i++) {
            runner_check_values(&r, t, dataset_row(s, t, i), UINT64_MAX);
            runner_check_parents(&r, t, dataset_row(s, t, i), UINT64_MAX);
            ok = !r.failed;
        }
    for (size_t i = 0; ok && i < p->invariants.n; i++)
        ok = keeps_invariant(&r, s, &p->invariants.at[i]) && !r.failed;
    return ok;
}
