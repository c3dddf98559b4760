/* sym_relate.c -- conflicts, locks and differences between symbolic runs.
 *
 * The same rules as execute/conflict.c, as terms.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/robust/symbolic/symbolic.h"

/* Whether the run writes the row of a slot. */
static term
writes(struct terms *t, const struct table *table, const struct effect *e)
{
    term any = e->sets_alive;
    for (uint32_t i = 0; i < table->n_columns; i++)
        any = term_or(t, any, e->sets[i]);
    return any;
}

static term
sets_any(struct terms *t, const struct effect *e, const struct columns *c)
{
    term any = t->no;
    for (uint32_t i = 0; i < c->n; i++)
        any = term_or(t, any, e->sets[c->at[i]]);
    return any;
}

static term
deletes(struct terms *t, const struct effect *e)
{
    return term_and(t, e->sets_alive, term_not(t, e->alive));
}

/* Whether it sets one of the columns, and the row is there at its end. */
static term
leaves_any(struct terms *t, const struct effect *e, const struct columns *c)
{
    return term_and(t, sets_any(t, e, c), term_not(t, deletes(t, e)));
}

/* Both write equal values of a UNIQUE constraint, in different rows. */
static term
unique_clash(struct symbolic *s, uint32_t table, const struct effect *a,
             const struct effect *b)
{
    struct terms *t = s->terms;
    const struct table *shape = &s->program->tables.at[table];
    term clash = t->no;
    for (uint32_t u = 0; u < shape->n_unique; u++)
        clash = term_or(
            t, clash,
            term_and(t,
                     term_and(t, leaves_any(t, a, &shape->unique[u]),
                              leaves_any(t, b, &shape->unique[u])),
                     symbolic_columns_match(t, &shape->unique[u], a->columns,
                                            &shape->unique[u], b->columns)));
    return clash;
}

/* How many statements write the table; in a loop one counts as several. */
static uint32_t
count_writes(const struct block *b, uint32_t table)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->n; i++) {
        const struct statement *s = b->at[i];
        n += (s->kind == STATEMENT_UPDATE || s->kind == STATEMENT_DELETE ||
              s->kind == STATEMENT_INSERT) &&
             s->table == table;
        const uint32_t body = count_writes(&s->body, table);
        n += statement_is_loop(s) ? 2 * body : body;
        n += count_writes(&s->other, table);
    }
    return n;
}

/* One makes a foreign key point to what the other deletes; 'early': before the
 * split, for certain. */
static term
foreign_clash(struct symbolic *s, uint32_t table, const struct effect *child,
              const struct sym_run *parent, const struct contents *keys,
              bool early)
{
    struct terms *t = s->terms;
    const struct table *shape = &s->program->tables.at[table];
    term clash = t->no;
    for (uint32_t f = 0; f < shape->n_foreign; f++) {
        const struct foreign_key *k = &shape->foreign[f];
        for (uint32_t j = 0; j < s->slots[k->table]; j++) {
            const struct effect *e = &parent->effects[k->table][j];
            term gone = deletes(t, e);
            if (early && count_writes(&parent->function->body, k->table) > 1)
                continue;
            if (early)
                gone = term_and(t, gone, e->early);
            clash = term_or(
                t, clash,
                term_and(t,
                         term_and(t, leaves_any(t, child, &k->columns), gone),
                         symbolic_columns_match(
                             t, &k->columns, child->columns, &k->referenced,
                             keys->rows[k->table][j].columns)));
        }
    }
    return clash;
}

/* Whether the slot is made to point to another row. */
static term
points_anew(struct terms *t, const struct effect *e, const struct columns *c)
{
    term any = term_and(t, e->sets_alive, e->alive);
    for (uint32_t i = 0; i < c->n; i++)
        any = term_or(t, any, e->moves[c->at[i]]);
    return any;
}

/* Whether the parent gets other unique values. */
static term
moves_unique(struct terms *t, const struct table *table, const struct effect *e)
{
    term any = t->no;
    for (uint32_t u = 0; u < table->n_unique; u++)
        for (uint32_t i = 0; i < table->unique[u].n; i++)
            any = term_or(t, any, e->moves[table->unique[u].at[i]]);
    return term_and(t, any, term_not(t, deletes(t, e)));
}

/* What a parent's locks do to a child that is made to point to it, and the
 * other way round. */
