/* watched_checks.c -- see watched_checks.h.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/row/watched_checks.h"

#include <string.h>

enum {
    UNIQUE_SCHEMA,
    UNIQUE_RELATION,
    UNIQUE_COLUMNS,
    UNIQUE_WHERE,
    UNIQUE_IS_DEFERRED,
    UNIQUE_IS_OTHER, // than what is understood
    UNIQUE_WIDTH
};

// Values may be equal in an index and not in its table, or the other way round:
// the index has another collation, or another meaning of '='.
#define COMPARES_OTHERWISE                                                     \
    "exists (select 1 from unnest(i.indcollation::oid[]) with ordinality "     \
    "u(o, k) left join pg_attribute a on a.attrelid = i.indrelid and "         \
    "a.attnum = i.indkey[k - 1] and a.attnum > 0 where u.o <> 0 and u.o <> "   \
    "coalesce(a.attcollation, 0) and exists (select 1 from pg_collation n "    \
    "where not n.collisdeterministic and (n.oid in (u.o, a.attcollation) or "  \
    "a.attnum is null and n.oid in (select b.attcollation from pg_attribute "  \
    "b where b.attrelid = i.indrelid)))) or exists (select 1 from pg_opclass " \
    "o where o.oid = any (i.indclass::oid[]) and not o.opcdefault and "        \
    "o.opcname !~ '_pattern_ops$')"

// An index of a partition is one of the rows of the whole table that satisfy
// the partition's condition.
static const char unique_query[] =
    "select n.nspname, c.relname, (select string_agg(pg_get_indexdef("
    "i.indexrelid, k, true), ', ' order by k) from generate_series(1, "
    "i.indnkeyatts) k), coalesce(nullif(concat_ws(' and ', "
    "pg_get_expr(i.indpred, i.indrelid), pg_get_partition_constraintdef("
    "x.oid)), ''), 'true'), exists (select 1 from pg_constraint k where "
    "k.conindid "
    "= i.indexrelid and k.contype in ('p', 'u') and k.condeferred)::int, "
    "(i.indisexclusion or coalesce((to_jsonb(i) ->> 'indnullsnotdistinct')"
    "::bool, false) or exists (select 1 from pg_constraint k join pg_trigger g "
    "on g.tgconstraint = k.oid where k.conindid = i.indexrelid and k.contype "
    "in ('p', 'u') and g.tgenabled not in ('O', 'A')) or " COMPARES_OTHERWISE
    ")::int from pg_index i join pg_class x on x.oid = "
    "i.indrelid join pg_class c on c.oid = coalesce(pg_partition_root(x.oid), "
    "x.oid) join pg_namespace n on n.oid = c.relnamespace where (i.indisunique "
    "or i.indisexclusion) and not (" WATCHED_NAMES_ROWS " and not "
    "x.relispartition) and not exists (select 1 from pg_inherits h where "
    "h.inhrelid = i.indexrelid) and n.nspname !~ '^pg_' order by i.indexrelid";

enum {
    FOREIGN_SCHEMA,
    FOREIGN_RELATION,
    FOREIGN_OTHER_SCHEMA,
    FOREIGN_OTHER_RELATION,
    FOREIGN_COLUMNS,
    FOREIGN_OTHER_COLUMNS,
    FOREIGN_VALUES,
    FOREIGN_WHERE,
    FOREIGN_OTHER_WHERE,
    FOREIGN_IS_DEFERRED,
    FOREIGN_IS_OTHER,
    FOREIGN_IS_BY_KEY,
    FOREIGN_WIDTH
};

// Where a trigger that checks is disabled, a foreign key reads less.
static const char foreign_query[] =
    "select cn.nspname, c.relname, pn.nspname, p.relname, l.columns, l.others, "
    "l.pairs, coalesce(pg_get_partition_constraintdef(x.oid), 'true'), "
    "coalesce(pg_get_partition_constraintdef(y.oid), 'true'), "
    "f.condeferred::int, (f.confdeltype = 'd' or f.confupdtype = 'd' or "
    "coalesce((to_jsonb(f) ->> 'conperiod')::bool, false) or exists (select 1 "
    "from pg_trigger g where g.tgisinternal and g.tgenabled not in ('O', 'A') "
    "and (g.tgrelid in (c.oid, p.oid) or g.tgrelid in (select relid from "
    "pg_partition_tree(c.oid) union all select relid from pg_partition_tree("
    "p.oid)))))::int, (y.oid = "
    "p.oid and exists (select 1 from pg_index i where i.indrelid = p.oid and "
    "" WATCHED_NAMES_ROWS " and l.numbers = (select array_agg(k order by k) "
    "from unnest(i.indkey[0:i.indnkeyatts - 1]::int2[]) k)))::int "
    "from pg_constraint f cross join lateral (select string_agg(quote_ident("
    "a.attname), ', ' order by o) columns, string_agg(quote_ident(b.attname), "
    "', ' order by o) others, string_agg(format('%1$L, assay_j -> %1$L', "
    "b.attname), ', ' order by o) pairs, array_agg(b.attnum order by b.attnum) "
    "numbers from unnest(f.conkey, f.confkey) with ordinality u(k, m, o) join "
    "pg_attribute a on a.attrelid = f.conrelid and a.attnum = k join "
    "pg_attribute b on b.attrelid = f.confrelid and b.attnum = m) l "
    "join pg_class x on x.oid = f.conrelid join pg_class y on y.oid = "
    "f.confrelid join pg_class c on c.oid = coalesce(pg_partition_root(x.oid), "
    "x.oid) join pg_class p on p.oid = coalesce(pg_partition_root(y.oid), "
    "y.oid) join pg_namespace cn on cn.oid = c.relnamespace join pg_namespace "
    "pn on pn.oid = p.relnamespace where f.contype = 'f' and f.conparentid = 0 "
    "order by f.oid";

static uint32_t
find(const struct watched *w, const char *schema, const char *relation)
{
    for (uint32_t i = 0; i < w->tables.n; i++)
        if (strcmp(w->tables.at[i].schema, schema) == 0 &&
            strcmp(w->tables.at[i].relation, relation) == 0)
            return i;
    return WATCHED_NONE;
}

static const char *
copy(struct watched *w, const struct result_rows *r, size_t i, size_t k)
{
    const char *text = result_rows_get(r, i, k);
    return arena_copy(&w->arena, text, strlen(text));
}

/* Statements about the table do something that is not recorded. */
static void
leave_out(struct watched *w, uint32_t table, const char *what)
{
    if (table != WATCHED_NONE && !w->tables.at[table].part)
        w->tables.at[table].part = what;
}

