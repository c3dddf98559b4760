/* lower_table.c -- CREATE TABLE and CREATE UNIQUE INDEX.
 *
 * Foreign keys are read in a second pass, when every table is known.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/program/lower/lower.h"

#include <string.h>

static bool
find_columns(struct lower *l, const struct table *t, PgQuery__Node *const *keys,
             size_t n, int location, struct columns *out)
{
    out->n = (uint32_t)n;
    out->at = program_alloc(l->program, n, sizeof *out->at);
    for (size_t i = 0; i < n; i++) {
        out->at[i] = table_find_column(t, keys[i]->string->sval);
        if (out->at[i] == UINT32_MAX)
            return lower_fail(l, location, "table %s has no column '%s'",
                              t->name, keys[i]->string->sval);
    }
    return true;
}

static struct columns
one_column(struct lower *l, uint32_t c)
{
    struct columns one = {program_alloc(l->program, 1, sizeof(uint32_t)), 1};
    one.at[0] = c;
    return one;
}

static void
add_unique(struct lower *l, struct table *t, struct columns columns)
{
    struct columns *all =
        program_alloc(l->program, t->n_unique + 1, sizeof *all);
    if (t->n_unique)
        memcpy(all, t->unique, t->n_unique * sizeof *all);
    all[t->n_unique++] = columns;
    t->unique = all;
}

void
lower_add_check(struct lower *l, struct table *t, const struct expr *e)
{
    const struct expr **all =
        program_alloc(l->program, t->n_checks + 1, sizeof *all);
    if (t->n_checks)
        memcpy(all, t->checks, t->n_checks * sizeof *all);
    all[t->n_checks++] = e;
    t->checks = all;
}

/* A condition on one row, which is source 0. */
static bool
add_check(struct lower *l, struct table *t, const PgQuery__Node *node)
{
    vec_clear(&l->sources);
    vec_clear(&l->visible);
    vec_push(&l->program->tables, *t);
    lower_add_source(l, t->name, (uint32_t)l->program->tables.n - 1);
    const struct expr *e = lower_condition(l, node);
    l->program->tables.n--;
    vec_clear(&l->sources);
    vec_clear(&l->visible);
    if (e)
        lower_add_check(l, t, e);
    return e != NULL;
}

/* DEFAULT: a constant, or a moment or something else that is generated. */
static bool
lower_default(struct lower *l, struct table_column *column,
              const PgQuery__Node *node, int location)
{
    if (NODE_IS(node, FUNC_CALL)) {
        const PgQuery__FuncCall *call = node->func_call;
        const char *name = lower_last_name(call->funcname, call->n_funcname);
        if (!strcmp(name, "nextval") || !strcmp(name, "gen_random_uuid")) {
            column->generated = true;
            return true;
        }
        if (!strcmp(name, "now") && column->type >= TYPE_DATE) {
            column->initial = expr_new(l, EXPR_INPUT, column->type);
            return true;
        }
    }
    if (NODE_IS(node, SQLVALUE_FUNCTION)) {
        enum value_type type;
        if (!lower_moment_type(l, node->sqlvalue_function, &type))
            return false;
        if (column->type != type &&
            !(type == TYPE_TIMESTAMP && column->type == TYPE_DATE))
            return lower_fail(l, location,
                              "DEFAULT is of another type than the column");
        column->initial = expr_new(l, EXPR_INPUT, column->type);
        return true;
    }
    struct expr *e = lower_expr(l, node);
    if (!e || !(e = lower_cast(l, e, column->type, location)))
        return false;
    if (e->kind == EXPR_NEGATE && e->arg[0]->kind == EXPR_CONSTANT)
        e = expr_number(l, -e->arg[0]->value.number);
    if (e->kind != EXPR_CONSTANT)
        return lower_fail(l, location, "DEFAULT is not a constant");
    column->initial = e;
    return true;
}