enum parent_locks { LOCKS_MOVED, LOCKS_HELD, LOCKS_EARLY };

/* A child is made to point to a row of which the parent's run changes unique
 * values or, unless only that counts, has locked FOR UPDATE.  Proofs do
 * without: what does not block has more executions. */
static term
reference_clash(struct symbolic *s, uint32_t table, const struct effect *child,
                const struct sym_run *parent, const struct contents *keys,
                enum parent_locks which)
{
    struct terms *t = s->terms;
    const struct table *shape = &s->program->tables.at[table];
    term clash = t->no;
    for (uint32_t f = 0; !s->abstract && f < shape->n_foreign; f++) {
        const struct foreign_key *k = &shape->foreign[f];
        const struct table *to = &s->program->tables.at[k->table];
        const term points = points_anew(t, child, &k->columns);
        for (uint32_t j = 0; j < s->slots[k->table]; j++) {
            const struct effect *e = &parent->effects[k->table][j];
            term holds = moves_unique(t, to, e);
            if (which == LOCKS_EARLY)
                holds =
                    term_or(t, term_and(t, holds, e->early), e->early_locked);
            else if (which == LOCKS_HELD)
                holds = term_or(t, holds, e->locked);
            clash = term_or(
                t, clash,
                term_and(t, term_and(t, points, holds),
                         symbolic_columns_match(
                             t, &k->columns, child->columns, &k->referenced,
                             keys->rows[k->table][j].columns)));
        }
    }
    return clash;
}

static term
writes_clash(struct symbolic *s, const struct sym_run *a,
             const struct sym_run *b, const struct contents *keys, bool latest)
{
    struct terms *t = s->terms;
    term clash = t->no;
    for (uint32_t i = 0; i < s->program->tables.n; i++)
        for (uint32_t j = 0; j < s->slots[i]; j++) {
            const struct effect *x = &a->effects[i][j];
            for (uint32_t k = 0;
                 s->program->tables.at[i].n_unique && k < s->slots[i]; k++)
                if (k != j && !latest)
                    clash = term_or(t, clash,
                                    unique_clash(s, i, x, &b->effects[i][k]));
            if (!latest)
                clash =
                    term_or(t, clash, foreign_clash(s, i, x, b, keys, false));
            clash =
                term_or(t, clash,
                        foreign_clash(s, i, &b->effects[i][j], a, keys, false));
            clash = term_or(
                t, clash,
                reference_clash(s, i, &b->effects[i][j], a, keys, LOCKS_MOVED));
        }
    return clash;
}

term
sym_conflict(struct symbolic *s, const struct sym_run *a,
             const struct sym_run *b, const struct contents *keys, bool latest)
{
    struct terms *t = s->terms;
    term conflict = writes_clash(s, a, b, keys, latest);
    for (uint32_t i = 0; i < s->program->tables.n; i++)
        for (uint32_t j = 0; j < s->slots[i]; j++) {
            const struct table *table = &s->program->tables.at[i];
            const struct effect *y = &b->effects[i][j];
            const term changed =
                latest ? term_and(t, writes(t, table, y), term_not(t, y->fresh))
                       : writes(t, table, y);
            const term touched = term_or(
                t, changed,
                term_or(t, y->refused, term_or(t, y->locked, y->shared)));
            conflict = term_or(
                t, conflict,
                term_and(t, writes(t, table, &a->effects[i][j]), touched));
        }
    return conflict;
}

