/* lower_opaque.c -- values, functions and operators that are not understood.
 *
 * They become uninterpreted functions of their arguments (EXPR_OPAQUE), which
 * is sound for a proof: it holds for every function, hence for the real one.
 * An anomaly may not depend on what such a function gives; see evaluate.c.
 *   (1) A function that is not in the table may write or read anything, and is
 *       refused by its name.
 *   (2) 'total' is said only of what can neither fail nor be NULL for arguments
 *       that are not NULL; in doubt it is not said.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/program/lower/lower.h"

#include <stdio.h>
#include <string.h>

/* What is known of a function of PostgreSQL: the type of its result (t text, i
 * integer, L bigint, n numeric, b boolean, T timestamp, o any other, 1 that of
 * the first argument), and t total, w never NULL and never fails, p neither, v
 * another value every time, s one value for a session. */
static const struct known {
    const char *name;
    char result, kind;
} known[] = {
    // texts
    {"lower", 't', 't'},
    {"upper", 't', 't'},
    {"btrim", 't', 't'},
    {"trim", 't', 't'},
    {"ltrim", 't', 't'},
    {"rtrim", 't', 't'},
    {"initcap", 't', 't'},
    {"replace", 't', 't'},
    {"left", 't', 't'},
    {"right", 't', 't'},
    {"reverse", 't', 't'},
    {"md5", 't', 't'},
    {"substr", 't', 'p'},
    {"substring", 't', 'p'},
    {"lpad", 't', 'p'},
    {"rpad", 't', 'p'},
    {"split_part", 't', 'p'},
    {"concat", 't', 'w'},
    {"concat_ws", 't', 'p'},
    {"format", 't', 'p'},
    {"to_char", 't', 'p'},
    {"quote_ident", 't', 't'},
    {"quote_literal", 't', 't'},
    {"quote_nullable", 't', 'w'},
    {"translate", 't', 't'},
    {"regexp_replace", 't', 'p'},
    {"regexp_match", 'o', 'p'},
    {"encode", 't', 'p'},
    {"decode", 'o', 'p'},
    {"convert_from", 't', 'p'},
    {"convert_to", 'o', 'p'},
    {"length", 'i', 't'},
    {"char_length", 'i', 't'},
    {"character_length", 'i', 't'},
    {"octet_length", 'i', 't'},
    {"position", 'i', 't'},
    {"strpos", 'i', 't'},
    {"hashtext", 'i', 't'},
    {"hashtextextended", 'L', 't'},
    {"starts_with", 'b', 't'},
    {"digest", 'o', 'p'},
    {"hmac", 'o', 'p'},
    {"crypt", 't', 'p'},
    {"sha256", 'o', 't'},
    {"string_to_array", 'o', 'p'},
    {"repeat", 't', 'p'},
    {"chr", 't', 'p'},
    {"ascii", 'i', 't'},
    {"array_to_string", 't', 'p'},
    {"unaccent", 't', 'p'},
    {"similarity", 'o', 'p'},
    // numbers
    {"round", '1', 'p'},
    {"floor", '1', 'p'},
    {"ceil", '1', 'p'},
    {"ceiling", '1', 'p'},
    {"trunc", '1', 'p'},
    {"sign", '1', 'p'},
    {"power", 'o', 'p'},
    {"sqrt", 'o', 'p'},
    {"exp", 'o', 'p'},
    {"ln", 'o', 'p'},
    {"log", 'o', 'p'},
    {"div", 'n', 'p'},
    {"pi", 'o', 'p'},
    {"width_bucket", 'i', 'p'},
    // moments
    {"date_trunc", 'T', 'p'},
    {"date_part", 'n', 'p'},
    {"extract", 'n', 'p'},
    {"age", 'o', 'p'},
    {"make_interval", 'o', 'p'},
    {"to_timestamp", 'T', 'p'},
    {"to_date", 'o', 'p'},
    {"make_date", 'o', 'p'},
    {"timezone", 'T', 'p'},
    {"isfinite", 'b', 't'},
    {"make_timestamp", 'T', 'p'},
    {"make_timestamptz", 'T', 'p'},
    {"justify_interval", 'o', 'p'},
    // json
    {"json_build_object", 'o', 'p'},
    {"jsonb_build_object", 'o', 'p'},
    {"json_build_array", 'o', 'w'},
    {"jsonb_build_array", 'o', 'w'},
    {"to_json", 'o', 't'},
    {"to_jsonb", 'o', 't'},
    {"row_to_json", 'o', 't'},
    {"array_to_json", 'o', 't'},
    {"jsonb_set", 'o', 'p'},
    {"jsonb_insert", 'o', 'p'},
    {"jsonb_strip_nulls", 'o', 't'},
    {"json_strip_nulls", 'o', 't'},
    {"jsonb_typeof", 't', 't'},
    {"json_typeof", 't', 't'},
    {"jsonb_array_length", 'i', 'p'},
    {"json_array_length", 'i', 'p'},
    {"jsonb_extract_path_text", 't', 'p'},
    {"jsonb_extract_path", 'o', 'p'},
    {"json_extract_path_text", 't', 'p'},
    {"jsonb_object", 'o', 'p'},
    {"jsonb_pretty", 't', 't'},
    {"jsonb_path_exists", 'b', 'p'},
    {"jsonb_path_query_first", 'o', 'p'},
    // arrays, search, others
    {"array_length", 'i', 'p'},
    {"cardinality", 'i', 't'},
    {"array_append", 'o', 'p'},
    {"array_prepend", 'o', 'p'},
    {"array_cat", 'o', 'p'},
    {"array_remove", 'o', 'p'},
    {"array_position", 'i', 'p'},
    {"array_upper", 'i', 'p'},
    {"array_lower", 'i', 'p'},
    {"array_ndims", 'i', 'p'},
    {"array_replace", 'o', 'p'},
    {"num_nonnulls", 'i', 'w'},
    {"num_nulls", 'i', 'w'},
    {"to_tsvector", 'o', 'p'},
    {"to_tsquery", 'o', 'p'},
    {"plainto_tsquery", 'o', 'p'},
    {"websearch_to_tsquery", 'o', 'p'},
    {"ts_rank", 'o', 'p'},
    {"ts_headline", 't', 'p'},
    {"setweight", 'o', 'p'},
    {"tstzrange", 'o', 'p'},
    {"daterange", 'o', 'p'},
    {"int4range", 'o', 'p'},
    {"tsrange", 'o', 'p'},
    {"int8range", 'o', 'p'},
    {"numrange", 'o', 'p'},
    {"upper_inf", 'b', 'p'},
    {"isempty", 'b', 'p'},
    {"host", 't', 'p'},
    {"st_makepoint", 'o', 'p'},
    {"st_distance", 'o', 'p'},
    {"st_dwithin", 'b', 'p'},
    {"st_setsrid", 'o', 'p'},
    {"pg_sleep", 'o', 'w'},
    {"pg_typeof", 't', 'w'},
    {"version", 't', 'w'},
    // It tells other sessions, not the tables.
    {"pg_notify", 'o', 't'},
    // Locks only take executions away: a proof needs none of them.
    {"pg_advisory_xact_lock", 'o', 'p'},
    {"pg_advisory_lock", 'o', 'p'},
    {"pg_advisory_unlock", 'b', 'p'},
    {"pg_try_advisory_lock", 'b', 'v'},
    {"pg_try_advisory_xact_lock", 'b', 'v'},
    {"pg_advisory_xact_lock_shared", 'o', 'p'},
    // values that differ from call to call
    {"random", 'o', 'v'},
    {"gen_random_uuid", 't', 'v'},
    {"uuid_generate_v4", 't', 'v'},
    {"uuid_generate_v1", 't', 'v'},
    {"uuid_generate_v1mc", 't', 'v'},
    {"uuidv7", 't', 'v'},
    {"gen_random_bytes", 'o', 'v'},
    {"gen_salt", 't', 'v'},
    {"nextval", 'L', 'v'},
    {"currval", 'L', 'v'},
    {"lastval", 'L', 'v'},
    {"timeofday", 't', 'v'},
    {"pg_backend_pid", 'i', 's'},
    {"txid_current", 'L', 's'},
    {"pg_current_xact_id", 'o', 's'},
    {"current_setting", 't', 'v'},
    {"set_config", 't', 'p'},
    {"current_schema", 't', 's'},
    {"current_database", 't', 's'},
    {"inet_client_addr", 'o', 's'},
    {"session_user", 't', 's'},
    // Supabase: the claims of the session
    {"uid", 't', 's'},
    {"jwt", 'o', 's'},
    {"role", 't', 's'},
    {"email", 't', 's'},
};

