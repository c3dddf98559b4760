/* lower_function.c -- CREATE FUNCTION: its parameters, its language, its body
 * where that is SQL.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/program/lower/lower.h"

#include "base/buf.h"

#include <stdio.h>
#include <string.h>

uint32_t
lower_find_variable(const struct lower *l, const char *name)
{
    // The variable of a loop hides another one, and comes later.
    for (size_t i = l->variables.n; i-- > 0;)
        if (strcmp(l->variables.at[i].name, name) == 0)
            return (uint32_t)i;
    return UINT32_MAX;
}

uint32_t
lower_add_variable(struct lower *l, const char *name, enum value_type type)
{
    const struct variable v = {.name = program_copy(l->program, name),
                               .type = type};
    vec_push(&l->variables, v);
    return (uint32_t)l->variables.n - 1;
}

/* The variable for a field of a record, made where it is new.  Of two columns
 * with one name the first is meant. */
static uint32_t
field_variable(struct lower *l, const char *record,
               const struct target *targets, uint32_t i)
{
    char name[200];
    snprintf(name, sizeof name, "%s.%s", record, targets[i].name);
    uint32_t v = lower_find_variable(l, name);
    for (uint32_t j = 0; j < i; j++)
        if (strcmp(targets[j].name, targets[i].name) == 0) {
            name[0] = '\0';
            v = UINT32_MAX;
        }
    if (v == UINT32_MAX)
        v = lower_add_variable(l, name, targets[i].value->type);
    struct variable *variable = &l->variables.at[v];
    if (targets[i].value->number > variable->number)
        variable->number = targets[i].value->number;
    return v;
}

bool
lower_into(struct lower *l, struct statement *s, const char *const *names,
           size_t n)
{
    struct target *targets =
        s->kind == STATEMENT_SELECT || s->kind == STATEMENT_FOR
            ? s->query->targets
            : s->returning;
    const uint32_t n_targets =
        s->kind == STATEMENT_SELECT || s->kind == STATEMENT_FOR
            ? s->query->n_targets
            : s->n_returning;
    const uint32_t first = n ? lower_find_variable(l, names[0]) : UINT32_MAX;
    const bool record = n == 1 && first == UINT32_MAX;
    if (!record && n > n_targets)
        return lower_fail(l, -1, "%zu variables for %u columns", n, n_targets);
    s->n_into = record ? n_targets : (uint32_t)n;
    s->into = program_alloc(l->program, s->n_into, sizeof *s->into);
    for (uint32_t i = 0; i < s->n_into; i++) {
        s->into[i] = record ? field_variable(l, names[0], targets, i)
                            : lower_find_variable(l, names[i]);
        if (s->into[i] == UINT32_MAX)
            return lower_fail(l, -1, "'%s' names no variable", names[i]);
        const struct variable *v = &l->variables.at[s->into[i]];
        if (v->type != targets[i].value->type) {
            struct expr *copy = expr_new(l, EXPR_CONSTANT, TYPE_TEXT);
            *copy = *targets[i].value;
            targets[i].value = lower_cast(l, copy, v->type, -1);
            if (!targets[i].value)
                return false;
        }
        if (!record)
            targets[i].value =
                lower_store(l, targets[i].value, v->number, v->rounds);
    }
    return true;
}

/* OUT parameters are variables that the function returns.  The columns of
 * RETURNS TABLE are variables, too, but rows return them. */
static bool
lower_outs(struct lower *l, const PgQuery__CreateFunctionStmt *create)
{
    uint32_t n = 0;
    for (size_t i = 0; i < create->n_parameters; i++) {
        const PgQuery__FunctionParameter *p =
            create->parameters[i]->function_parameter;
        const bool out =
            p->mode == PG_QUERY__FUNCTION_PARAMETER_MODE__FUNC_PARAM_OUT;
        const bool both =
            p->mode == PG_QUERY__FUNCTION_PARAMETER_MODE__FUNC_PARAM_INOUT;
        const bool column =
            p->mode == PG_QUERY__FUNCTION_PARAMETER_MODE__FUNC_PARAM_TABLE;
        struct scalar_type type;
        uint32_t v = n;
        n += !out && !column;
        if (out || (column && *p->name)) {
            if (!lower_type(l, p->arg_type, &type))
                return false;
            v = lower_add_variable(l, p->name, type.type);
            l->variables.at[v].number = type.number;
        }
        if (out || both)
            vec_push(&l->outs, v);
    }
    return true;
}