term
sym_blocks(struct symbolic *s, const struct sym_run *p, const struct sym_run *x,
           const struct contents *keys)
{
    struct terms *t = s->terms;
    term blocks = t->no;
    for (uint32_t i = 0; i < s->program->tables.n; i++)
        for (uint32_t j = 0; j < s->slots[i]; j++) {
            const struct effect *a = &p->effects[i][j];
            const struct effect *b = &x->effects[i][j];
            const term w = writes(t, &s->program->tables.at[i], b);
            const term touches = term_or(
                t, w, term_or(t, b->refused, term_or(t, b->locked, b->shared)));
            blocks = term_or(t, blocks, term_and(t, a->early, touches));
            blocks = term_or(
                t, blocks,
                term_and(t, a->early_locked,
                         term_or(t, w, term_or(t, b->locked, b->shared))));
            blocks =
                term_or(t, blocks,
                        term_and(t, a->early_shared, term_or(t, w, b->locked)));
            // A proof must not believe in too many locks: which of p's values
            // are early is known where it writes them once.
            if (s->abstract && count_writes(&p->function->body, i) > 1)
                continue;
            for (uint32_t k = 0; k < s->slots[i]; k++)
                if (k != j)
                    blocks = term_or(
                        t, blocks,
                        term_and(t, a->early,
                                 unique_clash(s, i, a, &x->effects[i][k])));
            blocks = term_or(
                t, blocks,
                term_and(t, a->early, foreign_clash(s, i, a, x, keys, false)));
            blocks = term_or(
                t, blocks,
                term_and(t, a->early,
                         reference_clash(s, i, a, x, keys, LOCKS_HELD)));
            blocks = term_or(t, blocks,
                             reference_clash(s, i, b, p, keys, LOCKS_EARLY));
            // Where p deletes a row later, it fails because of what x added.
            blocks = term_or(t, blocks,
                             foreign_clash(s, i, b, p, keys, s->abstract));
        }
    return blocks;
}

term
sym_writes(struct symbolic *s, const struct sym_run *run, uint32_t table,
           uint32_t slot)
{
    return writes(s->terms, &s->program->tables.at[table],
                  &run->effects[table][slot]);
}

term
sym_write_same(struct symbolic *s, const struct sym_run *a,
               const struct sym_run *b)
{
    struct terms *t = s->terms;
    term same = t->no;
    for (uint32_t i = 0; i < s->program->tables.n; i++)
        for (uint32_t j = 0; j < s->slots[i]; j++) {
            const struct effect *x = &a->effects[i][j];
            const struct effect *y = &b->effects[i][j];
            same = term_or(t, same, term_and(t, x->sets_alive, y->sets_alive));
            for (uint32_t c = 0; c < s->program->tables.at[i].n_columns; c++)
                same = term_or(t, same, term_and(t, x->sets[c], y->sets[c]));
        }
    return same;
}

/* The column that a generated value is the key of; NULL: it is no key. */
static const struct input_site *
key_site(const struct sym_run *run, size_t i)
{
    const struct input_site *site =
        &run->function->inputs[run->inputs.at[i].site];
    return site->kind == INPUT_KEY ? site : NULL;
}

term
sym_keys_differ(struct symbolic *s, const struct sym_run *a,
                const struct sym_run *b)
{
    struct terms *t = s->terms;
    term differ = t->yes;
    for (size_t i = 0; i < a->inputs.n; i++)
        for (size_t j = 0; j < b->inputs.n; j++) {
            const struct input_site *x = key_site(a, i), *y = key_site(b, j);
            if (!x || !y || x->table != y->table || x->column != y->column ||
                (a == b && i == j))
                continue;
            differ =
                term_and(t, differ,
                         term_not(t, term_equal(t, a->inputs.at[i].value.value,
                                                b->inputs.at[j].value.value)));
        }
    return differ;
}

term
sym_keys_are_new(struct symbolic *s, const struct sym_run *run,
                 const struct contents *c)
{
    struct terms *t = s->terms;
    term new = t->yes;
    for (size_t i = 0; i < run->inputs.n; i++) {
        const struct input_site *site = key_site(run, i);
        for (uint32_t k = 0; site && k < s->slots[site->table]; k++) {
            const struct cell_row *row = &c->rows[site->table][k];
            const term same = term_equal(t, row->columns[site->column].value,
                                         run->inputs.at[i].value.value);
            new = term_and(t, new, term_not(t, term_and(t, row->alive, same)));
        }
    }
    return new;
}

term
sym_differ(struct symbolic *s, const struct sym_run *a, const struct sym_run *b)
{
    struct terms *t = s->terms;
    term differ = t->no;
    assert(a->function == b->function);
    const size_t n = a->observations.n < b->observations.n ? a->observations.n
                                                           : b->observations.n;
    for (size_t i = 0; i < n; i++) {
        const struct seen *x = &a->observations.at[i];
        const struct seen *y = &b->observations.at[i];
        const term same =
            term_and(t, term_equal(t, x->live, y->live),
                     term_or(t, term_not(t, x->live),
                             symbol_seems_same(t, x->value, y->value)));
        differ = term_or(t, differ, term_not(t, same));
    }
    return differ;
}
