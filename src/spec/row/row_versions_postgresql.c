/* row_versions_postgresql.c -- versions of PostgreSQL's rows.
 *
 * Their values are JSON.  The temporary table has a column of the type of the
 * rows, made from it; so no operator, type or collation is imitated.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/row/row_dialect.h"
#include "spec/row/row_versions.h"

#include <string.h>

enum { AT_ONCE = 1000 }; // versions in one query

bool
row_versions_put(struct buf *sql, const struct row_versions *v, uint32_t table,
                 size_t *at)
{
    size_t n = 0;
    buf_text(sql, "(values ");
    for (; *at < v->all.n && n < AT_ONCE; ++*at) {
        if (v->all.at[*at].table != table)
            continue;
        buf_printf(sql, "%s(%zu, ", n++ ? ", " : "", *at);
        watched_put_literal(sql, v->all.at[*at].values);
        buf_text(sql, "::jsonb)");
    }
    buf_text(sql, ") assay_x(assay_n, assay_j)");
    return n > 0;
}

void
row_versions_put_plain(struct buf *sql, const char *value)
{
    buf_printf(sql,
               "case when jsonb_typeof(%s) in ('string', 'null') or %s::text ~ "
               "'^-?[0-9]{1,18}$' then %s else to_jsonb(%s #>> '{}') end",
               value, value, value, value);
}

static void
put_create(struct buf *sql, const struct watched_table *t)
{
    buf_printf(sql,
               "create temp table assay_versions (assay_n int primary key, "
               "assay_row %s)",
               t->name);
}

static void
put_version(struct buf *sql, const struct watched_table *t, size_t n,
            const char *values)
{
    buf_printf(sql, "(%zu, pg_catalog.jsonb_populate_record(null::%s, ", n,
               t->name);
    watched_put_literal(sql, values);
    buf_text(sql, "))");
}

/* A function's rows are of their table's type, as those of the table. */
static void
put_from(struct buf *sql, const char *alias)
{
    if (alias)
        buf_printf(sql,
                   "pg_temp.assay_versions, lateral pg_catalog.unnest("
                   "array[assay_row]) as %s",
                   alias);
    else
        buf_text(sql, "(select assay_n, pg_catalog.to_jsonb(assay_row) assay_j "
                      "from pg_temp.assay_versions) assay_x");
}

static void
put_key(struct buf *sql, const struct watched_table *t)
{
    if (!t->keys.n) {
        buf_text(sql, "null");
        return;
    }
    buf_text(sql, t->keys.n > 1 ? "jsonb_build_array(" : "(");
    for (size_t i = 0; i < t->keys.n; i++) {
        struct buf value = {0};
        buf_text(&value, "(assay_j -> ");
        watched_put_literal(&value, t->keys.at[i]);
        buf_char(&value, ')');
        buf_text(sql, i ? ", " : "");
        row_versions_put_plain(sql, value.at);
        buf_free(&value);
    }
    buf_char(sql, ')');
}

static void
put_shown(struct buf *sql, const struct watched_table *t)
{
    (void)t;
    buf_text(sql, "coalesce((select jsonb_object_agg(k, ");
    row_versions_put_plain(sql, "e.v");
    buf_text(sql, ") from jsonb_each(assay_j) e(k, v)), '{}')");
}

static void
put_column(struct buf *sql, const char *column)
{
    buf_text(sql, "assay_j ->> ");
    watched_put_literal(sql, column);
}

const struct row_versions_sql row_versions_postgresql = {
    .put_create = put_create,
    .put_version = put_version,
    .put_from = put_from,
    .put_key = put_key,
    .put_shown = put_shown,
    .put_integer = put_column,
    .put_text = put_column,
    .name = "pg_temp.assay_versions",
};