/* A constraint of the table, or of its column c (UINT32_MAX: none). */
static bool
lower_constraint(struct lower *l, struct table *t, uint32_t c,
                 const PgQuery__Constraint *k)
{
    const bool own = c != UINT32_MAX;
    struct columns columns = own ? one_column(l, c) : (struct columns){0};
    if (k->deferrable || k->initdeferred)
        return lower_fail(l, k->location,
                          "a deferrable constraint is not supported");
    switch (k->contype) {
    case PG_QUERY__CONSTR_TYPE__CONSTR_NULL:
    case PG_QUERY__CONSTR_TYPE__CONSTR_ATTR_NOT_DEFERRABLE:
    case PG_QUERY__CONSTR_TYPE__CONSTR_ATTR_IMMEDIATE:
    case PG_QUERY__CONSTR_TYPE__CONSTR_FOREIGN:
        return true;
    case PG_QUERY__CONSTR_TYPE__CONSTR_NOTNULL:
        t->columns[c].not_null = true;
        return true;
    case PG_QUERY__CONSTR_TYPE__CONSTR_IDENTITY:
        t->columns[c].generated = t->columns[c].not_null = true;
        t->columns[c].always = *k->generated_when == 'a';
        return true;
    case PG_QUERY__CONSTR_TYPE__CONSTR_DEFAULT:
        return lower_default(l, &t->columns[c], k->raw_expr, k->location);
    case PG_QUERY__CONSTR_TYPE__CONSTR_CHECK:
        return add_check(l, t, k->raw_expr);
    case PG_QUERY__CONSTR_TYPE__CONSTR_PRIMARY:
    case PG_QUERY__CONSTR_TYPE__CONSTR_UNIQUE:
        break;
    default:
        return lower_fail(l, k->location,
                          "a constraint of a kind that is not supported");
    }
    if (k->nulls_not_distinct)
        return lower_fail(l, k->location,
                          "NULLS NOT DISTINCT is not supported");
    if (!own && !find_columns(l, t, k->keys, k->n_keys, k->location, &columns))
        return false;
    if (k->contype == PG_QUERY__CONSTR_TYPE__CONSTR_UNIQUE) {
        add_unique(l, t, columns);
        return true;
    }
    if (t->primary.n)
        return lower_fail(l, k->location, "a second primary key");
    t->primary = columns;
    for (uint32_t i = 0; i < columns.n; i++)
        t->columns[columns.at[i]].not_null = true;
    return true;
}

/* In some collations texts are equal that differ in their letters. */
static bool
check_collation(struct lower *l, const PgQuery__ColumnDef *def)
{
    static const char *const exact[] = {"C", "POSIX", "default", "ucs_basic"};
    if (!def->coll_clause)
        return true;
    const char *name = lower_last_name(def->coll_clause->collname,
                                       def->coll_clause->n_collname);
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++)
        if (strcmp(name, exact[i]) == 0)
            return true;
    return lower_fail(l, def->coll_clause->location,
                      "COLLATE \"%s\", expected \"C\" or \"default\"", name);
}

static bool
lower_column(struct lower *l, struct table *t, const PgQuery__ColumnDef *def)
{
    if (table_find_column(t, def->colname) != UINT32_MAX)
        return lower_fail(l, def->location, "a second column '%s'",
                          def->colname);
    struct scalar_type type;
    if (!lower_type(l, def->type_name, &type) || !check_collation(l, def))
        return false;
    struct table_column *column = &t->columns[t->n_columns++];
    column->name = program_copy(l->program, def->colname);
    column->type = type.type;
    column->number = type.number;
    column->generated = column->not_null = type.serial;
    column->rounds = type.rounds;
    column->limit = type.limit;
    return true;
}

/* Add a hidden key to a table without one. */
static void
add_hidden_key(struct lower *l, struct table *t)
{
    struct table_column *column = &t->columns[t->n_columns];
    column->name = "(row)";
    column->type = TYPE_INTEGER;
    column->not_null = column->generated = true;
    t->hidden_key = true;
    t->primary = one_column(l, t->n_columns++);
}

static bool
lower_constraints(struct lower *l, struct table *t,
                  const PgQuery__CreateStmt *create)
{
    for (size_t i = 0; i < create->n_table_elts; i++) {
        const PgQuery__Node *node = create->table_elts[i];
        if (NODE_IS(node, CONSTRAINT) &&
            !lower_constraint(l, t, UINT32_MAX, node->constraint))
            return false;
        if (!NODE_IS(node, COLUMN_DEF))
            continue;
        const PgQuery__ColumnDef *def = node->column_def;
        const uint32_t c = table_find_column(t, def->colname);
        for (size_t j = 0; j < def->n_constraints; j++)
            if (!lower_constraint(l, t, c, def->constraints[j]->constraint))
                return false;
    }
    return true;
}

bool
lower_table(struct lower *l, const PgQuery__CreateStmt *create)
{
    const PgQuery__RangeVar *name = create->relation;
    if (program_find_table(l->program, name->relname) != UINT32_MAX)
        return lower_fail(l, name->location, "a second table '%s'",
                          name->relname);
    if (strcmp(name->relpersistence, "t") == 0 || create->n_inh_relations ||
        create->partspec || create->of_typename)
        return lower_fail(l, name->location,
                          "a temporary, inherited, partitioned or typed table "
                          "is not supported");
    if (create->n_table_elts >= 62)
        return lower_fail(l, name->location,
                          "table '%s' has more than 60 columns", name->relname);
    struct table t = {.name = program_copy(l->program, name->relname),
                      .file = l->file,
                      .line = lower_line(l, name->location)};
    t.columns =
        program_alloc(l->program, create->n_table_elts + 1, sizeof *t.columns);
    for (size_t i = 0; i < create->n_table_elts; i++) {
        const PgQuery__Node *node = create->table_elts[i];
        if (NODE_IS(node, COLUMN_DEF)
                ? !lower_column(l, &t, node->column_def)
                : !NODE_IS(node, CONSTRAINT) &&
                      !lower_fail(l, name->location,
                                  "LIKE is not supported in a table"))
            return false;
    }
    if (!lower_constraints(l, &t, create))
        return false;
    if (!t.primary.n)
        add_hidden_key(l, &t);
    vec_push(&l->program->tables, t);
    return true;
}

