/* sym_cycle.c -- see sym_cycle.h.
 *
 * Where one member P is delayed or interrupted, P comes first, then the others
 * as they run, each depending on the one before it, and P on the last.  Other
 * sequences are tried for themselves.  Where members see some of those before
 * them, any order around the cycle will do.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/robust/search/sym_cycle.h"

#include "prove/robust/proof/edges.h"

struct ends {
    struct edge_end at[INTERLEAVING_MOST];
    struct contents before[INTERLEAVING_MOST], after[INTERLEAVING_MOST];
};

/* The states before and after each member in the order of commits. */
static void
find_ends(const struct sym_cycle *c, struct ends *e)
{
    struct contents now = *c->initial;
    for (uint32_t i = 0; i < c->n; i++) {
        const uint32_t m = c->shape == SHAPE_INTERRUPTED ? (i + 1) % c->n : i;
        e->before[m] = now;
        now = contents_after(c->symbolic, &now, &c->runs[m],
                             c->symbolic->terms->yes);
        e->after[m] = now;
        e->at[m] = (struct edge_end){&c->runs[m], &e->before[m], &e->after[m]};
    }
}

/* a comes before b, which sees it where 'sees' holds. */
static term
forward(const struct sym_cycle *c, const struct edge_end *a,
        const struct edge_end *b, term sees)
{
    struct terms *t = c->symbolic->terms;
    const term read = term_and(t, sees, edge_wr(c->symbolic, a, b, READS_ALL));
    return term_or(t, read,
                   term_or(t, edge_ww(c->symbolic, a, b),
                           edge_rw(c->symbolic, a, READS_ALL, b)));
}

/* P depends on the last of the others, and the first of them on P. */
static term
cycle_through_p(const struct sym_cycle *c, const struct ends *e)
{
    struct terms *t = c->symbolic->terms;
    const bool interrupted = c->shape == SHAPE_INTERRUPTED;
    const uint32_t p = interrupted ? 0 : c->n - 1;
    const uint32_t first = interrupted ? 1 : 0, last = first + c->n - 2;
    term all = edge_rw(c->symbolic, &e->at[p], READS_EARLY, &e->at[first]);
    for (uint32_t i = first; i < last; i++)
        all = term_and(t, all, forward(c, &e->at[i], &e->at[i + 1], t->yes));
    const struct edge_end *y = &e->at[last];
    term end = term_or(t, edge_rw(c->symbolic, y, READS_ALL, &e->at[p]),
                       edge_ww(c->symbolic, y, &e->at[p]));
    if (interrupted)
        end = term_or(t, end, edge_wr(c->symbolic, y, &e->at[p], READS_LATE));
    return term_and(t, all, end);
}

/* Any order around the cycle that begins with member 0. */
static term
cycle_around(const struct sym_cycle *c, const struct ends *e)
{
    struct terms *t = c->symbolic->terms;
    term edge[INTERLEAVING_MOST][INTERLEAVING_MOST];
    for (uint32_t a = 0; a < c->n; a++)
        for (uint32_t b = 0; b < c->n; b++) {
            if (a < b)
                edge[a][b] = forward(c, &e->at[a], &e->at[b], c->visible[b][a]);
            if (a > b)
                edge[a][b] = term_and(
                    t, term_not(t, c->visible[a][b]),
                    edge_rw(c->symbolic, &e->at[a], READS_ALL, &e->at[b]));
        }
    uint32_t order[INTERLEAVING_MOST];
    for (uint32_t i = 0; i < c->n; i++)
        order[i] = i;
    term any = t->no;
    do {
        term all = t->yes;
        for (uint32_t i = 0; i < c->n; i++)
            all = term_and(t, all, edge[order[i]][order[(i + 1) % c->n]]);
        any = term_or(t, any, all);
    } while (interleaving_next_order(order + 1, c->n - 1));
    return any;
}

term
sym_cycle(const struct sym_cycle *c)
{
    struct ends e = {0};
    assert(c->symbolic->notes_reads && c->n >= 2);
    find_ends(c, &e);
    return c->shape == SHAPE_VISIBLE ? cycle_around(c, &e)
                                     : cycle_through_p(c, &e);
}
