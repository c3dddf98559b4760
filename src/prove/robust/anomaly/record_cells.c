/* record_cells.c -- what can be read and written, who saw what, and what was
 * written; see recording.h.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/robust/anomaly/recording.h"

#include "prove/execute/print/print.h"

#include <string.h>

/* --- cells ----------------------------------------------------------------*/

uint32_t
recording_cell(struct recording *r, struct buf *name)
{
    const uint32_t id = strings_add(&r->names, name->at, name->n);
    const struct recorded_cell none = {.is_used = false};
    if (id == r->cells.n)
        vec_push(&r->cells, none);
    buf_free(name);
    return id;
}

static void
print_key(struct recording *r, uint32_t table, const struct datum *row,
          struct buf *out)
{
    const struct table *t = &r->p->tables.at[table];
    buf_text(out, t->name);
    if (t->hidden_key)
        buf_printf(out, "(row %lld)", (long long)row[t->n_columns - 1].number);
    else
        print_row(out, r->p, table, row, true);
}

uint32_t
recording_row(struct recording *r, uint32_t table, const struct datum *row)
{
    struct buf name = {0};
    print_key(r, table, row, &name);
    return recording_cell(r, &name);
}

uint32_t
recording_column(struct recording *r, uint32_t table, const struct datum *row,
                 uint32_t column)
{
    struct buf name = {0};
    print_key(r, table, row, &name);
    buf_printf(&name, ".%s", r->p->tables.at[table].columns[column].name);
    return recording_cell(r, &name);
}

/* Add "WHERE column=value AND .." to a name, and find its cell. */
static bool
find_cell(struct recording *r, uint32_t table, const struct columns *columns,
          const struct datum *from, const struct columns *of, struct buf name,
          uint32_t *cell)
{
    const struct table *t = &r->p->tables.at[table];
    bool null = false;
    for (uint32_t i = 0; i < columns->n; i++) {
        const struct table_column *c = &t->columns[columns->at[i]];
        const struct datum d = from[of->at[i]];
        null = null || d.null;
        buf_printf(&name, " %s%s=", i ? "AND " : "WHERE ", c->name);
        print_value(&name, r->p, c->type, d);
    }
    if (null) {
        buf_free(&name);
        return false;
    }
    *cell = recording_cell(r, &name);
    return true;
}

bool
recording_values(struct recording *r, uint32_t table,
                 const struct columns *columns, const struct datum *from,
                 const struct columns *of, uint32_t *cell)
{
    struct buf name = {0};
    buf_text(&name, r->p->tables.at[table].name);
    return find_cell(r, table, columns, from, of, name, cell);
}

bool
recording_child(struct recording *r, uint32_t table, const struct datum *row,
                const struct columns *columns, const struct datum *from,
                const struct columns *of, uint32_t *cell)
{
    struct buf name = {0};
    print_key(r, table, row, &name);
    return find_cell(r, table, columns, from, of, name, cell);
}

/* --- who saw whom ---------------------------------------------------------*/

uint32_t
recording_member(const struct recording *r, uint32_t i)
{
    return r->f->shape == SHAPE_INTERRUPTED ? (i + 1) % r->f->n : i;
}

/* At InnoDB's REPEATABLE READ: whether the step is one that reads the latest
 * rows. */
static bool
is_latest(const struct recording *r, uint32_t member, uint32_t step)
{
    const struct run *run = &r->e->runs[member];
    if (!r->f->isolation->innodb || member + 1 < r->f->n)
        return false;
    for (size_t i = 0; i < run->readings.n; i++)
        if (run->readings.at[i].step == step)
            return !isolation_is_plain(run->readings.at[i].statement);
    return true; // the check of a constraint
}

uint32_t
recording_seen(const struct recording *r, uint32_t member, uint32_t step)
{
    const uint32_t all = (1u << r->f->n) - 1;
    if (is_latest(r, member, step))
        return all & ~(1u << member);
    if (r->f->shape != SHAPE_INTERRUPTED)
        return r->e->visible[member];
    if (member) // those before it; the first is still running
        return ((1u << member) - 1) & ~1u;
    if (r->f->members[0].function->snapshot)
        step = 0;
    return step < r->e->split ? 0 : all & ~1u;
}

uint32_t
recording_version(const struct recording *r, uint32_t cell, uint32_t seen)
{
    for (uint32_t i = r->f->n; i-- > 0;) {
        const uint32_t member = recording_member(r, i);
        if (seen >> member & 1 && r->cells.at[cell].value[member])
            return member;
    }
    return INITIAL;
}

/* --- what is written -----*/

