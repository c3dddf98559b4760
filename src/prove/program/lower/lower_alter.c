/* lower_alter.c -- ALTER TABLE, as migrations and pg_dump write it.
 *
 * Columns and their constraints are read when all tables are known, keys and
 * references when all columns are.  An action that is not understood makes the
 * table one that is not modelled.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/program/lower/lower.h"

#include <string.h>

/* --- columns --------------------------------------------------------------*/

static bool
add_column(struct lower *l, struct table *t, const PgQuery__AlterTableCmd *cmd)
{
    const PgQuery__ColumnDef *def = cmd->def->column_def;
    // PostgreSQL refuses a second one, and the table stays as it is.
    if (lower_find_column(t, def->colname) != UINT32_MAX) {
        lower_skip(l, "ADD COLUMN of a column that is there", def->colname, -1);
        return true;
    }
    return lower_column(l, t, def) && lower_column_constraints(l, t, def);
}

static uint32_t
number_of(const struct lower *l, const struct table *t)
{
    return (uint32_t)(t - l->program->tables.at);
}

static bool
in_columns(const struct columns *c, uint32_t column)
{
    return columns_have(c, column);
}

static void
move_columns(struct columns *c, uint32_t gone)
{
    for (uint32_t i = 0; i < c->n; i++)
        c->at[i] -= c->at[i] > gone;
}

/* A copy of an expression about one row, without a column that is not in it. */
static const struct expr *
without_column(struct lower *l, const struct expr *e, uint32_t gone, bool *used)
{
    struct expr *copy = expr_new(l, e->kind, e->type);
    *copy = *e;
    if (e->kind == EXPR_COLUMN) {
        *used = *used || e->column == gone;
        copy->column -= e->column > gone;
    }
    for (uint32_t i = 0; i < expr_arity(e->kind); i++)
        copy->arg[i] = without_column(l, e->arg[i], gone, used);
    return copy;
}

/* PostgreSQL drops the constraints that mention the column, too. */
static bool
drop_column(struct lower *l, struct table *t, const PgQuery__AlterTableCmd *cmd)
{
    const uint32_t c = lower_find_column(t, cmd->name);
    if (c == UINT32_MAX || lower_is_folded(t, c)) {
        lower_skip(l, "DROP COLUMN of a column that is not there", cmd->name,
                   -1);
        return true;
    }
    if (in_columns(&t->primary, c)) // references to it, too, are gone
        lower_note_renamed(l, number_of(l, t), "", NULL);
    lower_note_renamed(l, number_of(l, t), cmd->name, NULL);
    if (in_columns(&t->primary, c))
        t->primary = (struct columns){0};
    for (uint32_t i = t->n_unique; i-- > 0;)
        if (in_columns(&t->unique[i], c))
            lower_remove_unique(t, i);
    for (uint32_t i = t->n_checks; i-- > 0;) {
        bool used = false;
        const struct expr *check = without_column(l, t->checks[i], c, &used);
        for (size_t k = 0; k < l->constraints.n; k++)
            if (l->constraints.at[k].check == t->checks[i])
                l->constraints.at[k].check = check;
        t->checks[i] = check;
        if (used)
            lower_remove_check(t, i);
    }
    memmove(t->columns + c, t->columns + c + 1,
            (t->n_columns - c - 1) * sizeof *t->columns);
    memset(&t->columns[--t->n_columns], 0, sizeof *t->columns);
    move_columns(&t->primary, c);
    t->folded -= t->n_more && t->folded > c;
    for (uint32_t i = 0; i < t->n_unique; i++)
        move_columns(&t->unique[i], c);
    return true;
}

static bool
alter_type(struct lower *l, struct table_column *column,
           const PgQuery__AlterTableCmd *cmd)
{
    struct scalar_type type;
    if (!lower_type(l, cmd->def->column_def->type_name, &type) ||
        !lower_exact_collation(l, cmd->def->column_def->coll_clause))
        return false;
    if (column->initial && column->type != type.type)
        return lower_fail(l, -1,
                          "another type for a column with a DEFAULT is not "
                          "supported");
    column->type = type.type;
    column->number = type.number;
    column->rounds = type.rounds;
    column->limit = type.limit;
    return true;
}

