/* lower_table.c -- CREATE TABLE and CREATE UNIQUE INDEX.
 *
 * Foreign keys are read in a second pass, when every table is known.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/program/lower/lower.h"

#include "base/buf.h"

#include <string.h>

bool
lower_find_columns(struct lower *l, const struct table *t,
                   PgQuery__Node *const *keys, size_t n, int location,
                   struct columns *out)
{
    out->n = (uint32_t)n;
    out->at = program_alloc(l->program, n, sizeof *out->at);
    for (size_t i = 0; i < n; i++) {
        const char *name = lower_column_now(l, t, keys[i]->string->sval);
        out->at[i] = name ? table_find_column(t, name) : UINT32_MAX;
        if (out->at[i] == UINT32_MAX)
            return lower_fail(l, location, "table %s has no column '%s'",
                              t->name, keys[i]->string->sval);
    }
    return true;
}

struct columns
lower_one_column(struct lower *l, uint32_t c)
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

/* A condition of which nothing is known: a proof takes any answer, and no
 * anomaly may depend on it. */
static struct expr *
any_check(struct lower *l)
{
    return lower_opaque(l, "check", (struct scalar_type){.type = TYPE_BOOLEAN},
                        NULL, 0);
}

/* A constraint that is not modelled stands in the way of writes. */
static bool
guard_constraint(struct lower *l, struct table *t, const char *what)
{
    t->guarded_columns = UINT64_MAX;
    lower_table_guard(l, t, TABLE_INSERT, what, "");
    lower_table_guard(l, t, TABLE_UPDATE, what, "");
    lower_add_check(l, t, any_check(l));
    return true;
}

/* A condition on one row, which is source 0. */
static bool
add_check(struct lower *l, struct table *t, const PgQuery__Constraint *k)
{
    const PgQuery__Node *node = k->raw_expr;
    vec_clear(&l->sources);
    vec_clear(&l->visible);
    vec_push(&l->program->tables, *t);
    lower_add_source(l, t->name, (uint32_t)l->program->tables.n - 1);
    struct err none = {0};
    struct err *const err = l->err;
    l->err = &none;
    const struct expr *e = lower_condition(l, node);
    l->err = err;
    l->program->tables.n--;
    vec_clear(&l->sources);
    vec_clear(&l->visible);
    if (!e)
        e = any_check(l);
    lower_add_check(l, t, e);
    lower_name_constraint(l, t, k, NULL, e);
    return true;
}

