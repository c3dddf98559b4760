/* symbolic.c -- contents of tables as symbols; see symbolic.h.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/robust/symbolic/symbolic.h"

#include "prove/robust/symbolic/runs.h"

#include <string.h>

struct symbol
symbol_fresh(struct terms *t, const char *name, enum value_type type,
             bool not_null)
{
    const struct symbol x = {not_null ? t->no : term_fresh(t, name, true),
                             term_fresh(t, name, type == TYPE_BOOLEAN), NULL};
    if (type == TYPE_TEXT)
        term_assert(t, term_at_most(t, term_number(t, 0), x.value));
    return x;
}

term
symbol_same(struct terms *t, struct symbol a, struct symbol b)
{
    return term_and(t, term_equal(t, a.null, b.null),
                    term_or(t, a.null, term_equal(t, a.value, b.value)));
}

term
symbol_opaque(struct terms *t, struct symbol a)
{
    return a.opaque ? a.opaque : t->no;
}

term
symbol_seems_same(struct terms *t, struct symbol a, struct symbol b)
{
    return term_or(t, term_or(t, symbol_opaque(t, a), symbol_opaque(t, b)),
                   symbol_same(t, a, b));
}

struct symbol
symbol_if(struct terms *t, term condition, struct symbol a, struct symbol b)
{
    const bool opaque = a.opaque || b.opaque;
    return (struct symbol){
        term_if(t, condition, a.null, b.null),
        term_if(t, condition, a.value, b.value),
        opaque ? term_if(t, condition, symbol_opaque(t, a), symbol_opaque(t, b))
               : NULL};
}

term
symbolic_columns_match(struct terms *t, const struct columns *ca,
                       const struct symbol *a, const struct columns *cb,
                       const struct symbol *b)
{
    assert(ca->n == cb->n);
    term all = t->yes;
    for (uint32_t i = 0; i < ca->n; i++) {
        const struct symbol x = a[ca->at[i]], y = b[cb->at[i]];
        all = term_and(t, all, term_not(t, term_or(t, x.null, y.null)));
        all = term_and(t, all, term_equal(t, x.value, y.value));
    }
    return all;
}

void
symbolic_init(struct symbolic *s, struct terms *t, const struct program *p,
              uint32_t slots)
{
    memset(s, 0, sizeof *s);
    s->terms = t;
    s->program = p;
    s->loop_most = 4;
    s->slots = mem_calloc(p->tables.n + 1, sizeof *s->slots);
    for (size_t i = 0; i < p->tables.n; i++)
        s->slots[i] = slots;
}

void
symbolic_free(struct symbolic *s)
{
    mem_free(s->slots);
    arena_free(&s->arena);
    memset(s, 0, sizeof *s);
}

static struct contents
new_contents(struct symbolic *s)
{
    struct contents c;
    c.rows =
        arena_alloc(&s->arena, (s->program->tables.n + 1) * sizeof *c.rows);
    for (size_t i = 0; i < s->program->tables.n; i++) {
        const uint32_t width = s->program->tables.at[i].n_columns;
        c.rows[i] = arena_alloc(&s->arena, (s->slots[i] + 1) * sizeof **c.rows);
        for (uint32_t j = 0; j < s->slots[i]; j++)
            c.rows[i][j].columns =
                arena_alloc(&s->arena, width * sizeof(struct symbol));
    }
    return c;
}

static void
separate_keys(struct symbolic *s, const struct table *t, const struct symbol *a,
              const struct symbol *b)
{
    struct terms *x = s->terms;
    term same = x->yes;
    for (uint32_t i = 0; i < t->primary.n; i++) {
        const uint32_t c = t->primary.at[i];
        same = term_and(x, same, term_equal(x, a[c].value, b[c].value));
    }
    term_assert(x, term_not(x, same));
}

/* Keys increase from slot to slot, which also makes them different. */
static void
order_keys(struct symbolic *s, const struct table *t, const struct symbol *a,
           const struct symbol *b)
{
    struct terms *x = s->terms;
    term less = x->no;
    for (uint32_t i = t->primary.n; i-- > 0;) {
        const uint32_t c = t->primary.at[i];
        less =
            term_or(x, term_less(x, a[c].value, b[c].value),
                    term_and(x, term_equal(x, a[c].value, b[c].value), less));
    }
    term_assert(x, less);
}

static void
assert_unique(struct symbolic *s, const struct contents *c, uint32_t table)
{
    struct terms *x = s->terms;
    const struct table *t = &s->program->tables.at[table];
    for (uint32_t u = 0; u < t->n_unique; u++)
        for (uint32_t i = 0; i < s->slots[table]; i++)
            for (uint32_t j = 0; j < i; j++) {
                const struct cell_row *a = &c->rows[table][i];
                const struct cell_row *b = &c->rows[table][j];
                const term both = term_and(x, a->alive, b->alive);
                term_assert(
                    x, term_not(x, term_and(x, both,
                                            symbolic_columns_match(
                                                x, &t->unique[u], a->columns,
                                                &t->unique[u], b->columns))));
            }
}

/* Every row that is alive points to rows that are. */
static void
assert_foreign(struct symbolic *s, const struct contents *c, uint32_t table)
{
    struct terms *x = s->terms;
    const struct table *t = &s->program->tables.at[table];
    for (uint32_t f = 0; f < t->n_foreign; f++) {
        const struct foreign_key *k = &t->foreign[f];
        for (uint32_t i = 0; i < s->slots[table]; i++) {
            const struct cell_row *row = &c->rows[table][i];
            term parent = x->no;
            for (uint32_t n = 0; n < k->columns.n; n++)
                parent =
                    term_or(x, parent, row->columns[k->columns.at[n]].null);
            for (uint32_t j = 0; j < s->slots[k->table]; j++) {
                const struct cell_row *to = &c->rows[k->table][j];
                if (s->abstract) {
                    // The parent may be a row that is no slot.
                    term_assert(
                        x,
                        term_implies(x,
                                     term_and(x, row->alive,
                                              symbolic_columns_match(
                                                  x, &k->columns, row->columns,
                                                  &k->referenced, to->columns)),
                                     to->alive));
                    continue;
                }
                parent = term_or(x, parent,
                                 term_and(x, to->alive,
                                          symbolic_columns_match(
                                              x, &k->columns, row->columns,
                                              &k->referenced, to->columns)));
            }
            if (!s->abstract)
                term_assert(x, term_implies(x, row->alive, parent));
        }
    }
}

