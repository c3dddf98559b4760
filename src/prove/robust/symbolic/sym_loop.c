/* sym_loop.c -- what runs any number of times, in abstract runs.
 *
 * A cycle of dependencies has at most two edges at a transaction, and each is
 * about one read.  So of all iterations of a loop (or rows of an INSERT ..
 * SELECT) two are run, those in which these reads are; which ones that are is
 * left to the solver.  Before, between and after them are any number of others
 * that are skipped.  Of these nothing is known but which columns of which
 * tables their statements write, which rows they may lock, and which variables
 * they assign: all of that has unknown values afterwards, among them those that
 * it really has.  What a skipped iteration inserts was not there, and what it
 * changes or deletes was.
 *
 * A loop names any number of keys, so none of them need be a slot's.  A loop
 * over rows that is not left early has an iteration for every slot that
 * matches; these are run, too, where they are few.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/robust/symbolic/runs.h"

#include "prove/program/access.h"

#include <string.h>

/* More slots than this are not shown one by one. */
enum { MOST_SLOTS = 4 };

/* The row that 'pick' says, and whether it is one. */
static const struct symbol *
picked_row(struct sym_runner *r, const struct sym_rows *rows, term pick,
           term *is_one)
{
    struct terms *t = r->t;
    struct symbol *some =
        arena_alloc(&r->s->arena, (rows->width + 1) * sizeof *some);
    *is_one = t->no;
    for (uint32_t i = 0; i < rows->n; i++) {
        const term picked = term_equal(t, pick, term_number(t, i));
        *is_one = term_or(t, *is_one, term_and(t, picked, rows->match[i]));
        for (uint32_t j = 0; j < rows->width; j++) {
            const struct symbol cell = rows->cells[i * rows->width + j];
            some[j] = i ? symbol_if(t, picked, cell, some[j]) : cell;
        }
    }
    for (uint32_t j = 0; !rows->n && j < rows->width; j++)
        some[j] = (struct symbol){t->yes, term_number(t, 0), NULL};
    return some;
}

const struct symbol *
sym_some_row(struct sym_runner *r, const struct sym_rows *rows, term *is_one)
{
    return picked_row(r, rows, term_fresh(r->t, "pick", false), is_one);
}

/* How many slots the rows of a loop are, if there is an iteration for each that
 * matches: the loop is not left early.  Of an interrupted transaction too many
 * steps would come of it, and of many slots too large a formula. */
static uint32_t
slots_to_show(const struct sym_runner *r, const struct statement *s)
{
    const struct query *q = s->query;
    if (r->views->after || q->n_sources != 1 || q->n_aggregates ||
        block_has(&s->body, STATEMENT_EXIT) ||
        block_has(&s->body, STATEMENT_RETURN))
        return 0;
    const uint32_t n = r->s->slots[r->function->source_tables[q->sources[0]]];
    return n <= MOST_SLOTS ? n : 0;
}

/* The rows of a query, with several that stand for the rest. */
static struct sym_rows
query_rows(struct sym_runner *r, const struct query *q)
{
    struct sym_rows one, all = {.width = q->n_targets};
    for (uint32_t i = 0; i < SYM_SHOWN; i++) {
        sym_query(r, q, false, &one);
        if (!i) {
            const size_t most = (size_t)one.n * SYM_SHOWN;
            all.match =
                arena_alloc(&r->s->arena, (most + 1) * sizeof *all.match);
            all.cells = arena_alloc(&r->s->arena,
                                    (most * all.width + 1) * sizeof *all.cells);
        }
        memcpy(all.match + all.n, one.match, one.n * sizeof *one.match);
        memcpy(all.cells + (size_t)all.n * all.width, one.cells,
               (size_t)one.n * one.width * sizeof *one.cells);
        all.n += one.n;
    }
    return all;
}

static void
repeat_for(struct sym_runner *r, const struct statement *s, struct loop *loop)
{
    struct terms *t = r->t;
    const uint32_t slots = slots_to_show(r, s);
    const bool outer = r->repeats;
    term covered[MOST_SLOTS];
    sym_begin_query(r, s);
    const struct sym_rows rows = query_rows(r, s->query);
    for (uint32_t j = 0; j < slots; j++)
        covered[j] = term_not(t, term_and(t, r->live, rows.match[j]));
    sym_set_null(r, s);
    // Where the key is named, there are no other rows.
    const bool all = slots && rows.n == slots * SYM_SHOWN;
    r->repeats = true;
    for (uint32_t i = 0; i < slots + (all ? 0 : SYM_SHOWN); i++) {
        if (!all)
            sym_skip(r, s);
        const term pick = term_fresh(t, "pick", false), live = r->live;
        term is_one;
        const struct symbol *row = picked_row(r, &rows, pick, &is_one);
        r->live = term_and(t, live, is_one);
        for (uint32_t j = 0; j < s->n_into; j++)
            sym_set(r, s->into[j], row[j]);
        r->live = live;
        for (uint32_t j = 0; j < slots; j++)
            covered[j] = term_or(
                t, covered[j],
                term_and(t, is_one, term_equal(t, pick, term_number(t, j))));
        sym_iterate(r, s, is_one, loop);
    }
    if (!all)
        sym_skip(r, s);
    for (uint32_t j = 0; j < slots; j++)
        term_assert(t, covered[j]);
    r->repeats = outer;
    r->live = term_or(t, r->live, loop->exits);
    sym_set_found(r, sym_any(r, &rows));
}