/* A CHECK of a column whose type changes is some condition. */
static void
loosen_checks(struct lower *l, struct table *t, uint32_t c)
{
    for (uint32_t i = 0; i < t->n_checks; i++) {
        bool used = false;
        without_column(l, t->checks[i], c, &used);
        if (!used)
            continue;
        const struct expr *any = lower_opaque(
            l, "check", (struct scalar_type){.type = TYPE_BOOLEAN}, NULL, 0);
        for (size_t k = 0; k < l->constraints.n; k++)
            if (l->constraints.at[k].check == t->checks[i])
                l->constraints.at[k].check = any;
        t->checks[i] = any;
    }
}

static bool
is_of_column(PgQuery__AlterTableType type)
{
    return type == PG_QUERY__ALTER_TABLE_TYPE__AT_ColumnDefault ||
           type == PG_QUERY__ALTER_TABLE_TYPE__AT_DropNotNull ||
           type == PG_QUERY__ALTER_TABLE_TYPE__AT_SetNotNull ||
           type == PG_QUERY__ALTER_TABLE_TYPE__AT_AddIdentity ||
           type == PG_QUERY__ALTER_TABLE_TYPE__AT_AlterColumnType;
}

/* An action about one column that there is. */
static bool
alter_column(struct lower *l, struct table *t,
             const PgQuery__AlterTableCmd *cmd)
{
    if (!is_of_column(cmd->subtype))
        return lower_fail(l, -1,
                          "an action of ALTER TABLE that is not supported");
    const uint32_t c = lower_find_column(t, cmd->name);
    if (c == UINT32_MAX || lower_is_folded(t, c)) {
        lower_skip(l, "ALTER COLUMN of a column that is not there", cmd->name,
                   -1);
        return true;
    }
    struct table_column *column = &t->columns[c];
    switch (cmd->subtype) {
    case PG_QUERY__ALTER_TABLE_TYPE__AT_ColumnDefault:
        column->initial = NULL;
        column->generated = false;
        return !cmd->def || lower_default(l, column, cmd->def, -1);
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DropNotNull:
        column->not_null = false;
        return true;
    case PG_QUERY__ALTER_TABLE_TYPE__AT_SetNotNull:
        column->not_null = true;
        return true;
    case PG_QUERY__ALTER_TABLE_TYPE__AT_AddIdentity:
        return lower_constraint(l, t, c, cmd->def->constraint);
    default:
        loosen_checks(l, t, c);
        return alter_type(l, column, cmd);
    }
}

/* --- actions --------------------------------------------------------------*/

/* Actions that have no bearing on what transactions read and write. */
static bool
is_skipped(PgQuery__AlterTableType type)
{
    switch (type) {
    case PG_QUERY__ALTER_TABLE_TYPE__AT_ChangeOwner:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_SetStatistics:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_SetOptions:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_ResetOptions:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_SetStorage:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_SetCompression:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_ClusterOn:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DropCluster:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_SetLogged:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_SetUnLogged:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_SetTableSpace:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_SetRelOptions:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_ResetRelOptions:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_ReplicaIdentity:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_SetIdentity:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DisableRowSecurity:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_NoForceRowSecurity:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_EnableTrig:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_EnableAlwaysTrig:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_EnableReplicaTrig:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_EnableTrigUser: // taken as enabled
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DisableTrigUser:
        return true;
    default:
        return false;
    }
}

static struct table *
altered(struct lower *l, const PgQuery__RangeVar *relation)
{
    const uint32_t at = lower_table_of(l, relation);
    return at == UINT32_MAX ? NULL : &l->program->tables.at[at];
}

/* Rows that were there before may violate such a constraint. */
static void
note_not_valid(struct lower *l, const struct table *t, const char *name)
{
    vec_push(&l->not_valid, program_copy(l->program, name));
    vec_push(&l->not_valid_of, number_of(l, t));
}

