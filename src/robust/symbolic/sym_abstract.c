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
#include "robust/symbolic/runs.h"

#include "program/access.h"
#include "robust/proof/footprint.h"

#include <string.h>

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

/* --- what is read ---------------------------------------------------------*/

static void use_query(const struct query *q, uint32_t source, uint64_t *used);

/* Add the columns of the source that the expression mentions. */
static void
use_expr(const struct expr *e, uint32_t source, uint64_t *used)
{
    if (!e)
        return;
    if (e->kind == EXPR_COLUMN && e->source == source)
        *used |= (uint64_t)1 << e->column;
    if (e->query)
        use_query(e->query, source, used);
    for (uint32_t i = 0; i < expr_arity(e->kind); i++)
        use_expr(e->arg[i], source, used);
}

static void
use_query(const struct query *q, uint32_t source, uint64_t *used)
{
    use_expr(q->where, source, used);
    for (uint32_t i = 0; i < q->n_targets; i++)
        use_expr(q->targets[i].value, source, used);
    for (uint32_t i = 0; i < q->n_aggregates; i++)
        use_expr(q->aggregates[i].arg, source, used);
    for (uint32_t i = 0; i < q->n_order; i++)
        use_expr(q->order[i].by, source, used);
}

struct sym_read *
sym_note_read(struct sym_runner *r, uint32_t table)
{
    struct terms *t = r->t;
    const struct function *f = r->function;
    const uint32_t n = r->s->slots[table];
    struct sym_read read = {.statement = r->statement,
                            .table = table,
                            .coarse = r->s->coarse,
                            .live = r->live,
                            .early = r->is_early,
                            .none = t->no};
    read.variables = arena_alloc(&r->s->arena,
                                 (f->n_variables + 1) * sizeof *read.variables);
    memcpy(read.variables, r->variables,
           f->n_variables * sizeof *read.variables);
    read.rows = arena_alloc(&r->s->arena, (n + 1) * sizeof *read.rows);
    read.only = arena_alloc(&r->s->arena, (n + 1) * sizeof *read.only);
    for (uint32_t i = 0; i < n; i++) {
        read.rows[i] = sym_row(r, table, i);
        read.only[i] = t->yes;
    }
    vec_push(&r->run->reads, read);
    return &vec_top(&r->run->reads);
}

void
sym_note_latest(struct sym_runner *r)
{
    if (!r->views->latest)
        return;
    struct sym_read *late = &vec_top(&r->run->reads);
    late->early = r->t->no;
    for (uint32_t i = 0; i < r->s->slots[late->table]; i++)
        late->rows[i] = sym_checked_row(r, late->table, i);
}

/* A statement that waited has also read the older rows, at a time of which
 * nothing is known. */
static void
note_older(struct sym_runner *r, size_t read)
{
    struct terms *t = r->t;
    if (r->mixed == t->no)
        return;
    struct sym_read *newer = &r->run->reads.at[read];
    struct sym_read older = *newer;
    const uint32_t n = r->s->slots[older.table];
    const struct columns *key = &r->s->program->tables.at[older.table].primary;
    // Keys do not change, so rows come in the same order then and now.
    for (uint32_t i = 0; i < key->n; i++)
        older.sorts &= ~((uint64_t)1 << key->at[i]);
    older.live = term_and(t, older.live, r->mixed);
    older.early = term_fresh(t, "early", true);
    // Which rows match is all that it takes from there; what is set or
    // returned is evaluated on the new rows.
    older.used = older.sorts;
    older.rows = arena_alloc(&r->s->arena, (n + 1) * sizeof *older.rows);
    older.only = arena_alloc(&r->s->arena, (n + 1) * sizeof *older.only);
    for (uint32_t i = 0; i < n; i++) {
        older.rows[i] = sym_old_row(r, older.table, i);
        // A row that matched then is decided by what it is now; one that did
        // not is left out because of what it was.
        r->bound[older.source] = older.rows[i]->columns;
        if (older.sorts || older.coarse) {
            older.only[i] = t->yes;
            continue;
        }
        const term matched =
            term_and(t, older.rows[i]->alive, sym_holds(r, older.where));
        older.only[i] = term_not(t, matched);
        newer->only[i] = term_and(t, newer->only[i],
                                  term_or(t, term_not(t, r->mixed), matched));
    }
    vec_push(&r->run->reads, older);
}

/* Where rows mix columns of several writers, nothing can be evaluated again: a
 * read is of all columns that it mentions, in rows that have the key it names.
 */
