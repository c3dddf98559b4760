/* sym_abstract.c -- runs that stand for runs on tables of any size.
 *
 * In an abstract run the slots are the rows that the transactions name by
 * key, and those that dependencies are about.  The rest of a table shows
 * itself only in queries that name no key.  There it is one 'ghost', a row
 * with unknown columns that is not a slot: some row of the rest that matches,
 * the best one where the query has an order, or none.  Every real run is one
 * of the abstract runs; the converse does not hold.
 *
 * What is asserted here is therefore only what is true of real runs:
 *   (1) a key that is named is the key of a slot (there are enough of them),
 *       but for those that loops name;
 *   (2) a ghost satisfies constraints and invariants, and is not a slot;
 *   (3) a first row is one of those that match and come first.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/robust/symbolic/runs.h"

#include "prove/robust/proof/footprint.h"

/* (1) for a source whose key is fixed by values; false for any other. */
bool
sym_look_up(struct sym_runner *r, const struct expr *where, uint32_t source)
{
    struct terms *t = r->t;
    const uint32_t table = r->function->source_tables[source];
    const struct table *shape = &r->s->program->tables.at[table];
    const struct expr *keys[64];
    if (r->repeats || !footprint_is_lookup(where, source, shape, keys))
        return false;
    struct symbol *row =
        arena_alloc(&r->s->arena, shape->n_columns * sizeof *row);
    for (uint32_t i = 0; i < shape->primary.n; i++)
        row[shape->primary.at[i]] = sym_evaluate(r, keys[i]);
    sym_name_key(r, table, row, t->yes);
    return true;
}

void
sym_name_key(struct sym_runner *r, uint32_t table, const struct symbol *row,
             term when)
{
    struct terms *t = r->t;
    const struct table *shape = &r->s->program->tables.at[table];
    term hit = t->no;
    for (uint32_t i = 0; i < shape->primary.n; i++)
        hit = term_or(t, hit, row[shape->primary.at[i]].null);
    for (uint32_t j = 0; j < r->s->slots[table]; j++)
        hit = term_or(
            t, hit,
            symbolic_columns_match(t, &shape->primary, row, &shape->primary,
                                   r->views->before->rows[table][j].columns));
    term_assert(t, term_implies(t, term_and(t, r->live, when), hit));
}

/* The row of a slot before the transaction touched it. */
static struct cell_row
base_row(struct sym_runner *r, uint32_t table, uint32_t slot)
{
    struct terms *t = r->t;
    const struct cell_row *a = &r->views->before->rows[table][slot];
    if (!r->views->after)
        return *a;
    const struct cell_row *b = &r->views->after->rows[table][slot];
    const uint32_t n = r->s->program->tables.at[table].n_columns;
    struct cell_row row = {term_if(t, r->is_early, a->alive, b->alive), NULL};
    row.columns = arena_alloc(&r->s->arena, n * sizeof *row.columns);
    for (uint32_t i = 0; i < n; i++)
        row.columns[i] =
            symbol_if(t, r->is_early, a->columns[i], b->columns[i]);
    return row;
}

/* (2) The invariant where the ghost is the row of source 'which' and the
 * others are slots. */
static void
assert_invariant(struct sym_runner *r, const struct invariant *inv,
                 uint32_t which, const struct cell_row *ghost)
{
    struct terms *t = r->t;
    struct sym_run none = {.aborts = t->no, .uncertain = t->no};
    struct sym_runner x = {.s = r->s, .t = t, .run = &none, .live = t->yes};
    uint32_t *at = mem_calloc(inv->n_sources + 1, sizeof *at);
    x.bound = mem_calloc(inv->n_sources + 1, sizeof *x.bound);
    bool more = true;
    for (uint32_t i = 0; i < inv->n_sources; i++)
        more = more && (i == which || r->s->slots[inv->source_tables[i]]);
    while (more) {
        term alive = ghost->alive;
        for (uint32_t i = 0; i < inv->n_sources; i++) {
            const struct cell_row row =
                i == which ? *ghost : base_row(r, inv->source_tables[i], at[i]);
            x.bound[i] = row.columns;
            alive = term_and(t, alive, row.alive);
        }
        const struct symbol then = sym_evaluate(&x, inv->then);
        term_assert(
            t, term_implies(t, term_and(t, alive, sym_holds(&x, inv->given)),
                            term_or(t, then.null, then.value)));
        uint32_t i = 0;
        for (; i < inv->n_sources; i++) {
            if (i == which)
                continue;
            if (++at[i] < r->s->slots[inv->source_tables[i]])
                break;
            at[i] = 0;
        }
        more = i < inv->n_sources;
    }
    mem_free(x.bound);
    mem_free(at);
}

const struct cell_row *
sym_ghost(struct sym_runner *r, uint32_t table)
{
    struct terms *t = r->t;
    const struct program *p = r->s->program;
    const struct table *shape = &p->tables.at[table];
    struct cell_row *ghost = arena_alloc(&r->s->arena, sizeof *ghost);
    ghost->alive = term_fresh(t, "ghost", true);
    ghost->columns =
        arena_alloc(&r->s->arena, shape->n_columns * sizeof *ghost->columns);
    for (uint32_t i = 0; i < shape->n_columns; i++)
        ghost->columns[i] = symbol_fresh(t, "ghost", shape->columns[i].type,
                                         shape->columns[i].not_null);
    const term broken =
        r->s->loose ? t->no : sym_breaks_checks(r, shape, ghost->columns);
    term_assert(t, term_implies(t, ghost->alive, term_not(t, broken)));
    for (uint32_t j = 0; j < r->s->slots[table]; j++)
        term_assert(
            t,
            term_not(t, symbolic_columns_match(
                            t, &shape->primary, ghost->columns, &shape->primary,
                            r->views->before->rows[table][j].columns)));
    for (size_t i = 0;
         !r->s->loose && !r->scan_writes[table] && i < p->invariants.n; i++)
        for (uint32_t k = 0; k < p->invariants.at[i].n_sources; k++)
            if (p->invariants.at[i].source_tables[k] == table)
                assert_invariant(r, &p->invariants.at[i], k, ghost);
    return ghost;
}
