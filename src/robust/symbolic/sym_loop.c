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
 * A loop names any number of keys, so none of them need be a slot's.
 *
 * SPDX-License-Identifier: MIT */
#include "robust/symbolic/runs.h"

#include "program/access.h"

#include <string.h>

/* What statements may do to a table. */
struct doings {
    bool inserts, deletes;
    bool refuses; // ON CONFLICT
    bool locks, shares;
    uint64_t sets; // columns, as bits
};

static void
find_doings(const struct function *f, const struct statement *s, uint32_t table,
            struct doings *out)
{
    const struct query *q = s->query;
    for (uint32_t i = 0; q && q->lock && i < q->n_sources; i++)
        if (f->source_tables[q->sources[i]] == table) {
            out->locks |= q->lock == LOCK_UPDATE;
            out->shares |= q->lock == LOCK_SHARE;
        }
    const bool writes = s->kind == STATEMENT_UPDATE ||
                        s->kind == STATEMENT_DELETE ||
                        s->kind == STATEMENT_INSERT;
    if (writes && s->table == table) {
        out->inserts |= s->kind == STATEMENT_INSERT;
        out->deletes |= s->kind == STATEMENT_DELETE;
        out->refuses |= s->on_conflict != CONFLICT_ABORTS;
        out->sets |= sym_columns_set(s);
    }
}

static void
find_all_doings(const struct function *f, const struct block *b, uint32_t table,
                struct doings *out)
{
    for (uint32_t i = 0; i < b->n; i++) {
        find_doings(f, b->at[i], table, out);
        find_all_doings(f, &b->at[i]->body, table, out);
        find_all_doings(f, &b->at[i]->other, table, out);
    }
}

static term
maybe(struct sym_runner *r)
{
    return term_and(r->t, r->live, term_fresh(r->t, "skipped", true));
}

static struct symbol
any_value(struct sym_runner *r, const struct table *t, uint32_t column)
{
    return symbol_fresh(r->t, "skipped", t->columns[column].type,
                        t->columns[column].not_null);
}

/* Rows are inserted that were not there, changed where they are, deleted. */
static term
skip_writes(struct sym_runner *r, uint32_t table, uint32_t slot,
            const struct doings *d)
{
    struct terms *t = r->t;
    const struct table *shape = &r->s->program->tables.at[table];
    struct effect *e = &r->run->effects[table][slot];
    const term there = sym_row(r, table, slot)->alive;
    const term taken = sym_checked_row(r, table, slot)->alive;
    const term inserted = d->inserts ? maybe(r) : t->no;
    const term updated = d->sets ? maybe(r) : t->no;
    const term deleted = d->deletes ? maybe(r) : t->no;
    term_assert(t, term_implies(t, inserted, term_not(t, taken)));
    term_assert(t, term_implies(t, term_or(t, updated, deleted),
                                term_or(t, there, inserted)));
    for (uint32_t c = 0; d->inserts && c < shape->n_columns; c++)
        sym_write_column(r, e, c, inserted,
                         columns_have(&shape->primary, c)
                             ? r->views->before->rows[table][slot].columns[c]
                             : any_value(r, shape, c));
    e->fresh =
        term_or(t, e->fresh, term_and(t, inserted, term_not(t, e->sets_alive)));
    for (uint32_t c = 0; c < shape->n_columns; c++)
        if (d->sets >> c & 1)
            sym_write_column(r, e, c, term_and(t, updated, maybe(r)),
                             any_value(r, shape, c));
    e->alive =
        term_and(t, term_or(t, e->alive, inserted), term_not(t, deleted));
    e->sets_alive = term_or(t, e->sets_alive, term_or(t, inserted, deleted));
    return term_or(t, inserted, term_or(t, updated, deleted));
}

/* The same where rows are deleted that the transaction may have inserted
 * itself, of which no effect may be left: anything goes. */
static term
skip_anything(struct sym_runner *r, uint32_t table, uint32_t slot)
{
    struct terms *t = r->t;
    const struct table *shape = &r->s->program->tables.at[table];
    struct effect *e = &r->run->effects[table][slot];
    const term any = maybe(r);
    for (uint32_t c = 0; c < shape->n_columns; c++) {
        e->sets[c] =
            term_if(t, any, term_fresh(t, "skipped", true), e->sets[c]);
        if (!columns_have(&shape->primary, c))
            e->columns[c] =
                symbol_if(t, any, any_value(r, shape, c), e->columns[c]);
        else
            e->columns[c] = symbol_if(
                t, any, r->views->before->rows[table][slot].columns[c],
                e->columns[c]);
    }
    e->sets_alive =
        term_if(t, any, term_fresh(t, "skipped", true), e->sets_alive);
    e->alive = term_if(t, any, term_fresh(t, "skipped", true), e->alive);
    e->fresh = term_if(t, any, term_fresh(t, "skipped", true), e->fresh);
    e->locked = term_or(t, e->locked, maybe(r));
    return any;
}

/* Whatever the iterations do to the rows of a table; 'before' says whether it
 * is before the split. */