static void
set(struct recording *r, uint32_t cell, uint32_t version, struct buf *text)
{
    struct recorded_cell *c = &r->cells.at[cell];
    bool repeated = false;
    for (uint32_t i = 0; i < VERSIONS; i++)
        repeated = repeated || (i != version && c->value[i] &&
                                strcmp(c->value[i], text->at) == 0);
    if (repeated) // who wrote it matters, not only what
        buf_printf(text, " of T%u", version + 1);
    c->value[version] = arena_copy(&r->arena, text->at, text->n);
    buf_free(text);
}

static void
set_text(struct recording *r, uint32_t cell, uint32_t version, const char *text)
{
    struct buf copy = {0};
    buf_text(&copy, text);
    set(r, cell, version, &copy);
}

static void
set_column(struct recording *r, uint32_t table, const struct datum *row,
           uint32_t column, uint32_t version)
{
    struct buf text = {0};
    print_value(&text, r->p, r->p->tables.at[table].columns[column].type,
                row[column]);
    set(r, recording_column(r, table, row, column), version, &text);
}

static void
add_row(struct recording *r, uint32_t table, const struct datum *row)
{
    const struct table *t = &r->p->tables.at[table];
    for (size_t i = 0; i < r->rows[table].n; i++)
        if (dataset_same_key(t, r->rows[table].at[i], row))
            return;
    vec_push(&r->rows[table], row);
}

void
recording_add_initial(struct recording *r)
{
    for (uint32_t t = 0; t < r->p->tables.n; t++)
        for (size_t i = 0; i < r->f->initial.tables[t].n; i++) {
            const struct datum *row = dataset_row(&r->f->initial, t, i);
            add_row(r, t, row);
            set_text(r, recording_row(r, t, row), INITIAL, "there");
            for (uint32_t c = 0; c < r->p->tables.at[t].n_columns; c++)
                set_column(r, t, row, c, INITIAL);
        }
}

/* The row as a member found it when it changed it, or NULL. */
static const struct datum *
row_before(struct recording *r, uint32_t member, uint32_t table,
           const struct datum *row, struct dataset *view)
{
    const uint32_t seen = recording_seen(r, member, UINT32_MAX);
    dataset_copy(view, &r->f->initial);
    for (uint32_t i = 0; i < r->f->n; i++)
        if (seen >> recording_member(r, i) & 1)
            changes_apply(&r->e->runs[recording_member(r, i)].changes, view);
    const size_t at = dataset_find(view, table, row);
    return at == SIZE_MAX ? NULL : dataset_row(view, table, at);
}

/* Rows with the values of some columns come and go: of a UNIQUE constraint, or
 * of a foreign key. */
static void
record_values(struct recording *r, uint32_t member, const struct change *c,
              const struct datum *row, const struct datum *before,
              const struct columns *columns, bool child)
{
    bool touched = c->kind != CHANGE_UPDATE;
    uint32_t cell;
    for (uint32_t i = 0; i < columns->n; i++)
        touched = touched || c->columns >> columns->at[i] & 1;
    if (!touched)
        return;
    for (int i = 0; i < 2; i++) {
        const struct datum *from =
            i ? (c->kind == CHANGE_DELETE ? NULL : row) : before;
        if (from && (child ? recording_child(r, c->table, row, columns, from,
                                             columns, &cell)
                           : recording_values(r, c->table, columns, from,
                                              columns, &cell)))
            set_text(r, cell, member, "changed");
    }
}

static void
record_change(struct recording *r, uint32_t member, const struct change *c,
              const struct datum *row, struct dataset *view)
{
    const struct table *t = &r->p->tables.at[c->table];
    const struct datum *before = row_before(r, member, c->table, row, view);
    add_row(r, c->table, row);
    if (c->kind != CHANGE_UPDATE)
        set_text(r, recording_row(r, c->table, row), member,
                 c->kind == CHANGE_INSERT ? "there" : "deleted");
    for (uint32_t i = 0; c->kind != CHANGE_DELETE && i < t->n_columns; i++)
        if (c->kind == CHANGE_INSERT || c->columns >> i & 1)
            set_column(r, c->table, row, i, member);
    for (uint32_t i = 0; i < t->n_unique; i++)
        record_values(r, member, c, row, before, &t->unique[i], false);
    for (uint32_t i = 0; i < t->n_foreign; i++)
        record_values(r, member, c, row, before, &t->foreign[i].columns, true);
}

void
recording_add_writes(struct recording *r, uint32_t member)
{
    const struct changes *c = &r->e->runs[member].changes;
    struct dataset view;
    dataset_init(&view, r->p);
    for (size_t i = 0; i < c->all.n; i++)
        record_change(r, member, &c->all.at[i], changes_row(c, i), &view);
    dataset_free(&view);
}