/* A parameter of a type of the files' own has a value of it. */
static bool
lower_parameter_types(struct lower *l, struct function *f,
                      const PgQuery__CreateFunctionStmt *create)
{
    struct block *body = &f->body;
    uint32_t n = 0;
    for (size_t i = 0; i < create->n_parameters; i++) {
        const PgQuery__FunctionParameter *p =
            create->parameters[i]->function_parameter;
        if (p->mode == PG_QUERY__FUNCTION_PARAMETER_MODE__FUNC_PARAM_TABLE ||
            p->mode == PG_QUERY__FUNCTION_PARAMETER_MODE__FUNC_PARAM_OUT)
            continue;
        const uint32_t v = n++;
        const struct user_type *type = lower_find_type(
            l, lower_last_name(p->arg_type->names, p->arg_type->n_names));
        struct expr *value =
            expr_new(l, EXPR_VARIABLE, l->variables.at[v].type);
        value->index = v;
        value->number = l->variables.at[v].number;
        struct expr *check = type && !p->arg_type->n_array_bounds
                                 ? lower_type_check(l, type, value)
                                 : NULL;
        if (!check)
            continue;
        struct statement *s = statement_new(l, STATEMENT_IF);
        struct statement *raise = statement_new(l, STATEMENT_RAISE);
        s->value = expr_unary(l, EXPR_NOT, check);
        s->body.at = program_alloc(l->program, 1, sizeof *s->body.at);
        s->body.at[s->body.n++] = raise;
        struct statement **all =
            program_alloc(l->program, body->n + 1, sizeof(struct statement *));
        if (body->n)
            memcpy(all + 1, body->at, body->n * sizeof(struct statement *));
        all[0] = s;
        body->at = all;
        body->n++;
    }
    return true;
}

static bool
lower_parameters(struct lower *l, struct function *f,
                 const PgQuery__CreateFunctionStmt *create)
{
    for (size_t i = 0; i < create->n_parameters; i++) {
        const PgQuery__FunctionParameter *p =
            create->parameters[i]->function_parameter;
        if (p->mode == PG_QUERY__FUNCTION_PARAMETER_MODE__FUNC_PARAM_TABLE ||
            p->mode == PG_QUERY__FUNCTION_PARAMETER_MODE__FUNC_PARAM_OUT)
            continue; // a part of the result
        char unnamed[24];
        snprintf(unnamed, sizeof unnamed, "$%zu", i + 1);
        const char *name = *p->name ? p->name : unnamed;
        if (lower_find_variable(l, name) != UINT32_MAX)
            return lower_fail(l, p->arg_type->location,
                              "a second parameter '%s'", name);
        struct scalar_type type;
        if (!lower_type(l, p->arg_type, &type))
            return false;
        // PostgreSQL takes no notice of a length here.
        const uint32_t v = lower_add_variable(l, name, type.type);
        l->variables.at[v].number = type.number;
        f->n_parameters++;
    }
    lower_add_variable(l, "found", TYPE_BOOLEAN);
    l->variables.at[l->variables.n - 1].initial = expr_boolean(l, false);
    return lower_outs(l, create);
}

struct body {
    const char *language, *text;
    int location; // of AS in the file
};

/* SET search_path says which schemas are meant, and the tables of the files are
 * meant here anyway.  Other settings change what statements mean. */
static bool
check_set(struct lower *l, const PgQuery__DefElem *def)
{
    static const char *const harmless[] = {"search_path", "statement_timeout",
                                           "lock_timeout", "work_mem",
                                           "client_min_messages"};
    const char *name = NODE_IS(def->arg, VARIABLE_SET_STMT)
                           ? def->arg->variable_set_stmt->name
                           : "";
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        if (strcmp(name, harmless[i]) == 0)
            return true;
    return lower_fail(l, def->location,
                      "a function with SET %s is not supported", name);
}

