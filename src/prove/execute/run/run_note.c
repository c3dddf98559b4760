/* run_note.c -- what a run keeps of what it saw; see runner.h.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/execute/runner.h"

#include "prove/program/access.h"

void
runner_observe(struct runner *r, const struct statement *s,
               const struct datum *values, size_t n)
{
    const struct observation o = {s, r->out->values.n, n};
    for (size_t i = 0; i < n; i++)
        vec_push(&r->out->values, values[i]);
    vec_push(&r->out->observations, o);
}

void
runner_note_row(struct runner *r, const struct statement *s, uint32_t table,
                const struct datum *row, bool chosen)
{
    if (!s)
        return; // a constraint
    const struct run_read reading = {.statement = s,
                                     .step = r->out->statements - 1,
                                     .table = table,
                                     .chosen = chosen,
                                     .row = r->out->values.n,
                                     .changes = r->out->changes.log.n};
    for (uint32_t i = 0; i < r->mine.tables[table].width; i++)
        vec_push(&r->out->values, row[i]);
    vec_push(&r->out->readings, reading);
}

void
runner_note_check(struct runner *r, uint32_t table,
                  const struct columns *columns, const struct datum *row,
                  uint32_t width, const struct columns *of)
{
    if (!r->instance)
        return;
    const struct checking checking = {.step = r->out->statements - 1,
                                      .table = table,
                                      .line = r->statement->line,
                                      .columns = columns,
                                      .of = of,
                                      .row = r->out->values.n,
                                      .changes = r->out->changes.log.n};
    for (uint32_t i = 0; i < width; i++)
        vec_push(&r->out->values, row[i]);
    vec_push(&r->out->checkings, checking);
}

/* The last reading was that of a condition. */
static void
note_where(struct runner *r, const struct query *q, uint32_t source,
           const struct expr *where)
{
    struct run_read *reading = &vec_top(&r->out->readings);
    reading->condition = true;
    reading->where = where;
    reading->query = q;
    reading->source = source;
    reading->variables = r->out->values.n;
    for (uint32_t i = 0; i < r->instance->function->n_variables; i++)
        vec_push(&r->out->values, r->variables[i]);
}

void
runner_note_condition(struct runner *r, const struct statement *s,
                      const struct query *q, uint32_t source,
                      const struct expr *where)
{
    if (r->failed || !s)
        return;
    const uint32_t table = r->instance->function->source_tables[source];
    const struct table *t = &r->program->tables.at[table];
    const struct expr *keys[64];
    if (!access_where_fixes_key(where, source, t, keys)) {
        const struct run_read reading = {.statement = s,
                                         .step = r->out->statements - 1,
                                         .table = table,
                                         .whole = true,
                                         .changes = r->out->changes.log.n};
        vec_push(&r->out->readings, reading);
        note_where(r, q, source, where);
        return;
    }
    for (uint32_t i = 0; i < t->primary.n; i++)
        if (keys[i]->kind == EXPR_COLUMN || expr_has_query(keys[i]))
            return; // of a join: the rows themselves are noted
    struct datum row[64] = {{0}};
    for (uint32_t i = 0; i < t->primary.n; i++)
        row[t->primary.at[i]] = runner_evaluate(r, keys[i]);
    runner_note_row(r, s, table, row, false);
    note_where(r, q, source, where);
}