/* --- nodes ----------------------------------------------------------------*/

struct expr *
lower_opaque(struct lower *l, const char *name, struct scalar_type type,
             struct expr *const *args, size_t n)
{
    struct expr *e = expr_new(l, EXPR_OPAQUE, type.type);
    struct expr *rest = n ? args[n - 1] : expr_boolean(l, true);
    for (size_t i = n; i-- > 1;) {
        struct expr *list = expr_new(l, EXPR_LIST, args[i - 1]->type);
        list->arg[0] = args[i - 1];
        list->arg[1] = rest;
        rest = list;
    }
    for (size_t i = 0; i < n; i++)
        if (args[i]->type == TYPE_UNKNOWN)
            args[i]->type = TYPE_TEXT;
    e->arg[0] = rest;
    e->name = program_copy(l->program, name);
    e->number = type.number;
    return e;
}

struct expr *
lower_opaque_total(struct lower *l, const char *name, struct scalar_type type,
                   struct expr *const *args, size_t n)
{
    struct expr *e = lower_opaque(l, name, type, args, n);
    e->total = true;
    return e;
}

/* Casts that PostgreSQL makes of every value: to text, between moments. */
static bool
is_safe_cast(enum value_type from, enum value_type to)
{
    return to == TYPE_TEXT || ((from == TYPE_DATE || from == TYPE_TIMESTAMP) &&
                               (to == TYPE_DATE || to == TYPE_TIMESTAMP));
}

