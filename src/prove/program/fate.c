/* fate.c -- see fate.h.
 *
 * The identity of what a statement makes is followed through all statements
 * after it: a RENAME changes it, a DROP or a replacement of the same identity
 * ends it.  A statement about a table ends with the table.  Invariants:
 *   (1) a name without a schema is in the first schema of the file's last SET
 *       search_path, or in public;
 *   (2) what is not certain to be gone is kept, but for an index, whose loss
 *       takes a constraint away: it is in doubt.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/program/fate.h"

#include "base/container/vec.h"
#include "base/memory/mem.h"
#include "prove/program/lower/lower.h"

#include <string.h>

/* A statement, and the schema of names that have none. */
struct event {
    const PgQuery__Node *node;
    const char *path;
};

struct events {
    VEC(struct event) all;
    VEC(uint32_t) changes; // those that can change what others made
};

/* --- names ----------------------------------------------------------------*/

struct name {
    const char *schema, *name;
    bool qualified;
};

static struct name
name_of_parts(PgQuery__Node *const *parts, size_t n, const char *path)
{
    const bool qualified = n > 1;
    return (struct name){qualified ? lower_last_name(parts, n - 1) : path,
                         n ? lower_last_name(parts, n) : "", qualified};
}

static struct name
name_of_range(const PgQuery__RangeVar *range, const char *path)
{
    const bool qualified = *range->schemaname;
    return (struct name){qualified ? range->schemaname : path, range->relname,
                         qualified};
}

static bool
same_name(struct name a, struct name b)
{
    return strcmp(a.name, b.name) == 0 && strcmp(a.schema, b.schema) == 0;
}

/* --- signatures -----------------------------------------------------------*/

static bool
same_type(const PgQuery__TypeName *a, const PgQuery__TypeName *b)
{
    if (!a || !b)
        return a == b;
    const bool qualified = a->n_names > 1 && b->n_names > 1;
    return strcmp(lower_last_name(a->names, a->n_names),
                  lower_last_name(b->names, b->n_names)) == 0 &&
           !a->n_array_bounds == !b->n_array_bounds &&
           (!qualified ||
            strcmp(lower_last_name(a->names, a->n_names - 1),
                   lower_last_name(b->names, b->n_names - 1)) == 0);
}

/* The types of the parameters that a call gives, of up to 'most'. */
static size_t
types_of(const PgQuery__CreateFunctionStmt *create,
         const PgQuery__TypeName **out, size_t most)
{
    size_t n = 0;
    for (size_t i = 0; i < create->n_parameters && n < most; i++) {
        const PgQuery__FunctionParameter *p =
            create->parameters[i]->function_parameter;
        if (p->mode != PG_QUERY__FUNCTION_PARAMETER_MODE__FUNC_PARAM_OUT &&
            p->mode != PG_QUERY__FUNCTION_PARAMETER_MODE__FUNC_PARAM_TABLE)
            out[n++] = p->arg_type;
    }
    return n;
}

enum { MOST_PARAMETERS = 100 }; // as in PostgreSQL

bool
fate_same_types(const PgQuery__CreateFunctionStmt *a,
                const PgQuery__CreateFunctionStmt *b)
{
    const PgQuery__TypeName *x[MOST_PARAMETERS], *y[MOST_PARAMETERS];
    const size_t n = types_of(a, x, MOST_PARAMETERS);
    if (n != types_of(b, y, MOST_PARAMETERS))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!same_type(x[i], y[i]))
            return false;
    return true;
}

/* Whether f(..) in a DROP or an ALTER can mean the function. */
static bool
means_function(const PgQuery__ObjectWithArgs *object, struct name name,
               const PgQuery__CreateFunctionStmt *create, const char *path)
{
    const PgQuery__TypeName *types[MOST_PARAMETERS];
    const size_t n = types_of(create, types, MOST_PARAMETERS);
    if (!same_name(name_of_parts(object->objname, object->n_objname, path),
                   name))
        return false;
    if (object->args_unspecified)
        return true;
    if (object->n_objargs != n)
        return false;
    for (size_t i = 0; i < n; i++)
        if (!NODE_IS(object->objargs[i], TYPE_NAME) ||
            !same_type(object->objargs[i]->type_name, types[i]))
            return false;
    return true;
}

/* --- tables ---------------------------------------------------------------*/

/* The table that a statement is about; NULL where it is about none. */
static const PgQuery__RangeVar *
table_of(const PgQuery__Node *node)
{
    switch (node->node_case) {
    case PG_QUERY__NODE__NODE_CREATE_STMT:
        return node->create_stmt->relation;
    case PG_QUERY__NODE__NODE_ALTER_TABLE_STMT:
        return node->alter_table_stmt->relation;
    case PG_QUERY__NODE__NODE_INDEX_STMT:
        return node->index_stmt->relation;
    case PG_QUERY__NODE__NODE_CREATE_TRIG_STMT:
        return node->create_trig_stmt->relation;
    case PG_QUERY__NODE__NODE_RULE_STMT:
        return node->rule_stmt->relation;
    case PG_QUERY__NODE__NODE_RENAME_STMT:
        return node->rename_stmt->relation;
    default:
        return NULL;
    }
}

