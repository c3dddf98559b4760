/* setup_objects.c -- see setup_objects.h.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/row/setup_objects.h"

#include "driver/sql/sql.h"

#include <string.h>

// One object may need another, so each pass removes those that none needs.
enum { PASSES = 4 };

static const char query[] =
    "with objects as ("
    "select 'pg_catalog.pg_proc'::pg_catalog.regclass class, p.oid, "
    "case prokind when 'p' then 'procedure ' when 'a' then 'aggregate ' else "
    "'function ' end kind, pg_catalog.format('%I.%I(%s)', n.nspname, proname, "
    "pg_catalog.pg_get_function_identity_arguments(p.oid)) which, "
    "proname::text name, n.nspname from pg_catalog.pg_proc p join "
    "pg_catalog.pg_namespace n on n.oid = pronamespace "
    "union all select 'pg_catalog.pg_class'::pg_catalog.regclass, c.oid, case "
    "relkind when 'v' then 'view ' when 'm' then 'materialized view ' else "
    "'sequence ' end, pg_catalog.format('%I.%I', n.nspname, relname), "
    "relname::text, n.nspname from pg_catalog.pg_class c join "
    "pg_catalog.pg_namespace n on n.oid = relnamespace where relkind in ('v', "
    "'m', 'S') "
    "union all select 'pg_catalog.pg_type'::pg_catalog.regclass, t.oid, case "
    "typtype when 'd' then 'domain ' else 'type ' end, "
    "pg_catalog.format('%I.%I', n.nspname, typname), typname::text, n.nspname "
    "from pg_catalog.pg_type t join pg_catalog.pg_namespace n on n.oid = "
    "typnamespace left join pg_catalog.pg_class c on c.oid = typrelid where "
    "typtype in ('e', 'd', 'r') or (typtype = 'c' and c.relkind = 'c') "
    "union all select 'pg_catalog.pg_namespace'::pg_catalog.regclass, oid, "
    "'schema ', pg_catalog.quote_ident(nspname), nspname::text, nspname from "
    "pg_catalog.pg_namespace) "
    "select kind || which, name from objects o where nspname !~ "
    "'^(pg_|assay(_s[0-9]+)?$|information_schema$)' and name !~ '^assay_' and "
    "not exists (select from pg_catalog.pg_depend d where d.classid = o.class "
    "and d.objid = o.oid and d.deptype in ('a', 'e', 'i')) order by 1";

bool
setup_objects_has(const setup_objects *objects, const char *what)
{
    for (size_t i = 0; i < objects->n; i++)
        if (strcmp(objects->at[i].what, what) == 0)
            return true;
    return false;
}

bool
setup_objects_read(struct connection *c, const setup_objects *before,
                   struct arena *arena, setup_objects *out, struct err *err)
{
    struct result_rows rows = {0};
    if (strcmp(sql_product(c->driver), "postgresql") != 0)
        return true;
    const bool ok =
        c->driver->query(c, query, &rows) == OUTCOME_OK ||
        err_set(err, ERR_IO, "cannot read the catalog: %s", c->message);
    for (size_t i = 0; ok && i < rows.n; i++) {
        const char *what = result_rows_get(&rows, i, 0);
        const char *name = result_rows_get(&rows, i, 1);
        if (before && setup_objects_has(before, what))
            continue;
        vec_push(out, ((struct setup_object){
                          arena_copy(arena, what, strlen(what)),
                          arena_copy(arena, name, strlen(name))}));
    }
    result_rows_free(&rows);
    return ok;
}

void
setup_objects_drop(struct connection *c, const setup_objects *objects)
{
    bool *is_gone = mem_calloc(objects->n + 1, sizeof *is_gone);
    bool goes_on = objects->n > 0;
    for (int pass = 0; goes_on && pass < PASSES; pass++) {
        goes_on = false;
        for (size_t i = 0; i < objects->n; i++) {
            struct buf sql = {0};
            if (is_gone[i])
                continue;
            buf_printf(&sql, "drop %s", objects->at[i].what);
            is_gone[i] = c->driver->query(c, sql.at, NULL) == OUTCOME_OK;
            goes_on |= !is_gone[i];
            buf_free(&sql);
        }
    }
    mem_free(is_gone);
}
