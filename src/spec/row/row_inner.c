/* row_inner.c -- the selects inside of a statement, and what is run at once
 * with it.
 *
 * A select inside of a statement that names no column of another table is a
 * statement of its own, in the same snapshot.  So it is run once more, beside
 * the statement, and returns the versions that it found:
 *
 *     with assay_0(n, v) as materialized (select ... from u),
 *     assay_own as (update t set ...) select '0', n, v from assay_0
 *
 * One with a limit and an order that leaves a choice could find other rows
 * then, and is left out.
 *
 * Those in a condition have to be evaluated after the run, with the rows that
 * they found then.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/row/row_reading.h"

#include "base/buf.h"
#include "spec/row/row_dialect.h"

#include <string.h>

static bool
is_symbol(const struct row_reading *r, size_t i, char c)
{
    return r->tokens.at[i].kind == TOKEN_SYMBOL && *r->tokens.at[i].at == c;
}

/* The tokens of a select in parentheses, at or after a byte. */
static void
find_select(const struct row_reading *r, int at, size_t *begin, size_t *end)
{
    size_t i = row_reading_token_at(r, at), depth = 1;
    while (!is_symbol(r, i, '('))
        i++;
    while (is_symbol(r, i, '('))
        i++;
    *begin = i;
    for (; depth; i++)
        depth += is_symbol(r, i, '(') - (size_t)is_symbol(r, i, ')');
    *end = i - 1;
}

/* Whether a column is one of the select's own table.  A single name that is the
 * table's may be a column of a table outside, and is not its own. */
static bool
is_own(const struct watched_table *t, const PgQuery__RangeVar *v,
       const PgQuery__ColumnRef *c)
{
    const char *alias = v->alias ? v->alias->aliasname : v->relname;
    const PgQuery__Node *first = c->fields[0];
    if (first->node_case != PG_QUERY__NODE__NODE_STRING)
        return true; // '*'
    const char *name = first->string->sval;
    bool own = c->n_fields == 2 && strcmp(name, alias) == 0;
    for (size_t i = 0; c->n_fields == 1 && i < t->columns.n; i++)
        own = own || strcmp(name, t->columns.at[i]) == 0;
    return own;
}

/* Whether a tree is about one table and nothing else. */
static bool
is_alone(const struct row_reading *r, const struct sql_tree *t)
{
    if (t->tables.n != 1 || t->subselects || t->names.n || t->writes ||
        !t->tables.at[0]->inh)
        return false;
    const PgQuery__RangeVar *v = t->tables.at[0];
    const uint32_t table = watched_find(r->watched, v->schemaname, v->relname);
    if (table == WATCHED_NONE)
        return false; // a name that WITH around it defines
    for (size_t i = 0; i < t->columns.n; i++)
        if (!is_own(&r->watched->tables.at[table], v, t->columns.at[i]))
            return false;
    return true;
}

/* Where the name of a table ends. */
static size_t
name_end(const struct row_reading *r, size_t i)
{
    while (*r->tokens.at[i + 1].at == '.')
        i += 2;
    return i + 1;
}

/* Read a text as a statement; false if it is not recorded completely. */
static bool
add_select(struct row_reading *r, const char *text, struct row_inner inner)
{
    struct refusal refusal = {0};
    struct row_statement s;
    if (!row_reading_parse(r->watched, r->arena, text, &s, &refusal))
        return false;
    const bool is_whole = s.returns_versions && !s.locks && !s.part &&
                          !s.picks_any && s.items.n == 1 &&
                          s.table != WATCHED_NONE;
    if (is_whole) {
        vec_push(&r->selects, s);
        vec_push(&r->inner, inner);
    } else {
        row_statement_free(&s);
    }
    return is_whole;
}

bool
row_inner_add_table(struct row_reading *r, const PgQuery__RangeVar *v)
{
    const size_t name = row_reading_token_at(r, v->location);
    const struct token last = r->tokens.at[name_end(r, name) - 1];
    const uint32_t t = watched_find(r->watched, v->schemaname, v->relname);
    struct buf sql = {0};
    buf_printf(&sql, "select * from %s", r->watched->tables.at[t].name);
    const char *text = arena_copy(r->arena, sql.at, sql.n);
    buf_free(&sql);
    return v->inh &&
           add_select(r, text,
                      (struct row_inner){
                          .table = r->tokens.at[name].at - r->text,
                          .after = last.at + last.n - r->text,
                          .alias = v->alias ? NULL : row_reading_alias(r, v)});
}

