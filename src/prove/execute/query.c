/* query.c -- the rows of a query: every combination of rows, filtered, sorted.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/execute/runner.h"

#include <string.h>

/* A row of the result with what it is sorted by. */
struct candidate {
    struct datum *cells, *order;
    const struct datum **rows; // of each source
};

struct collecting {
    struct runner *r;
    const struct query *q;
    VEC(struct candidate) rows;
    struct datum *totals;     // of the aggregates
    VEC(struct datum) * seen; // values of DISTINCT aggregates
};

static int
compare_data(struct datum a, struct datum b)
{
    if (a.null || b.null)
        return a.null - b.null; // NULL is largest
    return (a.number > b.number) - (a.number < b.number);
}

static int
compare_candidates(const struct query *q, const struct candidate *a,
                   const struct candidate *b)
{
    for (uint32_t i = 0; i < q->n_order; i++) {
        const int c = compare_data(a->order[i], b->order[i]);
        if (c)
            return q->order[i].descending ? -c : c;
    }
    return 0;
}

static bool
same_cells(const struct query *q, const struct candidate *a,
           const struct candidate *b)
{
    for (uint32_t i = 0; i < q->n_targets; i++)
        if (!datum_equal(a->cells[i], b->cells[i]))
            return false;
    return true;
}

/* Whether a DISTINCT aggregate has had this value; if not, it has now. */
static bool
seen_before(struct collecting *c, uint32_t aggregate, struct datum d)
{
    for (size_t i = 0; i < c->seen[aggregate].n; i++)
        if (datum_equal(c->seen[aggregate].at[i], d))
            return true;
    vec_push(&c->seen[aggregate], d);
    return false;
}

static void
add_to_aggregate(struct collecting *c, uint32_t i)
{
    const struct aggregate *a = &c->q->aggregates[i];
    struct datum *total = &c->totals[i];
    const struct datum d = a->arg ? runner_evaluate(c->r, a->arg)
                                  : (struct datum){1, false, false};
    if (d.opaque && (a->distinct || a->kind >= AGGREGATE_MIN))
        runner_give_up(c->r);
    if (d.null || (a->distinct && seen_before(c, i, d)))
        return;
    const bool first = total->null;
    total->null = false;
    switch (a->kind) {
    case AGGREGATE_COUNT:
        total->number++;
        break;
    case AGGREGATE_SUM:
        total->opaque = total->opaque || d.opaque;
        if (__builtin_add_overflow(total->number, d.number, &total->number))
            runner_abort(c->r);
        break;
    case AGGREGATE_MIN:
    case AGGREGATE_ALL:
        if (first || d.number < total->number)
            total->number = d.number;
        break;
    case AGGREGATE_MAX:
    case AGGREGATE_ANY:
        if (first || d.number > total->number)
            total->number = d.number;
        break;
    }
}

static void
lock_rows(struct collecting *c, const struct candidate *row)
{
    struct runner *r = c->r;
    for (uint32_t i = 0; c->q->lock && i < c->q->n_sources; i++) {
        const uint32_t table =
            r->instance->function->source_tables[c->q->sources[i]];
        const struct lock_held lock = {table, c->q->lock, r->out->values.n};
        for (uint32_t j = 0; j < r->mine.tables[table].width; j++)
            vec_push(&r->out->values, row->rows[i][j]);
        vec_push(&r->out->locks, lock);
    }
}

/* Evaluate the targets for the rows that are bound. */
static struct candidate
make_candidate(struct collecting *c)
{
    struct runner *r = c->r;
    const struct query *q = c->q;
    struct candidate row = {
        arena_alloc(&r->arena, (q->n_targets + 1) * sizeof(struct datum)),
        arena_alloc(&r->arena, (q->n_order + 1) * sizeof(struct datum)),
        arena_alloc(&r->arena, (q->n_sources + 1) * sizeof *row.rows)};
    for (uint32_t i = 0; i < q->n_sources; i++)
        row.rows[i] = r->bound[q->sources[i]];
    for (uint32_t i = 0; i < q->n_targets; i++)
        row.cells[i] = runner_evaluate(r, q->targets[i].value);
    for (uint32_t i = 0; i < q->n_order; i++) {
        row.order[i] = runner_evaluate(r, q->order[i].by);
        if (row.order[i].opaque)
            runner_give_up(r);
    }
    for (uint32_t i = 0; q->distinct && i < q->n_targets; i++)
        if (row.cells[i].opaque)
            runner_give_up(r);
    return row;
}

