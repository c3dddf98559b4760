/* dataset.c -- see dataset.h.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/execute/dataset.h"

#include <string.h>

void
dataset_init(struct dataset *s, const struct program *p)
{
    s->program = p;
    s->tables = mem_calloc(p->tables.n ? p->tables.n : 1, sizeof *s->tables);
    for (size_t i = 0; i < p->tables.n; i++)
        s->tables[i].width = p->tables.at[i].n_columns;
}

void
dataset_free(struct dataset *s)
{
    for (size_t i = 0; s->program && i < s->program->tables.n; i++)
        mem_free(s->tables[i].at);
    mem_free(s->tables);
    memset(s, 0, sizeof *s);
}

static void
reserve(struct rows *r, size_t n)
{
    if (n <= r->room)
        return;
    r->room = n + n / 2 + 4;
    r->at = mem_realloc(r->at, r->room * r->width, sizeof *r->at);
}

void
dataset_copy(struct dataset *to, const struct dataset *from)
{
    assert(to->program == from->program);
    for (size_t i = 0; i < from->program->tables.n; i++) {
        const struct rows *source = &from->tables[i];
        struct rows *target = &to->tables[i];
        reserve(target, source->n);
        target->n = source->n;
        if (source->n)
            memcpy(target->at, source->at,
                   source->n * source->width * sizeof *source->at);
    }
}

bool
dataset_equal(const struct dataset *a, const struct dataset *b)
{
    for (size_t i = 0; i < a->program->tables.n; i++) {
        const struct rows *x = &a->tables[i], *y = &b->tables[i];
        if (x->n != y->n)
            return false;
        for (size_t j = 0; j < x->n * x->width; j++)
            if (!datum_seems_equal(x->at[j], y->at[j]))
                return false;
    }
    return true;
}

/* Order rows by key; keys are never null. */
static int
compare_keys(const struct table *t, const struct datum *a,
             const struct datum *b)
{
    for (uint32_t i = 0; i < t->primary.n; i++) {
        const uint32_t c = t->primary.at[i];
        if (a[c].number != b[c].number)
            return a[c].number < b[c].number ? -1 : 1;
    }
    return 0;
}

bool
dataset_same_key(const struct table *t, const struct datum *a,
                 const struct datum *b)
{
    return compare_keys(t, a, b) == 0;
}

bool
dataset_same_values(const struct columns *ca, const struct datum *a,
                    const struct columns *cb, const struct datum *b)
{
    assert(ca->n == cb->n);
    for (uint32_t i = 0; i < ca->n; i++) {
        const struct datum x = a[ca->at[i]], y = b[cb->at[i]];
        if (x.null || y.null || x.number != y.number)
            return false;
    }
    return true;
}

/* The first row whose key is not below the given row's. */
static size_t
lower_bound(const struct dataset *s, uint32_t table, const struct datum *row)
{
    const struct table *t = &s->program->tables.at[table];
    size_t i = 0;
    while (i < s->tables[table].n &&
           compare_keys(t, dataset_row(s, table, i), row) < 0)
        i++;
    return i;
}

size_t
dataset_find(const struct dataset *s, uint32_t table, const struct datum *row)
{
    const size_t i = lower_bound(s, table, row);
    return i < s->tables[table].n &&
                   dataset_same_key(&s->program->tables.at[table],
                                    dataset_row(s, table, i), row)
               ? i
               : SIZE_MAX;
}

void
dataset_insert(struct dataset *s, uint32_t table, const struct datum *row)
{
    assert(dataset_find(s, table, row) == SIZE_MAX);
    const size_t i = lower_bound(s, table, row);
    struct rows *r = &s->tables[table];
    reserve(r, r->n + 1);
    struct datum *at = r->at + i * r->width;
    memmove(at + r->width, at, (r->n - i) * r->width * sizeof *at);
    memcpy(at, row, r->width * sizeof *at);
    r->n++;
}

void
dataset_remove(struct dataset *s, uint32_t table, size_t row)
{
    struct rows *r = &s->tables[table];
    struct datum *at = dataset_row(s, table, row);
    r->n--;
    memmove(at, at + r->width, (r->n - row) * r->width * sizeof *at);
}

const struct datum *
changes_row(const struct changes *c, size_t i)
{
    return c->cells.at + c->all.at[i].row;
}

/* The change of the same row so far; SIZE_MAX where there is none. */
static size_t
find_change(const struct changes *c, const struct table *t, uint32_t table,
            const struct datum *row)
{
    for (size_t i = 0; i < c->all.n; i++)
        if (c->all.at[i].table == table &&
            dataset_same_key(t, changes_row(c, i), row))
            return i;
    return SIZE_MAX;
}