/* DEFAULT: a constant, or a moment or something else that is generated. */
bool
lower_default(struct lower *l, struct table_column *column,
              const PgQuery__Node *node, int location)
{
    if (NODE_IS(node, FUNC_CALL)) {
        const PgQuery__FuncCall *call = node->func_call;
        const char *name = lower_last_name(call->funcname, call->n_funcname);
        if (!lower_defines_function(l, name) &&
            (!strcmp(name, "nextval") || !strcmp(name, "gen_random_uuid") ||
             !strncmp(name, "uuid_generate", 13) || !strcmp(name, "uuidv7"))) {
            const bool again = l->cycles && !strcmp(name, "nextval");
            *(again ? &column->any_default : &column->generated) = true;
            return true;
        }
        if (!strcmp(name, "now") && !lower_defines_function(l, name) &&
            (column->type == TYPE_DATE || column->type == TYPE_TIMESTAMP)) {
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
            return column->any_default = true;
        column->initial = expr_new(l, EXPR_INPUT, column->type);
        return true;
    }
    struct err none = {0};
    struct err *const err = l->err;
    l->err = &none;
    struct expr *e = lower_expr(l, node);
    l->err = err;
    if (!e || !(e = lower_cast(l, e, column->type, location))) {
        column->any_default = true;
        return true;
    }
    if (e->kind == EXPR_NEGATE && e->arg[0]->kind == EXPR_CONSTANT)
        e = expr_number(l, -e->arg[0]->value.number);
    column->initial = e;
    return true;
}

/* PRIMARY KEY and UNIQUE, of the columns or of those that it names. */
static bool
lower_key(struct lower *l, struct table *t, const PgQuery__Constraint *k,
          bool own, struct columns columns)
{
    if (k->nulls_not_distinct)
        return guard_constraint(l, t, "UNIQUE with NULLS NOT DISTINCT");
    if (!own &&
        !lower_find_columns(l, t, k->keys, k->n_keys, k->location, &columns))
        return false;
    for (uint32_t i = 0; i < columns.n; i++)
        if (t->columns[columns.at[i]].type == TYPE_OPAQUE &&
            k->contype == PG_QUERY__CONSTR_TYPE__CONSTR_UNIQUE)
            return guard_constraint(l, t,
                                    "UNIQUE of a type that is not understood");
        else if (t->columns[columns.at[i]].type == TYPE_OPAQUE)
            return guard_constraint(
                l, t, "a primary key of a type that is not understood");
    lower_name_constraint(l, t, k, &columns, NULL);
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

/* A constraint of the table, or of its column c (UINT32_MAX: none). */
bool
lower_constraint(struct lower *l, struct table *t, uint32_t c,
                 const PgQuery__Constraint *k)
{
    const bool own = c != UINT32_MAX;
    struct columns columns = own ? lower_one_column(l, c) : (struct columns){0};
    if (k->contype != PG_QUERY__CONSTR_TYPE__CONSTR_FOREIGN &&
        (k->deferrable || k->initdeferred))
        return lower_fail(l, k->location,
                          "a deferrable constraint is not supported");
    switch (k->contype) {
    case PG_QUERY__CONSTR_TYPE__CONSTR_NULL:
    case PG_QUERY__CONSTR_TYPE__CONSTR_ATTR_NOT_DEFERRABLE:
    case PG_QUERY__CONSTR_TYPE__CONSTR_ATTR_IMMEDIATE:
        return true;
    case PG_QUERY__CONSTR_TYPE__CONSTR_FOREIGN:
        if (!own && !lower_find_columns(l, t, k->fk_attrs, k->n_fk_attrs,
                                        k->location, &columns))
            return false;
        lower_name_constraint(l, t, k, &columns, NULL);
        return true;
    case PG_QUERY__CONSTR_TYPE__CONSTR_NOTNULL:
        t->columns[c].not_null = true;
        return true;
    case PG_QUERY__CONSTR_TYPE__CONSTR_IDENTITY:
        if (lower_is_cycle(k->options, k->n_options))
            return lower_fail(l, k->location,
                              "an identity column with CYCLE is not "
                              "supported");
        t->columns[c].generated = t->columns[c].not_null = true;
        t->columns[c].always = *k->generated_when == 'a';
        return true;
    case PG_QUERY__CONSTR_TYPE__CONSTR_EXCLUSION:
        return guard_constraint(l, t, "an EXCLUDE constraint");
    case PG_QUERY__CONSTR_TYPE__CONSTR_GENERATED:
        t->columns[c].computed = true;
        return true;
    case PG_QUERY__CONSTR_TYPE__CONSTR_DEFAULT:
        return lower_default(l, &t->columns[c], k->raw_expr, k->location);
    case PG_QUERY__CONSTR_TYPE__CONSTR_CHECK:
        return add_check(l, t, k);
    case PG_QUERY__CONSTR_TYPE__CONSTR_PRIMARY:
    case PG_QUERY__CONSTR_TYPE__CONSTR_UNIQUE:
        break;
    default:
        return lower_fail(l, k->location,
                          "a constraint of a kind that is not supported");
    }
    return lower_key(l, t, k, own, columns);
}

/* In some collations texts are equal that differ in their letters. */
bool
lower_exact_collation(struct lower *l, const PgQuery__CollateClause *clause)
{
    static const char *const exact[] = {"C", "POSIX", "default", "ucs_basic"};
    if (!clause)
        return true;
    const char *name = lower_last_name(clause->collname, clause->n_collname);
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++)
        if (strcmp(name, exact[i]) == 0)
            return true;
    return lower_fail(l, clause->location,
                      "COLLATE \"%s\", expected \"C\" or \"default\"", name);
}

/* A column of a type that the files make. */
static void
check_type(struct lower *l, struct table *t, const struct user_type *type,
           uint32_t c)
{
    struct expr *value = expr_new(l, EXPR_COLUMN, t->columns[c].type);
    value->column = c;
    value->number = t->columns[c].number;
    struct expr *check = lower_type_check(l, type, value);
    if (check)
        lower_add_check(l, t, check);
}

/* A table has at most LOWER_COLUMNS columns here: the last one stands for all
 * that come after it, as one value that is not understood. */
static bool
fold_column(struct lower *l, struct table *t, const PgQuery__ColumnDef *def)
{
    const char **more = program_alloc(l->program, t->n_more + 1, sizeof *more);
    if (t->n_more)
        memcpy(more, t->more, t->n_more * sizeof *more);
    more[t->n_more++] = program_copy(l->program, def->colname);
    t->more = more;
    if (t->n_more > 1)
        return true;
    t->folded = t->n_columns++;
    t->columns[t->folded].name = "(more)";
    t->columns[t->folded].type = TYPE_OPAQUE;
    return true;
}

uint32_t
lower_find_column(const struct table *t, const char *name)
{
    for (uint32_t i = 0; i < t->n_more; i++)
        if (strcmp(t->more[i], name) == 0)
            return t->folded;
    return table_find_column(t, name);
}

bool
lower_is_folded(const struct table *t, uint32_t c)
{
    return t->n_more && c == t->folded;
}

bool
lower_column(struct lower *l, struct table *t, const PgQuery__ColumnDef *def)
{
    if (table_find_column(t, def->colname) != UINT32_MAX)
        return lower_fail(l, def->location, "a second column '%s'",
                          def->colname);
    if (t->n_columns >= LOWER_COLUMNS - 1)
        return fold_column(l, t, def);
    struct scalar_type type;
    if (!lower_type(l, def->type_name, &type) ||
        !lower_exact_collation(l, def->coll_clause))
        return false;
    struct table_column *column = &t->columns[t->n_columns++];
    column->name = program_copy(l->program, def->colname);
    column->type = type.type;
    column->number = type.number;
    column->generated = column->not_null = type.serial;
    column->rounds = type.rounds;
    column->limit = type.limit;
    const struct user_type *own = lower_find_type(
        l, lower_last_name(def->type_name->names, def->type_name->n_names));
    if (own && !def->type_name->n_array_bounds)
        check_type(l, t, own, t->n_columns - 1);
    return true;
}

void
lower_hidden_key(struct lower *l, struct table *t)
{
    struct table_column *column = &t->columns[t->n_columns];
    column->name = "(row)";
    column->type = TYPE_INTEGER;
    column->not_null = column->generated = true;
    t->hidden_key = true;
    t->primary = lower_one_column(l, t->n_columns++);
}

/* What a constraint of a column says that is only a part of one here. */
static bool
fold_constraint(struct lower *l, struct table *t, const PgQuery__ColumnDef *def,
                size_t j)
{
    switch (def->constraints[j]->constraint->contype) {
    case PG_QUERY__CONSTR_TYPE__CONSTR_PRIMARY:
    case PG_QUERY__CONSTR_TYPE__CONSTR_UNIQUE:
    case PG_QUERY__CONSTR_TYPE__CONSTR_EXCLUSION:
    case PG_QUERY__CONSTR_TYPE__CONSTR_GENERATED:
    case PG_QUERY__CONSTR_TYPE__CONSTR_FOREIGN:
        return guard_constraint(l, t,
                                "a constraint of a column behind the 59th");
    case PG_QUERY__CONSTR_TYPE__CONSTR_CHECK:
    case PG_QUERY__CONSTR_TYPE__CONSTR_NOTNULL:
        lower_add_check(l, t, any_check(l));
        return true;
    default:
        return true;
    }
}

bool
lower_column_constraints(struct lower *l, struct table *t,
                         const PgQuery__ColumnDef *def)
{
    const uint32_t c = lower_find_column(t, def->colname);
    for (size_t j = 0; j < def->n_constraints; j++)
        if (lower_is_folded(t, c)
                ? !fold_constraint(l, t, def, j)
                : !lower_constraint(l, t, c, def->constraints[j]->constraint))
            return false;
    return true;
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
        if (NODE_IS(node, COLUMN_DEF) &&
            !lower_column_constraints(l, t, node->column_def))
            return false;
    }
    return true;
}

