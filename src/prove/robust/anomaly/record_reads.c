/* record_reads.c -- what a transaction depends on; see recording.h.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/robust/anomaly/recording.h"

#include "prove/program/access.h"

#include <string.h>

static void
read_cell(struct recording *r, uint32_t member, uint32_t cell, uint32_t seen)
{
    const struct version_read read = {cell, recording_version(r, cell, seen)};
    for (size_t i = 0; i < r->reads[member].n; i++)
        if (r->reads[member].at[i].cell == cell &&
            r->reads[member].at[i].version == read.version)
            return;
    vec_push(&r->reads[member], read);
}

/* Whether a row is there, and where it is, the columns. */
static void
read_row(struct recording *r, uint32_t member, uint32_t table,
         const struct datum *row, uint64_t columns, uint32_t seen)
{
    const struct table *t = &r->p->tables.at[table];
    const uint32_t cell = recording_row(r, table, row);
    const char *is = r->cells.at[cell].value[recording_version(r, cell, seen)];
    read_cell(r, member, cell, seen);
    for (uint32_t i = 0; i < t->n_columns; i++)
        if (columns >> i & 1 && !columns_have(&t->primary, i) && is &&
            strncmp(is, "there", 5) == 0)
            read_cell(r, member, recording_column(r, table, row, i), seen);
}

bool
recording_was_chosen(const struct recording *r, const struct run *run,
                     const struct run_read *x, const struct datum *row)
{
    for (size_t i = 0; i < run->readings.n; i++) {
        const struct run_read *y = &run->readings.at[i];
        if (y->chosen && y->step == x->step && y->table == x->table &&
            dataset_same_key(&r->p->tables.at[x->table],
                             run->values.at + y->row, row))
            return true;
    }
    return false;
}

/* The rows of a reading.  A statement that waited has seen all but the last
 * of the others ('older'); rows that it chose then count as they are after. */
static void
read_rows(struct recording *r, uint32_t member, const struct run_read *x,
          uint64_t columns, bool older)
{
    const struct run *run = &r->e->runs[member];
    const bool waited = r->f->shape == SHAPE_INTERRUPTED && !member &&
                        r->e->waits && x->step == r->e->split;
    const uint32_t seen = recording_seen(r, member, x->step);
    const uint32_t before = seen & ~(1u << (r->f->n - 1));
    const size_t n = x->whole ? r->rows[x->table].n : 1;
    for (size_t i = 0; i < n; i++) {
        const struct datum *row =
            x->whole ? r->rows[x->table].at[i] : run->values.at + x->row;
        const bool old = waited && !recording_was_chosen(r, run, x, row);
        if (old == older)
            read_row(r, member, x->table, row, columns, old ? before : seen);
    }
}

/* Whether the row has the values that a check looked for. */
static bool
is_looked_for(const struct checking *c, const struct datum *row,
              const struct datum *values)
{
    for (uint32_t i = 0; i < c->columns->n; i++)
        if (!datum_equal(row[c->columns->at[i]], values[c->of->at[i]]))
            return false;
    return true;
}

/* Whether ON CONFLICT met the row. */
static bool
was_refused(const struct recording *r, uint32_t member,
            const struct checking *c)
{
    const struct run *run = &r->e->runs[member];
    for (size_t i = 0; i < run->refused.n; i++)
        if (run->refused.at[i].table == c->table &&
            dataset_same_key(&r->p->tables.at[c->table],
                             run->values.at + run->refused.at[i].row,
                             run->values.at + c->row))
            return true;
    return false;
}

/* Whether the columns are a foreign key of the table: rows that refer to one
 * that is removed are looked for. */
static bool
is_reference(const struct table *t, const struct columns *columns)
{
    for (uint32_t i = 0; i < t->n_foreign; i++)
        if (&t->foreign[i].columns == columns)
            return true;
    return false;
}

/* What a constraint looked at: the row itself, rows with these values of a key,
 * or whether there is any row with these values. */
static void
record_checking(struct recording *r, uint32_t member, const struct checking *c)
{
    const struct table *t = &r->p->tables.at[c->table];
    const struct datum *values = r->e->runs[member].values.at + c->row;
    const uint32_t seen = recording_seen(r, member, c->step);
    uint32_t cell;
    if (!c->columns) {
        read_row(r, member, c->table, values,
                 was_refused(r, member, c) ? UINT64_MAX : 0, seen);
        return;
    }
    bool key = c->columns->n == t->primary.n;
    for (uint32_t i = 0; i < c->columns->n; i++)
        key = key && columns_have(&t->primary, c->columns->at[i]);
    for (size_t i = 0; key && i < r->rows[c->table].n; i++)
        if (is_looked_for(c, r->rows[c->table].at[i], values))
            read_cell(r, member,
                      recording_row(r, c->table, r->rows[c->table].at[i]),
                      seen);
    if (is_reference(t, c->columns)) {
        for (size_t i = 0; i < r->rows[c->table].n; i++)
            if (recording_child(r, c->table, r->rows[c->table].at[i],
                                c->columns, values, c->of, &cell))
                read_cell(r, member, cell, seen);
    } else if (!key && recording_values(r, c->table, c->columns, values, c->of,
                                        &cell)) {
        read_cell(r, member, cell, seen);
    }
}

/* What a step read, what it saw before a wait first. */
static void
record_step(struct recording *r, uint32_t member, uint32_t step)
{
    const struct run *run = &r->e->runs[member];
    const struct function *f = r->f->members[member].function;
    for (int older = 1; older >= 0; older--)
        for (size_t i = 0; i < run->readings.n; i++) {
            const struct run_read *x = &run->readings.at[i];
            struct access a;
            if (x->step != step)
                continue;
            access_init_statement(&a, r->p, f, x->statement);
            read_rows(r, member, x, a.reads[x->table], older);
            access_free(&a);
        }
    for (size_t i = 0; i < run->checkings.n; i++)
        if (run->checkings.at[i].step == step)
            record_checking(r, member, &run->checkings.at[i]);
}

void
recording_add_reads(struct recording *r, uint32_t member)
{
    for (uint32_t i = 0; i < r->e->runs[member].statements; i++)
        record_step(r, member, i);
}
