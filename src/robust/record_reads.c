/* record_reads.c -- what a transaction depends on; see recording.h.
 *
 * SPDX-License-Identifier: MIT */
#include "robust/recording.h"

#include "program/access.h"

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

/* Whether the statement of a reading chose the row, to read it again after it
 * had waited. */
static bool
was_chosen(const struct recording *r, const struct run *run,
           const struct reading *x, const struct datum *row)
{
    for (size_t i = 0; i < run->readings.n; i++) {
        const struct reading *y = &run->readings.at[i];
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
read_rows(struct recording *r, uint32_t member, const struct reading *x,
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
        const bool old = waited && !was_chosen(r, run, x, row);
        if (old == older)
            read_row(r, member, x->table, row, columns, old ? before : seen);
    }
}

static void
record_readings(struct recording *r, uint32_t member)
{
    const struct run *run = &r->e->runs[member];
    const struct function *f = r->f->members[member].function;
    for (size_t i = 0; i < run->readings.n;) {
        size_t end = i;
        while (end < run->readings.n &&
               run->readings.at[end].step == run->readings.at[i].step)
            end++;
        for (int older = 1; older >= 0; older--)
            for (size_t k = i; k < end; k++) {
                const struct reading *x = &run->readings.at[k];
                struct access a;
                access_init_statement(&a, r->p, f, x->statement);
                read_rows(r, member, x, a.reads[x->table], older);
                access_free(&a);
            }
        i = end;
    }
    for (size_t i = 0; i < run->refused.n; i++)
        read_row(r, member, run->refused.at[i].table,
                 run->values.at + run->refused.at[i].row, UINT64_MAX,
                 recording_seen(r, member, UINT32_MAX));
}

/* What the constraints of the row's table look at when it is written. */
static void
read_constraints(struct recording *r, uint32_t member, const struct change *c,
                 const struct datum *row)
{
    const uint32_t seen = recording_seen(r, member, UINT32_MAX);
    const struct table *t = &r->p->tables.at[c->table];
    const uint64_t sets = c->kind == CHANGE_INSERT ? UINT64_MAX : c->columns;
    uint32_t cell;
    read_cell(r, member, recording_row(r, c->table, row), seen);
    for (uint32_t i = 0; i < t->n_unique; i++)
        if (sets >> t->unique[i].at[0] & 1 &&
            recording_values(r, c->table, &t->unique[i], row, &t->unique[i],
                             &cell))
            read_cell(r, member, cell, seen);
    for (uint32_t i = 0; i < t->n_foreign; i++) {
        const struct foreign_key *k = &t->foreign[i];
        if (!(sets >> k->columns.at[0] & 1))
            continue;
        for (size_t j = 0; j < r->rows[k->table].n; j++) {
            const struct datum *parent = r->rows[k->table].at[j];
            bool same = true;
            for (uint32_t m = 0; m < k->columns.n; m++)
                same = same && datum_equal(row[k->columns.at[m]],
                                           parent[k->referenced.at[m]]);
            if (same)
                read_cell(r, member, recording_row(r, k->table, parent), seen);
        }
    }
}

/* A row may go when nothing refers to it. */
static void
read_references(struct recording *r, uint32_t member, const struct change *c,
                const struct datum *row)
{
    uint32_t cell;
    for (uint32_t t = 0; t < r->p->tables.n; t++)
        for (uint32_t i = 0; i < r->p->tables.at[t].n_foreign; i++) {
            const struct foreign_key *k = &r->p->tables.at[t].foreign[i];
            if (k->table == c->table &&
                recording_values(r, t, &k->columns, row, &k->referenced, &cell))
                read_cell(r, member, cell,
                          recording_seen(r, member, UINT32_MAX));
        }
}

void
recording_add_reads(struct recording *r, uint32_t member)
{
    const struct changes *c = &r->e->runs[member].changes;
    record_readings(r, member);
    for (size_t i = 0; i < c->all.n; i++)
        if (c->all.at[i].kind == CHANGE_DELETE)
            read_references(r, member, &c->all.at[i], changes_row(c, i));
        else
            read_constraints(r, member, &c->all.at[i], changes_row(c, i));
}
