/* dependency.c -- see dependency.h.
 *
 * What a member saw of a row and what the row was right after another member
 * had committed are two states of the tables, and each state is the initial
 * one with the changes of a set of members ('states', made when needed).
 *
 * Where a member read a row that it had changed itself, what it had set says
 * nothing of others.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/robust/anomaly/dependency.h"

#include "prove/execute/match.h"
#include "prove/robust/anomaly/recording.h"

#include <string.h>

enum { STATES = 1 << INTERLEAVING_MOST };

const char *const dependency_names[] = {
    [DEPENDENCY_WR] = "wr", [DEPENDENCY_WW] = "ww", [DEPENDENCY_RW] = "rw"};

struct graph {
    struct recording recording; // only who saw whom
    const struct finding *f;
    const struct program *program;
    uint32_t place[INTERLEAVING_MOST]; // in the order of commits
    struct dataset *states[STATES];    // after the changes of these members
    bool has[INTERLEAVING_MOST][INTERLEAVING_MOST];
    struct dependency edges[INTERLEAVING_MOST][INTERLEAVING_MOST];
};

/* What a member read: a condition, a row, or what a constraint looks for. */
struct reader {
    uint32_t member, line, table;
    const struct match *match;       // NULL: no condition
    const struct checking *checking; // NULL: no constraint
    const struct datum *key;         // NULL: any row
    uint32_t seen;
    uint32_t older; // of a statement that waited: what it chose rows in
    bool waited;
    size_t changes; // of its own that came before
    uint64_t used;
};

static const struct dataset *
state_of(struct graph *g, uint32_t members)
{
    if (!g->states[members]) {
        struct dataset *d = mem_calloc(1, sizeof *d);
        dataset_init(d, g->program);
        dataset_copy(d, &g->f->initial);
        for (uint32_t i = 0; i < g->f->n; i++) {
            const uint32_t m = recording_member(&g->recording, i);
            if (members >> m & 1)
                changes_apply(&g->f->interleaving.runs[m].changes, d);
        }
        g->states[members] = d;
    }
    return g->states[members];
}

/* The row of a key in a state, or NULL. */
static const struct datum *
row_in(struct graph *g, uint32_t members, uint32_t table,
       const struct datum *key)
{
    const struct dataset *d = state_of(g, members);
    const size_t at = dataset_find(d, table, key);
    return at == SIZE_MAX ? NULL : dataset_row(d, table, at);
}

/* Those who committed before the member, or up to it. */
static uint32_t
until(const struct graph *g, uint32_t member, bool with)
{
    uint32_t members = with ? 1u << member : 0;
    for (uint32_t i = 0; i < g->f->n; i++)
        if (g->place[i] < g->place[member])
            members |= 1u << i;
    return members;
}

static void
add(struct graph *g, const struct dependency *d)
{
    if (d->from == d->to || g->has[d->from][d->to])
        return;
    g->has[d->from][d->to] = true;
    g->edges[d->from][d->to] = *d;
}

/* What the reader has made of the row before it read it; false: nothing. */
static bool
own_change(const struct graph *g, const struct reader *r,
           const struct datum *row, struct change *out)
{
    return changes_until(&g->f->interleaving.runs[r->member].changes,
                         g->program, r->changes, r->table, row, out);
}

/* Whether another row, as the reader has changed it, satisfies the condition
 * and comes first. */
static bool
is_first(const struct graph *g, const struct reader *r, const struct datum *row,
         const struct datum *other)
{
    const struct changes *c = &g->f->interleaving.runs[r->member].changes;
    const uint32_t n = g->program->tables.at[r->table].n_columns;
    struct datum mine[64]; // columns are bits
    struct change own;
    assert(n <= sizeof mine / sizeof *mine);
    const bool is_own = own_change(g, r, other, &own);
    if (is_own && own.kind == CHANGE_DELETE)
        return false;
    for (uint32_t i = 0; i < n; i++)
        mine[i] = is_own && (own.kind == CHANGE_INSERT || own.columns >> i & 1)
                      ? c->cells.at[own.row + i]
                      : other[i];
    return match_holds(r->match, mine) && match_is_behind(r->match, row, mine);
}

/* Whom the reader saw when it read the row.  After a wait a statement reads the
 * rows again that it has chosen, and no others. */
static uint32_t
seen_of(const struct graph *g, const struct reader *r, const struct datum *row)
{
    const struct run *run = &g->f->interleaving.runs[r->member];
    return r->waited && !recording_was_chosen(&g->recording, run,
                                              r->match->reading, row)
               ? r->older
               : r->seen;
}

/* Whether one of the rows that the reader saw as these members left them
 * satisfies the condition and comes first. */
