/* row_versions_table.c -- questions about versions, by a temporary table of
 * them.
 *
 * The table has the types and collations of the real one and none of its
 * constraints, so all versions of a row fit in, and conditions mean the same.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/row/row_dialect.h"
#include "spec/row/row_versions.h"

#include <stdio.h>

enum { AT_ONCE = 400 }; // versions in one insert

static bool
run(struct row_versions *v, const struct buf *sql)
{
    struct connection *c = v->connection;
    return c->driver->query(c, sql->at, NULL) == OUTCOME_OK ||
           row_versions_refuse(v, "versions of rows could not be kept");
}

static bool
make_table(struct row_versions *v, const struct watched_table *t)
{
    struct buf sql = {0};
    v->watched->dialect->versions->put_create(&sql, t);
    const bool ok = run(v, &sql);
    buf_free(&sql);
    return ok;
}

/* Add the versions of a table; false without a refusal if it has none. */
static bool
fill_table(struct row_versions *v, uint32_t table)
{
    bool ok = true;
    for (size_t at = 0; ok && at < v->all.n;) {
        struct buf sql = {0};
        size_t n = 0;
        buf_printf(&sql, "insert into %s values ",
                   v->watched->dialect->versions->name);
        for (; at < v->all.n && n < AT_ONCE; at++)
            if (v->all.at[at].table == table)
                buf_printf(&sql, "%s(%zu, %s)", n++ ? ", " : "", at,
                           v->all.at[at].values);
        ok = !n || run(v, &sql);
        buf_free(&sql);
    }
    return ok;
}

static bool
ask_all(struct row_versions *v, uint32_t table)
{
    const struct row_versions_sql *d = v->watched->dialect->versions;
    const struct watched_table *t = &v->watched->tables.at[table];
    struct buf sql = {0};
    buf_text(&sql, "select assay_n, ");
    d->put_key(&sql, t);
    buf_text(&sql, ", ");
    d->put_shown(&sql, t);
    buf_printf(&sql, " from %s", d->name);
    bool ok = row_versions_take_values(v, sql.at);
    for (size_t i = 0; ok && i < v->conditions.n; i++) {
        struct row_condition_text *c = &v->conditions.at[i];
        if (c->table != table)
            continue;
        buf_clear(&sql);
        buf_printf(&sql, "select assay_n from %s as %s where (%s)", d->name,
                   c->alias, c->text);
        ok = row_versions_take_truth(v, c, sql.at);
    }
    buf_free(&sql);
    return ok;
}

/* Two rows may have NULL as their key; it is "" here. */
static bool
check_keys(struct row_versions *v, uint32_t table)
{
    bool ok = true;
    for (size_t i = 0; ok && i < v->all.n; i++)
        ok = v->all.at[i].table != table ||
             (v->all.at[i].key && *v->all.at[i].key && v->all.at[i].shown);
    assert(v->refusal[0] == 0 || !ok);
    if (!ok)
        snprintf(v->refusal, sizeof v->refusal,
                 "a row with NULL or a blob in its key, in table %.100s",
                 v->watched->tables.at[table].name);
    return ok;
}

bool
row_versions_tabulate(struct row_versions *v, uint32_t table)
{
    bool any = false;
    for (size_t i = 0; !any && i < v->all.n; i++)
        any = v->all.at[i].table == table;
    if (!any)
        return true;
    if (!make_table(v, &v->watched->tables.at[table]))
        return false;
    const bool ok =
        fill_table(v, table) && ask_all(v, table) && check_keys(v, table);
    struct buf sql = {0};
    buf_printf(&sql, "drop table %s", v->watched->dialect->versions->name);
    v->connection->driver->query(v->connection, sql.at, NULL);
    buf_free(&sql);
    return ok;
}