struct expr *
lower_opaque_cast(struct lower *l, struct expr *e, struct scalar_type type,
                  const char *name)
{
    char text[80];
    snprintf(text, sizeof text, *name ? "::%s" : "%s", name);
    struct expr *cast = lower_opaque(l, text, type, &e, 1);
    cast->total = is_safe_cast(e->type, type.type);
    return cast;
}

/* --- calls ----------------------------------------------------------------*/

static struct scalar_type
result_type(char result, const struct expr *first)
{
    struct scalar_type type = {.type = result == 't'   ? TYPE_TEXT
                                       : result == 'b' ? TYPE_BOOLEAN
                                       : result == 'T' ? TYPE_TIMESTAMP
                                       : result == 'o' ? TYPE_OPAQUE
                                                       : TYPE_INTEGER};
    type.number = result == 'L'   ? NUMBER_BIGINT
                  : result == 'n' ? NUMBER_NUMERIC
                                  : NUMBER_INTEGER;
    if (result == '1' && first)
        type =
            (struct scalar_type){.type = first->type, .number = first->number};
    return type;
}

static struct expr *
any_value(struct lower *l, const char *name, struct scalar_type type)
{
    const struct input_site site = {INPUT_ANY, TYPE_INTEGER, 0, 0};
    struct expr *input = expr_input(l, site);
    struct expr *e = lower_opaque(l, name, type, &input, 1);
    e->total = strcmp(name, "random") == 0;
    return e;
}

/* One value for a session, hence for a transaction: a variable that is set when
 * the function begins. */
static struct expr *
session_value(struct lower *l, const char *name, struct scalar_type type)
{
    char full[120];
    snprintf(full, sizeof full, "(%s)", name);
    uint32_t v = lower_find_variable(l, full);
    if (v == UINT32_MAX) {
        v = lower_add_variable(l, full, type.type);
        l->variables.at[v].number = type.number;
        l->variables.at[v].initial = any_value(l, name, type);
    }
    struct expr *e = expr_new(l, EXPR_VARIABLE, type.type);
    e->index = v;
    e->number = type.number;
    return e;
}

struct expr *
lower_session_value(struct lower *l, const char *name)
{
    return session_value(l, name, (struct scalar_type){.type = TYPE_TEXT});
}

static const struct known *
find_known(const char *name)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i].name) == 0)
            return &known[i];
    return NULL;
}

/* Whether a schema is one whose functions the table means. */
static bool
is_known_schema(const PgQuery__FuncCall *call, const struct known *k)
{
    const char *schema =
        call->n_funcname > 1 ? lower_last_name(call->funcname, 1) : "";
    const bool claims = k >= known + sizeof known / sizeof *known - 4;
    return claims
               ? strcmp(schema, "auth") == 0
               : !*schema || !strcmp(schema, "pg_catalog") ||
                     !strcmp(schema, "extensions") || !strcmp(schema, "public");
}