static bool
is_behind_seen(struct graph *g, const struct reader *r, const struct datum *row,
               uint32_t members)
{
    const struct dataset *d = state_of(g, members);
    for (size_t i = 0; i < d->tables[r->table].n; i++) {
        const struct datum *other = dataset_row(d, r->table, i);
        if (seen_of(g, r, other) == members && is_first(g, r, row, other))
            return true;
    }
    return false;
}

/* Whether there is a row that satisfies the condition and comes first: one that
 * the reader saw of others, or has made. */
static bool
is_behind_another(struct graph *g, const struct reader *r,
                  const struct datum *row)
{
    const struct changes *c = &g->f->interleaving.runs[r->member].changes;
    if (is_behind_seen(g, r, row, r->seen) ||
        (r->waited && r->older != r->seen &&
         is_behind_seen(g, r, row, r->older)))
        return true;
    for (size_t i = 0; i < r->changes; i++) {
        const struct change *x = &c->log.at[i];
        struct change own;
        if (x->table == r->table && x->kind == CHANGE_INSERT &&
            own_change(g, r, c->cells.at + x->row, &own) &&
            is_first(g, r, row, c->cells.at + x->row))
            return true;
    }
    return false;
}

/* Whether the row is one that the reader is about. */
static bool
counts(struct graph *g, const struct reader *r, const struct datum *row)
{
    if (!row)
        return false;
    if (r->match)
        return match_holds(r->match, row) && !is_behind_another(g, r, row);
    const struct checking *c = r->checking;
    const struct datum *values =
        g->f->interleaving.runs[r->member].values.at + (c ? c->row : 0);
    for (uint32_t i = 0; c && c->columns && i < c->columns->n; i++) {
        const struct datum a = row[c->columns->at[i]], b = values[c->of->at[i]];
        if (a.null || b.null || a.number != b.number)
            return false;
    }
    return true;
}

/* Columns that a change sets, as bits. */
static uint64_t
columns_of(const struct change *c)
{
    return c->kind == CHANGE_UPDATE   ? c->columns
           : c->kind == CHANGE_INSERT ? UINT64_MAX
                                      : 0;
}

/* What r's member read, and w changed in a row. */
static void
relate(struct graph *g, const struct reader *r, uint32_t w,
       const struct change *c, const struct datum *key)
{
    struct change own = {.columns = 0};
    const uint32_t seen = seen_of(g, r, key);
    if (own_change(g, r, key, &own) && own.kind != CHANGE_UPDATE)
        return;
    const uint64_t mine = own.columns;
    const uint64_t used = r->used & columns_of(c) & ~mine;
    const bool fixed = r->match && (match_condition(r->match) & mine);
    const struct datum *saw = row_in(g, seen, r->table, key);
    const struct datum *before = row_in(g, until(g, w, false), r->table, key);
    const struct datum *after = row_in(g, until(g, w, true), r->table, key);
    const bool s = counts(g, r, saw), b = counts(g, r, before),
               a = counts(g, r, after);
    if (!(seen >> w & 1)) {
        if ((s != a && !fixed) || (s && a && used))
            add(g, &(struct dependency){DEPENDENCY_RW, r->member, w, r->line,
                                        c->line, r->table, key});
        return;
    }
    bool same = false; // a column is as w left it
    for (uint32_t i = 0;
         s && a && i < g->program->tables.at[r->table].n_columns; i++)
        same = same || (used >> i & 1 && datum_equal(saw[i], after[i]));
    if ((b != a && a == s && !fixed) || same)
        add(g, &(struct dependency){DEPENDENCY_WR, w, r->member, c->line,
                                    r->line, r->table, key});
}

static void
relate_all(struct graph *g, const struct reader *r)
{
    const struct table *t = &g->program->tables.at[r->table];
    for (uint32_t w = 0; w < g->f->n; w++) {
        const struct changes *c = &g->f->interleaving.runs[w].changes;
        for (size_t i = 0; w != r->member && i < c->all.n; i++) {
            const struct datum *row = changes_row(c, i);
            if (c->all.at[i].table == r->table &&
                (!r->key || dataset_same_key(t, r->key, row)))
                relate(g, r, w, &c->all.at[i], row);
        }
    }
}

/* Whether a condition of the same step tells more about the row. */
static bool
is_covered(const struct run *run, const struct run_read *x)
{
    for (size_t i = 0; i < run->readings.n; i++) {
        const struct run_read *y = &run->readings.at[i];
        if (y->condition && y->step == x->step && y->table == x->table)
            return true;
    }
    return false;
}