bool
row_inner_add(struct row_reading *r, const ProtobufCMessage *select,
              size_t begin, size_t end)
{
    struct sql_tree t = {0};
    sql_tree_add(&t, select);
    bool ok = is_alone(r, &t);
    if (ok) {
        const PgQuery__RangeVar *v = t.tables.at[0];
        const size_t name = row_reading_token_at(r, v->location);
        const struct token last = r->tokens.at[name_end(r, name) - 1];
        const struct row_inner inner = {
            .from = r->tokens.at[begin].at - r->text,
            .to = r->tokens.at[end].at - r->text,
            .table = r->tokens.at[name].at - r->text,
            .after = last.at + last.n - r->text,
            .alias = v->alias ? NULL : row_reading_alias(r, v)};
        ok = add_select(r, row_reading_text(r, begin, end), inner);
    }
    sql_tree_free(&t);
    return ok;
}

bool
row_inner_read(struct row_reading *r)
{
    size_t known = 0;
    if (!r->watched->dialect->has_writing_with || r->tree.names.n)
        return !r->tree.subselects;
    for (size_t i = 0; i < r->tree.sublinks.n; i++) {
        const PgQuery__SubLink *l = r->tree.sublinks.at[i];
        struct sql_tree t = {0};
        size_t begin, end;
        sql_tree_add(&t, &l->subselect->base);
        find_select(r, l->location, &begin, &end);
        known +=
            !t.tables.n || row_inner_add(r, &l->subselect->base, begin, end);
        sql_tree_free(&t);
    }
    return known == r->tree.subselects;
}

bool
row_inner_is_inside(const struct row_reading *r, int at)
{
    for (size_t i = 0; i < r->inner.n; i++)
        if (at >= r->inner.at[i].from && at < r->inner.at[i].to)
            return true;
    return false;
}

void
row_inner_locate(struct row_reading *r, ptrdiff_t from, ptrdiff_t to,
                 size_t shift)
{
    struct row_statement *s = r->out;
    s->places = arena_alloc(r->arena, (r->inner.n + 1) * sizeof *s->places);
    for (size_t i = 0; i < r->inner.n; i++) {
        const struct row_inner *n = &r->inner.at[i];
        if (n->table < from || n->table >= to)
            continue;
        size_t k = s->places_n++; // in the order of the text
        for (; k && s->places[k - 1].at > shift + (size_t)(n->table - from);
             k--)
            s->places[k] = s->places[k - 1];
        s->places[k] = (struct row_place){
            .at = shift + (size_t)(n->table - from),
            .n = (size_t)(n->after - n->table),
            .inner = i,
            .table = r->watched->tables.at[r->selects.at[i].table].name,
            .alias = n->alias};
    }
}

void
row_inner_drop(struct row_reading *r)
{
    for (size_t i = 0; i < r->selects.n; i++)
        row_statement_free(&r->selects.at[i]);
    vec_clear(&r->selects);
    vec_clear(&r->inner);
    r->out->places_n = 0;
}

void
row_inner_finish(struct row_reading *r)
{
    struct row_statement *s = r->out;
    const size_t n = r->selects.n;
    const bool has_rows = !s->returns_versions || s->items.n;
    struct buf sql = {0}, tail = {0};
    if ((n || s->seen) && !s->whole) {
        s->inner = arena_alloc(r->arena, (n + 1) * sizeof *s->inner);
        s->inner_n = n;
        buf_text(&sql, "with ");
        for (size_t i = 0; i < n; i++) {
            s->inner[i] = r->selects.at[i];
            buf_printf(&sql, "%sassay_%zu(n, v) as materialized (%s)",
                       i ? ", " : "", i, s->inner[i].sql);
            buf_printf(&tail, "%sselect '%zu', n, v from assay_%zu",
                       i ? " union all " : " ", i, i);
        }
        const char *comma = n ? ", " : "", *both = n ? " union all " : " ";
        if (s->seen) {
            buf_printf(&sql, "%sassay_seen(n, v) as materialized (%s)", comma,
                       s->seen);
            buf_printf(&tail,
                       "%sselect '" ROW_MARK_SEEN "', n, v from "
                       "assay_seen",
                       both);
            comma = ", ";
            both = " union all ";
        }
        if (has_rows && s->returns_versions) {
            buf_printf(&sql, "%sassay_own(n, v) as materialized (%s)", comma,
                       s->sql);
            buf_printf(&tail,
                       "%sselect '" ROW_MARK_OWN "', n, v from "
                       "assay_own",
                       both);
        } else if (has_rows) {
            buf_printf(&sql, "%sassay_own as (%s)", comma, s->sql);
        }
        buf_text(&sql, tail.at);
        s->whole = arena_copy(r->arena, sql.at, sql.n);
    }
    buf_free(&sql);
    buf_free(&tail);
    vec_free(&r->selects);
    vec_free(&r->inner);
}