static void
validate(struct lower *l, const struct table *t, const char *name)
{
    for (size_t i = 0; i < l->not_valid.n; i++)
        if (l->not_valid_of.at[i] == number_of(l, t) &&
            strcmp(l->not_valid.at[i], name) == 0)
            l->not_valid_of.at[i] = UINT32_MAX;
}

/* The other table of INHERIT and ATTACH PARTITION. */
static bool
lower_inherits(struct lower *l, const PgQuery__Node *def)
{
    const PgQuery__RangeVar *range = NODE_IS(def, PARTITION_CMD)
                                         ? def->partition_cmd->name
                                     : NODE_IS(def, RANGE_VAR) ? def->range_var
                                                               : NULL;
    struct table *other = range ? altered(l, range) : NULL;
    lower_fail(l, -1, "INHERIT and ATTACH PARTITION are not supported");
    if (other)
        lower_table_unknown(l, other);
    return false;
}

void
lower_altered(struct lower *l)
{
    for (size_t i = 0; i < l->not_valid.n; i++)
        if (l->not_valid_of.at[i] != UINT32_MAX)
            l->program->tables.at[l->not_valid_of.at[i]].unknown =
                "a constraint that is NOT VALID";
    for (size_t i = 0; i < l->program->tables.n; i++)
        if (l->program->tables.at[i].disabled)
            l->program->tables.at[i].unknown = "its triggers are disabled";
}

/* PRIMARY KEY USING INDEX, of an index that the files make. */
static bool
key_of_index(struct lower *l, struct table *t, const PgQuery__Constraint *k)
{
    const PgQuery__IndexStmt *index = NULL;
    for (size_t i = 0; i < l->indexes.n; i++)
        if (strcmp(l->indexes.at[i]->idxname, k->indexname) == 0)
            index = l->indexes.at[i];
    bool plain = index && !index->where_clause && !t->primary.n &&
                 lower_table_of(l, index->relation) == number_of(l, t);
    struct columns columns = {0};
    columns.n = index ? (uint32_t)index->n_index_params : 0;
    columns.at = program_alloc(l->program, columns.n, sizeof *columns.at);
    for (uint32_t i = 0; plain && i < columns.n; i++) {
        const PgQuery__IndexElem *elem = index->index_params[i]->index_elem;
        columns.at[i] = table_find_column(t, elem->name ? elem->name : "");
        plain = columns.at[i] != UINT32_MAX && !elem->n_collation &&
                t->columns[columns.at[i]].type != TYPE_OPAQUE;
        if (plain)
            t->columns[columns.at[i]].not_null = true;
    }
    if (!plain)
        return lower_fail(l, -1, "a key USING INDEX is not supported");
    t->primary = columns;
    t->key_index = program_copy(l->program, k->indexname);
    return true;
}

static bool
run_command(struct lower *l, struct table *t, const PgQuery__AlterTableCmd *cmd)
{
    switch (cmd->subtype) {
    case PG_QUERY__ALTER_TABLE_TYPE__AT_AddColumn:
        return add_column(l, t, cmd);
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DropColumn:
        return drop_column(l, t, cmd);
    case PG_QUERY__ALTER_TABLE_TYPE__AT_AddConstraint:
        if (cmd->def->constraint->skip_validation)
            note_not_valid(l, t, cmd->def->constraint->conname);
        if (cmd->def->constraint->indexname &&
            *cmd->def->constraint->indexname) {
            // Of a unique index, which is a constraint already.
            return cmd->def->constraint->contype ==
                       PG_QUERY__CONSTR_TYPE__CONSTR_UNIQUE ||
                   key_of_index(l, t, cmd->def->constraint);
        }
        return lower_constraint(l, t, UINT32_MAX, cmd->def->constraint);
    case PG_QUERY__ALTER_TABLE_TYPE__AT_ValidateConstraint:
        validate(l, t, cmd->name);
        return true;
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DisableTrigAll: // also foreign keys
        t->disabled = true;
        return true;
    case PG_QUERY__ALTER_TABLE_TYPE__AT_EnableTrigAll:
        t->disabled = false;
        return true;
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DisableTrig: // taken as enabled
        t->disabled =
            t->disabled || strncmp(cmd->name, "RI_", strlen("RI_")) == 0;
        return true;
    case PG_QUERY__ALTER_TABLE_TYPE__AT_AttachPartition:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_AddInherit:
        return lower_inherits(l, cmd->def);
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DropConstraint:
        validate(l, t, cmd->name);
        return lower_drop_constraint(l, t, cmd->name, cmd->missing_ok,
                                     cmd->behavior ==
                                         PG_QUERY__DROP_BEHAVIOR__DROP_CASCADE);
    case PG_QUERY__ALTER_TABLE_TYPE__AT_EnableRowSecurity:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_ForceRowSecurity:
        t->secured = true;
        return true;
    default:
        return is_skipped(cmd->subtype) || alter_column(l, t, cmd);
    }
}