bool
lower_is_known(const PgQuery__FuncCall *call)
{
    const struct known *k =
        find_known(lower_last_name(call->funcname, call->n_funcname));
    return k && is_known_schema(call, k);
}

struct expr *
lower_opaque_call(struct lower *l, const PgQuery__FuncCall *call)
{
    enum { MOST = 100 };
    const char *name = lower_last_name(call->funcname, call->n_funcname);
    const struct known *k = find_known(name);
    struct expr *args[MOST];
    if (!k || !is_known_schema(call, k) || call->n_args > MOST || call->over ||
        lower_defines_function(l, name)) {
        lower_fail(l, call->location, "function %s is not supported here",
                   name);
        return NULL;
    }
    for (size_t i = 0; i < call->n_args; i++) {
        const PgQuery__Node *node = call->args[i];
        if (NODE_IS(node, NAMED_ARG_EXPR))
            node = node->named_arg_expr->arg;
        if (!(args[i] = lower_argument(l, node)))
            return NULL;
    }
    const struct scalar_type type =
        result_type(k->result, call->n_args ? args[0] : NULL);
    if (!l->function && k->kind != 't' && k->kind != 'w' && k->kind != 'p') {
        lower_fail(l, call->location, "function %s is not supported here",
                   name);
        return NULL;
    }
    if (k->kind == 'v')
        return any_value(l, name, type);
    if (k->kind == 's')
        return session_value(l, name, type);
    struct expr *e = lower_opaque(l, name, type, args, call->n_args);
    e->total = k->kind == 't' && call->n_args;
    e->whole = k->kind == 'w';
    return e;
}

/* A whole record as an argument: all of its fields. */
struct expr *
lower_argument(struct lower *l, const PgQuery__Node *node)
{
    if (NODE_IS(node, COLUMN_REF) && node->column_ref->n_fields == 1 &&
        NODE_IS(node->column_ref->fields[0], STRING)) {
        struct expr *row =
            lower_whole_row(l, node->column_ref->fields[0]->string->sval);
        if (row)
            return row;
    }
    return lower_expr(l, node);
}

/* All fields of a record variable, or all columns of a table in the query, as
 * one value that is never NULL; NULL where there is none of that name. */
struct expr *
lower_whole_row(struct lower *l, const char *name)
{
    enum { MOST = 64 };
    struct expr *args[MOST];
    size_t n = 0;
    const size_t length = strlen(name);
    for (size_t i = 0; i < l->variables.n && n < MOST; i++)
        if (strncmp(l->variables.at[i].name, name, length) == 0 &&
            l->variables.at[i].name[length] == '.') {
            args[n] = expr_new(l, EXPR_VARIABLE, l->variables.at[i].type);
            args[n]->index = (uint32_t)i;
            args[n]->number = l->variables.at[i].number;
            n++;
        }
    for (size_t i = l->visible.n; !n && i-- > 0;) {
        const struct visible *v = &l->visible.at[i];
        const struct table *t = &l->program->tables.at[v->table];
        if (strcmp(v->name, name) != 0 ||
            table_find_column(t, name) != UINT32_MAX)
            continue;
        for (uint32_t c = 0; c < t->n_columns - t->hidden_key && n < MOST; c++)
            args[n++] = expr_column(l, v->source, c);
    }
    if (!n)
        return NULL;
    struct expr *e = lower_opaque(
        l, "row", (struct scalar_type){.type = TYPE_OPAQUE}, args, n);
    e->whole = true;
    return e;
}

/* --- operators ------------------------------------------------------------*/

