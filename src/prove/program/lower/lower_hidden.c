/* lower_hidden.c -- code that runs although no statement calls it.
 *
 * Constraints, defaults and indexes of tables, constraints of domains,
 * operators, casts and defaults of parameters can call functions that read
 * tables.  These reads stand in no statement, so they are not modelled.  A
 * table with such a constraint, default or index is not modelled; a domain,
 * operator or cast can occur in any expression, so that no function is; a
 * function with such a parameter is refused.  Functions that the files do not
 * make read none of their tables.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/program/lower/lower.h"

#include <string.h>

/* --- tables ----------------------------------------------------------------*/

static void
note_constraint(struct lower *l, struct table *t, const PgQuery__Node *node)
{
    if (!NODE_IS(node, CONSTRAINT) || t->unknown ||
        !lower_may_read(l, node->constraint->raw_expr, NULL))
        return;
    t->unknown =
        node->constraint->contype == PG_QUERY__CONSTR_TYPE__CONSTR_DEFAULT
            ? "a default of it reads tables"
            : "a constraint of it reads tables";
}

/* A column, or a constraint of the table. */
static void
note_element(struct lower *l, struct table *t, const PgQuery__Node *node)
{
    if (!NODE_IS(node, COLUMN_DEF)) {
        note_constraint(l, t, node);
        return;
    }
    const PgQuery__ColumnDef *column = node->column_def;
    for (size_t i = 0; i < column->n_constraints; i++)
        note_constraint(l, t, column->constraints[i]);
}

static struct table *
table_of(const struct lower *l, const PgQuery__RangeVar *range)
{
    const uint32_t at = lower_table_of(l, range);
    return at == UINT32_MAX ? NULL : &l->program->tables.at[at];
}

static void
note_alter(struct lower *l, const PgQuery__AlterTableStmt *alter)
{
    struct table *t = table_of(l, alter->relation);
    for (size_t i = 0; t && i < alter->n_cmds; i++) {
        const PgQuery__AlterTableCmd *c = alter->cmds[i]->alter_table_cmd;
        if (c->def)
            note_element(l, t, c->def);
        // ALTER COLUMN .. SET DEFAULT has the expression itself.
        if (c->subtype == PG_QUERY__ALTER_TABLE_TYPE__AT_ColumnDefault &&
            c->def && !t->unknown && lower_may_read(l, c->def, NULL))
            t->unknown = "a default of it reads tables";
    }
}

/* What an index computes can fail, which only a read explains. */
static void
note_index(struct lower *l, const PgQuery__IndexStmt *index)
{
    struct table *t = table_of(l, index->relation);
    bool reads = lower_may_read(l, index->where_clause, NULL);
    for (size_t i = 0; i < index->n_index_params; i++)
        reads = reads || lower_may_read(
                             l, index->index_params[i]->index_elem->expr, NULL);
    if (reads && t && !t->unknown)
        t->unknown = "an index of it reads tables";
    else if (reads && !t)
        lower_ambiguous(l, index->relation);
}

/* --- what can occur in any expression --------------------------------------*/

static void
note_domain(struct lower *l, const PgQuery__Node *const *constraints, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (NODE_IS(constraints[i], CONSTRAINT) &&
            lower_may_read(l, constraints[i]->constraint->raw_expr, NULL))
            l->hidden = "a constraint of a domain";
}

static void
note_operator(struct lower *l, const PgQuery__DefineStmt *define)
{
    for (size_t i = 0; i < define->n_definition; i++) {
        const PgQuery__DefElem *def = define->definition[i]->def_elem;
        if (!def->arg || !NODE_IS(def->arg, TYPE_NAME))
            continue;
        const PgQuery__TypeName *name = def->arg->type_name;
        if (lower_may_read(l, NULL,
                           lower_last_name(name->names, name->n_names)))
            l->hidden = "an operator or aggregate of the files";
    }
}

static void
note_operator_class(struct lower *l, const PgQuery__CreateOpClassStmt *create)
{
    for (size_t i = 0; i < create->n_items; i++) {
        const PgQuery__ObjectWithArgs *f =
            create->items[i]->create_op_class_item->name;
        if (f && f->n_objname &&
            lower_may_read(l, NULL, lower_last_name(f->objname, f->n_objname)))
            l->hidden = "an operator class of the files";
    }
}

void
lower_hidden(struct lower *l, const PgQuery__Node *node)
{
    struct table *t;
    if (NODE_IS(node, CREATE_STMT)) {
        t = table_of(l, node->create_stmt->relation);
        for (size_t i = 0; t && i < node->create_stmt->n_table_elts; i++)
            note_element(l, t, node->create_stmt->table_elts[i]);
    } else if (NODE_IS(node, ALTER_TABLE_STMT)) {
        note_alter(l, node->alter_table_stmt);
    } else if (NODE_IS(node, CREATE_DOMAIN_STMT)) {
        note_domain(
            l,
            (const PgQuery__Node *const *)node->create_domain_stmt->constraints,
            node->create_domain_stmt->n_constraints);
    } else if (NODE_IS(node, ALTER_DOMAIN_STMT)) {
        const PgQuery__Node *def = node->alter_domain_stmt->def;
        note_domain(l, &def, def ? 1 : 0);
        if (def && !NODE_IS(def, CONSTRAINT) && lower_may_read(l, def, NULL))
            l->hidden = "a default of a domain";
    } else if (NODE_IS(node, INDEX_STMT)) {
        note_index(l, node->index_stmt);
    } else if (NODE_IS(node, CREATE_OP_CLASS_STMT)) {
        note_operator_class(l, node->create_op_class_stmt);
    } else if (NODE_IS(node, DEFINE_STMT)) {
        note_operator(l, node->define_stmt);
    } else if (NODE_IS(node, CREATE_CAST_STMT)) {
        const PgQuery__ObjectWithArgs *f = node->create_cast_stmt->func;
        if (f &&
            lower_may_read(l, NULL, lower_last_name(f->objname, f->n_objname)))
            l->hidden = "a cast of the files";
    }
}

/* --- functions -------------------------------------------------------------*/

bool
lower_hidden_in(struct lower *l, const PgQuery__CreateFunctionStmt *f)
{
    if (l->hidden)
        return lower_fail(l, -1, "%s reads tables, which is not supported",
                          l->hidden);
    for (size_t i = 0; i < l->made.n; i++)
        if (l->made.at[i].create == f && l->made.at[i].altered)
            return lower_fail(l, -1,
                              "a function that ALTER FUNCTION changes is not "
                              "supported");
    for (size_t i = 0; i < f->n_parameters; i++)
        if (lower_may_read(l, f->parameters[i]->function_parameter->defexpr,
                           NULL))
            return lower_fail(l, -1,
                              "a default of a parameter that reads tables is "
                              "not supported");
    return true;
}