static void
skip_table(struct sym_runner *r, uint32_t table, const struct doings *d,
           term before)
{
    struct terms *t = r->t;
    struct doings all = {0};
    find_all_doings(r->function, &r->function->body, table, &all);
    for (uint32_t j = 0; j < r->s->slots[table]; j++) {
        struct effect *e = &r->run->effects[table][j];
        if (d->inserts || d->deletes || d->sets) {
            const term written = d->deletes && all.inserts
                                     ? skip_anything(r, table, j)
                                     : skip_writes(r, table, j, d);
            e->early = term_or(t, e->early, term_and(t, written, before));
        }
        if (d->refuses)
            e->refused = term_or(t, e->refused, maybe(r));
        if (d->locks) {
            const term locked = maybe(r);
            e->locked = term_or(t, e->locked, locked);
            e->early_locked =
                term_or(t, e->early_locked, term_and(t, locked, before));
        }
        if (d->shares) {
            const term shared = maybe(r);
            e->shared = term_or(t, e->shared, shared);
            e->early_shared =
                term_or(t, e->early_shared, term_and(t, shared, before));
        }
    }
}

static void
forget(struct sym_runner *r, uint32_t variable)
{
    sym_set(r, variable,
            symbol_fresh(r->t, "forgotten",
                         r->function->variables[variable].type, false));
}

static void
forget_assigned(struct sym_runner *r, const struct block *b)
{
    for (uint32_t i = 0; i < b->n; i++) {
        const struct statement *s = b->at[i];
        if (s->kind == STATEMENT_ASSIGN || s->kind == STATEMENT_RANGE)
            forget(r, s->variable);
        for (uint32_t k = 0; k < s->n_into; k++)
            forget(r, s->into[k]);
        forget_assigned(r, &s->body);
        forget_assigned(r, &s->other);
    }
}

static bool
has_kind(const struct block *b, enum statement_kind kind)
{
    for (uint32_t i = 0; i < b->n; i++)
        if (b->at[i]->kind == kind || has_kind(&b->at[i]->body, kind) ||
            has_kind(&b->at[i]->other, kind))
            return true;
    return false;
}

void
sym_skip(struct sym_runner *r, const struct statement *s)
{
    struct terms *t = r->t;
    assert(r->s->abstract && r->repeats);
    sym_begin(r, s, false);
    // The split may be in the midst of it.
    term before = r->is_early;
    if (r->views->after && !r->function->snapshot)
        before = term_or(
            t, before,
            term_and(t,
                     term_equal(t, r->views->split,
                                term_number(t, (int64_t)r->run->steps.n - 1)),
                     term_fresh(t, "before", true)));
    for (uint32_t i = 0; i < r->s->program->tables.n; i++) {
        struct doings d = {0};
        if (s->kind == STATEMENT_INSERT)
            find_doings(r->function, s, i, &d);
        else
            find_all_doings(r->function, &s->body, i, &d);
        skip_table(r, i, &d, before);
    }
    sym_forget_views(r);
    // It may have read what is new, or written rows that are no slots.
    r->run->writes_rest = term_or(t, r->run->writes_rest, maybe(r));
    if (s->kind == STATEMENT_INSERT)
        return;
    forget(r, function_found(r->function));
    for (uint32_t k = 0; k < s->n_into; k++)
        forget(r, s->into[k]);
    forget_assigned(r, &s->body);
    if (has_kind(&s->body, STATEMENT_RETURN))
        r->live = maybe(r);
}

const struct symbol *
sym_some_row(struct sym_runner *r, const struct sym_rows *rows, term *is_one)
{
    struct terms *t = r->t;
    const term pick = term_fresh(t, "pick", false);
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
        some[j] = (struct symbol){t->yes, term_number(t, 0)};
    return some;
}

static void
repeat_for(struct sym_runner *r, const struct statement *s, struct loop *loop)
{
    struct terms *t = r->t;
    struct sym_rows rows[SYM_SHOWN];
    const bool outer = r->repeats;
    sym_begin(r, s, s->query->lock && !expr_has_query(s->query->where));
    for (uint32_t i = 0; i < SYM_SHOWN; i++)
        sym_query(r, s->query, false, &rows[i]);
    r->repeats = true;
    for (uint32_t i = 0; i < SYM_SHOWN; i++) {
        term is_one;
        sym_skip(r, s);
        const struct symbol *row = sym_some_row(r, &rows[i], &is_one);
        const term live = r->live;
        r->live = term_and(t, live, is_one);
        for (uint32_t j = 0; j < s->n_into; j++)
            sym_set(r, s->into[j], row[j]);
        r->live = live;
        sym_iterate(r, s, is_one, loop);
    }
    sym_skip(r, s);
    r->repeats = outer;
    r->live = term_or(t, r->live, loop->exits);
    sym_set_found(r, sym_any(r, &rows[0]));
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
        sym_set(r, s->variable, (struct symbol){t->no, at});
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
    const term exited = has_kind(&s->body, STATEMENT_EXIT) ? maybe(r) : t->no;
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
