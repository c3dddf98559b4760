/* sym_skip.c -- iterations that are not run; see sym_loop.c.
 *
 * Whatever is not known afterwards has a fresh value, so what really happened
 * is among what the solver may choose.  Nothing else is to be asserted here.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/robust/symbolic/runs.h"

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
    if (block_has(&s->body, STATEMENT_RETURN))
        r->live = maybe(r);
}
