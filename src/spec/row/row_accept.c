/* row_accept.c -- what every statement about rows must satisfy: the functions,
 * operators, types and tables that it may name.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/row/row_dialect.h"
#include "spec/row/row_reading.h"
#include "spec/row/sql_function.h"

#include <string.h>

/* Whether one of the names is among those of users. */
static const char *
find_own(const text_vec *names, const text_vec *own)
{
    for (size_t i = 0; i < names->n; i++)
        for (size_t k = 0; k < own->n; k++)
            if (strcmp(names->at[i], own->at[k]) == 0)
                return own->at[k];
    return NULL;
}

/* Operators and types of users call their functions. */
static bool
check_operators(struct row_reading *r)
{
    const char *operator= find_own(&r->tree.operators, &r->watched->operators);
    const char *type = find_own(&r->tree.types, &r->watched->checked_types);
    if (operator)
        return row_reading_refuse(
            r, 0, "what the operator '%.60s' reads is not known", operator);
    return !type ||
           row_reading_refuse(
               r, 0, "what the checks of the type '%.60s' read is not known",
               type);
}

/* Whether a function is one of another schema, whose functions are listed on
 * PostgreSQL only.  The parser itself gives a schema to those with a syntax of
 * their own, as "position('a' in s)". */
static bool
is_of_other_schema(const struct row_reading *r, const PgQuery__FuncCall *call)
{
    return r->watched->dialect->folds && call->n_funcname > 1 &&
           strcmp(call->funcname[0]->string->sval, "pg_catalog") != 0;
}

bool
row_accept_functions(struct row_reading *r)
{
    for (size_t i = 0; i < r->tree.calls.n; i++) {
        const PgQuery__FuncCall *call = r->tree.calls.at[i];
        const char *name = sql_tree_function(call);
        bool known = sql_function_kind(name) != SQL_FUNCTION_UNKNOWN &&
                     !is_of_other_schema(r, call);
        for (size_t k = 0; k < r->watched->functions.n; k++)
            known = known && strcmp(r->watched->functions.at[k], name) != 0;
        if (!known)
            return row_reading_refuse(r, call->location,
                                      "what the function '%.60s' reads and "
                                      "writes is not known",
                                      name);
    }
    return check_operators(r);
}

/* Every table must be one that is watched. */
static bool
check_tables(struct row_reading *r)
{
    for (size_t i = 0; i < r->tree.tables.n; i++) {
        const PgQuery__RangeVar *v = r->tree.tables.at[i];
        const uint32_t t = watched_find(r->watched, v->schemaname, v->relname);
        if (t == WATCHED_NONE)
            return row_reading_refuse(
                r, v->location,
                "unknown table '%.60s': the setup does not create it",
                v->relname);
        const struct watched_table *table = &r->watched->tables.at[t];
        if (table->refusal)
            return row_reading_refuse(r, v->location, "table '%.60s': %s",
                                      v->relname, table->refusal);
        if (!v->inh && table->is_partitioned)
            return row_reading_refuse(r, v->location,
                                      "ONLY of a partitioned table");
        if (table->part && r->tree.writes)
            row_reading_leave_out(r, table->part);
    }
    return true;
}

bool
row_accept_names(struct row_reading *r)
{
    for (size_t i = 0; i < r->tree.names.n; i++)
        if (watched_find(r->watched, "", r->tree.names.at[i]) != WATCHED_NONE)
            return row_reading_refuse(
                r, 0, "WITH defines '%.60s', which is also a table",
                r->tree.names.at[i]);
    return true;
}

/* The same for the table that is changed, which is none of WITH. */
static bool
check_changed(struct row_reading *r, const PgQuery__Node *n)
{
    const PgQuery__RangeVar *v =
        n->node_case == PG_QUERY__NODE__NODE_INSERT_STMT
            ? n->insert_stmt->relation
        : n->node_case == PG_QUERY__NODE__NODE_UPDATE_STMT
            ? n->update_stmt->relation
        : n->node_case == PG_QUERY__NODE__NODE_DELETE_STMT
            ? n->delete_stmt->relation
        : n->node_case == PG_QUERY__NODE__NODE_MERGE_STMT
            ? n->merge_stmt->relation
            : NULL;
    return !v ||
           watched_find(r->watched, v->schemaname, v->relname) !=
               WATCHED_NONE ||
           row_reading_refuse(
               r, v->location,
               "unknown table '%.60s': the setup does not create it",
               v->relname);
}

bool
row_accept_tables(struct row_reading *r, const PgQuery__Node *n)
{
    return check_tables(r) && check_changed(r, n);
}
