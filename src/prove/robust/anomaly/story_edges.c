/* story_edges.c -- what was read and changed unseen; see story.h.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/robust/anomaly/story.h"

#include "prove/execute/print/print.h"

/* Whether member a saw what member b did. */
static bool
saw(const struct finding *f, uint32_t a, uint32_t b)
{
    const struct interleaving *e = &f->interleaving;
    if (f->shape == SHAPE_INTERRUPTED)
        return a != 0 && b != 0 && b < a;
    return b < a && (e->visible[a] >> b & 1);
}

static void
add_edge(struct story *s, uint32_t from, uint32_t to, const struct run_read *r,
         const struct change *c, const struct datum *row)
{
    const struct program *p = s->finding->interleaving.program;
    for (size_t i = 0; i < s->edges.n; i++)
        if (s->edges.at[i].from == from && s->edges.at[i].to == to &&
            s->edges.at[i].read_line == r->statement->line &&
            s->edges.at[i].write_line == c->line)
            return;
    struct buf text = {0};
    buf_printf(&text, "%s ", p->tables.at[c->table].name);
    print_row(&text, p, c->table, row, true);
    const struct story_edge edge = {from, to, r->statement->line, c->line,
                                    story_keep(s, &text)};
    vec_push(&s->edges, edge);
}

/* What a read and b changed without a's seeing it. */
static void
find_between(struct story *s, uint32_t a, uint32_t b)
{
    const struct finding *f = s->finding;
    const struct program *p = f->interleaving.program;
    const struct run *x = &f->interleaving.runs[a];
    const struct run *y = &f->interleaving.runs[b];
    for (size_t i = 0; i < x->readings.n; i++)
        for (size_t j = 0; j < y->changes.all.n; j++) {
            const struct run_read *r = &x->readings.at[i];
            const struct change *c = &y->changes.all.at[j];
            if (r->table != c->table)
                continue;
            const struct datum *row = changes_row(&y->changes, j);
            if (r->whole ? c->kind != CHANGE_UPDATE
                         : dataset_same_key(&p->tables.at[r->table],
                                            x->values.at + r->row, row))
                add_edge(s, a, b, r, c, row);
        }
}

void
story_find_edges(struct story *s)
{
    const struct finding *f = s->finding;
    for (uint32_t a = 0; a < f->n; a++)
        for (uint32_t b = 0; b < f->n; b++)
            if (a != b && !saw(f, a, b))
                find_between(s, a, b);
}

/* Whether b has an edge between the same functions in the same lines. */
static bool
has_edge(const struct story *b, const struct story *a,
         const struct story_edge *e)
{
    const struct instance *x = a->finding->members, *y = b->finding->members;
    for (size_t i = 0; i < b->edges.n; i++) {
        const struct story_edge *o = &b->edges.at[i];
        if (x[e->from].function == y[o->from].function &&
            x[e->to].function == y[o->to].function &&
            e->read_line == o->read_line && e->write_line == o->write_line)
            return true;
    }
    return false;
}

/* How many members run the function. */
static uint32_t
count_members(const struct finding *f, const struct function *function)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->n; i++)
        n += f->members[i].function == function;
    return n;
}

bool
story_same(const struct story *a, const struct story *b)
{
    if (a->finding->n != b->finding->n)
        return false;
    for (uint32_t i = 0; i < a->finding->n; i++) {
        const struct function *f = a->finding->members[i].function;
        if (count_members(a->finding, f) != count_members(b->finding, f))
            return false;
    }
    for (size_t i = 0; i < a->edges.n; i++)
        if (!has_edge(b, a, &a->edges.at[i]))
            return false;
    for (size_t i = 0; i < b->edges.n; i++)
        if (!has_edge(a, b, &b->edges.at[i]))
            return false;
    return true;
}