static void
assert_invariant(struct symbolic *s, const struct contents *c,
                 const struct invariant *inv)
{
    struct terms *x = s->terms;
    struct sym_runner r = {.s = s, .t = x, .live = x->yes};
    struct sym_run none = {.aborts = x->no, .uncertain = x->no};
    r.run = &none;
    uint32_t *at = mem_calloc(inv->n_sources + 1, sizeof *at);
    r.bound = mem_calloc(inv->n_sources + 1, sizeof *r.bound);
    bool more = true;
    for (uint32_t i = 0; i < inv->n_sources; i++)
        more = more && s->slots[inv->source_tables[i]];
    while (more) {
        term alive = x->yes;
        for (uint32_t i = 0; i < inv->n_sources; i++) {
            const struct cell_row *row = &c->rows[inv->source_tables[i]][at[i]];
            r.bound[i] = row->columns;
            alive = term_and(x, alive, row->alive);
        }
        const struct symbol then = sym_evaluate(&r, inv->then);
        term_assert(
            x, term_implies(x, term_and(x, alive, sym_holds(&r, inv->given)),
                            term_or(x, then.null, then.value)));
        uint32_t i = 0;
        while (i < inv->n_sources && ++at[i] == s->slots[inv->source_tables[i]])
            at[i++] = 0;
        more = i < inv->n_sources;
    }
    mem_free(r.bound);
    mem_free(at);
}

void
contents_init(struct symbolic *s, struct contents *c)
{
    contents_init_like(s, NULL, c);
}

void
contents_init_like(struct symbolic *s, const struct contents *keys,
                   struct contents *c)
{
    struct terms *x = s->terms;
    struct sym_run none = {.aborts = x->no, .uncertain = x->no};
    struct sym_runner r = {.s = s, .t = x, .run = &none, .live = x->yes};
    *c = new_contents(s);
    for (uint32_t i = 0; i < s->program->tables.n; i++) {
        const struct table *t = &s->program->tables.at[i];
        for (uint32_t j = 0; j < s->slots[i]; j++) {
            struct cell_row *row = &c->rows[i][j];
            row->alive = term_fresh(x, t->name, true);
            for (uint32_t k = 0; k < t->n_columns; k++)
                row->columns[k] = keys && columns_have(&t->primary, k)
                                      ? keys->rows[i][j].columns[k]
                                      : symbol_fresh(x, t->columns[k].name,
                                                     t->columns[k].type,
                                                     t->columns[k].not_null);
            for (uint32_t k = 0; s->abstract && !keys && k < j; k++)
                separate_keys(s, t, c->rows[i][k].columns, row->columns);
            if (j && !s->abstract)
                order_keys(s, t, c->rows[i][j - 1].columns, row->columns);
            if (s->loose)
                continue;
            r.live = row->alive;
            term_assert(x, term_implies(x, row->alive,
                                        term_not(x, sym_breaks_checks(
                                                        &r, t, row->columns))));
            // Whether a row keeps a CHECK that is opaque nobody can say.
            term_assert(x, term_not(x, none.uncertain));
        }
        if (!s->loose)
            assert_unique(s, c, i);
    }
    if (s->loose)
        return;
    for (uint32_t i = 0; i < s->program->tables.n; i++)
        assert_foreign(s, c, i);
    for (size_t i = 0; i < s->program->invariants.n; i++)
        assert_invariant(s, c, &s->program->invariants.at[i]);
}

struct contents
contents_after(struct symbolic *s, const struct contents *c,
               const struct sym_run *run, term when)
{
    struct terms *x = s->terms;
    struct contents out = new_contents(s);
    for (uint32_t i = 0; i < s->program->tables.n; i++)
        for (uint32_t j = 0; j < s->slots[i]; j++) {
            const struct effect *e = &run->effects[i][j];
            const struct cell_row *from = &c->rows[i][j];
            struct cell_row *to = &out.rows[i][j];
            to->alive = term_if(x, term_and(x, when, e->sets_alive), e->alive,
                                from->alive);
            for (uint32_t k = 0; k < s->program->tables.at[i].n_columns; k++)
                to->columns[k] = symbol_if(x, term_and(x, when, e->sets[k]),
                                           e->columns[k], from->columns[k]);
        }
    return out;
}

term
contents_differ(struct symbolic *s, const struct contents *a,
                const struct contents *b)
{
    struct terms *x = s->terms;
    term differ = x->no;
    for (uint32_t i = 0; i < s->program->tables.n; i++)
        for (uint32_t j = 0; j < s->slots[i]; j++) {
            const struct cell_row *p = &a->rows[i][j], *q = &b->rows[i][j];
            term same = term_equal(x, p->alive, q->alive);
            term columns = x->yes;
            for (uint32_t k = 0; k < s->program->tables.at[i].n_columns; k++)
                columns = term_and(
                    x, columns,
                    symbol_seems_same(x, p->columns[k], q->columns[k]));
            same = term_and(x, same, term_implies(x, p->alive, columns));
            differ = term_or(x, differ, term_not(x, same));
        }
    return differ;
}