static void
take_combination(struct collecting *c)
{
    struct runner *r = c->r;
    const struct query *q = c->q;
    if (!runner_holds(r, q->where))
        return;
    for (uint32_t i = 0; i < q->n_sources; i++)
        runner_note_row(r, r->statement,
                        r->instance->function->source_tables[q->sources[i]],
                        r->bound[q->sources[i]], q->lock != LOCK_NONE);
    struct candidate row = {0};
    if (!q->n_aggregates)
        row = make_candidate(c);
    if (r->waited && q->lock && q->n_sources == 1) {
        // The row was chosen and sorted as it was; it is tested and read again
        // as it is.
        const uint32_t s = q->sources[0];
        const uint32_t table = r->instance->function->source_tables[s];
        const size_t now = runner_find_again(r, table, r->bound[s]);
        if (now == SIZE_MAX)
            return;
        row.rows[0] = r->bound[s] = dataset_row(&r->fresh, table, now);
        if (!runner_holds(r, q->where))
            return;
        for (uint32_t i = 0; i < q->n_targets; i++)
            row.cells[i] = runner_evaluate(r, q->targets[i].value);
    }
    for (uint32_t i = 0; i < q->n_aggregates; i++)
        add_to_aggregate(c, i);
    if (!q->n_aggregates)
        vec_push(&c->rows, row);
}

/* Bind every combination of rows in turn. */
static void
combine(struct collecting *c)
{
    struct runner *r = c->r;
    const struct query *q = c->q;
    size_t *at = arena_alloc(&r->arena, (q->n_sources + 1) * sizeof *at);
    memset(at, 0, (q->n_sources + 1) * sizeof *at);
    uint32_t depth = 0;
    for (;;) {
        if (r->failed)
            return;
        if (depth == q->n_sources) {
            take_combination(c);
            if (!depth)
                return;
            depth--;
            at[depth]++;
            continue;
        }
        const uint32_t s = q->sources[depth];
        const uint32_t table = r->instance->function->source_tables[s];
        if (at[depth] < r->mine.tables[table].n) {
            r->bound[s] = dataset_row(&r->mine, table, at[depth]);
            at[++depth] = 0;
        } else if (depth) {
            depth--;
            at[depth]++;
        } else {
            return;
        }
    }
}

/* Insertion sort, which is stable: ties stay in the order of keys. */
static void
sort(struct collecting *c)
{
    for (size_t i = 1; i < c->rows.n; i++) {
        const struct candidate row = c->rows.at[i];
        size_t j = i;
        for (; j && compare_candidates(c->q, &row, &c->rows.at[j - 1]) < 0; j--)
            c->rows.at[j] = c->rows.at[j - 1];
        c->rows.at[j] = row;
    }
}

static void
remove_duplicates(struct collecting *c)
{
    size_t kept = 0;
    for (size_t i = 0; i < c->rows.n; i++) {
        bool again = false;
        for (size_t j = 0; j < kept && !again; j++)
            again = same_cells(c->q, &c->rows.at[i], &c->rows.at[j]);
        if (!again)
            c->rows.at[kept++] = c->rows.at[i];
    }
    c->rows.n = kept;
}

static void
aggregate_row(struct collecting *c, struct result *out)
{
    struct runner *r = c->r;
    const struct datum *outer = r->aggregates;
    r->aggregates = c->totals;
    out->n = 1;
    out->cells =
        arena_alloc(&r->arena, (c->q->n_targets + 1) * sizeof *out->cells);
    for (uint32_t i = 0; i < c->q->n_targets; i++)
        out->cells[i] = runner_evaluate(r, c->q->targets[i].value);
    r->aggregates = outer;
}

static void
plain_rows(struct collecting *c, struct result *out)
{
    const struct query *q = c->q;
    sort(c);
    if (q->distinct)
        remove_duplicates(c);
    for (size_t i = 1; i < c->rows.n; i++)
        if (compare_candidates(q, &c->rows.at[0], &c->rows.at[i]) == 0 &&
            !same_cells(q, &c->rows.at[0], &c->rows.at[i]))
            out->tied = true;
    out->n = q->limit >= 0 && c->rows.n > (size_t)q->limit ? (size_t)q->limit
                                                           : c->rows.n;
    out->cells = arena_alloc(&c->r->arena,
                             (out->n * q->n_targets + 1) * sizeof *out->cells);
    for (size_t i = 0; i < out->n; i++) {
        memcpy(out->cells + i * q->n_targets, c->rows.at[i].cells,
               q->n_targets * sizeof *out->cells);
        lock_rows(c, &c->rows.at[i]);
    }
}

void
runner_query(struct runner *r, const struct query *q, struct result *out)
{
    struct collecting c = {.r = r, .q = q};
    *out = (struct result){.width = q->n_targets};
    c.totals = arena_alloc(&r->arena, (q->n_aggregates + 1) * sizeof *c.totals);
    c.seen = mem_calloc(q->n_aggregates + 1, sizeof *c.seen);
    for (uint32_t i = 0; i < q->n_aggregates; i++)
        c.totals[i] =
            (struct datum){0, q->aggregates[i].kind != AGGREGATE_COUNT, false};
    combine(&c);
    for (uint32_t i = 0; i < q->n_sources; i++)
        runner_note_condition(r, r->statement, q, q->sources[i], q->where);
    if (q->n_aggregates)
        aggregate_row(&c, out);
    else
        plain_rows(&c, out);
    for (uint32_t i = 0; i < q->n_aggregates; i++)
        vec_free(&c.seen[i]);
    mem_free(c.seen);
    vec_free(&c.rows);
}