bool
lower_alter(struct lower *l, const PgQuery__AlterTableStmt *alter)
{
    struct table *t = altered(l, alter->relation);
    if (!t || alter->objtype != PG_QUERY__OBJECT_TYPE__OBJECT_TABLE) {
        lower_skip(l, "ALTER", alter->relation->relname,
                   alter->relation->location);
        if (!t)
            lower_ambiguous(l, alter->relation);
        return true; // of a view, a sequence, a table of another file
    }
    for (size_t i = 0; i < alter->n_cmds; i++)
        if (!run_command(l, t, alter->cmds[i]->alter_table_cmd)) {
            lower_table_unknown(l, t);
            return false;
        }
    return true;
}

bool
lower_alter_keys(struct lower *l, const PgQuery__AlterTableStmt *alter)
{
    struct table *t = altered(l, alter->relation);
    for (size_t i = 0; t && i < alter->n_cmds; i++) {
        const PgQuery__AlterTableCmd *cmd = alter->cmds[i]->alter_table_cmd;
        const PgQuery__Node *def = cmd->def;
        if (NODE_IS(def, CONSTRAINT) &&
            cmd->subtype == PG_QUERY__ALTER_TABLE_TYPE__AT_AddConstraint &&
            def->constraint->contype == PG_QUERY__CONSTR_TYPE__CONSTR_FOREIGN &&
            !lower_foreign_key(l, t, UINT32_MAX, def->constraint))
            return lower_table_unknown(l, t), false;
        if (!NODE_IS(def, COLUMN_DEF) ||
            cmd->subtype != PG_QUERY__ALTER_TABLE_TYPE__AT_AddColumn)
            continue;
        for (size_t j = 0; j < def->column_def->n_constraints; j++) {
            const PgQuery__Constraint *k =
                def->column_def->constraints[j]->constraint;
            const char *name = lower_column_now(l, t, def->column_def->colname);
            const uint32_t c = name ? table_find_column(t, name) : UINT32_MAX;
            if (k->contype == PG_QUERY__CONSTR_TYPE__CONSTR_FOREIGN &&
                !lower_foreign_key(l, t, c, k))
                return lower_table_unknown(l, t), false;
        }
    }
    return true;
}

bool
lower_rename(struct lower *l, const PgQuery__RenameStmt *rename)
{
    struct table *t = rename->relation ? altered(l, rename->relation) : NULL;
    if (!t) {
        lower_skip(l, "RENAME", rename->newname, -1);
        return true;
    }
    if (rename->rename_type == PG_QUERY__OBJECT_TYPE__OBJECT_TABLE) {
        lower_note_renamed(l, UINT32_MAX, rename->relation->relname,
                           rename->newname);
        t->name = program_copy(l->program, rename->newname);
        return true;
    }
    const uint32_t c =
        rename->rename_type == PG_QUERY__OBJECT_TYPE__OBJECT_COLUMN
            ? table_find_column(t, rename->subname)
            : UINT32_MAX;
    if (c != UINT32_MAX)
        lower_note_renamed(l, number_of(l, t), rename->subname,
                           rename->newname);
    if (c != UINT32_MAX)
        t->columns[c].name = program_copy(l->program, rename->newname);
    return true;
}