struct expr *
lower_opaque_operator(struct lower *l, const char *name, struct expr *a,
                      struct expr *b, int location)
{
    static const struct {
        const char *name;
        char result, kind;
    } operators[] = {
        {"=", 'b', 't'},   {"<>", 'b', 't'},  {"!=", 'b', 't'},
        {"<", 'b', 't'},   {"<=", 'b', 't'},  {">", 'b', 't'},
        {">=", 'b', 't'},  {"~", 'b', 'p'},   {"~*", 'b', 'p'},
        {"!~", 'b', 'p'},  {"!~*", 'b', 'p'}, {"~~", 'b', 'p'},
        {"~~*", 'b', 'p'}, {"!~~", 'b', 'p'}, {"!~~*", 'b', 'p'},
        {"@>", 'b', 'p'},  {"<@", 'b', 'p'},  {"&&", 'b', 'p'},
        {"?", 'b', 'p'},   {"?|", 'b', 'p'},  {"?&", 'b', 'p'},
        {"@@", 'b', 'p'},  {"->", 'o', 'p'},  {"->>", 't', 'p'},
        {"#>", 'o', 'p'},  {"#>>", 't', 'p'}, {"||", '1', 'p'},
        {"+", 'o', 'p'},   {"-", 'o', 'p'},   {"*", 'o', 'p'},
        {"/", 'o', 'p'},   {"%", 'o', 'p'},   {"^", 'o', 'p'},
        {"#-", 'o', 'p'},  {"<->", 'o', 'p'}, {"&", '1', 't'},
        {"|", '1', 't'},   {"<<", '1', 'p'},  {">>", '1', 'p'},
        {"-|-", 'b', 'p'}, {"%%", 'b', 'p'},
    };
    struct expr *args[] = {a, b};
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        if (strcmp(name, operators[i].name) != 0)
            continue;
        struct scalar_type type = result_type(operators[i].result, a);
        const bool moment = a->type == TYPE_TIMESTAMP || a->type == TYPE_DATE;
        if (moment && b->type == TYPE_OPAQUE && strchr("+-", *name))
            type.type = TYPE_TIMESTAMP; // and an interval
        if (strcmp(name, "||") == 0)
            type.type = a->type == TYPE_OPAQUE || b->type == TYPE_OPAQUE
                            ? TYPE_OPAQUE
                            : TYPE_TEXT;
        struct expr *e = lower_opaque(l, name, type, args, 2);
        // Two texts can always be joined; JSON of different kinds cannot.
        e->total = operators[i].kind == 't' ||
                   (strcmp(name, "||") == 0 && type.type == TYPE_TEXT);
        return e;
    }
    lower_fail(l, location, "operator '%s' is not supported", name);
    return NULL;
}

/* --- user's types ---------------------------------------------------------*/

bool
lower_user_type(struct lower *l, const PgQuery__Node *node)
{
    struct user_type type = {0};
    if (NODE_IS(node, CREATE_ENUM_STMT)) {
        const PgQuery__CreateEnumStmt *create = node->create_enum_stmt;
        type.name =
            program_copy(l->program, lower_last_name(create->type_name,
                                                     create->n_type_name));
        type.type.type = TYPE_TEXT;
        type.n_labels = (uint32_t)create->n_vals;
        type.labels =
            program_alloc(l->program, type.n_labels, sizeof *type.labels);
        for (uint32_t i = 0; i < type.n_labels; i++)
            type.labels[i] =
                strings_add(&l->program->texts, create->vals[i]->string->sval,
                            strlen(create->vals[i]->string->sval));
    } else {
        const PgQuery__CreateDomainStmt *create = node->create_domain_stmt;
        type.name =
            program_copy(l->program, lower_last_name(create->domainname,
                                                     create->n_domainname));
        if (!lower_type(l, create->type_name, &type.type))
            return false;
        struct err none = {0}, *const err = l->err;
        l->err = &none;
        if (!lower_exact_collation(l, create->coll_clause))
            type.type = (struct scalar_type){.type = TYPE_OPAQUE};
        l->err = err;
        type.checked = create->n_constraints > 0;
    }
    vec_push(&l->types, type);
    return true;
}

const struct user_type *
lower_find_type(const struct lower *l, const char *name)
{
    for (size_t i = l->types.n; i-- > 0;)
        if (strcmp(l->types.at[i].name, name) == 0)
            return &l->types.at[i];
    return NULL;
}

struct expr *
lower_type_check(struct lower *l, const struct user_type *type,
                 struct expr *value)
{
    struct expr *any = NULL;
    if (type->checked) {
        struct expr *e = lower_opaque(
            l, "domain", (struct scalar_type){.type = TYPE_BOOLEAN}, &value, 1);
        return e;
    }
    for (uint32_t i = 0; i < type->n_labels; i++) {
        struct expr *label = expr_new(l, EXPR_CONSTANT, TYPE_TEXT);
        label->value.number = type->labels[i];
        struct expr *same = expr_binary(l, EXPR_EQ, value, label);
        any = any ? expr_binary(l, EXPR_OR, any, same) : same;
    }
    return any;
}