/* A row that the transaction inserted is deleted by it. */
static void
undo_insert(struct changes *c, size_t i)
{
    vec_push(&c->undone, c->all.at[i]);
    memmove(c->all.at + i, c->all.at + i + 1,
            (c->all.n - i - 1) * sizeof *c->all.at);
    c->all.n--;
}

static void
log_change(struct changes *c, const struct table *t, struct change change,
           const struct datum *row)
{
    change.row = c->cells.n;
    vec_grow(&c->cells, t->n_columns);
    memcpy(c->cells.at + change.row, row, t->n_columns * sizeof *row);
    vec_push(&c->log, change);
}

bool
changes_until(const struct changes *c, const struct program *p, size_t n,
              uint32_t table, const struct datum *row, struct change *out)
{
    bool changed = false;
    assert(n <= c->log.n);
    *out = (struct change){.table = table};
    for (size_t i = 0; i < n; i++) {
        const struct change *next = &c->log.at[i];
        if (next->table != table ||
            !dataset_same_key(&p->tables.at[table], c->cells.at + next->row,
                              row))
            continue;
        const struct change before = *out;
        *out = *next;
        if (changed && next->kind == CHANGE_UPDATE) {
            assert(before.kind != CHANGE_DELETE);
            out->kind = before.kind;
            out->columns |= before.columns;
        }
        if (changed)
            out->existed = before.existed;
        changed = next->kind != CHANGE_DELETE || out->existed;
        if (!changed) // inserted and deleted again
            *out = (struct change){.table = table};
    }
    return changed;
}

void
changes_add(struct changes *c, const struct program *p, uint32_t table,
            enum change_kind kind, uint64_t columns, uint32_t line,
            const struct datum *row, const struct datum *old)
{
    const struct table *t = &p->tables.at[table];
    assert((kind == CHANGE_UPDATE) == (old != NULL));
    size_t i = find_change(c, t, table, row);
    log_change(c, t,
               (struct change){kind, table, columns, 0, line,
                               kind != CHANGE_INSERT, 0},
               row);
    if (kind == CHANGE_DELETE && i != SIZE_MAX &&
        c->all.at[i].kind == CHANGE_INSERT && !c->all.at[i].existed) {
        undo_insert(c, i);
        return;
    }
    if (i == SIZE_MAX) {
        const struct change change = {
            kind, table, 0, c->cells.n, line, kind != CHANGE_INSERT, 0};
        vec_grow(&c->cells, t->n_columns);
        i = c->all.n;
        vec_push(&c->all, change);
        memcpy(c->cells.at + change.row, row, t->n_columns * sizeof *row);
    }
    struct change *change = &c->all.at[i];
    change->line = line;
    if (kind == CHANGE_UPDATE) {
        assert(change->kind != CHANGE_DELETE);
        change->columns |= columns;
        for (uint32_t k = 0; k < t->n_columns; k++)
            if (!datum_equal(old[k], row[k]))
                change->moved |= (uint64_t)1 << k;
    } else {
        change->kind = kind;
    }
    memcpy(c->cells.at + change->row, row, t->n_columns * sizeof *row);
}

void
changes_apply(const struct changes *c, struct dataset *s)
{
    for (size_t i = 0; i < c->all.n; i++) {
        const struct change *change = &c->all.at[i];
        const struct datum *row = changes_row(c, i);
        const size_t at = dataset_find(s, change->table, row);
        if (change->kind == CHANGE_UPDATE) {
            for (uint32_t j = 0;
                 at != SIZE_MAX && j < s->tables[change->table].width; j++)
                if (change->columns >> j & 1)
                    dataset_row(s, change->table, at)[j] = row[j];
            continue;
        }
        if (at != SIZE_MAX)
            dataset_remove(s, change->table, at);
        if (change->kind == CHANGE_INSERT)
            dataset_insert(s, change->table, row);
    }
}

bool
changes_replace(const struct changes *c)
{
    for (size_t i = 0; i < c->all.n; i++)
        if (c->all.at[i].kind == CHANGE_INSERT && c->all.at[i].existed)
            return true;
    return false;
}

void
changes_clear(struct changes *c)
{
    vec_clear(&c->all);
    vec_clear(&c->undone);
    vec_clear(&c->log);
    vec_clear(&c->cells);
}

void
changes_free(struct changes *c)
{
    vec_free(&c->all);
    vec_free(&c->undone);
    vec_free(&c->log);
    vec_free(&c->cells);
}