static bool
lower_elements(struct lower *l, struct table *t,
               const PgQuery__CreateStmt *create)
{
    const PgQuery__RangeVar *name = create->relation;
    const char *what = strcmp(name->relpersistence, "t") == 0
                           ? "temporary table"
                       : create->partbound       ? "partition"
                       : create->n_inh_relations ? "table with "
                                                   "INHERITS"
                       : create->of_typename     ? "typed table"
                                                 : NULL;
    if (what)
        return lower_fail(l, name->location, "a %s is not supported", what);
    for (size_t i = 0; i < create->n_table_elts; i++) {
        const PgQuery__Node *node = create->table_elts[i];
        if (NODE_IS(node, COLUMN_DEF)
                ? !lower_column(l, t, node->column_def)
                : !NODE_IS(node, CONSTRAINT) &&
                      !lower_fail(l, name->location,
                                  "LIKE is not supported in a table"))
            return false;
    }
    if (create->partspec) {
        // A row that moves to another partition is not what UPDATE says.
        lower_table_guard(l, t, TABLE_UPDATE, "partitions", "");
        t->guarded_columns = UINT64_MAX;
    }
    return lower_constraints(l, t, create);
}

void
lower_table_unknown(struct lower *l, struct table *t)
{
    struct buf text = {0};
    buf_printf(&text, "%s, line %u", l->err->text, (uint32_t)l->err->line);
    if (!t->unknown)
        t->unknown = program_copy(l->program, text.at);
    buf_free(&text);
}

