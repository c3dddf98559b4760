/* watched_functions.c -- see watched_functions.h.
 *
 * A function in C that depends on its arguments alone, as extensions have them
 * for their types, reads no table.  What users say so of in other languages
 * does read tables now and then.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/row/watched_functions.h"

#include <string.h>

// Schemas of the server, and of a recording (record/watch.h).
#define NOT_OURS "^(pg_|assay(_s[0-9]+)?$)"

static const char functions_query[] =
    "select distinct proname from pg_proc p join pg_namespace n on n.oid = "
    "p.pronamespace where n.nspname !~ '" NOT_OURS "' and n.nspname <> "
    "'information_schema'";

// Functions that may read tables, as numbers of objects: themselves and the
// operators that call them; and the types with checks that call these.
#define READERS                                                                \
    "with f as (select p.oid from pg_proc p join pg_language l on l.oid = "    \
    "p.prolang join pg_namespace n on n.oid = p.pronamespace where n.nspname " \
    "!~ '" NOT_OURS                                                            \
    "' and n.nspname <> 'information_schema' and not (l.lanname in "           \
    "('c', 'internal') and (p.provolatile = 'i' or p.proname ~ "               \
    "'^uuid_generate'))), readers as (select 'pg_proc'::regclass::oid class, " \
    "oid from f union all select 'pg_operator'::regclass, o.oid from "         \
    "pg_operator o join f on f.oid = o.oprcode), checked as (select distinct " \
    "k.contypid oid from pg_constraint k join pg_depend d on d.classid = "     \
    "'pg_constraint'::regclass and d.objid = k.oid join readers r on r.class " \
    "= d.refclassid and r.oid = d.refobjid where k.contypid <> 0) "

static const char operators_query[] =
    READERS "select distinct o.oprname from pg_operator o join f on f.oid = "
            "o.oprcode";

// A type may be made of others, so if one has such checks, all may.
static const char types_query[] = READERS
    "select distinct t.typname from pg_type t join pg_namespace n on "
    "n.oid = t.typnamespace where n.nspname !~ '" NOT_OURS "' and n.nspname <> "
    "'information_schema' and exists (select 1 from checked)";

static const char tables_query[] = READERS
    ", parts as (select 'pg_attrdef'::regclass::oid class, oid, adrelid rel "
    "from pg_attrdef union all select 'pg_constraint'::regclass, oid, conrelid "
    "from pg_constraint where conrelid <> 0 and contype = 'c' union all select "
    "'pg_class'::regclass, indexrelid, indrelid from pg_index union all select "
    "'pg_class'::regclass, partrelid, partrelid from pg_partitioned_table), "
    "bad as (select "
    "p.rel from parts p join pg_depend d on d.classid = p.class and d.objid = "
    "p.oid join (select * from readers union all select 'pg_type'::regclass, "
    "oid from checked) r on r.class = d.refclassid and r.oid = d.refobjid "
    "union select a.attrelid from pg_attribute a join pg_type t on t.oid = "
    "a.atttypid join pg_namespace n on n.oid = t.typnamespace where n.nspname "
    "!~ '" NOT_OURS
    "' and a.attnum > 0 and not a.attisdropped and exists (select 1 "
    "from checked)) select distinct n.nspname, c.relname from bad join "
    "pg_class c on c.oid = coalesce(pg_partition_root(bad.rel), bad.rel) join "
    "pg_namespace n on n.oid = c.relnamespace";

static const char casts_query[] =
    READERS "select 1 from pg_cast c join f on f.oid = c.castfunc limit 1";

static void
add_names(struct watched *w, const struct result_rows *r, text_vec *out)
{
    for (size_t i = 0; i < r->n; i++)
        vec_push(out, watched_copy(w, result_rows_get(r, i, 0)));
}

/* Note what statements that write the tables call. */
static void
mark_tables(struct watched *w, const struct result_rows *r)
{
    for (size_t i = 0; i < r->n; i++)
        for (size_t k = 0; k < w->tables.n; k++) {
            struct watched_table *t = &w->tables.at[k];
            if (strcmp(t->schema, result_rows_get(r, i, 0)) == 0 &&
                strcmp(t->relation, result_rows_get(r, i, 1)) == 0 && !t->part)
                t->part = "what functions in its defaults, constraints and "
                          "indexes read";
        }
}

static void
refuse_tables(struct watched *w)
{
    for (size_t i = 0; i < w->tables.n; i++)
        if (!w->tables.at[i].refusal)
            w->tables.at[i].refusal = "a cast calls a function of a user";
}

bool
watched_functions_read(struct connection *c, struct watched *w, struct err *err)
{
    static const char *const queries[] = {functions_query, operators_query,
                                          types_query, tables_query,
                                          casts_query};
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof queries / sizeof queries[0]; i++) {
        struct result_rows rows = {0};
        ok = c->driver->query(c, queries[i], &rows) == OUTCOME_OK ||
             err_set(err, ERR_IO, "cannot read the catalog: %s", c->message);
        if (i < 3)
            add_names(w, &rows,
                      i == 0   ? &w->functions
                      : i == 1 ? &w->operators
                               : &w->checked_types);
        else if (i == 3)
            mark_tables(w, &rows);
        else if (rows.n)
            refuse_tables(w);
        result_rows_free(&rows);
    }
    return ok;
}
