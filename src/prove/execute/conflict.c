/* conflict.c -- see conflict.h.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/execute/conflict.h"

/* The columns that the change gives values to, as bits. */
static uint64_t
columns_set(const struct change *c)
{
    return c->kind == CHANGE_UPDATE   ? c->columns
           : c->kind == CHANGE_INSERT ? UINT64_MAX
                                      : 0;
}

/* Some of a run's changes, and where their values are. */
struct written {
    const struct change *at;
    size_t n;
    const struct datum *cells;
};

/* What it leaves behind, and what it has inserted and deleted again. */
static struct written
left_by(const struct run *r)
{
    return (struct written){r->changes.all.at, r->changes.all.n,
                            r->changes.cells.at};
}

static struct written
undone_by(const struct run *r)
{
    return (struct written){r->changes.undone.at, r->changes.undone.n,
                            r->changes.cells.at};
}

static bool
both_write(const struct program *p, const struct change *x,
           const struct datum *r, const struct change *y, const struct datum *s)
{
    if (x->table != y->table)
        return false;
    const struct table *t = &p->tables.at[x->table];
    if (dataset_same_key(t, r, s))
        return true;
    for (uint32_t u = 0; u < t->n_unique; u++)
        if (columns_meet(&t->unique[u], columns_set(x)) &&
            columns_meet(&t->unique[u], columns_set(y)) &&
            dataset_same_values(&t->unique[u], r, &t->unique[u], s))
            return true;
    return false;
}

/* Whether the change gives one of the columns a value that it did not have. */
static bool
moves(const struct change *c, const struct columns *columns)
{
    for (uint32_t i = 0; c->kind == CHANGE_UPDATE && i < columns->n; i++)
        if (c->moved >> columns->at[i] & 1)
            return true;
    return c->kind == CHANGE_INSERT;
}

/* Whether change x, with row r, of a child makes it point to row s. */
static bool
points_to(const struct program *p, const struct change *x,
          const struct datum *r, uint32_t parent, const struct datum *s)
{
    const struct table *t = &p->tables.at[x->table];
    for (uint32_t f = 0; f < t->n_foreign; f++)
        if (t->foreign[f].table == parent && moves(x, &t->foreign[f].columns) &&
            dataset_same_values(&t->foreign[f].columns, r,
                                &t->foreign[f].referenced, s))
            return true;
    return false;
}

static bool
points_to_deleted(const struct program *p, const struct change *x,
                  const struct datum *r, const struct change *y,
                  const struct datum *s)
{
    return y->kind == CHANGE_DELETE && points_to(p, x, r, y->table, s);
}

/* Whether y gives the parent other unique values.  PostgreSQL locks such a row
 * as if it was deleted. */
static bool
points_to_moved(const struct program *p, const struct change *x,
                const struct datum *r, const struct change *y,
                const struct datum *s)
{
    const struct table *t = &p->tables.at[y->table];
    bool moved = false;
    for (uint32_t i = 0; y->kind == CHANGE_UPDATE && i < t->n_unique; i++)
        moved = moved || moves(y, &t->unique[i]);
    return moved && points_to(p, x, r, y->table, s);
}

/* Whether a makes a row point to one that b changes so. */
static bool
any_points_to_moved(const struct program *p, const struct run *a,
                    const struct run *b)
{
    for (size_t i = 0; i < a->changes.all.n; i++)
        for (size_t j = 0; j < b->changes.all.n; j++)
            if (points_to_moved(
                    p, &a->changes.all.at[i], changes_row(&a->changes, i),
                    &b->changes.all.at[j], changes_row(&b->changes, j)))
                return true;
    return false;
}

/* The same for one that b has read FOR UPDATE. */
static bool
points_to_locked(const struct program *p, const struct run *a,
                 const struct run *b)
{
    for (size_t i = 0; i < a->changes.all.n; i++)
        for (size_t j = 0; j < b->locks.n; j++)
            if (b->locks.at[j].mode == LOCK_UPDATE &&
                points_to(p, &a->changes.all.at[i], changes_row(&a->changes, i),
                          b->locks.at[j].table,
                          b->values.at + b->locks.at[j].row))
                return true;
    return false;
}

/* Whether a writes a row that b holds in a list. */
static bool
writes_held(const struct program *p, const struct run *a, const struct run *b,
            const struct lock_held *held, size_t n)
{
    for (size_t i = 0; i < a->changes.all.n; i++)
        for (size_t j = 0; j < n; j++)
            if (a->changes.all.at[i].table == held[j].table &&
                dataset_same_key(&p->tables.at[held[j].table],
                                 changes_row(&a->changes, i),
                                 b->values.at + held[j].row))
                return true;
    return false;
}

static bool
clash(const struct program *p, struct written a, struct written b)
{
    for (size_t i = 0; i < a.n; i++)
        for (size_t j = 0; j < b.n; j++) {
            const struct change *x = &a.at[i], *y = &b.at[j];
            const struct datum *r = a.cells + x->row, *s = b.cells + y->row;
            if (both_write(p, x, r, y, s) || points_to_deleted(p, x, r, y, s) ||
                points_to_deleted(p, y, s, x, r))
                return true;
        }
    return false;
}

bool
conflict_between(const struct program *p, const struct run *a,
                 const struct run *b)
{
    // What b has inserted met what a left, also where it is deleted again.
    return clash(p, left_by(a), left_by(b)) ||
           clash(p, left_by(a), undone_by(b)) || any_points_to_moved(p, b, a) ||
           writes_held(p, a, b, b->locks.at, b->locks.n) ||
           writes_held(p, a, b, b->refused.at, b->refused.n);
}

bool
conflict_same_column(const struct program *p, const struct run *a,
                     const struct run *b)
{
    for (size_t i = 0; i < a->changes.all.n; i++)
        for (size_t j = 0; j < b->changes.all.n; j++) {
            const struct change *x = &a->changes.all.at[i];
            const struct change *y = &b->changes.all.at[j];
            if (x->table != y->table ||
                !dataset_same_key(&p->tables.at[x->table],
                                  changes_row(&a->changes, i),
                                  changes_row(&b->changes, j)))
                continue;
            const bool rows =
                x->kind != CHANGE_UPDATE && y->kind != CHANGE_UPDATE;
            if (rows || (columns_set(x) & columns_set(y)))
                return true;
        }
    return false;
}

static bool
locks_clash(const struct program *program, const struct run *p,
            const struct run *x)
{
    for (size_t i = 0; i < p->locks.n; i++)
        for (size_t j = 0; j < x->locks.n; j++) {
            const struct lock_held *a = &p->locks.at[i], *b = &x->locks.at[j];
            if (a->table == b->table &&
                (a->mode == LOCK_UPDATE || b->mode == LOCK_UPDATE) &&
                dataset_same_key(&program->tables.at[a->table],
                                 p->values.at + a->row, x->values.at + b->row))
                return true;
        }
    return false;
}

bool
conflict_blocks(const struct program *program, const struct run *p,
                const struct run *x)
{
    return clash(program, left_by(p), left_by(x)) ||
           clash(program, undone_by(p), left_by(x)) ||
           clash(program, left_by(p), undone_by(x)) ||
           clash(program, undone_by(p), undone_by(x)) ||
           writes_held(program, p, x, x->locks.at, x->locks.n) ||
           writes_held(program, p, x, x->refused.at, x->refused.n) ||
           writes_held(program, x, p, p->locks.at, p->locks.n) ||
           any_points_to_moved(program, x, p) ||
           any_points_to_moved(program, p, x) ||
           points_to_locked(program, x, p) || points_to_locked(program, p, x) ||
           locks_clash(program, p, x);
}