static bool
drops(const struct event *e, PgQuery__ObjectType type, struct name name)
{
    const PgQuery__Node *node = e->node;
    if (!NODE_IS(node, DROP_STMT) || node->drop_stmt->remove_type != type)
        return false;
    for (size_t i = 0; i < node->drop_stmt->n_objects; i++) {
        const PgQuery__Node *object = node->drop_stmt->objects[i];
        if (NODE_IS(object, LIST) &&
            same_name(name_of_parts(object->list->items, object->list->n_items,
                                    e->path),
                      name))
            return true;
    }
    return false;
}

/* Whether the statement gives something of that kind and name another one. */
static bool
renames(const struct event *e, PgQuery__ObjectType type, struct name *name)
{
    if (!NODE_IS(e->node, RENAME_STMT))
        return false;
    const PgQuery__RenameStmt *rename = e->node->rename_stmt;
    if (rename->rename_type != type || !rename->relation ||
        !same_name(name_of_range(rename->relation, e->path), *name))
        return false;
    name->name = rename->newname;
    return true;
}

/* Whether the table is dropped by statements after the one with the number. */
static bool
table_goes(const struct events *events, size_t number,
           const PgQuery__RangeVar *table)
{
    struct name name = name_of_range(table, events->all.at[number].path);
    for (size_t i = 0; i < events->changes.n; i++) {
        const struct event *e = &events->all.at[events->changes.at[i]];
        if (events->changes.at[i] > number &&
            !renames(e, PG_QUERY__OBJECT_TYPE__OBJECT_TABLE, &name) &&
            drops(e, PG_QUERY__OBJECT_TYPE__OBJECT_TABLE, name))
            return true;
    }
    return false;
}

/* --- indexes --------------------------------------------------------------*/

/* Whether a DROP INDEX may mean an index that has no name of its own, or whose
 * schema is not certain. */
static bool
may_drop(const struct event *e, const PgQuery__IndexStmt *index,
         struct name name)
{
    if (!NODE_IS(e->node, DROP_STMT) ||
        e->node->drop_stmt->remove_type != PG_QUERY__OBJECT_TYPE__OBJECT_INDEX)
        return false;
    const char *table = index->relation->relname;
    for (size_t i = 0; i < e->node->drop_stmt->n_objects; i++) {
        const PgQuery__Node *object = e->node->drop_stmt->objects[i];
        if (!NODE_IS(object, LIST))
            return true;
        const struct name dropped =
            name_of_parts(object->list->items, object->list->n_items, e->path);
        if (!*index->idxname &&
            strncmp(dropped.name, table, strlen(table)) == 0)
            return true;
        if (strcmp(dropped.name, name.name) == 0 &&
            !(dropped.qualified && name.qualified))
            return true;
    }
    return false;
}

static enum fate
fate_of_index(const struct events *events, size_t number)
{
    const struct event *made = &events->all.at[number];
    const PgQuery__IndexStmt *index = made->node->index_stmt;
    struct name name = name_of_range(index->relation, made->path);
    name.name = index->idxname;
    enum fate fate = FATE_KEPT;
    for (size_t i = 0; i < events->changes.n; i++) {
        const struct event *e = &events->all.at[events->changes.at[i]];
        if (events->changes.at[i] <= number)
            continue;
        if (*index->idxname &&
            renames(e, PG_QUERY__OBJECT_TYPE__OBJECT_INDEX, &name))
            continue;
        if (*index->idxname &&
            drops(e, PG_QUERY__OBJECT_TYPE__OBJECT_INDEX, name))
            return FATE_GONE;
        if (may_drop(e, index, name))
            fate = FATE_DOUBT;
    }
    return fate;
}

/* --- functions ------------------------------------------------------------*/

static bool
is_of_functions(PgQuery__ObjectType type)
{
    return type == PG_QUERY__OBJECT_TYPE__OBJECT_FUNCTION ||
           type == PG_QUERY__OBJECT_TYPE__OBJECT_PROCEDURE ||
           type == PG_QUERY__OBJECT_TYPE__OBJECT_ROUTINE;
}

/* Whether the statement drops or replaces the function; a RENAME changes its
 * name. */
static bool
ends_function(const struct event *e, const PgQuery__CreateFunctionStmt *create,
              struct name *name)
{
    const PgQuery__Node *node = e->node;
    if (NODE_IS(node, CREATE_FUNCTION_STMT)) {
        const PgQuery__CreateFunctionStmt *other = node->create_function_stmt;
        return other->replace &&
               same_name(
                   name_of_parts(other->funcname, other->n_funcname, e->path),
                   *name) &&
               fate_same_types(create, other);
    }
    if (NODE_IS(node, RENAME_STMT) &&
        is_of_functions(node->rename_stmt->rename_type) &&
        NODE_IS(node->rename_stmt->object, OBJECT_WITH_ARGS) &&
        means_function(node->rename_stmt->object->object_with_args, *name,
                       create, e->path))
        name->name = node->rename_stmt->newname;
    if (!NODE_IS(node, DROP_STMT) ||
        !is_of_functions(node->drop_stmt->remove_type))
        return false;
    for (size_t i = 0; i < node->drop_stmt->n_objects; i++)
        if (NODE_IS(node->drop_stmt->objects[i], OBJECT_WITH_ARGS) &&
            means_function(node->drop_stmt->objects[i]->object_with_args, *name,
                           create, e->path))
            return true;
    return false;
}