static void
add_unique(struct watched *w, const struct result_rows *r, size_t i)
{
    const uint32_t table = find(w, result_rows_get(r, i, UNIQUE_SCHEMA),
                                result_rows_get(r, i, UNIQUE_RELATION));
    if (table == WATCHED_NONE)
        return;
    w->tables.at[table].has_other_unique = true;
    if (*result_rows_get(r, i, UNIQUE_IS_OTHER) == '1') {
        leave_out(w, table,
                  "what exclusion constraints and unique indexes of NULL or "
                  "with another collation read");
        return;
    }
    vec_push(
        &w->checks,
        ((struct watched_check){
            .kind = WATCHED_UNIQUE,
            .table = table,
            .other = table,
            .columns = copy(w, r, i, UNIQUE_COLUMNS),
            .where = copy(w, r, i, UNIQUE_WHERE),
            .is_deferred = *result_rows_get(r, i, UNIQUE_IS_DEFERRED) == '1'}));
}

static void
add_foreign(struct watched *w, const struct result_rows *r, size_t i)
{
    const uint32_t table = find(w, result_rows_get(r, i, FOREIGN_SCHEMA),
                                result_rows_get(r, i, FOREIGN_RELATION));
    const uint32_t other = find(w, result_rows_get(r, i, FOREIGN_OTHER_SCHEMA),
                                result_rows_get(r, i, FOREIGN_OTHER_RELATION));
    if (*result_rows_get(r, i, FOREIGN_IS_OTHER) == '1' ||
        table == WATCHED_NONE || other == WATCHED_NONE) {
        leave_out(w, table, "what foreign keys read");
        leave_out(w, other, "what foreign keys read");
        return;
    }
    vec_push(
        &w->checks,
        ((struct watched_check){
            .kind = WATCHED_FOREIGN,
            .table = table,
            .other = other,
            .columns = copy(w, r, i, FOREIGN_COLUMNS),
            .where = copy(w, r, i, FOREIGN_WHERE),
            .other_columns = copy(w, r, i, FOREIGN_OTHER_COLUMNS),
            .other_where = copy(w, r, i, FOREIGN_OTHER_WHERE),
            .other_values = copy(w, r, i, FOREIGN_VALUES),
            .is_deferred = *result_rows_get(r, i, FOREIGN_IS_DEFERRED) == '1',
            .is_by_key = *result_rows_get(r, i, FOREIGN_IS_BY_KEY) == '1'}));
}

/* Ask one of the two questions. */
static bool
ask(struct connection *c, const char *sql, size_t width, struct watched *w,
    void (*add)(struct watched *, const struct result_rows *, size_t),
    struct err *err)
{
    struct result_rows rows = {0};
    bool ok =
        c->driver->query(c, sql, &rows) == OUTCOME_OK ||
        err_set(err, ERR_IO, "cannot read the constraints: %s", c->message);
    ok = ok && (!rows.n || rows.width == width ||
                err_set(err, ERR_IO,
                        "cannot read the constraints: found %zu columns, "
                        "expected %zu",
                        rows.width, width));
    for (size_t i = 0; ok && i < rows.n; i++)
        add(w, &rows, i);
    result_rows_free(&rows);
    return ok;
}

bool
watched_checks_read(struct connection *c, struct watched *w, struct err *err)
{
    assert(!w->checks.n);
    return ask(c, unique_query, UNIQUE_WIDTH, w, add_unique, err) &&
           ask(c, foreign_query, FOREIGN_WIDTH, w, add_foreign, err);
}