static void
add_readings(struct graph *g, uint32_t member)
{
    const struct instance *instance = &g->f->members[member];
    const struct run *run = &g->f->interleaving.runs[member];
    const struct interleaving *e = &g->f->interleaving;
    for (size_t i = 0; i < run->readings.n; i++) {
        const struct run_read *x = &run->readings.at[i];
        const struct match m = {g->program, instance, run, x};
        struct reader r = {.member = member,
                           .line = x->statement->line,
                           .table = x->table,
                           .match = x->condition ? &m : NULL,
                           .key = x->whole ? NULL : run->values.at + x->row,
                           .changes = x->changes,
                           .used = x->condition ? match_used(&m) : UINT64_MAX};
        if (!x->condition && is_covered(run, x))
            continue;
        r.seen = recording_seen(&g->recording, member, x->step);
        r.older = r.seen & ~(1u << (g->f->n - 1));
        r.waited = x->condition && g->f->shape == SHAPE_INTERRUPTED &&
                   !member && e->waits && x->step == e->split;
        relate_all(g, &r);
    }
}

static void
add_checkings(struct graph *g, uint32_t member)
{
    const struct run *run = &g->f->interleaving.runs[member];
    for (size_t i = 0; i < run->checkings.n; i++) {
        const struct checking *c = &run->checkings.at[i];
        const struct datum *row = run->values.at + c->row;
        struct reader r = {.member = member,
                           .line = c->line,
                           .table = c->table,
                           .checking = c,
                           .key = c->columns ? NULL : row,
                           .changes = c->changes};
        r.seen = recording_seen(&g->recording, member, c->step);
        for (size_t k = 0; k < run->refused.n; k++)
            if (!c->columns && run->refused.at[k].table == c->table &&
                dataset_same_key(&g->program->tables.at[c->table], row,
                                 run->values.at + run->refused.at[k].row))
                r.used = UINT64_MAX; // ON CONFLICT has met it
        relate_all(g, &r);
    }
}

/* Members a and b, of which b committed later, changed the same. */
static void
add_writes(struct graph *g, uint32_t a, uint32_t b)
{
    const struct changes *x = &g->f->interleaving.runs[a].changes;
    const struct changes *y = &g->f->interleaving.runs[b].changes;
    for (size_t i = 0; i < x->all.n; i++)
        for (size_t j = 0; j < y->all.n; j++) {
            const struct change *c = &x->all.at[i], *d = &y->all.at[j];
            const struct datum *row = changes_row(x, i);
            if (c->table != d->table ||
                !dataset_same_key(&g->program->tables.at[c->table], row,
                                  changes_row(y, j)))
                continue;
            if ((c->kind != CHANGE_UPDATE && d->kind != CHANGE_UPDATE) ||
                (columns_of(c) & columns_of(d)))
                add(g, &(struct dependency){DEPENDENCY_WW, a, b, c->line,
                                            d->line, c->table, row});
        }
}

/* The shortest way from a member back to itself, breadth first. */
static uint32_t
find_cycle(const struct graph *g, uint32_t start,
           struct dependency out[INTERLEAVING_MOST])
{
    uint32_t from[INTERLEAVING_MOST], queue[INTERLEAVING_MOST + 1];
    uint32_t first = 0, last = 0, end = UINT32_MAX;
    bool met[INTERLEAVING_MOST] = {false};
    queue[last++] = start;
    while (first < last && end == UINT32_MAX) {
        const uint32_t a = queue[first++];
        for (uint32_t b = 0; b < g->f->n; b++) {
            if (!g->has[a][b])
                continue;
            if (b == start)
                end = a;
            else if (!met[b]) {
                met[b] = true;
                from[b] = a;
                queue[last++] = b;
            }
        }
    }
    if (end == UINT32_MAX)
        return 0;
    uint32_t n = 1;
    for (uint32_t a = end; a != start; a = from[a])
        n++;
    uint32_t to = start;
    for (uint32_t i = n, a = end; i-- > 0; to = a, a = i ? from[a] : a)
        out[i] = g->edges[a][to];
    assert(out[0].from == start && out[n - 1].to == start);
    return n;
}

uint32_t
dependency_cycle(const struct finding *f,
                 struct dependency out[INTERLEAVING_MOST])
{
    struct graph *g = mem_calloc(1, sizeof *g);
    g->f = f;
    g->program = f->interleaving.program;
    g->recording =
        (struct recording){.f = f, .p = g->program, .e = &f->interleaving};
    for (uint32_t i = 0; i < f->n; i++)
        g->place[recording_member(&g->recording, i)] = i;
    for (uint32_t i = 0; i < f->n; i++) {
        add_readings(g, i);
        add_checkings(g, i);
        for (uint32_t j = 0; j < f->n; j++)
            if (g->place[i] < g->place[j])
                add_writes(g, i, j);
    }
    uint32_t best = 0;
    for (uint32_t i = 0; i < f->n; i++) {
        struct dependency cycle[INTERLEAVING_MOST];
        const uint32_t n = find_cycle(g, i, cycle);
        if (n && (!best || n < best)) {
            best = n;
            memcpy(out, cycle, sizeof cycle);
        }
    }
    for (uint32_t i = 0; i < STATES; i++)
        if (g->states[i]) {
            dataset_free(g->states[i]);
            mem_free(g->states[i]);
        }
    mem_free(g);
    return best;
}