static bool
function_goes(const struct events *events, size_t number)
{
    const struct event *made = &events->all.at[number];
    const PgQuery__CreateFunctionStmt *create =
        made->node->create_function_stmt;
    struct name name =
        name_of_parts(create->funcname, create->n_funcname, made->path);
    for (size_t i = 0; i < events->changes.n; i++)
        if (events->changes.at[i] > number &&
            ends_function(&events->all.at[events->changes.at[i]], create,
                          &name))
            return true;
    return false;
}

/* --- transactions ---------------------------------------------------------*/

/* Mark what a file rolls back. */
static void
roll_back(PgQuery__RawStmt *const *stmts, size_t n, enum fate *fates)
{
    bool begun = false;
    size_t first = 0;
    for (size_t i = 0; i < n; i++) {
        if (!NODE_IS(stmts[i]->stmt, TRANSACTION_STMT))
            continue;
        const PgQuery__TransactionStmt *t = stmts[i]->stmt->transaction_stmt;
        size_t from = first;
        switch (t->kind) {
        case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_BEGIN:
        case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_START:
            if (!begun)
                first = i;
            begun = true;
            break;
        case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_ROLLBACK_TO:
            for (size_t j = first; j < i; j++)
                if (NODE_IS(stmts[j]->stmt, TRANSACTION_STMT) &&
                    strcmp(stmts[j]->stmt->transaction_stmt->savepoint_name,
                           t->savepoint_name) == 0)
                    from = j;
            __attribute__((fallthrough));
        case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_ROLLBACK:
            for (size_t j = from; begun && j < i; j++)
                if (!NODE_IS(stmts[j]->stmt, TRANSACTION_STMT))
                    fates[j] = FATE_GONE;
            begun = begun &&
                    t->kind ==
                        PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_ROLLBACK_TO;
            break;
        case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_COMMIT:
            begun = false;
            break;
        default:
            break;
        }
    }
}

/* --- all of them ----------------------------------------------------------*/

/* The first schema of SET search_path; NULL: the statement sets none. */
static const char *
path_of(const PgQuery__Node *node)
{
    if (!NODE_IS(node, VARIABLE_SET_STMT) ||
        strcmp(node->variable_set_stmt->name, "search_path") != 0)
        return NULL;
    const PgQuery__VariableSetStmt *set = node->variable_set_stmt;
    for (size_t i = 0; i < set->n_args; i++) {
        const PgQuery__Node *arg = set->args[i];
        if (NODE_IS(arg, A_CONST) &&
            arg->a_const->val_case == PG_QUERY__A__CONST__VAL_SVAL &&
            strcmp(arg->a_const->sval->sval, "$user") != 0)
            return arg->a_const->sval->sval;
    }
    return "public";
}

static bool
is_change(const PgQuery__Node *node)
{
    return NODE_IS(node, DROP_STMT) || NODE_IS(node, RENAME_STMT) ||
           (NODE_IS(node, CREATE_FUNCTION_STMT) &&
            node->create_function_stmt->replace);
}

static enum fate
fate_of(const struct events *events, size_t number)
{
    const PgQuery__Node *node = events->all.at[number].node;
    const PgQuery__RangeVar *table = table_of(node);
    if ((table && table_goes(events, number, table)) ||
        (NODE_IS(node, CREATE_FUNCTION_STMT) && function_goes(events, number)))
        return FATE_GONE;
    return NODE_IS(node, INDEX_STMT) ? fate_of_index(events, number)
                                     : FATE_KEPT;
}

enum fate *
fate_of_all(PgQuery__ParseResult *const *trees, size_t n)
{
    struct events events = {0};
    size_t total = 0;
    for (size_t i = 0; i < n; i++)
        total += trees[i]->n_stmts;
    enum fate *fates = mem_calloc(total + 1, sizeof *fates);
    for (size_t i = 0, at = 0; i < n; at += trees[i++]->n_stmts)
        roll_back(trees[i]->stmts, trees[i]->n_stmts, fates + at);
    for (size_t i = 0; i < n; i++) {
        const char *path = "public";
        for (size_t j = 0; j < trees[i]->n_stmts; j++) {
            const PgQuery__Node *node = trees[i]->stmts[j]->stmt;
            const uint32_t number = (uint32_t)events.all.n;
            const char *set = fates[number] == FATE_GONE ? NULL : path_of(node);
            path = set ? set : path;
            const struct event e = {node, path};
            vec_push(&events.all, e);
            if (fates[number] != FATE_GONE && is_change(node))
                vec_push(&events.changes, number);
        }
    }
    for (size_t i = 0; i < total; i++)
        if (fates[i] != FATE_GONE)
            fates[i] = fate_of(&events, i);
    vec_free(&events.all);
    vec_free(&events.changes);
    return fates;
}