static void
repeat_range(struct sym_runner *r, const struct statement *s, struct loop *loop)
{
    struct terms *t = r->t;
    const bool outer = r->repeats;
    struct symbol low = sym_evaluate_alone(r, s, s->low);
    struct symbol high = sym_evaluate_alone(r, s, s->high);
    if (s->reverse) {
        const struct symbol swap = low;
        low = high;
        high = swap;
    }
    sym_abort_if(r, term_or(t, low.null, high.null));
    if (s->step)
        sym_evaluate_alone(r, s, s->step);
    r->repeats = true;
    for (uint32_t i = 0; i < SYM_SHOWN; i++) {
        sym_skip(r, s);
        const term at = term_fresh(t, "at", false);
        const term inside = term_and(t, term_at_most(t, low.value, at),
                                     term_at_most(t, at, high.value));
        sym_set(r, s->variable, (struct symbol){t->no, at, NULL});
        sym_iterate(r, s, inside, loop);
    }
    sym_skip(r, s);
    r->repeats = outer;
    r->live = term_or(t, r->live, loop->exits);
    sym_set_found(r, term_at_most(t, low.value, high.value));
}

/* Whether the condition of a WHILE holds. */
static term
goes_on(struct sym_runner *r, const struct statement *s)
{
    struct terms *t = r->t;
    if (!s->value)
        return t->yes;
    const struct symbol x = sym_evaluate_alone(r, s, s->value);
    return term_and(t, term_not(t, x.null), x.value);
}

static void
repeat_while(struct sym_runner *r, const struct statement *s, struct loop *loop)
{
    struct terms *t = r->t;
    const bool outer = r->repeats;
    r->repeats = true;
    for (uint32_t i = 0; i < SYM_SHOWN; i++) {
        sym_skip(r, s);
        const term live = r->live, shown = term_fresh(t, "shown", true);
        r->live = term_and(t, live, shown);
        const term enters = term_and(t, shown, goes_on(r, s));
        r->live = live;
        sym_iterate(r, s, enters, loop);
    }
    sym_skip(r, s);
    const term exited =
        block_has(&s->body, STATEMENT_EXIT)
            ? term_and(t, r->live, term_fresh(t, "exited", true))
            : t->no;
    r->live = term_and(t, r->live, term_not(t, exited));
    const term more = goes_on(r, s);
    r->repeats = outer;
    r->live = term_and(t, r->live, term_not(t, more));
    r->live = term_or(t, r->live, term_or(t, exited, loop->exits));
}

void
sym_repeat(struct sym_runner *r, const struct statement *s)
{
    struct loop loop = {r->t->no, r->t->no};
    assert(r->s->abstract && statement_is_loop(s));
    if (s->kind == STATEMENT_FOR)
        repeat_for(r, s, &loop);
    else if (s->kind == STATEMENT_RANGE)
        repeat_range(r, s, &loop);
    else
        repeat_while(r, s, &loop);
}

static uint32_t
count_steps(const struct program *p, const struct statement *s)
{
    const uint32_t body = sym_steps(p, &s->body), skips = SYM_SHOWN + 1;
    switch (s->kind) {
    case STATEMENT_SELECT:
    case STATEMENT_ROWS:
    case STATEMENT_UPDATE:
    case STATEMENT_DELETE:
        return 1;
    case STATEMENT_INSERT:
        return sym_insert_steps(p, s);
    case STATEMENT_FOR:
        return 1 + skips + SYM_SHOWN * body;
    case STATEMENT_RANGE:
        return (uint32_t)expr_has_query(s->low) + expr_has_query(s->high) +
               expr_has_query(s->step) + skips + SYM_SHOWN * body;
    case STATEMENT_WHILE:
        return expr_has_query(s->value) * skips + skips + SYM_SHOWN * body;
    default:
        return expr_has_query(s->value) + body + sym_steps(p, &s->other);
    }
}

uint32_t
sym_steps(const struct program *p, const struct block *b)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->n; i++)
        n += count_steps(p, b->at[i]);
    return n;
}