static void
coarsen(struct sym_runner *r, struct sym_read *read)
{
    struct terms *t = r->t;
    const struct table *shape = &r->s->program->tables.at[read->table];
    const struct expr *keys[64];
    if (!r->s->coarse)
        return;
    read->coarse = true;
    use_expr(read->where, read->source, &read->used);
    if (!footprint_is_lookup(read->where, read->source, shape, keys))
        return;
    struct symbol *row =
        arena_alloc(&r->s->arena, shape->n_columns * sizeof *row);
    for (uint32_t i = 0; i < shape->primary.n; i++)
        row[shape->primary.at[i]] = sym_evaluate(r, keys[i]);
    for (uint32_t j = 0; j < r->s->slots[read->table]; j++)
        read->only[j] =
            term_and(t, read->only[j],
                     symbolic_columns_match(
                         t, &shape->primary, row, &shape->primary,
                         r->views->before->rows[read->table][j].columns));
}

void
sym_note_write_read(struct sym_runner *r, const struct statement *s)
{
    const size_t at = r->run->reads.n;
    struct sym_read *read = sym_note_read(r, s->table);
    read->source = s->source;
    read->where = s->where;
    read->coarse = expr_has_query(s->where);
    for (uint32_t i = 0; i < s->n_sets; i++)
        use_expr(s->sets[i].value, s->source, &read->used);
    for (uint32_t i = 0; i < s->n_returning; i++)
        use_expr(s->returning[i].value, s->source, &read->used);
    if (read->coarse)
        use_expr(s->where, s->source, &read->used);
    coarsen(r, read);
    note_older(r, at);
}

/* Whether the row of the source and the variables are all that it needs. */
static bool
is_about(const struct expr *e, uint32_t source)
{
    if (!e)
        return true;
    if (e->query || (e->kind == EXPR_COLUMN && e->source != source))
        return false;
    for (uint32_t i = 0; i < expr_arity(e->kind); i++)
        if (!is_about(e->arg[i], source))
            return false;
    return true;
}

/* Whether what the query chooses rows by can be evaluated again for a row. */
static bool
is_about_row(const struct query *q)
{
    bool is = q->n_sources == 1 && is_about(q->where, q->sources[0]);
    for (uint32_t i = 0; is && i < q->n_aggregates; i++)
        is = is_about(q->aggregates[i].arg, q->sources[0]);
    for (uint32_t i = 0; is && i < q->n_order; i++)
        is = is_about(q->order[i].by, q->sources[0]);
    return is;
}

void
sym_note_query(struct sym_runner *r, const struct query *q)
{
    const bool coarse = !is_about_row(q);
    for (uint32_t i = 0; i < q->n_sources; i++) {
        const uint32_t source = q->sources[i];
        struct sym_read *read =
            sym_note_read(r, r->function->source_tables[source]);
        read->source = source;
        read->where = q->where;
        read->coarse = coarse;
        if (read->coarse)
            use_expr(q->where, source, &read->used);
        for (uint32_t k = 0; k < q->n_targets; k++)
            use_expr(q->targets[k].value, source, &read->used);
        for (uint32_t k = 0; k < q->n_aggregates; k++)
            use_expr(q->aggregates[k].arg, source, &read->used);
        for (uint32_t k = 0; k < q->n_order; k++)
            use_expr(q->order[k].by, source, &read->sorts);
        read->used |= read->sorts;
        coarsen(r, read);
        if (q->lock)
            note_older(r, r->run->reads.n - 1);
    }
}

/* A query inside of a condition on rows uses the columns of outer rows, too:
 * that is for the outer one's 'coarse'.  Checks of constraints read rows
 * without saying so. */
void
sym_note_constraint(struct sym_runner *r, uint32_t table,
                    const struct columns *columns)
{
    struct sym_read *read = sym_note_read(r, table);
    read->coarse = true;
    for (uint32_t i = 0; i < columns->n; i++)
        read->used |= (uint64_t)1 << columns->at[i];
    sym_note_latest(r);
}

/* The same for rows with the values that a row has in other columns. */
void
sym_note_values(struct sym_runner *r, uint32_t table,
                const struct columns *columns, const struct symbol *row,
                const struct columns *from)
{
    struct sym_read *read = sym_note_read(r, table);
    read->columns = columns;
    read->values = arena_alloc(&r->s->arena, columns->n * sizeof *read->values);
    for (uint32_t i = 0; i < columns->n; i++)
        read->values[i] = row[from->at[i]];
    for (uint32_t i = 0; read->coarse && i < columns->n; i++)
        read->used |= (uint64_t)1 << columns->at[i];
    sym_note_latest(r);
}