void
lower_table_guard(struct lower *l, struct table *t, enum table_write w,
                  const char *format, const char *name)
{
    struct buf text = {0};
    buf_text(&text, format);
    if (*name)
        buf_printf(&text, " %s", name);
    if (!t->guarded[w])
        t->guarded[w] = program_copy(l->program, text.at);
    buf_free(&text);
}

bool
lower_table(struct lower *l, const PgQuery__CreateStmt *create)
{
    const PgQuery__RangeVar *name = create->relation;
    const uint32_t before = lower_table_of(l, name);
    if (before != UINT32_MAX) {
        struct table *t = &l->program->tables.at[before];
        const char *schema = *name->schemaname ? name->schemaname : "public";
        const char *other = *t->schema ? t->schema : "public";
        if (strcmp(schema, other) == 0) {
            if (create->if_not_exists)
                return true;
            lower_fail(l, name->location, "a second table '%s'", name->relname);
            lower_table_unknown(l, t);
            return false;
        }
    }
    struct buf full = {0};
    if (program_find_table(l->program, name->relname) != UINT32_MAX)
        buf_printf(&full, "%s.",
                   *name->schemaname ? name->schemaname : "public");
    buf_text(&full, name->relname);
    struct table t = {.name = program_copy(l->program, full.at),
                      .schema = program_copy(l->program, name->schemaname),
                      .file = l->file,
                      .line = lower_line(l, name->location)};
    buf_free(&full);
    t.columns = program_alloc(l->program, LOWER_COLUMNS + 1, sizeof *t.columns);
    const bool ok = lower_elements(l, &t, create);
    if (!ok)
        lower_table_unknown(l, &t);
    vec_push(&l->program->tables, t);
    return ok;
}

/* A unique index that is not modelled: what it forbids depends on its columns
 * and on those of its condition, so all writes of them are not modelled. */
static void
guard_index(struct lower *l, struct table *t, const PgQuery__IndexStmt *index,
            const char *what)
{
    (void)index;
    guard_constraint(l, t, what);
}

bool
lower_index(struct lower *l, const PgQuery__IndexStmt *index)
{
    const uint32_t at = lower_table_of(l, index->relation);
    if (index->unique && at == UINT32_MAX)
        lower_ambiguous(l, index->relation);
    if (!index->unique || at == UINT32_MAX)
        return true;
    struct table *t = &l->program->tables.at[at];
    if (t->key_index && strcmp(index->idxname, t->key_index) == 0)
        return true; // it became the primary key
    const char *what = index->nulls_not_distinct
                           ? "a unique index with NULLS NOT DISTINCT"
                       : index->where_clause ? "a partial unique index"
                       : l->doubt ? "a unique index that may be dropped"
                                  : NULL;
    struct columns columns = {0};
    columns.n = (uint32_t)index->n_index_params;
    columns.at = program_alloc(l->program, columns.n, sizeof *columns.at);
    for (uint32_t i = 0; i < columns.n; i++) {
        const PgQuery__IndexElem *elem = index->index_params[i]->index_elem;
        const char *name =
            elem->name && *elem->name ? lower_column_now(l, t, elem->name) : "";
        if (!name)
            return true; // it went with its column
        if (elem->n_collation)
            what = "a unique index with COLLATE";
        columns.at[i] = *name ? table_find_column(t, name) : UINT32_MAX;
        if (columns.at[i] == UINT32_MAX)
            what = "a unique index on something else than columns";
        else if (t->columns[columns.at[i]].type == TYPE_OPAQUE)
            what = "a unique index on a type that is not understood";
    }
    if (what)
        guard_index(l, t, index, what);
    else
        add_unique(l, t, columns);
    return true;
}