bool
lower_index(struct lower *l, const PgQuery__IndexStmt *index)
{
    uint32_t at;
    if (!lower_find_table(l, index->relation, &at))
        return false;
    if (!index->unique)
        return true;
    if (index->nulls_not_distinct)
        return lower_fail(l, index->relation->location,
                          "NULLS NOT DISTINCT is not supported");
    if (index->where_clause)
        return lower_fail(l, index->relation->location,
                          "a partial unique index is not supported");
    struct table *t = &l->program->tables.at[at];
    struct columns columns = {0};
    columns.n = (uint32_t)index->n_index_params;
    columns.at = program_alloc(l->program, columns.n, sizeof *columns.at);
    for (uint32_t i = 0; i < columns.n; i++) {
        const PgQuery__IndexElem *elem = index->index_params[i]->index_elem;
        columns.at[i] = elem->name && *elem->name
                            ? table_find_column(t, elem->name)
                            : UINT32_MAX;
        if (columns.at[i] == UINT32_MAX)
            return lower_fail(l, index->relation->location,
                              "a unique index on something else than columns "
                              "is not supported");
    }
    add_unique(l, t, columns);
    return true;
}

static bool
lower_foreign_key(struct lower *l, struct table *t, uint32_t c,
                  const PgQuery__Constraint *k)
{
    struct foreign_key f = {0};
    if (!lower_find_table(l, k->pktable, &f.table))
        return false;
    const struct table *to = &l->program->tables.at[f.table];
    if (strcmp(k->fk_del_action, "a") > 0 && strcmp(k->fk_del_action, "r") != 0)
        return lower_fail(l, k->location,
                          "ON DELETE other than NO ACTION is not supported");
    // It differs from NO ACTION where one statement deletes both rows.
    if (strcmp(k->fk_del_action, "r") == 0 && to == t)
        return lower_fail(l, k->location,
                          "ON DELETE RESTRICT of a table to itself is not "
                          "supported");
    if (c != UINT32_MAX)
        f.columns = one_column(l, c);
    else if (!find_columns(l, t, k->fk_attrs, k->n_fk_attrs, k->location,
                           &f.columns))
        return false;
    if (strcmp(k->fk_matchtype, "f") == 0 && f.columns.n > 1)
        return lower_fail(l, k->location, "MATCH FULL is not supported");
    f.referenced = to->primary;
    if (k->n_pk_attrs && !find_columns(l, to, k->pk_attrs, k->n_pk_attrs,
                                       k->location, &f.referenced))
        return false;
    if (f.columns.n != f.referenced.n || to->hidden_key)
        return lower_fail(l, k->location,
                          "a foreign key that does not fit the key of %s",
                          to->name);
    for (uint32_t i = 0; i < f.referenced.n; i++)
        if (!columns_have(&to->primary, f.referenced.at[i]))
            return lower_fail(l, k->location,
                              "a foreign key to something else than the "
                              "primary key is not supported");
    struct foreign_key *all =
        program_alloc(l->program, t->n_foreign + 1, sizeof *all);
    if (t->n_foreign)
        memcpy(all, t->foreign, t->n_foreign * sizeof *all);
    all[t->n_foreign++] = f;
    t->foreign = all;
    return true;
}

bool
lower_foreign_keys(struct lower *l, const PgQuery__CreateStmt *create)
{
    const uint32_t at =
        program_find_table(l->program, create->relation->relname);
    struct table *t = &l->program->tables.at[at];
    for (size_t i = 0; i < create->n_table_elts; i++) {
        const PgQuery__Node *node = create->table_elts[i];
        if (NODE_IS(node, CONSTRAINT) &&
            node->constraint->contype ==
                PG_QUERY__CONSTR_TYPE__CONSTR_FOREIGN &&
            !lower_foreign_key(l, t, UINT32_MAX, node->constraint))
            return false;
        if (!NODE_IS(node, COLUMN_DEF))
            continue;
        const PgQuery__ColumnDef *def = node->column_def;
        for (size_t j = 0; j < def->n_constraints; j++) {
            const PgQuery__Constraint *k = def->constraints[j]->constraint;
            if (k->contype == PG_QUERY__CONSTR_TYPE__CONSTR_FOREIGN &&
                !lower_foreign_key(l, t, table_find_column(t, def->colname), k))
                return false;
        }
    }
    return true;
}