static bool
lower_options(struct lower *l, struct function *f,
              const PgQuery__CreateFunctionStmt *create, struct body *body)
{
    for (size_t i = 0; i < create->n_options; i++) {
        const PgQuery__DefElem *def = create->options[i]->def_elem;
        if (strcmp(def->defname, "language") == 0)
            body->language = def->arg->string->sval;
        if (strcmp(def->defname, "strict") == 0)
            f->strict = def->arg->boolean->boolval != 0;
        if (strcmp(def->defname, "volatility") == 0)
            f->snapshot = strcmp(def->arg->string->sval, "volatile") != 0;
        if (strcmp(def->defname, "set") == 0 && !check_set(l, def))
            return false;
        if (strcmp(def->defname, "as") != 0)
            continue;
        body->text = def->arg->list->items[0]->string->sval;
        body->location = def->location;
    }
    if (!body->language)
        body->language = "sql";
    if (!body->text)
        return lower_fail(l, -1,
                          "function %s has no body as text, which is expected",
                          f->name);
    return true;
}

/* The line in the file on which the text of the body begins. */
static uint32_t
first_line_of_body(const struct lower *l, int location)
{
    const char *at = l->text + location + strlen("as");
    while (*at && *at != '$' && *at != '\'')
        at++;
    return lower_line(l, (int)(at - l->text));
}

/* A body of SQL statements; what the last one selects is the result. */
static bool
lower_sql_body(struct lower *l, const char *text, bool returns_set)
{
    PgQuery__ParseResult *tree;
    int at;
    l->text = text;
    l->exact = false;
    l->columns_first = true;
    if (!parser_parse(text, &tree, &at, l->err)) {
        err_at_line(l->err, lower_line(l, at), 0);
        return err_in_file(l->err, l->file);
    }
    struct block *body = &l->function->body;
    body->at = program_alloc(l->program, tree->n_stmts, sizeof *body->at);
    const uint32_t first_line = l->line;
    bool ok = true;
    for (size_t i = 0; ok && i < tree->n_stmts; i++) {
        const PgQuery__RawStmt *raw = tree->stmts[i];
        int start = raw->stmt_location;
        while (text[start] && strchr(" \t\r\n", text[start]))
            start++;
        l->line = first_line;
        l->text = text;
        l->counted = 0;
        l->line = lower_line(l, start);
        l->counted = start;
        const size_t before = l->before.n, after = l->after.n;
        struct statement *s = lower_sql(l, raw->stmt);
        ok = s != NULL;
        if (ok && s->kind == STATEMENT_SELECT && returns_set &&
            i + 1 == tree->n_stmts)
            s->kind = STATEMENT_ROWS;
        if (ok && s->kind == STATEMENT_SELECT &&
            (i + 1 < tree->n_stmts || !l->has_result))
            s->hidden = true; // its result is nobody's
        else if (ok && s->kind == STATEMENT_SELECT)
            ok = lower_into(l, s, (const char *const[]){"(result)"}, 1);
        if (ok && s->n_into == 1 && l->returns.type == TYPE_INTEGER)
            l->variables.at[s->into[0]].number = l->returns.number;
        lower_collect(l, body, tree->n_stmts, s, before, after);
    }
    l->counted = 0;
    parser_free(tree);
    return ok && (body->n || lower_fail(l, -1, "an empty body"));
}

/* Move what was collected into the function. */
static void
finish(struct lower *l, struct function *f)
{
#define TAKE(from, to, count)                                                  \
    (f->count = (uint32_t)l->from.n,                                           \
     f->to = program_alloc(l->program, l->from.n, sizeof *f->to),              \
     l->from.n ? memcpy(f->to, l->from.at, l->from.n * sizeof *f->to) : NULL)
    TAKE(variables, variables, n_variables);
    TAKE(sources, source_tables, n_sources);
    TAKE(inputs, inputs, n_inputs);
#undef TAKE
    f->n_statements = l->n_statements;
    vec_push(&l->program->functions, f);
}

/* The first statement that writes or locks rows; NULL where there is none. */
static const struct statement *
find_write(const struct block *b)
{
    for (uint32_t i = 0; i < b->n; i++) {
        const struct statement *s = b->at[i];
        if (s->kind == STATEMENT_UPDATE || s->kind == STATEMENT_DELETE ||
            s->kind == STATEMENT_INSERT || (s->query && s->query->lock))
            return s;
        const struct statement *inner = find_write(&s->body);
        if (!inner)
            inner = find_write(&s->other);
        if (inner)
            return inner;
    }
    return NULL;
}

/* PostgreSQL refuses it when such a function is called. */
static bool
check_volatility(struct lower *l, const struct function *f)
{
    const struct statement *s = f->snapshot ? find_write(&f->body) : NULL;
    if (!s)
        return true;
    l->text = "";
    l->line = s->line;
    l->exact = false;
    return lower_fail(l, -1,
                      "a write or a lock in function %s, which is STABLE or "
                      "IMMUTABLE",
                      f->name);
}

static void
reset(struct lower *l)
{
    vec_clear(&l->visible);
    vec_clear(&l->variables);
    vec_clear(&l->sources);
    vec_clear(&l->inputs);
    vec_clear(&l->outs);
    vec_clear(&l->before);
    vec_clear(&l->after);
    l->in_expression = l->wrong = false;
    vec_clear(&l->records);
    l->level = l->depth = 0;
    l->in_targets = l->in_aggregate = l->merged = false;
    vec_clear(&l->aggregates);
    l->n_statements = 0;
    l->columns_first = false;
    l->returns = (struct scalar_type){0};
}

/* The name of a function that has another one's. */
static const char *
name_with_types(struct lower *l, const PgQuery__CreateFunctionStmt *create)
{
    struct buf text = {0};
    buf_printf(&text, "%s(",
               lower_last_name(create->funcname, create->n_funcname));
    for (size_t i = 0; i < create->n_parameters; i++) {
        const PgQuery__FunctionParameter *p =
            create->parameters[i]->function_parameter;
        buf_printf(&text, "%s%s", i ? ", " : "",
                   lower_last_name(p->arg_type->names, p->arg_type->n_names));
    }
    buf_char(&text, ')');
    const char *name = program_copy(l->program, text.at);
    buf_free(&text);
    return name;
}

bool
lower_function(struct lower *l, const PgQuery__CreateFunctionStmt *create,
               const char *text, int location)
{
    reset(l);
    struct function *f = program_alloc(l->program, 1, sizeof *f);
    f->name = program_copy(
        l->program, lower_last_name(create->funcname, create->n_funcname));
    f->file = l->file;
    f->line = lower_line(l, location);
    if (program_find_function(l->program, f->name) != UINT32_MAX)
        f->name = name_with_types(l, create);
    if (program_find_function(l->program, f->name) != UINT32_MAX)
        return lower_fail(l, location, "a second function '%s'", f->name);
    l->function = f;
    struct body body = {0};
    if (!lower_parameters(l, f, create) || !lower_options(l, f, create, &body))
        return false;
    const struct lower file = *l;
    bool returns_set = create->return_type && create->return_type->setof;
    for (size_t i = 0; i < create->n_parameters; i++)
        returns_set = returns_set ||
                      create->parameters[i]->function_parameter->mode ==
                          PG_QUERY__FUNCTION_PARAMETER_MODE__FUNC_PARAM_TABLE;
    const uint32_t line = first_line_of_body(l, body.location);
    const char *returns = create->return_type
                              ? lower_last_name(create->return_type->names,
                                                create->return_type->n_names)
                              : "void";
    if (!returns_set)
        lower_type_of_name(returns, &l->returns);
    l->has_result = !returns_set && strcmp(returns, "void") != 0 && !l->outs.n;
    if (l->outs.n)
        l->returns = (struct scalar_type){0};
    bool ok;
    if (strcmp(body.language, "plpgsql") == 0) {
        ok = lower_plpgsql(l, text, line);
    } else if (strcmp(body.language, "sql") == 0) {
        l->line = line;
        ok = lower_sql_body(l, body.text, returns_set);
    } else {
        ok = lower_fail(l, location,
                        "function %s is in language %s, expected plpgsql or "
                        "sql",
                        f->name, body.language);
    }
    ok = ok && check_volatility(l, f) && lower_parameter_types(l, f, create);
    if (ok)
        finish(l, f);
    l->text = file.text;
    l->line = file.line;
    l->exact = file.exact;
    l->function = NULL;
    return ok;
}
